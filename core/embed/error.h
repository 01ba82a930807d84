/* An error of the core as an error of ballpark.h. */
#ifndef BP_EMBED_ERROR_H
#define BP_EMBED_ERROR_H

#include <stdio.h>

#include "ballpark.h"
#include "kernel/status.h"

_Static_assert(sizeof((struct ballpark_error *)0)->field == BP_FIELD_MAX,
               "fields of errors differ");
_Static_assert(sizeof((struct ballpark_error *)0)->text == BP_TEXT_MAX, "texts of errors differ");

/* Fills error, which may be NULL. */
static inline void bp_embed_error(struct ballpark_error *error, const struct bp_error *err) {
    if (error) {
        error->code = (int)err->code;
        snprintf(error->field, sizeof error->field, "%s", err->field);
        snprintf(error->text, sizeof error->text, "%s", err->text);
    }
}

#endif
