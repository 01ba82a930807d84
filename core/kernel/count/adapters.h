/*
** What learns where weights are frozen: low-rank adapters beside them, or some of the layers; and frozen matrices that
** are stored in few bits.
*/
#ifndef BP_KERNEL_ADAPTERS_H
#define BP_KERNEL_ADAPTERS_H

#include "kernel/count/activations.h"
#include "kernel/count/train_case.h"

/*
** Matrices of these layers that have adapters, the sum of their rows and columns, and that of their inputs of which
** each is dropped out by itself, before tensor-parallel ranks share them: those of plan.lora_targets, never of routed
** experts. Adapters of rank r have r times as many parameters as there are rows and columns: A and B of
** arXiv:2106.09685, section 4.1.
*/
struct bp_adapted {
    double matrices, sides, inputs;
};
struct bp_adapted bp_adapted(const struct bp_train_case *c, struct bp_layer_mix mix);

/* Parameters that learn of these layers on one device: of adapters, or of plan.trained_layers among them. */
double bp_adapter_params(const struct bp_train_case *c, struct bp_layer_mix mix);

/* The share of the layers whose own weights learn. */
double bp_trained_share(const struct bp_train_case *c);

/*
** Bytes that dropout before adapters keeps of a token in these layers on one device: what it lets through, which
** the first matrix of the adapter multiplies, and a mask of a byte for each element (native_dropout of PyTorch).
** Without dropout the adapter reads what the frozen matrix keeps anyway.
*/
double bp_dropout_bytes(const struct bp_train_case *c, struct bp_layer_mix mix);

/*
** Whether matmuls of a role keep their input for backward. The gradient of a frozen matrix is not asked for, so its
** input is needed by an adapter alone, and not where dropout hands the adapter something else; bitsandbytes keeps it
** where profile.narrow_inputs says so.
*/
int bp_keeps_inputs(const struct bp_train_case *c, enum bp_role role);

/* Outputs of matrices that a scale of adapters multiplies, of a token in these layers on one device. */
double bp_scaled_outputs(const struct bp_train_case *c, struct bp_layer_mix mix);

/*
** Outputs of adapters of queries and values that are copied into their columns of one matrix's output, which keeps them
** (index_copy of PyTorch, whose derivative reads its source), of a token in these layers on one device.
*/
double bp_placed_outputs(const struct bp_train_case *c, struct bp_layer_mix mix);

/* Whether the weights of norms learn: with all others, or beside scales of outputs (adapters v2, arXiv:2304.15010, section 3.1). */
int bp_do_norms_learn(const struct bp_plan *plan);

/*
** Whether matmuls in 16 bit take weights that learn in a wider master copy. One of two bytes has the bits that the 16-bit
** weight lacks, and is none without it.
*/
int bp_have_masters(const struct bp_plan *plan);

/* Whether layers are frozen; and embedding and head with them. */
int bp_is_frozen(const struct bp_plan *plan);
int bp_are_ends_frozen(const struct bp_plan *plan);

/* Bytes of a parameter of a frozen matrix with its scales, of fewer than 16 bits. */
double bp_base_bytes(const struct bp_plan *plan);

/* Time of a parameter that a pass makes wide again: its traffic, or finding its value; 0 of 16 bits. */
double bp_widening_s(const struct bp_plan *plan, const struct bp_device *device);

/*
** Whether frozen weights are of a dynamic 4-bit checkpoint; and the share of the matrices of its layers, but of experts,
** that such a checkpoint leaves in 16 bit.
*/
int bp_is_base_dynamic(const struct bp_plan *plan);
double bp_wide_share(const struct bp_plan *plan);

/*
** Routed experts in 16 bit beside narrow frozen weights: bitsandbytes narrows linear layers of PyTorch, and no tensor
** of another module.
*/
int bp_are_experts_wide(const struct bp_train_case *c);

/*
** Embedding and head in fp32 beside narrow frozen weights: PEFT's prepare_model_for_kbit_training takes to fp32 what
** bitsandbytes leaves in 16 bit, and leaves models of GPTQ as they are (its code, 2023 to 2025).
*/
int bp_are_ends_wide(const struct bp_train_case *c);

/*
** Whether the residual stream is in fp32 behind such an embedding: norms return the wider of their weight and input, and
** Linear4bit of bitsandbytes the format of its input (their code). Engines that cast the whole model to 16 bit have none
** of it.
*/
int bp_is_stream_wide(const struct bp_train_case *c);

/*
** Whether 32-bit weights that learn run under autocast: each is cast to 16 bit once, and the casts are kept until
** backward has used them; norms and sums stay in fp32 (torch.autocast, its lists of operators). FSDP casts before a layer
** runs, and gives it 16-bit inputs.
*/
int bp_is_autocast(const struct bp_train_case *c);

/* Bytes of a parameter of the matrix that is wide at one time, with what the widening keeps beside it. */
double bp_wide_bytes(const struct bp_plan *plan);

#endif
