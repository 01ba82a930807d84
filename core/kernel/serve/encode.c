#include "kernel/serve/encode.h"

#include "kernel/count/params.h"
#include "kernel/layer/layer.h"
#include "kernel/registry.h"
#include "kernel/serve/forward.h"

#include <math.h>

#define TOKEN_BYTES 24.0 /* ids, mask and types in 8 bytes each: Hugging Face documentation */
#define PIXEL_BYTES 4.0  /* images are sent in fp32 unless somebody says otherwise */

/*
** Launches of a layer beyond the runtime's: attention over stored scores has two matmuls, a softmax and
** four transpositions for one kernel; 8-bit matmuls that are not fed by fused kernels have one more each,
** of which a layer has four. Counted in the block diagrams of FasterTransformer's BERT guide.
*/
#define STORED_KERNELS 6.0
#define QUANTIZE_KERNELS 4.0

/* What is computed, in numbers. */
struct encode_work {
    const struct bp_encode_in *in;
    const struct bp_model *model;
    const struct bp_layer *layers;
    enum bp_dtype dtype;
    double tokens, patches, sequences, length; /* length: of a sequence as attention sees it */
    double rows;                               /* of every matmul */
    int fused;                                 /* attention is one kernel */
};

static int refuse(const struct bp_model *m, struct bp_error *err) {
    if (m->experts > 0 || m->kv_lora_rank > 0 || m->linear_layers > 0 || m->mamba_layers > 0) {
        return bp_fail(
            err, BP_EDOMAIN, "model",
            "has experts, latent attention or recurrent layers: such models are served by "
            "an engine (serve, infer_step)");
    }
    if (m->cross_layers > 0) {
        return bp_fail(
            err, BP_EDOMAIN, "model",
            "has a decoder that attends across to its encoder: such models are served by "
            "an engine (serve, infer_step)");
    }
    return BP_OK;
}

static int take_tokens(const struct bp_encode_in *in, struct encode_work *w, struct bp_error *err) {
    const struct bp_model *m = w->model;
    double side = (double)(in->image > 0 ? in->image : m->image_size);
    w->tokens = (double)in->tokens;
    if (in->image > 0 && m->arch != BP_ARCH_VISION) {
        return bp_fail(err, BP_EDOMAIN, "image", "is for vision models");
    }
    if (m->arch == BP_ARCH_VISION && in->tokens == 0 && m->patch_size > 0) {
        double patches = floor(side / (double)m->patch_size);
        w->patches = patches * patches;
        w->tokens = w->patches + (double)m->class_tokens;
    }
    if (!(w->tokens > 0)) {
        return bp_fail(err, BP_EDOMAIN, "tokens", "is missing: the length of a sequence");
    }
    if (in->mean_tokens > 0 && in->mean_tokens < 1) {
        return bp_fail(err, BP_EDOMAIN, "mean_tokens", "must be 0 or at least 1, got %.15g",
                       in->mean_tokens);
    }
    if (in->item_bytes > 0 && in->item_bytes < 1) {
        return bp_fail(err, BP_EDOMAIN, "item_bytes", "must be 0 or at least 1, got %.15g",
                       in->item_bytes);
    }
    if (in->mean_tokens > w->tokens) {
        return bp_fail(err, BP_EDOMAIN, "mean_tokens", "must not be above tokens (%.0f), got %.15g",
                       w->tokens, in->mean_tokens);
    }
    return BP_OK;
}

/* Padding that is taken out shortens rows and sequences. */
static void take_rows(const struct bp_encode_in *in, struct encode_work *w) {
    double mean = in->mean_tokens > 0 ? in->mean_tokens : w->tokens;
    w->length = in->padding == BP_PADDING_REMOVED ? mean : w->tokens;
    w->sequences = (double)in->batch;
    w->rows = w->sequences * w->length;
    w->fused = bp_dtype_bytes(w->dtype) <= 2 && w->tokens <= (double)in->runtime.fused_tokens;
    if (!w->fused) {
        w->length = w->tokens; /* padding comes back for matmuls over whole matrices of scores */
    }
}

static void add_layers(const struct encode_work *w, struct bp_forward *f) {
    const struct bp_ranks one = {1, 1, 1};
    int i;
    for (i = 0; i < w->layers->matmuls; i++) {
        const struct bp_op_matmul *op = &w->layers->matmul[i];
        const struct bp_share s = bp_matmul_share(op, &one);
        bp_forward_matmul(f, op->count, w->rows * s.groups, s.out, s.in);
    }
}

/* Patches before the layers; a pooler, classes or a vocabulary after them. */
static void add_ends(const struct encode_work *w, struct bp_forward *f) {
    const struct bp_model *m = w->model;
    double batch = (double)w->in->batch, h = (double)m->hidden;
    double patch = (double)(m->patch_size * m->patch_size * m->channels);
    bp_forward_matmul(f, 1, batch * w->patches, h, patch);
    bp_forward_matmul(f, m->pooler, batch, h, h);
    bp_forward_matmul(f, 1, batch, (double)m->classes, h);
    bp_forward_matmul(f, w->in->head, w->rows, (double)m->vocab, h);
}

/* A window cuts the sequences of an encoder into pieces; in a decoder it is how far a token looks back. */
static void add_attention_of(const struct encode_work *w, const struct bp_op_attention *op,
                             struct bp_forward *f) {
    struct bp_attention_shape s = {0};
    s.batch = w->sequences;
    s.heads = op->heads;
    s.kv_heads = op->kv_heads;
    s.qk_dim = op->qk_dim;
    s.v_dim = op->v_dim;
    s.seq_q = s.seq_kv = w->length;
    s.causal = w->model->arch == BP_ARCH_DECODER;
    s.window = s.causal ? op->window : 0;
    s.flash = 1;
    if (!s.causal && op->window > 0 && op->window < w->length) {
        s.batch *= w->length / op->window;
        s.seq_q = s.seq_kv = op->window;
    }
    f->flop += op->count * bp_attention_flop(&s);
    bp_forward_attention(f, &s, op->count, w->fused);
}

static void add_attention(const struct encode_work *w, struct bp_forward *f) {
    int i;
    for (i = 0; i < w->layers->attentions; i++) {
        add_attention_of(w, &w->layers->attention[i], f);
    }
}

static double input_bytes(const struct encode_work *w) {
    const struct bp_encode_in *in = w->in;
    double side = (double)(in->image > 0 ? in->image : w->model->image_size);
    double item = w->patches > 0 ? PIXEL_BYTES * (double)w->model->channels * side * side
                                 : TOKEN_BYTES * w->tokens;
    return (double)in->batch * (in->item_bytes > 0 ? in->item_bytes : item);
}

/* Of a layer. */
static double launches(const struct encode_work *w) {
    const struct bp_runtime *runtime = &w->in->runtime;
    double quantized = bp_dtype_bytes(w->dtype) < 2 ? fmin(1, runtime->quantize) : 0;
    return (double)runtime->kernels + (w->fused ? 0 : STORED_KERNELS) +
           quantized * QUANTIZE_KERNELS;
}

static void answer(const struct encode_work *w, const struct bp_forward *f, double matmul_s,
                   struct bp_encode_out *out) {
    const struct bp_encode_in *in = w->in;
    const struct bp_forward_time *sum = &f->sum;
    double mean = in->mean_tokens > 0 ? in->mean_tokens : w->tokens;
    out->time_s = bp_runtime_total(&in->runtime, sum);
    out->per_s = (double)in->batch / out->time_s;
    out->tokens = w->tokens;
    out->flop = f->flop;
    out->item_flop = f->flop / (double)in->batch;
    out->padding_frac = in->padding == BP_PADDING_REMOVED ? 0 : 1 - mean / w->tokens;
    out->matmul_s = matmul_s;
    out->attention_s = f->attention_s;
    out->elementwise_s = sum->kernels_s - matmul_s - f->attention_s;
    out->host_s = fmax(0, out->time_s - sum->kernels_s - sum->input_s);
    out->input_s = sum->input_s;
    out->bound = (int)bp_runtime_bound(&in->runtime, sum);
    out->util_frac = f->flop / (out->time_s * bp_device_peak(&in->device, w->dtype));
}

/* Two copies of the widest activations are alive at one time: what a layer reads and what it writes. */
static void answer_memory(const struct encode_work *w, const struct bp_params_out *params,
                          struct bp_encode_out *out) {
    const struct bp_model *m = w->model;
    double wide = fmax((double)m->ffn_hidden * (m->gated_mlp ? 2 : 1), 3 * (double)m->hidden);
    double activations = 2 * w->rows * wide * bp_runtime_activation_bytes(w->dtype);
    out->weights_bytes = (double)params->total_params * bp_dtype_bytes(w->dtype);
    out->memory_bytes = out->weights_bytes + activations;
    out->fits = out->memory_bytes <= (double)w->in->device.memory_bytes;
}

int bp_encode(const struct bp_encode_in *in, struct bp_encode_out *out, struct bp_error *err) {
    struct bp_model model = in->model;
    struct bp_params_out params;
    struct bp_layers layers;
    struct encode_work w = {in, &model, &layers.stack, (enum bp_dtype)in->dtype, 0, 0, 0, 0, 0, 0};
    struct bp_forward f = bp_forward_of(&in->device, &in->runtime, (enum bp_dtype)in->dtype);
    double matmul_s;
    int code = bp_model_resolve(&model, err);
    if (code != BP_OK || (code = refuse(&model, err)) != BP_OK ||
        (code = take_tokens(in, &w, err)) != BP_OK) {
        return code;
    }
    if (!(bp_device_peak(&in->device, w.dtype) > 0)) {
        return bp_fail(err, BP_EDOMAIN, "dtype", "the device has no %s arithmetic",
                       bp_dtype_names[w.dtype]);
    }
    bp_layers_of(&model, &layers);
    if (bp_params_count(&model, &layers, &params) != BP_OK) {
        return bp_fail(err, BP_EOVERFLOW, "model", "has more parameters than can be counted");
    }
    take_rows(in, &w);
    add_layers(&w, &f);
    add_ends(&w, &f);
    matmul_s = f.sum.kernels_s;
    add_attention(&w, &f);
    bp_forward_stream(&f, in->runtime.passes * w.rows * (double)(model.hidden * model.layers) *
                              bp_runtime_activation_bytes(w.dtype));
    f.sum.host_s = in->runtime.host_kernel_s * launches(&w) * (double)model.layers;
    f.sum.input_s = in->runtime.input_bytes_s > 0 ? input_bytes(&w) / in->runtime.input_bytes_s : 0;
    answer(&w, &f, matmul_s, out);
    answer_memory(&w, &params, out);
    return BP_OK;
}

BP_DEFINE_ENUM(bp_padding, BP_PADDING);
BP_DEFINE_SCHEMA(bp_encode_in, BP_ENCODE_IN_FIELDS, "encode", "a batch of texts or images");
BP_DEFINE_SCHEMA(bp_encode_out, BP_ENCODE_OUT_FIELDS, "encode result", "what the call takes");
BP_DEFINE_KERNEL(
    encode, "Latency and throughput of an encoder (texts or images) at a batch",
    "time_s = call_s + input bytes / input_bytes_s + max(device, layers launches host_kernel_s), "
    "launches = kernels + 6 where scores are stored + 4 quantize in 8 bit; device = matmuls of "
    "batch tokens rows (bp_gemm, compute over matmul) + attention (one kernel up to fused_tokens, "
    "else two matmuls and score_passes over the scores) + passes rows hidden layers activation "
    "bytes / (0.8 bandwidth); tokens of an image = floor(image / patch)^2 + class tokens",
    "one device, dense layers, all sequences as long as the mean; 8-bit matmuls with 16-bit "
    "activations and attention; input and arithmetic of one call do not overlap",
    "kernels of this program; coefficients of runtimes fitted to published latencies, see "
    "lua/ballpark/catalog/runtimes.lua");
