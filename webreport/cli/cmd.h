/* Declares the commands. Each command has a row in the table of main.c, a file cmd_NAME.c and a text
 * templates/help/NAME.txt. */
#ifndef TP_WEBREPORT_CLI_CMD_H
#define TP_WEBREPORT_CLI_CMD_H

#include <stddef.h>

#include "webreport/print/print.h"
#include "webreport/session/console.h"
#include "webreport/session/exit.h"
#include "webreport/session/text_outputs.h"

struct tp_opt;
struct tp_summary_printer;

/* Run the commands. argc, argv: the arguments after the name of the command. Return an exit code. */
int tp_cmd_ask(int argc, char **argv);
int tp_cmd_mcp(int argc, char **argv);
int tp_cmd_bench(int argc, char **argv);
int tp_cmd_diff(int argc, char **argv);
int tp_cmd_check(int argc, char **argv);
int tp_cmd_export(int argc, char **argv);
int tp_cmd_hang(int argc, char **argv);
int tp_cmd_merge(int argc, char **argv);
int tp_cmd_precision(int argc, char **argv);
int tp_cmd_record(int argc, char **argv);
int tp_cmd_recover(int argc, char **argv);
int tp_cmd_report(int argc, char **argv);
int tp_cmd_summarize(int argc, char **argv);
int tp_cmd_table(int argc, char **argv);
int tp_cmd_whatif(int argc, char **argv);

/* Installs handlers for signals that stop the program, so that temporary files of outputs are removed first. Called
 * by main. */
void tp_signals_handle(void);

/* Restores the state that these signals had at the start of the program. Called before a program is executed or
 * started. */
void tp_signals_restore(void);

struct tp_cmd {
    const char *name;
    const struct tp_opt *table;
};

/* Parses the options of a command, which begin with a struct tp_opt_common, and opens its console. Returns
 * TP_CMD_CONTINUES if the command must run. Returns an exit code if the function printed the help or an error. */
enum { TP_CMD_CONTINUES = -1 };
int tp_cmd_parse_command_line(struct tp_console *console, const struct tp_cmd *cmd, void *options, int argc,
                              char **argv, size_t *operand_count);

/* Prints what is wrong with the options of a command, and which help text lists them. Returns TP_EXIT_USAGE. */
int tp_cmd_print_usage_error(struct tp_console *console, const char *command, const char *what);

/* Prints that memory is exhausted or a limit was reached before the command could read its inputs. Returns the exit
 * code for `status`, a negative tp_status. */
int tp_cmd_print_failure(struct tp_console *console, const char *command, int status);

/* Parses a percentage of at least 0, such as "3", "3%" or "3 %", and sets *out to the ratio. NULL gives 0. Returns
 * false for other texts. */
bool tp_cmd_parse_percent(double *out, const char *text);

/* Prints the help text of a command on standard output. Returns an exit code; -1 if there is no such text. */
int tp_help_print(const char *command);

/* The memory and the outputs of a running command. */
struct tp_cmd_work {
    struct tp_console *console;
    struct tp_arena arena; /* memory of the command; tp_cmd_release releases it */
    struct tp_text_output outputs[TP_TEXT_OUTPUTS_MAX];
    struct tp_error err;
};

/* Path and format of one output of a document. */
struct tp_cmd_output {
    const char *path; /* path of the output; NULL: the output is not wanted */
    tp_print *print;
};

/* Calls run(context) with the guard of work->arena set, and prints the error if the call fails. Returns 0 or a negative
 * tp_status. */
int tp_cmd_run_in_arena(struct tp_cmd_work *work, tp_arena_work *run, void *context);
/* Prints the document in the formats of the outputs. Writes either all outputs or, if one fails, none. Must be
 * called within tp_cmd_run_in_arena. */
int tp_cmd_write_outputs(struct tp_cmd_work *work, const struct tp_document *document,
                         const struct tp_cmd_output *outputs, unsigned count, struct tp_print_options *options);
/* Prints summaries as JSON, for --format json. */
extern const struct tp_summary_printer tp_cmd_summaries_json;
/* Makes tp_cmd_write_outputs write the style and the script of a page as separate files in the page's folder. Returns
 * 0; TP_EUSAGE if the page goes to standard output. */
int tp_cmd_separate_assets(struct tp_cmd_work *work, const char *html, struct tp_print_options *options);
void tp_cmd_release(struct tp_cmd_work *work);

#endif
