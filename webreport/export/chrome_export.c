/* export --to chrome: where the trace goes, and in which of its two forms. */
#include <stdio.h>
#include <sys/stat.h>

#include "webreport/export/export_formats.h"

int tp_export_chrome(const struct tp_export *export, struct tp_error *err)
{
    struct stat input, output;
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s.trace.json.gz", export->folder, export->worker);
    if (n < 0 || (size_t)n >= sizeof path)
        return tp_error_set(err, TP_ELIMIT, 0, "%.200s: the path is too long", export->folder);
    if (stat(export->path, &input) == 0 && stat(path, &output) == 0 && input.st_dev == output.st_dev &&
        input.st_ino == output.st_ino)
        return tp_error_set(err, TP_EUSAGE, 0, "%.200s: is the input; name another folder with -o", path);
    return export->is_slim ? tp_export_chrome_slim(export, path, err) : tp_export_chrome_raw(export, path, err);
}
