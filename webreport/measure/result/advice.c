/* All of the advice on one trace: see advice.h. */
#include "webreport/measure/result/advice.h"

#include "webreport/measure/program/program_json.h"
#include "webreport/measure/rules/recommendations.h"

static void build(struct tp_advice *advice, const struct tp_model *model, const struct tp_rule_overrides *overrides,
                  bool is_whole, struct tp_arena *arena)
{
    struct tp_work_kinds kinds;
    struct tp_work_units units;
    bool has_works = is_whole || model->program == TP_RECORDED_GPU;
    struct tp_rule_basis basis = {.model = model,
                                  .quality = &advice->quality,
                                  .memory = &advice->memory,
                                  .kinds = &kinds,
                                  .units = &units,
                                  .overrides = overrides,
                                  .verdict = &advice->verdict};
    memset(advice, 0, sizeof *advice);
    tp_program_view_build(&advice->program, model->trace, arena);
    tp_quality_build(&advice->quality, model, arena);
    tp_sync_build(&advice->syncs, model, arena);
    tp_memory_peak_build(&advice->memory, model, arena);
    tp_idle_build(&advice->idle, model, is_whole, arena);
    tp_verdict_build(&advice->verdict, model, advice->quality.is_fragment, arena);
    if (tp_is_of_program(advice, model))
        tp_verdict_of_program(&advice->verdict, &advice->program);
    if (has_works) {
        tp_work_kinds_build(&kinds, model, arena);
        tp_work_units_build(&units, &kinds, overrides ? overrides->peaks : NULL, arena);
        tp_work_rates_build(&advice->rates, &kinds, &units);
        tp_serving_build(&advice->serving, &kinds, &units, arena);
    } else {
        tp_work_rates_none(&advice->rates);
        tp_serving_none(&advice->serving);
    }
    advice->use = tp_program_use_find(model, &advice->serving);
    if (is_whole) {
        tp_work_view_build(&advice->works, &kinds, &units, arena);
        tp_time_trees_build(&advice->times, &kinds, &units, &advice->idle, arena);
    }
    basis.is_serving = advice->serving.is_present;
    basis.use = advice->use.of;
    tp_recommendations_build(&advice->recommendations, &basis, arena);
    tp_verdict_leave_out(&advice->verdict, &advice->recommendations.unjudged, model, arena);
    tp_verdict_add_recording(&advice->verdict, &advice->recommendations, model, arena);
    if (has_works) {
        tp_work_units_drop(&units, arena);
        tp_work_kinds_drop(&kinds, arena);
    }
}

void tp_advice_build(struct tp_advice *advice, const struct tp_model *model, const struct tp_rule_overrides *overrides,
                     struct tp_arena *arena)
{
    build(advice, model, overrides, true, arena);
}

void tp_advice_build_brief(struct tp_advice *advice, const struct tp_model *model,
                           const struct tp_rule_overrides *overrides, struct tp_arena *arena)
{
    build(advice, model, overrides, false, arena);
}

void tp_advice_json(const struct tp_advice *advice, struct tp_json *json)
{
    tp_json_key(json, "trace_quality");
    tp_quality_json(&advice->quality, json);
    tp_json_key(json, "idle_view");
    tp_idle_json(&advice->idle, json);
    tp_json_key(json, "work_view");
    tp_work_view_json(&advice->works, json);
    tp_json_key(json, "work_rates");
    tp_work_rates_json(&advice->rates, json);
    if (advice->serving.is_present) {
        tp_json_key(json, "serving");
        tp_serving_json(&advice->serving, json);
    }
    tp_json_key(json, "time_trees");
    tp_time_trees_json(&advice->times, json);
    tp_json_key(json, "sync_table");
    tp_sync_json(&advice->syncs, json);
    tp_json_key(json, "memory_peak");
    tp_memory_peak_json(&advice->memory, json);
    tp_json_key(json, "recommendations");
    tp_recommendations_json(&advice->recommendations, json);
    tp_json_key(json, "verdict");
    tp_verdict_json(&advice->verdict, json);
    tp_json_key(json, "program_use");
    tp_program_use_json(&advice->use, json);
    if (advice->program.is_present) {
        tp_json_key(json, "program_view");
        tp_program_view_json(&advice->program, json);
    }
}

void tp_advice_withhold(struct tp_advice *advice)
{
    tp_verdict_withhold(&advice->verdict);
    advice->recommendations.finding_count = 0;
}
