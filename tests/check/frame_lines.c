/* Reads texts, each ended by NUL. The arguments are paths of scripts. For each text, prints five results of the
 * functions in frame.h: the origin of the code, the line ("-" if the frame can be no line), the label, the text without
 * addresses, and the path below the folders of the installation. Each result is ended by NUL.
 * tests/oracle/check_frames.py uses this program. */
#include <stdio.h>
#include <stdlib.h>

#include "webreport/trace/frame.h"

static void print_text(struct tp_str text)
{
    fwrite(text.ptr, 1, text.len, stdout);
    putchar('\0');
}

/* Returns the texts of standard input. */
static void read_texts(struct tp_strings *texts)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    while ((size = getdelim(&line, &room, '\0', stdin)) > 0)
        tp_strings_add(texts, (struct tp_str){line, (size_t)size - 1});
    free(line);
}

int main(int argc, char **argv)
{
    static const char *const origins[] = {
        [TP_ORIGIN_BUILTIN] = "builtin", [TP_ORIGIN_MODULE] = "module", [TP_ORIGIN_GENERATED] = "generated",
        [TP_ORIGIN_STDLIB] = "stdlib",   [TP_ORIGIN_TORCH] = "torch",   [TP_ORIGIN_LIBRARY] = "library",
        [TP_ORIGIN_USER] = "user"};
    struct tp_arena arena;
    struct tp_strings texts;
    struct tp_frames frames;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        return 1;
    tp_strings_init(&texts, &arena, 0);
    read_texts(&texts);
    tp_frames_build(&frames, &texts, &arena);
    for (int i = 1; i < argc; i++)
        tp_frames_add_script(&frames, tp_str_of(argv[i]));
    tp_frames_apply_scripts(&frames, &arena);
    for (uint32_t i = 0; i < texts.count; i++) {
        uint32_t line = tp_frames_line(&frames, i);
        print_text(tp_str_of(origins[tp_frames_origin(&frames, i)]));
        print_text(line == TP_NO_ID ? TP_STR("-") : tp_frames_line_text(&frames, line));
        print_text(tp_frame_label(&arena, texts.items[i]));
        print_text(tp_frame_without_address(&arena, texts.items[i]));
        print_text(tp_frame_short_path(texts.items[i]));
    }
    tp_arena_release(&arena);
    return fflush(stdout) ? 1 : 0;
}
