/* WORKER.pstats: calls of Python functions as a file of cProfile, for pstats and snakeviz. */
#include <stdio.h>

#include "webreport/export/export_formats.h"
#include "webreport/measure/python_calls.h"
#include "writer/base/fs.h"

static int write_file(const char *path, const struct tp_buf *text, struct tp_error *err)
{
    struct tp_outfile *file = NULL;
    int code = text->failed ? tp_error_set(err, text->failed, 0, "out of memory") : tp_outfile_open(&file, path, err);
    if (code < 0)
        return code;
    code = tp_outfile_write(file, text->data, text->size, err);
    if (code == TP_OK)
        return tp_outfile_commit(&file, err);
    tp_outfile_discard(&file);
    return code;
}

int tp_export_pstats(const struct tp_export *export, struct tp_error *err)
{
    struct tp_calls *calls = tp_arena_alloc(export->arena, sizeof *calls);
    struct tp_buf text;
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s.pstats", export->folder, export->worker);
    if (n < 0 || (size_t)n >= sizeof path)
        return tp_error_set(err, TP_ELIMIT, 0, "%.200s: the path is too long", export->folder);
    tp_calls_build(calls, export->profile->trace, export->arena);
    if (calls->count == 0) /* pstats refuses a file of none */
        return tp_error_set(err, TP_ENOTFOUND, 0, "no Python functions in it; record with with_stack");
    tp_buf_init(&text, 0);
    tp_calls_marshal(&text, calls);
    int code = write_file(path, &text, err);
    tp_buf_release(&text);
    return code;
}
