#ifdef __linux__
#define _GNU_SOURCE /* NOLINT: asks for sched_getaffinity */
#endif
#include "crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __linux__
#include <sched.h>
#endif

/* Work in parts, and the next that nobody has taken. */
struct shift {
    void (*work)(void *data, size_t member, uint64_t part);
    void *data;
    uint64_t parts;
    atomic_uint_least64_t next;
};

struct member {
    struct shift *shift;
    size_t number;
    pthread_t thread;
};

int bp_crew_limit(void) {
    long processors;
#ifdef __linux__
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
        return CPU_COUNT(&allowed);
    }
#endif
    processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 1 ? (int)processors : 1;
}

static void take_parts(struct shift *shift, size_t member) {
    uint64_t part;
    while ((part = atomic_fetch_add(&shift->next, 1)) < shift->parts) {
        shift->work(shift->data, member, part);
    }
}

static void *run_member(void *data) {
    struct member *member = data;
    take_parts(member->shift, member->number);
    return NULL;
}

void bp_crew_run(size_t count, uint64_t parts,
                 void (*work)(void *data, size_t member, uint64_t part), void *data) {
    struct shift shift = {work, data, parts, 0};
    struct member *members = count > 1 ? calloc(count, sizeof *members) : NULL;
    size_t hired = 1;
    while (members && hired < count) {
        struct member *member = &members[hired];
        member->shift = &shift;
        member->number = hired;
        if (pthread_create(&member->thread, NULL, run_member, member) != 0) {
            break;
        }
        hired++;
    }
    take_parts(&shift, 0);
    while (--hired > 0) {
        pthread_join(members[hired].thread, NULL);
    }
    free(members);
}
