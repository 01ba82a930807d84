/*
** A diffusion model as lists of operations: one for each resolution, whose tokens are its pixels; a matmul
** with `others` has so many rows of an image, an attention with `others` so many keys of the prompt.
*/
#ifndef BP_KERNEL_DIFFUSION_LISTS_H
#define BP_KERNEL_DIFFUSION_LISTS_H

#include "kernel/describe/diffusion.h"
#include "kernel/layer/layer.h"

/* Latents of an image, or of a film. */
struct bp_latents {
    double width, height, frames;
};

struct bp_diffusion_list {
    struct bp_layer list;
    double tokens; /* of one image */
    double taps;   /* of its convolutions */
    double
        vectors;  /* parameters of norms, biases and tables so far, which the list has at its end */
    double moved; /* values of one token that no runtime keeps inside a matmul */
    double passes; /* widths of all its layers together, that elementwise kernels read and write */
    double convolutions; /* how many */
    double layers;       /* launches beside convolutions, in those of a layer of an encoder */
    double kept;         /* values of one image that wait for the way up */
    double widest;       /* values of one image that the widest operation writes */
};

/* The n-th list of a pass over latents; 0 where there are fewer. */
int bp_denoiser_list(const struct bp_diffusion_model *model, int n, struct bp_latents latents,
                     struct bp_diffusion_list *out);

/* The same of the decoder, coarsest first. */
int bp_decoder_list(const struct bp_diffusion_model *model, int n, struct bp_latents latents,
                    struct bp_diffusion_list *out);

#endif
