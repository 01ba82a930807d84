/*
** Threads that share out a piece of work. How many there are changes how long it takes and nothing else:
** where the system gives fewer than were asked for, those that came do it all.
*/
#ifndef BP_THREADS_CREW_H
#define BP_THREADS_CREW_H

#include <stddef.h>

/* Processors that this program may run on. */
int bp_crew_limit(void);

/*
** Calls work(data, member) once for each member below count, all at once: member 0 in the thread of the
** caller, every other one in a thread of its own, and not at all where none is to be had. Each takes
** parts of the work until none is left; it is done when this comes back.
*/
void bp_crew_run(size_t count, void (*work)(void *data, size_t member), void *data);

#endif
