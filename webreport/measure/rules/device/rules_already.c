/* Advice that the program follows already: no graphs where graphs are replayed, no torch.compile for compiled code. The
 * advice that people read changes; the rule's own stays in the JSON. */
#include "webreport/measure/rules/rules_eval.h"

/* Graphs are replayed from this part of the kernels on, percent (as flag F3 has it). */
static const double MANY_PERCENT = 20;

static const struct {
    enum tp_rule_id rule;
    const char *replayed, *compiled; /* advice in place of the rule's; NULL: the rule's */
} ADVICE[] = {
    {TP_RULE_A1,
     "Graphs are replayed already: shorten what the host does between replays, capture that too, or give each replay "
     "more work (a larger batch).",
     "The code is compiled already: let it replay captured graphs (mode=\"reduce-overhead\"), remove graph breaks, or "
     "give every launch more work (a larger batch)."},
    {TP_RULE_A3, NULL,
     "The code is compiled already: bring these small operations into a compiled region, or write a fused kernel for "
     "them."},
    {TP_RULE_C16, NULL,
     "The code is compiled already: bring these kernels into a compiled region (remove the graph break before them), "
     "or use fused norms, rotary embeddings and activations."},
    {TP_RULE_H5, NULL,
     "The code is compiled already: bring these operators into a compiled region, or batch the work, so that each call "
     "does more."},
    {TP_RULE_H17, NULL,
     "The code is compiled already: bring this function into a compiled region, or use the fused operator "
     "(torch.nn.functional.gelu, layer_norm, ..) where there is one."},
};

static bool is_of_compiler(struct tp_str name)
{
    static const char *const begins[] = {"Torch-Compiled Region", "CompiledFunction", "CompiledFxGraph",
                                         "## Call CompiledFxGraph", "triton_poi_", "triton_red_", "triton_per_",
                                         "triton_tem_", "triton_for_", "triton_mm_"};
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
        is_any = is_of_compiler(names->items[i]);
    return is_any;
}

static bool is_replayed(const struct tp_advisor *a)
{
    int64_t kernels = 0, replayed = 0;
    for (uint32_t k = 0; k < a->model->devices.count; k++) {
        if (tp_device_event(a->model, k)->kind != TP_KIND_KERNEL || !tp_in_window(a, a->model->devices.event[k]))
            continue;
        kernels++;
        replayed += tp_is_graph_launched(a->model, k);
    }
    return tp_percent(replayed, kernels) >= MANY_PERCENT;
}

void tp_rule_already(struct tp_advisor *a)
{
    bool is_known = false, has_graphs = false, has_compiler = false;
    for (size_t i = 0; i < a->findings.count; i++) {
        struct tp_finding *f = TP_AT(&a->findings, struct tp_finding, i);
        for (size_t k = 0; k < sizeof ADVICE / sizeof *ADVICE; k++) {
            if (f->rule != &tp_rules(&(unsigned){0})[ADVICE[k].rule])
                continue;
            if (!is_known) {
                has_graphs = is_replayed(a);
                has_compiler = is_compiled(a->model);
                is_known = true;
            }
            if (has_graphs && ADVICE[k].replayed)
                f->shown_advice = ADVICE[k].replayed;
            else if (has_compiler)
                f->shown_advice = ADVICE[k].compiled;
        }
    }
}
