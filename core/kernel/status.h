/*
** What a kernel says when it cannot answer: a code, the path of the offending field and one line
** of text. Kernels never print, exit or allocate; the caller decides what to do with a status.
*/
#ifndef BP_KERNEL_STATUS_H
#define BP_KERNEL_STATUS_H

/* Codes are stable: search tallies rejections by them, the binding turns them into Lua errors. */
enum bp_code {
    BP_OK = 0,
    BP_EDOMAIN,   /* a field is outside of what the formula is valid for */
    BP_EPLAN,     /* plan, model and cluster contradict each other */
    BP_EOVERFLOW, /* checked integer arithmetic overflowed */
};

enum { BP_FIELD_MAX = 64, BP_TEXT_MAX = 192 };

struct bp_error {
    enum bp_code code;
    char field[BP_FIELD_MAX]; /* dotted path, "plan.tp" */
    char text[BP_TEXT_MAX];   /* "3 does not divide 32 attention heads" */
};

/*
** Fills err (which may be NULL when the caller wants only the code: formatting costs more than an
** estimate) and returns code, so that a kernel can `return bp_fail(err, BP_EPLAN, "plan.tp", ...)`.
*/
int bp_fail(struct bp_error *err, enum bp_code code, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
