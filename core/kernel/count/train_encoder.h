/*
** The encoder beside a decoder in training. It is taken to run on the first stage, whole, on the ranks of that
** stage: as Megatron Core places vision towers (encoder-pipeline-model-parallel-size 0).
*/
#ifndef BP_KERNEL_TRAIN_ENCODER_H
#define BP_KERNEL_TRAIN_ENCODER_H

#include "kernel/count/train_case.h"
#include "kernel/layer/encoder.h"

/* The encoder as a case of its own, of the inputs of one micro-batch. Borrows from the decoder's case. */
struct bp_encoder_case {
    struct bp_train_case c;
    struct bp_encoder_lists lists;
    struct bp_params_out params;
    struct bp_plan plan;
    struct bp_job job;
    double scale; /* inputs of a micro-batch over those that the case computes, which are whole */
    int trains;   /* its layers learn; a frozen one and one under adapters do not */
    int learns;   /* the projector does */
};

/* Whether the model has an encoder that runs; without inputs (images 0) it does not. */
int bp_encoder_case(const struct bp_train_case *c, struct bp_encoder_case *out);

/* Bytes that one device of the first stage keeps of one micro-batch's encoder until its backward. */
double bp_encoder_kept(const struct bp_train_case *c);

/*
** Parameters outside the stack, of the encoder and of what nothing is timed of (model.extra_params), that a tensor-parallel
** rank of the first stage has, and those of them that learn.
*/
struct bp_encoder_share {
    double all, trained;
};
struct bp_encoder_share bp_encoder_share(const struct bp_train_case *c);

#endif
