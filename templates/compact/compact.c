/* compact FILE: prints a style or a script of the page (FILE.css or FILE.js) in its short form, which the build puts
 * into the program. Runs on the machine that builds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "templates/compact/compact_text.h"
#include "templates/compact/short_names.h"

struct file {
    const char *path;
    struct tp_arena arena;
    struct tp_str text;
};

static int read_and_shorten(void *context, struct tp_error *err)
{
    enum { MOST_BYTES = 1 << 20 };
    struct file *file = context;
    char *text = tp_arena_alloc(&file->arena, MOST_BYTES);
    FILE *in = fopen(file->path, "rb");
    size_t size = in ? fread(text, 1, MOST_BYTES, in) : MOST_BYTES;
    if (in)
        fclose(in);
    if (size == MOST_BYTES)
        return tp_error_set(err, TP_EIO, 0, "%s cannot be read, or is too large", file->path);
    bool is_script = tp_str_ends(tp_str_of(file->path), ".js");
    file->text = (struct tp_str){text, tp_compact_text(text, size, is_script ? TP_COMPACT_SCRIPT : TP_COMPACT_STYLE)};
    if (is_script)
        file->text = tp_shorten_names(file->text, &file->arena);
    return 0;
}

int main(int count, char **words)
{
    struct file file = {.path = count == 2 ? words[1] : ""};
    struct tp_error err;
    tp_arena_init(&file.arena, 0);
    int code = tp_arena_run(&file.arena, read_and_shorten, &file, &err);
    if (code)
        fprintf(stderr, "compact: %s\n", err.text);
    else if (fwrite(file.text.ptr, 1, file.text.len, stdout) != file.text.len)
        code = TP_EIO;
    tp_arena_release(&file.arena);
    return code != 0;
}
