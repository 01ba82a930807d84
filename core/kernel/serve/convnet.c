#include "kernel/serve/convnet.h"

#include <math.h>

#include "kernel/registry.h"
#include "kernel/time/gemm.h"

#define PIXEL_BYTES 4.0 /* three colours in fp32 unless somebody says otherwise */
#define COLOURS 3.0

/*
** The layers as one mean convolution, a matmul of rows (pixels) x n (channels) x k (inputs of one
** output): totals give n k = weights, rows n = activations and rows n k = MAC of a layer. An input
** value is read once, not once for every tap: kernels gather patches on the chip.
*/
static struct bp_gemm_parts mean_layer(const struct bp_convnet_forward_in *in, double scale) {
    const struct bp_convnet *net = &in->network;
    enum bp_dtype dtype = (enum bp_dtype)in->dtype;
    double bytes = bp_dtype_bytes(dtype), layers = (double)net->layers;
    double values = net->activations / layers;
    double k = net->image_flop / 2 / layers / values;
    double n = net->params / layers / k;
    double rows = (double)in->batch * scale * values / n;
    struct bp_gemm_parts p = bp_gemm_parts(&in->device, dtype, rows, n, k, bytes, 1);
    double moved = bytes * (net->params / layers + 2 * (double)in->batch * scale * values);
    p.memory_s *= moved / p.bytes;
    p.bytes = moved;
    p.quantize_s = 0; /* networks in 8 bit keep their activations in 8 bit */
    return p;
}

int bp_convnet_forward(const struct bp_convnet_forward_in *in, struct bp_convnet_forward_out *out,
                       struct bp_error *err) {
    const struct bp_convnet *net = &in->network;
    const struct bp_runtime *runtime = &in->runtime;
    enum bp_dtype dtype = (enum bp_dtype)in->dtype;
    double batch = (double)in->batch, layers = (double)net->layers;
    double side = (double)(in->image > 0 ? in->image : net->image);
    double scale = side * side / ((double)net->image * (double)net->image);
    double item = in->item_bytes > 0 ? in->item_bytes : PIXEL_BYTES * COLOURS * side * side;
    struct bp_forward_time sum = {0};
    struct bp_gemm_parts layer;
    if (!(bp_device_peak(&in->device, dtype) > 0)) {
        return bp_fail(err, BP_EDOMAIN, "dtype", "the device has no %s arithmetic",
                       bp_dtype_names[dtype]);
    }
    if (in->item_bytes > 0 && in->item_bytes < 1) {
        return bp_fail(err, BP_EDOMAIN, "item_bytes", "must be 0 or at least 1, got %.15g",
                       in->item_bytes);
    }
    layer = mean_layer(in, scale);
    bp_runtime_matmul(runtime, &in->device, &layer, runtime->conv, layers, &sum);
    out->matmul_s = sum.kernels_s;
    if (runtime->conv_kernels > 1) {
        bp_runtime_stream(&in->device,
                          net->apart_passes * batch * scale * net->activations *
                              bp_dtype_bytes(dtype),
                          BP_COPY_SHARE, &sum);
    }
    out->elementwise_s = sum.kernels_s - out->matmul_s;
    sum.host_s = runtime->host_kernel_s * (double)runtime->conv_kernels * layers;
    sum.input_s = runtime->input_bytes_s > 0 ? batch * item / runtime->input_bytes_s : 0;
    out->time_s = bp_runtime_total(runtime, &sum);
    out->per_s = batch / out->time_s;
    out->item_flop = net->image_flop * scale;
    out->flop = batch * out->item_flop;
    out->input_s = sum.input_s;
    out->host_s = fmax(0, out->time_s - sum.kernels_s - sum.input_s);
    out->bound = (int)bp_runtime_bound(runtime, &sum);
    out->util_frac = out->flop / (out->time_s * bp_device_peak(&in->device, dtype));
    out->weights_bytes = net->params * bp_dtype_bytes(dtype);
    out->memory_bytes =
        out->weights_bytes + 2 * batch * scale * net->activations / layers * bp_dtype_bytes(dtype);
    out->fits = out->memory_bytes <= (double)in->device.memory_bytes;
    return BP_OK;
}

BP_DEFINE_SCHEMA(bp_convnet, BP_CONVNET_FIELDS, "convnet", "a convolutional network by its totals");
BP_DEFINE_SCHEMA(bp_convnet_forward_in, BP_CONVNET_FORWARD_IN_FIELDS, "convnet_forward",
                 "a batch of images");
BP_DEFINE_SCHEMA(bp_convnet_forward_out, BP_CONVNET_FORWARD_OUT_FIELDS, "convnet_forward result",
                 "what the call takes");
BP_DEFINE_KERNEL(
    convnet_forward, "Latency and throughput of a convolutional network at a batch",
    "layers equal matmuls: k = image_flop / 2 / activations, n = params / layers / k, rows = batch "
    "activations / layers / n (times (image / its own image)^2); compute over runtime matmul conv; "
    "apart_passes over the activations at 0.8 of the bandwidth where conv_kernels > 1; "
    "memory = params + 2 batch activations, in dtype; time_s = call_s + input + max(device, "
    "conv_kernels layers host_kernel_s)",
    "one device; normalisation and activation functions fused into convolutions or all apart; early layers "
    "bound "
    "by memory and late ones by arithmetic are averaged; depthwise convolutions reach far less",
    "kernels of this program; coefficients of runtimes fitted to published latencies, see "
    "lua/ballpark/catalog/runtimes.lua");
