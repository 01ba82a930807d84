#include "memo.h"

#include <math.h>
#include <string.h>

enum { KEY_BYTES = sizeof(uint64_t) };

#define KIND(kind, type, slots) [kind] = {BP_MEMO_ENTRY(type), slots},
static const struct { size_t size, slots; } kinds[BP_MEMO_TABLES] = {BP_MEMO_KINDS(KIND)};

static const struct bp_field *plan_field(size_t offset) {
    size_t i;
    for (i = 0;
         bp_plan_schema.fields[i].kind == BP_NOTE || bp_plan_schema.fields[i].offset != offset;
         i++) {
    }
    return &bp_plan_schema.fields[i];
}

static int is_any(size_t offset, size_t a, size_t b, size_t c) {
    return offset == a || offset == b || offset == c;
}

/* Itself, or through a setting that follows it. */
static int reads(const struct bp_walk *walk, enum bp_part part, const struct bp_field *field) {
    return !bp_part_ignores(part, field) || bp_follows_reach(walk->follows, part, field);
}

/* dp may follow from the widths, and shard from dp and cp: then what looks at them looks at these. */
static int looks_at(const struct bp_walk *walk, enum bp_part part, const struct bp_field *field) {
    const size_t tp = offsetof(struct bp_plan, tp), pp = offsetof(struct bp_plan, pp),
                 cp = offsetof(struct bp_plan, cp), dp = offsetof(struct bp_plan, dp);
    int shard = reads(walk, part, plan_field(offsetof(struct bp_plan, shard)));
    if (reads(walk, part, field)) {
        return 1;
    }
    if (is_any(field->offset, tp, pp, cp)) {
        return shard || reads(walk, part, plan_field(dp));
    }
    return field->offset == dp && shard;
}

/* What the least work of a layer and the head looks at, besides what may hide of the traffic. */
static int least_looks_at(const struct bp_walk *walk, const struct bp_field *field) {
    return looks_at(walk, BP_PART_COMPUTE, field) || looks_at(walk, BP_PART_TRAFFIC, field);
}

static void set_terms(struct bp_memo_table *table, int part, const struct bp_walk *walk) {
    uint64_t weight = 1;
    size_t i, places = part == BP_MEMO_LEAST ? walk->checked : walk->count;
    table->slow = table->count = 0;
    for (i = 0; i < places; i++) {
        const struct bp_field *field = walk->dims[i].field;
        if (part == BP_MEMO_LEAST ? least_looks_at(walk, field)
                                  : looks_at(walk, (enum bp_part)part, field)) {
            struct bp_memo_term term = {i, weight};
            table->terms[table->count++] = term;
            table->slow += i < walk->checked;
            weight *= walk->dims[i].count;
        }
    }
    table->slots = weight < kinds[part].slots ? (size_t)weight : kinds[part].slots;
}

static int varies(const struct bp_walk *walk, size_t offset) {
    size_t i;
    for (i = 0; i < walk->count && walk->dims[i].field->offset != offset; i++) {
    }
    return i < walk->count || bp_follows_set(walk->follows, plan_field(offset));
}

void bp_memo_init(struct bp_memo *memo, const struct bp_walk *walk) {
    size_t used = 0;
    int part;
    memo->tp_hides = varies(walk, offsetof(struct bp_plan, overlap_tp));
    memo->ep_hides = varies(walk, offsetof(struct bp_plan, overlap_ep));
    for (part = 0; part < BP_MEMO_TABLES; part++) {
        struct bp_memo_table *table = &memo->tables[part];
        set_terms(table, part, walk);
        table->size = kinds[part].size;
        table->entries = memo->room.bytes + used;
        used += table->size * table->slots;
    }
    memset(memo->room.bytes, 0, used);
    bp_memo_turn(memo, walk);
}

static uint64_t sum(const struct bp_memo_table *table, const struct bp_walk *walk, size_t from,
                    size_t to, uint64_t key) {
    size_t i;
    for (i = from; i < to; i++) {
        key += table->terms[i].weight * walk->dims[table->terms[i].place].digit;
    }
    return key;
}

void bp_memo_turn(struct bp_memo *memo, const struct bp_walk *walk) {
    int part;
    for (part = 0; part < BP_MEMO_TABLES; part++) {
        struct bp_memo_table *table = &memo->tables[part];
        table->base = sum(table, walk, 0, table->slow, 1);
    }
}

/* Where the part at which the walk stands belongs; *known tells whether it is there. */
static void *find(struct bp_memo *memo, int part, const struct bp_walk *walk, int *known) {
    const struct bp_memo_table *table = &memo->tables[part];
    uint64_t key = sum(table, walk, table->slow, table->count, table->base);
    uint64_t place = key - 1;
    char *entry;
    if (place >= table->slots) { /* a division for none of the usual spaces */
        place %= table->slots;
    }
    entry = table->entries + place * table->size;
    *known = memcmp(entry, &key, KEY_BYTES) == 0;
    memcpy(entry, &key, KEY_BYTES);
    return entry + KEY_BYTES;
}

/* NAME(memo, walk, c): the part, made if it is not kept. */
#define DEFINE_PART(PART, name)                                                                    \
    static const struct bp_part_##name *name##_of(                                                 \
        struct bp_memo *memo, const struct bp_walk *walk, const struct bp_train_case *c) {         \
        int known;                                                                                 \
        struct bp_part_##name *part = find(memo, BP_PART_##PART, walk, &known);                    \
        if (!known) {                                                                              \
            *part = bp_part_##name(c);                                                             \
        }                                                                                          \
        return part;                                                                               \
    }

DEFINE_PART(SITE, site)
DEFINE_PART(COMPUTE, compute)
DEFINE_PART(TRAFFIC, traffic)
DEFINE_PART(SYNC, sync)
DEFINE_PART(SEND, send)
DEFINE_PART(FLIGHT, flight)
DEFINE_PART(STATES, states)
DEFINE_PART(KEPT, kept)

static const struct bp_part_pipe *pipe_of(struct bp_memo *memo, const struct bp_walk *walk,
                                          const struct bp_train_case *c) {
    int known;
    struct bp_part_pipe *part = find(memo, BP_PART_PIPE, walk, &known);
    if (!known) {
        *part = bp_part_pipe(c, compute_of(memo, walk, c), traffic_of(memo, walk, c));
    }
    return part;
}

int bp_memo_memory(struct bp_memo *memo, const struct bp_walk *walk, const struct bp_train_case *c,
                   struct bp_train_memory *out, struct bp_error *err) {
    struct bp_train_parts parts = {0};
    parts.flight = flight_of(memo, walk, c);
    parts.states = states_of(memo, walk, c);
    parts.kept = kept_of(memo, walk, c);
    return bp_train_memory_of(c, &parts, out, err);
}

int bp_memo_time(struct bp_memo *memo, const struct bp_walk *walk, const struct bp_train_case *c,
                 struct bp_train_time *out, struct bp_error *err) {
    struct bp_train_parts parts = {0};
    parts.site = site_of(memo, walk, c);
    parts.pipe = pipe_of(memo, walk, c);
    parts.sync = sync_of(memo, walk, c);
    parts.send = send_of(memo, walk, c);
    parts.flight = flight_of(memo, walk, c);
    if (bp_offloads_states(c->plan)) {
        parts.offloaded = &states_of(memo, walk, c)->offloaded;
    }
    return bp_train_time_of(c, &parts, out, err);
}

/* Of dimensions from `place` on: the least over all their values that the work looks at. */
static void lower(struct bp_memo *memo, const struct bp_walk *walk,
                  const struct bp_train_case *site, size_t place, struct bp_least_work *least) {
    struct bp_train_case c = *site;
    struct bp_plan plan = *site->plan;
    size_t i;
    while (place < walk->count && !least_looks_at(walk, walk->dims[place].field)) {
        place++;
    }
    if (place == walk->count) {
        const struct bp_part_compute compute = bp_part_compute(&c);
        const struct bp_part_traffic traffic = bp_part_traffic(&c);
        struct bp_least_work work =
            bp_least_work(&c, &compute, &traffic, memo->tp_hides, memo->ep_hides);
        least->layer_s = fmin(least->layer_s, work.layer_s);
        least->head_s = fmin(least->head_s, work.head_s);
        return;
    }
    c.plan = &plan;
    for (i = 0; i < walk->dims[place].count; i++) {
        bp_plan_set(&plan, walk->dims[place].field, walk->dims[place].values[i]);
        lower(memo, walk, &c, place + 1, least);
    }
}

double bp_memo_least_step(struct bp_memo *memo, const struct bp_walk *walk,
                          const struct bp_train_case *c) {
    int known;
    struct bp_least_work *least = find(memo, BP_MEMO_LEAST, walk, &known);
    if (!known) {
        least->layer_s = least->head_s = INFINITY;
        lower(memo, walk, c, walk->checked, least);
    }
    return bp_least_step(c, site_of(memo, walk, c), least);
}
