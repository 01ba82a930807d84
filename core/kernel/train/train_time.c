#include <math.h>
#include <string.h>

#include "kernel/count/adapters.h"
#include "kernel/count/flops.h"
#include "kernel/train/train_parts.h"

/* Under interleaving sends run beside compute (Megatron-LM overlaps them); this share still shows: (assumption). */
#define INTERLEAVED_SEND 0.25

/*
** Seconds of one direction beside which traffic of the parameters may run. Under interleaving a stage works on
** a chunk for a group of micro-batches at a time, so all chunks but one are done with their gradients (have time for
** their weights) while the others compute, and each starts its own traffic (Megatron Core, schedules.py).
*/
static double sync_window(const struct bp_plan *plan, double m, double pass_s) {
    double v = (double)plan->vpp;
    double group = bp_schedule_group((enum bp_schedule)plan->schedule, (double)plan->pp, m, v);
    return v > 1 ? group * (v - 1) / v * pass_s : pass_s;
}

/*
** Under ZeRO-3 each layer's gradients go on to the other replicas once its shards are summed. On a stream of
** their own (PyTorch's HSDP) they hide under the last backward as well as the sums before them.
*/
static double replica_time(const struct bp_train_case *c, const struct bp_part_pipe *pipe,
                           const struct bp_part_sync *sync) {
    const struct bp_profile *p = c->profile;
    int beside = c->plan->overlap_dp && p->replica_sum == BP_REPLICA_SUM_BESIDE_BACKWARD;
    return bp_exposed(sync->replicas, beside ? BP_FSDP_WINDOW * pipe->slowest.b : 0,
                      beside ? p->exposed_fsdp : 1);
}

/*
** Gradient traffic hides under the last backward, parameter traffic under the first forward. Where
** gradients are sharded (ZeRO-2), no micro-batch can leave a whole gradient behind: each reduces.
*/
static double data_time(const struct bp_train_case *c, double m, const struct bp_part_pipe *pipe,
                        const struct bp_part_sync *sync) {
    const struct bp_profile *p = c->profile;
    double share = c->plan->overlap_dp ? p->common.overlap_dp : 0;
    double least = c->plan->overlap_dp ? p->exposed_dp : 1;
    double forward = p->weight_gather == BP_WEIGHT_GATHER_FORWARD ? share : 0;
    double window = share * sync_window(c->plan, m, pipe->slowest.b);
    int each = c->plan->zero == 2 && c->plan->pp == 1; /* a pipeline cannot: it accumulates */
    double earlier = each ? m - 1 : 0;
    if (c->plan->zero == 3) {
        return replica_time(c, pipe, sync);
    }
    return earlier * bp_exposed(sync->data.gradients, window, least) +
           bp_exposed(sync->data.gradients + sync->replicas, window, least) +
           bp_exposed(sync->data.parameters, forward * sync_window(c->plan, m, pipe->slowest.f),
                      least);
}

struct bp_part_send bp_part_send(const struct bp_train_case *c) {
    struct bp_part_send send = {bp_stage_send(c)};
    return send;
}

double bp_sends_shown(const struct bp_train_case *c, const struct bp_part_send *send) {
    double v = (double)c->plan->vpp;
    return 2 * v * send->send_s * (v > 1 ? INTERLEAVED_SEND : 1);
}

/* Of a schedule with a closed form: even stages, with the sends of the first and the last micro-batch. */
static double bubble_time(const struct bp_train_case *c, const struct bp_part_pipe *pipe, double m,
                          double send_s) {
    double p = (double)c->plan->pp, v = (double)c->plan->vpp;
    return bp_bubble_time((enum bp_schedule)c->plan->schedule, p, m, v, pipe->mean_f, pipe->mean_b,
                          pipe->mean_w) +
           (p - 1) / v * send_s;
}

/* What a simulated pipeline takes beyond the work of its slowest stage and the sends. */
static double simulated_bubble(const struct bp_train_case *c, const struct bp_part_pipe *pipe,
                               double m, double send_s) {
    return fmax(0, c->simulated->makespan_s - m * (pipe->slowest.f + pipe->slowest.b + send_s));
}

/*
** Paged moments come for the update, and go again. Where parameters are updated as soon as backward has their
** gradients, they do so under the rest of it (an assumption; torchtune's and bitsandbytes' steps show no more).
*/
static double paging_time(const struct bp_train_case *c, const struct bp_work *backward, double m) {
    double moved = 2 * bp_paged_away(c) / bp_host_link(c);
    double computing =
        backward->matmul + backward->attention + backward->elementwise + backward->recompute;
    return c->plan->update_in_backward ? fmax(0, moved - m * computing) : moved;
}

/*
** What would hide beside another micro-batch, of those that have none: those that fill the pipeline and drain it, of
** which a device sees as many as there are stages.
*/
static double unpaired_expert_traffic(const struct bp_train_case *c, const struct bp_stage_time *s,
                                      double m) {
    return fmin(m, (double)c->plan->pp) * s->hidden_ep;
}

static void fill_parts(const struct bp_train_case *c, const struct bp_train_parts *parts, double m,
                       struct bp_train_time *out) {
    const struct bp_stage_time *s = &parts->pipe->slowest;
    struct bp_work sum = {0};
    bp_work_add(&sum, &s->forward, m);
    bp_work_add(&sum, &s->backward, m);
    out->matmul_s = sum.matmul;
    out->attention_s = sum.attention;
    out->elementwise_s = sum.elementwise;
    out->recompute_s = sum.recompute;
    out->tp_s = sum.tp;
    out->cp_s = sum.cp;
    out->ep_s = sum.ep + unpaired_expert_traffic(c, s, m);
    out->dp_s = sum.zero3;
    out->host_s = m * (s->host_forward + s->host_backward) + c->profile->host_step_s;
    out->offload_s = m * (s->copy_forward + s->copy_backward) +
                     bp_offload_time(c, parts->offloaded, m, s->b) +
                     paging_time(c, &s->backward, m);
    out->slowest_stage = parts->pipe->slowest_at;
}

struct bp_part_site bp_part_site(const struct bp_train_case *c) {
    double nodes = ceil((double)c->network->devices / (double)c->network->node_size);
    double seq_len = (double)c->job->seq_len;
    struct bp_part_site site = {bp_flops_matmul(c->params, c->layers, seq_len),
                                bp_flops_attention(c->model, c->layers, bp_case_document(c), 0),
                                bp_flops_encoder(c->model, seq_len), log2(fmax(1, nodes))};
    return site;
}

struct bp_part_compute bp_part_compute(const struct bp_train_case *c) {
    struct bp_part_compute compute;
    memset(&compute, 0, sizeof compute);
    compute.layer = bp_layer_time(c, &c->layers->stack);
    if (c->model->mtp_layers > 0) {
        compute.mtp = bp_mtp_time(c);
    }
    compute.head = bp_head_time(c);
    return compute;
}

struct bp_part_traffic bp_part_traffic(const struct bp_train_case *c) {
    struct bp_part_traffic traffic;
    memset(&traffic, 0, sizeof traffic);
    traffic.layer = bp_layer_comm(c, &c->layers->stack);
    if (c->model->mtp_layers > 0) {
        traffic.mtp = bp_layer_comm(c, &c->layers->mtp);
    }
    return traffic;
}

static enum bp_bound bound_of(const struct bp_train_time *t) {
    double parts[] = {0,
                      t->matmul_s + t->attention_s + t->recompute_s,
                      t->elementwise_s + t->optimizer_s,
                      t->tp_s + t->cp_s + t->ep_s + t->pp_s + t->dp_s,
                      t->bubble_s,
                      t->host_s,
                      t->offload_s};
    int i, largest = 0;
    for (i = 1; i < (int)(sizeof parts / sizeof *parts); i++) {
        largest = parts[i] > parts[largest] ? i : largest;
    }
    return (enum bp_bound)largest;
}

/* Weights of matmuls from one role up to another that multiply a token. */
static double list_weights(const struct bp_layer *list, enum bp_role first, enum bp_role last) {
    double sum = 0;
    int i;
    for (i = 0; i < list->matmuls; i++) {
        const struct bp_op_matmul *op = &list->matmul[i];
        if (op->role >= first && op->role <= last) {
            sum += op->count * op->in * op->out * (op->experts > 0 ? op->topk : 1);
        }
    }
    return sum;
}

static double role_weights(const struct bp_train_case *c, enum bp_role first, enum bp_role last) {
    return list_weights(&c->layers->stack, first, last) +
           (double)c->model->mtp_layers * list_weights(&c->layers->mtp, first, last);
}

/* FLOP per token that make MLA's queries, keys and values from their latents. */
static double up_flop(const struct bp_train_case *c) {
    return 2 * role_weights(c, BP_ROLE_HEADS, BP_ROLE_HEADS);
}

/* FLOP per token of the modules that modules_time in layer_time.c times, without the up-projection. */
static double modules_flop(const struct bp_train_case *c) {
    const struct bp_plan *p = c->plan;
    double sum = 0;
    if (p->recompute_mlp) {
        sum += role_weights(c, BP_ROLE_MLP, BP_ROLE_MLP);
    }
    if (p->recompute_moe) {
        sum += role_weights(c, BP_ROLE_ROUTER, BP_ROLE_LATENT);
    }
    if (p->recompute_moe || p->recompute_shared) {
        sum += role_weights(c, BP_ROLE_SHARED, BP_ROLE_SHARED);
    }
    return 2 * sum;
}

/* FLOP of the head, of all predicted tokens. */
static double head_flop(const struct bp_model *m) {
    double heads = m->lm_head ? 1 + (double)m->mtp_layers : 0;
    return heads * 2 * (double)(m->vocab * m->hidden);
}

/* FLOP per token of all adapters, forward. */
static double adapter_flop(const struct bp_train_case *c) {
    struct bp_layer_mix all = bp_mean_layer(c);
    double layers = (double)c->model->layers;
    all.layers *= layers;
    all.mlp *= layers;
    all.moe *= layers;
    return c->plan->lora_rank > 0 ? 2 * bp_adapter_params(c, all) * (double)c->plan->tp : 0;
}

/* FLOP done again: everything but the head under full recomputation, the layers of a trained encoder as well. */
static double recomputed_flop(const struct bp_train_case *c, const struct bp_part_site *site) {
    double share = c->plan->recompute_share;
    double matmul = site->matmul_flop - head_flop(c->model) + adapter_flop(c);
    double modules = bp_plan_remakes(c->plan) ? modules_flop(c) : 0;
    double up = c->plan->recompute_up_proj ? up_flop(c) : 0;
    if (c->plan->recompute == BP_RECOMPUTE_FULL) {
        double encoder = 0.5 * (site->encoder.model - site->encoder.forward);
        return share * (matmul + site->attention_flop + (bp_is_frozen(c->plan) ? 0 : encoder)) +
               (1 - share) * (modules + up);
    }
    if (c->plan->recompute == BP_RECOMPUTE_SELECTIVE) {
        int heads = bp_case_remakes_heads(c);
        double again = heads ? up_flop(c) : site->attention_flop;
        double others = bp_profile_selective_mlp(c->profile) * matmul;
        return share * (again + others) + modules + (heads ? 1 - share : 1) * up;
    }
    return modules + up;
}

/* FLOP that training all weights would need, less those of adapters: no gradient of frozen weights, none of an encoder. */
static double left_out_flop(const struct bp_train_case *c, const struct bp_part_site *site) {
    double encoder = site->encoder.model - site->encoder.forward;
    double head = head_flop(c->model), layers = site->matmul_flop - head;
    if (!bp_is_frozen(c->plan)) {
        return 0;
    }
    return (1 - bp_trained_share(c)) * layers + (bp_are_ends_frozen(c->plan) ? head : 0) + encoder -
           3 * adapter_flop(c);
}

static void fill_rates(const struct bp_train_case *c, const struct bp_part_site *site,
                       struct bp_train_time *out) {
    double tokens = (double)c->job->global_batch * (double)c->job->seq_len;
    double devices = (double)c->network->devices;
    double peak = bp_device_peak(c->device, bp_case_dtype(c->plan)) * devices;
    out->tokens_per_s = tokens / out->step_s;
    out->tokens_per_s_device = out->tokens_per_s / devices;
    out->model_flop = tokens * (3 * (site->matmul_flop + site->attention_flop) +
                                site->encoder.model - left_out_flop(c, site));
    out->hardware_flop = out->model_flop + tokens * recomputed_flop(c, site);
    out->mfu_frac = out->model_flop / out->step_s / peak;
    out->hfu_frac = out->hardware_flop / out->step_s / peak;
}

int bp_train_time_of(const struct bp_train_case *c, const struct bp_train_parts *parts,
                     struct bp_train_time *out, struct bp_error *err) {
    const struct bp_part_pipe *pipe = parts->pipe;
    double m = parts->flight->micro_batches;
    double send_s = bp_sends_shown(c, parts->send), step;
    memset(out, 0, sizeof *out);
    out->micro_batches = (int64_t)m;
    fill_parts(c, parts, m, out);
    out->pp_s = m * send_s;
    out->bubble_s =
        c->simulated ? simulated_bubble(c, pipe, m, send_s) : bubble_time(c, pipe, m, send_s);
    out->dp_s += data_time(c, m, pipe, parts->sync);
    out->optimizer_s = parts->sync->optimizer_s;
    step = out->matmul_s + out->attention_s + out->elementwise_s + out->recompute_s + out->host_s +
           out->tp_s + out->cp_s + out->ep_s + out->pp_s + out->bubble_s + out->dp_s +
           out->optimizer_s + out->offload_s;
    out->straggler_s = step * c->profile->common.straggler * parts->site->doublings;
    out->step_s = step + out->straggler_s;
    if (!isfinite(out->step_s) || out->step_s <= 0) {
        return bp_fail(err, BP_EDOMAIN, "plan",
                       "step time is not finite: check the rates of device and network");
    }
    out->bubble_frac =
        out->bubble_s / (out->bubble_s + m * (pipe->slowest.f + pipe->slowest.b) + out->pp_s);
    out->bound = bound_of(out);
    fill_rates(c, parts->site, out);
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
    double least_tp = 1 - c->profile->common.overlap_tp;
    double tp_forward = tp_hides ? least_tp : bp_tp_shown(c);
    double tp_backward = tp_hides ? least_tp : bp_tp_shown_backward(c);
    double ep = bp_ep_least(c, ep_hides || c->plan->overlap_ep);
    struct bp_least_work least;
    least.layer_s = pass_s(&compute->layer.forward) + pass_s(&compute->layer.backward) +
                    tp_forward * comm->tp_forward + tp_backward * comm->tp_backward +
                    ep * (comm->ep_forward + comm->ep_backward);
    least.head_s = pass_s(&compute->head.forward) + pass_s(&compute->head.backward);
    return least;
}

double bp_least_step(const struct bp_train_case *c, const struct bp_part_site *site,
                     const struct bp_least_work *work) {
    const struct bp_plan *plan = c->plan;
    double m = (double)bp_case_micro_batches(c), p = (double)plan->pp;
    double all = (double)c->model->layers * work->layer_s + work->head_s;
    double waits = bp_schedule_facts((enum bp_schedule)plan->schedule)->whole_passes
                       ? (p - 1) / (p * (double)plan->vpp)
                       : 0;
    return all * (m / p + waits) * (1 + c->profile->common.straggler * site->doublings);
}

int bp_train_time(const struct bp_train_case *c, struct bp_train_time *out, struct bp_error *err) {
    const struct bp_part_site site = bp_part_site(c);
    const struct bp_part_compute compute = bp_part_compute(c);
    const struct bp_part_traffic traffic = bp_part_traffic(c);
    const struct bp_part_pipe pipe = bp_part_pipe(c, &compute, &traffic);
    const struct bp_part_sync sync = bp_part_sync(c);
    const struct bp_part_send send = bp_part_send(c);
    const struct bp_part_flight flight = bp_part_flight(c);
    const struct bp_offloaded offloaded = bp_offloaded(c);
    struct bp_train_parts parts = {&site, &compute, &traffic, &pipe, &sync,
                                   &send, &flight,  NULL,     NULL,  &offloaded};
    return bp_train_time_of(c, &parts, out, err);
}
