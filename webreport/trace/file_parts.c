/* Lists the parts of files: see file_parts.h. */
#include "webreport/trace/file_parts.h"

#include <string.h>

#include "webreport/trace/document.h"
#include "webreport/trace/file_head.h"
#include "webreport/trace/inputs/input_format.h"
#include "webreport/trace/merged_ranks.h"

/* Returns the function that lists the parts of files of a format; NULL if a file is always one trace. */
static tp_input_parts_lister *lister_of_format(const struct tp_input_format *format)
{
    return format->read == tp_document_read ? tp_merged_ranks_list : format->list_parts;
}

void tp_file_parts_find(struct tp_vec *parts, const char *path)
{
    const struct tp_input_format *format = tp_file_head_format(path);
    tp_input_parts_lister *list = format ? lister_of_format(format) : NULL;
    if (list && list(parts, path, NULL) < 0)
        parts->count = 0;
}

bool tp_file_parts_is_trace(const char *path, struct tp_arena *arena)
{
    struct tp_vec parts = TP_VEC(arena, struct tp_input_part);
    const struct tp_input_format *format = tp_input_format_ending_bytes(path) ? tp_file_head_format(path) : NULL;
    bool is_other_format = format && format->read && !format->refusal && format->endings;
    if (!is_other_format)
        return tp_file_head_is_trace(path);
    return !format->list_parts || format->list_parts(&parts, path, NULL) == TP_OK;
}

const char *tp_file_parts_refusal(const char *path, struct tp_arena *arena)
{
    struct tp_vec parts = TP_VEC(arena, struct tp_input_part);
    const struct tp_input_format *format = tp_file_head_format(path);
    struct tp_error why = {0};
    if (!format || !format->list_parts || format->list_parts(&parts, path, &why) == TP_OK)
        return tp_file_head_describe(path);
    return tp_arena_copy(arena, why.text, strlen(why.text));
}
