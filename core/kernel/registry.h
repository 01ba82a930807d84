/*
** The list of all kernels: what is bound to Lua, explained, documented and checked in CI is this
** list and nothing else. A kernel is a pure function of one struct into another.
*/
#ifndef BP_KERNEL_REGISTRY_H
#define BP_KERNEL_REGISTRY_H

#include "kernel/field.h"
#include "kernel/status.h"

struct bp_kernel {
    const char *name;  /* "bubble"; the C function is bp_bubble, in Lua core.bubble{...} */
    const char *title; /* one line: what it answers */
    const struct bp_schema *in, *out;
    int (*call)(const void *in, void *out, struct bp_error *err);
    const char *formula;  /* as a person would write it, with the names of the fields */
    const char *validity; /* where it holds, and what it leaves out */
    const char *source;   /* paper and section, data sheet and date, or "assumption" */
};

/*
** BP_DEFINE_KERNEL(bubble, title, formula, validity, source) in the kernel's source file defines
** bp_bubble_kernel around int bp_bubble(const struct bp_bubble_in *, struct bp_bubble_out *,
** struct bp_error *).
*/
#define BP_DEFINE_KERNEL(name, title, formula, validity, source)                                   \
    static int bp_##name##_call(const void *in, void *out, struct bp_error *err) {                 \
        return bp_##name(in, out, err);                                                            \
    }                                                                                              \
    const struct bp_kernel bp_##name##_kernel = {#name,                                            \
                                                 title,                                            \
                                                 &bp_##name##_in_schema,                           \
                                                 &bp_##name##_out_schema,                          \
                                                 bp_##name##_call,                                 \
                                                 formula,                                          \
                                                 validity,                                         \
                                                 source}

/*
** The kernel's answer to `in`, whose fields are checked: `out` starts from its defaults, and a number of it that is not
** finite is an error of domain at its field. Returns BP_OK or the code of `err`.
*/
int bp_kernel_answer(const struct bp_kernel *kernel, const void *in, void *out,
                     struct bp_error *err);

/* NULL-terminated, sorted by name. */
extern const struct bp_kernel *const bp_kernels[];

#endif
