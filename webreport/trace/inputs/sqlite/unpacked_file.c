/* Writes the bytes of an input into a temporary file: see unpacked_file.h. */
#include "webreport/trace/inputs/sqlite/unpacked_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "writer/base/environment.h"
#include "writer/base/limits.h"

static int write_rest(FILE *to, struct tp_feed *feed, const char **at, const char **end, struct tp_error *err)
{
    uint64_t written = 0;
    int status = 1;
    while (status > 0) {
        size_t size = (size_t)(*end - *at);
        written += size;
        if (written > TP_MAX_UNPACKED_DATABASE_BYTES)
            return tp_error_set(err, TP_ELIMIT, 0, "the unpacked database has more than %llu GiB",
                                TP_MAX_UNPACKED_DATABASE_BYTES >> 30);
        if (size && fwrite(*at, 1, size, to) != size)
            return tp_error_set(err, TP_EIO, 0, "cannot write a temporary file: %s", strerror(errno));
        *at = *end;
        status = tp_feed_next_window(feed, at, end, err);
    }
    return status;
}

int tp_unpacked_file_make(struct tp_unpacked_file *out, struct tp_feed *feed, const char **at, const char **end,
                          struct tp_error *err)
{
    const char *folder = tp_environment("TMPDIR");
    char target[4096];
    *out = (struct tp_unpacked_file){NULL, NULL};
    snprintf(target, sizeof target, "%s/tracepress-database", folder && *folder ? folder : "/tmp");
    int code = tp_outfile_open(&out->file, target, err);
    if (code == TP_OK)
        code = tp_outfile_temporary(&out->path, out->file, err);
    if (code < 0)
        return code;
    FILE *to = out->path ? fopen(out->path, "wb") : NULL;
    if (!to)
        return tp_error_set(err, TP_EIO, 0, "no temporary file in the folder of %s", target);
    code = write_rest(to, feed, at, end, err);
    if (fclose(to) != 0 && code == TP_OK)
        code = tp_error_set(err, TP_EIO, 0, "cannot write a temporary file: %s", strerror(errno));
    return code;
}

void tp_unpacked_file_remove(struct tp_unpacked_file *unpacked)
{
    tp_outfile_discard(&unpacked->file);
    unpacked->path = NULL;
}
