/* Replaces input_formats.c in the libraries that programs link. These libraries analyse only the spool of their own
 * recording, so this table has no reader of another format, and the libraries are a tenth smaller. */
#include <string.h>

#include "webreport/trace/inputs/input_format.h"
#include "webreport/trace/inputs/spool_input.h"

#define SPOOL "\001tpspool"

const struct tp_input_format tp_input_formats[] = {
    {.name = "spool", .read = tp_spool_input_read, .refusal = "is a recording that was not finished"},
    {.name = "other", .refusal = "is not a recording of this program: the command tracepress reads traces"},
    {.name = NULL},
};

const struct tp_input_format *tp_input_format_detect(const void *bytes, size_t size, const char *name)
{
    (void)name; /* a spool has no special name */
    return &tp_input_formats[size < sizeof SPOOL - 1 || memcmp(bytes, SPOOL, sizeof SPOOL - 1) != 0];
}
