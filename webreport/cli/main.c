/* Finds the command and runs it. The table lists all commands; templates/help/tracepress.txt explains them to users. */
#include <stdio.h>
#include <string.h>

#include "webreport/cli/cmd.h"
#include "writer/text/nearest.h"

static int print_help(int argc, char **argv);

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"report", tp_cmd_report},
    {"record", tp_cmd_record},
    {"table", tp_cmd_table},
    {"whatif", tp_cmd_whatif},
    {"hang", tp_cmd_hang},
    {"ask", tp_cmd_ask},
    {"mcp", tp_cmd_mcp},
    {"export", tp_cmd_export},
    {"diff", tp_cmd_diff},
    {"bench", tp_cmd_bench},
    {"summarize", tp_cmd_summarize},
    {"merge", tp_cmd_merge},
    {"check", tp_cmd_check},
    {"precision", tp_cmd_precision},
    {"recover", tp_cmd_recover},
    {"help", print_help},
    {NULL, NULL},
};

/* Prints that there is no command with this name, and which command has the most similar name. what: start of the
 * message, such as "no command named". Returns TP_EXIT_USAGE. */
static int print_unknown_name(const char *what, const char *name)
{
    struct tp_nearest nearest = tp_nearest_start(tp_str_of(name));
    for (const struct command *command = commands; command->name; command++)
        tp_nearest_compare(&nearest, tp_str_of(command->name));
    bool is_near = nearest.found.len > 0;
    fprintf(stderr, "tracepress: %s \"%.60s\"%s%s%s; 'tracepress help' lists the commands\n", what, name,
            is_near ? " (did you mean " : "", is_near ? nearest.found.ptr : "", is_near ? "?)" : "");
    return TP_EXIT_USAGE;
}

static int print_help(int argc, char **argv)
{
    int code = tp_help_print(argc > 0 ? argv[0] : "tracepress");
    return code < 0 ? print_unknown_name("no help on", argv[0]) : code;
}

int main(int argc, char **argv)
{
    tp_signals_handle();
    if (argc < 2) {
        int code = print_help(0, NULL);
        return code ? code : TP_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("tracepress %s\n", TP_VERSION);
        return fflush(stdout) ? TP_EXIT_NO_OUTPUT : TP_EXIT_DONE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return print_help(0, NULL);
    for (const struct command *command = commands; command->name; command++)
        if (strcmp(command->name, argv[1]) == 0)
            return command->run(argc - 2, argv + 2);
    return print_unknown_name("no command named", argv[1]);
}
