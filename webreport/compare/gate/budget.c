/* Parses budget files. See budget.h. */
#include "webreport/compare/gate/budget.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/measure/metrics/metric_values.h"
#include "writer/base/limits.h"
#include "writer/base/table.h"
#include "writer/base/utf8.h"

/* Position of the parser in the current line. */
struct cursor {
    const char *file;
    unsigned number;
    struct tp_str line; /* the whole line, for column numbers in messages */
    size_t at;
    struct tp_error *err;
};

/* A word, number or operator of the line, with its position for messages. */
struct token {
    struct tp_str text;
    size_t at;
};

static const char *const op_texts[] = {"<=", ">=", "==", "!=", "<", ">"};
enum { OPS = sizeof op_texts / sizeof *op_texts };

const char *tp_budget_op_text(enum tp_budget_op op)
{
    return op_texts[op];
}

bool tp_budget_is_limit_kept(enum tp_budget_op op, double value, double limit)
{
    const bool results[OPS] = {value <= limit, value >= limit, value == limit, value != limit,
                               value<limit, value> limit};
    return results[op];
}

/* ---- messages ---- */

/* Returns the column of the byte at index `at`, counted in characters from 1. */
static unsigned column_of_byte(const struct cursor *c, size_t at)
{
    return 1 + (unsigned)tp_utf8_count(c->line.ptr, at);
}

static int set_error(const struct cursor *c, size_t at, const char *what, struct tp_str word, const char *hint)
{
    return tp_error_set(c->err, TP_EUSAGE, at, "%.80s:%u:%u: %s \"%.*s\"%s%s", c->file, c->number,
                        column_of_byte(c, at), what, (int)(word.len < 40 ? word.len : 40), word.ptr, *hint ? "; " : "",
                        hint);
}

/* ---- words ---- */

static bool is_blank_char(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->line.len && is_blank_char(c->line.ptr[c->at]))
        c->at++;
}

static bool is_operator_char(char c)
{
    return c == '<' || c == '>' || c == '=' || c == '!';
}

static bool is_number_char(char c)
{
    return tp_is_digit(c) || c == '.';
}

/* Returns the next token: an operator, a number with its sign, or a word. */
static struct token read_next_token(struct cursor *c)
{
    skip_blanks(c);
    size_t first = c->at;
    const char *p = c->line.ptr;
    bool is_op = first < c->line.len && is_operator_char(p[first]);
    bool is_number = first < c->line.len && (is_number_char(p[first]) || p[first] == '+' || p[first] == '-');
    while (c->at < c->line.len && !is_blank_char(p[c->at]) && is_operator_char(p[c->at]) == is_op) {
        if (is_number && c->at > first && !is_number_char(p[c->at]))
            break;
        c->at++;
    }
    return (struct token){{p + first, c->at - first}, first};
}

static bool is_same_word(struct tp_str text, const char *word)
{
    return tp_str_equal(text, tp_str_of(word));
}

/* ---- parts of a line ---- */

/* A metric whose name contains a NAME, which may contain blanks and characters such as "<". */
struct named_metric {
    const char *lead, *end, *name; /* texts before and after NAME; name: name of the metric in tp_metrics */
};
static const struct named_metric named_metrics[] = {
    {"op[", "].calls", "op[NAME].calls"},
    {"memory.live.category(", ")", "memory.live.category(NAME)"},
    {"range[", "].device", "range[NAME].device"},
    {"range[", "].host", "range[NAME].host"},
    {"whatif[", "].gain_low_us", "whatif[CHANGE].gain_low_us"},
};

/* Returns NAME from a name such as "op[NAME].calls", and sets *metric to the name of the metric. ptr is NULL if the
 * metric has another form. */
static struct tp_str read_name_in_metric(struct cursor *c, const struct token *name, struct tp_str *metric)
{
    struct tp_str rest = {c->line.ptr + name->at, c->line.len - name->at};
    for (size_t i = 0; i < sizeof named_metrics / sizeof *named_metrics; i++) {
        size_t lead = strlen(named_metrics[i].lead), end = strlen(named_metrics[i].end);
        ptrdiff_t length = tp_str_starts(rest, named_metrics[i].lead) ? tp_str_find(rest, named_metrics[i].end) : -1;
        if (length <= (ptrdiff_t)lead)
            continue;
        c->at = name->at + (size_t)length + end;
        *metric = tp_str_of(named_metrics[i].name);
        return (struct tp_str){rest.ptr + lead, (size_t)length - lead};
    }
    return (struct tp_str){NULL, 0};
}

/* Returns NAME from "cpu.self.NAME". Names of C++ functions contain blanks and characters such as "<", so NAME ends at
 * the blank before a comparison operator. */
static struct tp_str read_function_name(struct cursor *c, const struct token *name)
{
    static const char lead[] = "cpu.self.";
    struct tp_str rest = {c->line.ptr + name->at, c->line.len - name->at};
    size_t first = sizeof lead - 1, at = first;
    if (!tp_str_starts(rest, lead))
        return (struct tp_str){NULL, 0};
    for (bool found = false; at < rest.len && !found; at += !found)
        for (size_t i = 0; i < OPS && is_blank_char(rest.ptr[at]) && !found; i++) {
            struct tp_str behind = {rest.ptr + at + 1, rest.len - at - 1};
            size_t size = strlen(op_texts[i]);
            found = tp_str_starts(behind, op_texts[i]) && behind.len > size && is_blank_char(behind.ptr[size]);
        }
    if (at == first)
        return (struct tp_str){NULL, 0};
    c->at = name->at + at;
    return (struct tp_str){rest.ptr + first, at - first};
}

static int read_metric_name(struct tp_budget_line *out, struct cursor *c, struct tp_arena *arena)
{
    struct token name = read_next_token(c);
    out->is_warning = is_same_word(name.text, "warn");
    if (out->is_warning || is_same_word(name.text, "fail"))
        name = read_next_token(c);
    out->is_optional = is_same_word(name.text, "optional");
    if (out->is_optional)
        name = read_next_token(c);
    if (name.text.len == 0)
        return set_error(c, name.at, "a metric is missing before", name.text,
                         "'tracepress check --list-metrics' prints all metrics");
    out->operator= read_name_in_metric(c, &name, &name.text);
    if (out->operator.ptr)
        out->operator.ptr = tp_arena_copy(arena, out->operator.ptr, out->operator.len);
    struct tp_str function = out->operator.ptr ? (struct tp_str){NULL, 0} : read_function_name(c, &name);
    if (function.ptr) {
        out->operator=(struct tp_str){tp_arena_copy(arena, function.ptr, function.len), function.len};
        name.text = TP_STR("cpu.self.NAME");
    }
    out->metric = tp_metric_find(name.text.ptr, name.text.len);
    if (out->metric < 0) {
        char hint[96] = "'tracepress check --list-metrics' prints all metrics";
        const char *nearest = tp_metric_nearest_name(name.text.ptr, name.text.len);
        if (nearest)
            snprintf(hint, sizeof hint, "did you mean %s?", nearest);
        return set_error(c, name.at, "no metric is named", name.text, hint);
    }
    return TP_OK;
}

static int read_comparison_operator(struct tp_budget_line *out, struct cursor *c)
{
    struct token op = read_next_token(c);
    for (int i = 0; i < OPS; i++)
        if (is_same_word(op.text, op_texts[i])) {
            out->op = (enum tp_budget_op)i;
            return TP_OK;
        }
    return set_error(c, op.at, "not a comparison:", op.text, "use <= >= == != < or >");
}

struct unit {
    const char *text;
    enum tp_metric_unit of;
    double factor;
};
static const struct unit units[] = {
    {"ns", TP_UNIT_NS, 1},
    {"us", TP_UNIT_NS, 1e3},
    {"µs", TP_UNIT_NS, 1e3},
    {"ms", TP_UNIT_NS, 1e6},
    {"s", TP_UNIT_NS, 1e9},
    {"B", TP_UNIT_BYTES, 1},
    {"KB", TP_UNIT_BYTES, 1e3},
    {"kB", TP_UNIT_BYTES, 1e3},
    {"MB", TP_UNIT_BYTES, 1e6},
    {"GB", TP_UNIT_BYTES, 1e9},
    {"TB", TP_UNIT_BYTES, 1e12},
    {"KiB", TP_UNIT_BYTES, 1024},
    {"MiB", TP_UNIT_BYTES, 1048576},
    {"GiB", TP_UNIT_BYTES, 1073741824},
    {"TiB", TP_UNIT_BYTES, 1099511627776.0},
    {"%", TP_UNIT_PERCENT, 1},
};
static const char *const unit_hints[] = {"the metric is a number without a unit", "times are in ns, us, ms or s",
                                         "sizes are in B, KiB, MiB, GiB, TiB, KB, MB, GB or TB", "the metric is in %"};

/* Reads the unit after a number. The unit can be omitted for 0, counts, bytes, and percentages without a baseline. */
static int read_limit_unit(struct tp_budget_line *out, struct cursor *c)
{
    enum tp_metric_unit of = tp_metrics[out->metric].unit;
    bool has_sign = out->kind != TP_LIMIT_ABSOLUTE;
    if (has_sign && tp_metrics[out->metric].value == tp_metric_of_function)
        return set_error(c, c->at, "no limit relative to the baseline for", tp_str_of(tp_metrics[out->metric].name),
                         "few samples vary too much; limit the share in %");
    skip_blanks(c);
    size_t before = c->at;
    struct token unit = read_next_token(c);
    if (unit.text.len == 0 || unit.text.ptr[0] == '@') {
        c->at = before;
        if (out->limit == 0 || of == TP_UNIT_COUNT || of == TP_UNIT_BYTES || (of == TP_UNIT_PERCENT && !has_sign))
            return TP_OK;
        return set_error(c, before, "a unit is missing for", tp_str_of(tp_metrics[out->metric].name), unit_hints[of]);
    }
    if (has_sign && is_same_word(unit.text, "%")) {
        out->kind = TP_LIMIT_RELATIVE;
        return TP_OK;
    }
    if (has_sign && of == TP_UNIT_PERCENT && is_same_word(unit.text, "points"))
        return TP_OK;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].of == of && is_same_word(unit.text, units[i].text) && !(has_sign && of == TP_UNIT_PERCENT)) {
            out->limit *= units[i].factor;
            return TP_OK;
        }
    return set_error(c, unit.at, "not a unit of this metric:", unit.text, unit_hints[of]);
}

static int read_limit_number(struct tp_budget_line *out, struct cursor *c)
{
    char digits[32];
    char *end;
    struct token number = read_next_token(c);
    if (number.text.len == 0)
        return set_error(c, number.at, "a limit is missing after", tp_str_of(op_texts[out->op]), "");
    bool has_sign = number.text.ptr[0] == '+' || number.text.ptr[0] == '-';
    size_t length = number.text.len;
    if (length >= sizeof digits || (!has_sign && !is_number_char(number.text.ptr[0])))
        return set_error(c, number.at, "not a number:", number.text, "");
    memcpy(digits, number.text.ptr, length);
    digits[length] = '\0';
    out->limit = strtod(digits, &end);
    if (end != digits + length || length == has_sign)
        return set_error(c, number.at, "not a number:", number.text, "");
    out->kind = has_sign ? TP_LIMIT_DELTA : TP_LIMIT_ABSOLUTE;
    if (has_sign && tp_metrics[out->metric].is_timed && (out->op == TP_OP_EQ || out->op == TP_OP_NE))
        return set_error(c, number.at, "a time never equals a baseline exactly:", number.text, "use <= >= < or >");
    return read_limit_unit(out, c);
}

/* Reads the scope of a line: "@worker3" (a worker), "@3" (a rank), or nothing. */
static int read_worker_or_rank(struct tp_budget_line *out, struct cursor *c, struct tp_arena *arena)
{
    out->rank = TP_NULL_INT;
    out->worker = (struct tp_str){NULL, 0};
    skip_blanks(c);
    struct tp_str rest = {c->line.ptr + c->at, c->line.len - c->at};
    if (rest.len == 0)
        return TP_OK;
    if (rest.ptr[0] != '@' || rest.len == 1)
        return set_error(c, c->at, "unexpected", rest, "only @WORKER or @RANK can follow the limit");
    int64_t rank = 0;
    bool is_rank = rest.len <= 10;
    for (size_t i = 1; i < rest.len && is_rank; i++) {
        is_rank = rest.ptr[i] >= '0' && rest.ptr[i] <= '9';
        rank = rank * 10 + (rest.ptr[i] - '0');
    }
    if (is_rank)
        out->rank = rank;
    else
        out->worker = (struct tp_str){tp_arena_copy(arena, rest.ptr + 1, rest.len - 1), rest.len - 1};
    return TP_OK;
}

/* ---- lines ---- */

/* Returns the index of the end of the first "[NAME]." of a line; 0 if the line has none before a comment. Names of
 * ranges may contain "#". */
static size_t end_of_name(struct tp_str line)
{
    const char *open = line.len ? memchr(line.ptr, '[', line.len) : NULL;
    size_t first = open ? (size_t)(open - line.ptr) : 0;
    ptrdiff_t length = open ? tp_str_find((struct tp_str){open, line.len - first}, "].") : -1;
    return length < 0 || memchr(line.ptr, '#', first) ? 0 : first + (size_t)length;
}

/* Returns the line without its comment and without trailing blanks. */
static struct tp_str strip_comment_and_blanks(struct tp_str line)
{
    for (size_t i = end_of_name(line); i < line.len; i++)
        if (line.ptr[i] == '#')
            line.len = i;
    while (line.len && is_blank_char(line.ptr[line.len - 1]))
        line.len--;
    return line;
}

static int read_budget_line(struct tp_budget_line *out, struct cursor *c, struct tp_arena *arena)
{
    int code = read_metric_name(out, c, arena);
    code = code ? code : read_comparison_operator(out, c);
    code = code ? code : read_limit_number(out, c);
    code = code ? code : read_worker_or_rank(out, c, arena);
    struct cursor whole = {.line = c->line};
    skip_blanks(&whole);
    size_t length = c->line.len - whole.at;
    out->number = c->number;
    out->text = (struct tp_str){tp_arena_copy(arena, c->line.ptr + whole.at, length), length};
    return code;
}

int tp_budget_parse(struct tp_budget *budget, const char *file, const char *bytes, size_t size, struct tp_arena *arena,
                    struct tp_error *err)
{
    struct tp_vec lines = TP_VEC(arena, struct tp_budget_line);
    struct cursor c = {.file = file, .err = err};
    size_t at = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    *budget = (struct tp_budget){.file = file};
    if (size > TP_MAX_BUDGET_BYTES)
        return tp_error_set(err, TP_ELIMIT, 0, "%.80s: a budget file has at most %u bytes", file, TP_MAX_BUDGET_BYTES);
    while (at < size) {
        const char *end = memchr(bytes + at, '\n', size - at);
        size_t length = (end ? (size_t)(end - bytes) : size) - at;
        c.line = strip_comment_and_blanks((struct tp_str){bytes + at, length});
        c.at = 0;
        c.number++;
        at += length + 1;
        skip_blanks(&c);
        if (c.at == c.line.len)
            continue;
        int code = read_budget_line(tp_vec_push(&lines), &c, arena);
        if (code < 0)
            return code;
    }
    budget->lines = lines.data;
    budget->count = lines.count;
    return lines.count ? TP_OK : tp_error_set(err, TP_EUSAGE, 0, "%.80s: the budget has no limit", file);
}

static void parse_built_in(struct tp_budget *budget, const char *text, struct tp_arena *arena)
{
    tp_budget_parse(budget, "default budget", text, strlen(text), arena, NULL);
    for (size_t i = 0; i < budget->count; i++)
        budget->lines[i].number = 0;
    budget->file = NULL;
}

void tp_budget_default(struct tp_budget *budget, struct tp_arena *arena)
{
    static const char text[] = "optional count.added <= +0\n"
                               "optional count.copy <= +0\n"
                               "optional count.wait <= +0\n"
                               "optional count.type <= +0\n"
                               "optional count.shape <= +0\n"
                               "optional count.kept <= +0\n"
                               "warn optional count.loader <= +0\n"
                               "optional step.time.median <= +3 %\n"
                               "optional h2d.pageable.bytes <= +0\n"
                               "optional memory.peak <= +3 %\n"
                               "optional memory.host.peak <= +3 %\n";
    parse_built_in(budget, text, arena);
}

void tp_budget_default_for_snapshots(struct tp_budget *budget, bool has_baseline, struct tp_arena *arena)
{
    parse_built_in(budget, has_baseline ? "memory.oom == 0\nmemory.peak <= +3 %\n" : "memory.oom == 0\n", arena);
}

bool tp_budget_needs_program(const struct tp_budget *budget)
{
    for (size_t i = 0; i < budget->count; i++)
        if (tp_metric_is_program_metric(&tp_metrics[budget->lines[i].metric]))
            return true;
    return false;
}

bool tp_budget_find_changes(struct tp_asked_changes *asked, const struct tp_budget *budget, struct tp_arena *arena)
{
    struct tp_str *texts = tp_arena_array(arena, budget->count, sizeof *texts);
    bool needs_replay = false;
    *asked = (struct tp_asked_changes){.texts = texts};
    for (size_t i = 0; i < budget->count; i++) {
        const struct tp_budget_line *line = &budget->lines[i];
        needs_replay |= tp_metric_is_replay_metric(&tp_metrics[line->metric]);
        if (tp_metrics[line->metric].value == tp_metric_of_change && line->operator.ptr)
            texts[asked->count++] = line->operator;
    }
    return needs_replay;
}
