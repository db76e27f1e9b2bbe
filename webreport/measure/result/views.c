/* All views of one profile: see views.h. */
#include "webreport/measure/result/views.h"

void tp_views_build_brief(struct tp_views *views, const struct tp_model *model, struct tp_arena *arena)
{
    tp_trace_facts_build(&views->facts, model, arena);
    tp_overview_build(&views->overview, model, arena);
    tp_operator_view_build_brief(&views->operators, model, arena);
    tp_kernel_view_build_brief(&views->kernels, model, arena);
}

void tp_views_build(struct tp_views *views, const struct tp_model *model, struct tp_arena *arena)
{
    tp_trace_facts_build(&views->facts, model, arena);
    tp_overview_build(&views->overview, model, arena);
    tp_operator_view_build(&views->operators, model, arena);
    tp_kernel_view_build(&views->kernels, model, arena);
    tp_module_view_build(&views->modules, model, arena);
    tp_sample_view_build(&views->samples, model, arena);
    tp_task_view_build(&views->tasks, model, arena);
    tp_range_view_build(&views->ranges, model, arena);
}

void tp_views_json(const struct tp_views *views, struct tp_json *json)
{
    tp_json_key(json, "trace_facts");
    tp_trace_facts_json(&views->facts, json);
    tp_json_key(json, "overview");
    tp_overview_json(&views->overview, json);
    tp_json_key(json, "operator_view");
    tp_operator_view_json(&views->operators, json);
    tp_json_key(json, "kernel_view");
    tp_kernel_view_json(&views->kernels, json);
    tp_json_key(json, "memory_view");
    tp_memory_view_json(&views->memory, json);
    tp_json_key(json, "module_view");
    tp_module_view_json(&views->modules, json);
    if (views->samples.is_present) {
        tp_json_key(json, "sample_view");
        tp_sample_view_json(&views->samples, json);
    }
    if (views->tasks.is_present) {
        tp_json_key(json, "task_view");
        tp_task_view_json(&views->tasks, json);
    }
    if (views->ranges.is_present) {
        tp_json_key(json, "range_view");
        tp_range_view_json(&views->ranges, json);
    }
}
