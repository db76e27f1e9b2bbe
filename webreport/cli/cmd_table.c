/* Runs `tracepress table INPUT...`: parses options, writes the output and sets the exit code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/cli/cmd.h"
#include "webreport/print/table_outputs.h"
#include "webreport/session/inputs.h"
#include "webreport/session/opt.h"
#include "webreport/session/snapshot_session.h"
#include "webreport/session/snapshot_tables.h"
#include "webreport/session/table_session.h"

struct options {
    struct tp_opt_common common;
    struct tp_trace_options read;
    const char *out, *group_by, *sort_by, *header;
    const char *aggregate_by, *order_by, *min_time, *max_time, *opr_name, *input_dtype;
    struct tp_opt_list types;
    int64_t top;
    int aggregate, times;
    int64_t stack_depth, row_limit, source_width, name_width, shapes_width;
    int format, time_unit, rules, when; /* when: -1 without --at */
    bool copy_time, top_level_events_only, include_python, with_flops;
};

#define AT(field) offsetof(struct options, field)

static const struct tp_opt table[] = {
    {"output", 'o', TP_OPT_PATH, AT(out), NULL},
    {"format", 0, TP_OPT_CHOICE, AT(format), "text|csv|json|md"},
    {"group-by", 0, TP_OPT_TEXT, AT(group_by), NULL},
    {"stack-depth", 0, TP_OPT_INT, AT(stack_depth), NULL},
    {"include-python", 0, TP_OPT_FLAG, AT(include_python), NULL},
    {"torch", 0, TP_OPT_CHOICE, AT(rules), TP_TORCH_RULES},
    {"at", 0, TP_OPT_CHOICE, AT(when), TP_SNAPSHOT_WHEN},
    {"sort-by", 0, TP_OPT_TEXT, AT(sort_by), NULL},
    {"row-limit", 0, TP_OPT_INT, AT(row_limit), NULL},
    {"top-level-events-only", 0, TP_OPT_FLAG, AT(top_level_events_only), NULL},
    {"header", 0, TP_OPT_TEXT, AT(header), NULL},
    {"time-unit", 0, TP_OPT_CHOICE, AT(time_unit), "auto|s|ms|us"},
    {"with-flops", 0, TP_OPT_FLAG, AT(with_flops), NULL},
    {"max-src-column-width", 0, TP_OPT_INT, AT(source_width), NULL},
    {"max-name-column-width", 0, TP_OPT_INT, AT(name_width), NULL},
    {"max-shapes-column-width", 0, TP_OPT_INT, AT(shapes_width), NULL},
    {"top", 0, TP_OPT_INT, AT(top), NULL},
    {"type", 0, TP_OPT_LIST, AT(types), NULL},
    {"aggregate", 0, TP_OPT_CHOICE, AT(aggregate), TP_AGGREGATES},
    {"aggregate-by", 0, TP_OPT_TEXT, AT(aggregate_by), NULL},
    {"order-by", 0, TP_OPT_TEXT, AT(order_by), NULL},
    {"min-time", 0, TP_OPT_TEXT, AT(min_time), NULL},
    {"max-time", 0, TP_OPT_TEXT, AT(max_time), NULL},
    {"opr-name", 0, TP_OPT_TEXT, AT(opr_name), NULL},
    {"input-dtype", 0, TP_OPT_TEXT, AT(input_dtype), NULL},
    {"print-only", 0, TP_OPT_CHOICE, AT(times), "device|host"},
    {"copy-time", 0, TP_OPT_FLAG, AT(copy_time), NULL},
    TP_OPT_READING(struct options),
    TP_OPT_MAP(struct options),
    TP_OPT_COMPILE(struct options),
    TP_OPT_PARTS(struct options),
    TP_OPT_COMMON(struct options),
};

enum {
    NO_LIMIT_GIVEN = INT32_MIN,
    DEFAULT_ROWS = 100,
    DEFAULT_DEPTH = 5,
    DEFAULT_TOP = 3,
    NARROWEST = 4,
    PRINT_HOST = 1, /* values of --print-only */
    MAX_WIDTH = 1 << 20
};

/* Parses one word of --group-by. Returns false if the word is unknown. */
static bool parse_group(struct tp_key_options *keys, const char *word, size_t size, bool *has_stack)
{
    static const struct {
        const char *name;
        enum tp_key_group group;
    } groups[] = {{"name", TP_KEY_NAME},
                  {"module", TP_KEY_MODULE},
                  {"line", TP_KEY_LINE},
                  {"type", TP_KEY_TYPE},
                  {"kernel", TP_KEY_KERNEL}};
    struct tp_str text = {word, size};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (tp_str_equal(text, tp_str_of(groups[i].name))) {
            bool is_first = keys->group == TP_KEY_NAME;
            keys->group = is_first ? groups[i].group : keys->group;
            return is_first;
        }
    bool is_shape = tp_str_equal(text, TP_STR("input-shape"));
    bool is_stack = tp_str_equal(text, TP_STR("stack"));
    keys->by_shape |= is_shape;
    *has_stack |= is_stack;
    return is_shape || is_stack;
}

/* Parses --group-by and the options that depend on it. Returns what is wrong with these options; NULL if they are
 * valid. */
static const char *parse_group_options(struct tp_key_options *keys, const struct options *o)
{
    bool has_stack = false;
    for (const char *word = o->group_by; word && *word;) {
        size_t size = strcspn(word, ",");
        if (!parse_group(keys, word, size, &has_stack))
            return "--group-by: one of name, module, line, type, kernel, function, process, wait, range, or "
                   "input-shape, "
                   "stack or both";
        word += size + (word[size] == ',');
    }
    if (o->group_by && !*o->group_by)
        return "--group-by is empty";
    if (keys->group != TP_KEY_NAME && (keys->by_shape || has_stack))
        return "--group-by: combine input-shape and stack only with name";
    if (o->stack_depth != 0 && !has_stack)
        return "--stack-depth needs --group-by stack";
    if (o->stack_depth < 0 || o->stack_depth > UINT16_MAX)
        return "--stack-depth: 1 to 65535";
    keys->stack_depth = !has_stack ? 0 : o->stack_depth ? (unsigned)o->stack_depth : DEFAULT_DEPTH;
    return NULL;
}

static bool is_valid_width(int64_t width)
{
    return width == 0 || (width >= NARROWEST && width <= MAX_WIDTH);
}

/* Parses --group-by function, process, wait and range, which cannot be combined with other groups. For function,
 * --sort-by has special values; the others have a fixed order. Returns what is wrong with the options; NULL if they are
 * valid. */
static const char *parse_function_options(struct tp_table_options *wanted, struct options *o)
{
    static const struct {
        const char *group;
        enum tp_table_kind kind;
    } groups[] = {{"function", TP_TABLE_FUNCTIONS},
                  {"process", TP_TABLE_PROGRAM_PROCESSES},
                  {"wait", TP_TABLE_PROGRAM_WAITS},
                  {"range", TP_TABLE_RANGES}};
    enum tp_table_kind kind = TP_TABLE_KEYS;
    for (size_t i = 0; o->group_by && i < sizeof groups / sizeof *groups; i++)
        kind = strcmp(o->group_by, groups[i].group) == 0 ? groups[i].kind : kind;
    if (kind == TP_TABLE_KEYS)
        return NULL;
    bool is_sorted = kind != TP_TABLE_FUNCTIONS;
    if (o->top_level_events_only || o->with_flops || o->header || o->include_python || o->stack_depth ||
        (o->sort_by && is_sorted))
        return is_sorted ? "--group-by process, wait, range: their only options are --row-limit and --format"
                         : "--group-by function: its only options are --sort-by, --row-limit and --format";
    wanted->kind = kind;
    o->group_by = NULL;
    if (is_sorted)
        return NULL;
    o->sort_by = o->sort_by ? o->sort_by : "tottime";
    return tp_calls_can_sort(o->sort_by) ? NULL : "--sort-by: ncalls, pcalls, tottime, cumtime, stdname or none";
}

/* Parses a time in seconds, or with a unit, such as 1e-5, 10us or 2ms. Leaves *ns unchanged if text is NULL. */
static bool read_time(int64_t *ns, const char *text)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"", 1e9}, {"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
    char *end;
    double value = text ? strtod(text, &end) : 0;
    for (size_t i = 0; text && end != text && i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0 && value >= 0 && value * units[i].ns < 9e18) {
            *ns = (int64_t)(value * units[i].ns + 0.5);
            return true;
        }
    return !text;
}

/* Parses the options of profile_analyze; each of them selects a table of operators. Returns what is wrong with the
 * options; NULL if they are valid. */
static const char *parse_operator_options(struct tp_table_options *wanted, const struct options *o)
{
    struct tp_operator_options *operators = &wanted->operators;
    bool is_wanted = o->top != NO_LIMIT_GIVEN || o->types.count || o->aggregate || o->aggregate_by || o->order_by ||
                     o->min_time || o->max_time || o->opr_name || o->input_dtype || o->times || o->copy_time;
    if (!is_wanted)
        return NULL;
    if (o->group_by || o->sort_by || o->row_limit != NO_LIMIT_GIVEN || o->top_level_events_only || o->with_flops ||
        o->header || o->include_python)
        return "options of MegEngine's table (--top, --type, --opr-name, --aggregate, --order-by, --min-time ..) and "
               "of torch's tables (--group-by, --sort-by, --row-limit ..) exclude each other";
    if (o->aggregate_by && strcmp(o->aggregate_by, "type") != 0)
        return "--aggregate-by: type";
    if (o->opr_name && tp_operator_pattern_error(o->opr_name))
        return "--opr-name: an extended regular expression of at most 256 bytes, without {..} and \\1";
    if (o->input_dtype && !*o->input_dtype)
        return "--input-dtype is empty";
    if (!tp_operator_can_order(o->order_by))
        return "--order-by: time, total_time, calls, computation, flops, memory or bandwidth; + before it: ascending";
    operators->max_time_ns = -1;
    if (!read_time(&operators->min_time_ns, o->min_time) || !read_time(&operators->max_time_ns, o->max_time))
        return "--min-time, --max-time: seconds, or a number with us, ms or s";
    bool is_sum = o->aggregate_by && o->aggregate == TP_AGGREGATE_NONE;
    operators->aggregate = is_sum ? TP_AGGREGATE_SUM : (enum tp_aggregate)o->aggregate;
    operators->order_by = o->order_by;
    operators->top = o->top != NO_LIMIT_GIVEN ? o->top : DEFAULT_TOP;
    operators->filter = (struct tp_operator_filter){o->types.items, o->types.count, o->opr_name, o->input_dtype};
    operators->is_host = o->times == PRINT_HOST;
    operators->includes_copy_times = o->copy_time;
    wanted->kind = TP_TABLE_OPERATORS;
    return NULL;
}

static const char *check_widths(const struct options *o)
{
#define RULE ": at least 4 characters, or 0 for no limit"
    return !is_valid_width(o->source_width)   ? "--max-src-column-width" RULE
           : !is_valid_width(o->name_width)   ? "--max-name-column-width" RULE
           : !is_valid_width(o->shapes_width) ? "--max-shapes-column-width" RULE
                                              : NULL;
#undef RULE
}

/* Fills the options of the table from those of the command. Returns what is wrong with the options; NULL if they are
 * valid. */
static const char *fill_table_options(struct tp_table_options *wanted, struct options *o)
{
    bool is_data = o->format == TP_TABLE_CSV || o->format == TP_TABLE_JSON;
    const char *wrong = parse_function_options(wanted, o);
    if (!wrong)
        wrong = parse_operator_options(wanted, o);
    if (!wrong)
        wrong = parse_group_options(&wanted->keys, o);
    if (wrong)
        return wrong;
    if (wanted->kind == TP_TABLE_KEYS && !tp_key_averages_can_sort(o->sort_by))
        return "--sort-by: unknown number";
    wanted->keys.includes_frames = o->include_python;
    wanted->keys.rules = (enum tp_torch_rules)o->rules;
    wanted->sort_by = o->sort_by;
    wanted->row_limit = o->row_limit != NO_LIMIT_GIVEN ? o->row_limit : is_data ? -1 : DEFAULT_ROWS;
    wanted->top_level_events_only = o->top_level_events_only;
    return NULL;
}

static const char no_file[] = "-o: the name of the file is empty";

/* Fills what all tables have in common. */
static void fill_outputs(struct tp_table_session *session, struct tp_table_outputs *outputs, const struct options *o)
{
    outputs->path = o->out ? o->out : "-";
    outputs->format = (enum tp_table_format)o->format;
    session->out = outputs->path;
    session->read = o->read;
    session->receiver = tp_table_outputs_add;
    session->context = outputs;
}

/* Fills the session and the outputs from the options of the command. Returns what is wrong with the options; NULL if
 * they are valid. */
static const char *fill_table_session(struct tp_table_session *session, struct tp_table_outputs *outputs,
                                      struct options *o)
{
    const char *wrong = fill_table_options(&session->options, o);
    if (wrong || (wrong = check_widths(o)))
        return wrong;
    if (o->out && !*o->out)
        return no_file;
    if (o->when >= 0)
        return "--at: only memory snapshots have this option";
    if (o->include_python && session->options.keys.rules == TP_TORCH_2_6)
        return "--include-python: torch 2.6 has no Python frames in its tables";
    fill_outputs(session, outputs, o);
    outputs->style = (struct tp_table_style){.max_name_width = (size_t)o->name_width,
                                             .max_shapes_width = (size_t)o->shapes_width,
                                             .max_source_width = (size_t)o->source_width,
                                             .time_unit = (enum tp_key_time_unit)o->time_unit,
                                             .header = o->header,
                                             .has_flops = o->with_flops};
    session->read.keeps_frame_stacks = o->include_python && session->options.keys.stack_depth;
    session->read.skips_hash = true; /* skips the hash of the file, because no table shows it */
    return NULL;
}

/* ---- memory snapshots ---- */

/* Fills the session, the outputs and the options of tables of live blocks. Returns what is wrong with the options; NULL
 * if they are valid. */
static const char *fill_snapshot_options(struct tp_table_session *session, struct tp_table_outputs *outputs,
                                         struct tp_live_rows_options *live, const struct options *o)
{
    bool is_data = o->format == TP_TABLE_CSV || o->format == TP_TABLE_JSON;
    *live = (struct tp_live_rows_options){.key = TP_LIVE_LINE, .sort_by = TP_LIVE_COLUMN_BYTES};
    live->when = o->when < 0 ? TP_SNAPSHOT_AT_PEAK : (enum tp_snapshot_when)o->when;
    if (o->stack_depth || o->include_python || o->rules || o->top_level_events_only || o->header || o->time_unit ||
        o->with_flops || o->top != NO_LIMIT_GIVEN || o->types.count || o->aggregate || o->aggregate_by || o->order_by ||
        o->min_time || o->max_time || o->opr_name || o->input_dtype || o->times || o->copy_time)
        return "the options for memory snapshots are --at, --group-by, --sort-by, --row-limit, --format and -o";
    if (o->group_by && !tp_live_rows_key_find(&live->key, o->group_by))
        return "--group-by: one of line, site, module, category, size, stream, pool, metadata, stack, fx_node";
    if (o->sort_by && !tp_live_rows_column_find(&live->sort_by, o->sort_by))
        return "--sort-by: bytes, requested_bytes, blocks or name";
    if (o->out && !*o->out)
        return no_file;
    fill_outputs(session, outputs, o);
    session->options.row_limit = o->row_limit != NO_LIMIT_GIVEN ? o->row_limit : is_data ? -1 : DEFAULT_ROWS;
    return NULL;
}

/* ---- the command ---- */

/* live: options of tables of memory snapshots; NULL for traces. */
static int run_table(const struct tp_table_session *session, struct tp_table_outputs *outputs,
                     const struct tp_live_rows_options *live)
{
    struct tp_error err = {0};
    int code = live ? tp_snapshot_tables_run(session, live, &err) : tp_table_session_run(session, &err);
    code = code < 0 ? code : tp_table_outputs_commit(outputs, &err);
    if (code < 0)
        tp_console_error(session->console, "%s", err.text);
    else
        tp_console_print_written(session->console, &outputs->path, 1);
    tp_table_outputs_close(outputs);
    return tp_inputs_exit_code(code);
}

int tp_cmd_table(int argc, char **argv)
{
    struct options o = {.row_limit = NO_LIMIT_GIVEN,
                        .top = NO_LIMIT_GIVEN,
                        .when = -1,
                        .source_width = 75,
                        .name_width = 55,
                        .shapes_width = 80};
    struct tp_console console;
    struct tp_table_outputs outputs = {0};
    struct tp_live_rows_options live;
    struct tp_table_session session = {.console = &console, .inputs = (const char *const *)argv};
    int code =
        tp_cmd_parse_command_line(&console, &(struct tp_cmd){"table", table}, &o, argc, argv, &session.input_count);
    if (code != TP_CMD_CONTINUES)
        return code;
    code = tp_snapshot_detect_inputs(
        &(struct tp_run_search){session.inputs, session.input_count, o.read.include, NULL, true});
    if (code < 0 && code != TP_EUSAGE)
        return tp_cmd_print_failure(&console, "table", code);
    const char *wrong = code < 0   ? "name traces or memory snapshots, not both"
                        : code > 0 ? fill_snapshot_options(&session, &outputs, &live, &o)
                                   : fill_table_session(&session, &outputs, &o);
    if (wrong)
        return tp_cmd_print_usage_error(&console, "table", wrong);
    if (session.input_count == 0)
        return tp_cmd_print_usage_error(&console, "table",
                                        "name a trace file, or a folder to search for *.pt.trace.json[.gz]");
    return run_table(&session, &outputs, code > 0 ? &live : NULL);
}
