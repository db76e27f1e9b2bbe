/* A command: a row in main.c's table, a file cmd_NAME.c, a text templates/help/NAME.txt. */
#ifndef TP_WEBREPORT_CLI_CMD_H
#define TP_WEBREPORT_CLI_CMD_H

#include <stddef.h>

#include "webreport/print/print.h"
#include "webreport/session/console.h"
#include "webreport/session/exit.h"
#include "webreport/session/text_outputs.h"

struct tp_opt;
struct tp_summary_printer;

/* The commands: arguments behind the command's name; each returns an exit code. */
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

/* Interrupted, half-written files go. For main. */
void tp_signals_handle(void);

/* Gives the signals that are handled their dispositions back, for a program that takes our place or runs below us. */
void tp_signals_restore(void);

struct tp_cmd {
    const char *name;
    const struct tp_opt *table;
};

/* Parses a command's options, which begin with a struct tp_opt_common, and opens its console. Returns TP_CMD_GOES_ON,
 * or the exit code to end with: its help was printed, or what is wrong was said. */
enum { TP_CMD_GOES_ON = -1 };
int tp_cmd_start(struct tp_console *console, const struct tp_cmd *cmd, void *options, int argc, char **argv,
                 size_t *operand_count);

/* Says what is wrong with a command's options and where they are listed; returns TP_EXIT_USAGE. */
int tp_cmd_refuse(struct tp_console *console, const char *command, const char *what);

/* "3", "3%" or "3 %": per cent from 0 on, as a ratio; NULL: 0. False: it is none. */
bool tp_cmd_percent(double *out, const char *text);

/* Prints the help text of a command on standard output. Returns an exit code; -1 when there is no such text. */
int tp_help_print(const char *command);

/* A command at work: its memory and what it prints. */
struct tp_cmd_work {
    struct tp_console *console;
    struct tp_arena arena; /* released by tp_cmd_end */
    struct tp_text_output outputs[TP_TEXT_OUTPUTS_MAX];
    struct tp_error err;
};

/* Where a document goes, and how. */
struct tp_cmd_output {
    const char *path; /* NULL: not wanted */
    tp_print *print;
};

/* Calls run(context) with the guard of work->arena set; what went wrong is said. Returns 0 or a negative tp_status. */
int tp_cmd_run(struct tp_cmd_work *work, tp_arena_work *run, void *context);
/* Within tp_cmd_run: prints the document as the outputs want it and writes all of them, or none. */
int tp_cmd_print(struct tp_cmd_work *work, const struct tp_document *document, const struct tp_cmd_output *outputs,
                 unsigned count, struct tp_print_options *options);
/* For --format json of summaries. */
extern const struct tp_summary_printer tp_cmd_summaries_json;
/* Puts the files of a page's style and script beside it, for tp_cmd_print. Returns 0, or TP_EUSAGE for standard output.
 */
int tp_cmd_separate_assets(struct tp_cmd_work *work, const char *html, struct tp_print_options *options);
void tp_cmd_end(struct tp_cmd_work *work);

#endif
