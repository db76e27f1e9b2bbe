/* Builds the rows of operators. See operator_calls.h. */
#include "webreport/measure/torch_tables/operator_calls.h"

#include <math.h>
#include <stdio.h>

#include "webreport/measure/torch_tables/key_shapes.h"
#include "webreport/measure/work/operator_cost.h"
#include "webreport/model/flops.h"
#include "webreport/model/second_copy.h"
#include "writer/base/keys.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

const struct tp_column_def tp_operator_columns[TP_OPERATOR_COLUMNS] = {
    {"rank", "#", "", "Position of the row in the table.", TP_COLUMN_INT},
    {"operator", "{Operator}", "", "Name of the {operator}.", TP_COLUMN_TEXT},
    {"calls", "Calls", "", "Number of calls in this row.", TP_COLUMN_INT},
    {"self_time_us", "Self time", "us",
     "Device time of the kernels that the {operator} itself launched; without a device, CPU time without inner "
     "{operators}.",
     TP_COLUMN_NS},
    {"self_time_pct", "Self", "%", "Self time as a share of the self time of all {operators} of the trace.",
     TP_COLUMN_REAL},
    {"cumulative_us", "Cumulative", "us", "Sum of the self times of this row and of all rows above this row.",
     TP_COLUMN_NS},
    {"cumulative_pct", "Cumulative", "%",
     "Sum of the self times of this row and of all rows above this row, as a share of the self time of all "
     "{operators}.",
     TP_COLUMN_REAL},
    {"total_time_us", "Total time", "us",
     "Device time (without a device, CPU time) of the {operator} and the {operators} inside it.", TP_COLUMN_NS},
    {"computation_flop", "Computation", "", "Number of floating-point operations, computed from the shapes.",
     TP_COLUMN_REAL},
    {"flops", "FLOPS", "1/s",
     "Floating-point operations per second: number of operations divided by total time, for the calls whose number of "
     "operations is known.",
     TP_COLUMN_REAL},
    {"memory_bytes", "Memory", "bytes", "Bytes of the arguments and of the output; each tensor counts once.",
     TP_COLUMN_REAL},
    {"bandwidth_bytes_per_s", "Bandwidth", "bytes/s",
     "Bytes per second: bytes divided by total time, for the calls whose number of bytes is known.", TP_COLUMN_REAL},
    {"in_shapes", "in_shapes", "", "Shapes of the arguments.", TP_COLUMN_TEXT},
    {"out_shapes", "out_shapes", "", "Shape of the output, computed from the shapes of the arguments.", TP_COLUMN_TEXT},
    {"family", "Family", "", "Formula for 'Computation' and 'Memory', as listed by 'tracepress help table'.",
     TP_COLUMN_TEXT},
};

/* ---- calls ---- */

struct call {
    uint32_t name, item;
    int64_t time_ns, total_ns;
    double flop, bytes; /* floating-point operations and bytes of memory traffic; NaN if unknown */
    struct tp_str in_shapes, out_shapes;
    const struct tp_op_rule *rule;
    bool is_again; /* true: the event repeats the previous event of the same call */
};

/* The cost of all calls with the same operator and arguments. */
struct known_cost {
    double flop, bytes;
    struct tp_str out_shapes;
};

struct known_name {
    const struct tp_op_rule *rule;
    bool is_wanted;
};

struct building {
    struct tp_torch torch;
    const struct tp_operator_options *options;
    struct tp_arena *arena;
    struct tp_key_shapes shapes;
    struct tp_keys kinds;     /* keys (name, dims, types, concrete inputs) of the calls */
    struct tp_vec costs;      /* for each key of `kinds`: cost of a call; elements: struct known_cost */
    struct known_name *names; /* for each name id: data that is known from the name */
    struct tp_vec calls;      /* elements: struct call */
};

static struct tp_str shape_text(struct tp_arena *arena, const struct tp_shape *shape)
{
    char text[TP_SHAPE_MAX_RANK * 22 + 3];
    size_t size = 0;
    text[size++] = '[';
    for (unsigned i = 0; i < shape->rank; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%lld", i ? ", " : "", (long long)shape->sizes[i]);
    text[size++] = ']';
    return (struct tp_str){tp_arena_copy(arena, text, size), size};
}

static struct tp_str text_of_value(const struct tp_trace *trace, uint32_t id)
{
    return tp_strings_get(&trace->values, id);
}

/* Returns the cost of a call. The cost is computed once for all calls with equal arguments. */
static struct known_cost find_item_cost(struct building *b, uint32_t item, const struct tp_op_rule *rule)
{
    const struct tp_trace *trace = b->torch.trace;
    const struct tp_event *e = tp_torch_event(&b->torch, item);
    const struct tp_host_detail *host = tp_torch_detail(&b->torch, item);
    struct known_cost cost = {.flop = NAN, .bytes = NAN};
    if (!rule || !host || host->dims == TP_NO_ID || (e->flags & TP_EVENT_OLD_DIMS))
        return cost;
    uint32_t concrete = tp_concrete_inputs(trace, e->detail);
    uint32_t kind = tp_keys_add(&b->kinds, (uint32_t[]){e->name, host->dims, host->types, concrete});
    if (kind == b->costs.count) {
        struct tp_op_call call = {text_of_value(trace, host->dims), text_of_value(trace, host->types),
                                  text_of_value(trace, concrete)};
        struct tp_op_cost found;
        if (tp_op_cost(&found, rule, &call)) {
            cost.flop = (double)found.flops;
            cost.bytes = found.bytes == TP_NULL_INT ? NAN : (double)found.bytes;
            if (found.out.is_known)
                cost.out_shapes = shape_text(b->arena, &found.out);
        }
        *(struct known_cost *)tp_vec_push(&b->costs) = cost;
    }
    return *TP_AT(&b->costs, struct known_cost, kind);
}

static void classify_names(struct building *b)
{
    uint32_t count = b->torch.trace->names.count;
    const struct tp_operator_filter *filter = &b->options->filter;
    regex_t pattern;
    b->names = tp_arena_array(b->arena, count, sizeof *b->names);
    /* regcomp can fail only for lack of memory, because the pattern is valid */
    if (filter->pattern && regcomp(&pattern, filter->pattern, REG_EXTENDED) != 0)
        tp_arena_fail(b->arena, TP_ENOMEM);
    for (uint32_t i = 0; i < count; i++) {
        struct tp_str name = b->torch.trace->names.items[i];
        b->names[i].rule = tp_op_rule_by_name(name);
        b->names[i].is_wanted = tp_operator_filter_accepts_name(filter, filter->pattern ? &pattern : NULL, name);
    }
    if (filter->pattern)
        regfree(&pattern);
}

static bool has_inputs(const struct building *b, uint32_t item)
{
    const struct tp_host_detail *host = tp_torch_detail(&b->torch, item);
    struct tp_str none = {"", 0};
    return tp_operator_filter_accepts_inputs(
        &b->options->filter, host && host->types != TP_NO_ID ? text_of_value(b->torch.trace, host->types) : none);
}

static void add_copies(struct tp_operator_calls *calls, const struct tp_trace *trace)
{
    for (uint32_t i = 0; i < trace->event_count; i++)
        if (trace->events[i].kind == TP_KIND_MEMCPY) {
            calls->copy_ns = tp_sat_add(calls->copy_ns, trace->events[i].dur_ns);
            calls->copy_count++;
        }
}

static bool is_second_copy(const struct tp_torch *torch, uint32_t item)
{
    uint32_t parent = torch->parent[item], outer = parent == TP_NO_ID ? TP_NO_ID : torch->parent[parent];
    return outer != TP_NO_ID && tp_is_second_copy_of_event(torch->trace, item, parent, outer);
}

static void add_calls(struct building *b, struct tp_operator_calls *calls)
{
    const struct tp_torch *torch = &b->torch;
    for (uint32_t k = 0; k < torch->count; k++) {
        uint32_t i = torch->order[k];
        const unsigned hidden = TP_TORCH_FOLDED | TP_TORCH_ASYNC, flags = tp_torch_flags(torch, i);
        if (!(flags & TP_TORCH_OPERATOR) || (flags & hidden))
            continue;
        uint32_t name = tp_torch_event(torch, i)->name;
        bool is_again = is_second_copy(torch, i);
        struct known_cost cost = find_item_cost(b, i, b->names[name].rule);
        /* on the host, self time includes the time of runtime calls */
        struct tp_torch_sum self = tp_torch_self_sum(torch, i, calls->is_device ? 0 : TP_TORCH_CALL);
        struct tp_torch_sum total = tp_torch_total_sum(torch, i);
        int64_t time_ns = calls->is_device ? self.device.ns : self.cpu.ns;
        calls->call_count += !is_again;
        calls->time_ns = tp_sat_add(calls->time_ns, time_ns);
        if (!isnan(cost.flop))
            calls->known_computation_ns = tp_sat_add(calls->known_computation_ns, time_ns);
        if (b->names[name].is_wanted && has_inputs(b, i))
            *(struct call *)tp_vec_push(&b->calls) =
                (struct call){.name = name,
                              .item = i,
                              .time_ns = time_ns,
                              .total_ns = calls->is_device ? total.device.ns : total.cpu.ns,
                              .is_again = is_again,
                              .flop = is_again ? NAN : cost.flop,
                              .bytes = is_again ? NAN : cost.bytes,
                              .out_shapes = cost.out_shapes,
                              .rule = b->names[name].rule};
    }
}

/* ---- rows ---- */

struct row {
    struct call call; /* first call of the row */
    int64_t calls, time_ns, total_ns;
    int64_t flop_ns, bytes_ns; /* total time of the calls with known flop, and of the calls with known bytes, ns */
    int64_t flop_calls, bytes_calls;
    double flop, bytes;         /* sum, minimum or maximum of the calls, as enum tp_aggregate says */
    double flop_sum, bytes_sum; /* sums of the calls, for rates */
};

static double min_or_max(enum tp_aggregate how, double a, double b)
{
    return how == TP_AGGREGATE_MAX ? fmax(a, b) : fmin(a, b);
}

static bool is_min_or_max(enum tp_aggregate how)
{
    return how == TP_AGGREGATE_MAX || how == TP_AGGREGATE_MIN;
}

static int64_t aggregate_time(enum tp_aggregate how, int64_t a, int64_t b)
{
    return how == TP_AGGREGATE_MAX ? (a > b ? a : b) : how == TP_AGGREGATE_MIN ? (a < b ? a : b) : tp_sat_add(a, b);
}

static void add_to_row(struct row *row, const struct call *call, enum tp_aggregate how)
{
    if (call->is_again && row->calls) { /* adds the self time of a repeated event to the row of its call */
        row->time_ns = is_min_or_max(how) ? row->time_ns : tp_sat_add(row->time_ns, call->time_ns);
        return;
    }
    bool is_first = row->calls++ == 0;
    if (is_first)
        row->call = *call;
    row->time_ns = is_first ? call->time_ns : aggregate_time(how, row->time_ns, call->time_ns);
    row->total_ns = is_first ? call->total_ns : aggregate_time(how, row->total_ns, call->total_ns);
    if (!isnan(call->flop)) {
        row->flop = row->flop_calls && is_min_or_max(how) ? min_or_max(how, row->flop, call->flop)
                    : is_min_or_max(how)                  ? call->flop
                                                          : row->flop + call->flop;
        row->flop_sum += call->flop;
        row->flop_ns = tp_sat_add(row->flop_ns, call->total_ns);
        row->flop_calls++;
    }
    if (!isnan(call->bytes)) {
        row->bytes = row->bytes_calls && is_min_or_max(how) ? min_or_max(how, row->bytes, call->bytes)
                     : is_min_or_max(how)                   ? call->bytes
                                                            : row->bytes + call->bytes;
        row->bytes_sum += call->bytes;
        row->bytes_ns = tp_sat_add(row->bytes_ns, call->total_ns);
        row->bytes_calls++;
    }
}

/* Finishes a row: for TP_AGGREGATE_MEAN, turns sums into means. Sets flop and bytes to NaN if no call has a known
 * value. */
static void finish_row(struct row *row, enum tp_aggregate how)
{
    if (how == TP_AGGREGATE_MEAN) {
        row->time_ns = (int64_t)llround((double)row->time_ns / (double)row->calls);
        row->total_ns = (int64_t)llround((double)row->total_ns / (double)row->calls);
        row->flop /= (double)row->flop_calls;
        row->bytes /= (double)row->bytes_calls;
    }
    if (!row->flop_calls)
        row->flop = NAN;
    if (!row->bytes_calls)
        row->bytes = NAN;
}

static struct tp_vec make_rows(const struct building *b)
{
    enum tp_aggregate how = b->options->aggregate;
    struct tp_vec rows = TP_VEC(b->arena, struct row);
    uint32_t *row_of = tp_arena_array(b->arena, b->torch.trace->names.count, sizeof *row_of);
    for (size_t i = 0; i < b->calls.count; i++) {
        const struct call *call = TP_AT(&b->calls, struct call, i);
        if (how == TP_AGGREGATE_NONE || !row_of[call->name]) {
            tp_vec_push(&rows);
            row_of[call->name] = (uint32_t)rows.count;
        }
        add_to_row(TP_AT(&rows, struct row, row_of[call->name] - 1), call, how);
    }
    for (size_t i = 0; i < rows.count; i++)
        finish_row(TP_AT(&rows, struct row, i), how);
    return rows;
}

/* ---- order ---- */

static double rate_per_second(double amount, int64_t ns)
{
    return ns > 0 ? amount * 1e9 / (double)ns : NAN;
}

static double sort_value(const struct row *row, enum tp_operator_column column)
{
    switch (column) {
    case TP_OPERATOR_CALLS:
        return (double)row->calls;
    case TP_OPERATOR_TOTAL_TIME:
        return (double)row->total_ns;
    case TP_OPERATOR_COMPUTATION:
        return row->flop;
    case TP_OPERATOR_FLOPS:
        return row->flop_calls ? rate_per_second(row->flop_sum, row->flop_ns) : NAN;
    case TP_OPERATOR_MEMORY:
        return row->bytes;
    case TP_OPERATOR_BANDWIDTH:
        return row->bytes_calls ? rate_per_second(row->bytes_sum, row->bytes_ns) : NAN;
    default:
        return (double)row->time_ns;
    }
}

static const struct {
    const char *name;
    enum tp_operator_column column;
} order_columns[] = {
    {"time", TP_OPERATOR_TIME},     {"self_time", TP_OPERATOR_TIME},          {"total_time", TP_OPERATOR_TOTAL_TIME},
    {"calls", TP_OPERATOR_CALLS},   {"computation", TP_OPERATOR_COMPUTATION}, {"flops", TP_OPERATOR_FLOPS},
    {"memory", TP_OPERATOR_MEMORY}, {"bandwidth", TP_OPERATOR_BANDWIDTH}};
enum { ORDER_COLUMNS = sizeof order_columns / sizeof *order_columns };

static size_t find_order(const char *order_by)
{
    size_t i = 0;
    order_by = order_by ? order_by + (*order_by == '+') : "time";
    while (i < ORDER_COLUMNS && strcmp(order_columns[i].name, order_by) != 0)
        i++;
    return i;
}

bool tp_operator_can_order(const char *order_by)
{
    return find_order(order_by) < ORDER_COLUMNS;
}

struct ordering {
    enum tp_operator_column column;
    bool is_ascending;
};

/* Orders rows by the value in a column. Rows without a value come last. */
static int compare_rows(const void *x, const void *y, const void *context)
{
    const struct ordering *o = context;
    double a = sort_value(x, o->column), b = sort_value(y, o->column);
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    int order = (a < b) - (a > b);
    return o->is_ascending ? -order : order;
}

/* ---- table ---- */

static void write_operator_row(const struct building *b, struct tp_operator_calls *calls, size_t at,
                               const struct row *row, int64_t *cumulative_ns)
{
    struct tp_table *t = &calls->table;
    bool is_call = b->options->aggregate == TP_AGGREGATE_NONE;
    double all = (double)calls->time_ns;
    *cumulative_ns = tp_sat_add(*cumulative_ns, row->time_ns);
    tp_table_int(t, TP_OPERATOR_RANK)[at] = (int64_t)at + 1;
    tp_table_text(t, TP_OPERATOR_NAME)[at] = tp_strings_get(&b->torch.trace->names, row->call.name);
    tp_table_int(t, TP_OPERATOR_CALLS)[at] = row->calls;
    tp_table_int(t, TP_OPERATOR_TIME)[at] = row->time_ns;
    tp_table_real(t, TP_OPERATOR_TIME_SHARE)[at] = all > 0 ? 100 * (double)row->time_ns / all : NAN;
    tp_table_int(t, TP_OPERATOR_CUMULATIVE)[at] = *cumulative_ns;
    tp_table_real(t, TP_OPERATOR_CUMULATIVE_SHARE)[at] = all > 0 ? 100 * (double)*cumulative_ns / all : NAN;
    tp_table_int(t, TP_OPERATOR_TOTAL_TIME)[at] = row->total_ns;
    tp_table_real(t, TP_OPERATOR_COMPUTATION)[at] = row->flop;
    tp_table_real(t, TP_OPERATOR_FLOPS)[at] = sort_value(row, TP_OPERATOR_FLOPS);
    tp_table_real(t, TP_OPERATOR_MEMORY)[at] = row->bytes;
    tp_table_real(t, TP_OPERATOR_BANDWIDTH)[at] = sort_value(row, TP_OPERATOR_BANDWIDTH);
    if (row->call.rule)
        tp_table_text(t, TP_OPERATOR_FAMILY)[at] = tp_str_of(tp_op_rule_family(row->call.rule));
    if (!is_call)
        return;
    tp_table_text(t, TP_OPERATOR_IN_SHAPES)[at] = row->call.in_shapes;
    tp_table_text(t, TP_OPERATOR_OUT_SHAPES)[at] = row->call.out_shapes;
}

static bool is_within_limits(const struct tp_operator_options *options, const struct row *row)
{
    return row->time_ns >= options->min_time_ns && (options->max_time_ns < 0 || row->time_ns <= options->max_time_ns);
}

static void fill_table(struct building *b, struct tp_operator_calls *calls, struct tp_vec *rows)
{
    struct tp_vec kept = TP_VEC(b->arena, struct row);
    int64_t cumulative_ns = 0;
    for (size_t i = 0; i < rows->count; i++)
        if (is_within_limits(b->options, TP_AT(rows, struct row, i)))
            *(struct row *)tp_vec_push(&kept) = *TP_AT(rows, struct row, i);
    const char *order_by = b->options->order_by;
    struct ordering ordering = {order_columns[find_order(order_by)].column, order_by && *order_by == '+'};
    tp_merge_sort(b->arena, kept.data, kept.count, sizeof(struct row), compare_rows, &ordering);
    if (b->options->top >= 0 && (uint64_t)b->options->top < kept.count)
        kept.count = (size_t)b->options->top;
    tp_table_init(&calls->table, b->arena, "operators", tp_operator_columns, TP_OPERATOR_COLUMNS, kept.count);
    for (size_t i = 0; i < kept.count; i++) {
        struct row *row = TP_AT(&kept, struct row, i);
        row->call.in_shapes = tp_strings_get(&b->shapes.texts, tp_key_shape_id(&b->shapes, &b->torch, row->call.item));
        write_operator_row(b, calls, i, row, &cumulative_ns);
    }
}

void tp_operator_calls_build(struct tp_operator_calls *calls, const struct tp_trace *trace,
                             const struct tp_operator_options *options, struct tp_arena *arena)
{
    struct building *b = tp_arena_alloc(arena, sizeof *b);
    memset(calls, 0, sizeof *calls);
    b->options = options;
    b->arena = arena;
    b->costs = TP_VEC(arena, struct known_cost);
    b->calls = TP_VEC(arena, struct call);
    /* this torch version does not count Python frames as callers */
    tp_torch_build(&b->torch, trace, TP_TORCH_2_6, arena);
    tp_key_shapes_init(&b->shapes, arena);
    tp_keys_init(&b->kinds, arena, 4);
    calls->is_copy_time_shown = options->includes_copy_times;
    add_copies(calls, trace);
    for (uint32_t i = 0; i < trace->event_count && !calls->is_device && !options->is_host; i++)
        calls->is_device = tp_torch_flags(&b->torch, i) & TP_TORCH_WORK;
    classify_names(b);
    add_calls(b, calls);
    struct tp_vec rows = make_rows(b);
    fill_table(b, calls, &rows);
}
