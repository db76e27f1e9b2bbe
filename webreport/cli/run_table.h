/* The job behind `tracepress table`: every input read, its rows computed, printed and forgotten, one after the other.
 */
#ifndef TP_WEBREPORT_CLI_RUN_TABLE_H
#define TP_WEBREPORT_CLI_RUN_TABLE_H

#include "webreport/measure/operator_calls.h"
#include "webreport/print/key_table.h"
#include "webreport/session/inputs.h"

enum tp_table_format { TP_TABLE_TEXT, TP_TABLE_CSV, TP_TABLE_JSON, TP_TABLE_MARKDOWN };

/* What its rows are. */
enum tp_table_kind {
    TP_TABLE_KEYS,      /* key_averages() */
    TP_TABLE_FUNCTIONS, /* cProfile's */
    TP_TABLE_OPERATORS  /* MegEngine's profile_analyze */
};

struct tp_table_job {
    enum tp_table_kind kind;
    const char *const *inputs;
    size_t input_count;
    const char *out; /* "-": standard output */
    enum tp_table_format format;
    const char *sort_by; /* NULL: self device time when there is any, else self CPU time */
    struct tp_key_options keys;
    struct tp_operator_options operators;
    struct tp_key_table_options style;
    struct tp_trace_options read;
    struct tp_console *console;
};

/* Runs it. Returns an exit code (enum tp_exit); everything that went wrong has been said. */
int tp_table_run(const struct tp_table_job *job);

#endif
