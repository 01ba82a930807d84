/* Which plans a model, a network and a job allow, and in which words the others are refused. */
#include "cases.h"

static void test_derived_fields(void **state) {
    struct bp_train_step_in in = setup(llama_model(), 128, 512, 8192);
    (void)state;
    in.plan.tp = 8;
    in.plan.pp = 2;
    in.plan.cp = 2;
    bp_plan_resolve(&in.plan, &in.network);
    assert_int_equal(in.plan.dp, 4);    /* 128 / (8*2*2) */
    assert_int_equal(in.plan.shard, 8); /* dp * cp */
    in.plan.shard = 2;
    bp_plan_resolve(&in.plan, &in.network);
    assert_int_equal(in.plan.dp, 4);
    assert_int_equal(in.plan.shard, 2); /* given: kept */
    in.plan.dp = 0;
    in.plan.tp = 3;
    bp_plan_resolve(&in.plan, &in.network);
    assert_int_equal(in.plan.dp, 0); /* 12 does not divide 128: left for the check */
}

/* Axes, then what has to come out. job and devices 0 = the usual 64 devices, 256 x 4096. */
struct axes {
    int64_t first_layers, last_layers;
    int64_t devices, tp, pp, vpp, cp, dp, ep, etp, shard, micro_batch, batch, seq_len;
    int schedule;
};

struct refusal {
    const char *model;
    struct axes axes;
    enum bp_reject reject;
    const char *field, *text;
};

#define AXES                                                                                       \
    .devices = 64, .tp = 1, .pp = 1, .vpp = 1, .cp = 1, .ep = 1, .etp = 1, .micro_batch = 1,       \
    .batch = 256, .seq_len = 4096

/* clang-format off: one line for what differs from AXES, one for what is said about it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Winitializer-overrides"
#endif
static const struct refusal refusals[] = {
    {"llama",
     {AXES, .tp = 3},
     BP_REJECT_DEVICES,
     "plan.tp",
     "tp 3 * pp 1 * cp 1 does not divide 64 devices"},
    {"llama",
     {AXES, .tp = 2, .dp = 64},
     BP_REJECT_DEVICES,
     "plan.dp",
     "tp 2 * pp 1 * cp 1 * dp 64 = 128 devices, the cluster has 64"},
    {"llama",
     {AXES, .tp = 65536, .pp = 65536, .cp = 65536, .dp = 65536},
     BP_REJECT_DEVICES,
     "plan.dp",
     "tp 65536 * pp 65536 * cp 65536 * dp 65536 = 18446744073709551616 devices, "
     "the cluster has 64"},
    {"llama",
     {AXES, .devices = 96, .tp = 3, .batch = 32},
     BP_REJECT_HEADS,
     "plan.tp",
     "3 does not divide 64 attention heads"},
    {"gqa12",
     {AXES, .devices = 96, .tp = 8, .batch = 96},
     BP_REJECT_HEADS,
     "plan.tp",
     "8 and 12 key/value heads do not divide each other"},
    {"llama",
     {AXES, .vpp = 2},
     BP_REJECT_LAYERS,
     "plan.vpp",
     "virtual stages need a pipeline, and pp is 1"},
    {"llama",
     {AXES, .first_layers = 20},
     BP_REJECT_LAYERS,
     "plan.first_layers",
     "cuts a pipeline, and pp is 1"},
    {"llama",
     {AXES, .devices = 4, .pp = 4, .first_layers = 19, .last_layers = 20},
     BP_REJECT_LAYERS,
     "plan.first_layers",
     "leaves 41 of 80 layers to 2 stages of equal layers"},
    {"llama",
     {AXES, .devices = 2, .pp = 2, .first_layers = 40, .last_layers = 39},
     BP_REJECT_LAYERS,
     "plan.first_layers",
     "leaves 1 of 80 layers to 0 stages of equal layers"},
    {"llama",
     {AXES, .devices = 4, .pp = 4, .last_layers = 78},
     BP_REJECT_LAYERS,
     "plan.last_layers",
     "leaves 2 of 80 layers to 3 stages of equal layers"},
    {"llama",
     {AXES, .devices = 4, .pp = 4, .vpp = 2, .last_layers = 17},
     BP_REJECT_LAYERS,
     "plan.last_layers",
     "makes stages that vpp 2 does not divide"},
    {"llama",
     {AXES, .devices = 83, .pp = 83},
     BP_REJECT_LAYERS,
     "plan.pp",
     "pp 83 * vpp 1 = 83 chunks, more than 80 layers"},
    {"llama",
     {AXES, .pp = 16, .vpp = 6},
     BP_REJECT_LAYERS,
     "plan.vpp",
     "pp 16 * vpp 6 = 96 chunks, more than 80 layers"},
    {"llama",
     {AXES, .cp = 4, .seq_len = 4092},
     BP_REJECT_SEQUENCE,
     "plan.cp",
     "cp 4 (tp 1) does not cut a sequence of 4092 tokens"},
    {"llama",
     {AXES, .tp = 8, .seq_len = 4},
     BP_REJECT_SEQUENCE,
     "plan.cp",
     "cp 1 (tp 8) does not cut a sequence of 4 tokens"},
    {"moe", {AXES, .ep = 3}, BP_REJECT_EXPERTS, "plan.ep", "3 does not divide 256 experts"},
    {"moe",
     {AXES, .tp = 1, .pp = 8, .ep = 16},
     BP_REJECT_EXPERTS,
     "plan.ep",
     "ep 16 * etp 1 does not divide 8 ranks of a stage"},
    {"moe",
     {AXES, .pp = 8, .ep = 4, .etp = 4},
     BP_REJECT_EXPERTS,
     "plan.ep",
     "ep 4 * etp 4 does not divide 8 ranks of a stage"},
    {"llama",
     {AXES, .ep = 2},
     BP_REJECT_EXPERTS,
     "plan.ep",
     "expert parallelism, but the model has no experts"},
    {"llama",
     {AXES, .etp = 2},
     BP_REJECT_EXPERTS,
     "plan.etp",
     "expert parallelism, but the model has no experts"},
    {"llama",
     {AXES, .tp = 8, .shard = 3},
     BP_REJECT_SHARDING,
     "plan.shard",
     "3 does not divide dp * cp = 8"},
    {"llama",
     {AXES, .tp = 8, .cp = 2, .shard = 16},
     BP_REJECT_SHARDING,
     "plan.shard",
     "16 does not divide dp * cp = 8"},
    {"llama",
     {AXES, .tp = 8, .micro_batch = 3},
     BP_REJECT_BATCH,
     "plan.micro_batch",
     "dp 8 * micro_batch 3 = 24 does not divide the global batch 256"},
    {"llama",
     {AXES, .batch = 32},
     BP_REJECT_BATCH,
     "plan.micro_batch",
     "dp 64 * micro_batch 1 = 64 does not divide the global batch 32"},
    {"llama",
     {AXES, .tp = 8, .pp = 8, .vpp = 2, .schedule = BP_SCHEDULE_GPIPE},
     BP_REJECT_SCHEDULE,
     "plan.vpp",
     "must be 1 under gpipe, which does not interleave"},
    {"llama",
     {AXES, .tp = 8, .pp = 8, .schedule = BP_SCHEDULE_BREADTH_FIRST},
     BP_REJECT_SCHEDULE,
     "plan.vpp",
     "must be at least 2 under breadth_first, got 1"},
    {"llama",
     {AXES, .devices = 5, .pp = 5, .schedule = BP_SCHEDULE_DUALPIPE},
     BP_REJECT_SCHEDULE,
     "plan.pp",
     "dualpipe needs an even number of stages, got 5"},
    {"llama",
     {AXES, .tp = 8, .pp = 8, .batch = 14, .schedule = BP_SCHEDULE_DUALPIPE},
     BP_REJECT_SCHEDULE,
     "plan.schedule",
     "dualpipe needs an even number of micro-batches, at least 2 * pp = 16, got 14"},
    {"llama",
     {AXES, .tp = 8, .pp = 8, .batch = 17, .schedule = BP_SCHEDULE_DUALPIPE},
     BP_REJECT_SCHEDULE,
     "plan.schedule",
     "dualpipe needs an even number of micro-batches, at least 2 * pp = 16, got 17"},
};

/* At the border of what is refused above. */
static const struct refusal accepted[] = {
    {"llama", {AXES}, BP_REJECT_NONE, "", ""},
    {"llama", {AXES, .tp = 64}, BP_REJECT_NONE, "", ""}, /* 8 key/value heads, replicated */
    {"llama", {AXES, .devices = 82, .pp = 82}, BP_REJECT_NONE, "", ""}, /* ends without layers */
    {"llama", {AXES, .tp = 4, .pp = 16, .vpp = 5}, BP_REJECT_NONE, "", ""},
    {"llama", {AXES, .tp = 8, .pp = 8, .vpp = 2, .batch = 12}, BP_REJECT_NONE, "", ""},
    {"llama", {AXES, .tp = 8, .pp = 8, .vpp = 2, .batch = 4}, BP_REJECT_NONE, "", ""},
    {"llama", {AXES, .cp = 4, .seq_len = 4096}, BP_REJECT_NONE, "", ""},
    {"llama", {AXES, .tp = 8, .seq_len = 8}, BP_REJECT_NONE, "", ""},
    {"moe", {AXES, .ep = 64}, BP_REJECT_NONE, "", ""},
    {"moe", {AXES, .tp = 8, .ep = 64}, BP_REJECT_NONE, "", ""}, /* experts spread over tp too */
    {"moe", {AXES, .tp = 8, .ep = 8, .etp = 8}, BP_REJECT_NONE, "", ""},
    {"llama", {AXES, .tp = 8, .cp = 2, .shard = 8}, BP_REJECT_NONE, "", ""},
    {"llama", {AXES, .tp = 8, .micro_batch = 32}, BP_REJECT_NONE, "", ""},
    {"llama", {AXES, .tp = 8, .pp = 8, .vpp = 2, .batch = 16}, BP_REJECT_NONE, "", ""},
    {"llama",
     {AXES, .tp = 8, .pp = 8, .batch = 16, .schedule = BP_SCHEDULE_DUALPIPE},
     BP_REJECT_NONE,
     "",
     ""},
    {"llama", {AXES, .schedule = BP_SCHEDULE_DUALPIPE}, BP_REJECT_NONE, "", ""},
};
#pragma GCC diagnostic pop
/* clang-format on */

static struct bp_model model_of(const char *name) {
    struct bp_model m = strcmp(name, "moe") == 0 ? moe_model() : llama_model();
    struct bp_error err = {0};
    if (strcmp(name, "gqa12") == 0) {
        m.heads = 96;
        m.kv_heads = 12;
        m.head_dim = 128;
    }
    assert_int_equal(bp_model_resolve(&m, &err), BP_OK);
    return m;
}

static enum bp_reject judge(const struct refusal *r, struct bp_error *err) {
    const struct axes *a = &r->axes;
    struct bp_train_step_in in = setup(model_of(r->model), a->devices, a->batch, a->seq_len);
    struct bp_plan *p = &in.plan;
    p->tp = a->tp, p->pp = a->pp, p->vpp = a->vpp, p->cp = a->cp, p->dp = a->dp;
    p->first_layers = a->first_layers, p->last_layers = a->last_layers;
    p->ep = a->ep, p->etp = a->etp, p->shard = a->shard;
    p->micro_batch = a->micro_batch;
    p->schedule = a->schedule;
    bp_plan_resolve(p, &in.network);
    return bp_plan_check(&in.model, &in.network, p, &in.job, err);
}

static void test_every_refusal(void **state) {
    int seen[BP_REJECT_COUNT] = {0}, i;
    size_t k;
    (void)state;
    for (k = 0; k < sizeof refusals / sizeof *refusals; k++) {
        struct bp_error err = {0};
        assert_int_equal(judge(&refusals[k], &err), refusals[k].reject);
        assert_int_equal(err.code, BP_EPLAN);
        assert_string_equal(err.field, refusals[k].field);
        assert_string_equal(err.text, refusals[k].text);
        assert_int_equal(judge(&refusals[k], NULL), refusals[k].reject); /* text is optional */
        seen[refusals[k].reject] = 1;
    }
    /* Precision, memory and rules are judged later. */
    for (i = BP_REJECT_DEVICES; i <= BP_REJECT_SCHEDULE; i++) {
        assert_true(seen[i]);
    }
}

static void test_accepted(void **state) {
    size_t k;
    (void)state;
    for (k = 0; k < sizeof accepted / sizeof *accepted; k++) {
        struct bp_error err = {0};
        if (judge(&accepted[k], &err) != BP_REJECT_NONE) {
            print_error("plan %d refused: %s %s\n", (int)k, err.field, err.text);
            fail();
        }
    }
}

static void test_order_of_reasons(void **state) {
    struct refusal all = refusals[0];
    struct bp_error err = {0};
    (void)state;
    all.axes.vpp = 2;
    all.axes.ep = 7;
    all.axes.micro_batch = 1000;
    assert_int_equal(judge(&all, &err), BP_REJECT_DEVICES); /* the first reason is the one given */
    assert_string_equal(bp_reject_names[BP_REJECT_DEVICES], "devices");
    assert_null(bp_reject_names[BP_REJECT_COUNT]);
}

/* Formats of states that nothing keeps. */
static void test_states(void **state) {
    static const struct {
        int64_t master_bytes, lora_rank, base_bits;
        const char *field, *text;
    } table[] = {
        {4, 0, 16, "", ""},
        {0, 16, 16, "", ""},
        {4, 16, 4, "", ""},
        {4, 16, 8, "", ""},
        {2, 0, 16, "", ""},
        {3, 0, 16, "plan.master_bytes", "must be 0, 2 or 4, got 3"},
        {4, 16, 5, "plan.base_bits", "must be 16, 8, 4, 3 or 2, got 5"},
        {4, 0, 4, "plan.base_bits", "4 bits need adapters: lora_rank is 0"},
    };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof table / sizeof *table; i++) {
        struct bp_train_step_in in = spread(llama_model(), 8, 1, 1, 8, 4096);
        struct bp_error err = {0};
        assert_int_equal(bp_model_resolve(&in.model, &err), BP_OK);
        in.plan.master_bytes = table[i].master_bytes;
        in.plan.lora_rank = table[i].lora_rank;
        in.plan.base_bits = table[i].base_bits;
        bp_plan_resolve(&in.plan, &in.network);
        assert_int_equal(bp_plan_check(&in.model, &in.network, &in.plan, &in.job, &err),
                         *table[i].text ? BP_REJECT_PRECISION : BP_REJECT_NONE);
        assert_string_equal(err.field, table[i].field);
        assert_string_equal(err.text, table[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derived_fields), cmocka_unit_test(test_every_refusal),
        cmocka_unit_test(test_accepted),       cmocka_unit_test(test_order_of_reasons),
        cmocka_unit_test(test_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
