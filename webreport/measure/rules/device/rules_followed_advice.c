/* Replaces advice that the program already follows: advice to use device graphs if the program replays graphs, and
 * advice to use torch.compile if its code is compiled. Changes only the texts shown to people: members shown_title and
 * shown_advice in JSON. */
#include "webreport/measure/rules/rules_eval.h"

/* a program is treated as replaying graphs if graphs launch at least this percentage of its kernels (same limit as for
 * flag F3) */
static const double MANY_PERCENT = 20;

static bool is_compiler_name(struct tp_str name)
{
    static const char *const begins[] = {
        "Torch-Compiled Region", "CompiledFunction", "CompiledFxGraph", "## Call CompiledFxGraph",
        "triton_poi_",           "triton_red_",      "triton_per_",     "triton_tem_",
        "triton_for_",           "triton_mm_"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (tp_str_starts(name, begins[i]))
            return true;
    return false;
}

static bool is_compiled(const struct tp_model *model)
{
    const struct tp_strings *names = &model->trace->names;
    bool is_any = false;
    for (uint32_t i = 0; i < names->count && !is_any; i++)
        is_any = is_compiler_name(names->items[i]);
    return is_any;
}

static bool replays_graphs(const struct tp_advisor *a)
{
    int64_t kernels = 0, replayed = 0;
    for (uint32_t k = 0; k < a->model->devices.count; k++) {
        if (tp_device_event(a->model, k)->kind != TP_KIND_KERNEL ||
            !tp_event_is_in_window(a, a->model->devices.event[k]))
            continue;
        kernels++;
        replayed += tp_is_graph_launched(a->model, k);
    }
    return tp_percent(replayed, kernels) >= MANY_PERCENT;
}

static void show_other_texts(struct tp_finding *f, const struct tp_rule_text *texts)
{
    f->shown_title = texts->title;
    f->shown_advice = texts->advice;
    f->is_partly_followed = true;
}

void tp_findings_remove_followed_advice(struct tp_advisor *a)
{
    bool is_known = false, has_graphs = false, has_compiler = false;
    for (size_t i = 0; i < a->findings.count; i++) {
        struct tp_finding *f = TP_AT(&a->findings, struct tp_finding, i);
        if (!f->rule->replayed.advice && !f->rule->compiled.advice)
            continue;
        if (!is_known) {
            has_graphs = replays_graphs(a);
            has_compiler = is_compiled(a->model);
            is_known = true;
        }
        if (has_graphs && f->rule->replayed.advice)
            show_other_texts(f, &f->rule->replayed);
        else if (has_compiler && f->rule->compiled.advice)
            show_other_texts(f, &f->rule->compiled);
    }
}
