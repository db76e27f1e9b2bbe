/* Runs `tracepress ask TRACE... QUESTION`: makes the arguments of a tool from the command line, and prints its answers.
 */
#include <stdio.h>
#include <string.h>

#include "webreport/ask/answer_text.h"
#include "webreport/ask/tool_arguments.h"
#include "webreport/ask/tools.h"
#include "webreport/cli/cmd.h"
#include "webreport/session/inputs.h"
#include "webreport/session/opt.h"

struct options {
    struct tp_opt_common common;
    const char *where, *cursor;
    int64_t limit, max_bytes, sql_ms;
    uint64_t max_input;
    bool text;
};

#define AT(field) offsetof(struct options, field)

static const struct tp_opt table[] = {
    {"where", 0, TP_OPT_TEXT, AT(where), NULL},
    {"limit", 0, TP_OPT_INT, AT(limit), NULL},
    {"max-bytes", 0, TP_OPT_INT, AT(max_bytes), NULL},
    {"cursor", 0, TP_OPT_TEXT, AT(cursor), NULL},
    {"sql-ms", 0, TP_OPT_INT, AT(sql_ms), NULL},
    {"max-input", 0, TP_OPT_SIZE, AT(max_input), NULL},
    {"text", 0, TP_OPT_FLAG, AT(text), NULL},
    /* options of every command */
    TP_OPT_COMMON(struct options),
};

enum { NOT_GIVEN = -1 };

/* The question of the command line. */
struct question {
    const struct options *options;
    const struct tp_tool *tool;
    char **traces;
    size_t trace_count;
    char **operands; /* what follows the name of the tool */
    size_t operand_count;
};

/* Finds the name of a tool among the operands: TRACE... NAME [ARGUMENT...]. The first trace is never a name. */
static bool find_tool(struct question *q, char **argv, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        q->tool = tp_tool_find(tp_str_of(argv[i]));
        if (q->tool && q->tool->required >> TP_ASK_TRACE & 1) {
            q->traces = argv;
            q->trace_count = i;
            q->operands = argv + i + 1;
            q->operand_count = count - i - 1;
            return true;
        }
    }
    return false;
}

/* Returns the argument that the operand of the tool sets; TP_ASK_ARGUMENTS if the tool has no operand. */
static enum tp_ask_argument operand_of_tool(const struct tp_tool *tool)
{
    static const enum tp_ask_argument operands[] = {TP_ASK_ID, TP_ASK_TABLE, TP_ASK_QUERY, TP_ASK_CHANGES,
                                                    TP_ASK_BASELINE};
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++)
        if (tool->allowed >> operands[i] & 1)
            return operands[i];
    return TP_ASK_ARGUMENTS;
}

static void write_operands(struct tp_json *json, const struct question *q, const char *trace)
{
    enum tp_ask_argument operand = operand_of_tool(q->tool);
    /* `ask OLD diff NEW` reads as in English, so the operand is the newer run */
    if (operand == TP_ASK_BASELINE) {
        tp_json_member_text(json, "baseline", trace);
        tp_json_member_text(json, "trace", q->operands[0]);
        return;
    }
    tp_json_member_text(json, "trace", trace);
    if (operand == TP_ASK_CHANGES) {
        tp_json_key(json, "changes");
        tp_json_array(json);
        for (size_t i = 0; i < q->operand_count; i++)
            tp_json_text(json, q->operands[i]);
        tp_json_array_end(json);
    } else if (operand != TP_ASK_ARGUMENTS) {
        tp_json_member_text(json, tp_ask_arguments[operand].name, q->operands[0]);
    }
}

static void write_arguments(struct tp_buf *out, const struct question *q, const char *trace)
{
    const struct options *o = q->options;
    struct tp_json json;
    tp_buf_clear(out);
    tp_json_init(&json, out);
    tp_json_object(&json);
    write_operands(&json, q, trace);
    if (o->where)
        tp_json_member_text(&json, "where", o->where);
    if (o->cursor)
        tp_json_member_text(&json, "cursor", o->cursor);
    if (o->limit != NOT_GIVEN)
        tp_json_member_int(&json, "limit", o->limit);
    if (o->max_bytes != NOT_GIVEN)
        tp_json_member_int(&json, "max_bytes", o->max_bytes);
    tp_json_object_end(&json);
}

static int exit_code_of(enum tp_ask_code code, bool is_damaged)
{
    switch (code) {
    case TP_ASK_ANSWERED:
        return is_damaged ? TP_EXIT_DAMAGED : TP_EXIT_DONE;
    case TP_ASK_OUTSIDE_ROOTS:
    case TP_ASK_NOT_FOUND:
    case TP_ASK_NOT_A_TRACE:
        return TP_EXIT_NO_INPUT;
    case TP_ASK_TOO_SLOW:
    case TP_ASK_TOO_LARGE:
        return TP_EXIT_LIMIT;
    case TP_ASK_DAMAGED:
        return TP_EXIT_DAMAGED;
    default:
        return TP_EXIT_USAGE;
    }
}

/* Prints an answer for people. */
static void print_text(struct tp_buf *answer)
{
    struct tp_buf text;
    tp_buf_init(&text, 0);
    tp_answer_text_add(&text, (struct tp_str){answer->data, answer->size});
    if (!text.failed)
        fwrite(text.data, 1, text.size, stdout);
    answer->failed = text.failed;
    tp_buf_release(&text);
}

/* Asks about one trace and prints the answer. Returns an exit code. */
static int ask_about(struct tp_ask *ask, const struct question *q, const char *trace, struct tp_buf *answer,
                     struct tp_console *console)
{
    struct tp_buf arguments;
    bool is_damaged = false;
    tp_buf_init(&arguments, 0);
    tp_buf_clear(answer);
    write_arguments(&arguments, q, trace);
    enum tp_ask_code code = arguments.failed ? TP_ASK_TOO_LARGE
                                             : tp_ask_run(ask, q->tool, (struct tp_str){arguments.data, arguments.size},
                                                          answer, &is_damaged);
    answer->failed = arguments.failed ? arguments.failed : answer->failed;
    tp_buf_release(&arguments);
    if (!answer->failed && q->options->text)
        print_text(answer);
    else if (!answer->failed)
        printf("%s\n", answer->data);
    if (answer->failed)
        return tp_cmd_print_failure(console, "ask", answer->failed);
    return exit_code_of(code, is_damaged);
}

static int ask_all(const struct question *q, struct tp_console *console)
{
    const struct tp_ask_options options = {
        .sql_ms = q->options->sql_ms, .max_input_bytes = q->options->max_input, .console = console};
    struct tp_error err = {0};
    struct tp_ask *ask = NULL;
    struct tp_buf answer;
    int worst = TP_EXIT_DONE;
    int code = tp_ask_new(&ask, &options, &err);
    tp_buf_init(&answer, 0);
    for (size_t i = 0; code == TP_OK && i < q->trace_count; i++) {
        int exit_code = ask_about(ask, q, q->traces[i], &answer, console);
        worst = worst == TP_EXIT_DONE ? exit_code : worst;
    }
    tp_buf_release(&answer);
    tp_ask_free(ask);
    if (code < 0)
        tp_console_error(console, "ask: %s", err.text);
    if (fflush(stdout) != 0)
        return TP_EXIT_NO_OUTPUT;
    return code < 0 ? tp_inputs_exit_code(code) : worst;
}

/* Returns what is wrong with the question; NULL if it is complete. */
static const char *find_mistake(const struct question *q)
{
    enum tp_ask_argument operand = operand_of_tool(q->tool);
    if (operand == TP_ASK_ARGUMENTS)
        return q->operand_count ? "this question has no argument" : NULL;
    if (operand != TP_ASK_CHANGES && q->operand_count != 1)
        return "this question has one argument";
    return NULL;
}

int tp_cmd_ask(int argc, char **argv)
{
    struct options o = {.limit = NOT_GIVEN, .max_bytes = NOT_GIVEN, .sql_ms = TP_ASK_SQL_MS};
    struct tp_console console;
    struct question q = {.options = &o};
    size_t count = 0;
    int code = tp_cmd_parse_command_line(&console, &(struct tp_cmd){"ask", table}, &o, argc, argv, &count);
    if (code != TP_CMD_CONTINUES)
        return code;
    if (!find_tool(&q, argv, count))
        return tp_cmd_print_usage_error(&console, "ask",
                                        "name traces, and then digest, explain, evidence, rows, sql, whatif or diff");
    const char *mistake = find_mistake(&q);
    if (mistake)
        return tp_cmd_print_usage_error(&console, "ask", mistake);
    if (o.sql_ms < 1 || o.sql_ms > TP_MAX_ASK_SQL_MS)
        return tp_cmd_print_usage_error(&console, "ask", "--sql-ms: 1 to 600000");
    console.is_quiet = true;
    return ask_all(&q, &console);
}
