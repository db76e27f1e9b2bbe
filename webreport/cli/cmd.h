/* Declares the commands: each is a row in main.c's table, a file cmd_NAME.c and a text templates/help/NAME.txt. */
#ifndef TP_WEBREPORT_CLI_CMD_H
#define TP_WEBREPORT_CLI_CMD_H

#include <stddef.h>

#include "webreport/print/print.h"
#include "webreport/session/console.h"
#include "webreport/session/exit.h"
#include "webreport/session/text_outputs.h"

struct tp_opt;
struct tp_summary_printer;

/* Run the commands. argc, argv: the arguments after the command's name. Each returns an exit code. */
int tp_cmd_bench(int argc, char **argv);
int tp_cmd_diff(int argc, char **argv);
int tp_cmd_check(int argc, char **argv);
int tp_cmd_export(int argc, char **argv);
int tp_cmd_merge(int argc, char **argv);
int tp_cmd_precision(int argc, char **argv);
int tp_cmd_record(int argc, char **argv);
int tp_cmd_recover(int argc, char **argv);
int tp_cmd_report(int argc, char **argv);
int tp_cmd_summarize(int argc, char **argv);
int tp_cmd_table(int argc, char **argv);

/* Handles signals that end the program: half-written files are removed first. For main. */
void tp_signals_handle(void);

/* Restores the dispositions of the handled signals, for a program that replaces us or runs below us. */
void tp_signals_restore(void);

struct tp_cmd {
    const char *name;
    const struct tp_opt *table;
};

/* Parses a command's options, which begin with a struct tp_opt_common, and opens its console. Returns TP_CMD_GOES_ON,
 * or the exit code to end with after it printed the help or an error. */
enum { TP_CMD_GOES_ON = -1 };
int tp_cmd_start(struct tp_console *console, const struct tp_cmd *cmd, void *options, int argc, char **argv,
                 size_t *operand_count);

/* Prints what is wrong with a command's options and where they are listed. Returns TP_EXIT_USAGE. */
int tp_cmd_refuse(struct tp_console *console, const char *command, const char *what);

/* Parses "3", "3%" or "3 %" (percent from 0 on) as a ratio; NULL gives 0. Returns false for other texts. */
bool tp_cmd_percent(double *out, const char *text);

/* Prints the help text of a command on standard output. Returns an exit code; -1: no such text. */
int tp_help_print(const char *command);

/* The memory and the outputs of a running command. */
struct tp_cmd_work {
    struct tp_console *console;
    struct tp_arena arena; /* released by tp_cmd_end */
    struct tp_text_output outputs[TP_TEXT_OUTPUTS_MAX];
    struct tp_error err;
};

/* The place and format of a document's output. */
struct tp_cmd_output {
    const char *path; /* NULL: not wanted */
    tp_print *print;
};

/* Calls run(context) with the guard of work->arena set, and prints the error if it fails. Returns 0 or a negative
 * tp_status. */
int tp_cmd_run(struct tp_cmd_work *work, tp_arena_work *run, void *context);
/* Prints the document in the formats of the outputs and writes either all of them or none. Call it within
 * tp_cmd_run. */
int tp_cmd_print(struct tp_cmd_work *work, const struct tp_document *document, const struct tp_cmd_output *outputs,
                 unsigned count, struct tp_print_options *options);
/* The printer of summaries for --format json. */
extern const struct tp_summary_printer tp_cmd_summaries_json;
/* Sets that a page's style and script are separate files next to it, for tp_cmd_print. Returns 0, or TP_EUSAGE for
 * standard output. */
int tp_cmd_separate_assets(struct tp_cmd_work *work, const char *html, struct tp_print_options *options);
void tp_cmd_end(struct tp_cmd_work *work);

#endif
