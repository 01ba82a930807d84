#include "platform_state.h"

static int32_t *bucket_of(struct bp_rooms *r, const struct bp_node *n) {
    return &r->bucket[n->kept][n->free];
}

static void link(struct bp_rooms *r, int32_t node) {
    struct bp_node *n = &r->nodes[node];
    int32_t *first = bucket_of(r, n);
    n->before = -1;
    n->next = *first;
    if (*first >= 0) {
        r->nodes[*first].before = node;
    }
    *first = node;
    r->whole[n->kept] += n->free == r->size;
}

static void unlink(struct bp_rooms *r, int32_t node) {
    struct bp_node *n = &r->nodes[node];
    if (n->before >= 0) {
        r->nodes[n->before].next = n->next;
    } else {
        *bucket_of(r, n) = n->next;
    }
    if (n->next >= 0) {
        r->nodes[n->next].before = n->before;
    }
    r->whole[n->kept] -= n->free == r->size;
}

static void set_free(struct bp_rooms *r, int32_t node, int32_t free) {
    struct bp_node *n = &r->nodes[node];
    if (n->down) {
        n->free = free;
        return;
    }
    unlink(r, node);
    r->free += free - n->free;
    n->free = free;
    link(r, node);
}

void bp_rooms_open(struct bp_rooms *r, int32_t nodes, int32_t node_size) {
    int32_t i;
    r->count = nodes;
    r->size = node_size;
    r->free = (int64_t)nodes * node_size;
    for (i = 0; i <= node_size; i++) {
        r->bucket[0][i] = r->bucket[1][i] = -1;
    }
    for (i = nodes; i-- > 0;) {
        struct bp_node n = {.free = node_size, .jobs = -1, .gang = -1, .gang_next = -1};
        r->nodes[i] = n;
        link(r, i);
    }
}

int bp_rooms_place_on(struct bp_rooms *r, struct bp_job *jobs, int32_t job, int32_t node) {
    struct bp_job *j = &jobs[job];
    struct bp_node *n = &r->nodes[node];
    set_free(r, node, n->free - j->devices);
    j->node = node;
    j->node_before = -1;
    j->node_next = n->jobs;
    if (n->jobs >= 0) {
        jobs[n->jobs].node_before = job;
    }
    n->jobs = job;
    return 1;
}

static int place_gang(struct bp_rooms *r, struct bp_job *jobs, int32_t job, int kept) {
    int32_t need = bp_whole_nodes(r, jobs[job].devices), set = 0;
    if (r->whole[0] + (kept ? r->whole[1] : 0) < need) {
        return 0;
    }
    jobs[job].node = -1;
    while (need > 0) {
        int32_t node = r->bucket[set][r->size];
        if (node < 0) {
            set++;
            continue;
        }
        set_free(r, node, 0);
        r->nodes[node].gang = job;
        r->nodes[node].gang_next = jobs[job].node;
        jobs[job].node = node;
        need--;
    }
    return 1;
}

/* The fullest node that has room, so that whole ones stay. */
int bp_rooms_place(struct bp_rooms *r, struct bp_job *jobs, int32_t job, int kept) {
    int32_t devices = jobs[job].devices, free, set;
    if (r->count == 0) {
        return 1;
    }
    if (devices > r->free) {
        return 0;
    }
    if (devices > r->size) {
        return place_gang(r, jobs, job, kept);
    }
    for (free = devices; free <= r->size; free++) {
        for (set = 0; set <= kept; set++) {
            if (r->bucket[set][free] >= 0) {
                return bp_rooms_place_on(r, jobs, job, r->bucket[set][free]);
            }
        }
    }
    return 0;
}

static void release_gang(struct bp_rooms *r, struct bp_job *j) {
    while (j->node >= 0) {
        int32_t node = j->node;
        j->node = r->nodes[node].gang_next;
        r->nodes[node].gang = r->nodes[node].gang_next = -1;
        set_free(r, node, r->size);
    }
}

void bp_rooms_release(struct bp_rooms *r, struct bp_job *jobs, int32_t job) {
    struct bp_job *j = &jobs[job];
    if (r->count == 0) {
        return;
    }
    if (j->devices > r->size) {
        release_gang(r, j);
        return;
    }
    if (j->node_before >= 0) {
        jobs[j->node_before].node_next = j->node_next;
    } else {
        r->nodes[j->node].jobs = j->node_next;
    }
    if (j->node_next >= 0) {
        jobs[j->node_next].node_before = j->node_before;
    }
    set_free(r, j->node, r->nodes[j->node].free + j->devices);
    j->node = -1;
}

void bp_rooms_keep(struct bp_rooms *r, int32_t node, int kept) {
    struct bp_node *n = &r->nodes[node];
    if (n->down) {
        n->kept = (uint8_t)kept;
        return;
    }
    unlink(r, node);
    n->kept = (uint8_t)kept;
    link(r, node);
}

void bp_rooms_take_down(struct bp_rooms *r, int32_t node, uint8_t why) {
    struct bp_node *n = &r->nodes[node];
    if (!n->down) {
        unlink(r, node);
        r->free -= n->free;
        r->down++;
    }
    n->down |= why;
}

void bp_rooms_bring_up(struct bp_rooms *r, int32_t node, uint8_t why) {
    struct bp_node *n = &r->nodes[node];
    n->down = (uint8_t)(n->down & ~why);
    if (!n->down) {
        r->free += n->free;
        r->down--;
        link(r, node);
    }
}

int32_t bp_gained(const struct bp_rooms *r, int32_t node) {
    return r->nodes[node].look == r->look ? r->nodes[node].gained : 0;
}

/* Whole nodes that are free are there from the start. */
void bp_look_open(struct bp_rooms *r, struct bp_look *look, int32_t devices, int32_t *picked) {
    int32_t set, node;
    r->look++;
    look->nodes = devices > r->size ? bp_whole_nodes(r, devices) : 1;
    look->asks = devices > r->size ? r->size : devices;
    look->picked = picked;
    look->count = 0;
    for (set = 0; set < 2 && devices > r->size; set++) {
        for (node = r->bucket[set][r->size]; node >= 0; node = r->nodes[node].next) {
            picked[look->count++] = node;
        }
    }
}

/* The node gets `devices` more. */
static void gain(struct bp_rooms *r, struct bp_look *look, int32_t node, int32_t devices) {
    struct bp_node *n = &r->nodes[node];
    int32_t had = n->free + bp_gained(r, node);
    if (n->down) {
        return;
    }
    n->gained = bp_gained(r, node) + devices;
    n->look = r->look;
    if (had < look->asks && had + devices >= look->asks) {
        look->picked[look->count++] = node;
    }
}

int bp_look_at(struct bp_rooms *r, struct bp_look *look, const struct bp_job *jobs, int32_t job) {
    const struct bp_job *j = &jobs[job];
    int32_t node;
    if (j->devices <= r->size) {
        gain(r, look, j->node, j->devices);
    } else {
        for (node = j->node; node >= 0; node = r->nodes[node].gang_next) {
            gain(r, look, node, r->size);
        }
    }
    return look->count >= look->nodes;
}
