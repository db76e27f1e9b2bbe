/* Reading again: see reread.h. */
#include "webreport/export/reread.h"

#include <string.h>

/* A file that is no trace, or cannot be opened, is an input that cannot be used. */
static int as_input(int code)
{
    return code == TP_EIO || code == TP_EFORMAT ? TP_ENOTFOUND : code;
}

int tp_reread(const struct tp_export *export, struct tp_arena *arena, const struct tp_visitor *visitor,
              struct tp_error *err)
{
    const struct tp_reading *first = export->reading;
    struct tp_reading second;
    int code = tp_trace_visit(export->path, arena, export->read, visitor, &second, err);
    if (code < 0)
        return as_input(code);
    bool is_same = first->text_bytes == second.text_bytes && first->element_count == second.element_count &&
                   strcmp(first->file_sha256, second.file_sha256) == 0;
    /* it was replaced, or is still written */
    return is_same ? TP_OK : tp_error_set(err, TP_ENOTFOUND, 0, "the file changed while it was read");
}

int tp_read_text(const struct tp_export *export, struct tp_arena *arena, const struct tp_visitor *visitor,
                 struct tp_error *err)
{
    struct tp_trace_options read = *export->read;
    read.skips_hash = true;
    return as_input(tp_trace_visit(export->path, arena, &read, visitor, export->reading, err));
}
