/* The whole estimate: what has to hold for every plan, and what is refused. */
#include "cases.h"

/*
** A few hundred plans on 64 devices: every model, and every combination of the axes below that
** bp_plan_check accepts.
*/
enum { MODELS = 4, TPS = 3, PPS = 3, BATCHES = 2, ZEROS = 4, RECOMPUTES = 3 };
enum { PLANS = MODELS * TPS * PPS * BATCHES * ZEROS * RECOMPUTES };

static struct bp_model model_number(int i) {
    switch (i) {
    case 0:
        return gpt_model();
    case 1:
        return llama_model();
    case 2:
        return moe_model();
    default:
        return vit_model();
    }
}

static int digit(int *index, int base) {
    int d = *index % base;
    *index /= base;
    return d;
}

/* The plan of that number; returns 0 when the model does not allow it. */
static int plan_number(int index, struct bp_train_step_in *in) {
    static const int64_t tps[TPS] = {1, 4, 8}, pps[PPS] = {1, 4, 8};
    int model = digit(&index, MODELS);
    struct bp_train_step_out out;
    *in = setup(model_number(model), 64, 512, model == 3 ? 256 : 4096);
    in->plan.tp = tps[digit(&index, TPS)];
    in->plan.pp = pps[digit(&index, PPS)];
    in->plan.micro_batch = 1 + digit(&index, BATCHES);
    in->plan.zero = digit(&index, ZEROS);
    in->plan.recompute = digit(&index, RECOMPUTES);
    in->plan.vpp = in->plan.pp == 4 && in->plan.zero == 1 ? 2 : 1;
    in->plan.flash = in->plan.recompute != BP_RECOMPUTE_SELECTIVE;
    in->plan.ep = model == 2 ? 8 : 1;
    return bp_train_step(in, &out, NULL) == BP_OK;
}

static void for_each_plan(void (*check)(const struct bp_train_step_in *in,
                                        const struct bp_train_step_out *out)) {
    int i, seen = 0;
    for (i = 0; i < PLANS; i++) {
        struct bp_train_step_in in;
        if (plan_number(i, &in)) {
            struct bp_train_step_out out = estimate(&in);
            check(&in, &out);
            seen++;
        }
    }
    assert_true(seen > 500);
}

/* Rounding of sums: what is never to happen may happen by this much. */
static const double SLACK = 1e-9;

static void assert_no_more(double a, double b, const struct bp_train_step_in *in) {
    if (!(a <= b * (1 + SLACK))) {
        const struct bp_plan *p = &in->plan;
        print_error("%.17g > %.17g for %d layers, tp %d pp %d vpp %d zero %d recompute %d mbs %d\n",
                    a, b, (int)in->model.layers, (int)p->tp, (int)p->pp, (int)p->vpp, (int)p->zero,
                    p->recompute, (int)p->micro_batch);
        fail();
    }
}

static void parts_add_up(const struct bp_train_step_in *in, const struct bp_train_step_out *out) {
    const struct bp_train_time *t = &out->time;
    const struct bp_train_memory *m = &out->memory;
    double s = t->matmul_s + t->attention_s + t->elementwise_s + t->recompute_s + t->host_s +
               t->tp_s + t->cp_s + t->ep_s + t->pp_s + t->bubble_s + t->dp_s + t->optimizer_s +
               t->offload_s + t->straggler_s;
    assert_near(t->step_s, s, 1e-12);
    assert_int_equal(m->total_bytes, m->weights_bytes + m->gradients_bytes + m->optimizer_bytes +
                                         m->activations_bytes + m->working_bytes + m->logits_bytes +
                                         m->overhead_bytes);
    assert_int_equal(out->fits, m->total_bytes <= m->capacity_bytes);
    assert_int_equal(t->bound == BP_BOUND_MEMORY, !out->fits);
    assert_int_equal(out->plan.dp * in->plan.tp * in->plan.pp, 64);
    assert_int_equal(out->plan.shard, out->plan.dp);
}

/* Every number of a result by its descriptor: finite and not negative. */
static void assert_sane(const struct bp_schema *schema, const void *s) {
    size_t i;
    for (i = 0; i < schema->count; i++) {
        const struct bp_field *f = &schema->fields[i];
        const void *at = (const char *)s + f->offset;
        if (f->kind == BP_NUM) {
            assert_true(isfinite(*(const double *)at) && *(const double *)at >= 0);
        } else if (f->kind == BP_INT) {
            assert_true(*(const int64_t *)at >= 0);
        } else if (f->kind == BP_STRUCT) {
            assert_sane(f->sub, at);
        }
    }
}

static void numbers_are_sane(const struct bp_train_step_in *in,
                             const struct bp_train_step_out *out) {
    assert_sane(&bp_train_step_out_schema, out);
    if (out->plan.lora_rank == 0) {
        assert_no_more(out->time.mfu_frac, out->time.hfu_frac, in);
    }
    assert_no_more(out->time.hfu_frac, 1, in);
    assert_no_more(out->time.bubble_frac, 1, in);
    assert_no_more(out->memory.fit_probability, 1, in);
    assert_no_more((double)out->memory.in_flight, (double)out->time.micro_batches, in);
}

/* Twice as fast in one respect is never slower. */
static void faster_is_never_slower(const struct bp_train_step_in *in,
                                   const struct bp_train_step_out *out) {
    struct bp_train_step_in better = *in;
    better.device.mem_bw_bytes_s *= 2;
    assert_no_more(estimate(&better).time.step_s, out->time.step_s, in);
    better = *in;
    better.device.bf16_flop_s *= 1.1;
    assert_no_more(estimate(&better).time.step_s, out->time.step_s, in);
    better.device.bf16_flop_s *= 10;
    assert_no_more(estimate(&better).time.step_s, out->time.step_s, in);
    better = *in;
    better.network.scaleup.bw_bytes_s *= 2;
    assert_no_more(estimate(&better).time.step_s, out->time.step_s, in);
    better = *in;
    better.network.scaleout.bw_bytes_s *= 2;
    assert_no_more(estimate(&better).time.step_s, out->time.step_s, in);
    better = *in;
    better.device.tdp_w *= 2;
    assert_no_more(estimate(&better).time.step_s, out->time.step_s, in);
    better = *in;
    better.profile.host_layer_s /= 2;
    assert_no_more(estimate(&better).time.step_s, out->time.step_s, in);
}

/* In steps of 1 % from a tenth to ten times the peak: through the region where power limits it. */
static void test_peak_in_small_steps(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 8, 1, 8, 64, 4096);
    double last = INFINITY, factor;
    (void)state;
    for (factor = 0.1; factor < 10; factor *= 1.01) {
        double step;
        in.device.bf16_flop_s = factor * 1e15;
        step = estimate(&in).time.step_s;
        assert_no_more(step, last, &in);
        last = step;
    }
}

/* More memory fits what fitted, with at least the same chance, in the same time. */
static void more_memory_never_hurts(const struct bp_train_step_in *in,
                                    const struct bp_train_step_out *out) {
    struct bp_train_step_in better = *in;
    struct bp_train_step_out more;
    better.device.memory_bytes *= 2;
    more = estimate(&better);
    assert_true(more.fits >= out->fits);
    assert_no_more(out->memory.fit_probability, more.memory.fit_probability, in);
    assert_int_equal(more.memory.total_bytes, out->memory.total_bytes);
    assert_near(more.time.step_s, out->time.step_s, 0);
    better.device.memory_bytes = out->memory.total_bytes;
    assert_true(estimate(&better).fits); /* to the byte */
    better.device.memory_bytes--;
    assert_false(estimate(&better).fits);
}

static void recomputing_saves_memory_for_time(const struct bp_train_step_in *in,
                                              const struct bp_train_step_out *out) {
    struct bp_train_step_in again = *in;
    struct bp_train_step_out none, selective, full;
    (void)out;
    again.plan.recompute = BP_RECOMPUTE_NONE;
    none = estimate(&again);
    again.plan.recompute = BP_RECOMPUTE_SELECTIVE;
    selective = estimate(&again);
    again.plan.recompute = BP_RECOMPUTE_FULL;
    full = estimate(&again);
    assert_no_more((double)selective.memory.total_bytes, (double)none.memory.total_bytes, in);
    assert_no_more((double)full.memory.total_bytes, (double)selective.memory.total_bytes, in);
    assert_no_more(none.time.step_s, selective.time.step_s, in);
    assert_no_more(selective.time.step_s, full.time.step_s, in);
    assert_no_more(full.time.mfu_frac, none.time.mfu_frac, in);
    assert_near(full.time.model_flop, none.time.model_flop, 0);
    again.plan.recompute_share = 0; /* of no layer: as none */
    assert_near(estimate(&again).time.step_s, none.time.step_s, 1e-12);
    assert_int_equal(estimate(&again).memory.total_bytes, none.memory.total_bytes);
}

static double state_bytes(const struct bp_train_step_in *in) {
    struct bp_train_memory m = estimate(in).memory;
    return (double)(m.weights_bytes + m.gradients_bytes + m.optimizer_bytes);
}

/* Of the stage that is fullest without activations: the same one for every ZeRO stage. */
static void zero_shrinks_states(const struct bp_train_step_in *in,
                                const struct bp_train_step_out *out) {
    struct bp_train_step_in next = *in;
    if (in->plan.zero == 3 || out->plan.pp > 1) {
        return;
    }
    next.plan.zero++;
    assert_no_more(state_bytes(&next), state_bytes(in), in);
    assert_int_equal(estimate(&next).memory.activations_bytes, out->memory.activations_bytes);
}

static void sequence_parallel_saves_memory(const struct bp_train_step_in *in,
                                           const struct bp_train_step_out *out) {
    struct bp_train_step_in whole = *in;
    whole.plan.sequence_parallel = 0;
    assert_no_more((double)out->memory.total_bytes, (double)estimate(&whole).memory.total_bytes,
                   in);
}

/* Never less memory in all; of activations, as long as the same stage is the fullest. */
static void larger_micro_batches_keep_more(const struct bp_train_step_in *in,
                                           const struct bp_train_step_out *out) {
    struct bp_train_step_in larger = *in;
    struct bp_train_step_out next;
    larger.plan.micro_batch *= 2;
    if (bp_train_step(&larger, &next, NULL) != BP_OK) {
        return;
    }
    assert_no_more((double)out->memory.total_bytes, (double)next.memory.total_bytes, in);
    assert_int_equal(next.time.micro_batches * 2, out->time.micro_batches);
    if (next.memory.stage == out->memory.stage) {
        assert_no_more((double)out->memory.activations_bytes, (double)next.memory.activations_bytes,
                       in);
    }
}

static void wider_experts_hold_fewer(const struct bp_train_step_in *in,
                                     const struct bp_train_step_out *out) {
    struct bp_train_step_in wider = *in;
    struct bp_train_step_out next;
    wider.plan.ep *= 2;
    if (in->model.experts > 0 && in->plan.zero < 3 && bp_train_step(&wider, &next, NULL) == BP_OK) {
        assert_true(next.memory.weights_bytes < out->memory.weights_bytes);
        assert_no_more((double)next.memory.total_bytes, (double)out->memory.total_bytes, in);
    }
}

/* The same batch in more micro-batches through the same pipeline wastes a smaller share. */
static void more_micro_batches_shrink_the_bubble(const struct bp_train_step_in *in,
                                                 const struct bp_train_step_out *out) {
    struct bp_train_step_in more = *in;
    more.job.global_batch *= 4;
    assert_no_more(estimate(&more).time.bubble_frac, out->time.bubble_frac, in);
    assert_true(out->plan.pp == 1 ? out->time.bubble_s == 0 : out->time.bubble_s > 0);
    assert_no_more(out->time.step_s, estimate(&more).time.step_s, in);
}

#define PROPERTY(name)                                                                             \
    static void test_##name(void **state) {                                                        \
        (void)state;                                                                               \
        for_each_plan(name);                                                                       \
    }
PROPERTY(parts_add_up)
PROPERTY(numbers_are_sane)
PROPERTY(faster_is_never_slower)
PROPERTY(more_memory_never_hurts)
PROPERTY(recomputing_saves_memory_for_time)
PROPERTY(zero_shrinks_states)
PROPERTY(sequence_parallel_saves_memory)
PROPERTY(larger_micro_batches_keep_more)
PROPERTY(wider_experts_hold_fewer)
PROPERTY(more_micro_batches_shrink_the_bubble)

/* Twice the capacity again and again: the chance rises from next to none to certainty. */
static void test_fit_probability_rises(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 8, 1, 8, 64, 4096);
    double last = 0;
    int64_t bytes;
    (void)state;
    for (bytes = 1000000000; bytes < 1000000000000; bytes += bytes / 8) {
        double chance;
        in.device.memory_bytes = bytes;
        chance = estimate(&in).memory.fit_probability;
        assert_true(chance >= last);
        last = chance;
    }
    assert_near(last, 1, 1e-9);
    in.device.memory_bytes = 1000000000;
    assert_true(estimate(&in).memory.fit_probability < 1e-9);
}

/* Bad inputs: an error with its field, and no answer. */
static void expect_error(const struct bp_train_step_in *in, int code, const char *field,
                         const char *text) {
    struct bp_train_step_out out;
    struct bp_error err = {0};
    assert_int_equal(bp_train_step(in, &out, &err), code);
    assert_string_equal(err.field, field);
    assert_string_equal(err.text, text);
}

static void test_bad_input(void **state) {
    const struct bp_train_step_in good = spread(llama_model(), 8, 1, 8, 64, 4096);
    struct bp_train_step_in in = good;
    (void)state;
    in.model.kv_heads = 7;
    expect_error(&in, BP_EDOMAIN, "model.kv_heads", "7 does not divide 64 attention heads");
    in = good;
    in.plan.dp = 7;
    expect_error(&in, BP_EPLAN, "plan.dp",
                 "tp 8 * pp 1 * cp 1 * dp 7 = 56 devices, the cluster has 64");
    in = good;
    in.plan.precision = BP_PRECISION_NVFP4;
    expect_error(&in, BP_EDOMAIN, "plan.precision", "the device has no nvfp4 arithmetic");
    in = good;
    in.network.scaleup.bw_bytes_s = 0;
    expect_error(&in, BP_EDOMAIN, "network.scaleup.bw_bytes_s",
                 "is 0, but 8 devices share a domain");
    in = good;
    in.network.scaleout.bw_bytes_s = 0;
    expect_error(&in, BP_EDOMAIN, "network.scaleout.bw_bytes_s",
                 "is 0, but 64 devices exceed one domain of 8");
    in = good;
    in.model.extra_params = (int64_t)1 << 53;
    expect_error(&in, BP_EOVERFLOW, "model", "has more parameters than can be counted");
}

/* What does not fit is an answer, not an error. */
static void test_too_large_is_an_answer(void **state) {
    struct bp_train_step_in in = spread(llama_model(), 1, 1, 8, 8, 4096);
    struct bp_train_step_out out = estimate(&in);
    (void)state;
    assert_false(out.fits);
    assert_int_equal(out.time.bound, BP_BOUND_MEMORY);
    assert_true(out.time.step_s > 0 && out.memory.total_bytes > out.memory.capacity_bytes);
}

/* The caller's structs stay as they are; the resolved plan is part of the answer. */
static void test_input_is_not_touched(void **state) {
    struct bp_train_step_in in = spread(moe_model(), 8, 1, 0, 64, 4096), before;
    (void)state;
    in.network.devices = 64;
    memcpy(&before, &in, sizeof in);
    assert_int_equal(estimate(&in).plan.dp, 8);
    assert_memory_equal(&in, &before, sizeof in);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_add_up),
        cmocka_unit_test(test_numbers_are_sane),
        cmocka_unit_test(test_faster_is_never_slower),
        cmocka_unit_test(test_peak_in_small_steps),
        cmocka_unit_test(test_more_memory_never_hurts),
        cmocka_unit_test(test_recomputing_saves_memory_for_time),
        cmocka_unit_test(test_zero_shrinks_states),
        cmocka_unit_test(test_sequence_parallel_saves_memory),
        cmocka_unit_test(test_larger_micro_batches_keep_more),
        cmocka_unit_test(test_wider_experts_hold_fewer),
        cmocka_unit_test(test_more_micro_batches_shrink_the_bubble),
        cmocka_unit_test(test_fit_probability_rises),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_too_large_is_an_answer),
        cmocka_unit_test(test_input_is_not_touched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
