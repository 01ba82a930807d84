#include "kernel/time/comm.h"

#include <math.h>

#include "kernel/time/collective.h"

struct group {
    double ranks, stride;
};

/* Ranks of one stage that are neighbours where pipeline stages lie inside data parallelism. */
static double stage_block(const struct bp_plan *plan) {
    return (double)(plan->tp * plan->cp > plan->ep * plan->etp ? plan->tp * plan->cp
                                                               : plan->ep * plan->etp);
}

static int pipeline_inside(const struct bp_plan *plan) {
    return plan->rank_order == BP_RANK_ORDER_PIPELINE_INSIDE;
}

/*
** Where other stages lie between, the ranks of a stage come in blocks. A group inside one block lies side
** by side; a block that fills a domain works like that too; shorter ones are taken as single ranks pp
** blocks apart. Blocks between neighbours of a group that reaches over so many data-parallel ranks:
*/
static double blocks_apart(const struct bp_train_case *c, double ranks) {
    const struct bp_plan *plan = c->plan;
    double block = stage_block(plan);
    int apart = pipeline_inside(plan) && block < (double)c->network->domain &&
                ranks * (double)plan->tp > block;
    return apart ? (double)plan->pp : 1;
}

static struct group dense_group(const struct bp_train_case *c) {
    double shards = bp_case_shards(c->plan);
    struct group g = {shards, (double)c->plan->tp * blocks_apart(c, shards)};
    return g;
}

static struct group replica_group(const struct bp_train_case *c) {
    double ranks = bp_case_data_ranks(c->plan), shards = bp_case_shards(c->plan);
    struct group g = {ranks / shards, (double)c->plan->tp * shards * blocks_apart(c, ranks)};
    return g;
}

/* Shards of the experts: what is left of the shard group once expert ranks have been taken out. */
static struct group expert_group(const struct bp_train_case *c) {
    const struct bp_plan *plan = c->plan;
    int64_t between = pipeline_inside(plan) ? plan->pp : 1;
    struct group g = {bp_case_expert_shards(plan), (double)(plan->ep * plan->etp * between)};
    return g;
}

static double over(const struct bp_train_case *c, enum bp_collective_op op, double bytes,
                   struct group g) {
    return bp_collective_time(c->network, op, bytes, g.ranks, g.stride);
}

/* What the next matmul waits for. */
static double waited(const struct bp_train_case *c, enum bp_collective_op op, double bytes,
                     struct group g) {
    return bp_collective_waited(c->network, op, bytes, g.ranks, g.stride);
}

static double stream_bytes(const struct bp_train_case *c) {
    return bp_case_tokens(c) * (double)c->model->hidden * bp_case_element_bytes(c->plan);
}

/*
** Gathers and scatters along the sequence of tensors whose first dimension is the batch: their parts come and go in
** other places, and a copy each, read and written, lays them out (torch.cat of chunks in PyTorch's functional
** collectives where the dimension is not the first; recalled).
*/
#define PART_COPIES 2.0

static double part_copies(const struct bp_train_case *c, double bytes) {
    return c->profile->tp_parts == BP_TP_PARTS_COPIED
               ? PART_COPIES * 2 * bytes /
                     (c->device->mem_bw_bytes_s * c->profile->common.elementwise)
               : 0;
}

/*
** One synchronisation between tensor-parallel regions: an all-reduce, or under sequence parallelism
** an all-gather before and a reduce-scatter after the region.
*/
static double tp_sync(const struct bp_train_case *c) {
    struct group g = {(double)c->plan->tp, 1};
    double bytes = stream_bytes(c);
    if (!c->plan->sequence_parallel) {
        return waited(c, BP_COLLECTIVE_OP_ALL_REDUCE, bytes, g);
    }
    return waited(c, BP_COLLECTIVE_OP_ALL_GATHER, bytes, g) +
           waited(c, BP_COLLECTIVE_OP_REDUCE_SCATTER, bytes, g) + part_copies(c, bytes);
}

/* Keys and values of one kind of attention go round, the block of one rank at a time. */
static double cp_ring(const struct bp_train_case *c, const struct bp_op_attention *op) {
    const struct bp_attention_shape s = bp_case_attention(c, op);
    double cp = (double)c->plan->cp;
    double heads = c->profile->context == BP_CONTEXT_REPEATED ? s.heads : s.kv_heads;
    double block =
        bp_case_tokens(c) * heads * (s.qk_dim + s.v_dim) * bp_case_element_bytes(c->plan);
    double hop =
        bp_collective_time(c->network, BP_COLLECTIVE_OP_SEND_RECV, block, cp, (double)c->plan->tp);
    return (cp - 1) * hop;
}

/*
** Each rank gets the whole sequence of its share of the heads, and gives the outputs of its part back: four
** exchanges of all with all (DeepSpeed-Ulysses, arXiv:2309.14509, section 3.1).
*/
static double cp_deal(const struct bp_train_case *c, const struct bp_op_attention *op) {
    const struct bp_attention_shape s = bp_case_attention(c, op);
    struct group g = {(double)c->plan->cp, (double)c->plan->tp};
    double keys = fmax(s.kv_heads, g.ranks),
           token = bp_case_tokens(c) * bp_case_element_bytes(c->plan);
    return over(c, BP_COLLECTIVE_OP_ALL_TO_ALL, token * s.heads * s.qk_dim, g) +
           over(c, BP_COLLECTIVE_OP_ALL_TO_ALL, token * keys * s.qk_dim, g) +
           over(c, BP_COLLECTIVE_OP_ALL_TO_ALL, token * keys * s.v_dim, g) +
           over(c, BP_COLLECTIVE_OP_ALL_TO_ALL, token * s.heads * s.v_dim, g);
}

static double cp_exchange(const struct bp_train_case *c, const struct bp_op_attention *op) {
    return bp_case_deals_heads(c) ? cp_deal(c, op) : cp_ring(c, op);
}

static int same_heads(const struct bp_op_attention *a, const struct bp_op_attention *b) {
    return a->heads == b->heads && a->kv_heads == b->kv_heads && a->qk_dim == b->qk_dim &&
           a->v_dim == b->v_dim;
}

/* Attentions that differ in the window alone are timed together. */
static double cp_exchanges(const struct bp_train_case *c, const struct bp_layer *list) {
    double sum = 0;
    int i = 0;
    while (i < list->attentions) {
        const struct bp_op_attention *first = &list->attention[i];
        double count = 0;
        for (; i < list->attentions && same_heads(first, &list->attention[i]); i++) {
            count += list->attention[i].count;
        }
        sum += count / list->layers * cp_exchange(c, first);
    }
    return sum;
}

/* Domains over which the ranks of an expert group lie. */
static double expert_domains(const struct bp_train_case *c) {
    double inside = fmax(1, floor((double)c->network->domain / (double)c->plan->etp));
    return ceil((double)c->plan->ep / inside);
}

/* Chance that so many draws from all leave every one of some out: C(all - some, draws) / C(all, draws). */
static double left_out(double all, double some, int64_t draws) {
    double chance = 1;
    int64_t i;
    for (i = 0; i < draws; i++) {
        chance *= fmax(0, 1 - some / (all - (double)i));
    }
    return chance;
}

/*
** Of n equal parts of the experts, those that a token visits, whose topk experts are drawn evenly from all. Under
** node-limited routing (arXiv:2412.19437, section 2.1.2) they are drawn from route_top of route_groups groups. A part
** of several groups is visited if one of its groups is drawn, which then holds some of the topk.
*/
static double visited(const struct bp_train_case *c, double n) {
    const struct bp_model *m = c->model;
    double experts = (double)m->experts, groups = (double)m->route_groups;
    double top = (double)m->route_top;
    if (!(groups > 1 && top > 0 && top < groups)) {
        return n * (1 - left_out(experts, experts / n, m->topk));
    }
    if (n < groups) {
        return n * (1 - left_out(groups, groups / n, m->route_top));
    }
    return n * top / groups * (1 - left_out(experts * top / groups, experts / n, m->topk));
}

/*
** Copies of a token that its experts' ranks get: one for each expert, or one for each rank (DeepEP and
** HybridEP dispatch and combine, deepseek-ai/DeepEP@567632d).
*/
static double copies(const struct bp_train_case *c) {
    return c->profile->expert_copies == BP_EXPERT_COPIES_MERGED ? visited(c, (double)c->plan->ep)
                                                                : (double)c->model->topk;
}

/*
** A token whose experts share a domain crosses to it once and is copied there (hierarchical dispatch:
** DeepSeek-V3, arXiv:2412.19437, section 3.2.2).
*/
static double ep_across(const struct bp_train_case *c, double token_bytes, double domains) {
    double remote = visited(c, domains) * (domains - 1) / domains;
    double inside = (double)c->plan->ep / domains;
    struct group across = {domains, (double)c->plan->etp * inside};
    struct group within = {inside, (double)c->plan->etp};
    double sent = token_bytes * remote * domains / (domains - 1);
    return fmax(over(c, BP_COLLECTIVE_OP_ALL_TO_ALL, sent, across),
                over(c, BP_COLLECTIVE_OP_ALL_TO_ALL, token_bytes * copies(c), within));
}

/* One way: every token to its experts. */
static double ep_dispatch(const struct bp_train_case *c, double token_bytes) {
    struct group experts = {(double)c->plan->ep, (double)c->plan->etp};
    double domains = expert_domains(c);
    double plain = over(c, BP_COLLECTIVE_OP_ALL_TO_ALL, token_bytes * copies(c), experts);
    return domains > 1 ? fmin(plain, ep_across(c, token_bytes, domains)) : plain;
}

/* Both ways where every rank gathers all tokens, computes those of its experts, and all sum what they have. */
static double ep_gathered(const struct bp_train_case *c, double token_bytes) {
    struct group experts = {(double)c->plan->ep, (double)c->plan->etp};
    double bytes = token_bytes * experts.ranks;
    return over(c, BP_COLLECTIVE_OP_ALL_GATHER, bytes, experts) +
           over(c, BP_COLLECTIVE_OP_REDUCE_SCATTER, bytes, experts);
}

/*
** Tokens leave for their experts and come back; the rank with the fullest experts keeps the others waiting.
** Ranks that share an expert (ETP) gather each other's tokens before and sum their partial results after.
*/
static double ep_exchange(const struct bp_train_case *c, const struct bp_op_matmul *experts) {
    struct group shared = {(double)c->plan->etp, 1};
    double tokens = c->profile->imbalance * bp_case_tokens(c) / (double)c->plan->tp;
    double bytes = tokens * experts->in * bp_case_element_bytes(c->plan);
    double whole = bytes * (double)c->model->topk * shared.ranks;
    double dealt = c->profile->expert_copies == BP_EXPERT_COPIES_ALL ? ep_gathered(c, bytes)
                                                                     : 2 * ep_dispatch(c, bytes);
    return dealt + over(c, BP_COLLECTIVE_OP_ALL_GATHER, whole, shared) +
           over(c, BP_COLLECTIVE_OP_REDUCE_SCATTER, whole, shared);
}

static double both(const struct bp_train_case *c, enum bp_collective_op op, double dense,
                   double expert) {
    return over(c, op, dense, dense_group(c)) +
           (expert > 0 ? over(c, op, expert, expert_group(c)) : 0);
}

/* Parameters of a GPT layer: four matrices and two norms, each with a bias. */
#define LAYER_PARAMETERS 12.0

/* Tensors of a layer without biases: two norms, four matrices (nanotron's optim/zero.py, recalled). */
#define LAYER_TENSORS 6.0

/* Of a bucket: 25 MiB (bucket_cap_mb of PyTorch's DistributedDataParallel) of 16-bit parameters. */
#define DDP_BUCKET_PARAMS (25 * 1048576.0 / 2)

/* Bytes of a gradient on its way under ZeRO-3. */
static double reduced_bytes(const struct bp_train_case *c) {
    double kept = (double)c->plan->grad_bytes;
    return c->profile->shard_sums == BP_SHARD_SUMS_NARROW
               ? fmin(kept, bp_case_element_bytes(c->plan))
               : kept;
}

/* In as many messages as the software makes of a layer: each waits for its own round trip. */
struct bp_shard_comm bp_shard_comm(const struct bp_train_case *c, double dense, double expert) {
    double weight = bp_case_element_bytes(c->plan), gradient = reduced_bytes(c);
    double n = c->profile->layer_gather == BP_LAYER_GATHER_BY_PARAMETER ? LAYER_PARAMETERS : 1;
    struct bp_shard_comm t = {0, 0};
    if (c->plan->zero == 3 && c->plan->shard > 1) {
        weight /= n;
        gradient /= n;
        t.gather = n * both(c, BP_COLLECTIVE_OP_ALL_GATHER, weight * dense, weight * expert);
        t.reduce =
            n * both(c, BP_COLLECTIVE_OP_REDUCE_SCATTER, gradient * dense, gradient * expert);
    }
    return t;
}

/*
** Blocks go round with their gradients, which PyTorch's context parallelism sums up in fp32 (_attention.py of
** torch.distributed.tensor, recalled); of what was dealt the gradients alone go back.
*/
static double exchanges_backward(const struct bp_train_case *c) {
    if (bp_case_deals_heads(c)) {
        return 1;
    }
    return c->profile->context == BP_CONTEXT_REPEATED ? 1 + 4 / bp_case_element_bytes(c->plan) : 2;
}

/* Regions of tensor parallelism: one per mixer, dense feed-forward part or group of shared experts. */
struct bp_layer_comm bp_layer_comm(const struct bp_train_case *c, const struct bp_layer *list) {
    struct bp_layer_comm t = {0};
    double mlp = list->mlp_syncs / list->layers, shared = list->shared_syncs / list->layers;
    if (c->plan->tp > 1) {
        double sync = tp_sync(c);
        t.tp_forward = t.tp_backward = (list->mixer_syncs / list->layers + mlp + shared) * sync;
        t.tp_mlp = mlp * sync;
        t.tp_shared = shared * sync;
    }
    if (c->plan->cp > 1) {
        t.cp_forward = cp_exchanges(c, list);
        t.cp_backward = exchanges_backward(c) * t.cp_forward;
    }
    if (c->plan->ep * c->plan->etp > 1 && list->moes > 0) {
        t.ep_forward = t.ep_backward =
            list->moes / list->layers * ep_exchange(c, bp_layer_experts(list));
    }
    return t;
}

/* What every stage's cross attention reads goes with the decoder's tokens (Megatron-LM, T5). */
static double sent_bytes(const struct bp_train_case *c) {
    double others = c->model->cross_layers > 0 ? (double)c->model->cross_tok : 0;
    return stream_bytes(c) * (1 + others / (double)c->job->seq_len);
}

/*
** Under sequence parallelism a rank has its part of the activations only. Without it the ranks of a group
** all have the whole: some software sends a part from each and gathers it behind (arXiv:2104.04473,
** section 4.1), some sends it as often as there are ranks.
*/
double bp_stage_send(const struct bp_train_case *c) {
    double apart = pipeline_inside(c->plan) ? stage_block(c->plan)
                                            : (double)(c->plan->tp * c->plan->cp * c->plan->dp);
    double bytes = sent_bytes(c), gather = 0;
    int is_split = c->profile->sends == BP_SENDS_SPLIT;
    struct group ranks = {(double)c->plan->tp, 1};
    if (c->plan->pp == 1) {
        return 0;
    }
    if (!c->plan->sequence_parallel && is_split) {
        gather = over(c, BP_COLLECTIVE_OP_ALL_GATHER, bytes, ranks);
    }
    if (c->plan->sequence_parallel || is_split) {
        bytes /= ranks.ranks;
    }
    return gather + bp_collective_time(c->network, BP_COLLECTIVE_OP_SEND_RECV, bytes,
                                       (double)c->plan->pp, apart);
}

/* Messages in which the updated weights of a stage are gathered. */
static double weight_messages(const struct bp_train_case *c) {
    int by_tensor = c->profile->weight_gather == BP_WEIGHT_GATHER_BY_TENSOR;
    return by_tensor ? fmax(1, LAYER_TENSORS * (double)bp_case_stage_layers(c, 0)) : 1;
}

/* Messages in which the gradients of a stage are reduced. */
static double gradient_messages(const struct bp_train_case *c, double params) {
    return c->profile->buckets == BP_BUCKETS_DDP ? fmax(1, params / DDP_BUCKET_PARAMS) : 1;
}

struct bp_data_comm bp_data_comm(const struct bp_train_case *c, double dense, double expert) {
    double grad = (double)c->plan->grad_bytes, weight = bp_case_element_bytes(c->plan);
    double messages = weight_messages(c), buckets = gradient_messages(c, dense + expert);
    struct bp_data_comm t = {0, 0};
    grad /= buckets;
    if (c->plan->zero == 0) {
        t.gradients = buckets * both(c, BP_COLLECTIVE_OP_ALL_REDUCE, grad * dense, grad * expert);
        return t;
    }
    t.gradients = buckets * both(c, BP_COLLECTIVE_OP_REDUCE_SCATTER, grad * dense, grad * expert);
    weight /= messages;
    t.parameters = messages * both(c, BP_COLLECTIVE_OP_ALL_GATHER, weight * dense, weight * expert);
    return t;
}

double bp_replica_comm(const struct bp_train_case *c, double dense, double expert) {
    struct group g = replica_group(c);
    double shard = dense / dense_group(c).ranks + expert / expert_group(c).ranks;
    double bytes = c->plan->zero == 3 ? reduced_bytes(c) : (double)c->plan->grad_bytes;
    return over(c, BP_COLLECTIVE_OP_ALL_REDUCE, bytes * shard, g);
}
