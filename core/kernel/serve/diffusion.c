#include "kernel/serve/diffusion.h"

#include "kernel/layer/diffusion.h"
#include "kernel/registry.h"
#include "kernel/serve/forward.h"

#include <math.h>

/*
** Tensors as large as the widest that live at once: around a convolution its input, the norm's and the
** activation function's output and its own (assumption: PyTorch, nothing in place).
*/
#define ALIVE 4.0

/* Flash attention has kernels for heads of 32, 64, 96, ... (its code, 2023); others are padded to the next. */
#define HEAD_STEP 32.0

typedef int list_fn(const struct bp_diffusion_model *model, int n, struct bp_latents latents,
                    struct bp_diffusion_list *out);

/* A whole pass of the denoiser or the decoder. */
struct pass {
    struct bp_forward f;
    double matmul_s, params, kept, widest;
    double tokens; /* of the longest attention */
};

static void add_matmuls(struct pass *p, const struct bp_diffusion_list *l, double items) {
    int i;
    for (i = 0; i < l->list.matmuls; i++) {
        const struct bp_op_matmul *op = &l->list.matmul[i];
        double rows = items * (op->others > 0 ? op->others : l->tokens);
        if (op->taps > 0) {
            bp_forward_convolution(&p->f, op->count, rows, op->out, op->in, op->taps);
        } else {
            bp_forward_matmul(&p->f, op->count, rows, op->out, op->in);
        }
    }
}

static void add_attention(struct pass *p, const struct bp_diffusion_list *l, double items) {
    int i;
    for (i = 0; i < l->list.attentions; i++) {
        const struct bp_op_attention *op = &l->list.attention[i];
        struct bp_attention_shape s = {0};
        s.batch = items;
        s.heads = s.kv_heads = op->heads;
        s.qk_dim = s.v_dim = op->qk_dim;
        s.seq_q = l->tokens;
        s.seq_kv = op->others > 0 ? op->others : l->tokens;
        s.flash = 1;
        p->tokens = fmax(p->tokens, op->others > 0 ? 0 : l->tokens);
        p->f.flop += op->count * bp_attention_flop(&s);
        s.qk_dim = s.v_dim = ceil(op->qk_dim / HEAD_STEP) * HEAD_STEP;
        bp_forward_attention(&p->f, &s, op->count, s.seq_kv <= (double)p->f.runtime->fused_tokens);
    }
}

static struct pass run(const struct bp_diffusion_in *in, list_fn *lists, enum bp_dtype dtype,
                       double items, struct bp_latents latents) {
    struct pass p = {bp_forward_of(&in->device, &in->runtime, dtype), 0, 0, 0, 0, 0};
    struct bp_diffusion_list l;
    double moved = 0, launches = 0, value = bp_runtime_activation_bytes(dtype);
    int n;
    for (n = 0; lists(&in->model, n, latents, &l); n++) {
        add_matmuls(&p, &l, items);
        moved += fmax(in->runtime.passes * l.passes, l.moved) * l.tokens * items;
        launches += l.layers * (double)in->runtime.kernels +
                    l.convolutions * (double)in->runtime.conv_kernels;
        p.params += bp_layer_params(&l.list, 0).all;
        p.kept += items * l.kept * value;
        p.widest = fmax(p.widest, items * l.widest * value);
    }
    p.matmul_s = p.f.sum.kernels_s;
    for (n = 0; lists(&in->model, n, latents, &l); n++) {
        add_attention(&p, &l, items);
    }
    bp_forward_stream(&p.f, moved * value);
    p.f.sum.host_s = in->runtime.host_kernel_s * launches;
    return p;
}

static void add_times(const struct pass *p, double times, struct bp_diffusion_out *out) {
    double whole = bp_runtime_total(p->f.runtime, &p->f.sum);
    out->time_s += times * whole;
    out->matmul_s += times * p->matmul_s;
    out->attention_s += times * p->f.attention_s;
    out->elementwise_s += times * (p->f.sum.kernels_s - p->matmul_s - p->f.attention_s);
    out->host_s += times * fmax(0, whole - p->f.sum.kernels_s);
}

static void answer_memory(const struct bp_diffusion_in *in, const struct pass *step,
                          const struct pass *decode, struct bp_diffusion_out *out) {
    out->denoiser_params = step->params;
    out->decoder_params = decode->params;
    out->weights_bytes = step->params * bp_dtype_bytes(step->f.dtype) +
                         decode->params * bp_dtype_bytes(decode->f.dtype);
    out->denoise_bytes = step->kept + ALIVE * step->widest;
    out->decode_bytes = ALIVE * decode->widest;
    out->memory_bytes = out->weights_bytes + fmax(out->denoise_bytes, out->decode_bytes);
    out->fits = out->memory_bytes <= (double)in->device.memory_bytes;
}

static int check(const struct bp_diffusion_in *in, double width, double height, double frames,
                 struct bp_error *err) {
    const struct bp_diffusion_model *m = &in->model;
    double multiple =
        (double)(m->latent_scale * (bp_unet_levels(m) > 0 ? 1 : m->patch)); /* of pixels */
    int code = bp_diffusion_check(m, err);
    if (code != BP_OK) {
        return code;
    }
    if (fmod(width, multiple) != 0 || fmod(height, multiple) != 0) {
        return bp_fail(err, BP_EDOMAIN, fmod(width, multiple) != 0 ? "width" : "height",
                       "must be a multiple of %.0f pixels", multiple);
    }
    if (frames > 1 && m->latent_frames == 1) {
        return bp_fail(err, BP_EDOMAIN, "frames", "the model draws images: 1 frame");
    }
    if (fmod(frames - 1, (double)m->latent_frames) != 0) {
        return bp_fail(err, BP_EDOMAIN, "frames", "must be 1 more than a multiple of %.0f",
                       (double)m->latent_frames);
    }
    if (!(bp_device_peak(&in->device, (enum bp_dtype)in->dtype) > 0)) {
        return bp_fail(err, BP_EDOMAIN, "dtype", "the device has no %s arithmetic",
                       bp_dtype_names[in->dtype]);
    }
    if (!(bp_device_peak(&in->device, (enum bp_dtype)in->decoder_dtype) > 0)) {
        return bp_fail(err, BP_EDOMAIN, "decoder_dtype", "the device has no %s arithmetic",
                       bp_dtype_names[in->decoder_dtype]);
    }
    return BP_OK;
}

int bp_diffusion(const struct bp_diffusion_in *in, struct bp_diffusion_out *out,
                 struct bp_error *err) {
    const struct bp_diffusion_model *m = &in->model;
    double width = (double)(in->width > 0 ? in->width : m->image);
    double other = in->width == 0 && m->image_height > 0 ? (double)m->image_height : width;
    double height = in->height > 0 ? (double)in->height : other, scale = (double)m->latent_scale;
    double frames = (double)(in->frames > 0 ? in->frames : m->frames);
    struct bp_latents latents = {width / scale, height / scale,
                                 1 + (frames - 1) / (double)m->latent_frames};
    double steps = (double)(in->steps > 0 ? in->steps : m->steps), batch = (double)in->batch;
    double passes = (double)(in->passes > 0 ? in->passes : 1 + (m->guided != 0));
    struct pass step, decode;
    int code = check(in, width, height, frames, err);
    if (code != BP_OK) {
        return code;
    }
    step = run(in, bp_denoiser_list, (enum bp_dtype)in->dtype, batch * passes, latents);
    decode = run(in, bp_decoder_list, (enum bp_dtype)in->decoder_dtype, batch, latents);
    add_times(&step, steps, out);
    add_times(&decode, 1, out);
    out->step_s = bp_runtime_total(&in->runtime, &step.f.sum);
    out->denoise_s = steps * out->step_s;
    out->decode_s = bp_runtime_total(&in->runtime, &decode.f.sum);
    out->per_s = batch / out->time_s;
    out->tokens = step.tokens;
    out->pass_flop = step.f.flop / (batch * passes);
    out->decode_flop = decode.f.flop / batch;
    out->item_flop = steps * passes * out->pass_flop + out->decode_flop;
    out->bound = (int)bp_runtime_bound(&in->runtime, &step.f.sum);
    out->util_frac = batch * out->item_flop /
                     (out->time_s * bp_device_peak(&in->device, (enum bp_dtype)in->dtype));
    answer_memory(in, &step, &decode, out);
    return BP_OK;
}

BP_DEFINE_SCHEMA(bp_diffusion_in, BP_DIFFUSION_IN_FIELDS, "diffusion", "a call that draws images");
BP_DEFINE_SCHEMA(bp_diffusion_out, BP_DIFFUSION_OUT_FIELDS, "diffusion result",
                 "what the call takes");
BP_DEFINE_KERNEL(
    diffusion, "Time, FLOP and memory of images drawn by diffusion",
    "time_s = steps step_s + decode_s; step_s = a forward pass of the denoiser over batch passes "
    "latents of (width / latent_scale) x (height / latent_scale), of a film 1 + (frames - 1) / "
    "latent_frames of them: convolutions and matmuls (bp_gemm, "
    "compute over runtime matmul, convolutions over conv), attention among the pixels of a level and to "
    "text_tok, elementwise as in encode; memory = weights + max(kept for the way up + 4 widest, 4 "
    "widest of the decoder)",
    "one device; U-Nets of two residual blocks a level, transformers of text and image streams or of the "
    "image that attends to the prompt; decoders "
    "of factor 8 with three residual blocks a level; text encoders are calls of encode",
    "shapes: arXiv:2112.10752, 2307.01952, 2403.03206, 2310.00426 and the code of FLUX.1; coefficients of runtimes "
    "are those of encoders and convolutional networks");
