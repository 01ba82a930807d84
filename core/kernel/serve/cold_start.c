#include "kernel/serve/cold_start.h"

#include "kernel/registry.h"

int bp_cold_start(const struct bp_cold_start_in *in, struct bp_cold_start_out *out,
                  struct bp_error *err) {
    (void)err;
    out->image_s = in->image_bytes / in->image_bytes_s;
    out->fetch_s = in->fetch_bytes_s > 0 ? in->weights_bytes / in->fetch_bytes_s : 0;
    out->load_s = in->weights_bytes / in->load_bytes_s;
    out->start_s = in->machine_s + out->image_s + out->fetch_s + out->load_s + in->engine_s;
    return BP_OK;
}

BP_DEFINE_SCHEMA(bp_cold_start_in, BP_COLD_START_IN_FIELDS, "cold_start", "a replica that starts");
BP_DEFINE_SCHEMA(bp_cold_start_out, BP_COLD_START_OUT_FIELDS, "cold_start result",
                 "when it serves, and what takes the time");
BP_DEFINE_KERNEL(
    cold_start, "Time until a new replica serves",
    "start_s = machine_s + image_bytes / image_bytes_s + weights_bytes / fetch_bytes_s + "
    "weights_bytes / load_bytes_s + engine_s",
    "one after another; engines that stream weights while they fetch overlap two of the "
    "parts",
    "arithmetic; load_bytes_s: Fu et al., ServerlessLLM, OSDI 2024; "
    "engine_s by assumption");
