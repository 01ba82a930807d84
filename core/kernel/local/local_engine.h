/*
** How a local engine uses one kind of place, a GPU or a processor: what its kernels reach of bandwidth and peaks, and
** what it spends around them. Values per engine and back end, with their fit, are in
** lua/ballpark/catalog/fitted/local.lua.
*/
#ifndef BP_KERNEL_LOCAL_ENGINE_H
#define BP_KERNEL_LOCAL_ENGINE_H

#include "kernel/field.h"

#define BP_LOCAL_SPLIT(E)                                                                          \
    E(BP_LOCAL_SPLIT_LAYERS, "layers")                                                             \
    E(BP_LOCAL_SPLIT_TENSORS, "tensors")
BP_DECLARE_ENUM(bp_local_split, BP_LOCAL_SPLIT);

#define BP_LOCAL_ENGINE_FIELDS(F, S)                                                               \
    F(S, NOTE, name, , "", 0, 0, 0, "engine and back end")                                         \
    F(S, NOTE, source, , "", 0, 0, 0, "where the numbers come from")                               \
    F(S, ENUM, split, bp_local_split, "", BP_LOCAL_SPLIT_LAYERS, 0, 0,                             \
      "how several devices share a model: layers one after another, or every matrix")              \
    F(S, FLAG, int8, , "", 1, 0, 1,                                                                \
      "prompts multiply packed weights in int8 where the device can, else unpacked in 16 bit")     \
    F(S, FLAG, accumulate16, , "", 0, 0, 1,                                                        \
      "16-bit matmuls accumulate in 16 bit, which GeForce's matrix units do at twice the rate")    \
    F(S, FLAG, host_embedding, , "", 1, 0, 1, "the token embedding stays with the host")           \
    F(S, FLAG, latent_prompts, , "", 0, 0, 1,                                                      \
      "a prompt attends to the cached latents of MLA as a generated token does, not to keys of "   \
      "every head")                                                                                \
    F(S, INT, ubatch, , "tok", 512, 1, 1e6, "tokens of a prompt in one pass at most")              \
    F(S, NUM, stream16, , "frac", 0.8, 0.001, 2, "share of bandwidth 16-bit weights are read at")  \
    F(S, NUM, stream8, , "frac", 0.8, 0.001, 2, "the same of 8-bit weights")                       \
    F(S, NUM, stream4, , "frac", 0.75, 0.001, 2, "the same of weights with fewer bits")            \
    F(S, NUM, stream_plain, , "frac", 0.8, 0.001, 2,                                               \
      "the same where a block is 32 weights and a scale (Q4_0, MXFP4), no block of blocks")        \
    F(S, INT, stride, , "", 1, 1, 1e6,                                                             \
      "weights in blocks of blocks that a kernel of one token takes of a row at a time")           \
    F(S, NUM, unpack, , "FLOP", 4, 0, 1e4,                                                         \
      "work on vector units for a packed weight, at the fp32 rate, beside reading it")             \
    F(S, NUM, unpack_plain, , "FLOP", 4, 0, 1e4,                                                   \
      "the same of blocks of 32 weights and a scale (Q4_0, Q8_0, MXFP4)")                          \
    F(S, NUM, convert, , "FLOP", 2, 0, 1e4, "the same for a 16-bit weight")                        \
    F(S, NUM, stream_kv, , "frac", 0.5, 0.001, 2, "share of bandwidth the KV cache is read at")    \
    F(S, NUM, score, , "frac", 0.2, 0.0001, 2,                                                     \
      "share of the fp32 rate at which one token attends to the cache")                            \
    F(S, NUM, gap_s, , "s", 2e-5, 0, 1, "gaps between the kernels of a layer")                     \
    F(S, NUM, host_s, , "s", 1e-5, 0, 1,                                                           \
      "time of the host to launch a layer, which hides behind the device's or hides it")           \
    F(S, NUM, split_s, , "s", 2e-5, 0, 1, "per layer, more where several devices share a model")   \
    F(S, NUM, token_s, , "s", 2e-4, 0, 1, "host time of a token: sampling, reading it back")       \
    F(S, NUM, hop_s, , "s", 1e-4, 0, 1, "handing a token from device to device")                   \
    F(S, NUM, matmul16, , "frac", 0.5, 0.0001, 2,                                                  \
      "share of the 16-bit peak that matmuls of a prompt reach with 16-bit weights")               \
    F(S, NUM, matmul8, , "frac", 0.3, 0.0001, 2,                                                   \
      "the same with packed weights, of the peak they are multiplied at")                          \
    F(S, NUM, experts, , "frac", 1, 0.01, 2,                                                       \
      "share of it that matmuls of routed experts reach: experts have unlike numbers of "          \
      "tokens, and blocks of a kernel unlike work")                                                \
    F(S, NUM, op_j, , "J", 0, 0, 1e-6,                                                             \
      "energy of an int8 operation in matmuls, twice that in 16 bit: power limits them; 0 = not")  \
    F(S, NUM, scaling, , "FLOP", 0, 0, 100,                                                        \
      "work on vector units, at the fp32 rate, for an int8 operation of a matmul: every block's "  \
      "sum is scaled")                                                                             \
    F(S, NUM, rows0, , "tok", 32, 0, 1e5, "tokens at which a matmul of a prompt is half as fast")  \
    F(S, NUM, k0, , "", 200, 0, 1e5,                                                               \
      "depth that start and end of a tile cost in matmuls of a prompt, in elements of a sum; "     \
      "twice that in int8, whose sums go twice as fast")                                           \
    F(S, NUM, activation_bytes, , "B", 2, 0, 8, "a value that a matmul of a prompt writes")        \
    F(S, NUM, between, , "frac", 0.8, 0.001, 20,                                                   \
      "share of bandwidth at which a prompt's values between matmuls are read and written; above " \
      "1 where caches hold them")                                                                  \
    F(S, NUM, attention, , "frac", 0.15, 0.0001, 2,                                                \
      "share of the 16-bit peak that attention of a prompt reaches")                               \
    F(S, NUM, pipelined, , "frac", 0.3, 0, 1,                                                      \
      "share of the gain of passes that follow one another through devices which is had")          \
    F(S, NUM, pass_s, , "s", 5e-5, 0, 1,                                                           \
      "time of a layer in a pass over a prompt, whatever its length")
BP_DECLARE_STRUCT(bp_local_engine, BP_LOCAL_ENGINE_FIELDS);

#endif
