/*
** Fixtures for tests of the training estimate: four model shapes, one device and one network with
** round numbers, and an ideal world in which every second can be counted by hand.
*/
#ifndef BP_TESTS_CASES_H
#define BP_TESTS_CASES_H

#include "kernel/train/train_step.h"
#include "near.h"

#include <string.h>

/* GPT-3 175B (arXiv:2005.14165, table 2.1) without biases and positions, vocabulary padded. */
static inline struct bp_model gpt_model(void) {
    struct bp_model m;
    bp_defaults(&bp_model_schema, &m);
    m.layers = 96;
    m.hidden = 12288;
    m.heads = 96;
    m.ffn_hidden = 49152;
    m.gated_mlp = 0;
    m.vocab = 51200;
    m.tied_embeddings = 1;
    return m;
}

/* Llama 3 70B (arXiv:2407.21783, table 3): grouped queries, gated MLP, untied. */
static inline struct bp_model llama_model(void) {
    struct bp_model m;
    bp_defaults(&bp_model_schema, &m);
    m.layers = 80;
    m.hidden = 8192;
    m.heads = 64;
    m.kv_heads = 8;
    m.ffn_hidden = 28672;
    m.vocab = 128256;
    return m;
}

/* DeepSeek-V3 (arXiv:2412.19437, section 4.2): MLA, 256 routed experts and a shared one. */
static inline struct bp_model moe_model(void) {
    struct bp_model m;
    bp_defaults(&bp_model_schema, &m);
    m.layers = 61;
    m.hidden = 7168;
    m.heads = 128;
    m.q_lora_rank = 1536;
    m.kv_lora_rank = 512;
    m.qk_rope_dim = 64;
    m.qk_nope_dim = 128;
    m.v_head_dim = 128;
    m.ffn_hidden = 18432;
    m.experts = 256;
    m.topk = 8;
    m.shared_experts = 1;
    m.moe_ffn = 2048;
    m.dense_layers = 3;
    m.vocab = 129280;
    return m;
}

/* ViT-L/16 (arXiv:2010.11929, table 1) with its class head: 196 patches and a class token. */
static inline struct bp_model vit_model(void) {
    struct bp_model m;
    bp_defaults(&bp_model_schema, &m);
    m.arch = BP_ARCH_VISION;
    m.layers = 24;
    m.hidden = 1024;
    m.heads = 16;
    m.ffn_hidden = 4096;
    m.gated_mlp = 0;
    m.norm = BP_NORM_LAYER;
    m.image_size = 224;
    m.patch_size = 16;
    m.learned_positions = 197;
    m.classes = 1000;
    return m;
}

/* 80 GB, 3 TB/s, 1 PFLOP/s in 16 bit, twice that in 8 bit; curves as assumed for unknown parts. */
static inline struct bp_device round_device(void) {
    struct bp_device d;
    bp_defaults(&bp_device_schema, &d);
    d.memory_bytes = 80000000000;
    d.mem_bw_bytes_s = 3e12;
    d.fp32_flop_s = 6e13;
    d.tf32_flop_s = 5e14;
    d.bf16_flop_s = 1e15;
    d.fp8_flop_s = 2e15;
    d.tdp_w = 700;
    return d;
}

/* Nodes of eight, 450 GB/s inside and 50 GB/s per device between them. */
static inline struct bp_network round_network(int64_t devices) {
    struct bp_network n;
    bp_defaults(&bp_network_schema, &n);
    n.devices = devices;
    n.scaleup.bw_bytes_s = 450e9;
    n.scaleout.bw_bytes_s = 50e9;
    return n;
}

/*
** Nothing but arithmetic takes time: curves without losses, memory and links too fast to matter (or
** exactly as fast as given, where a test sets them), no host, no overheads.
*/
static inline void make_ideal(struct bp_train_step_in *in) {
    struct bp_gemm_curve *gemm[] = {&in->device.gemm16, &in->device.gemm8, &in->device.gemm8_block,
                                    &in->device.gemm4};
    struct bp_tier *tiers[] = {&in->network.scaleup, &in->network.scaleout};
    struct bp_profile *p = &in->profile;
    struct bp_common *common = &p->common;
    int i;
    for (i = 0; i < 4; i++) {
        gemm[i]->u = gemm[i]->w = 1;
        gemm[i]->t0_s = gemm[i]->k0 = gemm[i]->tiles0 = gemm[i]->q = 0;
    }
    in->device.attention.u = in->device.attention.w = 1;
    in->device.attention.t0_s = in->device.attention.s0 = in->device.attention.walk_s = 0;
    in->device.mem_bw_bytes_s = 1e24;
    for (i = 0; i < 2; i++) {
        tiers[i]->util = 1;
        tiers[i]->alpha_s = tiers[i]->step_s = tiers[i]->ramp = 0;
        tiers[i]->bw_bytes_s = 1e24;
    }
    p->gemm = p->expert_gemm = p->attention = p->fragmentation = 1;
    common->gemm_fp4 = common->attention_backward = common->elementwise = common->mixer_passes = 1;
    p->sustained_flop_w = p->host_layer_s = p->host_micro_s = p->host_step_s = 0;
    p->context_bytes = 0;
    p->launches = BP_LAUNCHES_COMPILED;
    common->overlap_tp = common->overlap_dp = common->overlap_ep = common->straggler = 0;
    p->exposed_dp = p->exposed_fsdp = 0;
}

static inline struct bp_train_step_in setup(struct bp_model model, int64_t devices, int64_t batch,
                                            int64_t seq_len) {
    struct bp_train_step_in in;
    bp_defaults(&bp_train_step_in_schema, &in);
    in.model = model;
    in.device = round_device();
    in.network = round_network(devices);
    in.job.global_batch = batch;
    in.job.seq_len = seq_len;
    return in;
}

/* One H100-like device per pipeline, tensor and data rank, in the words of the four axes. */
static inline struct bp_train_step_in spread(struct bp_model model, int64_t tp, int64_t pp,
                                             int64_t dp, int64_t batch, int64_t seq_len) {
    struct bp_train_step_in in = setup(model, tp * pp * dp, batch, seq_len);
    in.plan.tp = tp;
    in.plan.pp = pp;
    in.plan.dp = dp;
    return in;
}

static inline struct bp_train_step_out estimate(const struct bp_train_step_in *in) {
    struct bp_train_step_out out;
    struct bp_error err = {0};
    if (bp_train_step(in, &out, &err) != BP_OK) {
        print_error("%s: %s\n", err.field, err.text);
        fail();
    }
    return out;
}

/* A resolved case for the pieces below bp_train_step; borrows from itself, so it must not move. */
struct ready_case {
    struct bp_train_step_in in;
    struct bp_ready_model model;
    struct bp_train_case c;
};

static inline const struct bp_train_case *make_ready(struct ready_case *r,
                                                     const struct bp_train_step_in *in) {
    struct bp_error err = {0};
    r->in = *in;
    assert_int_equal(bp_model_ready(&in->model, &r->model, &err), BP_OK);
    r->in.model = r->model.model;
    bp_plan_resolve(&r->in.plan, &r->in.network);
    r->c = (struct bp_train_case){&r->in.model,   &r->model.params, &r->in.device,
                                  &r->in.network, &r->in.plan,      &r->in.job,
                                  &r->in.profile, &r->model.layers, NULL};
    assert_int_equal(bp_plan_check(&r->in.model, &r->in.network, &r->in.plan, &r->in.job, &err),
                     BP_REJECT_NONE);
    return &r->c;
}

#endif
