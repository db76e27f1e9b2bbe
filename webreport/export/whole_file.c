/* Writes files of an export that are built in memory: see whole_file.h. */
#include "webreport/export/whole_file.h"

#include <stdio.h>
#include <string.h>

#include "writer/base/fs.h"
#include "writer/base/gzip_out.h"

int tp_export_note_written_path(const struct tp_export *export, const char *path, int code)
{
    enum { NAMED = 4 };
    struct tp_export_job *job = export->job;
    if (code != TP_OK || !job)
        return code;
    size_t size = strlen(job->written);
    if (job->written_count == job->named_count && job->named_count < NAMED &&
        size + strlen(path) + 3 < sizeof job->written) {
        snprintf(job->written + size, sizeof job->written - size, "%s%s", size ? ", " : "", path);
        job->named_count++;
    }
    job->written_count++;
    return code;
}

int tp_export_named_file(const struct tp_export *export, const char *name, struct tp_str bytes, struct tp_error *err)
{
    struct tp_outfile *file;
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s", export->folder, name);
    if (n < 0 || (size_t)n >= sizeof path)
        return tp_error_set(err, TP_ELIMIT, 0, "%.200s: the path is too long", export->folder);
    int code = tp_outfile_open(&file, path, err);
    if (code < 0)
        return code;
    code = tp_outfile_write(file, bytes.ptr, bytes.len, err);
    if (code == TP_OK)
        return tp_export_note_written_path(export, path, tp_outfile_commit(&file, err));
    tp_outfile_discard(&file);
    return code;
}

int tp_export_whole_file(const struct tp_export *export, const char *ending, struct tp_str bytes, struct tp_error *err)
{
    char name[4096];
    int n = snprintf(name, sizeof name, "%s.%s", export->worker, ending);
    if (n < 0 || (size_t)n >= sizeof name)
        return tp_error_set(err, TP_ELIMIT, 0, "%.200s: the path is too long", export->folder);
    return tp_export_named_file(export, name, bytes, err);
}

struct packing {
    const struct tp_export *export;
    const struct tp_buf *text;
    struct tp_str packed;
};

static int compress_text(void *context, struct tp_error *err)
{
    struct packing *packing = context;
    const struct tp_str text = {packing->text->data, packing->text->size};
    (void)err;
    packing->packed = tp_gzip_texts(packing->export->arena, &text, 1);
    return TP_OK;
}

int tp_export_write_gzip_file(const struct tp_export *export, const char *ending, const struct tp_buf *text,
                              struct tp_error *err)
{
    struct packing packing = {export, text, {NULL, 0}};
    int code = tp_arena_run(export->arena, compress_text, &packing, err);
    return code < 0 ? code : tp_export_whole_file(export, ending, packing.packed, err);
}
