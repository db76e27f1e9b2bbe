/* Fills error records: see error.h. Allocates nothing, so that errors can be reported when memory is short. */
#include "writer/base/error.h"

#include <stdarg.h>
#include <stdio.h>

int tp_error_set(struct tp_error *err, int code, uint64_t offset, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        err->code = code;
        err->offset = offset;
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return code;
}
