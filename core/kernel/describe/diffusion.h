/*
** Diffusion models that draw images: what takes noise out of latents (a U-Net or a transformer over text and
** image) and the decoder that makes pixels of them.
*/
#ifndef BP_KERNEL_DIFFUSION_MODEL_H
#define BP_KERNEL_DIFFUSION_MODEL_H

#include "kernel/field.h"
#include "kernel/status.h"

enum { BP_UNET_LEVELS = 4 };

#define BP_UNET_LEVEL_FIELDS(F, S)                                                                 \
    F(S, INT, channels, , "", 0, 0, 1e6, "channels at this resolution; 0 = no such level")         \
    F(S, INT, transformers, , "", 0, 0, 1000, "transformer layers behind each residual block")     \
    F(S, INT, heads, , "", 8, 1, 1e4, "attention heads")
BP_DECLARE_STRUCT(bp_unet_level, BP_UNET_LEVEL_FIELDS);

#define BP_DIFFUSION_MODEL_FIELDS(F, S)                                                            \
    F(S, NOTE, name, , "", 0, 0, 0, "what people call it")                                         \
    F(S, NOTE, source, , "", 0, 0, 0, "where the shape was read")                                  \
    F(S, NOTE, notes, , "", 0, 0, 0, "what else a reader should know")                             \
    F(S, NOTE, published_params, , "", 0, 0, 0,                                                    \
      "parameters of the denoiser that its authors state")                                         \
    F(S, NOTE, published_source, , "", 0, 0, 0, "where that count was stated")                     \
    F(S, NOTE, texts, , "", 0, 0, 0,                                                               \
      "text encoders: { { name =, tokens =, or a shape } }, see ballpark catalog diffusion")       \
    F(S, INT, image, , "", 512, 64, 65536, "pixels of a side that it was made for")                \
    F(S, INT, image_height, , "", 0, 0, 65536, "pixels of the other side; 0 = image")              \
    F(S, INT, frames, , "", 1, 1, 100000, "frames that it was made for; 1 = images")               \
    F(S, INT, latent_frames, , "", 1, 1, 64, "frames of a latent behind the first, of films")      \
    F(S, INT, steps, , "", 30, 1, 10000, "steps that are usual")                                   \
    F(S, FLAG, guided, , "", 1, 0, 1,                                                              \
      "classifier-free guidance: every step is computed with the prompt and without")              \
    F(S, INT, latent_channels, , "", 4, 1, 1e4, "channels of the latents")                         \
    F(S, INT, latent_scale, , "", 8, 1, 64, "pixels of a latent's side")                           \
    F(S, INT, text_tok, , "tok", 77, 1, 1e6, "tokens of the prompt, padded, that it attends to")   \
    F(S, INT, text_dim, , "", 768, 1, 1e6, "width of these tokens")                                \
    F(S, INT, pooled_dim, , "", 0, 0, 1e6, "width of what conditions all of the image; 0 = none")  \
    F(S, STRUCT, level1, bp_unet_level, "", 0, 0, 0, "U-Net: finest level; channels 0: no U-Net")  \
    F(S, STRUCT, level2, bp_unet_level, "", 0, 0, 0, "half the resolution")                        \
    F(S, STRUCT, level3, bp_unet_level, "", 0, 0, 0, "a quarter of it")                            \
    F(S, STRUCT, level4, bp_unet_level, "", 0, 0, 0, "an eighth of it")                            \
    F(S, INT, middle_transformers, , "", 1, 0, 1000, "U-Net: transformer layers at the turn")      \
    F(S, INT, hidden, , "", 0, 0, 1e6, "transformer: width of both streams; 0 = a U-Net")          \
    F(S, INT, heads, , "", 24, 1, 1e4, "transformer: attention heads of hidden / heads")           \
    F(S, INT, patch, , "", 2, 1, 64, "transformer: latents of a token's side")                     \
    F(S, INT, double_layers, , "", 0, 0, 10000,                                                    \
      "transformer: layers with weights of their own for text and image, which attend jointly")    \
    F(S, INT, single_layers, , "", 0, 0, 10000,                                                    \
      "transformer: layers of one stream, attention beside the feed-forward part (FLUX)")          \
    F(S, INT, dual_layers, , "", 0, 0, 10000,                                                      \
      "transformer: so many first double layers attend among the image once more (SD 3.5 medium)") \
    F(S, INT, cross_layers, , "", 0, 0, 10000,                                                     \
      "transformer: layers over the image alone that attend to the prompt, too (PixArt)")          \
    F(S, INT, ffn_hidden, , "", 0, 0, 1e6,                                                         \
      "transformer: width of the feed-forward part of such layers; 0 = 4 hidden")                  \
    F(S, FLAG, last_text_ends, , "", 0, 0, 1,                                                      \
      "transformer: the last double layer leaves no text behind (Stable Diffusion 3)")             \
    F(S, FLAG, qk_norm, , "", 0, 0, 1, "transformer: norms of queries and keys by head")           \
    F(S, FLAG, guidance_input, , "", 0, 0, 1,                                                      \
      "transformer: the strength of guidance is an input (FLUX.1-dev)")                            \
    F(S, INT, positions, , "", 0, 0, 1e9, "transformer: rows of a stored position table")          \
    F(S, INT, decoder_channels, , "", 128, 1, 1e5,                                                 \
      "decoder: channels at full resolution; 2, 4 and 4 times as many at the coarser ones")
BP_DECLARE_STRUCT(bp_diffusion_model, BP_DIFFUSION_MODEL_FIELDS);

/* Level 0 (finest) to BP_UNET_LEVELS - 1. */
const struct bp_unet_level *bp_unet_level(const struct bp_diffusion_model *model, int level);

/* Levels of the U-Net; 0: it is a transformer. */
int bp_unet_levels(const struct bp_diffusion_model *model);

/* Whether the shape makes sense: one kind of denoiser, heads that divide. Errors: BP_EDOMAIN. */
int bp_diffusion_check(const struct bp_diffusion_model *model, struct bp_error *err);

#endif
