/* Reads texts, each ended by NUL. For each text, prints four results of the functions in frame.h: the project line ("-"
 * if none exists), the label, the text without addresses, and the path below the folders of the installation. Each
 * result is ended by NUL. tests/oracle/check_frames.py uses this program. */
#include <stdio.h>
#include <stdlib.h>

#include "webreport/trace/frame.h"

static void print_text(struct tp_str text)
{
    fwrite(text.ptr, 1, text.len, stdout);
    putchar('\0');
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    struct tp_arena arena;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        return 1;
    while ((size = getdelim(&line, &room, '\0', stdin)) > 0) {
        struct tp_str text = {line, (size_t)size - 1}, found = tp_frame_project_line(text);
        print_text(found.ptr ? found : TP_STR("-"));
        print_text(tp_frame_label(&arena, text));
        print_text(tp_frame_without_address(&arena, text));
        print_text(tp_frame_short_path(text));
    }
    free(line);
    tp_arena_release(&arena);
    return fflush(stdout) ? 1 : 0;
}
