/* Implements views.h: builds all views of one profile. */
#include "webreport/measure/result/views.h"

void tp_views_build_for_summary(struct tp_views *views, const struct tp_model *model, struct tp_arena *arena)
{
    tp_trace_facts_build(&views->facts, model, arena);
    tp_overview_build(&views->overview, model, arena);
    tp_operator_view_build_by_name(&views->operators, model, arena);
    tp_kernel_view_build_by_name(&views->kernels, model, arena);
    tp_range_times_build(&views->range_times, model, arena);
    tp_counter_view_build(&views->counters, model, arena);
}

void tp_views_build(struct tp_views *views, const struct tp_model *model, struct tp_arena *arena)
{
    /* Working memory is returned after the views that need most of it, because the second thread needs much memory at
     * the same time. */
    tp_range_times_build(&views->range_times, model, arena);
    tp_arena_return_free_pages(arena);
    tp_trace_facts_build(&views->facts, model, arena);
    tp_overview_build(&views->overview, model, arena);
    tp_operator_view_build(&views->operators, model, arena);
    tp_kernel_view_build(&views->kernels, model, arena);
    tp_kernel_durations_build(&views->kernels.durations, model, arena);
    tp_arena_return_free_pages(arena);
    tp_module_view_build(&views->modules, model, arena);
    tp_arena_return_free_pages(arena);
    tp_sample_view_build(&views->samples, model, arena);
    tp_task_view_build(&views->tasks, model, arena);
    tp_range_view_build(&views->ranges, model, arena);
    tp_counter_view_build(&views->counters, model, arena);
    tp_stream_view_build(&views->streams, model, arena);
    tp_arena_return_free_pages(arena);
    tp_os_call_view_build(&views->os_calls, model, arena);
    tp_capture_view_build(&views->captures, model, arena);
    tp_compiled_view_build(&views->compiled, model, arena);
}

static struct tp_json_value modules_value(const struct tp_record *record)
{
    const struct tp_views *views = record->at;
    if (!views->modules.is_present)
        return tp_json_value_null();
    return tp_json_value_list(tp_module_view_next, (struct tp_record){.at = &views->modules});
}

#define F struct tp_views
static const struct tp_json_field fields[] = {
    {"trace_facts", TP_RECORD(F, facts, &tp_trace_facts_fields), TP_DEFINITION("counts and kinds of events")},
    {"overview", TP_RECORD(F, overview, &tp_overview_fields),
     TP_DEFINITION("times and event counts of the analysed steps, and use of the devices")},
    {"operator_view", TP_RECORD(F, operators, &tp_operator_view_fields), TP_DEFINITION("operators")},
    {"kernel_view", TP_RECORD(F, kernels, &tp_kernel_view_fields), TP_NULL_UNLESS(F, kernels.is_present),
     TP_DEFINITION("times of kernels and copies, if the trace has device operations")},
    {"memory_view", TP_RECORD(F, memory, &tp_memory_view_fields), TP_NULL_UNLESS(F, memory.is_present),
     TP_DEFINITION("allocated and reserved memory over time, if the trace has memory records")},
    {"module_view", TP_COMPUTED(TP_AS_LIST, modules_value), .fields = &tp_module_fields,
     TP_DEFINITION("modules of the model; null if the trace has no calls of modules")},
    {"sample_view", TP_RECORD(F, samples, &tp_sample_view_fields), TP_ONLY_IF(F, samples.is_present),
     TP_DEFINITION("CPU time of the threads by function and source line, from samples of their stacks")},
    {"task_view", TP_RECORD(F, tasks, &tp_task_view_fields), TP_ONLY_IF(F, tasks.is_present),
     TP_DEFINITION("durations of asynchronous tasks, which have a begin and an end event")},
    {"range_view", TP_RECORD(F, ranges, &tp_range_view_fields), TP_ONLY_IF(F, ranges.is_present),
     TP_DEFINITION("times of the ranges, and values of the counters, that the program records with tracepress")},
    {"ranges", TP_PLAIN(F, range_times.table), TP_ONLY_IF(F, range_times.table.row_count),
     TP_DEFINITION("host time and device time of the ranges and modules by name, forward and backward")},
    {"counter_view", TP_RECORD(F, counters, &tp_counter_view_fields), TP_ONLY_IF(F, counters.is_present),
     TP_DEFINITION("counters of the devices, such as power and clocks")},
    {"stream_view", TP_RECORD(F, streams, &tp_stream_view_fields), TP_ONLY_IF(F, streams.is_present),
     TP_DEFINITION("queues and idle time of the streams, and delays of launches, if the trace has device operations")},
    {"os_call_view", TP_RECORD(F, os_calls, &tp_os_call_view_fields), TP_ONLY_IF(F, os_calls.is_present),
     TP_DEFINITION("calls of the operating system by thread, if another profiler recorded them")},
    {"capture_view", TP_RECORD(F, captures, &tp_capture_view_fields), TP_ONLY_IF(F, captures.is_present),
     TP_DEFINITION("captured graphs, and the operators to which the kernels of replayed graphs belong")},
    {"compiled", TP_PLAIN(F, compiled.calls), TP_ONLY_IF(F, compiled.is_present),
     TP_DEFINITION("calls of code that torch.compile generated, with the source lines of the code")},
};
#undef F

const struct tp_fields tp_views_fields = TP_FIELDS("Views of a profile", fields);
