/* A spool becomes a trace: see spool_trace.h.
 *
 * Per thread, begins and ends are matched with a stack; the ranges come out in the order of their begins, as torch
 * writes them. Times are those of the spool's clock, on the wall clock of its first note. */
#include "writer/spool_trace.h"

#include <stdlib.h>
#include <string.h>

#include "writer/spool_read.h"
#include "writer/trace_json.h"

/* Names of enum tracepress_dtype as torch's "Input type" spells them. */
static const char *const dtype_names[] = {
    "",          "float", "double",   "c10::Half", "c10::BFloat16", "signed char", "unsigned char",
    "short int", "int",   "long int", "bool",      "Scalar"};

enum { DTYPES = sizeof dtype_names / sizeof *dtype_names, MAX_ARGS = 12 };

/* A range with its begin and, once it is met, its end. */
struct range {
    int64_t start_ns, dur_ns;
    const struct tp_spool_record *record; /* of the begin, in the mapped file */
    bool is_open;
};

/* One end of a forward-backward arrow. */
struct arrow {
    int64_t sequence, start_ns;
    uint64_t tid;
    bool is_backward;
};

struct converter {
    const struct tp_spool_file *file;
    struct tp_trace_out *out;
    struct tp_arena *arena;
    struct tp_spool_trace_result *result;
    int64_t base_ns, end_ns, next_id;
    struct tp_vec arrows;
    struct tp_vec ranges, stack; /* of the thread at hand; the stack has numbers of ranges */
};

static const char *payload_of(const struct tp_spool_record *record)
{
    return (const char *)(record + 1);
}

static struct tp_str name_of(const struct converter *c, const struct tp_spool_record *record)
{
    return tp_spool_name(c->file, record, payload_of(record));
}

static int64_t time_of(const struct converter *c, const struct tp_spool_record *record)
{
    return tp_spool_time(c->file, record->time) - c->base_ns;
}

/* ---- operators ---- */

struct inputs {
    struct tp_trace_out_ints shapes[TP_SPOOL_MAX_INPUTS];
    struct tp_str types[TP_SPOOL_MAX_INPUTS];
    uint32_t count;
};

/* Inputs behind the operator's head, as far as they lie within the payload. */
static void read_inputs(struct inputs *inputs, const struct tp_spool_record *record, uint32_t wanted)
{
    const char *at = payload_of(record) + sizeof(struct tp_spool_operator);
    const char *end = payload_of(record) + (size_t)record->slots * TP_SPOOL_SLOT;
    inputs->count = 0;
    while (inputs->count < wanted && inputs->count < TP_SPOOL_MAX_INPUTS && end - at >= TP_SPOOL_SLOT) {
        struct tp_spool_input head;
        memcpy(&head, at, sizeof head);
        at += TP_SPOOL_SLOT;
        if (head.rank > TP_SPOOL_MAX_RANK || (size_t)(end - at) < head.rank * sizeof(int64_t))
            return;
        const char *type = dtype_names[head.dtype < DTYPES ? head.dtype : 0];
        inputs->shapes[inputs->count].items = (const int64_t *)(const void *)at;
        inputs->shapes[inputs->count].count = head.rank;
        inputs->types[inputs->count++] = tp_str_of(type);
        at += (size_t)((head.rank + 1) / 2) * TP_SPOOL_SLOT;
    }
}

static void keep_arrow(struct converter *c, const struct tp_spool_operator *op, const struct range *range, uint64_t tid)
{
    if (op->sequence != INT64_MIN)
        *(struct arrow *)tp_vec_push(&c->arrows) =
            (struct arrow){op->sequence, range->start_ns, tid, op->is_backward != 0};
}

/* Adds the arguments of an operator; inputs is where its lists live. */
static size_t operator_args(struct converter *c, const struct range *range, uint64_t tid, struct inputs *inputs,
                            struct tp_trace_out_arg *args)
{
    struct tp_spool_operator op;
    size_t n = 0;
    args[n++] = tp_trace_out_int(TP_OUT_EXTERNAL_ID, ++c->next_id);
    args[n++] = tp_trace_out_int(TP_OUT_RECORD_FUNCTION_ID, 0);
    if ((size_t)range->record->slots * TP_SPOOL_SLOT < sizeof op)
        return n;
    memcpy(&op, payload_of(range->record), sizeof op);
    read_inputs(inputs, range->record, op.input_count);
    if (op.sequence != INT64_MIN) {
        args[n++] = tp_trace_out_int(TP_OUT_SEQUENCE_NUMBER, op.sequence);
        args[n++] = tp_trace_out_int(TP_OUT_FWD_THREAD_ID, op.is_backward ? op.forward_tid : 0);
    }
    if (c->file->head.flags & TP_SPOOL_SHAPES && inputs->count) {
        args[n++] = tp_trace_out_shapes(TP_OUT_INPUT_DIMS, inputs->shapes, inputs->count);
        args[n++] = tp_trace_out_texts(TP_OUT_INPUT_TYPE, inputs->types, inputs->count);
    }
    if (c->file->head.flags & TP_SPOOL_FLOPS && op.flops != INT64_MIN)
        args[n++] = tp_trace_out_int(TP_OUT_FLOPS, op.flops);
    if (op.bytes != INT64_MIN)
        args[n++] = tp_trace_out_int(TP_OUT_BYTES, op.bytes);
    keep_arrow(c, &op, range, tid);
    return n;
}

/* ---- ranges ---- */

static const struct {
    enum tp_trace_out_category category;
    const char *prefix;
} forms[TP_SPOOL_KINDS] = {
    [TP_SPOOL_SCOPE] = {TP_OUT_USER_ANNOTATION, ""},
    [TP_SPOOL_OPERATOR] = {TP_OUT_CPU_OP, ""},
    [TP_SPOOL_MODULE] = {TP_OUT_PYTHON_FUNCTION, "nn.Module: "},
};

static struct tp_str with_prefix(struct converter *c, const char *prefix, struct tp_str name)
{
    size_t n = strlen(prefix);
    if (!n)
        return name;
    char *text = tp_arena_alloc(c->arena, n + name.len + 1);
    memcpy(text, prefix, n);
    memcpy(text + n, name.ptr, name.len);
    return (struct tp_str){text, n + name.len};
}

static void write_range(struct converter *c, const struct range *range, uint64_t tid)
{
    const struct tp_spool_record *record = range->record;
    struct tp_trace_out_arg args[MAX_ARGS];
    struct inputs inputs;
    size_t n = 0;
    if (record->kind == TP_SPOOL_STEP) {
        tp_trace_out_step(c->out, record->name, (int64_t)c->file->head.pid, (int64_t)tid, range->start_ns,
                          range->dur_ns);
        return;
    }
    if (record->kind == TP_SPOOL_OPERATOR)
        n = operator_args(c, range, tid, &inputs, args);
    else if (record->kind == TP_SPOOL_MODULE)
        args[n++] = tp_trace_out_int(TP_OUT_PYTHON_MODULE_ID, 0);
    if (range->is_open)
        args[n++] = tp_trace_out_bool(TP_OUT_FINISHED, false);
    const struct tp_trace_out_event event = {.category = forms[record->kind].category,
                                             .name = with_prefix(c, forms[record->kind].prefix, name_of(c, record)),
                                             .pid = (int64_t)c->file->head.pid,
                                             .tid = (int64_t)tid,
                                             .ts_ns = range->start_ns,
                                             .dur_ns = range->dur_ns,
                                             .args = args,
                                             .arg_count = n};
    tp_trace_out_complete(c->out, &event);
}

/* Ends the innermost open range; one that is already no longer there is counted. */
static bool end_innermost(struct converter *c, int64_t end_ns, bool is_open)
{
    if (!c->stack.count)
        return false;
    uint32_t number = *TP_AT(&c->stack, uint32_t, --c->stack.count);
    struct range *range = TP_AT(&c->ranges, struct range, number);
    range->dur_ns = end_ns > range->start_ns ? end_ns - range->start_ns : 0;
    range->is_open = is_open;
    c->result->open_count += is_open;
    return true;
}

/* The end of a step closes what is open inside it, so that rows nest. */
static void end_step(struct converter *c, int64_t end_ns)
{
    for (size_t i = c->stack.count; i-- > 0;) {
        struct range *range = TP_AT(&c->ranges, struct range, *TP_AT(&c->stack, uint32_t, i));
        if (range->record->kind != TP_SPOOL_STEP)
            continue;
        while (c->stack.count > i)
            end_innermost(c, end_ns, false);
        return;
    }
}

/* ---- moments ---- */

static void write_memory(struct converter *c, const struct tp_spool_record *record, uint64_t tid)
{
    struct tp_spool_memory note;
    memcpy(&note, payload_of(record), sizeof note);
    const struct tp_trace_out_memory memory = {.pid = (int64_t)c->file->head.pid,
                                               .tid = (int64_t)tid,
                                               .ts_ns = time_of(c, record),
                                               .address = (int64_t)note.address,
                                               .bytes = note.bytes,
                                               .device_type = note.device_type,
                                               .device_id = note.device_id,
                                               .total_allocated_bytes = note.total_allocated,
                                               .total_reserved_bytes = note.total_reserved};
    if (c->file->head.flags & TP_SPOOL_MEMORY)
        tp_trace_out_memory(c->out, &memory);
}

static void write_counter(struct converter *c, const struct tp_spool_record *record)
{
    struct tp_spool_counter counter;
    memcpy(&counter, payload_of(record), sizeof counter);
    const struct tp_trace_out_value value = {TP_STR("value"), counter.value};
    tp_trace_out_counter(c->out, name_of(c, record), (int64_t)c->file->head.pid, time_of(c, record), &value, 1);
}

static void write_instant(struct converter *c, const struct tp_spool_record *record, uint64_t tid)
{
    const struct tp_trace_out_event event = {.category = TP_OUT_USER_ANNOTATION,
                                             .name = name_of(c, record),
                                             .pid = (int64_t)c->file->head.pid,
                                             .tid = (int64_t)tid,
                                             .ts_ns = time_of(c, record)};
    tp_trace_out_instant(c->out, &event);
}

/* Both ends of a task are marks on their threads, tied by an arrow. */
static void write_async(struct converter *c, const struct tp_spool_record *record, uint64_t tid)
{
    struct tp_spool_async async;
    memcpy(&async, payload_of(record), sizeof async);
    const struct tp_trace_out_flow flow = {.kind = TP_OUT_FLOW_ASYNC,
                                           .is_start = record->kind == TP_SPOOL_ASYNC_BEGIN,
                                           .id = (int64_t)async.id,
                                           .pid = (int64_t)c->file->head.pid,
                                           .tid = (int64_t)tid,
                                           .ts_ns = time_of(c, record)};
    write_instant(c, record, tid);
    tp_trace_out_flow(c->out, &flow);
}

/* Least payload of the kinds that have one. */
static const size_t payload_bytes[TP_SPOOL_KINDS] = {[TP_SPOOL_COUNTER] = sizeof(struct tp_spool_counter),
                                                     [TP_SPOOL_MEMORY_NOTE] = sizeof(struct tp_spool_memory),
                                                     [TP_SPOOL_ASYNC_BEGIN] = sizeof(struct tp_spool_async),
                                                     [TP_SPOOL_ASYNC_END] = sizeof(struct tp_spool_async)};

static void write_moment(struct converter *c, const struct tp_spool_record *record, uint64_t tid)
{
    c->result->event_count++;
    switch (record->kind) {
    case TP_SPOOL_MEMORY_NOTE:
        write_memory(c, record, tid);
        break;
    case TP_SPOOL_COUNTER:
        write_counter(c, record);
        break;
    case TP_SPOOL_INSTANT:
        write_instant(c, record, tid);
        break;
    case TP_SPOOL_ASYNC_BEGIN:
    case TP_SPOOL_ASYNC_END:
        write_async(c, record, tid);
        break;
    default:
        c->result->event_count--;
        c->result->broken_count++;
    }
}

/* ---- threads ---- */

static void begin_range(struct converter *c, const struct tp_spool_record *record)
{
    *(uint32_t *)tp_vec_push(&c->stack) = (uint32_t)c->ranges.count;
    *(struct range *)tp_vec_push(&c->ranges) = (struct range){.start_ns = time_of(c, record), .record = record};
}

static void convert_thread(struct converter *c, const struct tp_spool_thread *thread)
{
    struct tp_spool_walk walk;
    struct tp_spool_record record;
    const char *payload;
    c->ranges.count = c->stack.count = 0;
    tp_trace_out_thread(c->out, (int64_t)c->file->head.pid, (int64_t)thread->tid, thread->name);
    tp_spool_walk(&walk, c->file, thread);
    while (tp_spool_next(&walk, &record, &payload)) {
        const struct tp_spool_record *stored = (const struct tp_spool_record *)(const void *)payload - 1;
        if (record.kind == TP_SPOOL_END)
            end_innermost(c, time_of(c, stored), false);
        else if (record.kind == TP_SPOOL_STEP_END)
            end_step(c, time_of(c, stored));
        else if (record.kind >= TP_SPOOL_SCOPE && record.kind <= TP_SPOOL_STEP)
            begin_range(c, stored);
        else if ((size_t)record.slots * TP_SPOOL_SLOT >= payload_bytes[record.kind])
            write_moment(c, stored, thread->tid);
        else
            c->result->broken_count++;
    }
    while (end_innermost(c, c->end_ns, true))
        ;
    for (size_t i = 0; i < c->ranges.count; i++)
        write_range(c, TP_AT(&c->ranges, struct range, i), thread->tid);
    c->result->range_count += c->ranges.count;
    c->result->broken_count += walk.broken_count;
}

/* First and last moment of the recording. */
static void find_window(struct converter *c, int64_t *first)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t t = 0; t < c->file->thread_count; t++) {
        struct tp_spool_walk walk;
        struct tp_spool_record record;
        const char *payload;
        tp_spool_walk(&walk, c->file, &c->file->threads[t]);
        while (tp_spool_next(&walk, &record, &payload)) {
            least = record.time < least ? record.time : least;
            most = record.time > most ? record.time : most;
        }
    }
    *first = most ? tp_spool_time(c->file, least) : (int64_t)c->file->head.start_realtime_ns;
    c->end_ns = most ? tp_spool_time(c->file, most) : *first;
}

/* ---- forward and backward ---- */

static int by_sequence(const void *x, const void *y)
{
    const struct arrow *a = x, *b = y;
    if (a->sequence != b->sequence)
        return a->sequence < b->sequence ? -1 : 1;
    if (a->is_backward != b->is_backward)
        return a->is_backward ? 1 : -1;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* An arrow from the last forward operator of a sequence number to its first backward one. */
static void write_arrows(struct converter *c)
{
    struct arrow *arrows = c->arrows.data;
    int64_t id = 0;
    if (c->arrows.count)
        qsort(arrows, c->arrows.count, sizeof *arrows, by_sequence);
    for (size_t i = 1; i < c->arrows.count; i++) {
        const struct arrow *from = &arrows[i - 1], *to = &arrows[i];
        if (from->sequence != to->sequence || from->is_backward || !to->is_backward)
            continue;
        struct tp_trace_out_flow flow = {.kind = TP_OUT_FLOW_BACKWARD,
                                         .is_start = true,
                                         .id = ++id,
                                         .pid = (int64_t)c->file->head.pid,
                                         .tid = (int64_t)from->tid,
                                         .ts_ns = from->start_ns};
        tp_trace_out_flow(c->out, &flow);
        flow.is_start = false;
        flow.tid = (int64_t)to->tid;
        flow.ts_ns = to->start_ns;
        tp_trace_out_flow(c->out, &flow);
    }
}

/* ---- the document ---- */

static int64_t known(uint32_t rank)
{
    return rank == UINT32_MAX ? -1 : (int64_t)rank;
}

static unsigned flags_of(uint32_t spool)
{
    static const struct {
        uint32_t spool;
        unsigned out;
    } map[] = {{TP_SPOOL_SHAPES, TP_OUT_RECORD_SHAPES},
               {TP_SPOOL_MEMORY, TP_OUT_PROFILE_MEMORY},
               {TP_SPOOL_STACKS, TP_OUT_WITH_STACK},
               {TP_SPOOL_FLOPS, TP_OUT_WITH_FLOPS},
               {TP_SPOOL_MODULES, TP_OUT_WITH_MODULES}};
    unsigned flags = 0;
    for (size_t i = 0; i < sizeof map / sizeof *map; i++)
        flags |= spool & map[i].spool ? map[i].out : 0;
    return flags;
}

static int open_trace(struct converter *c, const char *path, bool is_gzip, int64_t first_ns, struct tp_error *err)
{
    const struct tp_spool_head *head = &c->file->head;
    struct tp_trace_out_options options = TP_TRACE_OUT_OPTIONS;
    struct tp_trace_out_meta *metadata = tp_arena_array(c->arena, c->file->fact_count + 1u, sizeof *metadata);
    for (uint32_t i = 0; i < c->file->fact_count; i++)
        metadata[i] =
            (struct tp_trace_out_meta){c->file->facts[i].key, c->file->facts[i].value, c->file->facts[i].is_json};
    options.is_gzip = is_gzip;
    options.flags = flags_of(head->flags);
    options.base_time_ns = c->base_ns;
    options.begin_ns = first_ns - c->base_ns;
    options.process_id = (int64_t)head->pid;
    options.process_name = (struct tp_str){head->program, strnlen(head->program, sizeof head->program)};
    options.rank = known(head->rank);
    options.world_size = known(head->world_size);
    options.local_rank = known(head->local_rank);
    options.metadata = metadata;
    options.metadata_count = c->file->fact_count;
    return tp_trace_out_open(&c->out, path, &options, err);
}

static int convert(struct converter *c, const char *path, bool is_gzip, struct tp_error *err)
{
    int64_t first;
    find_window(c, &first);
    c->base_ns = tp_trace_out_base(first > 0 ? first : 0);
    c->end_ns -= c->base_ns;
    c->result->start_ns = first;
    c->result->was_stopped = c->file->was_stopped;
    c->result->broken_count = c->file->broken_count;
    c->arrows = TP_VEC(c->arena, struct arrow);
    c->ranges = TP_VEC(c->arena, struct range);
    c->stack = TP_VEC(c->arena, uint32_t);
    int code = open_trace(c, path, is_gzip, first, err);
    if (code)
        return code;
    for (uint32_t t = 0; t < c->file->thread_count; t++)
        convert_thread(c, &c->file->threads[t]);
    write_arrows(c);
    return tp_trace_out_close(&c->out, c->end_ns, err);
}

int tp_spool_trace(const char *spool, const char *trace, bool is_gzip, struct tp_spool_trace_result *result,
                   struct tp_error *err)
{
    struct tp_spool_trace_result unwanted;
    struct tp_spool_file file = {0};
    struct tp_arena arena;
    struct converter c = {.file = &file, .arena = &arena, .result = result ? result : &unwanted};
    struct converter *volatile kept = &c;
    volatile int code;
    memset(kept->result, 0, sizeof *kept->result);
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard)) {
        tp_trace_out_discard(&kept->out);
        code = tp_error_set(err, TP_ENOMEM, 0, "%s: out of memory", spool);
    } else {
        code = tp_spool_open(&file, spool, &arena, err);
        if (code == 0)
            code = convert(kept, trace, is_gzip, err);
    }
    tp_spool_release(&file);
    tp_arena_release(&arena);
    return code;
}
