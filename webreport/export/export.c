/* The list of export formats: see export.h. */
#include "webreport/export/export.h"

#include <string.h>

#include "webreport/export/formats.h"
#include "writer/base/limits.h"

const struct tp_export_format tp_export_formats[] = {
    {"tfevents", tp_export_tfevents, false},
    {"xplane", tp_export_xplane, true},
    {NULL, NULL, false},
};

const struct tp_export_format *tp_export_find(const char *name)
{
    for (const struct tp_export_format *format = tp_export_formats; format->name; format++)
        if (strcmp(format->name, name) == 0)
            return format;
    return NULL;
}

const char *tp_export_safe_name(struct tp_arena *arena, struct tp_str text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t size = text.len < TP_MAX_EXPORT_NAME_BYTES ? text.len : TP_MAX_EXPORT_NAME_BYTES;
    char *name = size ? tp_arena_copy(arena, text.ptr, size) : tp_arena_copy(arena, "_", 1);
    for (char *c = name; *c || c < name + size; c++)
        if (*c == '\0' || !strchr(allowed, *c))
            *c = '_';
    if (*name == '.') /* neither hidden nor a way up */
        *name = '_';
    return name;
}
