#include "kernel/describe/diffusion.h"

const struct bp_unet_level *bp_unet_level(const struct bp_diffusion_model *model, int level) {
    const struct bp_unet_level *const all[BP_UNET_LEVELS] = {&model->level1, &model->level2,
                                                             &model->level3, &model->level4};
    return all[level];
}

int bp_unet_levels(const struct bp_diffusion_model *model) {
    int n = 0;
    while (n < BP_UNET_LEVELS && bp_unet_level(model, n)->channels > 0) {
        n++;
    }
    return n;
}

int bp_diffusion_check(const struct bp_diffusion_model *model, struct bp_error *err) {
    int i, levels = bp_unet_levels(model);
    if ((levels > 0) == (model->hidden > 0)) {
        return bp_fail(err, BP_EDOMAIN, "model",
                       "has either levels of a U-Net (level1) or a transformer's width (hidden)");
    }
    for (i = 0; i < levels; i++) {
        const struct bp_unet_level *level = bp_unet_level(model, i);
        if (level->channels % level->heads != 0) {
            return bp_fail(err, BP_EDOMAIN, "model.heads", "must divide %.0f channels of level %d",
                           (double)level->channels, i + 1);
        }
    }
    if (model->hidden % model->heads != 0) {
        return bp_fail(err, BP_EDOMAIN, "model.heads", "must divide the width %.0f",
                       (double)model->hidden);
    }
    if (model->hidden > 0 &&
        (model->double_layers + model->single_layers > 0) == (model->cross_layers > 0)) {
        return bp_fail(err, BP_EDOMAIN, "model.double_layers",
                       "a transformer has double and single layers or cross_layers");
    }
    if (model->dual_layers > model->double_layers) {
        return bp_fail(err, BP_EDOMAIN, "model.dual_layers", "are among the %.0f double layers",
                       (double)model->double_layers);
    }
    return BP_OK;
}

BP_DEFINE_SCHEMA(bp_unet_level, BP_UNET_LEVEL_FIELDS, "unet_level",
                 "one resolution of a U-Net, on the way down and on the way up");
BP_DEFINE_SCHEMA(bp_diffusion_model, BP_DIFFUSION_MODEL_FIELDS, "diffusion_model",
                 "a model that draws images by diffusion");
