/* Runs `tracepress mcp`: parses options, and serves a client on standard input and output. */
#include <unistd.h>

#include "webreport/ask/protocol/server.h"
#include "webreport/cli/cmd.h"
#include "webreport/session/inputs.h"
#include "webreport/session/opt.h"
#include "writer/base/limits.h"

struct options {
    struct tp_opt_common common;
    struct tp_opt_list roots;
    int64_t max_bytes, sql_ms;
    uint64_t cache, max_input;
};

#define AT(field) offsetof(struct options, field)

static const struct tp_opt table[] = {
    {"root", 0, TP_OPT_LIST, AT(roots), NULL},
    {"max-bytes", 0, TP_OPT_INT, AT(max_bytes), NULL},
    {"sql-ms", 0, TP_OPT_INT, AT(sql_ms), NULL},
    {"cache", 0, TP_OPT_SIZE, AT(cache), NULL},
    {"max-input", 0, TP_OPT_SIZE, AT(max_input), NULL},
    /* options of every command */
    TP_OPT_COMMON(struct options),
};

int tp_cmd_mcp(int argc, char **argv)
{
    static const char *const here[] = {"."};
    struct options o = {.max_bytes = TP_ASK_ANSWER_BYTES, .sql_ms = TP_ASK_SQL_MS};
    struct tp_console console;
    struct tp_error err = {0};
    struct tp_ask *ask = NULL;
    size_t operands = 0;
    int code = tp_cmd_parse_command_line(&console, &(struct tp_cmd){"mcp", table}, &o, argc, argv, &operands);
    if (code != TP_CMD_CONTINUES)
        return code;
    if (operands)
        return tp_cmd_print_usage_error(&console, "mcp", "name folders with --root DIR");
    if (o.max_bytes < TP_LEAST_ASK_ANSWER_BYTES || o.max_bytes > TP_MAX_ASK_ANSWER_BYTES)
        return tp_cmd_print_usage_error(&console, "mcp", "--max-bytes: 512 to 65536");
    if (o.sql_ms < 1 || o.sql_ms > TP_MAX_ASK_SQL_MS)
        return tp_cmd_print_usage_error(&console, "mcp", "--sql-ms: 1 to 600000");
    struct tp_ask_options options = {.roots = o.roots.count ? o.roots.items : here,
                                     .root_count = o.roots.count ? o.roots.count : 1,
                                     .max_bytes = o.max_bytes,
                                     .sql_ms = o.sql_ms,
                                     .cache_bytes = o.cache,
                                     .max_input_bytes = o.max_input,
                                     .console = &console};
    console.is_quiet = true; /* standard error is the log of the client */
    code = tp_ask_new(&ask, &options, &err);
    if (code == TP_OK)
        code = tp_server_run(ask, STDIN_FILENO, STDOUT_FILENO, &err);
    tp_ask_free(ask);
    if (code < 0)
        tp_console_error(&console, "mcp: %s", err.text);
    return tp_inputs_exit_code(code);
}
