#include <math.h>
#include <string.h>

#include "kernel/count/activations.h"
#include "kernel/count/adapters.h"
#include "kernel/train/train_parts.h"

/*
** Everything is in seconds that one device spends on one micro-batch of one stage, until the end
** multiplies by micro-batches.
*/
struct pass {
    struct bp_work forward, backward;
    double weight, hidden; /* hidden: by running beside another micro-batch */
};

/*
** Backward launches about 1.6 times the kernels of forward (dgrad, wgrad, accumulation): assumption,
** counted from the operations of a layer.
*/
#define HOST_BACKWARD 1.6

/*
** Launches of an adapter forward (dropout, casts, two matmuls, scale, sum) over those of a layer, some sixty, whose
** host_layer_s is: counted. In one kernel each there are two matmuls.
*/
#define HOST_ADAPTER 0.1
#define HOST_FUSED_ADAPTER 0.03

/*
** Embedding, last norm, head and loss take the host as long as a layer does: assumption, some forty small
** kernels for a loss over a split vocabulary. Nothing of them is recomputed.
*/
#define HOST_HEAD 1.0

/*
** Exchange of key/value blocks runs beside the attention of the previous block (ring attention); share
** that can hide it: assumption.
*/
#define CP_WINDOW 0.9

/*
** Of backward's matmuls, those that make the gradient of what goes into a tensor-parallel region: half of those of its
** first matrices, which have 7 of the 12 h^2 weights of a GPT layer.
*/
#define INPUT_GRADIENTS (0.5 * 7 / 12)

/* Least share of that exchange that shows: overlap is never whole (assumption). */
#define CP_EXPOSED 0.1

static struct bp_work of_pass(const struct bp_pass_time *t) {
    struct bp_work w = {0};
    w.matmul = t->matmul;
    w.attention = t->attention;
    w.elementwise = t->elementwise;
    return w;
}

/* Traffic of modules that the plan names. That of experts runs beside nothing: it is needed in the middle of backward. */
static double traffic_again(const struct bp_train_case *c, const struct bp_layer_comm *comm) {
    const struct bp_plan *p = c->plan;
    double tp = p->recompute_mlp ? comm->tp_mlp : 0;
    tp += p->recompute_moe || p->recompute_shared ? comm->tp_shared : 0;
    return bp_tp_shown(c) * tp + (p->recompute_moe ? comm->ep_forward : 0);
}

/*
** PyTorch's policy by operation keeps what reduce-scatters give, and gathers again what goes into the matmuls
** (torchtitan's list of saved operations, recalled): half of the traffic between tensor-parallel regions.
*/
static double gathers_again(const struct bp_train_case *c, const struct bp_layer_comm *comm) {
    int again = c->profile->selective == BP_SELECTIVE_POLICY && c->plan->sequence_parallel;
    return again ? 0.5 * bp_tp_shown(c) * comm->tp_forward : 0;
}

/* Forward work that backward does again, with its traffic. Modules count where not all of a layer does. */
static double recomputed(const struct bp_train_case *c, const struct bp_work *forward,
                         const struct bp_compute_time *t, const struct bp_layer_comm *comm) {
    double share = c->plan->recompute_share, modules = t->modules + traffic_again(c, comm);
    switch ((enum bp_recompute)c->plan->recompute) {
    case BP_RECOMPUTE_FULL:
        return share * (bp_work_total(forward) - forward->zero3) +
               (1 - share) * (modules + t->up_proj);
    case BP_RECOMPUTE_SELECTIVE: /* of MLA, that is the up-projection itself */
        return share * t->selective + gathers_again(c, comm) + modules +
               (bp_case_remakes_heads(c) ? 1 - share : 1) * t->up_proj;
    case BP_RECOMPUTE_NONE:
        break;
    }
    return modules + t->up_proj;
}

/* Compute of a pass, without what it does again. */
static double computing(const struct bp_work *w) {
    return w->matmul + w->attention + w->elementwise;
}

/*
** Share of expert traffic that shows. The forward of a micro-batch and the backward of another are at work together, and
** traffic of either runs beside compute of both (arXiv:2412.19437, section 3.2.1), but not beside attention that
** key/value blocks are exchanged under.
*/
static double expert_traffic_shown(const struct bp_train_case *c, const struct bp_layer_comm *comm,
                                   const struct pass *p) {
    double all = comm->ep_forward + comm->ep_backward;
    double exchanged = comm->cp_forward - p->forward.cp + comm->cp_backward - p->backward.cp;
    double window = fmax(0, computing(&p->forward) + computing(&p->backward) - exchanged);
    return all > 0 ? bp_ep_shown(c, all, window) / all : 1;
}

/* Weights are gathered before each pass that needs them, gradients scattered behind the backward. */
static void add_zero3(const struct bp_train_case *c, double forward, double backward,
                      struct pass *p) {
    double share = c->plan->overlap_dp ? BP_FSDP_WINDOW : 0;
    double least = c->plan->overlap_dp ? c->profile->exposed_fsdp : 1;
    p->forward.zero3 = bp_exposed(forward, share * bp_work_total(&p->forward), least);
    p->backward.zero3 = bp_exposed(backward, share * bp_work_total(&p->backward), least);
}

/* Gradients of adapters are too small to count in every layer. */
static double reduced(const struct bp_train_case *c, const struct bp_shard_comm *shard) {
    return c->plan->lora_rank > 0 ? 0 : bp_trained_share(c) * shard->reduce;
}

/* Gradients that every micro-batch adds to their sums. */
static void add_sums(const struct bp_train_case *c, double params, struct pass *p) {
    double sum_s = bp_sum_time(c, params);
    p->backward.elementwise += sum_s;
    p->weight += sum_s;
}

/* Attention hides what goes round, and waits for heads that are dealt and for keys that are gathered. */
static double context_shown(const struct bp_train_case *c, double exchange, double attention) {
    int waits = bp_case_deals_heads(c) || c->profile->context == BP_CONTEXT_REPEATED;
    return waits ? exchange : bp_exposed(exchange, CP_WINDOW * attention, CP_EXPOSED);
}

/* A layer of whose expert traffic a share shows: it is shared out as the traffic is. */
static void show_traffic(const struct bp_train_case *c, const struct bp_compute_time *t,
                         const struct bp_layer_comm *comm, const struct bp_shard_comm *shard,
                         double shown, struct pass *p) {
    p->forward.ep = shown * comm->ep_forward;
    p->backward.ep = shown * comm->ep_backward;
    p->backward.recompute = recomputed(c, &p->forward, t, comm);
    add_zero3(c, shard->gather, shard->gather + reduced(c, shard), p);
}

static double pass_total(const struct pass *p) {
    return bp_work_total(&p->forward) + bp_work_total(&p->backward);
}

/*
** Under sequence parallelism a rank keeps its part of what goes into a region, and gathers all of it again for the
** gradients of the weights, beside the matmul of the input's own gradient (arXiv:2205.05198, section 4.2.2): what of
** the gathers is longer than that shows.
*/
static double inputs_again(const struct bp_train_case *c, const struct bp_layer_comm *comm,
                           const struct pass *p) {
    int kept = !c->plan->sequence_parallel || c->profile->whole_inputs;
    double gathers = 0.5 * bp_tp_shown(c) * comm->tp_forward;
    return kept ? 0 : fmax(0, gathers - INPUT_GRADIENTS * p->backward.matmul);
}

/* A layer with so many parameters on the device. */
static struct pass layer_pass(const struct bp_train_case *c, struct bp_compute_time t,
                              struct bp_layer_comm comm, double dense, double expert) {
    struct bp_shard_comm shard = bp_shard_comm(c, dense, expert);
    struct pass p = {of_pass(&t.forward), of_pass(&t.backward), t.weight, 0};
    struct pass alone;
    double shown;
    p.forward.tp = bp_tp_shown(c) * comm.tp_forward;
    p.backward.tp = bp_tp_shown_backward(c) * comm.tp_backward + inputs_again(c, &comm, &p);
    p.forward.cp = context_shown(c, comm.cp_forward, t.forward.attention);
    p.backward.cp = context_shown(c, comm.cp_backward, t.backward.attention);
    shown = expert_traffic_shown(c, &comm, &p);
    add_sums(c, dense + expert, &p);
    alone = p;
    show_traffic(c, &t, &comm, &shard, shown, &p);
    /* Gathers of weights run under traffic that shows: alone a micro-batch loses less than all that hides. */
    if (shown < 1) {
        show_traffic(c, &t, &comm, &shard, 1, &alone);
        p.hidden = fmax(0, pass_total(&alone) - pass_total(&p));
    }
    return p;
}

/*
** Under ZeRO-3 the head stays gathered from the end of forward to the start of backward, and the
** embedding's backward needs no weights: one gather of both.
*/
static struct pass head_pass(const struct bp_train_case *c, const struct bp_part_compute *compute) {
    struct bp_compute_time t = compute->head;
    struct bp_case_ends ends = bp_case_ends(c);
    double tables = ends.head + (c->plan->pp == 1 ? ends.embedding : 0);
    struct bp_shard_comm shard = bp_shard_comm(c, tables, 0);
    struct pass p = {of_pass(&t.forward), of_pass(&t.backward), t.weight, 0};
    add_sums(c, tables, &p);
    add_zero3(c, shard.gather, reduced(c, &shard), &p);
    return p;
}

/* A wait for the host that compiled programs do not have. */
static double of_host(const struct bp_train_case *c, double time_s) {
    return c->profile->launches == BP_LAUNCHES_EAGER ? time_s : 0;
}

/* Launches of a layer's adapters, over those of the layer. */
static double adapter_launches(const struct bp_train_case *c) {
    int fused = c->profile->adapters == BP_ADAPTERS_FUSED;
    if (c->plan->lora_rank == 0) {
        return 0;
    }
    return (fused ? HOST_FUSED_ADAPTER : HOST_ADAPTER) * bp_adapted(c, bp_mean_layer(c)).matrices;
}

/* Where adapters of queries and values leave the keys out of an output that is one tensor. */
static double padding(const struct bp_train_case *c) {
    const struct bp_plan *plan = c->plan;
    int some = plan->lora_rank > 0 && plan->lora_targets == BP_LORA_TARGETS_QV;
    return some && c->profile->fused_qkv ? c->profile->host_pad_s : 0;
}

/* Host time to launch the mean layer forward. */
static double host_layer(const struct bp_train_case *c) {
    const struct bp_profile *p = c->profile;
    double gather_s = c->plan->zero == 3 && c->plan->shard > 1 ? p->host_gather_s : 0;
    return of_host(c, gather_s + padding(c) +
                          p->host_layer_s *
                              (1 + (c->plan->tp > 1 ? p->host_tp : 0) + adapter_launches(c)));
}

/* What the collectives of a layer add in a pipeline. Without tensor parallelism there are none. */
static double host_collectives(const struct bp_train_case *c) {
    const struct bp_profile *p = c->profile;
    int waits = p->pipe_collectives == BP_PIPE_COLLECTIVES_WAITED;
    int some = waits && c->plan->pp > 1 && c->plan->tp > 1;
    return some ? of_host(c, p->host_layer_s) * p->common.host_pipe * (double)c->plan->tp : 0;
}

/* What a stage is put together from. */
struct stack {
    struct pass layer, mtp, head;
    struct pass encoder;                      /* all of it, on the first stage */
    double host_s, collectives_s;             /* of the host, for a layer forward */
    double encoder_forward, encoder_backward; /* layers that the host launches */
};

/* What does not learn runs forward only. */
static void clear_backward(struct pass *p) {
    memset(&p->backward, 0, sizeof p->backward);
    p->weight = 0;
}

static void add_passes(struct pass *sum, const struct pass *p, double times) {
    bp_work_add(&sum->forward, &p->forward, times);
    bp_work_add(&sum->backward, &p->backward, times);
    sum->weight += times * p->weight;
}

static struct pass encoder_pass(const struct bp_encoder_case *e, const struct bp_layer *list,
                                struct bp_layer_comm comm, double params, int trains) {
    struct pass p = layer_pass(&e->c, bp_layer_time(&e->c, list), comm, params, 0);
    if (!trains) {
        clear_backward(&p);
    }
    return p;
}

static void make_encoder(const struct bp_train_case *c, struct stack *s) {
    static const struct bp_layer_comm none;
    const struct bp_layer *list;
    struct pass layer, front, projector;
    struct bp_encoder_case e;
    if (!bp_encoder_case(c, &e)) {
        return;
    }
    list = &e.lists.layers.stack;
    layer = encoder_pass(&e, list, bp_layer_comm(&e.c, list), bp_case_params(&e.c).layer_dense,
                         e.trains);
    front = encoder_pass(&e, &e.lists.front, none, 0, e.trains);
    projector = encoder_pass(&e, &e.lists.projector, none,
                             (double)c->params->projector / (double)c->plan->tp, e.learns);
    s->encoder_forward = list->layers;
    s->encoder_backward = e.trains ? list->layers : 0;
    add_passes(&s->encoder, &layer, e.scale * list->layers);
    add_passes(&s->encoder, &front, e.scale);
    add_passes(&s->encoder, &projector, e.scale);
}

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
    make_encoder(c, &s);
    s.host_s = host_layer(c);
    s.collectives_s = host_collectives(c);
    return s;
}

static void add_pass(struct bp_stage_time *s, const struct pass *p, double times) {
    bp_work_add(&s->forward, &p->forward, times);
    bp_work_add(&s->backward, &p->backward, times);
    s->weight += times * p->weight;
    s->hidden_ep += times * p->hidden;
}

/* The larger of two times, smoothed: their norm of power 2^doublings. */
static double larger(double a, double b, int doublings) {
    double most = fmax(a, b), r = most > 0 ? fmin(a, b) / most : 0;
    int i;
    for (i = 0; i < doublings; i++) {
        r *= r;
    }
    r += 1;
    for (i = 0; i < doublings; i++) {
        r = sqrt(r);
    }
    return most * r;
}

/*
** The device never runs faster than the host launches (a 4-norm of the two: launches run ahead of it, unevenly).
** Collectives between sends hold each layer up by themselves: what they take is a floor, and adds little to
** compute that is as long (an 8-norm: published steps of nanotron keep to the larger).
*/
static double host_wait(const struct stack *stack, double device_s, double layers) {
    double host_s = layers * stack->host_s, collectives_s = layers * stack->collectives_s;
    double busy_s = larger(device_s, host_s, 2);
    return (collectives_s > 0 ? larger(busy_s, host_s + collectives_s, 3) : busy_s) - device_s;
}

/*
** Experts without a fixed capacity: the host has to read how many tokens each gets before it launches
** their matmuls, so the device waits in the forward of every such layer, mean over all layers here.
*/
static double moe_wait(const struct bp_train_case *c) {
    int reads = c->profile->expert_counts == BP_EXPERT_COUNTS_READ;
    return reads ? of_host(c, c->profile->common.moe_wait_s) * (double)c->params->moe_layers /
                       (double)c->model->layers
                 : 0;
}

/*
** Seconds that a pass of so many layers waits for copies of its activations, which run beside it: they
** leave in forward, and are back before backward needs them.
*/
static double copy_wait(const struct bp_train_case *c, double layers, double pass_s) {
    struct bp_activations of;
    double bytes;
    if (!(c->plan->offload_activations > 0)) {
        return 0;
    }
    of = bp_activations(c);
    bytes = c->plan->offload_activations * layers * bp_activations_kept(c, &of, bp_mean_layer(c));
    return bytes > 0 ? fmax(0, bytes / bp_host_link(c) - pass_s) : 0;
}

/*
** Every predicted token beyond the next one takes a layer and a pass through the head; an encoder is on the
** first stage.
*/
static struct bp_stage_time make_stage(const struct bp_train_case *c, const struct stack *stack,
                                       double layers, int64_t stage) {
    const struct bp_profile *p = c->profile;
    double again = c->plan->recompute == BP_RECOMPUTE_FULL ? c->plan->recompute_share : 0;
    double experts_again = c->plan->recompute_moe ? 1 : again;
    double moe_wait_s = moe_wait(c);
    int first = stage == 0, last = stage == c->plan->pp - 1;
    double encoder_forward = first ? stack->encoder_forward : 0;
    double encoder_backward = first ? stack->encoder_backward : 0;
    double handover_s = c->plan->pp > 1 ? of_host(c, p->host_micro_s) : 0;
    double mtp = last ? (double)c->model->mtp_layers : 0;
    double heads = last && bp_case_head_width(c) > 0 ? HOST_HEAD * (1 + mtp) : 0;
    double forward_s, backward_s, waits_s;
    struct bp_stage_time s;
    memset(&s, 0, sizeof s);
    add_pass(&s, &stack->layer, layers);
    if (mtp > 0) {
        add_pass(&s, &stack->mtp, mtp);
    }
    if (last) {
        add_pass(&s, &stack->head, 1 + mtp);
    }
    if (first && encoder_forward > 0) {
        add_pass(&s, &stack->encoder, 1);
    }
    layers += mtp;
    forward_s = bp_work_total(&s.forward);
    backward_s = bp_work_total(&s.backward);
    s.host_forward = host_wait(stack, forward_s, layers + heads + encoder_forward) +
                     layers * moe_wait_s + handover_s;
    waits_s =
        host_wait(stack, backward_s,
                  (layers + encoder_backward) * (HOST_BACKWARD + again) + heads * HOST_BACKWARD);
    s.host_backward = waits_s + experts_again * layers * moe_wait_s + handover_s;
    s.weight += waits_s + s.backward.zero3;
    if (c->plan->offload_activations > 0) {
        s.copy_forward = copy_wait(c, layers, forward_s + s.host_forward);
        s.copy_backward = copy_wait(c, layers, backward_s + s.host_backward);
        s.weight += s.copy_backward; /* copies come back beside what is put off */
    }
    s.f = forward_s + s.host_forward + s.copy_forward;
    s.b = backward_s + s.host_backward + s.copy_backward;
    return s;
}

struct bp_stage_time bp_stage_time(const struct bp_train_case *c,
                                   const struct bp_part_compute *compute,
                                   const struct bp_part_traffic *traffic, int64_t stage) {
    struct stack stack = make_stack(c, compute, traffic);
    return make_stage(c, &stack, (double)bp_case_stage_layers(c, stage), stage);
}

/* Neighbours mostly have as many layers; the first has the encoder, the last the head. */
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
            stage = make_stage(c, &stack, (double)layers, i);
            made = i == 0 && stack.encoder_forward > 0 ? -1 : layers;
        }
        f += stage.f;
        b += stage.b;
        w += stage.weight;
        if (stage.f + stage.b > pipe.slowest.f + pipe.slowest.b) {
            pipe.slowest = stage;
            pipe.slowest_at = i;
        }
    }
    if (pp > 1) {
        pipe.mean_f = (f - pipe.slowest.f) / (double)(pp - 1);
        pipe.mean_b = (b - pipe.slowest.b) / (double)(pp - 1);
        pipe.mean_w = (w - pipe.slowest.weight) / (double)(pp - 1);
    }
    return pipe;
}
