/* Writes events of a trace: see trace_json.h. Constant texts come from tables, and numbers from put.h. */
#include "writer/trace_json_part.h"

/* Text of a slice from its beginning to its name; one text per category. */
struct slice_head {
    struct tp_str text;
    bool has_index;
};

#define HEAD(cat) TP_STR("{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":")

static const struct slice_head heads[TP_OUT_CATEGORY_COUNT] = {
    [TP_OUT_CPU_OP] = {HEAD("cpu_op"), true},
    [TP_OUT_USER_ANNOTATION] = {HEAD("user_annotation"), true},
    [TP_OUT_PYTHON_FUNCTION] = {HEAD("python_function"), true},
    [TP_OUT_CUDA_RUNTIME] = {HEAD("cuda_runtime"), false},
    [TP_OUT_CUDA_DRIVER] = {HEAD("cuda_driver"), false},
    [TP_OUT_KERNEL] = {HEAD("kernel"), false},
    [TP_OUT_GPU_MEMCPY] = {HEAD("gpu_memcpy"), false},
    [TP_OUT_GPU_MEMSET] = {HEAD("gpu_memset"), false},
    [TP_OUT_GPU_USER_ANNOTATION] = {HEAD("gpu_user_annotation"), false},
    [TP_OUT_CUDA_SYNC] = {HEAD("cuda_sync"), false},
    [TP_OUT_OVERHEAD] = {HEAD("overhead"), false},
    [TP_OUT_OTHER] = {HEAD(""), false}, /* write_begin_of_event writes the category that the caller gives */
};

static const struct tp_str categories[TP_OUT_CATEGORY_COUNT] = {
    [TP_OUT_CPU_OP] = TP_STR("cpu_op"),
    [TP_OUT_USER_ANNOTATION] = TP_STR("user_annotation"),
    [TP_OUT_PYTHON_FUNCTION] = TP_STR("python_function"),
    [TP_OUT_CUDA_RUNTIME] = TP_STR("cuda_runtime"),
    [TP_OUT_CUDA_DRIVER] = TP_STR("cuda_driver"),
    [TP_OUT_KERNEL] = TP_STR("kernel"),
    [TP_OUT_GPU_MEMCPY] = TP_STR("gpu_memcpy"),
    [TP_OUT_GPU_MEMSET] = TP_STR("gpu_memset"),
    [TP_OUT_GPU_USER_ANNOTATION] = TP_STR("gpu_user_annotation"),
    [TP_OUT_CUDA_SYNC] = TP_STR("cuda_sync"),
    [TP_OUT_OVERHEAD] = TP_STR("overhead"),
};

static inline void put_bytes(struct tp_trace_out *out, struct tp_str bytes)
{
    char *at = tp_put_at(&out->text, bytes.len);
    if (at)
        tp_put_finish(&out->text, tp_put_bytes(at, bytes.ptr, bytes.len));
}

bool tp_trace_out_begin(struct tp_trace_out *out)
{
    if (out->failed)
        return false;
    out->record_start = out->text.size;
    if (out->stats.record_count)
        put_bytes(out, TP_STR(",\n"));
    return true;
}

bool tp_trace_out_end(struct tp_trace_out *out)
{
    struct tp_buf *text = &out->text;
    size_t start = out->record_start;
    if (text->failed == TP_ENOMEM)
        out->failed = TP_ENOMEM;
    if (out->failed)
        return false;
    if (text->failed || text->size - start > TP_MAX_EVENT_BYTES) {
        text->failed = 0;
        text->size = start;
        out->stats.dropped_count++;
        return false;
    }
    out->stats.record_count++;
    out->stats.text_bytes += text->size - start;
    if (text->size >= TP_PACK_BLOCK)
        tp_pack_write(out->pack, text);
    return true;
}

bool tp_trace_out_receive(struct tp_trace_out *out, struct tp_trace_record record, bool has_index)
{
    if (!out->receiver)
        return false;
    if (out->failed)
        return true;
    record.ordinal = out->stats.record_count++;
    record.number = has_index ? (int64_t)out->event_index++ : TP_NULL_INT;
    record.ts_ns = tp_trace_out_time(record.ts_ns);
    record.dur_ns = tp_trace_out_time(record.dur_ns);
    if (record.phase != 'M' && record.phase != 's' && record.phase != 'f' &&
        record.ts_ns + record.dur_ns > out->last_end_ns)
        out->last_end_ns = record.ts_ns + record.dur_ns;
    out->receiver->record(out->receiver->context, out, &record);
    return true;
}

/* Converts an event to a record for a receiver. */
static struct tp_trace_record event_record(char phase, const struct tp_trace_out_event *event)
{
    bool is_other = (unsigned)event->category >= TP_OUT_OTHER;
    return (struct tp_trace_record){.phase = phase,
                                    .cat = is_other ? event->other_category : categories[event->category],
                                    .name = event->name,
                                    .pid = event->pid,
                                    .tid = event->tid,
                                    .ts_ns = event->ts_ns,
                                    .dur_ns = phase == 'X' && event->dur_ns > 0 ? event->dur_ns : 0,
                                    .args = event->args,
                                    .arg_count = event->arg_count};
}

/* Writes ,"pid":P,"tid":T,"ts": to out->row_text, unless the text of this row is already there. Adjacent events
 * usually have the same row. */
static void prepare_text_of_row(struct tp_trace_out *out, int64_t pid, int64_t tid)
{
    if (out->row_text_size && out->row_pid == pid && out->row_tid == tid)
        return;
    char *at = TP_PUT_TEXT(out->row_text, ",\"pid\":");
    at = TP_PUT_TEXT(tp_put_int(at, pid), ",\"tid\":");
    at = TP_PUT_TEXT(tp_put_int(at, tid), ",\"ts\":");
    out->row_pid = pid;
    out->row_tid = tid;
    out->row_text_size = (unsigned)(at - out->row_text);
}

/* Writes ,"pid":P,"tid":T,"ts":N and, if dur_ns >= 0, ,"dur":N */
static void write_row_and_times(struct tp_trace_out *out, int64_t pid, int64_t tid, int64_t ts_ns, int64_t dur_ns)
{
    prepare_text_of_row(out, pid, tid);
    char *at = tp_put_at(&out->text, sizeof out->row_text + 2 * TP_PUT_US + 8);
    if (!at)
        return;
    /* copies the whole array, because a copy of constant size is faster; tp_put_at reserved the room */
    memcpy(at, out->row_text, sizeof out->row_text);
    at = tp_put_us(at + out->row_text_size, tp_trace_out_time(ts_ns));
    if (dur_ns >= 0)
        at = tp_put_us(TP_PUT_TEXT(at, ",\"dur\":"), tp_trace_out_time(dur_ns));
    tp_put_finish(&out->text, at);
}

static void update_last_end(struct tp_trace_out *out, int64_t ts_ns, int64_t dur_ns)
{
    int64_t end = tp_trace_out_time(ts_ns) + tp_trace_out_time(dur_ns);
    if (end > out->last_end_ns)
        out->last_end_ns = end;
}

static void write_begin_of_event(struct tp_trace_out *out, const char *begin, const struct tp_trace_out_event *event)
{
    bool is_other = (unsigned)event->category >= TP_OUT_OTHER;
    tp_buf_puts(&out->text, begin);
    TP_OUT_PUTS(out, "\"cat\":");
    tp_trace_out_string(out, is_other ? event->other_category : categories[event->category], TP_MAX_NAME_BYTES);
    TP_OUT_PUTS(out, ",\"name\":");
}

void tp_trace_out_complete(struct tp_trace_out *out, const struct tp_trace_out_event *event)
{
    bool is_known = (unsigned)event->category < TP_OUT_OTHER;
    const struct slice_head *head = &heads[is_known ? event->category : TP_OUT_OTHER];
    int64_t dur_ns = event->dur_ns < 0 ? 0 : event->dur_ns;
    if (tp_trace_out_receive(out, event_record('X', event), head->has_index) || !tp_trace_out_begin(out))
        return;
    if (is_known)
        put_bytes(out, head->text);
    else
        write_begin_of_event(out, "{\"ph\":\"X\",", event);
    tp_trace_out_string(out, event->name, TP_MAX_NAME_BYTES);
    write_row_and_times(out, event->pid, event->tid, event->ts_ns, dur_ns);
    tp_trace_out_args(out, event->args, event->arg_count, head->has_index);
    tp_put_char(&out->text, '}');
    if (!tp_trace_out_end(out))
        return;
    out->event_index += head->has_index;
    update_last_end(out, event->ts_ns, dur_ns);
}

void tp_trace_out_step(struct tp_trace_out *out, int64_t number, int64_t pid, int64_t tid, int64_t ts_ns,
                       int64_t dur_ns)
{
    char name[16 + TP_PUT_INT], *at = tp_put_int(TP_PUT_TEXT(name, "ProfilerStep#"), number);
    tp_trace_out_complete(out, &(struct tp_trace_out_event){.category = TP_OUT_USER_ANNOTATION,
                                                            .name = {name, (size_t)(at - name)},
                                                            .pid = pid,
                                                            .tid = tid,
                                                            .ts_ns = ts_ns,
                                                            .dur_ns = dur_ns});
}

static void put_event_without_duration(struct tp_trace_out *out, const char *begin,
                                       const struct tp_trace_out_event *event)
{
    if (!tp_trace_out_begin(out))
        return;
    write_begin_of_event(out, begin, event);
    tp_trace_out_string(out, event->name, TP_MAX_NAME_BYTES);
    write_row_and_times(out, event->pid, event->tid, event->ts_ns, -1);
    tp_trace_out_args(out, event->args, event->arg_count, false);
    tp_put_char(&out->text, '}');
    if (tp_trace_out_end(out))
        update_last_end(out, event->ts_ns, 0);
}

void tp_trace_out_instant(struct tp_trace_out *out, const struct tp_trace_out_event *event)
{
    if (!tp_trace_out_receive(out, event_record('i', event), false))
        put_event_without_duration(out, "{\"ph\":\"i\",\"s\":\"t\",", event);
}

void tp_trace_out_task(struct tp_trace_out *out, const struct tp_trace_out_event *event, uint64_t id, bool is_end)
{
    char begin[32 + TP_PUT_INT], *at = TP_PUT_TEXT(begin, "{\"ph\":\"");
    struct tp_trace_record record = event_record(is_end ? 'e' : 'b', event);
    record.id = (int64_t)id;
    if (tp_trace_out_receive(out, record, false))
        return;
    *at++ = is_end ? 'e' : 'b';
    at = TP_PUT_TEXT(tp_put_uint(TP_PUT_TEXT(at, "\",\"id\":\""), id), "\",");
    *at = '\0';
    put_event_without_duration(out, begin, event);
}

void tp_trace_out_sample(struct tp_trace_out *out, const struct tp_trace_out_event *event)
{
    if (!tp_trace_out_receive(out, event_record('P', event), false))
        put_event_without_duration(out, "{\"ph\":\"P\",", event);
}

/* Writes the keys and values of a [memory] record in torch's order. */
static void put_memory_args(struct tp_trace_out *out, const struct tp_trace_out_memory *memory)
{
    const struct {
        struct tp_str key;
        int64_t value;
    } members[] = {
        {TP_STR("\"Total Reserved\":"), memory->total_reserved_bytes},
        {TP_STR("\"Total Allocated\":"), memory->total_allocated_bytes},
        {TP_STR("\"Bytes\":"), memory->bytes},
        {TP_STR("\"Device Id\":"), memory->device_id},
        {TP_STR("\"Device Type\":"), memory->device_type},
        {TP_STR("\"Addr\":"), memory->address},
    };
    size_t count = sizeof members / sizeof *members;
    char *at = tp_put_at(&out->text, count * (32 + TP_PUT_INT) + 64);
    if (!at)
        return;
    at = TP_PUT_TEXT(at, ",\"args\":");
    for (size_t i = 0, shown = 0; i < count; i++) {
        if (members[i].value == TP_NULL_INT)
            continue;
        *at++ = shown++ ? ',' : '{';
        at = tp_put_int(tp_put_bytes(at, members[i].key.ptr, members[i].key.len), members[i].value);
    }
    tp_put_finish(&out->text, at);
    if (memory->call_stack.ptr) {
        TP_OUT_PUTS(out, ",\"Call stack\":");
        tp_trace_out_string(out, memory->call_stack, TP_MAX_OUT_TEXT_BYTES);
    }
    at = tp_put_at(&out->text, 32 + TP_PUT_INT);
    if (at)
        tp_put_finish(&out->text, TP_PUT_TEXT(tp_put_uint(TP_PUT_TEXT(at, ",\"Ev Idx\":"), out->event_index), "}}"));
}

void tp_trace_out_memory(struct tp_trace_out *out, const struct tp_trace_out_memory *memory)
{
    struct tp_trace_record record = {.phase = 'i',
                                     .cat = TP_STR("cpu_instant_event"),
                                     .name = memory->is_out_of_memory ? TP_STR("[OutOfMemory]") : TP_STR("[memory]"),
                                     .pid = memory->pid,
                                     .tid = memory->tid,
                                     .ts_ns = memory->ts_ns,
                                     .memory = memory};
    if (tp_trace_out_receive(out, record, true) || !tp_trace_out_begin(out))
        return;
    TP_OUT_PUTS(out, "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":");
    tp_buf_puts(&out->text, memory->is_out_of_memory ? "\"[OutOfMemory]\"" : "\"[memory]\"");
    write_row_and_times(out, memory->pid, memory->tid, memory->ts_ns, -1);
    put_memory_args(out, memory);
    if (!tp_trace_out_end(out))
        return;
    out->event_index++;
    update_last_end(out, memory->ts_ns, 0);
}

void tp_trace_out_counter(struct tp_trace_out *out, struct tp_str name, int64_t pid, int64_t ts_ns,
                          const struct tp_trace_out_value *values, size_t count)
{
    size_t written = 0, known = 0;
    for (size_t i = 0; i < count; i++)
        known += __builtin_isfinite(values[i].value) != 0;
    struct tp_trace_record record = {
        .phase = 'C', .name = name, .pid = pid, .ts_ns = ts_ns, .values = values, .value_count = count};
    if ((out->receiver && !known) || tp_trace_out_receive(out, record, false) || !tp_trace_out_begin(out))
        return;
    TP_OUT_PUTS(out, "{\"ph\":\"C\",\"name\":");
    tp_trace_out_string(out, name, TP_MAX_NAME_BYTES);
    write_row_and_times(out, pid, 0, ts_ns, -1);
    TP_OUT_PUTS(out, ",\"args\":{");
    for (size_t i = 0; i < count && i < TP_MAX_OUT_ARGS; i++) {
        if (!__builtin_isfinite(values[i].value))
            continue;
        if (written++)
            tp_put_char(&out->text, ',');
        tp_trace_out_string(out, values[i].name, TP_MAX_NAME_BYTES);
        char *at = tp_put_at(&out->text, TP_PUT_REAL + 1);
        if (at)
            tp_put_finish(&out->text, tp_put_real(TP_PUT_TEXT(at, ":"), values[i].value));
    }
    TP_OUT_PUTS(out, "}}");
    if (!written) /* a counter without values is dropped and counted, like a record that is too long */
        out->text.failed = out->text.failed ? out->text.failed : TP_ELIMIT;
    if (tp_trace_out_end(out))
        update_last_end(out, ts_ns, 0);
}

void tp_trace_out_flow(struct tp_trace_out *out, const struct tp_trace_out_flow *flow)
{
    static const struct tp_str flow_names[] = {[TP_OUT_FLOW_LAUNCH] = TP_STR("ac2g"),
                                               [TP_OUT_FLOW_BACKWARD] = TP_STR("fwdbwd"),
                                               [TP_OUT_FLOW_ASYNC] = TP_STR("async_task")};
    static const struct tp_str tails[] = {
        [TP_OUT_FLOW_LAUNCH] = TP_STR(",\"cat\":\"ac2g\",\"name\":\"ac2g\""),
        [TP_OUT_FLOW_BACKWARD] = TP_STR(",\"cat\":\"fwdbwd\",\"name\":\"fwdbwd\""),
        [TP_OUT_FLOW_ASYNC] = TP_STR(",\"cat\":\"async_task\",\"name\":\"async_task\""),
    };
    struct tp_trace_record record = {.phase = flow->is_start ? 's' : 'f',
                                     .cat = flow_names[flow->kind],
                                     .name = flow_names[flow->kind],
                                     .pid = flow->pid,
                                     .tid = flow->tid,
                                     .ts_ns = flow->ts_ns,
                                     .id = flow->id};
    if (tp_trace_out_receive(out, record, false) || !tp_trace_out_begin(out))
        return;
    char *at = tp_put_at(&out->text, 32 + TP_PUT_INT);
    if (at) {
        at = flow->is_start ? TP_PUT_TEXT(at, "{\"ph\":\"s\",\"id\":") : TP_PUT_TEXT(at, "{\"ph\":\"f\",\"id\":");
        tp_put_finish(&out->text, tp_put_int(at, flow->id));
    }
    write_row_and_times(out, flow->pid, flow->tid, flow->ts_ns, -1);
    tp_buf_add(&out->text, tails[flow->kind].ptr, tails[flow->kind].len);
    tp_buf_puts(&out->text, flow->is_start ? "}" : ",\"bp\":\"e\"}");
    tp_trace_out_end(out);
}
