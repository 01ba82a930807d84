/*
** One training step: memory of the fullest stage, time of the slowest path, and what bounds it.
**
** The pieces are apart so that a search can stop early: bp_plan_check (structure), then
** bp_train_memory, then bp_train_time. The bound kernel `train_step` does all three.
*/
#ifndef BP_KERNEL_TRAIN_STEP_H
#define BP_KERNEL_TRAIN_STEP_H

#include "kernel/count/params.h"
#include "kernel/count/train_case.h"
#include "kernel/describe/device.h"
#include "kernel/describe/model.h"
#include "kernel/describe/network.h"
#include "kernel/describe/plan.h"
#include "kernel/describe/profile.h"
#include "kernel/field.h"
#include "kernel/status.h"

#define BP_TRAIN_STEP_IN_FIELDS(F, S)                                                              \
    F(S, STRUCT, model, bp_model, "", 0, 0, 0, "what is trained")                                  \
    F(S, STRUCT, device, bp_device, "", 0, 0, 0, "on what")                                        \
    F(S, STRUCT, network, bp_network, "", 0, 0, 0, "how many, connected how")                      \
    F(S, STRUCT, plan, bp_plan, "", 0, 0, 0, "spread how")                                         \
    F(S, STRUCT, job, bp_job, "", 0, 0, 0, "batch and length")                                     \
    F(S, STRUCT, profile, bp_profile, "", 0, 0, 0, "class of software")
BP_DECLARE_STRUCT(bp_train_step_in, BP_TRAIN_STEP_IN_FIELDS);

/*
** Memory of the fullest stage, per device; what is offloaded, of the stage that offloads most. Of a node all
** devices offload, ranks in the usual order (tp-cp-dp-pp): a node may have several stages.
*/
#define BP_TRAIN_MEMORY_FIELDS(F, S)                                                               \
    F(S, INT, weights_bytes, , "B", 0, 0, BP_ANY, "weights in the format of the matmuls")          \
    F(S, INT, gradients_bytes, , "B", 0, 0, BP_ANY,                                                \
      "gradients, of them what is there at the peak")                                              \
    F(S, INT, optimizer_bytes, , "B", 0, 0, BP_ANY, "fp32 master weights and Adam moments")        \
    F(S, INT, activations_bytes, , "B", 0, 0, BP_ANY,                                              \
      "activations kept for backward, all micro-batches in flight")                                \
    F(S, INT, working_bytes, , "B", 0, 0, BP_ANY,                                                  \
      "working set of the layer in progress, and weights gathered or cast")                        \
    F(S, INT, logits_bytes, , "B", 0, 0, BP_ANY,                                                   \
      "logits and their gradient on the last stage, of them what is there at the peak")            \
    F(S, INT, loss_bytes, , "B", 0, 0, BP_ANY,                                                     \
      "logits and their gradient at the loss, peak or not")                                        \
    F(S, INT, above_loss_bytes, , "B", 0, 0, BP_ANY,                                               \
      "what is there at the peak beyond what is at the loss")                                      \
    F(S, INT, scores_bytes, , "B", 0, 0, BP_ANY,                                                   \
      "of these parts: scores of a layer at one time, where attention is not fused")               \
    F(S, INT, overhead_bytes, , "B", 0, 0, BP_ANY, "context, library buffers, fragmentation")      \
    F(S, INT, total_bytes, , "B", 0, 0, BP_ANY, "all of it")                                       \
    F(S, INT, counted_bytes, , "B", 0, 0, BP_ANY,                                                  \
      "weights, optimizer and the most gradients of any moment: counted, so that no run has less") \
    F(S, INT, paged_bytes, , "B", 0, 0, BP_ANY,                                                    \
      "beside it: moments of a paged optimizer that stay on the device as long as there is room")  \
    F(S, INT, capacity_bytes, , "B", 0, 0, BP_ANY, "memory of the device")                         \
    F(S, INT, host_bytes, , "B", 0, 0, BP_ANY,                                                     \
      "offloaded to memory of the host, per device of the stage that offloads most")               \
    F(S, INT, nvme_bytes, , "B", 0, 0, BP_ANY, "the same, to drives of the host")                  \
    F(S, INT, host_node_bytes, , "B", 0, 0, BP_ANY,                                                \
      "offloaded to memory of the fullest host by all its devices; not said of a single stage")    \
    F(S, INT, nvme_node_bytes, , "B", 0, 0, BP_ANY, "the same, to its drives")                     \
    F(S, INT, host_capacity_bytes, , "B", 0, 0, BP_ANY, "memory of a host; 0 = unknown")           \
    F(S, INT, stage, , "", 0, 0, BP_ANY, "the fullest stage, 0-based")                             \
    F(S, INT, in_flight, , "", 0, 0, BP_ANY, "micro-batches that stage keeps activations of")      \
    F(S, NUM, fit_probability, , "frac", 0, 0, 1,                                                  \
      "chance that it fits, from the spread of the memory model; none where its states alone do "  \
      "not, or a host is over full")
BP_DECLARE_STRUCT(bp_train_memory, BP_TRAIN_MEMORY_FIELDS);

#define BP_BOUND(E)                                                                                \
    E(BP_BOUND_NONE, "none")                                                                       \
    E(BP_BOUND_COMPUTE, "compute")                                                                 \
    E(BP_BOUND_BANDWIDTH, "memory bandwidth")                                                      \
    E(BP_BOUND_NETWORK, "network")                                                                 \
    E(BP_BOUND_BUBBLE, "pipeline bubble")                                                          \
    E(BP_BOUND_HOST, "host launch")                                                                \
    E(BP_BOUND_OFFLOAD, "offload")                                                                 \
    E(BP_BOUND_MEMORY, "memory capacity")
BP_DECLARE_ENUM(bp_bound, BP_BOUND);

/* Seconds of one step; the parts add up to step_s. */
#define BP_TRAIN_TIME_FIELDS(F, S)                                                                 \
    F(S, NUM, step_s, , "s", 0, 0, BP_ANY, "one optimizer step")                                   \
    F(S, NUM, matmul_s, , "s", 0, 0, BP_ANY, "matmuls of the slowest stage, forward and backward") \
    F(S, NUM, attention_s, , "s", 0, 0, BP_ANY, "attention, forward and backward")                 \
    F(S, NUM, elementwise_s, , "s", 0, 0, BP_ANY,                                                  \
      "norms, activations, residuals, permutations, loss")                                         \
    F(S, NUM, recompute_s, , "s", 0, 0, BP_ANY, "forward work done again in backward")             \
    F(S, NUM, host_s, , "s", 0, 0, BP_ANY, "time the device waits for launches of the host")       \
    F(S, NUM, tp_s, , "s", 0, 0, BP_ANY, "exposed tensor-parallel communication")                  \
    F(S, NUM, cp_s, , "s", 0, 0, BP_ANY, "exposed context-parallel communication")                 \
    F(S, NUM, ep_s, , "s", 0, 0, BP_ANY, "exposed expert all-to-alls")                             \
    F(S, NUM, pp_s, , "s", 0, 0, BP_ANY, "exposed sends between stages")                           \
    F(S, NUM, bubble_s, , "s", 0, 0, BP_ANY, "pipeline bubble")                                    \
    F(S, NUM, dp_s, , "s", 0, 0, BP_ANY, "exposed gradient and parameter communication")           \
    F(S, NUM, optimizer_s, , "s", 0, 0, BP_ANY, "optimizer, on the device")                        \
    F(S, NUM, offload_s, , "s", 0, 0, BP_ANY,                                                      \
      "exposed copies to and from host and drives, and the update on the host")                    \
    F(S, NUM, straggler_s, , "s", 0, 0, BP_ANY, "waiting for the slowest node")                    \
    F(S, NUM, tokens_per_s, , "tok/s", 0, 0, BP_ANY, "tokens per second, all devices")             \
    F(S, NUM, tokens_per_s_device, , "tok/s", 0, 0, BP_ANY, "tokens per second and device")        \
    F(S, NUM, model_flop, , "FLOP", 0, 0, BP_ANY,                                                  \
      "model FLOP of a step, causal attention counted half")                                       \
    F(S, NUM, hardware_flop, , "FLOP", 0, 0, BP_ANY,                                               \
      "FLOP executed in a step: recomputation, no gradients of weights frozen under adapters")     \
    F(S, NUM, mfu_frac, , "frac", 0, 0, BP_ANY,                                                    \
      "model FLOP over what the dense peak of the precision allows")                               \
    F(S, NUM, hfu_frac, , "frac", 0, 0, BP_ANY, "executed FLOP over the same")                     \
    F(S, NUM, bubble_frac, , "frac", 0, 0, BP_ANY,                                                 \
      "bubble over pipeline time: (p-1)/(m+p-1) when stages are even")                             \
    F(S, INT, micro_batches, , "", 0, 0, BP_ANY, "micro-batches per step and pipeline")            \
    F(S, INT, slowest_stage, , "", 0, 0, BP_ANY,                                                   \
      "stage that sets the pace, 0-based; work, traffic and waits are its")                        \
    F(S, ENUM, bound, bp_bound, "", BP_BOUND_NONE, 0, 0,                                           \
      "what takes the most time, or capacity when it does not fit")
BP_DECLARE_STRUCT(bp_train_time, BP_TRAIN_TIME_FIELDS);

#define BP_TRAIN_STEP_OUT_FIELDS(F, S)                                                             \
    F(S, FLAG, fits, , "", 0, 0, 1, "memory suffices")                                             \
    F(S, STRUCT, plan, bp_plan, "", 0, 0, 0, "the plan with its derived fields filled in")         \
    F(S, STRUCT, memory, bp_train_memory, "", 0, 0, 0, "memory of the fullest stage")              \
    F(S, STRUCT, time, bp_train_time, "", 0, 0, 0, "time of the step")
BP_DECLARE_STRUCT(bp_train_step_out, BP_TRAIN_STEP_OUT_FIELDS);

/*
** Whether device and network can run the plan at all (number format, links); memory and time assume
** it. Errors: BP_EDOMAIN.
*/
int bp_train_prepare(const struct bp_train_case *c, struct bp_error *err);

/* What an input leaves open, filled in. */
struct bp_train_resolved {
    struct bp_ready_model ready;
    struct bp_network network; /* as the profile sees it */
    struct bp_plan plan;
};

/*
** Fills r, and the case that refers to it and to in. Errors: those of model, plan and
** bp_train_prepare.
*/
int bp_train_resolve(const struct bp_train_step_in *in, struct bp_train_resolved *r,
                     struct bp_train_case *c, struct bp_error *err);

/*
** Bytes by which a plan misses what it may have: `limit_bytes` of a device, all of it for weights, gradients and
** optimizer states alone, or the memory of its host, where that is known and misses more. At most 0 where it fits.
*/
int64_t bp_memory_over(const struct bp_train_memory *memory, int64_t limit_bytes);

/* Memory of the fullest stage. Errors: BP_EOVERFLOW. */
int bp_train_memory(const struct bp_train_case *c, struct bp_train_memory *out,
                    struct bp_error *err);

/* Time of the step, whether or not it fits. */
int bp_train_time(const struct bp_train_case *c, struct bp_train_time *out, struct bp_error *err);

/* Memory and time of a resolved case, and the plan. Errors: BP_EOVERFLOW, BP_EDOMAIN. */
int bp_train_step_of(const struct bp_train_case *c, struct bp_train_step_out *out,
                     struct bp_error *err);

/*
** The whole estimate. A plan that contradicts model or cluster is an error (BP_EPLAN); one that does
** not fit is an answer with fits = 0.
*/
int bp_train_step(const struct bp_train_step_in *in, struct bp_train_step_out *out,
                  struct bp_error *err);

#endif
