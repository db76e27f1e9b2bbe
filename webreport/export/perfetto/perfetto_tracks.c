/* Writes the clock, the members of the trace and the descriptions of tracks. See perfetto_export.h. Fields are those of
 * Perfetto's messages ClockSnapshot, TracePacketDefaults and TrackDescriptor. */
#include <stdio.h>

#include "webreport/export/perfetto/annotation_writer.h"
#include "webreport/export/perfetto/perfetto_export.h"
#include "webreport/trace/inputs/perfetto/exported_facts.h"
#include "webreport/trace/json/value.h"
#include "writer/base/limits.h"
#include "writer/base/put.h"

enum { CLOCK_REALTIME = 1, CLOCK_BOOTTIME = 6, CLOCK_OWN = 64, TYPE_INSTANT = 3 };

/* ---- clock ---- */

static void put_clock(struct tp_buf *out, uint32_t id, uint64_t time_ns, bool is_incremental)
{
    size_t clock = tp_field_begin(out, 1);
    tp_field_number(out, 1, id);
    tp_field_number(out, 2, time_ns);
    if (is_incremental)
        tp_field_number(out, 3, 1);
    tp_field_end(out, clock);
}

/* Writes the clocks at the first time of the trace. Packets give times as differences in ns. */
static void put_clocks(struct tp_pexport *x, uint64_t start_ns)
{
    struct tp_buf *out = &x->writer->body;
    tp_packet_begin(x->writer);
    size_t snapshot = tp_field_begin(out, TP_PACKET_CLOCKS);
    put_clock(out, CLOCK_BOOTTIME, start_ns, false);
    put_clock(out, CLOCK_REALTIME, start_ns, false);
    put_clock(out, CLOCK_OWN, 0, true);
    tp_field_end(out, snapshot);
    size_t defaults = tp_field_begin(out, TP_PACKET_DEFAULTS);
    tp_field_number(out, 58, CLOCK_OWN);
    tp_field_end(out, defaults);
    tp_packet_end_timeless(x->writer, 1);
}

/* ---- members ---- */

static void put_json_member(struct tp_pexport *x, const char *key, struct tp_buf *json)
{
    if (json->failed)
        x->writer->body.failed = json->failed;
    else
        tp_annotation_long_text(x->writer, tp_str_of(key), (struct tp_str){json->data, json->size});
    tp_buf_release(json);
}

static void put_number_member(struct tp_pexport *x, const char *key, int64_t number)
{
    char digits[TP_PUT_INT];
    struct tp_str text = {digits, (size_t)(tp_put_int(digits, number) - digits)};
    tp_annotation_long_text(x->writer, tp_str_of(key), text);
}

/* Writes the facts that Perfetto does not need, but a reader of the trace does. */
static void put_facts(struct tp_pexport *x, int64_t start_ns)
{
    const struct tp_trace *trace = x->trace;
    struct tp_buf json;
    tp_buf_init(&json, 0);
    tp_exported_rows_write(&json, trace);
    put_json_member(x, TP_EXPORTED_ROWS, &json);
    tp_buf_init(&json, 0);
    tp_exported_reading_write(&json, &trace->reading, &trace->cats);
    put_json_member(x, TP_EXPORTED_READING, &json);
    if (trace->input.note_count + trace->input.dropped_count) {
        tp_buf_init(&json, 0);
        tp_exported_input_write(&json, &trace->input);
        put_json_member(x, TP_EXPORTED_INPUT, &json);
    }
    if (start_ns)
        put_number_member(x, TP_EXPORTED_START, start_ns);
    if (trace->input.unknown)
        put_number_member(x, TP_EXPORTED_UNKNOWN, trace->input.unknown);
    if (trace->input.producer.ptr) {
        tp_buf_init(&json, 0);
        tp_put_string(&json, trace->input.producer, TP_MAX_NAME_BYTES);
        put_json_member(x, TP_EXPORTED_PRODUCER, &json);
    }
}

/* Writes the top-level members of the trace as annotations of an instant at its start. */
static void put_members(struct tp_pexport *x, int64_t start_ns)
{
    const struct tp_trace *trace = x->trace;
    struct tp_packet_writer *writer = x->writer;
    tp_packet_begin(writer);
    size_t event = tp_field_begin(&writer->body, TP_PACKET_EVENT);
    tp_field_number(&writer->body, 9, TYPE_INSTANT);
    tp_field_number(&writer->body, 3, tp_packet_text(writer, TP_PACKET_CATEGORIES, TP_STR(TP_EXPORTED_CATEGORY)));
    tp_field_number(&writer->body, 10, tp_packet_text(writer, TP_PACKET_NAMES, TP_STR("trace")));
    put_facts(x, start_ns);
    for (uint32_t i = 0; i < trace->header_count; i++)
        tp_annotation_long_text(writer, trace->header[i].key, trace->header[i].value);
    tp_field_end(&writer->body, event);
    tp_packet_end(writer, writer->last_ns);
}

void tp_pexport_header(struct tp_pexport *x)
{
    const struct tp_trace *trace = x->trace;
    int64_t first_ns = x->edges.count ? TP_AT(&x->edges, struct tp_edge, 0)->ts_ns : 0;
    int64_t start_ns = first_ns < 0 ? first_ns : 0;
    int64_t base_ns = tp_trace_base_ns(trace, first_ns);
    int64_t clock_ns = base_ns + start_ns;
    put_clocks(x, clock_ns > 0 ? (uint64_t)clock_ns : 0);
    x->writer->last_ns = start_ns;
    if (x->is_alone)
        put_members(x, start_ns);
}

/* ---- tracks ---- */

/* Returns a pid or tid as a number. Texts have no number, so they get one from their row. In a file with several
 * traces, processes of different traces may have equal numbers, so all rows get new numbers. */
static int64_t number_of_row_id(const struct tp_pexport *x, const struct tp_row_id *id, uint32_t thread)
{
    enum { FIRST_TEXT = 1 << 30, RANK_STEP = 1 << 12 };
    if (!x->is_alone)
        return (int64_t)(x->rank_index + 1) * RANK_STEP + thread % RANK_STEP;
    return id->is_text || id->number < 0 ? FIRST_TEXT + (int64_t)thread : id->number;
}

/* Begins the description of a track. The caller writes its fields and calls end_track. */
static size_t begin_track(struct tp_pexport *x, uint64_t uuid, uint64_t parent)
{
    struct tp_buf *out = &x->writer->body;
    tp_packet_begin(x->writer);
    size_t track = tp_field_begin(out, TP_PACKET_TRACK);
    tp_field_number(out, 1, uuid);
    if (parent)
        tp_field_number(out, 5, parent);
    return track;
}

static void end_track(struct tp_pexport *x, size_t track)
{
    tp_field_end(&x->writer->body, track);
    tp_packet_end_timeless(x->writer, 0);
}

/* Returns the name of a process for people. In a file with several traces it begins with the worker and the rank.
 * first: first thread of the process. */
static struct tp_str process_name(const struct tp_pexport *x, uint32_t first, char *text, size_t size)
{
    const struct tp_row_id *pid = &x->trace->threads[first].pid;
    struct tp_str name = x->process_names[first].len ? x->process_names[first] : TP_STR("process");
    if (x->is_alone)
        return name;
    int64_t rank = tp_value_rank(tp_trace_header(x->trace, "distributedInfo"));
    int64_t number = pid->is_text ? 0 : pid->number;
    int shown = (int)(name.len < TP_MAX_SHOWN_NAME_BYTES ? name.len : TP_MAX_SHOWN_NAME_BYTES);
    int n = rank == TP_NULL_INT
                ? snprintf(text, size, "%.200s: %.*s (pid %lld)", x->export->worker, shown, name.ptr, (long long)number)
                : snprintf(text, size, "%.200s rank %lld: %.*s (pid %lld)", x->export->worker, (long long)rank, shown,
                           name.ptr, (long long)number);
    return (struct tp_str){text, n > 0 && (size_t)n < size ? (size_t)n : 0};
}

static uint64_t write_process(struct tp_pexport *x, uint32_t thread)
{
    uint32_t first = x->process_of_thread[thread];
    const struct tp_row_id *pid = &x->trace->threads[first].pid;
    uint64_t uuid = x->uuid_base + x->trace->thread_count + first + 1;
    struct tp_buf *out = &x->writer->body;
    char text[1024];
    if (x->written_processes[first])
        return uuid;
    x->written_processes[first] = true;
    size_t track = begin_track(x, uuid, 0);
    size_t process = tp_field_begin(out, 3);
    tp_field_number(out, 1, (uint64_t)number_of_row_id(x, pid, first));
    tp_field_text(out, 6, process_name(x, first, text, sizeof text));
    tp_field_end(out, process);
    end_track(x, track);
    return uuid;
}

uint64_t tp_pexport_thread_track(struct tp_pexport *x, uint32_t thread)
{
    const struct tp_thread *row = &x->trace->threads[thread];
    uint64_t uuid = x->uuid_base + thread + 1;
    struct tp_buf *out = &x->writer->body;
    if (x->written_threads[thread])
        return uuid;
    x->written_threads[thread] = true;
    uint64_t parent = write_process(x, thread);
    size_t track = begin_track(x, uuid, parent);
    size_t description = tp_field_begin(out, 4);
    tp_field_number(out, 1, (uint64_t)number_of_row_id(x, &row->pid, x->process_of_thread[thread]));
    tp_field_number(out, 2, (uint64_t)number_of_row_id(x, &row->tid, thread));
    if (row->name.len)
        tp_field_text(out, 5, row->name);
    tp_field_end(out, description);
    end_track(x, track);
    return uuid;
}

uint64_t tp_pexport_lane_track(struct tp_pexport *x, uint32_t lane)
{
    struct tp_lane *at = TP_AT(&x->lanes, struct tp_lane, lane);
    uint64_t thread = tp_pexport_thread_track(x, at->thread),
             uuid = x->uuid_base + 2ull * x->trace->thread_count + 1 + lane;
    char name[32];
    if (at->level == 0)
        return thread;
    if (at->is_written)
        return uuid;
    at->is_written = true;
    int n = snprintf(name, sizeof name, "overlap %u", at->level);
    size_t track = begin_track(x, uuid, thread);
    tp_field_text(&x->writer->body, 2, (struct tp_str){name, (size_t)n});
    end_track(x, track);
    return uuid;
}

uint64_t tp_pexport_counter_track(struct tp_pexport *x, uint32_t counter, struct tp_str name, bool is_bytes)
{
    enum { COUNTER = 8, UNIT = 3, UNIT_BYTES = 3 };
    uint64_t uuid = x->uuid_base + 2ull * x->trace->thread_count + 1 + x->lanes.count + counter;
    struct tp_buf *out = &x->writer->body;
    if (x->written_counters[counter])
        return uuid;
    x->written_counters[counter] = true;
    size_t track = begin_track(x, uuid, 0);
    tp_field_text(out, 2, name);
    size_t description = tp_field_begin(out, COUNTER);
    if (is_bytes)
        tp_field_number(out, UNIT, UNIT_BYTES);
    tp_field_end(out, description);
    end_track(x, track);
    return uuid;
}
