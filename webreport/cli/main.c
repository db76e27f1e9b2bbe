/* tracepress: finds the command and runs it. The command table is the list of what the program can do. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "webreport/cli/cmd.h"
#include "writer/base/fs.h"

const struct tp_command tp_commands[] = {
    {"report", "traces to one HTML file; also JSON and Markdown", tp_cmd_report},
    {"record", "run a program with the collector inside", tp_cmd_record},
    {"table", "the tables of key_averages(), and their numbers as CSV or JSON", tp_cmd_table},
    {"export", "traces to the files of other tools: TensorBoard, flame graphs", tp_cmd_export},
    {"diff", "what changed between two runs, and whether it is more than noise", tp_cmd_diff},
    {"summarize", "traces to mergeable summaries of a few kilobytes", tp_cmd_summarize},
    {"merge", "summaries to one: a job of any number of ranks", tp_cmd_merge},
    {"check", "a gate for CI: budgets, baselines, JUnit, SARIF", tp_cmd_check},
    {"precision", "the tensors that two runs recorded, compared", tp_cmd_precision},
    {"recover", "the trace of a recorded program that was killed", tp_cmd_recover},
    {"help", "what a command does and which options it has", tp_cmd_help},
    {NULL, NULL, NULL},
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
    for (const struct tp_command *command = tp_commands; command->name; command++)
        if (strcmp(command->name, argv[1]) == 0)
            return command->run(argc - 2, argv + 2);
    fprintf(stderr, "tracepress: no command named \"%.60s\"; 'tracepress help' lists them\n", argv[1]);
    return TP_EXIT_USAGE;
}
