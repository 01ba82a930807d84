/*
** How a serving engine works: what it puts into a step, what memory it takes, and what it spends
** around the kernels. Values per engine, with their fit, are in lua/ballpark/catalog/engines.lua.
*/
#ifndef BP_KERNEL_ENGINE_H
#define BP_KERNEL_ENGINE_H

#include "kernel/describe/calibration.h"
#include "kernel/field.h"

#define BP_POLICY(E)                                                                               \
    E(BP_POLICY_MIXED, "mixed")                                                                    \
    E(BP_POLICY_PREFILL_FIRST, "prefill_first")
BP_DECLARE_ENUM(bp_policy, BP_POLICY);

#define BP_RESERVE(E)                                                                              \
    E(BP_RESERVE_DEVICE, "device")                                                                 \
    E(BP_RESERVE_STATIC, "static")                                                                 \
    E(BP_RESERVE_FREE, "free")
BP_DECLARE_ENUM(bp_reserve, BP_RESERVE);

#define BP_GATHERS(E)                                                                              \
    E(BP_GATHERS_NONE, "none")                                                                     \
    E(BP_GATHERS_16_BIT, "16_bit")                                                                 \
    E(BP_GATHERS_8_BIT, "8_bit")
BP_DECLARE_ENUM(bp_gathers, BP_GATHERS);

#define BP_SUM_FUSION(E)                                                                           \
    E(BP_SUM_FUSION_NONE, "none")                                                                  \
    E(BP_SUM_FUSION_NORM, "norm")                                                                  \
    E(BP_SUM_FUSION_QUANTIZE, "quantize")
BP_DECLARE_ENUM(bp_sum_fusion, BP_SUM_FUSION);

#define BP_ENGINE_FIELDS(F, S)                                                                     \
    F(S, NOTE, name, , "", 0, 0, 0, "catalog name")                                                \
    F(S, NOTE, source, , "", 0, 0, 0, "where the numbers come from")                               \
    F(S, NOTE, version, , "", 0, 0, 0,                                                             \
      "release, as 0.6.3: its generation and its defaults; blank: the one of the fit")             \
    F(S, NOTE, year, , "", 0, 0, 0, "of the release, where no version is known")                   \
    F(S, NOTE, fitted_model, , "", 0, 0, 0, "calibrated: the model that was measured")             \
    F(S, NOTE, fitted_device, , "", 0, 0, 0, "calibrated: the device it was measured on")          \
    F(S, ENUM, policy, bp_policy, "", BP_POLICY_MIXED, 0, 0,                                       \
      "prefill runs together with decode, or before it in steps of their own")                     \
    F(S, INT, token_budget, , "tok", 8192, 1, 1e9,                                                 \
      "tokens of one step at most, of each attention group and each stage's batch")                \
    F(S, INT, max_running, , "", 1024, 1, 1e9, "sequences that run at one time at most")           \
    F(S, FLAG, chunked_prefill, , "", 1, 0, 1, "a prompt may be cut to fit the budget")            \
    F(S, FLAG, reserve_output, , "", 0, 0, 1,                                                      \
      "a sequence is admitted only with memory for its whole answer")                              \
    F(S, NUM, memory_frac, , "frac", 0.9, 0.05, 1, "share of device memory the engine may use")    \
    F(S, ENUM, reserve, bp_reserve, "", BP_RESERVE_DEVICE, 0, 0,                                   \
      "of what memory_frac is a share: the device, with everything in it; the same for weights "   \
      "and cache only (static); what is free for the cache in the end")                            \
    F(S, FLAG, prefix_cache, , "", 1, 0, 1,                                                        \
      "blocks of what is over stay until the room is needed, for prompts that begin the same")     \
    F(S, INT, block_tokens, , "tok", 16, 1, 65536, "tokens of one block of the KV cache")          \
    F(S, NUM, window_kept, , "frac", 0, 0, 1,                                                      \
      "share of a sequence's tokens that layers with a sliding window have room for in the "       \
      "cache; 0 = those of the window")                                                            \
    F(S, NUM, chunk_kept, , "frac", 1, 0, 1,                                                       \
      "the same of layers that attend within chunks (Llama 4)")                                    \
    F(S, INT, recv_interval, , "", 1, 1, 1e6,                                                      \
      "decode steps between two polls of the scheduler for requests")                              \
    F(S, INT, stream_interval, , "", 1, 1, 1e6, "tokens that are sent together")                   \
    F(S, INT, batch_wait, , "", 0, 0, 1e6, "steps prompts wait for company before they run")       \
    F(S, INT, graph_tokens, , "tok", 512, 0, 1e9, "largest decode batch with a captured graph")    \
    F(S, FLAG, graph_prompts, , "", 0, 0, 1, "steps with prompts run as captured graphs too")      \
    F(S, FLAG, graph_pieces, , "", 0, 0, 1,                                                        \
      "steps with prompts of up to graph_tokens tokens run as captured pieces, between which "     \
      "attention is launched")                                                                     \
    F(S, FLAG, graph_whole, , "", 1, 0, 1,                                                         \
      "steps that only decode are one captured graph each, else pieces as those with prompts")     \
    F(S, ENUM, sum_fusion, bp_sum_fusion, "", BP_SUM_FUSION_NONE, 0, 0,                            \
      "what the kernel of an all-reduce does besides: none; the norm that follows; quantize, "     \
      "that and the narrow input of the next matmul")                                              \
    F(S, FLAG, fused_experts, , "", 0, 0, 1,                                                       \
      "routing, permuting and experts are one call (kernels of TensorRT-LLM)")                     \
    F(S, ENUM, gathers, bp_gathers, "", BP_GATHERS_NONE, 0, 0,                                     \
      "kernels of experts that fetch their tokens themselves, where others permute them beside "   \
      "(Triton, Marlin): none, those of 16 bit, of 16 and 8 bit; none where fused")                \
    F(S, NUM, expert_launches, , "", 12, 0, 1e4,                                                   \
      "launches of an expert layer that only steps without graph have: routing, sorting, "         \
      "quantising, single kernels of experts; order of size (assumption); none where fused")       \
    F(S, NUM, packed_launches, , "", 12, 0, 1e4,                                                   \
      "the same of experts stored in fewer bits than they are multiplied in")                      \
    F(S, NUM, latent_launches, , "", 12, 0, 1e4,                                                   \
      "launches that only steps without graph have where keys are latent (MLA): parts that are "   \
      "split, normed and joined")                                                                  \
    F(S, NUM, scan_launches, , "", 20, 0, 1e4,                                                     \
      "the same of a layer with a recurrent state: convolution, gates, norms, passes of the "      \
      "chunked scan; order of size (assumption)")                                                  \
    F(S, FLAG, overlap, , "", 1, 0, 1, "the next step is planned while one runs")                  \
    F(S, FLAG, stages_ahead, , "", 1, 0, 1,                                                        \
      "so it is with pipeline stages, too; else each batch of theirs is planned by itself, after " \
      "the one before")                                                                            \
    F(S, FLAG, flash, , "", 0, 0, 1, "attention is FlashAttention's, not of kernels of its own")   \
    F(S, FLAG, narrow_prompts, , "", 0, 0, 1,                                                      \
      "prompts are attended to in 8 bit where the cache is, by devices that have the kernels")     \
    F(S, NUM, step_s, , "s", 1e-3, 0, 1, "host time of a step: scheduling, sampling, output")      \
    F(S, NUM, plan_s, , "s", 1e-3, 0, 1, "of a step, more where its planning does not overlap")    \
    F(S, NUM, sequence_s, , "s", 5e-6, 0, 1, "host time per sequence in a step")                   \
    F(S, NUM, plan_sequence_s, , "s", 2e-5, 0, 1,                                                  \
      "per sequence, more where its planning does not overlap")                                    \
    F(S, NUM, kernel_s, , "s", 2.2e-6, 0, 1,                                                       \
      "gap between kernels of a captured graph; a layer has ten or more")                          \
    F(S, NUM, eager_kernel_s, , "s", 4e-5, 0, 1,                                                   \
      "host time to launch a kernel without graph, in Python")                                     \
    F(S, NUM, front_s, , "s", 2e-2, 0, 100, "front end of a request: HTTP, tokens, first answer")  \
    F(S, NUM, front_token_s, , "s", 2e-6, 0, 1,                                                    \
      "of it, per token of the prompt: reading it in, one request after another")                  \
    F(S, NUM, submit_s, , "s", 1e-3, 0, 100, "time between two requests that arrive together")     \
    F(S, NUM, front_sequence_s, , "s", 5e-4, 0, 1,                                                 \
      "what each request in flight adds to the front end's time of a new one")                     \
    F(S, NUM, lag_steps, , "", 0.2, 0, 2,                                                          \
      "steps a new request waits for beside the one under way and the one planned")                \
    F(S, NUM, stream_wait, , "frac", 0, 0, 2,                                                      \
      "share of the rest of a stream interval that the first answer waits for")                    \
    F(S, NUM, launch, , "frac", 0.28, 0, 2,                                                        \
      "share of an isolated matmul's empty time that is left")                                     \
    F(S, NUM, stream, , "", 1, 0.2, 5,                                                             \
      "speed of reading dense weights over the isolated matmul's")                                 \
    F(S, NUM, moe, , "", 1, 0.2, 5, "speed of experts over that of isolated calls")                \
    F(S, NUM, expert_launch, , "frac", 0.7, 0, 2,                                                  \
      "share of an isolated expert layer's empty time that is left")                               \
    F(S, NUM, expert_setup, , "frac", 0.4, 0, 2,                                                   \
      "share that is left of what experts cost it that nobody visits: few kernels look at them")   \
    F(S, NUM, expert_skew, , "frac", 0.5, 0, 2,                                                    \
      "how uneven traffic loads expert-parallel ranks, over the routing of the timings")           \
    F(S, NUM, expert_spread, , "", 2, 0.1, 1e6,                                                    \
      "how alike traffic favours experts: shape of a gamma distribution; large = all alike")       \
    F(S, FLAG, own_collectives, , "", 1, 0, 1,                                                     \
      "it has kernels of its own for all-reduces of small messages, in place of NCCL's")           \
    F(S, NUM, head_bytes_s, , "B/s", 0, 0, 1e15,                                                   \
      "speed at which one block of threads reads those of a head of one sequence; 0: a kernel "    \
      "splits them over the device")                                                               \
    F(S, NUM, apart, , "", 0, 0, 10,                                                               \
      "query heads read their keys by themselves, each in this many times the time of a read "     \
      "(where a kernel splits keys over the device, if more than 512 heads decode); 0: those "     \
      "that share keys read them together")                                                        \
    F(S, INT, apart_below, , "", 0, 0, 1e6,                                                        \
      "so many that share keys read them together all the same; 0: however many do not")           \
    F(S, FLAG, heads_widen, , "", 0, 0, 1,                                                         \
      "where the cache is in 8 bit, each query head widens its keys and values by itself, on "     \
      "vector units")                                                                              \
    F(S, NUM, slowdown, , "", 1, 0.2, 10,                                                          \
      "time of all on the device over what its curves say: clocks, links and builds of one's own") \
    F(S, STRUCT, calibration, bp_calibration, "", 0, 0, 0, "what a sweep of one's own left over")  \
    F(S, NUM, context_bytes, , "B", 1.5e9, 0, 1e12, "device context, libraries and workspaces")    \
    F(S, INT, profile_tokens, , "tok", 0, 0, 1e9,                                                  \
      "tokens of the step that workspace is reserved for; 0: token_budget")                        \
    F(S, NUM, logit_bytes, , "B", 6, 0, 1e3,                                                       \
      "of a sequence and a word of the vocabulary while it samples")                               \
    F(S, NUM, graph_bytes, , "B", 1e9, 0, 1e12, "captured graphs")                                 \
    F(S, INT, max_loras, , "", 0, 0, 1e6,                                                          \
      "LoRA adapters that have room on the device at one time; 0: none is served")                 \
    F(S, INT, max_lora_rank, , "", 16, 1, 1e6, "rank that this room is made for")
BP_DECLARE_STRUCT(bp_engine, BP_ENGINE_FIELDS);

/* Steps that are planned already when a request comes, beside the one that runs. */
double bp_engine_ahead(const struct bp_engine *engine);

#endif
