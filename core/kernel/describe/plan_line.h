/*
** What a line of the plan's field list says beside the value: which parts of an estimate read the field,
** which check may refuse it first, when it makes a difference, how else the same plan may be written, what
** `free` stands for in a search, and what it is a setting of. All that asks for one of these looks here; no code lists the fields.
*/
#ifndef BP_KERNEL_PLAN_LINE_H
#define BP_KERNEL_PLAN_LINE_H

#include "kernel/field.h"

/* Parts of a training estimate, in the order in which they are made: see kernel/train/train_parts.h. */
#define BP_PART(E)                                                                                 \
    E(BP_PART_SITE, "site")                                                                        \
    E(BP_PART_COMPUTE, "compute")                                                                  \
    E(BP_PART_TRAFFIC, "traffic")                                                                  \
    E(BP_PART_PIPE, "pipe")                                                                        \
    E(BP_PART_SYNC, "sync")                                                                        \
    E(BP_PART_SEND, "send")                                                                        \
    E(BP_PART_FLIGHT, "flight")                                                                    \
    E(BP_PART_STATES, "states")                                                                    \
    E(BP_PART_KEPT, "kept")
BP_DECLARE_ENUM(bp_part, BP_PART);
enum { BP_PART_COUNT = BP_ENUM_COUNT(BP_PART) };

/* .reads of a line. The time of a micro-batch in the pipeline (pipe) is made of compute and traffic. */
enum {
    BP_IN_PIPE = 1 << BP_PART_PIPE,
    BP_IN_COMPUTE = 1 << BP_PART_COMPUTE | BP_IN_PIPE,
    BP_IN_TRAFFIC = 1 << BP_PART_TRAFFIC | BP_IN_PIPE,
    BP_IN_SYNC = 1 << BP_PART_SYNC,
    BP_IN_SEND = 1 << BP_PART_SEND,
    BP_IN_FLIGHT = 1 << BP_PART_FLIGHT,
    BP_IN_STATES = 1 << BP_PART_STATES,
    BP_IN_KEPT = 1 << BP_PART_KEPT,
    BP_IN_MEMORY = BP_IN_FLIGHT | BP_IN_STATES | BP_IN_KEPT
};

/*
** Why a plan is refused, in the order in which it is found out. Stable: searches tally by it. As .check of
** a line: the first check that looks at the field; a line that says none is looked at by memory.
*/
#define BP_REJECT(E)                                                                               \
    E(BP_REJECT_NONE, "none")                                                                      \
    E(BP_REJECT_DEVICES, "devices")                                                                \
    E(BP_REJECT_HEADS, "heads")                                                                    \
    E(BP_REJECT_LAYERS, "layers")                                                                  \
    E(BP_REJECT_SEQUENCE, "sequence")                                                              \
    E(BP_REJECT_EXPERTS, "experts")                                                                \
    E(BP_REJECT_SHARDING, "sharding")                                                              \
    E(BP_REJECT_BATCH, "batch")                                                                    \
    E(BP_REJECT_SCHEDULE, "schedule")                                                              \
    E(BP_REJECT_PRECISION, "precision")                                                            \
    E(BP_REJECT_MEMORY, "memory")                                                                  \
    E(BP_REJECT_RULE, "rule")
BP_DECLARE_ENUM(bp_reject, BP_REJECT);
enum { BP_REJECT_COUNT = BP_ENUM_COUNT(BP_REJECT) };

/*
** .matters of a line: when the field makes a difference, decided in plan_means.c. From BP_MATTERS_RECOMPUTED
** on, fields that no check looks at decide it, too.
*/
#define BP_MATTERS(E)                                                                              \
    E(BP_MATTERS_ALWAYS, "always")                                                                 \
    E(BP_MATTERS_TP, "tp > 1")                                                                     \
    E(BP_MATTERS_PP, "pp > 1")                                                                     \
    E(BP_MATTERS_EVEN_STAGES, "pp > 1, and no end stage is given its layers")                      \
    E(BP_MATTERS_EXPERTS, "the model has experts")                                                 \
    E(BP_MATTERS_EXPERT_RANKS, "ep * etp > 1")                                                     \
    E(BP_MATTERS_REPLICAS, "weights have replicas")                                                \
    E(BP_MATTERS_STATES, "weights have replicas, or states are offloaded")                         \
    E(BP_MATTERS_SHARDED, "zero > 0, and weights have replicas")                                   \
    E(BP_MATTERS_NARROW_WEIGHTS, "weights have 2 bytes or fewer")                                  \
    E(BP_MATTERS_ADAPTERS, "lora_rank > 0")                                                        \
    E(BP_MATTERS_FROZEN, "lora_rank > 0, or trained_layers > 0")                                   \
    E(BP_MATTERS_NARROW_BASE, "base_bits < 16")                                                    \
    E(BP_MATTERS_LOW_PRECISION, "matmuls in 8 or 4 bit, and base_bits is 16")                      \
    E(BP_MATTERS_RECOMPUTED, "some recompute")                                                     \
    E(BP_MATTERS_NORMS, "not all layers are recomputed in full")                                   \
    E(BP_MATTERS_ACTIVATION, "an MLP is not recomputed")                                           \
    E(BP_MATTERS_UP_PROJ, "the model has latent attention that is not recomputed")                 \
    E(BP_MATTERS_MLP, "the model has a dense MLP that is not recomputed")                          \
    E(BP_MATTERS_MOE, "the model has experts that are not recomputed")                             \
    E(BP_MATTERS_SHARED, "the model has shared experts that are not recomputed")
BP_DECLARE_ENUM(bp_matters, BP_MATTERS);

/* Whether such a field can make a difference only to models with experts. */
static inline int bp_matters_to_experts_only(enum bp_matters matters) {
    return matters == BP_MATTERS_EXPERTS || matters == BP_MATTERS_EXPERT_RANKS ||
           matters == BP_MATTERS_MOE || matters == BP_MATTERS_SHARED;
}

/* .sets of a line: how a step runs, a kind of parallelism, how often weights are held (follows from the
** devices where nothing is said), or what is trained in which formats. */
#define BP_SETS(E)                                                                                 \
    E(BP_SETS_STEP, "step")                                                                        \
    E(BP_SETS_RANKS, "parallelism")                                                                \
    E(BP_SETS_REPLICAS, "replicas")                                                                \
    E(BP_SETS_TRAINING, "training")
BP_DECLARE_ENUM(bp_sets, BP_SETS);

/*
** .repeats of a line: how a value of the field may mean the same plan as another value, decided in
** search/duplicate.c. From BP_REPEATS_SHARD on, fields that no check looks at decide it, too.
**   UNREAD  any value where the field makes no difference
**   NEVER   where it makes none a single value is valid
**   DP      0, and the number it stands for
**   SHARD   the same, and any number where nothing is sharded
**   FIRST, LAST  an end stage that is given as many layers as it has unasked
**   MODE    a mode of recomputation that recomputes nothing, or what single modules do
**   ZERO    stages 1 and 2 in a pipeline
**   MASTER  as UNREAD, of two values
*/
#define BP_REPEATS(E)                                                                              \
    E(BP_REPEATS_UNREAD, "unread")                                                                 \
    E(BP_REPEATS_NEVER, "never")                                                                   \
    E(BP_REPEATS_DP, "dp")                                                                         \
    E(BP_REPEATS_MASTER, "master")                                                                 \
    E(BP_REPEATS_SHARD, "shard")                                                                   \
    E(BP_REPEATS_FIRST, "first")                                                                   \
    E(BP_REPEATS_LAST, "last")                                                                     \
    E(BP_REPEATS_MODE, "mode")                                                                     \
    E(BP_REPEATS_ZERO, "zero")
BP_DECLARE_ENUM(bp_repeats_by, BP_REPEATS);

/*
** .free of a line: the values that `free` stands for, filled in by search/free.c. A number whose line says
** none cannot be free.
*/
#define BP_FREE(E)                                                                                 \
    E(BP_FREE_KIND, "all its values")                                                              \
    E(BP_FREE_WIDTH, "divisors of the devices")                                                    \
    E(BP_FREE_TENSOR, "divisors of devices and attention heads")                                   \
    E(BP_FREE_PIPELINE, "divisors of the devices, at most layers + 2")                             \
    E(BP_FREE_INTERLEAVE, "divisors of the layers, and of layers + 2")                             \
    E(BP_FREE_CONTEXT, "divisors of devices and sequence length")                                  \
    E(BP_FREE_EXPERT, "divisors of devices and experts")                                           \
    E(BP_FREE_EXPERT_TENSOR, "as tp where the model has experts, else 1")                          \
    E(BP_FREE_MICRO_BATCH, "divisors of the global batch")                                         \
    E(BP_FREE_ZERO, "0 to 3")                                                                      \
    E(BP_FREE_QUARTERS, "quarters above 0")                                                        \
    E(BP_FREE_NONE_OR_QUARTERS, "quarters and 0")                                                  \
    E(BP_FREE_GRADIENT, "2 and 4")                                                                 \
    E(BP_FREE_MASTER, "0 and 4")                                                                   \
    E(BP_FREE_BITS, "4, 8 and 16")                                                                 \
    E(BP_FREE_END_STAGE, "0 to layers - 1")
BP_DECLARE_ENUM(bp_free, BP_FREE);
enum { BP_FREE_COUNT = BP_ENUM_COUNT(BP_FREE) };

/*
** Whether a field of the plan makes no difference to a part, whatever the others are. Lines that do not
** say what reads them are read by all parts: work is done twice then, but nothing is wrong.
*/
static inline int bp_part_ignores(enum bp_part part, const struct bp_field *field) {
    return field->kind == BP_NOTE || (field->reads != 0 && !(field->reads & 1u << part));
}

/* The same for all of the memory. */
static inline int bp_memory_ignores(const struct bp_field *field) {
    return field->kind == BP_NOTE || (field->reads != 0 && !(field->reads & BP_IN_MEMORY));
}

/* The first check that looks at the field. */
static inline enum bp_reject bp_first_check(const struct bp_field *field) {
    return field->check ? (enum bp_reject)field->check : BP_REJECT_MEMORY;
}

/*
** Whether a structural check up to and including the one for this reason looks at the field: plans that
** agree in all such fields are refused for the same reason. Follows bp_plan_check.
*/
static inline int bp_check_reads(enum bp_reject reason, const struct bp_field *field) {
    return bp_first_check(field) <= reason;
}

#endif
