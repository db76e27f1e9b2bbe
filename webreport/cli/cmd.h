/* A command: a row in main.c's table, a file cmd_NAME.c, a text templates/help/NAME.txt. */
#ifndef TP_WEBREPORT_CLI_CMD_H
#define TP_WEBREPORT_CLI_CMD_H

#include "webreport/session/exit.h"

struct tp_console;
struct tp_error;
struct tp_opt_list;
struct tp_rule_overrides;

/* The commands: arguments behind the command's name; each returns an exit code. */
int tp_cmd_diff(int argc, char **argv);
int tp_cmd_check(int argc, char **argv);
int tp_cmd_export(int argc, char **argv);
int tp_cmd_help(int argc, char **argv);
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

/* Says what is wrong with a command's options and where they are listed; returns TP_EXIT_USAGE. */
int tp_cmd_refuse(struct tp_console *console, const char *command, const char *what);

/* Takes every --rule into `overrides`. Returns 0 or TP_EUSAGE with the reason. */
int tp_cmd_rules(struct tp_rule_overrides *overrides, const struct tp_opt_list *rules, struct tp_error *err);

/* Prints the help text of a command on standard output; returns an exit code. */
int tp_help_print(const char *command);

#endif
