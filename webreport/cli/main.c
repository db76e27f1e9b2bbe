/* tracepress: finds the command and runs it. The command table is the list of what the program can do;
 * templates/help/tracepress.txt says it to people. */
#include <stdio.h>
#include <string.h>

#include "webreport/cli/cmd.h"

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"report", tp_cmd_report}, {"record", tp_cmd_record}, {"table", tp_cmd_table},         {"export", tp_cmd_export},
    {"diff", tp_cmd_diff},     {"bench", tp_cmd_bench},   {"summarize", tp_cmd_summarize}, {"merge", tp_cmd_merge},
    {"check", tp_cmd_check},   {"precision", tp_cmd_precision}, {"recover", tp_cmd_recover}, {"help", tp_cmd_help},
    {NULL, NULL},
};

int main(int argc, char **argv)
{
    tp_signals_handle();
    if (argc < 2) {
        int code = tp_cmd_help(0, NULL);
        return code ? code : TP_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("tracepress %s\n", TP_VERSION);
        return fflush(stdout) ? TP_EXIT_NO_OUTPUT : TP_EXIT_DONE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return tp_cmd_help(0, NULL);
    for (const struct command *command = commands; command->name; command++)
        if (strcmp(command->name, argv[1]) == 0)
            return command->run(argc - 2, argv + 2);
    fprintf(stderr, "tracepress: no command named \"%.60s\"; 'tracepress help' lists them\n", argv[1]);
    return TP_EXIT_USAGE;
}
