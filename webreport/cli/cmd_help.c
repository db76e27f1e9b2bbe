/* tracepress help [COMMAND]: the text of tracepress or of one command, as embedded from templates/help. */
#include <stdio.h>

#include "webreport/cli/cmd.h"
#include "webreport/print/assets.h"

int tp_help_print(const char *command)
{
    struct tp_arena arena;
    struct tp_assets assets;
    struct tp_str text;
    char name[64];
    volatile int code = TP_EXIT_LIMIT;
    tp_arena_init(&arena, 0);
    snprintf(name, sizeof name, "help/%.40s.txt", command);
    if (setjmp(arena.guard) == 0) {
        tp_assets_init(&assets, &arena, NULL);
        if (tp_assets_get(&assets, tp_str_of(name), &text, NULL) == 0) {
            fwrite(text.ptr, 1, text.len, stdout);
            code = fflush(stdout) ? TP_EXIT_NO_OUTPUT : TP_EXIT_DONE;
        } else {
            fprintf(stderr, "tracepress: no help on \"%.60s\"; 'tracepress help' lists the commands\n", command);
            code = TP_EXIT_USAGE;
        }
    }
    tp_arena_release(&arena);
    return code;
}

int tp_cmd_help(int argc, char **argv)
{
    return tp_help_print(argc > 0 ? argv[0] : "tracepress");
}
