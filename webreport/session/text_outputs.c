/* Writes finished texts to their files: see text_outputs.h. */
#include "webreport/session/text_outputs.h"

#include <string.h>

#include "writer/base/fs.h"

bool tp_is_stdout_path(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

int tp_text_outputs_write(const struct tp_text_output *outputs, unsigned count, struct tp_error *err)
{
    struct tp_outfile *files[TP_TEXT_OUTPUTS_MAX] = {NULL};
    int code = TP_OK;
    for (unsigned i = 0; i < count && code == TP_OK; i++) {
        const struct tp_buf *text = &outputs[i].text;
        if (!outputs[i].path)
            continue;
        code = text->failed ? tp_error_set(err, text->failed, 0, "out of memory")
                            : tp_outfile_open(&files[i], outputs[i].path, err);
        if (code == TP_OK)
            code = tp_outfile_write(files[i], text->data ? text->data : "", text->size, err);
    }
    for (unsigned i = 0; i < count && code == TP_OK; i++)
        if (files[i])
            code = tp_outfile_commit(&files[i], err);
    for (unsigned i = 0; i < count; i++)
        tp_outfile_discard(&files[i]);
    return code;
}
