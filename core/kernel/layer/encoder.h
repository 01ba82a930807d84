/* The encoder beside a decoder as lists of operations: its layers, what lies before them and behind. */
#ifndef BP_KERNEL_ENCODER_H
#define BP_KERNEL_ENCODER_H

#include "kernel/layer/layer.h"

/* Where an operation of front or projector has rows of its own, they are its `others`. */
struct bp_encoder_lists {
    struct bp_model model;   /* the encoder as a model of its own */
    struct bp_layers layers; /* layers.stack: its layers */
    struct bp_layer front;   /* patches of an image, or steps of a spectrogram, to tokens */
    struct bp_layer projector;
    double tok;    /* of one input (a text, a sound, an image) in the encoder */
    double inputs; /* of one sequence of the decoder, which may be a fraction: a mean */
};

/* Of a resolved model: whether it has an encoder. Without one nothing is filled in. */
int bp_encoder_lists(const struct bp_model *model, struct bp_encoder_lists *out);

#endif
