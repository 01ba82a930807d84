/* Images by diffusion: steps of a denoiser over latents, then a decoder. */
#ifndef BP_KERNEL_DIFFUSION_H
#define BP_KERNEL_DIFFUSION_H

#include "kernel/describe/device.h"
#include "kernel/describe/diffusion.h"
#include "kernel/field.h"
#include "kernel/status.h"
#include "kernel/time/runtime.h"

#define BP_DIFFUSION_IN_FIELDS(F, S)                                                               \
    F(S, STRUCT, model, bp_diffusion_model, "", 0, 0, 0, "what draws")                             \
    F(S, STRUCT, device, bp_device, "", 0, 0, 0, "where it runs, one of them")                     \
    F(S, STRUCT, runtime, bp_runtime, "", 0, 0, 0, "by which software")                            \
    F(S, ENUM, dtype, bp_dtype, "", BP_DTYPE_FP16, 0, 0,                                           \
      "format of the denoiser's weights and matmuls")                                              \
    F(S, ENUM, decoder_dtype, bp_dtype, "", BP_DTYPE_FP16, 0, 0, "format of the decoder")          \
    F(S, INT, batch, , "", 1, 1, 1e6, "images of one call")                                        \
    F(S, INT, width, , "", 0, 0, 65536, "pixels; 0 = what the model was made for")                 \
    F(S, INT, height, , "", 0, 0, 65536, "pixels; 0 = width")                                      \
    F(S, INT, frames, , "", 0, 0, 100000, "frames of a film; 0 = what the model was made for")     \
    F(S, INT, steps, , "", 0, 0, 10000, "denoising steps; 0 = those usual with the model")         \
    F(S, INT, passes, , "", 0, 0, 16,                                                              \
      "passes of a step: 2 with classifier-free guidance, 1 without; 0 = as the model is guided")
BP_DECLARE_STRUCT(bp_diffusion_in, BP_DIFFUSION_IN_FIELDS);

#define BP_DIFFUSION_OUT_FIELDS(F, S)                                                              \
    F(S, NUM, time_s, , "s", 0, 0, BP_ANY, "time of the call, without text encoders")              \
    F(S, NUM, per_s, , "1/s", 0, 0, BP_ANY, "images per second, calls back to back")               \
    F(S, NUM, step_s, , "s", 0, 0, BP_ANY, "one step of all images and passes")                    \
    F(S, NUM, denoise_s, , "s", 0, 0, BP_ANY, "all steps")                                         \
    F(S, NUM, decode_s, , "s", 0, 0, BP_ANY, "latents to pixels")                                  \
    F(S, NUM, matmul_s, , "s", 0, 0, BP_ANY, "matmuls and convolutions")                           \
    F(S, NUM, attention_s, , "s", 0, 0, BP_ANY, "attention")                                       \
    F(S, NUM, elementwise_s, , "s", 0, 0, BP_ANY, "norms, additions, activations")                 \
    F(S, NUM, host_s, , "s", 0, 0, BP_ANY, "calls, and launches that the device waits for")        \
    F(S, NUM, tokens, , "tok", 0, 0, BP_ANY,                                                       \
      "length of the longest sequence of attention in the denoiser, of one image")                 \
    F(S, NUM, pass_flop, , "FLOP", 0, 0, BP_ANY, "one pass of the denoiser over one image")        \
    F(S, NUM, decode_flop, , "FLOP", 0, 0, BP_ANY, "the decoder over one image")                   \
    F(S, NUM, item_flop, , "FLOP", 0, 0, BP_ANY, "one image: all passes and the decoder")          \
    F(S, ENUM, bound, bp_inference_bound, "", 0, 0, 0, "the largest part of a step")               \
    F(S, NUM, util_frac, , "frac", 0, 0, BP_ANY, "share of the dense peak that is reached")        \
    F(S, NUM, denoiser_params, , "", 0, 0, BP_ANY, "parameters of the denoiser")                   \
    F(S, NUM, decoder_params, , "", 0, 0, BP_ANY, "parameters of the decoder")                     \
    F(S, NUM, weights_bytes, , "B", 0, 0, BP_ANY, "weights of both")                               \
    F(S, NUM, denoise_bytes, , "B", 0, 0, BP_ANY, "activations of a step")                         \
    F(S, NUM, decode_bytes, , "B", 0, 0, BP_ANY, "activations of the decoder, all images at once") \
    F(S, NUM, memory_bytes, , "B", 0, 0, BP_ANY, "weights and the larger of both activations")     \
    F(S, FLAG, fits, , "", 0, 0, 1, "within the device's memory")
BP_DECLARE_STRUCT(bp_diffusion_out, BP_DIFFUSION_OUT_FIELDS);

int bp_diffusion(const struct bp_diffusion_in *in, struct bp_diffusion_out *out,
                 struct bp_error *err);

#endif
