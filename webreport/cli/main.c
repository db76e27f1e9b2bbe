/* tracepress: finds the command and runs it. The command table is the list of what the program can do;
 * templates/help/tracepress.txt says it to people. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "webreport/cli/cmd.h"
#include "writer/base/fs.h"

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"report", tp_cmd_report},   {"record", tp_cmd_record}, {"table", tp_cmd_table},
    {"export", tp_cmd_export},   {"diff", tp_cmd_diff},     {"summarize", tp_cmd_summarize},
    {"merge", tp_cmd_merge},     {"check", tp_cmd_check},   {"precision", tp_cmd_precision},
    {"recover", tp_cmd_recover}, {"help", tp_cmd_help},     {NULL, NULL},
};

/* Half-written files go; the exit code is the shell's for a death by this signal. */
static void on_signal(int number)
{
    tp_outfile_remove_all();
    _exit(128 + number);
}

static const int handled[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ};
enum { HANDLED = sizeof handled / sizeof *handled };
static struct sigaction before[HANDLED]; /* what we were started with, for `record` */

static void prepare_signals(void)
{
    for (int i = 0; i < HANDLED; i++) {
        struct sigaction action = {.sa_handler = on_signal};
        sigemptyset(&action.sa_mask);
        if (handled[i] == SIGPIPE || handled[i] == SIGXFSZ)
            action.sa_handler = SIG_IGN; /* a full disk or a closed pipe is an error to report, not a death */
        sigaction(handled[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) /* nohup */
            sigaction(handled[i], &action, NULL);
    }
}

void tp_signals_restore(void)
{
    for (int i = 0; i < HANDLED; i++)
        sigaction(handled[i], &before[i], NULL);
}

int main(int argc, char **argv)
{
    prepare_signals();
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
