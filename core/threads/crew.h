/*
** Threads that share out a piece of work. How many there are changes how long it takes and nothing else:
** where the system gives fewer than were asked for, those that came do it all.
*/
#ifndef BP_THREADS_CREW_H
#define BP_THREADS_CREW_H

#include <stddef.h>
#include <stdint.h>

/* Processors that this program may run on. */
int bp_crew_limit(void);

/*
** Calls work(data, member, part) once for each part below parts, of which whoever of the crew is free takes the next:
** member 0 in the thread of the caller, each other one below count in a thread of its own, as far as those are to be had.
** The work is done when this comes back.
*/
void bp_crew_run(size_t count, uint64_t parts,
                 void (*work)(void *data, size_t member, uint64_t part), void *data);

#endif
