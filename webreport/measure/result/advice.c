/* Implements advice.h: builds all advice on one trace. */
#include "webreport/measure/result/advice.h"

#include "webreport/measure/rules/finding_prices.h"
#include "webreport/measure/rules/recommendations.h"
#include "writer/base/limits.h"

/* Replays the trace: answers the usual changes, and prices the findings. */
static void replay_trace(struct tp_advice *advice, const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_finding_prices prices;
    struct tp_fix_question fixes;
    tp_finding_prices_begin(&prices, &fixes, &advice->recommendations, advice->verdict.class, arena);
    const struct tp_asked_changes usual = {
        .most_nodes = TP_MAX_REPORT_REPLAY_NODES, .fixes = &fixes, .wants_times = true};
    tp_changes_price(&advice->what_if, model, &usual, arena, NULL);
    tp_finding_prices_finish(&prices);
}

/* Replays a trace for its advice. */
typedef void (*advice_replay)(struct tp_advice *advice, const struct tp_model *model, struct tp_arena *arena);

/* replay: NULL builds only the advice that summaries need. It is a parameter, so that programs without reports are
 * linked without replays. */
static void build_advice(struct tp_advice *advice, const struct tp_model *model,
                         const struct tp_rule_overrides *overrides, advice_replay replay, struct tp_arena *arena)
{
    bool is_whole = replay != NULL;
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
    tp_answer_init(&advice->answer);
    tp_program_view_build(&advice->program, model->trace, arena);
    tp_quality_build(&advice->quality, model, arena);
    tp_sync_table_build(&advice->syncs, model, arena);
    tp_memory_peak_build(&advice->memory, model, arena);
    tp_idle_build(&advice->idle, model, is_whole, arena);
    tp_verdict_build(&advice->verdict, model, advice->quality.is_fragment, arena);
    if (tp_advice_is_for_program(advice, model))
        tp_verdict_build_for_program(&advice->verdict, &advice->program);
    if (has_works) {
        tp_work_kinds_build(&kinds, model, arena);
        tp_work_units_build(&units, &kinds, overrides ? overrides->peaks : NULL, arena);
        tp_work_rates_build(&advice->rates, &kinds, &units);
        tp_serving_build(&advice->serving, &kinds, &units, arena);
    } else {
        tp_work_rates_init_empty(&advice->rates);
        tp_serving_init_empty(&advice->serving);
    }
    advice->use = tp_program_use_find(model, &advice->serving);
    if (is_whole) {
        tp_work_view_build(&advice->works, &kinds, &units, arena);
        tp_time_trees_build(&advice->times, &kinds, &units, &advice->idle, arena);
    }
    tp_arena_return_free_pages(arena); /* the recommendations need new memory */
    basis.is_serving = advice->serving.is_present;
    basis.use = advice->use.of;
    basis.is_priced = is_whole;
    tp_recommendations_build(&advice->recommendations, &basis, arena);
    if (replay)
        replay(advice, model, arena);
    tp_verdict_set_unjudged(&advice->verdict, &advice->recommendations.unjudged, model);
    tp_verdict_add_recording(&advice->verdict, &advice->recommendations, model);
    if (is_whole)
        tp_answer_build(&advice->answer,
                        &(struct tp_answer_basis){.model = model,
                                                  .verdict = &advice->verdict,
                                                  .recommendations = &advice->recommendations,
                                                  .kinds = &kinds,
                                                  .works = &advice->works,
                                                  .idle = &advice->idle},
                        arena);
    else
        advice->answer.main = advice->answer.second = TP_ANSWER_KINDS;
    if (has_works) {
        tp_work_units_release(&units, arena);
        tp_work_kinds_release(&kinds, arena);
    }
}

void tp_advice_build(struct tp_advice *advice, const struct tp_model *model, const struct tp_rule_overrides *overrides,
                     struct tp_arena *arena)
{
    build_advice(advice, model, overrides, replay_trace, arena);
}

void tp_advice_build_for_summary(struct tp_advice *advice, const struct tp_model *model,
                                 const struct tp_rule_overrides *overrides, struct tp_arena *arena)
{
    build_advice(advice, model, overrides, NULL, arena);
}

#define F struct tp_advice
static const struct tp_json_field fields[] = {
    {"trace_quality", TP_RECORD(F, quality, &tp_quality_fields),
     TP_DEFINITION("numbers of events that were read or skipped, and results of the quality checks")},
    {"idle_view", TP_RECORDS(F, idle.devices, idle.device_count, &tp_idle_device_fields),
     TP_DEFINITION("idle time of each device")},
    {"work_view", TP_RECORD(F, works, &tp_work_view_fields),
     TP_DEFINITION("time by kind of work, such as matrix products or normalization")},
    {"work_rates", TP_RECORD(F, rates, &tp_work_rates_fields),
     TP_DEFINITION("rates of floating-point operations, in percent of the device's peak rate")},
    {"serving", TP_RECORD(F, serving, &tp_serving_fields), TP_ONLY_IF(F, serving.is_present),
     TP_DEFINITION("steps of a serving engine")},
    {"time_trees", TP_RECORDS(F, times.items, times.count, &tp_time_tree_fields),
     TP_DEFINITION("time of each device in the analysed steps, divided into busy and idle time and their parts")},
    {"sync_table", TP_RECORD(F, syncs, &tp_sync_fields),
     TP_DEFINITION("number and cost of the calls in which the host waits for the device")},
    {"memory_peak", TP_RECORDS(F, memory.devices, memory.device_count, &tp_memory_device_fields),
     TP_DEFINITION("memory of each device at its peak")},
    {"what_if_view", TP_RECORD(F, what_if, &tp_what_if_view_fields), TP_ONLY_IF(F, what_if.step_count),
     TP_DEFINITION("the replay of the trace, its critical path, and what changes would bring")},
    {"recommendations", TP_RECORD(F, recommendations, &tp_recommendations_fields), TP_DEFINITION("findings")},
    {"verdict", TP_RECORD(F, verdict, &tp_verdict_fields), TP_DEFINITION("cause that limits the step time")},
    {"answer", TP_RECORD(F, answer, &tp_answer_fields), TP_ONLY_IF(F, answer.headline.len),
     TP_DEFINITION("the headline of the page, and the parts of the step time by cause")},
    {"program_use", TP_RECORD(F, use, &tp_program_use_fields),
     TP_DEFINITION("activity of the program, such as training or inference")},
    {"program_view", TP_RECORD(F, program, &tp_program_view_fields), TP_ONLY_IF(F, program.is_present),
     TP_DEFINITION("processes, threads, CPU time and waits of a program that was recorded with record --outside")},
};
#undef F

const struct tp_fields tp_advice_fields = TP_FIELDS("Judgement of a profile", fields);

void tp_advice_remove_verdict(struct tp_advice *advice)
{
    tp_verdict_reset(&advice->verdict);
    tp_answer_init(&advice->answer);
    advice->recommendations.finding_count = 0;
}
