/* Writes the document around the events: head, rows, tail. See trace_json.h. */
#include "writer/trace_json.h"

#include <stdlib.h>

#include "writer/trace_json_part.h"

enum { GPU_SORT_INDEX = 5000000, BASE_STEP_S = 7889238 };

static void write_number(struct tp_trace_out *out, int64_t value)
{
    char *at = tp_put_at(&out->text, TP_PUT_INT);
    if (at)
        tp_put_finish(&out->text, tp_put_int(at, value));
}

static void write_time(struct tp_trace_out *out, int64_t ns)
{
    char *at = tp_put_at(&out->text, TP_PUT_US);
    if (at)
        tp_put_finish(&out->text, tp_put_us(at, tp_trace_out_time(ns)));
}

/* ---- head ----------------------------------------------------------------------------------------------------- */

static void write_device_properties(struct tp_trace_out *out, const struct tp_trace_out_device *device)
{
    const struct {
        const char *key;
        int64_t value;
    } members[] = {
        {",\"totalGlobalMem\":", device->total_memory_bytes},
        {",\"computeMajor\":", device->compute_major},
        {",\"computeMinor\":", device->compute_minor},
        {",\"maxThreadsPerBlock\":", device->max_threads_per_block},
        {",\"maxThreadsPerMultiprocessor\":", device->max_threads_per_sm},
        {",\"regsPerBlock\":", device->registers_per_block},
        {",\"warpSize\":", device->warp_size},
        {",\"sharedMemPerBlock\":", device->shared_memory_per_block_bytes},
        {",\"numSms\":", device->sm_count},
        {",\"regsPerMultiprocessor\":", device->registers_per_sm},
        {",\"sharedMemPerBlockOptin\":", device->shared_memory_per_block_optin_bytes},
        {",\"sharedMemPerMultiprocessor\":", device->shared_memory_per_sm_bytes},
    };
    TP_OUT_PUTS(out, "{\"id\":");
    write_number(out, device->id);
    TP_OUT_PUTS(out, ",\"name\":");
    tp_trace_out_string(out, device->name, TP_MAX_NAME_BYTES);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (members[i].value == TP_NULL_INT)
            continue;
        tp_buf_puts(&out->text, members[i].key);
        write_number(out, members[i].value);
    }
    tp_buf_putc(&out->text, '}');
}

static void put_member_text(struct tp_trace_out *out, const char *key, struct tp_str value)
{
    if (!value.ptr)
        return;
    tp_buf_puts(&out->text, key);
    tp_trace_out_string(out, value, TP_MAX_NAME_BYTES);
}

static void write_recorder_flags(struct tp_trace_out *out, unsigned flags)
{
    static const struct {
        unsigned flag;
        const char *text;
    } options[] = {
        {TP_OUT_WITH_STACK, ",\n\"with_stack\":1"},       {TP_OUT_PROFILE_MEMORY, ",\n\"profile_memory\":1"},
        {TP_OUT_RECORD_SHAPES, ",\n\"record_shapes\":1"}, {TP_OUT_WITH_MODULES, ",\n\"with_modules\":1"},
        {TP_OUT_WITH_FLOPS, ",\n\"with_flops\":1"},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (flags & options[i].flag)
            tp_buf_puts(&out->text, options[i].text);
}

static void put_distributed(struct tp_trace_out *out, const struct tp_trace_out_options *options)
{
    const struct {
        const char *key;
        int64_t value;
    } members[] = {
        {"\"rank\":", options->rank},
        {"\"world_size\":", options->world_size},
        {"\"local_rank\":", options->local_rank},
    };
    bool needs_comma = options->backend.ptr != NULL;
    if (options->rank < 0 && options->world_size < 0 && options->local_rank < 0)
        return;
    TP_OUT_PUTS(out, ",\n\"distributedInfo\":{");
    put_member_text(out, "\"backend\":", options->backend);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (members[i].value < 0)
            continue;
        if (needs_comma)
            tp_buf_putc(&out->text, ',');
        needs_comma = true;
        tp_buf_puts(&out->text, members[i].key);
        write_number(out, members[i].value);
    }
    tp_buf_putc(&out->text, '}');
}

static bool is_key_of_writer(struct tp_str key)
{
    static const char *const own[] = {
        "schemaVersion",       "deviceProperties", "traceEvents",   "traceName",       "displayTimeUnit",
        "baseTimeNanoseconds", "trace_id",         "record_shapes", "with_stack",      "profile_memory",
        "with_modules",        "with_flops",       "host_name",     "distributedInfo",
    };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (tp_str_equal(key, tp_str_of(own[i])))
            return true;
    return false;
}

static void put_metadata(struct tp_trace_out *out, const struct tp_trace_out_meta *metadata, size_t count)
{
    for (size_t i = 0; i < count && i < TP_MAX_HEADER_KEYS - 20; i++) {
        bool is_repeated = !metadata[i].key.ptr || is_key_of_writer(metadata[i].key);
        for (size_t k = 0; k < i && !is_repeated; k++)
            is_repeated = metadata[k].key.ptr && tp_str_equal(metadata[k].key, metadata[i].key);
        if (is_repeated)
            continue;
        TP_OUT_PUTS(out, ",\n");
        tp_trace_out_string(out, metadata[i].key, TP_MAX_NAME_BYTES);
        tp_buf_putc(&out->text, ':');
        if (metadata[i].is_json)
            tp_trace_out_json(out, metadata[i].value);
        else
            tp_trace_out_string(out, metadata[i].value, TP_MAX_OUT_TEXT_BYTES);
        if (out->text.size >= TP_PACK_BLOCK && !out->receiver)
            tp_pack_write(out->pack, &out->text);
    }
}

static void write_begin_of_file(struct tp_trace_out *out, const struct tp_trace_out_options *options)
{
    TP_OUT_PUTS(out, "{\"schemaVersion\":1,\n\"deviceProperties\":[");
    for (size_t i = 0; i < options->device_count; i++) {
        if (i)
            TP_OUT_PUTS(out, ",\n");
        write_device_properties(out, &options->devices[i]);
    }
    tp_buf_putc(&out->text, ']');
    put_member_text(out, ",\n\"trace_id\":", options->trace_id);
    write_recorder_flags(out, options->flags);
    put_distributed(out, options);
    put_member_text(out, ",\n\"host_name\":", options->host_name);
    put_metadata(out, options->metadata, options->metadata_count);
    TP_OUT_PUTS(out, ",\n\"displayTimeUnit\":\"ms\",\n\"baseTimeNanoseconds\":");
    write_number(out, options->base_time_ns);
    TP_OUT_PUTS(out, ",\n\"traceEvents\":[\n");
    if (out->text.failed)
        out->failed = out->text.failed;
}

/* ---- rows ----------------------------------------------------------------------------------------------------- */

/* Writes the beginning of a metadata record of the kind `kind`, up to its only argument. Returns false after an
 * error. */
static bool begin_metadata_record(struct tp_trace_out *out, const char *kind, int64_t pid, int64_t tid)
{
    if (!tp_trace_out_begin(out))
        return false;
    TP_OUT_PUTS(out, "{\"ph\":\"M\",\"name\":\"");
    tp_buf_puts(&out->text, kind);
    TP_OUT_PUTS(out, "\",\"ts\":");
    write_time(out, out->begin_ns);
    TP_OUT_PUTS(out, ",\"pid\":");
    write_number(out, pid);
    TP_OUT_PUTS(out, ",\"tid\":");
    write_number(out, tid);
    TP_OUT_PUTS(out, ",\"args\":{\"");
    return true;
}

static void put_row_text(struct tp_trace_out *out, const char *kind, int64_t pid, int64_t tid, struct tp_str text)
{
    struct tp_trace_record record = {.phase = 'M',
                                     .name = tp_str_of(kind),
                                     .pid = pid,
                                     .tid = tid,
                                     .ts_ns = out->begin_ns,
                                     .text = text.ptr ? text : TP_STR("")};
    if (tp_trace_out_receive(out, record, false) || !begin_metadata_record(out, kind, pid, tid))
        return;
    tp_buf_puts(&out->text, strcmp(kind, "process_labels") == 0 ? "labels\":" : "name\":");
    tp_trace_out_string(out, text, TP_MAX_NAME_BYTES);
    TP_OUT_PUTS(out, "}}");
    tp_trace_out_end(out);
}

static void put_row_sort_index(struct tp_trace_out *out, const char *kind, int64_t pid, int64_t tid, int64_t index)
{
    struct tp_trace_record record = {
        .phase = 'M', .name = tp_str_of(kind), .pid = pid, .tid = tid, .ts_ns = out->begin_ns, .sort_index = index};
    if (index == TP_NULL_INT || tp_trace_out_receive(out, record, false) || !begin_metadata_record(out, kind, pid, tid))
        return;
    TP_OUT_PUTS(out, "sort_index\":");
    write_number(out, index);
    TP_OUT_PUTS(out, "}}");
    tp_trace_out_end(out);
}

void tp_trace_out_process(struct tp_trace_out *out, int64_t pid, struct tp_str name, struct tp_str labels,
                          int64_t sort_index)
{
    put_row_text(out, "process_name", pid, 0, name);
    if (labels.ptr)
        put_row_text(out, "process_labels", pid, 0, labels);
    put_row_sort_index(out, "process_sort_index", pid, 0, sort_index);
}

void tp_trace_out_row(struct tp_trace_out *out, int64_t pid, int64_t tid, struct tp_str name, int64_t sort_index)
{
    put_row_text(out, "thread_name", pid, tid, name);
    put_row_sort_index(out, "thread_sort_index", pid, tid, sort_index);
}

/* Writes the name of a row: BEFORE NUMBER (TEXT). */
static void put_numbered_row(struct tp_trace_out *out, const int64_t row[2], const char *before,
                             const struct tp_str *in_brackets)
{
    struct tp_buf name;
    tp_buf_init(&name, TP_MAX_NAME_BYTES);
    tp_buf_puts(&name, before);
    tp_buf_int(&name, row[1]);
    tp_buf_putc(&name, ' ');
    if (in_brackets) {
        tp_buf_putc(&name, '(');
        tp_buf_add(&name, in_brackets->ptr, in_brackets->len < 4096 ? in_brackets->len : 4096);
        tp_buf_putc(&name, ')');
    }
    if (name.failed)
        out->failed = name.failed;
    else
        tp_trace_out_row(out, row[0], row[1], (struct tp_str){name.data, name.size}, row[1]);
    tp_buf_release(&name);
}

void tp_trace_out_thread(struct tp_trace_out *out, int64_t pid, int64_t tid, struct tp_str name)
{
    put_numbered_row(out, (int64_t[]){pid, tid}, "thread ", &name);
}

void tp_trace_out_stream(struct tp_trace_out *out, int64_t device, int64_t stream)
{
    put_numbered_row(out, (int64_t[]){device, stream}, "stream ", NULL);
}

static void put_processes(struct tp_trace_out *out, const struct tp_trace_out_options *options)
{
    struct tp_str labels = options->process_labels.ptr ? options->process_labels : TP_STR("CPU");
    tp_trace_out_process(out, options->process_id, options->process_name, labels, options->process_id);
    for (size_t i = 0; i < options->device_count; i++) {
        const struct tp_trace_out_device *device = &options->devices[i];
        char text[8 + TP_PUT_INT], *at = tp_put_int(TP_PUT_TEXT(text, "GPU "), device->id);
        struct tp_str label = device->label.ptr ? device->label : (struct tp_str){text, (size_t)(at - text)};
        tp_trace_out_process(out, device->id, options->process_name, label, GPU_SORT_INDEX + device->id);
    }
}

/* ---- open and close ------------------------------------------------------------------------------------------- */

int64_t tp_trace_out_base_time_ns(int64_t wall_ns)
{
    const int64_t step_ns = BASE_STEP_S * 1000000000ll;
    return wall_ns / step_ns * step_ns;
}

/* Creates a writer, but not its file. Returns NULL when memory is short. */
static struct tp_trace_out *new_writer(const char *path, int64_t begin_ns)
{
    struct tp_trace_out *out = calloc(1, sizeof *out);
    if (!out)
        return NULL;
    tp_buf_init(&out->text, 2ull * TP_PACK_BLOCK + TP_MAX_EVENT_BYTES);
    out->begin_ns = out->last_end_ns = tp_trace_out_time(begin_ns);
    out->path = strdup(path);
    if (!out->path || tp_buf_reserve(&out->text, TP_PACK_BLOCK + TP_PACK_BLOCK / 4))
        tp_trace_out_discard(&out);
    return out;
}

/* Passes the members before traceEvents to the receiver, as text, because readers parse them as JSON. */
static void pass_head_to_receiver(struct tp_trace_out *out)
{
    size_t size = out->text.size;
    char *pad = tp_put_at(&out->text, TP_OUT_PAD);
    if (!pad)
        return;
    memset(pad, 0, TP_OUT_PAD);
    out->receiver->head(out->receiver->context, (struct tp_str){out->text.data, size});
    tp_buf_clear(&out->text);
}

int tp_trace_out_open(struct tp_trace_out **out, const char *path, const struct tp_trace_out_options *options,
                      struct tp_error *err)
{
    struct tp_trace_out_options none = TP_TRACE_OUT_OPTIONS;
    if (!options)
        options = &none;
    struct tp_pack_options pack = {options->is_gzip, options->level, options->single_thread, options->comment};
    *out = new_writer(path, options->begin_ns);
    if (!*out)
        return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    (*out)->receiver = options->receiver;
    int code = options->receiver ? TP_OK : tp_pack_open(&(*out)->pack, path, &pack, err);
    if (code < 0) {
        tp_trace_out_discard(out);
        return code;
    }
    write_begin_of_file(*out, options);
    if (options->receiver)
        pass_head_to_receiver(*out);
    put_processes(*out, options);
    return TP_OK;
}

/* Writes the profiler's own span and the two global marks. In torch's traces, pid and tid of these are texts, which
 * speedscope rejects. Therefore their row gets a number that no process has, and torch's texts become the names of the
 * row. */
static void put_closing_records(struct tp_trace_out *out, int64_t end_ns)
{
    static const struct {
        const char *begin;
        bool is_span, is_at_end;
        struct tp_str name;
    } marks[] = {
        {"{\"ph\":\"X\",\"cat\":\"Trace\",\"name\":\"PyTorch Profiler (0)\"", true, false,
         TP_STR("PyTorch Profiler (0)")},
        {"{\"ph\":\"i\",\"s\":\"g\",\"name\":\"Iteration Start: PyTorch Profiler\"", false, false,
         TP_STR("Iteration Start: PyTorch Profiler")},
        {"{\"ph\":\"i\",\"s\":\"g\",\"name\":\"Record Window End\"", false, true, TP_STR("Record Window End")},
    };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        struct tp_trace_record record = {.phase = marks[i].is_span ? 'X' : 'i',
                                         .cat = marks[i].is_span ? TP_STR("Trace") : (struct tp_str){NULL, 0},
                                         .name = marks[i].name,
                                         .pid = TP_TRACE_OUT_SPANS_PID,
                                         .ts_ns = marks[i].is_at_end ? end_ns : out->begin_ns,
                                         .dur_ns = marks[i].is_span ? end_ns - out->begin_ns : 0};
        if (tp_trace_out_receive(out, record, false))
            continue;
        if (!tp_trace_out_begin(out))
            return;
        tp_buf_puts(&out->text, marks[i].begin);
        TP_OUT_PUTS(out, ",\"pid\":");
        write_number(out, TP_TRACE_OUT_SPANS_PID);
        TP_OUT_PUTS(out, ",\"tid\":0,\"ts\":");
        write_time(out, marks[i].is_at_end ? end_ns : out->begin_ns);
        if (marks[i].is_span) {
            TP_OUT_PUTS(out, ",\"dur\":");
            write_time(out, end_ns - out->begin_ns);
            TP_OUT_PUTS(out, ",\"args\":{\"Op count\":0}");
        }
        tp_buf_putc(&out->text, '}');
        tp_trace_out_end(out);
    }
    tp_trace_out_process(out, TP_TRACE_OUT_SPANS_PID, TP_STR("Spans"), (struct tp_str){NULL, 0},
                         TP_TRACE_OUT_SPANS_PID);
    tp_trace_out_row(out, TP_TRACE_OUT_SPANS_PID, 0, TP_STR("PyTorch Profiler"), TP_NULL_INT);
}

int tp_trace_out_close(struct tp_trace_out **slot, int64_t end_ns, struct tp_error *err)
{
    struct tp_trace_out *out = *slot;
    int64_t end = end_ns == TP_NULL_INT ? out->last_end_ns : tp_trace_out_time(end_ns);
    put_closing_records(out, end < out->begin_ns ? out->begin_ns : end);
    TP_OUT_PUTS(out, "\n],\"traceName\":");
    tp_trace_out_string(out, tp_str_of(out->path), TP_MAX_NAME_BYTES);
    TP_OUT_PUTS(out, "}\n");
    int code = out->failed ? out->failed : out->text.failed;
    if (code < 0 && out->receiver) {
        tp_error_set(err, code, 0, "out of memory");
    } else if (out->receiver) {
        code = TP_OK;
    } else if (code < 0) {
        tp_error_set(err, code, 0, code == TP_ENOMEM ? "%s: out of memory" : "%s: a header is too long", out->path);
    } else {
        tp_pack_write(out->pack, &out->text);
        code = tp_pack_close(&out->pack, err);
    }
    tp_trace_out_discard(slot);
    return code;
}

void tp_trace_out_discard(struct tp_trace_out **slot)
{
    struct tp_trace_out *out = *slot;
    if (!out)
        return;
    if (out->pack)
        tp_pack_discard(&out->pack);
    tp_buf_release(&out->text);
    free(out->path);
    free(out);
    *slot = NULL;
}

int tp_trace_out_error_code(const struct tp_trace_out *out)
{
    return out->failed || out->receiver ? out->failed : tp_pack_error_code(out->pack);
}

struct tp_trace_out_stats tp_trace_out_stats(const struct tp_trace_out *out)
{
    return out->stats;
}
