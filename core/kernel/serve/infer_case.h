/*
** What is served, on what, how: the inputs of all serving kernels, and the same prepared once so that
** many steps of it are cheap.
*/
#ifndef BP_KERNEL_INFER_CASE_H
#define BP_KERNEL_INFER_CASE_H

#include "kernel/count/params.h"
#include "kernel/describe/device.h"
#include "kernel/describe/engine.h"
#include "kernel/describe/model.h"
#include "kernel/describe/network.h"
#include "kernel/field.h"
#include "kernel/layer/infer_format.h"
#include "kernel/layer/infer_moe.h"
#include "kernel/layer/layer.h"
#include "kernel/status.h"

/* Curves that only serving needs: experts and decode attention of a device. */
#define BP_SERVING_CURVES_FIELDS(F, S)                                                             \
    F(S, STRUCT, moe16, bp_moe_curve, "", 0, 0, 0, "experts multiplied in 16 bit")                 \
    F(S, STRUCT, moe16_packed, bp_moe_curve, "", 0, 0, 0, "the same, weights stored in 4 bit")     \
    F(S, STRUCT, moe8, bp_moe_curve, "", 0, 0, 0, "experts in fp8 and int8")                       \
    F(S, STRUCT, moe8_block, bp_moe_curve, "", 0, 0, 0, "experts in fp8 with a scale per block")   \
    F(S, STRUCT, moe4, bp_moe_curve, "", 0, 0, 0, "experts in fp4")                                \
    F(S, NUM, decode_stream, , "frac", 0.75, 0.01, 4,                                              \
      "share of bandwidth the KV cache is read at")                                                \
    F(S, NUM, decode_rate, , "frac", 0.5, 0.001, 2,                                                \
      "share of the 16-bit peak decode scores reach")                                              \
    F(S, NUM, decode_ramp_s, , "s", 0, 0, 1,                                                       \
      "what a long read of the KV cache takes more until all of the device is busy")               \
    F(S, NUM, decode_t0_s, , "s", 1e-5, 0, 1, "time of an empty decode attention")                 \
    F(S, STRUCT, prompt8, bp_attention_curve, "", 0, 0, 0,                                         \
      "attention of prompts in 8 bit; u is of the 16-bit peak")                                    \
    F(S, FLAG, prompts8, , "", 0, 0, 1, "it has such kernels")                                     \
    F(S, FLAG, packs_beside, , "", 1, 0, 1,                                                        \
      "its FlashAttention packs the query heads of a key in steps with prompts, too")
BP_DECLARE_STRUCT(bp_serving_curves, BP_SERVING_CURVES_FIELDS);

#define BP_INFER_PLAN_FIELDS(F, S)                                                                  \
    F(S, INT, tp, , "", 1, 1, 65536, "tensor-parallel ranks")                                       \
    F(S, INT, pp, , "", 1, 1, 1024, "pipeline stages")                                              \
    F(S, INT, dp, , "", 1, 1, 65536, "attention-parallel groups that share the experts")            \
    F(S, INT, cp, , "", 1, 1, 65536,                                                                \
      "context-parallel ranks of a group: tokens of a prompt, and cached ones, are dealt to them")  \
    F(S, INT, ep, , "", 1, 1, 65536, "ranks the experts are dealt to; divides tp dp cp")            \
    F(S, NOTE, checkpoint, , "", 0, 0, 0,                                                           \
      "instead of weights and experts: what the checkpoint is called, as fp8, awq, nvfp4 or 'fp8, " \
      "experts fp8_block'; its parts follow from how such a model is quantised")                    \
    F(S, ENUM, weights, bp_format, "", BP_FORMAT_BF16, 0, 0, "format of dense weights")             \
    F(S, ENUM, experts, bp_format, "", BP_FORMAT_AUTO, 0, 0, "format of experts; auto = weights")   \
    F(S, ENUM, activations, bp_format, "", BP_FORMAT_AUTO, 0, 0,                                    \
      "format that is multiplied; auto = that of the weights")                                      \
    F(S, ENUM, kv, bp_format, "", BP_FORMAT_BF16, 0, 0, "format of the KV cache; auto = bf16")      \
    F(S, INT, draft_tokens, , "", 0, 0, 64,                                                         \
      "draft tokens per step (speculative decoding, MTP); 0 = none")                                \
    F(S, NUM, acceptance, , "frac", 0.7, 0, 1,                                                      \
      "chance that a draft token is accepted if all before it are")
BP_DECLARE_STRUCT(bp_infer_plan, BP_INFER_PLAN_FIELDS);

#define BP_INFER_SETUP_FIELDS(F, S)                                                                \
    F(S, STRUCT, model, bp_model, "", 0, 0, 0, "what is served")                                   \
    F(S, STRUCT, device, bp_device, "", 0, 0, 0, "on what")                                        \
    F(S, STRUCT, network, bp_network, "", 0, 0, 0, "how connected; its devices are one replica's") \
    F(S, STRUCT, curves, bp_serving_curves, "", 0, 0, 0, "how fast the device serves")             \
    F(S, STRUCT, plan, bp_infer_plan, "", 0, 0, 0, "spread how, in which formats")                 \
    F(S, STRUCT, engine, bp_engine, "", 0, 0, 0, "by which software")
BP_DECLARE_STRUCT(bp_infer_setup, BP_INFER_SETUP_FIELDS);

/* One kind of matmul of a step: rows x n x k, `times` of them over all layers. */
struct bp_infer_linear {
    double n, k, times, stored_bytes;
    double stream; /* share of bandwidth its weights are read at */
    double others; /* tokens of another stack, multiplied once for every prompt; 0: its own */
    enum bp_dtype dtype;
    enum bp_dtype wider; /* see bp_format_wider; dtype: none */
    double wider_stream;
};

enum { BP_INFER_ENCODER_LINEARS = 12 };

/* The encoder beside the decoder, which runs once for every prompt; layers 0: none, or no inputs. */
struct bp_infer_encoder {
    struct bp_infer_linear linear[BP_INFER_ENCODER_LINEARS]; /* others: its rows of one input */
    int linears;
    double tok, inputs; /* of one input; of one prompt */
    double layers, hidden, heads, head_dim;
    double window, window_layers;
    double elementwise_bytes; /* per token, all layers */
    double kernels;
};

/* Softmax attention of one kind of layer on one rank, from the list of its operations. */
struct bp_infer_attention {
    double layers, heads, kv_heads, qk_dim, v_dim, window;
    double kv_bytes;   /* per token of context, one layer, one rank */
    double score_flop; /* per query head and token of context */
    double shared;     /* query heads that read the same keys */
    double selected;   /* tokens an indexer leaves; 0 = all */
    int narrow;        /* prompts are multiplied in 8 bit */
    double others;     /* tokens of another stack, all of them seen; 0 = its own */
};

/* Indexers, alike on all ranks. */
struct bp_infer_index {
    double layers, heads, dim, ratio;
};

enum { BP_INFER_LINEARS = 24 };

struct bp_infer_case {
    struct bp_infer_setup in; /* resolved */
    struct bp_params_out params;
    struct bp_infer_linear linear[BP_INFER_LINEARS];
    int linears;
    struct bp_infer_attention attention[BP_LAYER_ATTENTIONS];
    int attentions;
    struct bp_infer_index index;
    struct bp_infer_encoder encoder;
    struct bp_moe_shape moe;
    enum bp_dtype moe_dtype;
    struct bp_moe_curve moe_curve;
    enum bp_dtype moe_wider; /* as in bp_infer_linear, with its curve */
    struct bp_moe_curve moe_wider_curve;
    double moe_layers, moe_stored_bytes;
    double layers, ranks;               /* ranks: of one stage */
    double kernels, launches;           /* of a step in a captured graph; one by one */
    double piece_launches;              /* where all but attention is captured */
    double compiled_launches;           /* where all but attention and experts is compiled */
    double scan_layers;                 /* linear attention and state space */
    struct bp_infer_linear head;        /* vocabulary rows of a rank; n 0: none */
    double kv_value_bytes, state_bytes; /* state: of one sequence on one rank, read and written */
    double elementwise_bytes;           /* that those kernels move per token, all layers */
    double advance;                     /* tokens a sequence gains per step */
};

/* Checks and prepares. Errors: BP_EDOMAIN of the model, BP_EPLAN where plan and model contradict. */
int bp_infer_prepare(const struct bp_infer_setup *in, struct bp_infer_case *out,
                     struct bp_error *err);

/* Whether tokens travel to the ranks that hold their experts: attention is in groups, and experts are dealt out. */
int bp_infer_dispatches(const struct bp_infer_case *c);
/* Large-scale expert parallelism: they travel to more ranks than a host has. */
int bp_infer_is_wide(const struct bp_infer_case *c);

/* Bytes of weights on the fullest device. */
double bp_infer_weight_bytes(const struct bp_infer_case *c);

#endif
