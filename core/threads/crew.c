#ifdef __linux__
#define _GNU_SOURCE /* NOLINT: asks for sched_getaffinity */
#endif
#include "crew.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __linux__
#include <sched.h>
#endif

struct member {
    void (*work)(void *data, size_t member);
    void *data;
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

static void *run_member(void *data) {
    struct member *member = data;
    member->work(member->data, member->number);
    return NULL;
}

void bp_crew_run(size_t count, void (*work)(void *data, size_t member), void *data) {
    struct member *members = count > 1 ? calloc(count, sizeof *members) : NULL;
    size_t hired = 1;
    while (members && hired < count) {
        struct member *member = &members[hired];
        member->work = work;
        member->data = data;
        member->number = hired;
        if (pthread_create(&member->thread, NULL, run_member, member) != 0) {
            break;
        }
        hired++;
    }
    work(data, 0);
    while (--hired > 0) {
        pthread_join(members[hired].thread, NULL);
    }
    free(members);
}
