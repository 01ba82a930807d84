/*
** The pieces of a training estimate that many plans share. bp_train_memory and bp_train_time are put
** together from them; a search keeps the pieces of one plan for all others that agree in the fields
** a piece looks at, and gets the same bits.
*/
#ifndef BP_KERNEL_TRAIN_PARTS_H
#define BP_KERNEL_TRAIN_PARTS_H

#include "kernel/count/flops.h"
#include "kernel/count/train_case.h"
#include "kernel/count/train_encoder.h"
#include "kernel/count/train_states.h"
#include "kernel/time/comm.h"
#include "kernel/time/layer_time.h"
#include "kernel/time/work.h"
#include "kernel/train/train_step.h"

/* Share of the compute beside it that hides FSDP traffic: gathers are prefetched (arXiv:2304.11277; assumption). */
#define BP_FSDP_WINDOW 0.95

/* Of model, network and job alone. */
struct bp_part_site {
    double matmul_flop, attention_flop; /* forward, per token */
    struct bp_encoder_flops encoder;    /* per token, too */
    double doublings;                   /* of nodes */
};

/* Compute of the mean layer, of a multi-token-prediction layer (0 without) and of the head. */
struct bp_part_compute {
    struct bp_compute_time layer, mtp, head;
};

/* Traffic inside the mean layer and a multi-token-prediction layer. */
struct bp_part_traffic {
    struct bp_layer_comm layer, mtp;
};

struct bp_stage_time {
    struct bp_work forward, backward;
    double
        weight; /* of backward, weight gradients and its waits, which may be with them: what fills gaps */
    double host_forward, host_backward;
    double copy_forward, copy_backward; /* of offloaded activations, beyond what runs beside */
    double hidden_ep;                   /* hidden by running beside another micro-batch */
    double f, b;
};

/* One micro-batch in the pipeline. */
struct bp_part_pipe {
    struct bp_stage_time slowest;
    int64_t slowest_at;
    double mean_f, mean_b, mean_w; /* of the other stages */
};

/* Once a step, before any overlap: what data-parallel ranks exchange, and the optimizer. */
struct bp_part_sync {
    struct bp_data_comm data;
    double replicas, optimizer_s;
};

/* Sends of one micro-batch between stages, there and back. */
struct bp_part_send {
    double send_s;
};

/* The stages that can be the fullest: the first, the second (uneven layers) and the last. */
enum { BP_STAGE_CANDIDATES = 3 };

/* Micro-batches of a step, and how many of them the activations are kept of on each of these stages. */
struct bp_part_flight {
    double micro_batches, stages[BP_STAGE_CANDIDATES];
};

struct bp_part_states {
    struct bp_train_states stages[BP_STAGE_CANDIDATES];
    struct bp_offloaded offloaded;
};

/* Activations of one micro-batch on each of them. */
struct bp_part_kept {
    struct bp_kept_bytes {
        double kept, working, host; /* host: what waits in the memory of the host */
    } stages[BP_STAGE_CANDIDATES];
    struct bp_logit_bytes {
        double loss, held; /* at the loss; held: for as long as backward runs */
    } logits;              /* of the last stage */
};

/* Borrowed; memory needs flight, states and kept, time the others and flight. */
struct bp_train_parts {
    const struct bp_part_site *site;
    const struct bp_part_compute *compute;
    const struct bp_part_traffic *traffic;
    const struct bp_part_pipe *pipe;
    const struct bp_part_sync *sync;
    const struct bp_part_send *send;
    const struct bp_part_flight *flight;
    const struct bp_part_states *states;
    const struct bp_part_kept *kept;
    const struct bp_offloaded *offloaded; /* of states; what plan.offload = none leaves unread */
};

/* Each makes its part of the estimate of a case that train_prepare has checked. */
struct bp_part_site bp_part_site(const struct bp_train_case *c);
struct bp_part_compute bp_part_compute(const struct bp_train_case *c);
struct bp_part_traffic bp_part_traffic(const struct bp_train_case *c);
struct bp_part_pipe bp_part_pipe(const struct bp_train_case *c,
                                 const struct bp_part_compute *compute,
                                 const struct bp_part_traffic *traffic);
struct bp_part_sync bp_part_sync(const struct bp_train_case *c);
/* One micro-batch on one stage. */
struct bp_stage_time bp_stage_time(const struct bp_train_case *c,
                                   const struct bp_part_compute *compute,
                                   const struct bp_part_traffic *traffic, int64_t stage);
struct bp_part_send bp_part_send(const struct bp_train_case *c);
/* Seconds of a device for the sends of one micro-batch that show, forward and backward, of all its chunks. */
double bp_sends_shown(const struct bp_train_case *c, const struct bp_part_send *send);
struct bp_part_flight bp_part_flight(const struct bp_train_case *c);
struct bp_part_states bp_part_states(const struct bp_train_case *c);
struct bp_part_kept bp_part_kept(const struct bp_train_case *c);
/* Bytes of a paged optimizer's moments on the first stage that find no room beside all else; 0 of any other optimizer. */
double bp_paged_away(const struct bp_train_case *c);

/* What bp_train_memory and bp_train_time say, from their parts. */
int bp_train_memory_of(const struct bp_train_case *c, const struct bp_train_parts *parts,
                       struct bp_train_memory *out, struct bp_error *err);
int bp_train_time_of(const struct bp_train_case *c, const struct bp_train_parts *parts,
                     struct bp_train_time *out, struct bp_error *err);

/* Memory of one stage, which need not be the fullest. */
int bp_stage_memory(const struct bp_train_case *c, int64_t stage, struct bp_train_memory *out,
                    struct bp_error *err);

/* Seconds of one micro-batch, both ways, that no recomputation, overlap or sharding saves. */
struct bp_least_work {
    double layer_s, head_s;
};

/*
** Of a plan, or of all that differ from it in how much of their traffic shows: tp_hides and ep_hides
** tell whether overlap may be on.
*/
struct bp_least_work bp_least_work(const struct bp_train_case *c,
                                   const struct bp_part_compute *compute,
                                   const struct bp_part_traffic *traffic, int tp_hides,
                                   int ep_hides);

/*
** A step that bp_train_time never undercuts for plans whose work is at least this: the slowest stage
** takes as long as the mean one, and every stage waits for the first and the last micro-batch.
*/
double bp_least_step(const struct bp_train_case *c, const struct bp_part_site *site,
                     const struct bp_least_work *work);

#endif
