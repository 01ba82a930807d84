#include "kernel/layer/diffusion.h"

#include <math.h>

#define TAPS 9.0 /* convolutions of 3 x 3 */
#define FILM_TAPS                                                                                  \
    27.0 /* and of three frames, in the autoencoder of films: Wan, arXiv:2503.20314 (2025), section 4.1 */
#define TIME_IN                                                                                    \
    256.0 /* sine embedding of a transformer's time: Peebles, Xie, arXiv:2212.09748 (2022) */
#define TIME_WIDER                                                                                 \
    4.0 /* time embedding of a U-Net over its first channels: Ho et al., arXiv:2006.11239 */
#define DOWN_BLOCKS                                                                                \
    2 /* residual blocks of a level: Rombach et al., arXiv:2112.10752 (2022), table 13 */
#define UP_BLOCKS 3
#define COLOURS 3.0
#define MLP_WIDER 4.0
#define CROSS_LAUNCHES 1.5 /* a third block beside attention and feed-forward part */

static struct bp_op_matmul *add(struct bp_diffusion_list *l, double count, double in, double out) {
    l->vectors += count * out;
    l->widest = fmax(l->widest, l->tokens * out);
    return bp_add_matmul(&l->list, BP_ROLE_MLP, BP_DEAL_WHOLE, count, in, out);
}

static void add_conv(struct bp_diffusion_list *l, double count, double in, double out) {
    add(l, count, l->taps * in, out)->taps = l->taps;
    l->convolutions += count;
}

/*
** Elements that kernels of their own read and write however well a runtime fuses, because they wait for all of a
** channel or a row: a group norm reads twice and writes once, a norm of a row reads and writes once, a gate reads
** two operands and writes one, a join reads and writes what it joins.
*/
#define GROUP_NORM 3.0
#define ROW_NORM 2.0
#define GATE 3.0
#define JOIN 2.0

/* One row of an image: what conditions all of it. */
static void add_vector(struct bp_diffusion_list *l, double count, double in, double out) {
    l->vectors += count * out;
    bp_add_matmul(&l->list, BP_ROLE_MLP, BP_DEAL_WHOLE, count, in, out)->others = 1;
}

static void add_params(struct bp_diffusion_list *l, double params) {
    l->vectors += params;
}

static struct bp_op_attention *add_attention(struct bp_diffusion_list *l, double count,
                                             double heads, double width) {
    struct bp_op_attention *op = bp_add_attention(&l->list, count);
    op->heads = op->kv_heads = heads;
    op->qk_dim = op->v_dim = width / heads;
    return op;
}

/* Two convolutions, each behind a norm; `time`: width of the embedding that is added, 0 in a decoder. */
static void add_residual(struct bp_diffusion_list *l, double in, double out, double time) {
    add_conv(l, 1, in, out);
    add_conv(l, 1, out, out);
    if (time > 0) {
        add_vector(l, 1, time, out);
    }
    if (in != out) {
        add(l, 1, in, out);
    }
    add_params(l, 2 * in + 2 * out);
    l->moved += GROUP_NORM * (in + out);
    l->passes += out;
}

/*
** Layers over all pixels: attention to themselves and to the prompt, a gated feed-forward part; before and
** behind them a matrix each: Rombach et al., arXiv:2112.10752 (2022), appendix E.2.1.
*/
static void add_transformers(struct bp_diffusion_list *l, double count, double layers, double c,
                             double heads, const struct bp_diffusion_model *m) {
    double n = count * layers, text = (double)m->text_dim;
    if (n == 0) {
        return;
    }
    add(l, 2 * count, c, c);
    bp_add_matmul(&l->list, BP_ROLE_MIXER, BP_DEAL_WHOLE, n, c, 3 * c);
    bp_add_matmul(&l->list, BP_ROLE_MIXER, BP_DEAL_WHOLE, n, c, c); /* queries to the prompt */
    bp_add_matmul(&l->list, BP_ROLE_MIXER, BP_DEAL_WHOLE, n, text, 2 * c)->others =
        (double)m->text_tok;
    add(l, 2 * n, c, c); /* outputs of both attentions */
    add(l, n, c, 2 * MLP_WIDER * c);
    add(l, n, MLP_WIDER * c, c);
    add_params(l, n * 6 * c + count * 2 * c); /* norms */
    add_attention(l, n, heads, c);
    add_attention(l, n, heads, c)->others = (double)m->text_tok;
    l->moved += count * GROUP_NORM * c + n * (3 * ROW_NORM + GATE * MLP_WIDER) * c;
    l->passes += n * c;
    l->layers += CROSS_LAUNCHES * n;
}

/* Channels that wait for the i-th residual block (from 0) of the way up at a level. */
static double skipped(const struct bp_diffusion_model *m, int level, int i) {
    int from = i < UP_BLOCKS - 1 || level == 0 ? level : level - 1;
    return (double)bp_unet_level(m, from)->channels;
}

static void add_way_down(struct bp_diffusion_list *l, const struct bp_diffusion_model *m, int level,
                         double time) {
    double c = (double)bp_unet_level(m, level)->channels;
    double before = level > 0 ? (double)bp_unet_level(m, level - 1)->channels : c;
    int i;
    for (i = 0; i < DOWN_BLOCKS; i++) {
        add_residual(l, i == 0 ? before : c, c, time);
    }
    l->kept += (DOWN_BLOCKS * c + before) * l->tokens;
}

static void add_way_up(struct bp_diffusion_list *l, const struct bp_diffusion_model *m, int level,
                       double time) {
    int i, deepest = level == bp_unet_levels(m) - 1;
    double c = (double)bp_unet_level(m, level)->channels;
    double below = deepest ? c : (double)bp_unet_level(m, level + 1)->channels;
    for (i = 0; i < UP_BLOCKS; i++) {
        double in = (i == 0 ? below : c) + skipped(m, level, i);
        add_residual(l, in, c, time);
        l->moved += JOIN * in;
    }
}

/* Between levels: a step down belongs to the coarser level, whose pixels it writes, a step up to the finer one. */
static void add_steps(struct bp_diffusion_list *l, const struct bp_diffusion_model *m, int level) {
    if (level > 0) {
        double above = (double)bp_unet_level(m, level - 1)->channels;
        add_conv(l, 1, above, above);
    }
    if (level < bp_unet_levels(m) - 1) {
        double below = (double)bp_unet_level(m, level + 1)->channels;
        add_conv(l, 1, below, below);
    }
}

/* First and last convolution, embedding of time and of what else conditions the image. */
static void add_ends(struct bp_diffusion_list *l, const struct bp_diffusion_model *m, double time) {
    double c = (double)m->level1.channels, latent = (double)m->latent_channels;
    add_conv(l, 1, latent, c);
    add_conv(l, 1, c, latent);
    add_vector(l, 1, c, time);
    add_vector(l, 1, time, time);
    if (m->pooled_dim > 0) {
        add_vector(l, 1, (double)m->pooled_dim, time);
        add_vector(l, 1, time, time);
    }
    add_params(l, 2 * c);
}

static void clear(struct bp_diffusion_list *l, double tokens) {
    bp_layer_clear(&l->list);
    l->tokens = tokens;
    l->taps = TAPS;
    l->vectors = l->moved = l->passes = l->convolutions = l->layers = l->kept = l->widest = 0;
}

static void finish(struct bp_diffusion_list *l) {
    bp_add_weights(&l->list, BP_ROLE_MLP, 1, l->vectors);
}

static void add_level(struct bp_diffusion_list *l, const struct bp_diffusion_model *m, int level) {
    const struct bp_unet_level *at = bp_unet_level(m, level);
    double time = TIME_WIDER * (double)m->level1.channels, c = (double)at->channels;
    double heads = (double)at->heads;
    int deepest = level == bp_unet_levels(m) - 1;
    add_way_down(l, m, level, time);
    add_way_up(l, m, level, time);
    add_transformers(l, DOWN_BLOCKS + UP_BLOCKS, (double)at->transformers, c, heads, m);
    add_steps(l, m, level);
    if (level == 0) {
        add_ends(l, m, time);
    }
    if (deepest) {
        add_residual(l, c, c, time);
        add_transformers(l, 1, (double)m->middle_transformers, c, heads, m);
        add_residual(l, c, c, time);
    }
}

/* One stream of a double layer over `rows` tokens: its share of joint attention, and its feed-forward part. */
static void add_stream(struct bp_diffusion_list *l, const struct bp_diffusion_model *m,
                       double count, double rows) {
    double h = (double)m->hidden;
    add_vector(l, count, h, 6 * h); /* shift, scale and gate of both halves */
    add(l, count, h, 3 * h)->others = rows;
    add(l, count, h, h)->others = rows;
    add(l, count, h, MLP_WIDER * h)->others = rows;
    add(l, count, MLP_WIDER * h, h)->others = rows;
    add_params(l, m->qk_norm ? count * 2 * h / (double)m->heads : 0);
}

/* Of text that ends with the layer only keys, values and queries are needed. */
static void add_last_text(struct bp_diffusion_list *l, const struct bp_diffusion_model *m,
                          double rows) {
    double h = (double)m->hidden;
    add_vector(l, 1, h, 2 * h);
    add(l, 1, h, 3 * h)->others = rows;
    add_params(l, m->qk_norm ? 2 * h / (double)m->heads : 0);
}

/*
** Esser et al., arXiv:2403.03206 (2024), figure 2, and the code of FLUX.1 (Black Forest Labs, 2024), whose
** single layers have attention and feed-forward part in two matrices.
*/
static void add_transformer(struct bp_diffusion_list *l, const struct bp_diffusion_model *m) {
    double h = (double)m->hidden, heads = (double)m->heads, text = (double)m->text_tok;
    double pixels = l->tokens - text, doubles = (double)m->double_layers;
    double singles = (double)m->single_layers, ends = m->last_text_ends ? 1 : 0;
    double latent = (double)(m->latent_channels * m->patch * m->patch);
    add_stream(l, m, doubles, pixels);
    add_stream(l, m, doubles - ends, text);
    if (ends > 0) {
        add_last_text(l, m, text);
    }
    if (singles > 0) {
        add_vector(l, singles, h, 3 * h);
        add(l, singles, h, (3 + MLP_WIDER) * h);
        add(l, singles, (1 + MLP_WIDER) * h, h);
        add_params(l, m->qk_norm ? singles * 2 * h / heads : 0);
    }
    add_attention(l, doubles + singles, heads, h);
    add(l, 1, latent, h)->others = pixels;
    add(l, 1, h, latent)->others = pixels;
    add(l, 1, (double)m->text_dim, h)->others = text;
    add_vector(l, m->guidance_input ? 2 : 1, TIME_IN, h); /* time, and strength of guidance */
    add_vector(l, m->guidance_input ? 2 : 1, h, h);
    add_vector(l, m->pooled_dim > 0, (double)m->pooled_dim, h);
    add_vector(l, m->pooled_dim > 0, h, h);
    add_vector(l, 1, h, 2 * h);
    add_params(l, (double)m->positions * h);
    /* Norms with shift and scale, gates of both halves, rotated queries and keys, text beside image; in a single
    ** layer attention's output is joined to the feed-forward part's. */
    l->moved = doubles * (2 * ROW_NORM + 2 * GATE + 2 * JOIN + 3 * JOIN) * h +
               singles * (ROW_NORM + GATE + 2 * JOIN + (1 + MLP_WIDER) * JOIN) * h;
    l->passes = (doubles + singles) * h;
    l->layers = 2 * doubles + singles; /* both streams launch their own kernels */
}

/*
** What the image stream of a double layer attends to itself beside the joint attention: Stable Diffusion 3.5 medium,
** MMDiT-X (Stability AI, 2024; code of diffusers, JointTransformerBlock with use_dual_attention).
*/
static void add_dual(struct bp_diffusion_list *l, const struct bp_diffusion_model *m) {
    double h = (double)m->hidden, n = (double)m->dual_layers;
    add_vector(l, n, h, 3 * h);
    add(l, n, h, 3 * h);
    add(l, n, h, h);
    add_params(l, m->qk_norm ? n * 2 * h / (double)m->heads : 0);
    add_attention(l, n, (double)m->heads, h);
    l->moved = n * (ROW_NORM + GATE + 2 * JOIN) * h;
    l->layers = n / 2; /* without a feed-forward part */
}

/*
** Layers over the image that attend to it and to the prompt: Chen et al., PixArt-alpha, arXiv:2310.00426 (2023), figure
** 4: one matrix makes shifts, scales and gates of the time for all layers, each of which adds a table of its own.
*/
static void add_cross_transformer(struct bp_diffusion_list *l, const struct bp_diffusion_model *m) {
    double h = (double)m->hidden, heads = (double)m->heads, text = (double)m->text_tok;
    double n = (double)m->cross_layers, latent = (double)(m->latent_channels * m->patch * m->patch);
    double wide = m->ffn_hidden > 0 ? (double)m->ffn_hidden : MLP_WIDER * h;
    add(l, n, h, 3 * h);
    add(l, 3 * n, h, h); /* queries to the prompt, outputs of both attentions */
    add(l, n, h, 2 * h)->others = text;
    add(l, n, h, wide);
    add(l, n, wide, h);
    add_params(l, n * 6 * h + (m->qk_norm ? n * 4 * h : 0));
    add_attention(l, n, heads, h);
    add_attention(l, n, heads, h)->others = text;
    add(l, 1, latent, h);
    add(l, 1, h, latent);
    add(l, 1, (double)m->text_dim, h)->others = text;
    add(l, 1, h, h)->others = text;
    add_vector(l, 1, TIME_IN, h);
    add_vector(l, 1, h, h);
    add_vector(l, 1, h, 6 * h);
    add_params(l, 2 * h + (double)m->positions * h);
    l->moved = n * (2 * ROW_NORM + 3 * GATE + (m->qk_norm ? 2 * ROW_NORM + 2 * JOIN : 0)) * h;
    l->passes = n * h;
    l->layers = CROSS_LAUNCHES * n;
}

/* Lists of a transformer: of layers over image and prompt, and of what the image stream does alone. */
static int transformer_list(const struct bp_diffusion_model *m, int n, double pixels,
                            struct bp_diffusion_list *out) {
    if (n > (m->dual_layers > 0)) {
        return 0;
    }
    clear(out, n > 0 || m->cross_layers > 0 ? pixels : pixels + (double)m->text_tok);
    if (n > 0) {
        add_dual(out, m);
    } else if (m->cross_layers > 0) {
        add_cross_transformer(out, m);
    } else {
        add_transformer(out, m);
    }
    finish(out);
    return 1;
}

int bp_denoiser_list(const struct bp_diffusion_model *model, int n, struct bp_latents latents,
                     struct bp_diffusion_list *out) {
    int levels = bp_unet_levels(model);
    double side = ldexp(1, n), patch = (double)model->patch;
    if (levels == 0) {
        return transformer_list(
            model, n, latents.frames * floor(latents.width / patch) * floor(latents.height / patch),
            out);
    }
    if (n >= levels) {
        return 0;
    }
    clear(out, ceil(latents.width / side) * ceil(latents.height / side));
    add_level(out, model, n);
    finish(out);
    return 1;
}

/* Channels at a level of the decoder, coarsest first: Rombach et al., the autoencoder with factor 8. */
static double decoded(const struct bp_diffusion_model *m, int n) {
    static const double wider[BP_UNET_LEVELS] = {4, 4, 2, 1};
    return (double)m->decoder_channels * wider[n];
}

/* Frames of a film at a level of the decoder, which doubles them until there are as many as in the film. */
static double frames_at(const struct bp_diffusion_model *m, int n, double latents) {
    return 1 + (latents - 1) * fmin(ldexp(1, n), (double)m->latent_frames);
}

int bp_decoder_list(const struct bp_diffusion_model *model, int n, struct bp_latents latents,
                    struct bp_diffusion_list *out) {
    double side = ldexp(1, n), pixels = latents.width * side * latents.height * side, c, before;
    int i;
    if (n >= BP_UNET_LEVELS) {
        return 0;
    }
    clear(out, pixels * frames_at(model, n, latents.frames));
    out->taps = model->latent_frames > 1 ? FILM_TAPS : TAPS;
    c = decoded(model, n);
    before = n > 0 ? decoded(model, n - 1) : c;
    for (i = 0; i < UP_BLOCKS; i++) {
        add_residual(out, i == 0 ? before : c, c, 0);
    }
    if (n > 0) {
        add_conv(out, 1, before, before); /* behind the copy of every pixel to four */
    } else {
        add_conv(out, 1, (double)model->latent_channels, c);
        add_residual(out, c, c, 0);
        add_residual(out, c, c, 0);
        add(out, 4, c, c); /* attention at the turn */
        add_params(out, 2 * c);
        add_attention(out, 1, 1, c)->others = latents.frames > 1 ? pixels : 0; /* frame by frame */
        out->layers += 1;
    }
    if (n == BP_UNET_LEVELS - 1) {
        add_conv(out, 1, c, COLOURS);
        add_params(out, 2 * c);
    }
    out->widest /= latents.frames; /* a film is decoded latent by latent */
    finish(out);
    return 1;
}
