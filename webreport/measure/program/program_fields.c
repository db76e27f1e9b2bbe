/* Writes the members of program_view in the report's JSON. See program_view.h. */
#include "webreport/measure/program/program_verdict.h"
#include "webreport/measure/program/program_view.h"

static struct tp_json_value part_name_value(const struct tp_record *record)
{
    return tp_json_value_text(tp_wall_part_text((unsigned)record->index));
}

static struct tp_json_value part_time(const struct tp_record *record)
{
    const struct tp_program_view *view = record->at;
    return tp_json_value_us(view->parts.part_ns[record->index]);
}

static struct tp_json_value part_percent(const struct tp_record *record)
{
    const struct tp_program_view *view = record->at;
    return tp_json_value_real(tp_wall_part_percent(&view->parts, (unsigned)record->index));
}

static const struct tp_json_field part_fields[] = {
    {"part", TP_COMPUTED(TP_AS_WORD, part_name_value), TP_DEFINITION("state of the program")},
    {"time_us", TP_COMPUTED(TP_AS_US, part_time), TP_DEFINITION("wall time in this state")},
    {"percent", TP_COMPUTED(TP_AS_REAL, part_percent), TP_DEFINITION("time in this state as a share of the wall time")},
};
static const struct tp_fields part = TP_FIELDS("A part of the wall time", part_fields);

static bool next_part(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_program_view *view = record->at;
    unsigned order[TP_WALL_COUNT], count = tp_wall_parts_sort(&view->parts, order);
    if (*cursor >= count)
        return false;
    item->value = tp_json_value_record(&part, (struct tp_record){.at = view, .index = order[(*cursor)++]});
    return true;
}

static const struct tp_program_function *python_function(const struct tp_record *record)
{
    const struct tp_program_view *view = record->at;
    return tp_program_function_at(&view->functions, view->python.function);
}

static struct tp_json_value python_name(const struct tp_record *record)
{
    return tp_json_value_str(python_function(record)->name);
}

static struct tp_json_value python_file_value(const struct tp_record *record)
{
    return tp_json_value_str(python_function(record)->file);
}

static struct tp_json_value python_inside(const struct tp_record *record)
{
    const struct tp_program_view *view = record->at;
    uint32_t inner = view->python.inner;
    return inner == TP_NO_ID ? tp_json_value_null()
                             : tp_json_value_str(tp_program_function_at(&view->functions, inner)->name);
}

#define F struct tp_program_view
static const struct tp_json_field python_fields[] = {
    {"function", TP_COMPUTED(TP_AS_TEXT, python_name), TP_DEFINITION("name of the function")},
    {"file", TP_COMPUTED(TP_AS_TEXT, python_file_value), TP_DEFINITION("file of the function")},
    {"line", TP_PLAIN(F, python.line), TP_DEFINITION("source line with most of the function's time")},
    {"time_us", TP_US(F, python.time_ns),
     TP_DEFINITION("CPU time of the function, including native code that it calls")},
    {"samples", TP_PLAIN(F, python.sample_count),
     TP_DEFINITION("number of samples from which the CPU time of the function is computed")},
    {"inside", TP_COMPUTED(TP_AS_TEXT, python_inside),
     TP_DEFINITION("other function that is innermost for the most time while the Python function runs; null if no "
                   "other function is innermost")},
    {"inside_us", TP_US(F, python.inner_ns), TP_DEFINITION("CPU time of the function in `inside`")},
};
static const struct tp_fields python = TP_FIELDS("The Python function with most CPU time", python_fields);

static struct tp_json_value python_record(const struct tp_record *record)
{
    const struct tp_program_view *view = record->at;
    return view->python.function == TP_NO_ID ? tp_json_value_null() : tp_json_value_record(&python, *record);
}

static struct tp_json_value sample_count_value(const struct tp_record *record)
{
    const struct tp_program_view *view = record->at;
    return tp_json_value_int(view->tree.trace->sample_count);
}

static struct tp_json_value recorder_value(const struct tp_record *record)
{
    const struct tp_program_view *view = record->at;
    struct tp_str seen = tp_trace_header(view->tree.trace, "tracepress_seen");
    return seen.ptr ? tp_json_value_raw(seen) : tp_json_value_null();
}

static const struct tp_json_field seen_fields[] = {
    {"samples", TP_COMPUTED(TP_AS_INT, sample_count_value), TP_DEFINITION("number of samples in the trace")},
    {"unsampled_us", TP_US(F, unsampled_ns), TP_DEFINITION("CPU time of processes without a sample")},
    {"overlapping_states", TP_PLAIN(F, tree.overlapping_state_count),
     TP_DEFINITION("number of thread states that overlap another state of the same thread")},
    {"recorder", TP_COMPUTED(TP_AS_JSON, recorder_value),
     TP_DEFINITION("facts that the recorder wrote about the recording, such as its mode and lost data")},
};
static const struct tp_fields seen = TP_FIELDS("What the recorder saw", seen_fields);

static struct tp_json_value recorder_threads(const struct tp_record *record)
{
    const struct tp_program_view *view = record->at;
    return tp_json_value_int(view->tree.trace->recorder.thread_count);
}

static struct tp_json_value recorder_cpu(const struct tp_record *record)
{
    const struct tp_program_view *view = record->at;
    return tp_json_value_us(view->tree.trace->recorder.running_ns);
}

static const struct tp_json_field recording_fields[] = {
    {"cpu_us", TP_US(F, recording.sample_ns),
     TP_DEFINITION("CPU time of the program's threads that the recording itself causes")},
    {"samples", TP_PLAIN(F, recording.sample_count),
     TP_DEFINITION("number of samples from which the CPU time of the recording is computed")},
    {"wait_us", TP_US(F, recording.wait_ns),
     TP_DEFINITION("time in which threads of the program wait for locks of the recorder, summed over the threads")},
    {"waits", TP_PLAIN(F, recording.wait_count),
     TP_DEFINITION("number of waits of the program's threads for locks of the recorder")},
    {"threads", TP_COMPUTED(TP_AS_INT, recorder_threads), TP_DEFINITION("number of threads of the recorder")},
    {"threads_cpu_us", TP_COMPUTED(TP_AS_US, recorder_cpu), TP_DEFINITION("CPU time of the recorder's threads")},
};
static const struct tp_fields recording = TP_FIELDS("Costs of the recording", recording_fields);
#undef F

#define F struct tp_program_finding
static const struct tp_json_field finding_fields[] = {
    {"id", TP_WORD(F, kind, tp_program_finding_id), TP_DEFINITION("id of the finding")},
    {"severity", TP_WORD(F, weight, tp_program_weight_text),
     TP_DEFINITION("severity of the finding: high, medium, low or info")},
    {"title", TP_PLAIN(F, title), TP_DEFINITION("what to do, in at most 14 words; code is between backticks")},
    {"detail", TP_PLAIN(F, detail), TP_DEFINITION("evidence for the finding, in words")},
    {"advice", TP_PLAIN(F, advice), TP_DEFINITION("advice on what to do")},
    {"time_us", TP_US(F, time_ns), TP_DEFINITION("time that the finding affects")},
    {"percent", TP_PLAIN(F, percent),
     TP_DEFINITION(
         "time_us in percent of the wall time or of the CPU time, as percent_of states; null: no percentage")},
    {"percent_of", TP_PLAIN(F, whole),
     TP_DEFINITION("time to which `percent` refers: wall (wall time) or CPU (CPU time); null: no percentage")},
    {"saving_us", TP_US(F, saving_ns), TP_DEFINITION("largest possible reduction of the wall time; null: unknown")},
};
#undef F
static const struct tp_fields finding = TP_FIELDS("A finding about a program", finding_fields);

#define F struct tp_program_view
static const struct tp_json_field fields[] = {
    {"command", TP_PLAIN(F, command), TP_DEFINITION("command of the first process")},
    {"rule", TP_WORD(F, rule, tp_program_rule_id), TP_DEFINITION("id of the rule that gives the verdict, P0 to P9")},
    {"wall_us", TP_US(F, parts.wall_ns), TP_DEFINITION("wall time in which at least one thread of the program exists")},
    {"cpu_us", TP_US(F, state_ns[TP_STATE_RUNNING]), TP_DEFINITION("CPU time of all threads")},
    {"ready_us", TP_US(F, state_ns[TP_STATE_READY]),
     TP_DEFINITION("time in which threads were ready but did not run, summed over the threads")},
    {"blocked_us", TP_US(F, state_ns[TP_STATE_BLOCKED]),
     TP_DEFINITION("time in which threads waited, summed over the threads")},
    {"busy_us", TP_US(F, parts.busy_ns),
     TP_DEFINITION("CPU time of all threads; busy_us divided by wall_us is the mean number of running threads")},
    {"idle_us", TP_US(F, parts.idle_ns),
     TP_DEFINITION("wall time in which no thread ran or was ready, and a thread waited in poll or for a signal")},
    {"wake_ups", TP_PLAIN(F, wake_up_count), TP_DEFINITION("number of completed waits of all threads")},
    {"disk_read_bytes", TP_PLAIN(F, disk_read_bytes), TP_DEFINITION("bytes read from disks; null: unknown")},
    {"disk_written_bytes", TP_PLAIN(F, disk_written_bytes), TP_DEFINITION("bytes written to disks; null: unknown")},
    {"wall_parts", TP_LIST(next_part, &part), TP_DEFINITION("wall time by state, longest first")},
    {"processes", TP_PLAIN(F, processes), TP_DEFINITION("processes, each after its parent process")},
    {"threads", TP_PLAIN(F, threads), TP_DEFINITION("threads, in the order of the table of processes")},
    {"functions", TP_PLAIN(F, function_rows), TP_DEFINITION("functions, sorted by CPU time")},
    {"python", TP_COMPUTED(TP_AS_RECORD, python_record), .fields = &python,
     TP_DEFINITION("Python function with most CPU time; null if less than half of the CPU time is in Python")},
    {"waits", TP_PLAIN(F, wait_rows), TP_DEFINITION("waits by cause, stack and thread, longest first")},
    {"findings", TP_RECORDS(F, findings, finding_count, &finding),
     TP_DEFINITION("findings: first those about the part of the wall time that the headline names, then by saving_us")},
    {"recording", TP_PART(&recording), TP_DEFINITION("CPU time and waits that the recording causes")},
    {"seen", TP_PART(&seen), TP_DEFINITION("number of samples, and facts that the recorder wrote")},
};
#undef F

const struct tp_fields tp_program_view_fields = TP_FIELDS("A program recorded from outside", fields);
