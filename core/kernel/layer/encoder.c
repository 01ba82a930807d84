#include "kernel/layer/encoder.h"

/* Taps of the two convolutions over a spectrogram: Radford et al., arXiv:2212.04356 (2022), section 2.2. */
#define TAPS 3.0

/* The second of them takes every other step, so that a token is made of two. */
#define STEPS 2.0

/* A patch is one row of a matmul: Dosovitskiy et al., arXiv:2010.11929 (2020), section 3.1. */
static void add_patches(struct bp_layer *list, const struct bp_encoder *e, double tok) {
    double h = (double)e->hidden, side = (double)e->patch_size;
    double pixels = (double)(e->channels * e->frames) * side * side;
    bp_add_matmul(list, BP_ROLE_MIXER, BP_DEAL_WHOLE, 1, pixels, h)->others =
        tok - (double)e->class_tokens;
    bp_add_weights(list, BP_ROLE_MIXER, 1, (e->patch_bias ? h : 0) + (double)e->class_tokens * h);
}

static void add_spectrogram(struct bp_layer *list, const struct bp_encoder *e, double tok) {
    double h = (double)e->hidden;
    bp_add_matmul(list, BP_ROLE_MIXER, BP_DEAL_WHOLE, 1, TAPS * (double)e->mel_bins, h)->others =
        STEPS * tok;
    bp_add_matmul(list, BP_ROLE_MIXER, BP_DEAL_WHOLE, 1, TAPS * h, h);
    bp_add_weights(list, BP_ROLE_MIXER, 1, 2 * h);
    bp_add_pass(list, BP_PASS_PLAIN, BP_ROLE_MIXER, 1, (STEPS + 1) * h);
}

static void add_matrix(struct bp_layer *list, enum bp_deal deal, double count, double rows,
                       double in, double out) {
    bp_add_matmul(list, BP_ROLE_MIXER, deal, count, in, out)->others = rows;
}

/* What the second matrix reads. */
static void add_between(struct bp_layer *list, double count, double rows, double width,
                        double merge) {
    bp_add_pass(list, BP_PASS_PLAIN, BP_ROLE_MIXER, count, width / merge);
    bp_add_kept(list, BP_KEPT_STREAM, BP_KEPT_RANKS, BP_ROLE_MIXER, count, width)->others = rows;
    bp_add_kept(list, BP_KEPT_ACTIVATION, BP_KEPT_RANKS, BP_ROLE_MIXER, count, width)->others =
        rows;
}

static double norm_params(const struct bp_encoder *e, double width) {
    return e->norm == BP_NORM_NONE ? 0 : (e->norm == BP_NORM_LAYER ? 2 : 1) * width;
}

/* Merged patches to the decoder's width, once for the last layer and once for each inner one. */
static void add_projector(struct bp_layer *list, const struct bp_model *m, double tok) {
    const struct bp_encoder *e = &m->encoder;
    double merge = (double)e->merge, merged = (e->pooled ? 1 : merge) * (double)e->hidden;
    double rows = (tok - (double)e->class_tokens) / merge;
    double in = merged, out = (double)m->hidden, inside = (double)e->projector_hidden;
    double count = 1 + (double)e->deepstack;
    if (e->projector_rank > 0) {
        in = (double)e->projector_rank;
        add_matrix(list, BP_DEAL_WHOLE, count, rows, merged, in);
    }
    if (e->projector_layers == 1) {
        add_matrix(list, BP_DEAL_WHOLE, count, rows, in, out);
    } else {
        add_matrix(list, BP_DEAL_COLUMNS, count, rows, in, inside);
        add_matrix(list, BP_DEAL_ROWS, count, rows, inside, out);
        add_between(list, count, rows, inside, merge);
    }
    bp_add_weights(list, BP_ROLE_MIXER, count,
                   e->projector_bias ? out + (e->projector_layers == 2 ? inside : 0) : 0);
    bp_add_weights(list, BP_ROLE_MIXER, (double)e->deepstack, norm_params(e, merged));
    bp_add_kept(list, BP_KEPT_INPUT, BP_KEPT_SEQUENCE, BP_ROLE_MIXER, count, merged)->others = rows;
}

int bp_encoder_lists(const struct bp_model *model, struct bp_encoder_lists *out) {
    const struct bp_encoder *e = &model->encoder;
    int across = model->cross_layers > 0;
    double merge = (double)e->merge;
    if (e->layers == 0) {
        return 0;
    }
    bp_encoder_model(model, &out->model);
    bp_layers_of(&out->model, &out->layers);
    bp_layer_clear(&out->front);
    bp_layer_clear(&out->projector);
    out->inputs = across ? 1 : model->images;
    out->tok = across ? merge * (double)model->cross_tok
                      : merge * (double)model->image_tok + (double)e->class_tokens;
    if (e->patch_size > 0) {
        add_patches(&out->front, e, out->tok);
    }
    if (e->mel_bins > 0) {
        add_spectrogram(&out->front, e, out->tok);
    }
    if (e->projector_layers > 0) {
        add_projector(&out->projector, model, out->tok);
    }
    return 1;
}
