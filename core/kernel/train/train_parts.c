#include "kernel/train/train_parts.h"

#include <string.h>

/* Names of plan fields, each with a space before and after. */
static const char *const ignored[BP_PART_COUNT] = {
    [BP_PART_SITE] =
        " offload_activations tp pp vpp dp cp ep etp zero shard sequence_parallel recompute "
        "recompute_share "
        "micro_batch "
        "schedule precision flash overlap_dp overlap_tp overlap_ep grad_bytes master_bytes "
        "optimizer "
        "offload lora_rank base_bits cross_entropy split first_layers last_layers recompute_norms "
        "recompute_activation recompute_up_proj recompute_mlp recompute_moe "
        "recompute_shared "
        "quantized_params rank_order ",
    [BP_PART_COMPUTE] =
        " offload_activations pp vpp dp zero shard recompute recompute_share schedule overlap_dp "
        "overlap_tp overlap_ep master_bytes optimizer offload base_bits "
        "cross_entropy split first_layers last_layers quantized_params rank_order ",
    [BP_PART_TRAFFIC] = " offload_activations pp vpp dp zero shard recompute recompute_share "
                        "schedule flash overlap_dp "
                        "overlap_tp overlap_ep grad_bytes master_bytes optimizer offload lora_rank "
                        "base_bits cross_entropy split first_layers last_layers recompute_norms "
                        "recompute_activation recompute_up_proj recompute_mlp recompute_moe "
                        "recompute_shared "
                        "quantized_params rank_order ",
    [BP_PART_PIPE] = " vpp schedule master_bytes optimizer offload base_bits "
                     "cross_entropy quantized_params ",
    [BP_PART_SYNC] =
        " offload_activations vpp sequence_parallel recompute recompute_share micro_batch schedule "
        "flash "
        "overlap_dp overlap_tp overlap_ep master_bytes "
        "base_bits cross_entropy recompute_norms recompute_activation "
        "recompute_up_proj recompute_mlp recompute_moe recompute_shared quantized_params ",
    [BP_PART_SEND] =
        " offload_activations zero shard recompute recompute_share schedule flash overlap_dp "
        "overlap_tp overlap_ep grad_bytes master_bytes optimizer offload lora_rank "
        "base_bits cross_entropy split first_layers last_layers recompute_norms "
        "recompute_activation recompute_up_proj recompute_mlp recompute_moe "
        "recompute_shared "
        "quantized_params ",
    [BP_PART_FLIGHT] =
        " offload_activations tp cp ep etp zero shard sequence_parallel recompute recompute_share "
        "precision flash overlap_dp overlap_tp overlap_ep grad_bytes master_bytes optimizer "
        "offload lora_rank base_bits cross_entropy split first_layers last_layers recompute_norms "
        "recompute_activation recompute_up_proj recompute_mlp recompute_moe recompute_shared "
        "quantized_params rank_order ",
    [BP_PART_STATES] =
        " offload_activations vpp sequence_parallel recompute recompute_share micro_batch flash "
        "overlap_dp overlap_tp overlap_ep cross_entropy recompute_norms "
        "recompute_activation recompute_up_proj recompute_mlp recompute_moe "
        "recompute_shared rank_order ",
    [BP_PART_KEPT] =
        " vpp dp zero shard schedule overlap_dp overlap_tp overlap_ep grad_bytes "
        "master_bytes optimizer offload lora_rank base_bits quantized_params rank_order ",
};

static const char *const ignored_by_memory = " overlap_dp overlap_tp overlap_ep rank_order ";

static int is_listed(const char *list, const char *name) {
    size_t length = strlen(name);
    const char *at = list;
    while ((at = strstr(at, name))) {
        if (at[-1] == ' ' && at[length] == ' ') {
            return 1;
        }
        at += length;
    }
    return 0;
}

int bp_part_ignores(enum bp_part part, const struct bp_field *field) {
    return field->kind == BP_NOTE || is_listed(ignored[part], field->name);
}

int bp_memory_ignores(const struct bp_field *field) {
    return field->kind == BP_NOTE || is_listed(ignored_by_memory, field->name);
}
