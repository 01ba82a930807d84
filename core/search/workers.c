#include "workers.h"

#include "threads/crew.h"

/*
** Positions of a block: few enough that all threads end about together, enough that handing them out
** costs nothing.
*/
enum { BLOCK_MIN = 1024, BLOCK_MAX = 65536, BLOCKS_EACH = 16 };

void bp_workers_init(const struct bp_search *search, struct bp_worker *workers, size_t count,
                     double mark) {
    struct bp_walk walk;
    size_t i;
    bp_walk_init(&walk, search->space);
    for (i = 0; i < count; i++) {
        bp_memo_init(&workers[i].memo, &walk);
        bp_found_init(&workers[i].found, &workers[i].room, mark);
    }
}

static void work(const struct bp_search *search, struct bp_worker *worker, uint64_t begin,
                 uint64_t end) {
    struct bp_error err;
    int code = bp_search_run(search, &worker->memo, begin, end, &worker->found, &err);
    if (code && (!worker->code || begin < worker->failed_at)) {
        worker->code = code;
        worker->failed_at = begin;
        worker->err = err;
    }
}

static uint64_t block_size(uint64_t positions, size_t count) {
    uint64_t block = positions / (count * BLOCKS_EACH) + 1;
    block = block < BLOCK_MIN ? BLOCK_MIN : block;
    return block > BLOCK_MAX ? BLOCK_MAX : block;
}

static int first_failure(const struct bp_worker *workers, size_t count, struct bp_error *err) {
    const struct bp_worker *first = NULL;
    size_t i;
    for (i = 0; i < count; i++) {
        if (workers[i].code && (!first || workers[i].failed_at < first->failed_at)) {
            first = &workers[i];
        }
    }
    if (!first) {
        return BP_OK;
    }
    *err = first->err;
    return first->code;
}

/* Positions begin to end, in blocks. */
struct shift {
    const struct bp_search *search;
    struct bp_worker *workers;
    uint64_t begin, end, block;
};

static void work_block(void *data, size_t member, uint64_t i) {
    const struct shift *shift = data;
    uint64_t from = shift->begin + i * shift->block;
    uint64_t to = shift->end - from > shift->block ? from + shift->block : shift->end;
    work(shift->search, &shift->workers[member], from, to);
}

int bp_workers_run(const struct bp_search *search, struct bp_worker *workers, size_t count,
                   uint64_t begin, uint64_t end, struct bp_error *err) {
    struct shift shift = {search, workers, begin, end, block_size(end - begin, count)};
    size_t n;
    for (n = 0; n < count; n++) {
        workers[n].code = BP_OK;
    }
    if (count == 1) {
        work(search, workers, begin, end);
        return first_failure(workers, count, err);
    }
    bp_crew_run(count, (end - begin + shift.block - 1) / shift.block, work_block, &shift);
    return first_failure(workers, count, err);
}

void bp_workers_collect(struct bp_worker *workers, size_t count, struct bp_found *found) {
    size_t i;
    for (i = 0; i < count; i++) {
        struct bp_worker *worker = &workers[i];
        bp_found_merge(found, &worker->found);
        bp_found_init(&worker->found, &worker->room, worker->found.mark);
    }
}
