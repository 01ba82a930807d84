#include <math.h>
#include <string.h>

#include "flops.h"
#include "pipeline.h"
#include "train_parts.h"

/*
** Everything is in seconds that one device spends on one micro-batch of one stage, until the end
** multiplies by micro-batches.
*/
struct pass {
    struct bp_work forward, backward;
    double weight;
};

/*
** Backward launches about 1.6 times the kernels of forward (dgrad, wgrad, accumulation): assumption,
** counted from the operations of a layer.
*/
#define HOST_BACKWARD 1.6

/* Under interleaving sends run beside compute (Megatron-LM overlaps them); this share still shows: (assumption). */
#define INTERLEAVED_SEND 0.25

/*
** Exchange of key/value blocks runs beside the attention of the previous block (ring attention); share
** that can hide it: assumption.
*/
#define CP_WINDOW 0.9

static double total(const struct bp_work *w) {
    return w->matmul + w->attention + w->elementwise + w->recompute + w->tp + w->cp + w->ep +
           w->zero3;
}

static void add(struct bp_work *to, const struct bp_work *w, double times) {
    to->matmul += times * w->matmul;
    to->attention += times * w->attention;
    to->elementwise += times * w->elementwise;
    to->recompute += times * w->recompute;
    to->tp += times * w->tp;
    to->cp += times * w->cp;
    to->ep += times * w->ep;
    to->zero3 += times * w->zero3;
}

/* What shows of traffic that may run under `window` seconds, never less than the stated share. */
static double exposed(double comm, double window, double least) {
    return fmax(comm - window, least * comm);
}

static double tp_shown(const struct bp_train_case *c) {
    return c->plan->overlap_tp ? 1 - c->profile->overlap_tp : 1;
}

static double ep_shown(const struct bp_train_case *c) {
    return c->plan->overlap_ep ? 1 - c->profile->overlap_ep : 1;
}

static struct bp_work of_pass(const struct bp_pass_time *t) {
    struct bp_work w = {0};
    w.matmul = t->matmul;
    w.attention = t->attention;
    w.elementwise = t->elementwise;
    return w;
}

/* Forward work that backward does again, with its tensor-parallel traffic. */
static double recomputed(const struct bp_train_case *c, const struct bp_work *forward) {
    double share = c->plan->recompute_share;
    if (c->plan->recompute == BP_RECOMPUTE_FULL) {
        return share * (total(forward) - forward->zero3);
    }
    if (c->plan->recompute == BP_RECOMPUTE_SELECTIVE) {
        return share * (forward->attention + c->profile->selective_mlp * forward->matmul);
    }
    return 0;
}

/* Weights are gathered before each pass that needs them, gradients scattered behind the backward. */
static void add_zero3(const struct bp_train_case *c, double forward, double backward,
                      struct pass *p) {
    double share = c->plan->overlap_dp ? c->profile->overlap_fsdp : 0;
    double least = c->plan->overlap_dp ? c->profile->exposed_fsdp : 1;
    p->forward.zero3 = exposed(forward, share * total(&p->forward), least);
    p->backward.zero3 = exposed(backward, share * total(&p->backward), least);
}

/* Gradients of adapters are too small to count in every layer. */
static double reduced(const struct bp_train_case *c, const struct bp_shard_comm *shard) {
    return c->plan->lora_rank > 0 ? 0 : shard->reduce;
}

/* A layer with so many parameters on the device. */
static struct pass layer_pass(const struct bp_train_case *c, struct bp_compute_time t,
                              struct bp_layer_comm comm, double dense, double expert) {
    struct bp_shard_comm shard = bp_shard_comm(c, dense, expert);
    struct pass p = {of_pass(&t.forward), of_pass(&t.backward), t.weight};
    p.forward.tp = tp_shown(c) * comm.tp_forward;
    p.backward.tp = tp_shown(c) * comm.tp_backward;
    p.forward.ep = ep_shown(c) * comm.ep_forward;
    p.backward.ep = ep_shown(c) * comm.ep_backward;
    p.forward.cp =
        exposed(comm.cp_forward, CP_WINDOW * t.forward.attention, c->profile->exposed_cp);
    p.backward.cp =
        exposed(comm.cp_backward, CP_WINDOW * t.backward.attention, c->profile->exposed_cp);
    p.backward.recompute = recomputed(c, &p.forward);
    add_zero3(c, shard.gather, shard.gather + reduced(c, &shard), &p);
    return p;
}

/*
** Under ZeRO-3 the head stays gathered from the end of forward to the start of backward, and the
** embedding's backward needs no weights: one gather of both.
*/
static struct pass head_pass(const struct bp_train_case *c, const struct bp_part_compute *compute) {
    struct bp_compute_time t = compute->head;
    struct bp_case_params params = bp_case_params(c);
    double tables = params.head + (c->plan->pp == 1 ? params.embedding : 0);
    struct bp_shard_comm shard = bp_shard_comm(c, tables, 0);
    struct pass p = {of_pass(&t.forward), of_pass(&t.backward), t.weight};
    add_zero3(c, shard.gather, reduced(c, &shard), &p);
    return p;
}

/* What a stage is put together from. */
struct stack {
    struct pass layer, mtp, head;
};

static struct stack make_stack(const struct bp_train_case *c, const struct bp_part_compute *compute,
                               const struct bp_part_traffic *traffic) {
    struct bp_case_params p = bp_case_params(c);
    struct stack s;
    memset(&s, 0, sizeof s);
    s.layer = layer_pass(c, compute->layer, traffic->layer, p.layer_dense, p.layer_expert);
    if (c->model->mtp_layers > 0) {
        s.mtp = layer_pass(c, compute->mtp, traffic->mtp, p.mtp_dense, p.mtp_expert);
    }
    s.head = head_pass(c, compute);
    return s;
}

static void add_pass(struct bp_stage_time *s, const struct pass *p, double times) {
    add(&s->forward, &p->forward, times);
    add(&s->backward, &p->backward, times);
    s->weight += times * p->weight;
}

/* The device never runs faster than the host launches: a 4-norm of the two, minus the device. */
static double host_wait(double device_s, double host_s) {
    double r;
    if (host_s <= 0 || device_s <= 0) {
        return fmax(0, host_s);
    }
    r = host_s / device_s;
    r *= r;
    return device_s * (sqrt(sqrt(1 + r * r)) - 1);
}

/* Host time to launch the mean layer forward. */
static double host_layer(const struct bp_train_case *c) {
    const struct bp_profile *p = c->profile;
    double tp = (double)c->plan->tp, pipe = c->plan->pp > 1 ? p->host_pipe * tp : 0;
    return p->host_layer_s * (1 + p->host_tp * log2(tp) + pipe);
}

/*
** Experts without a fixed capacity: the host has to read how many tokens each gets before it launches
** their matmuls, so the device waits in the forward of every such layer, mean over all layers here.
*/
static double moe_wait(const struct bp_train_case *c) {
    return c->profile->moe_wait_s * (double)c->params->moe_layers / (double)c->model->layers;
}

/* Every predicted token beyond the next one takes a layer and a pass through the head. */
static struct bp_stage_time make_stage(const struct bp_train_case *c, const struct stack *stack,
                                       double layers, int last) {
    const struct bp_profile *p = c->profile;
    double again = c->plan->recompute == BP_RECOMPUTE_FULL ? c->plan->recompute_share : 0;
    double host_layer_s = host_layer(c), moe_wait_s = moe_wait(c);
    double handover_s = c->plan->pp > 1 ? p->host_micro_s : 0;
    double mtp = last ? (double)c->model->mtp_layers : 0;
    struct bp_stage_time s;
    memset(&s, 0, sizeof s);
    add_pass(&s, &stack->layer, layers);
    add_pass(&s, &stack->mtp, mtp);
    if (last) {
        add_pass(&s, &stack->head, 1 + mtp);
    }
    layers += mtp;
    s.host_forward =
        host_wait(total(&s.forward), layers * host_layer_s) + layers * moe_wait_s + handover_s;
    s.host_backward =
        host_wait(total(&s.backward), layers * host_layer_s * (HOST_BACKWARD + again)) +
        again * layers * moe_wait_s + handover_s;
    s.f = total(&s.forward) + s.host_forward;
    s.b = total(&s.backward) + s.host_backward;
    return s;
}

/* Neighbours mostly have as many layers; the last has the head. */
struct bp_part_pipe bp_part_pipe(const struct bp_train_case *c,
                                 const struct bp_part_compute *compute,
                                 const struct bp_part_traffic *traffic) {
    struct stack stack = make_stack(c, compute, traffic);
    int64_t pp = c->plan->pp, made = -1, i;
    struct bp_stage_time stage;
    double f = 0, b = 0, w = 0;
    struct bp_part_pipe pipe;
    memset(&pipe, 0, sizeof pipe);
    memset(&stage, 0, sizeof stage);
    for (i = 0; i < pp; i++) {
        int64_t layers = bp_case_stage_layers(c, i);
        if (layers != made || i == pp - 1) {
            stage = make_stage(c, &stack, (double)layers, i == pp - 1);
            made = layers;
        }
        f += stage.f;
        b += stage.b;
        w += stage.weight;
        if (stage.f + stage.b > pipe.slowest.f + pipe.slowest.b) {
            pipe.slowest = stage;
        }
    }
    if (pp > 1) {
        pipe.mean_f = (f - pipe.slowest.f) / (double)(pp - 1);
        pipe.mean_b = (b - pipe.slowest.b) / (double)(pp - 1);
        pipe.mean_w = (w - pipe.slowest.weight) / (double)(pp - 1);
    }
    return pipe;
}

/* Parameters of the fullest end stage: what data-parallel traffic and the optimizer handle. */
struct held {
    double dense, expert;
};

static struct held adapters(const struct bp_train_case *c) {
    struct held h = {bp_adapter_params(c, bp_stage_mix(c, c->plan->pp > 2 ? 1 : 0)), 0};
    return h;
}

static struct held held_by(const struct bp_train_case *c) {
    struct bp_case_params p = bp_case_params(c);
    int64_t pp = c->plan->pp;
    double first = (double)bp_case_stage_layers(c, 0);
    double middle = (double)bp_case_stage_layers(c, pp > 2 ? 1 : 0);
    double last = (double)bp_case_stage_layers(c, pp - 1), mtp = (double)c->model->mtp_layers;
    double first_dense = first * p.layer_dense + p.embedding;
    double last_dense = last * p.layer_dense + mtp * p.mtp_dense + p.head;
    struct held h;
    h.dense = pp > 1 ? fmax(fmax(first_dense, last_dense), middle * p.layer_dense)
                     : last_dense + p.embedding;
    h.expert =
        fmax(fmax(first, middle) * p.layer_expert, last * p.layer_expert + mtp * p.mtp_expert);
    return h;
}

/*
** Gradient traffic hides under the last backward, parameter traffic under the first forward. Where
** gradients are sharded (ZeRO-2), no micro-batch can leave a whole gradient behind: each reduces.
*/
static double data_time(const struct bp_train_case *c, const struct bp_part_pipe *pipe,
                        const struct bp_part_sync *sync) {
    const struct bp_profile *p = c->profile;
    double share = c->plan->overlap_dp ? p->overlap_dp : 0;
    double least = c->plan->overlap_dp ? p->exposed_dp : 1;
    double window = share * pipe->slowest.b;
    int each = c->plan->zero == 2 && c->plan->pp == 1; /* a pipeline cannot: it accumulates */
    double earlier = each ? (double)bp_case_micro_batches(c) - 1 : 0;
    if (c->plan->zero == 3) {
        return sync->replicas;
    }
    return earlier * exposed(sync->data.gradients, window, least) +
           exposed(sync->data.gradients + sync->replicas, window, least) +
           exposed(sync->data.parameters, share * p->overlap_weights * pipe->slowest.f, least);
}

static double optimizer_time(const struct bp_train_case *c, struct held held) {
    double shards = bp_case_shards(c->plan), expert_shards = bp_case_expert_shards(c->plan);
    double sharded = held.dense / shards + held.expert / expert_shards;
    double whole = held.dense + held.expert;
    return bp_optimizer_time(
        c, c->plan->zero >= 1 ? sharded : whole,
        c->plan->zero == 3 || (c->plan->zero == 2 && c->plan->pp == 1) ? sharded : whole);
}

struct bp_part_sync bp_part_sync(const struct bp_train_case *c) {
    struct held held = c->plan->lora_rank > 0 ? adapters(c) : held_by(c);
    struct bp_part_sync sync = {{0, 0}, 0, 0};
    if (c->plan->zero != 3) { /* its traffic belongs to the layers */
        sync.data = bp_data_comm(c, held.dense, held.expert);
    }
    sync.replicas = bp_replica_comm(c, held.dense, held.expert);
    sync.optimizer_s = optimizer_time(c, held);
    return sync;
}

struct bp_part_send bp_part_send(const struct bp_train_case *c) {
    struct bp_part_send send = {bp_stage_send(c)};
    return send;
}

static double send_time(const struct bp_train_case *c, const struct bp_part_send *send) {
    double v = (double)c->plan->vpp;
    return 2 * v * send->send_s * (v > 1 ? INTERLEAVED_SEND : 1);
}

static void fill_parts(const struct bp_train_case *c, const struct bp_part_pipe *pipe, double m,
                       struct bp_train_time *out) {
    const struct bp_stage_time *s = &pipe->slowest;
    struct bp_work sum = {0};
    add(&sum, &s->forward, m);
    add(&sum, &s->backward, m);
    out->matmul_s = sum.matmul;
    out->attention_s = sum.attention;
    out->elementwise_s = sum.elementwise;
    out->recompute_s = sum.recompute;
    out->tp_s = sum.tp;
    out->cp_s = sum.cp;
    out->ep_s = sum.ep;
    out->dp_s = sum.zero3;
    out->host_s = m * (s->host_forward + s->host_backward) + c->profile->host_step_s;
}

struct bp_part_site bp_part_site(const struct bp_train_case *c) {
    double nodes = ceil((double)c->network->devices / (double)c->network->node_size);
    struct bp_part_site site = {bp_flops_attention(c->model, (double)c->job->seq_len, 0),
                                log2(fmax(1, nodes))};
    return site;
}

struct bp_part_compute bp_part_compute(const struct bp_train_case *c) {
    struct bp_part_compute compute;
    memset(&compute, 0, sizeof compute);
    compute.layer = bp_layer_time(c, bp_case_mean_layer(c));
    if (c->model->mtp_layers > 0) {
        compute.mtp = bp_mtp_time(c);
    }
    compute.head = bp_head_time(c);
    return compute;
}

struct bp_part_traffic bp_part_traffic(const struct bp_train_case *c) {
    struct bp_part_traffic traffic;
    memset(&traffic, 0, sizeof traffic);
    traffic.layer = bp_layer_comm(c, bp_case_mean_layer(c));
    if (c->model->mtp_layers > 0) {
        traffic.mtp = bp_layer_comm(c, bp_case_mtp_layer(c));
    }
    return traffic;
}

static enum bp_bound bound_of(const struct bp_train_time *t) {
    double parts[] = {0,
                      t->matmul_s + t->attention_s + t->recompute_s,
                      t->elementwise_s + t->optimizer_s,
                      t->tp_s + t->cp_s + t->ep_s + t->pp_s + t->dp_s,
                      t->bubble_s,
                      t->host_s};
    int i, largest = 0;
    for (i = 1; i < (int)(sizeof parts / sizeof *parts); i++) {
        largest = parts[i] > parts[largest] ? i : largest;
    }
    return (enum bp_bound)largest;
}

/* FLOP done again: everything but the head under full recomputation, attention under selective. */
static double recomputed_flop(const struct bp_train_case *c, double matmul, double attention) {
    double share = c->plan->recompute_share;
    double heads = c->model->lm_head ? 1 + (double)c->model->mtp_layers : 0;
    double head = heads * 2 * (double)(c->model->vocab * c->model->hidden);
    if (c->plan->recompute == BP_RECOMPUTE_FULL) {
        return share * (matmul - head + attention);
    }
    if (c->plan->recompute == BP_RECOMPUTE_SELECTIVE) {
        return share * (attention + c->profile->selective_mlp * (matmul - head));
    }
    return 0;
}

static void fill_rates(const struct bp_train_case *c, double attention, struct bp_train_time *out) {
    double tokens = (double)c->job->global_batch * (double)c->job->seq_len;
    double devices = (double)c->network->devices;
    double matmul = 2 * (double)(c->params->matmul_params_active + c->params->mtp_matmul_active);
    double peak = bp_device_peak(c->device, bp_case_dtype(c->plan)) * devices;
    out->tokens_per_s = tokens / out->step_s;
    out->tokens_per_s_device = out->tokens_per_s / devices;
    out->model_flop = tokens * 3 * (matmul + attention);
    out->hardware_flop = out->model_flop + tokens * recomputed_flop(c, matmul, attention);
    out->mfu_frac = out->model_flop / out->step_s / peak;
    out->hfu_frac = out->hardware_flop / out->step_s / peak;
}

int bp_train_time_of(const struct bp_train_case *c, const struct bp_train_parts *parts,
                     struct bp_train_time *out, struct bp_error *err) {
    const struct bp_part_pipe *pipe = parts->pipe;
    double m = (double)bp_case_micro_batches(c), p = (double)c->plan->pp;
    double send_s = send_time(c, parts->send), step;
    memset(out, 0, sizeof *out);
    out->micro_batches = (int64_t)m;
    fill_parts(c, pipe, m, out);
    out->pp_s = m * send_s;
    out->bubble_s = bp_bubble_time((enum bp_schedule)c->plan->schedule, p, m, (double)c->plan->vpp,
                                   pipe->mean_f, pipe->mean_b, pipe->mean_w) +
                    (p - 1) / (double)c->plan->vpp * send_s;
    out->dp_s += data_time(c, pipe, parts->sync);
    out->optimizer_s = parts->sync->optimizer_s + bp_offload_time(c);
    step = out->matmul_s + out->attention_s + out->elementwise_s + out->recompute_s + out->host_s +
           out->tp_s + out->cp_s + out->ep_s + out->pp_s + out->bubble_s + out->dp_s +
           out->optimizer_s;
    out->straggler_s = step * c->profile->straggler * parts->site->doublings;
    out->step_s = step + out->straggler_s;
    if (!isfinite(out->step_s) || out->step_s <= 0) {
        return bp_fail(err, BP_EDOMAIN, "plan",
                       "step time is not finite: check the rates of device and network");
    }
    out->bubble_frac =
        out->bubble_s / (out->bubble_s + m * (pipe->slowest.f + pipe->slowest.b) + out->pp_s);
    out->bound = bound_of(out);
    fill_rates(c, parts->site->attention_flop, out);
    return BP_OK;
}

static double pass_s(const struct bp_pass_time *t) {
    return t->matmul + t->attention + t->elementwise;
}

struct bp_least_work bp_least_work(const struct bp_train_case *c,
                                   const struct bp_part_compute *compute,
                                   const struct bp_part_traffic *traffic, int tp_hides,
                                   int ep_hides) {
    const struct bp_layer_comm *comm = &traffic->layer;
    double tp = tp_hides ? 1 - c->profile->overlap_tp : tp_shown(c);
    double ep = ep_hides ? 1 - c->profile->overlap_ep : ep_shown(c);
    struct bp_least_work least;
    least.layer_s = pass_s(&compute->layer.forward) + pass_s(&compute->layer.backward) +
                    tp * (comm->tp_forward + comm->tp_backward) +
                    ep * (comm->ep_forward + comm->ep_backward);
    least.head_s = pass_s(&compute->head.forward) + pass_s(&compute->head.backward);
    return least;
}

double bp_least_step(const struct bp_train_case *c, const struct bp_part_site *site,
                     const struct bp_least_work *work) {
    const struct bp_plan *plan = c->plan;
    double m = (double)bp_case_micro_batches(c), p = (double)plan->pp;
    double all = (double)c->model->layers * work->layer_s + work->head_s;
    double waits = plan->schedule == BP_SCHEDULE_1F1B || plan->schedule == BP_SCHEDULE_GPIPE
                       ? (p - 1) / (p * (double)plan->vpp)
                       : 0;
    return all * (m / p + waits) * (1 + c->profile->straggler * site->doublings);
}

int bp_train_time(const struct bp_train_case *c, struct bp_train_time *out, struct bp_error *err) {
    const struct bp_part_site site = bp_part_site(c);
    const struct bp_part_compute compute = bp_part_compute(c);
    const struct bp_part_traffic traffic = bp_part_traffic(c);
    const struct bp_part_pipe pipe = bp_part_pipe(c, &compute, &traffic);
    const struct bp_part_sync sync = bp_part_sync(c);
    const struct bp_part_send send = bp_part_send(c);
    struct bp_train_parts parts = {&site, &compute, &traffic, &pipe, &sync, &send, NULL, NULL};
    return bp_train_time_of(c, &parts, out, err);
}
