#include "kernel/registry.h"

int bp_kernel_answer(const struct bp_kernel *kernel, const void *in, void *out,
                     struct bp_error *err) {
    const struct bp_field *unknown;
    int code;
    bp_defaults(kernel->out, out);
    code = kernel->call(in, out, err);
    if (code != BP_OK) {
        return code;
    }
    unknown = bp_field_not_finite(kernel->out, out);
    if (!unknown) {
        return BP_OK;
    }
    /* Inputs that each are allowed may still be more than doubles hold, or leave nothing to divide by. */
    return bp_fail(
        err, BP_EDOMAIN, unknown->name,
        "has no value for these inputs: one of them is zero or too large for what is asked");
}
