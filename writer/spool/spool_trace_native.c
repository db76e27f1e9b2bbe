/* Converts records of programs that do not use tracepress.h: functions by address, blocking calls, MPI collectives,
 * parallel regions. See spool_trace.c. spool_format.h defines the kinds.
 *
 * Functions, waits and regions become operators, so that the operator table is the profile of a C program. A
 * collective gets the same form as in torch: a record_param_comms that contains an annotation "mpi:NAME". */
#include <stddef.h>
#include <stdlib.h>

#include "writer/spool/spool_trace_part.h"

enum { MAX_ARGS = 10 };

/* Names of the values of enum tracepress_dtype, as in torch's "dtype" of a collective. "": only the number of bytes is
 * known. */
static const char *const dtype_names[] = {"",     "Float", "Double", "Half", "BFloat16", "Char",
                                          "Byte", "Short", "Int",    "Long", "Bool",     ""};

/* ---- reading records into ranges ---- */

static uint64_t function_address(const struct tp_spool_record *record)
{
    return (uint64_t)record->text << 32 | record->name;
}

/* Ends the innermost open range of a kind, and all ranges that were opened after it. address: address of the function;
 * 0: any function. */
static void end_range_of_kind(struct tp_spool_conversion *c, const struct tp_spool_record *record, uint8_t kind,
                              uint64_t address)
{
    struct tp_spool_range *range = tp_spool_open_range(c);
    for (; range && range->record->kind != TP_SPOOL_STEP && c->steps_left > 0; c->steps_left--) {
        if (range->record->kind == kind && (!address || function_address(range->record) == address)) {
            while (!range->is_ended)
                tp_spool_end_range(c, tp_spool_trace_time_ns(c, record));
            return;
        }
        range = tp_spool_outer_range(c, range);
    }
}

/* Ends a function. If longjmp left a function, or its end was lost, the function ends with its caller. */
static void end_function(struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    end_range_of_kind(c, record, TP_SPOOL_FUNCTION, function_address(record));
}

static void end_parallel_region(struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    end_range_of_kind(c, record, TP_SPOOL_REGION, 0);
}

/* Adds a range whose record was written at the range's end. Ranges that a signal handler began during this range are
 * inside it. */
static void add_range_with_known_end(struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    uint64_t begin, end = record->time;
    memcpy(&begin, tp_spool_payload(record), sizeof begin);
    if (record->kind == TP_SPOOL_COLLECTIVE) /* reads the end of a collective, because its record is written some time
                                                after the end of the call */
        memcpy(&end, tp_spool_payload(record) + offsetof(struct tp_spool_collective, end), sizeof end);
    end = end < record->time ? end : record->time;
    tp_spool_add_range(c, record, tp_spool_realtime_ns(c->file, begin ? begin : end) - c->base_ns,
                       tp_spool_realtime_ns(c->file, end) - c->base_ns);
}

void tp_spool_add_native(struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    static const struct {
        void (*take)(struct tp_spool_conversion *c, const struct tp_spool_record *record);
        size_t payload_bytes;
    } kinds[TP_SPOOL_KINDS] = {
        [TP_SPOOL_FUNCTION] = {tp_spool_begin_range, 0},
        [TP_SPOOL_FUNCTION_END] = {end_function, 0},
        [TP_SPOOL_WAIT] = {add_range_with_known_end, sizeof(struct tp_spool_wait)},
        [TP_SPOOL_COLLECTIVE] = {add_range_with_known_end, sizeof(struct tp_spool_collective)},
        [TP_SPOOL_REGION] = {tp_spool_begin_range, sizeof(struct tp_spool_region)},
        [TP_SPOOL_REGION_END] = {end_parallel_region, sizeof(struct tp_spool_region)},
    };
    if (record->kind == TP_SPOOL_RANK)
        return; /* skipped, because records of this kind were collected before this pass */
    if (kinds[record->kind].take && (size_t)record->slots * TP_SPOOL_SLOT >= kinds[record->kind].payload_bytes)
        kinds[record->kind].take(c, record);
    else
        c->result->broken_count++;
}

/* ---- regions of several threads ---- */

static struct tp_spool_region region_of_record(const struct tp_spool_record *record)
{
    struct tp_spool_region region = {0};
    bool is_one = record->kind == TP_SPOOL_REGION || record->kind == TP_SPOOL_REGION_END;
    if (is_one && (size_t)record->slots * TP_SPOOL_SLOT >= sizeof region)
        memcpy(&region, tp_spool_payload(record), sizeof region);
    return region;
}

void tp_spool_gather_native(struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    uint64_t number = record->kind == TP_SPOOL_REGION_END ? region_of_record(record).number : 0;
    if (number)
        *(struct tp_spool_region_end *)tp_vec_push(&c->regions) =
            (struct tp_spool_region_end){number, tp_spool_realtime_ns(c->file, record->time)};
    if (record->kind == TP_SPOOL_RANK && record->slots * TP_SPOOL_SLOT >= (int)sizeof c->rank)
        memcpy(&c->rank, tp_spool_payload(record), sizeof c->rank);
}

static int compare_by_number(const void *x, const void *y)
{
    const struct tp_spool_region_end *a = x, *b = y;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

/* Ends a range at moment_ns, and shortens the ranges inside it to the same end. */
static void end_ranges_at(struct tp_spool_conversion *c, size_t first, int64_t moment_ns)
{
    const struct tp_spool_range *outer = TP_AT(&c->ranges, struct tp_spool_range, first);
    int64_t end_ns = outer->start_ns + outer->dur_ns;
    if (end_ns < moment_ns || (end_ns == moment_ns && !outer->is_open))
        return; /* the range had already ended */
    for (size_t i = first; i < c->ranges.count && c->steps_left > 0; i++, c->steps_left--) {
        struct tp_spool_range *range = TP_AT(&c->ranges, struct tp_spool_range, i);
        if (range->start_ns >= end_ns && i > first)
            return;
        if (range->start_ns <= moment_ns && range->start_ns + range->dur_ns >= moment_ns) {
            range->dur_ns = moment_ns - range->start_ns;
            c->result->open_count -= range->is_open;
            range->is_open = false;
        }
    }
}

void tp_spool_cut_native(struct tp_spool_conversion *c)
{
    struct tp_spool_region_end *ends = c->regions.data;
    if (!c->regions.count)
        return;
    qsort(ends, c->regions.count, sizeof *ends, compare_by_number);
    for (size_t i = 0; i < c->ranges.count; i++) {
        const struct tp_spool_range *range = TP_AT(&c->ranges, struct tp_spool_range, i);
        struct tp_spool_region_end wanted = {.number = region_of_record(range->record).number};
        size_t low = 0, high = wanted.number ? c->regions.count : 0;
        while (low < high) { /* finds the first end of the region with this number */
            size_t middle = low + (high - low) / 2;
            if (ends[middle].number < wanted.number)
                low = middle + 1;
            else
                high = middle;
        }
        if (wanted.number && low < c->regions.count && ends[low].number == wanted.number)
            end_ranges_at(c, i, ends[low].end_ns - c->base_ns);
    }
}

/* ---- writing ranges as slices ---- */

static struct tp_str join_texts(struct tp_spool_conversion *c, const char *first, struct tp_str second)
{
    size_t n = strlen(first);
    char *text = tp_arena_alloc(c->arena, n + second.len + 1);
    memcpy(text, first, n);
    memcpy(text + n, second.ptr, second.len);
    return (struct tp_str){text, n + second.len};
}

static struct tp_trace_out_arg make_int_arg(const char *name, int64_t value)
{
    struct tp_trace_out_arg arg = tp_trace_out_int_arg(TP_OUT_NAMED, value);
    arg.name = tp_str_of(name);
    return arg;
}

static struct tp_trace_out_event make_operator_event(struct tp_spool_conversion *c, struct tp_spool_range *range,
                                                     uint64_t tid)
{
    range->external_id = ++c->next_id;
    return (struct tp_trace_out_event){.category = TP_OUT_CPU_OP,
                                       .pid = (int64_t)c->file->head.pid,
                                       .tid = (int64_t)tid,
                                       .ts_ns = range->start_ns,
                                       .dur_ns = range->dur_ns};
}

static void write_function(struct tp_spool_conversion *c, struct tp_spool_range *range, uint64_t tid)
{
    struct tp_trace_out_event event = make_operator_event(c, range, tid);
    const struct tp_trace_out_arg args[] = {tp_trace_out_int_arg(TP_OUT_EXTERNAL_ID, range->external_id),
                                            tp_trace_out_bool_arg(TP_OUT_FINISHED, false)};
    event.name = tp_symbols_frames(c->symbols, function_address(range->record), range->record->time, false).function;
    event.args = args;
    event.arg_count = range->is_open ? 2 : 1;
    tp_trace_out_complete(c->out, &event);
}

static void write_region(struct tp_spool_conversion *c, struct tp_spool_range *range, uint64_t tid)
{
    struct tp_spool_region region;
    struct tp_trace_out_event event = make_operator_event(c, range, tid);
    struct tp_trace_out_arg args[3];
    size_t n = 0;
    memcpy(&region, tp_spool_payload(range->record), sizeof region);
    struct tp_str kind = tp_spool_trace_name(c, range->record);
    if (region.address) { /* address - 1, because a return address belongs to the call before it */
        char *prefix = tp_arena_alloc(c->arena, kind.len + 3);
        memcpy(prefix, kind.ptr, kind.len);
        memcpy(prefix + kind.len, ": ", 3);
        kind = join_texts(c, prefix,
                          tp_symbols_frames(c->symbols, region.address - 1, range->record->time, false).function);
    }
    args[n++] = tp_trace_out_int_arg(TP_OUT_EXTERNAL_ID, range->external_id);
    if (region.threads != INT64_MIN)
        args[n++] = make_int_arg("threads", region.threads);
    if (range->is_open)
        args[n++] = tp_trace_out_bool_arg(TP_OUT_FINISHED, false);
    event.name = kind;
    event.args = args;
    event.arg_count = n;
    tp_trace_out_complete(c->out, &event);
}

static void write_wait(struct tp_spool_conversion *c, struct tp_spool_range *range, uint64_t tid)
{
    struct tp_spool_wait wait;
    struct tp_trace_out_event event = make_operator_event(c, range, tid);
    struct tp_trace_out_arg args[3];
    size_t n = 0;
    memcpy(&wait, tp_spool_payload(range->record), sizeof wait);
    args[n++] = tp_trace_out_int_arg(TP_OUT_EXTERNAL_ID, range->external_id);
    if (wait.bytes != INT64_MIN)
        args[n++] = tp_trace_out_int_arg(TP_OUT_BYTES, wait.bytes);
    if (wait.object)
        args[n++] = make_int_arg("object", (int64_t)(wait.object & INT64_MAX));
    event.name = tp_spool_trace_name(c, range->record);
    event.args = args;
    event.arg_count = n;
    tp_trace_out_complete(c->out, &event);
}

/* Fills torch's arguments of a collective, as far as MPI provides their values. */
static size_t fill_collective_args(const struct tp_spool_collective *call, struct tp_str name,
                                   struct tp_trace_out_arg *args)
{
    bool is_typed = call->dtype < sizeof dtype_names / sizeof *dtype_names && *dtype_names[call->dtype];
    size_t n = 0;
    args[n++] = tp_trace_out_text_arg(TP_OUT_COLLECTIVE, name);
    args[n++] = tp_trace_out_text_arg(TP_OUT_DTYPE, tp_str_of(is_typed ? dtype_names[call->dtype] : "Byte"));
    int64_t in = is_typed ? call->in_count : call->in_bytes, out = is_typed ? call->out_count : call->out_bytes;
    args[n++] = tp_trace_out_int_arg(TP_OUT_IN_COUNT, in != INT64_MIN ? in : 0);
    args[n++] = tp_trace_out_int_arg(TP_OUT_OUT_COUNT, out != INT64_MIN ? out : 0);
    if (call->group_size)
        args[n++] = tp_trace_out_int_arg(TP_OUT_GROUP_SIZE, call->group_size);
    args[n++] = tp_trace_out_text_arg(TP_OUT_GROUP_NAME, tp_str_of(call->group ? "communicator" : "MPI_COMM_WORLD"));
    if (call->sequence)
        args[n++] = tp_trace_out_int_arg(TP_OUT_GROUP_SEQUENCE, (int64_t)(call->sequence & INT64_MAX));
    if (call->peer != INT64_MIN)
        args[n++] = make_int_arg("peer", call->peer);
    return n;
}

static void write_collective(struct tp_spool_conversion *c, struct tp_spool_range *range, uint64_t tid)
{
    struct tp_spool_collective call;
    struct tp_trace_out_event event = make_operator_event(c, range, tid);
    struct tp_trace_out_arg args[MAX_ARGS];
    memcpy(&call, tp_spool_payload(range->record), sizeof call);
    struct tp_str name = tp_spool_trace_name(c, range->record);
    args[0] = tp_trace_out_int_arg(TP_OUT_EXTERNAL_ID, range->external_id);
    event.name = TP_STR("record_param_comms");
    event.args = args;
    event.arg_count = 1 + fill_collective_args(&call, name, args + 1);
    tp_trace_out_complete(c->out, &event);
    event.category = TP_OUT_USER_ANNOTATION;
    event.name = join_texts(c, "mpi:", name);
    event.arg_count = 0;
    tp_trace_out_complete(c->out, &event);
}

void tp_spool_write_native(struct tp_spool_conversion *c, struct tp_spool_range *range, uint64_t tid)
{
    static void (*const kinds[TP_SPOOL_KINDS])(struct tp_spool_conversion * c, struct tp_spool_range * range,
                                               uint64_t tid) = {
        [TP_SPOOL_FUNCTION] = write_function,
        [TP_SPOOL_WAIT] = write_wait,
        [TP_SPOOL_COLLECTIVE] = write_collective,
        [TP_SPOOL_REGION] = write_region,
    };
    if (kinds[range->record->kind])
        kinds[range->record->kind](c, range, tid);
}
