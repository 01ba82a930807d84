/* Parts of estimates that plans share: the same bits as the kernel gives for each plan alone. */
#include "cases.h"
#include "search_fixture.h"

static struct bp_memo memo;

/* What the estimate ignores is really ignored, for the plans of a small space of everything. */
static uint64_t random_state = 88172645463325252u;

static uint64_t draw(uint64_t below) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % below;
}

static double any_value(const struct bp_field *varied) {
    static const double widths[] = {1, 2, 4, 8}, shares[] = {0.25, 0.5, 1};
    int count = 0;
    switch (varied->kind) {
    case BP_FLAG:
        return (double)draw(2);
    case BP_ENUM:
        while (varied->names[count]) {
            count++;
        }
        return (double)draw((uint64_t)count);
    case BP_NUM:
        return shares[draw(3)];
    default:
        break;
    }
    if (varied->offset == offsetof(struct bp_plan, zero)) {
        return (double)draw(4);
    }
    if (varied->offset == offsetof(struct bp_plan, grad_bytes)) {
        return draw(2) ? 2 : 4;
    }
    if (varied->offset == offsetof(struct bp_plan, master_bytes)) {
        return draw(2) ? 0 : 4;
    }
    if (varied->offset == offsetof(struct bp_plan, lora_rank)) {
        return draw(2) ? 0 : 16;
    }
    if (varied->offset == offsetof(struct bp_plan, base_bits)) {
        return 16;
    }
    return widths[draw(4)];
}

static union part {
    struct bp_part_site site;
    struct bp_part_compute compute;
    struct bp_part_traffic traffic;
    struct bp_part_pipe pipe;
    struct bp_part_sync sync;
    struct bp_part_send send;
    struct bp_part_flight flight;
    struct bp_part_states states;
    struct bp_part_kept kept;
} make_part(enum bp_part kind, const struct bp_train_case *c) {
    const struct bp_part_compute compute = bp_part_compute(c);
    const struct bp_part_traffic traffic = bp_part_traffic(c);
    union part part;
    memset(&part, 0, sizeof part);
    switch (kind) {
    case BP_PART_SITE:
        part.site = bp_part_site(c);
        break;
    case BP_PART_COMPUTE:
        part.compute = compute;
        break;
    case BP_PART_TRAFFIC:
        part.traffic = traffic;
        break;
    case BP_PART_PIPE:
        part.pipe = bp_part_pipe(c, &compute, &traffic);
        break;
    case BP_PART_SYNC:
        part.sync = bp_part_sync(c);
        break;
    case BP_PART_SEND:
        part.send = bp_part_send(c);
        break;
    case BP_PART_FLIGHT:
        part.flight = bp_part_flight(c);
        break;
    case BP_PART_STATES:
        part.states = bp_part_states(c);
        break;
    case BP_PART_KEPT:
        part.kept = bp_part_kept(c);
        break;
    }
    return part;
}

/* A change of one ignored field of a random plan changes no bit of the part. */
static void assert_ignored(const struct bp_train_case *site, const struct bp_plan *plan,
                           enum bp_part kind, const struct bp_field *varied) {
    struct bp_train_case c = *site;
    struct bp_plan changed = *plan;
    union part one, other;
    c.plan = plan;
    one = make_part(kind, &c);
    bp_plan_set(&changed, varied, any_value(varied));
    c.plan = &changed;
    other = make_part(kind, &c);
    if (memcmp(&one, &other, sizeof one) != 0) {
        print_error("part %d depends on %s\n", (int)kind, varied->name);
        fail();
    }
}

static void random_plan(struct bp_plan *plan) {
    size_t i;
    for (i = 0; i < bp_plan_schema.count; i++) {
        if (bp_plan_schema.fields[i].kind != BP_NOTE) {
            bp_plan_set(plan, &bp_plan_schema.fields[i], any_value(&bp_plan_schema.fields[i]));
        }
    }
}

static void check_ignored(struct bp_model model) {
    struct ready_case ready;
    struct bp_train_step_in in = setup(model, 64, 512, 4096);
    const struct bp_train_case *site = make_ready(&ready, &in);
    int n, kind;
    size_t i;
    for (n = 0; n < 200; n++) {
        struct bp_plan plan = in.plan;
        random_plan(&plan);
        for (kind = 0; kind < BP_PART_COUNT; kind++) {
            for (i = 0; i < bp_plan_schema.count; i++) {
                const struct bp_field *varied = &bp_plan_schema.fields[i];
                if (varied->kind != BP_NOTE && bp_part_ignores((enum bp_part)kind, varied)) {
                    assert_ignored(site, &plan, (enum bp_part)kind, varied);
                }
            }
        }
    }
}

static void test_parts_ignore_what_they_say(void **state) {
    struct bp_model windowed = llama_model(), deep = moe_model();
    windowed.window_layers = windowed.layers / 2;
    windowed.sliding_window = 1024;
    deep.mtp_layers = 2;
    (void)state;
    check_ignored(gpt_model());
    check_ignored(moe_model());
    check_ignored(windowed);
    check_ignored(deep);
}

/* Who reads a field is what its line says. */
static void test_lines_say_what_reads_them(void **state) {
    (void)state;
    assert_true(bp_part_ignores(BP_PART_KEPT, field("zero")));
    assert_false(bp_part_ignores(BP_PART_KEPT, field("recompute")));
    assert_false(bp_part_ignores(BP_PART_TRAFFIC, field("tp")));
    assert_true(bp_part_ignores(BP_PART_TRAFFIC, field("overlap_tp")));
    assert_true(bp_memory_ignores(field("overlap_dp")));
    assert_false(bp_memory_ignores(field("dp")));
}

/* A judge that estimates every plan once more with the kernel, and compares all outputs. */
static enum bp_judgement compare(void *data, struct bp_candidate *c) {
    uint64_t *seen = data;
    struct bp_train_step_in in = f.in;
    struct bp_train_step_out out;
    struct bp_error err;
    bp_space_decode(&f.space, c->index, &in.plan);
    assert_int_equal(bp_train_step(&in, &out, &err), BP_OK);
    assert_memory_equal(&out.plan, &c->plan, sizeof out.plan);
    assert_memory_equal(&out.memory, &c->memory, sizeof out.memory);
    assert_memory_equal(&out.time, &c->time, sizeof out.time);
    ++*seen;
    return BP_JUDGE_KEEP;
}

static void run_with(struct bp_memo *with) {
    struct bp_walk walk;
    struct bp_error err;
    bp_walk_init(&walk, &f.space);
    if (with) {
        bp_memo_init(with, &walk);
    }
    bp_found_init(&f.found, &f.rooms, -INFINITY);
    assert_int_equal(bp_search_run(&f.search, with, 0, f.space.size, &f.found, &err), BP_OK);
    bp_topk_sort(&f.found.topk);
}

static void assert_same_bits(void) {
    struct bp_topk_entry room[TOP];
    struct bp_found found;
    uint64_t seen = 0;
    f.search.judge = compare;
    f.search.judge_data = &seen;
    run_with(&memo);
    assert_int_equal(seen, f.found.feasible);
    assert_true(seen > 1000);
    f.search.judge = NULL;
    found = f.found;
    memcpy(room, f.room, sizeof room);
    run_with(NULL);
    assert_memory_equal(&found.tally, &f.found.tally, sizeof found.tally);
    assert_int_equal(found.duplicates, f.found.duplicates);
    assert_memory_equal(room, f.room, sizeof room);
}

static void test_dense_space(void **state) {
    (void)state;
    set_up();
    vary_usual();
    VARY("schedule", BP_SCHEDULE_1F1B, BP_SCHEDULE_ZB_H1);
    VARY("sequence_parallel", 0, 1);
    VARY("recompute_share", 1, 0.5);
    VARY("overlap_dp", 0, 1);
    VARY("overlap_tp", 0, 1);
    VARY("split", BP_SPLIT_LAYERS, BP_SPLIT_WORK);
    VARY("first_layers", 0, 4, 6);
    VARY("last_layers", 0, 2);
    VARY("grad_bytes", 2, 4);
    assert_same_bits();
}

/* Derived fields that vary, given and to be derived; widths that make dp. */
static void test_derived_fields(void **state) {
    (void)state;
    set_up();
    f.in.device.memory_bytes = 300000000000;
    VARY("tp", 1, 2, 4, 8);
    VARY("pp", 1, 2, 4);
    VARY("cp", 1, 2);
    VARY("dp", 0, 1, 2, 4);
    VARY("zero", 0, 1, 2, 3);
    VARY("shard", 0, 1, 2, 4);
    VARY("micro_batch", 1, 2, 4);
    VARY("flash", 0, 1);
    VARY("optimizer", BP_OPTIMIZER_ADAM, BP_OPTIMIZER_MUON, BP_OPTIMIZER_PAGED_ADAM_8BIT);
    VARY("offload", BP_OFFLOAD_NONE, BP_OFFLOAD_OPTIMIZER);
    assert_same_bits();
}

static void test_expert_space(void **state) {
    struct bp_error err;
    (void)state;
    set_up();
    f.in.model.experts = 8;
    f.in.model.topk = 2;
    f.in.model.dense_layers = 0;
    f.in.model.moe_ffn = 0;
    assert_int_equal(bp_model_resolve(&f.in.model, &err), BP_OK);
    count_model();
    f.in.device.memory_bytes = 200000000000;
    f.in.device.fp8_flop_s = 624e12;
    VARY("tp", 1, 2, 4);
    VARY("pp", 1, 2, 4);
    VARY("ep", 1, 2, 4, 8);
    VARY("etp", 1, 2);
    VARY("zero", 1, 3);
    VARY("recompute", BP_RECOMPUTE_NONE, BP_RECOMPUTE_SELECTIVE, BP_RECOMPUTE_FULL);
    VARY("micro_batch", 1, 2);
    VARY("precision", BP_PRECISION_BF16, BP_PRECISION_FP8);
    VARY("overlap_ep", 0, 1);
    VARY("lora_rank", 0, 16);
    VARY("quantized_params", 0, 1);
    assert_same_bits();
}

/* More different parts than are kept: some are made again, none are mixed up. */
static void test_more_parts_than_room(void **state) {
    double micro[64], shares[24];
    int i;
    (void)state;
    set_up();
    f.in.device.memory_bytes = 900000000000;
    f.in.job.global_batch = 720720 * 16;
    for (i = 0; i < 24; i++) {
        shares[i] = (i + 1) / 24.0;
    }
    for (i = 0; i < 16; i++) {
        micro[i] = i + 1;
    }
    VARY("tp", 1, 2, 4, 8, 16);
    VARY("pp", 1, 2);
    vary("micro_batch", micro, 16);
    VARY("recompute", BP_RECOMPUTE_SELECTIVE, BP_RECOMPUTE_FULL);
    vary("recompute_share", shares, 24);
    VARY("zero", 0, 3);
    VARY("overlap_tp", 0, 1);
    assert_same_bits();
}

/* Cut anywhere and walked in pieces with one memo. */
static void test_pieces(void **state) {
    struct bp_topk_entry room[TOP];
    struct bp_found found;
    struct bp_walk walk;
    struct bp_error err;
    uint64_t begin;
    (void)state;
    set_up();
    vary_usual();
    VARY("overlap_tp", 0, 1);
    VARY("overlap_dp", 0, 1);
    run_with(&memo);
    found = f.found;
    memcpy(room, f.room, sizeof room);
    bp_walk_init(&walk, &f.space);
    bp_memo_init(&memo, &walk);
    bp_found_init(&f.found, &f.rooms, -INFINITY);
    for (begin = 0; begin < f.space.size; begin += 13) {
        uint64_t end = begin + 13 < f.space.size ? begin + 13 : f.space.size;
        assert_int_equal(bp_search_run(&f.search, &memo, begin, end, &f.found, &err), BP_OK);
    }
    bp_topk_sort(&f.found.topk);
    assert_memory_equal(&found.tally, &f.found.tally, sizeof found.tally);
    assert_int_equal(found.duplicates, f.found.duplicates);
    assert_int_equal(found.evaluated, f.found.evaluated);
    assert_memory_equal(room, f.room, sizeof room);
}

/* Every position is one index, whatever the steps. */
static void test_walk_is_a_permutation(void **state) {
    struct bp_walk walk, sought;
    static char seen[4096];
    uint64_t position = 0;
    (void)state;
    set_up();
    vary_usual();
    memset(seen, 0, sizeof seen);
    bp_walk_init(&walk, &f.space);
    assert_true(f.space.size <= sizeof seen);
    bp_walk_init(&sought, &f.space);
    do {
        struct bp_plan plan;
        assert_int_equal(walk.position, position);
        bp_space_decode(&f.space, walk.index, &plan);
        assert_memory_equal(&plan, &walk.plan, sizeof plan);
        assert_int_equal(seen[walk.index], 0);
        seen[walk.index] = 1;
        bp_walk_seek(&sought, position);
        assert_int_equal(sought.index, walk.index);
        position++;
        bp_walk_next(&walk, walk.count);
    } while (walk.position < walk.size);
    assert_int_equal(position, f.space.size);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_ignore_what_they_say),
        cmocka_unit_test(test_lines_say_what_reads_them),
        cmocka_unit_test(test_dense_space),
        cmocka_unit_test(test_derived_fields),
        cmocka_unit_test(test_expert_space),
        cmocka_unit_test(test_more_parts_than_room),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_walk_is_a_permutation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
