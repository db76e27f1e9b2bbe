/* Writes export --to chrome: chooses the path of the output, and its form (raw or slim). */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "webreport/export/export_formats.h"
#include "webreport/export/whole_file.h"
#include "writer/base/input.h"

/* Returns whether tracepress exported the file. An export begins with a gzip header whose only optional field is the
 * comment TP_EXPORT_MARK. */
static bool is_file_exported_by_tracepress(const char *path)
{
    /* size of a gzip header, bytes; its fourth byte contains flags, and the flag 0x10 means that a comment follows */

    enum { HEAD = 10 };
    char head[HEAD + sizeof TP_EXPORT_MARK];
    struct tp_input input;
    size_t got = 0;
    if (tp_input_open(&input, path, TP_INPUT_FILE, NULL) < 0)
        return false;
    bool is_whole = tp_input_read(&got, &input, head, sizeof head, 0, NULL) == 0 && got == sizeof head;
    close(input.fd);
    return is_whole && memcmp(head, "\x1f\x8b\x08\x10", 4) == 0 &&
           memcmp(head + HEAD, TP_EXPORT_MARK, sizeof TP_EXPORT_MARK) == 0;
}

/* Returns an error if `path` exists and tracepress did not export this file. The user may not be able to record it
 * again. */
static int refuse_foreign_file(const struct tp_export *export, const char *path, struct tp_error *err)
{
    struct stat input, output;
    if (stat(path, &output) != 0)
        return TP_OK;
    if (stat(export->path, &input) == 0 && input.st_dev == output.st_dev && input.st_ino == output.st_ino)
        return tp_error_set(err, TP_EUSAGE, 0, "%.200s: is the input; name another folder with -o", path);
    if (S_ISREG(output.st_mode) && output.st_size > 0 && !is_file_exported_by_tracepress(path))
        return tp_error_set(err, TP_EUSAGE, 0, "%.200s: is there, and no export wrote it; name another folder with -o",
                            path);
    return TP_OK;
}

int tp_export_chrome(const struct tp_export *export, struct tp_error *err)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s.trace.json.gz", export->folder, export->worker);
    if (n < 0 || (size_t)n >= sizeof path)
        return tp_error_set(err, TP_ELIMIT, 0, "%.200s: the path is too long", export->folder);
    int code = refuse_foreign_file(export, path, err);
    if (code < 0)
        return code;
    code = export->is_slim ? tp_export_chrome_slim(export, path, err) : tp_export_chrome_raw(export, path, err);
    return tp_export_note_written_path(export, path, code);
}
