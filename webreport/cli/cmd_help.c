/* tracepress help [COMMAND]: the list of commands, or the text of one, as embedded from templates/help. */
#include <stdio.h>

#include "webreport/cli/cmd.h"
#include "webreport/render/assets.h"

static int print_all(void)
{
    printf("tracepress %s: a training run's trace, turned into an answer\n\n"
           "usage: tracepress COMMAND [options] INPUT...\n\n",
           TP_VERSION);
    for (const struct tp_command *command = tp_commands; command->name; command++)
        printf("  %-10s %s\n", command->name, command->summary);
    printf("\n'tracepress help COMMAND' explains one; start with: tracepress report runs/ -o report.html\n");
    return fflush(stdout) ? TP_EXIT_NO_OUTPUT : TP_EXIT_DONE;
}

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
    return argc > 0 ? tp_help_print(argv[0]) : print_all();
}
