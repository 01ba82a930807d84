#include "kernel/status.h"

#include <stdarg.h>
#include <stdio.h>

int bp_fail(struct bp_error *err, enum bp_code code, const char *field, const char *format, ...) {
    if (err) {
        va_list args;
        err->code = code;
        snprintf(err->field, sizeof err->field, "%s", field);
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return code;
}
