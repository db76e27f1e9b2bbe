/* The view of a program as JSON: see program_json.h. */
#include "webreport/measure/program/program_json.h"

#include "webreport/measure/program/program_verdict.h"

static void parts_json(const struct tp_program_view *view, struct tp_json *json)
{
    unsigned order[TP_WALL_COUNT], count = tp_wall_parts_order(&view->parts, order);
    tp_json_key(json, "wall_parts");
    tp_json_array(json);
    for (unsigned i = 0; i < count; i++) {
        tp_json_object(json);
        tp_json_member_text(json, "part", tp_wall_part_text(order[i]));
        tp_json_member_us(json, "time_us", view->parts.part_ns[order[i]]);
        tp_json_member_real(json, "percent", tp_wall_share(&view->parts, order[i]));
        tp_json_object_end(json);
    }
    tp_json_array_end(json);
}

static void python_json(const struct tp_program_view *view, struct tp_json *json)
{
    const struct tp_program_python *python = &view->python;
    tp_json_key(json, "python");
    if (python->function == TP_NO_ID) {
        tp_json_null(json);
        return;
    }
    const struct tp_program_function *f = tp_program_function_at(&view->functions, python->function);
    tp_json_object(json);
    tp_json_member_str(json, "function", f->name);
    tp_json_member_str(json, "file", f->file);
    tp_json_member_int(json, "line", python->line);
    tp_json_member_us(json, "time_us", python->time_ns);
    tp_json_member_int(json, "samples", (int64_t)python->sample_count);
    if (python->inner == TP_NO_ID)
        tp_json_member_null(json, "inside");
    else
        tp_json_member_str(json, "inside", tp_program_function_at(&view->functions, python->inner)->name);
    tp_json_member_us(json, "inside_us", python->inner_ns);
    tp_json_object_end(json);
}

static void findings_json(const struct tp_program_view *view, struct tp_json *json)
{
    tp_json_key(json, "findings");
    tp_json_array(json);
    for (unsigned i = 0; i < view->finding_count; i++) {
        const struct tp_program_finding *finding = &view->findings[i];
        tp_json_object(json);
        tp_json_member_text(json, "id", tp_program_finding_id(finding->kind));
        tp_json_member_text(json, "severity", tp_program_weight_text(finding->weight));
        tp_json_member_text(json, "title", finding->title);
        tp_json_member_text(json, "detail", finding->detail);
        tp_json_member_text(json, "advice", finding->advice);
        tp_json_member_us(json, "time_us", finding->time_ns);
        tp_json_member_real(json, "percent", finding->percent);
        tp_json_member_text(json, "percent_of", finding->whole);
        tp_json_object_end(json);
    }
    tp_json_array_end(json);
}

/* What the recorder says of itself as it stands in the file, and what the reader found. */
static void seen_json(const struct tp_program_view *view, struct tp_json *json)
{
    struct tp_str recorder = tp_trace_header(view->tree.trace, "tracepress_seen");
    tp_json_key(json, "seen");
    tp_json_object(json);
    tp_json_member_int(json, "samples", view->tree.trace->sample_count);
    tp_json_member_us(json, "unsampled_us", view->unsampled_ns);
    tp_json_member_int(json, "overlapping_states", (int64_t)view->tree.overlap_count);
    tp_json_key(json, "recorder");
    if (recorder.ptr)
        tp_json_raw(json, recorder);
    else
        tp_json_null(json);
    tp_json_object_end(json);
}

/* What the recording itself took. */
static void recording_json(const struct tp_program_view *view, struct tp_json *json)
{
    const struct tp_program_recording *recording = &view->recording;
    tp_json_key(json, "recording");
    tp_json_object(json);
    tp_json_member_us(json, "cpu_us", recording->sample_ns);
    tp_json_member_int(json, "samples", (int64_t)recording->sample_count);
    tp_json_member_us(json, "wait_us", recording->wait_ns);
    tp_json_member_int(json, "waits", (int64_t)recording->wait_count);
    tp_json_member_int(json, "threads", view->tree.trace->recorder.thread_count);
    tp_json_member_us(json, "threads_cpu_us", view->tree.trace->recorder.running_ns);
    tp_json_object_end(json);
}

static void table_json(const char *key, const struct tp_table *table, struct tp_json *json)
{
    tp_json_key(json, key);
    tp_table_json(table, json);
}

static void put_bytes(struct tp_json *json, const char *key, int64_t bytes)
{
    if (bytes == TP_NULL_INT)
        tp_json_member_null(json, key);
    else
        tp_json_member_int(json, key, bytes);
}

void tp_program_view_json(const struct tp_program_view *view, struct tp_json *json)
{
    tp_json_object(json);
    tp_json_member_str(json, "command", view->command);
    tp_json_member_text(json, "rule", tp_program_rule_id(view->rule));
    tp_json_member_us(json, "wall_us", view->parts.wall_ns);
    tp_json_member_us(json, "cpu_us", view->state_ns[TP_STATE_RUNNING]);
    tp_json_member_us(json, "ready_us", view->state_ns[TP_STATE_READY]);
    tp_json_member_us(json, "blocked_us", view->state_ns[TP_STATE_BLOCKED]);
    tp_json_member_us(json, "busy_us", view->parts.busy_ns);
    tp_json_member_us(json, "idle_us", view->parts.idle_ns);
    tp_json_member_int(json, "wake_ups", (int64_t)view->wake_up_count);
    put_bytes(json, "disk_read_bytes", view->disk_read_bytes);
    put_bytes(json, "disk_written_bytes", view->disk_written_bytes);
    parts_json(view, json);
    table_json("processes", &view->processes, json);
    table_json("threads", &view->threads, json);
    table_json("functions", &view->function_rows, json);
    python_json(view, json);
    table_json("waits", &view->wait_rows, json);
    findings_json(view, json);
    recording_json(view, json);
    seen_json(view, json);
    tp_json_object_end(json);
}
