/* Implements rules_work.h: makes findings that cover a part of the time of kernels. */
#include "webreport/measure/rules/rules_work.h"

#include "writer/text/format.h"

enum { WHOLE = TP_FIX_WHOLE };

void tp_work_claim_begin(struct tp_work_claim *claim, const struct tp_advisor *a, enum tp_rule_id rule)
{
    *claim = (struct tp_work_claim){.candidate = {.rule = rule, .has_ceiling = true}};
    claim->parts = tp_arena_array(a->arena, a->model->devices.count, sizeof *claim->parts);
    claim->whole = TP_VEC(a->arena, struct tp_interval);
}

void tp_work_claim_add(struct tp_work_claim *claim, const struct tp_advisor *a, uint32_t device, double high)
{
    if (claim->parts[device])
        return;
    high = high < 0 ? 0 : high > 1 ? 1 : high;
    claim->parts[device] = 1 + (uint32_t)(high * (WHOLE - 1));
    const struct tp_event *e = tp_device_event(a->model, device);
    claim->ns = tp_sat_add(claim->ns, e->dur_ns);
    tp_intervals_push(&claim->whole, e->ts_ns, tp_event_end(e));
    tp_picks_add_operation_by_length(&claim->candidate.picks, a->model, device);
}

double tp_work_claim_time_share(const struct tp_advisor *a, struct tp_work_claim *claim)
{
    return tp_analysed_set_percent(a, tp_intervals_from_vec_temporary(&claim->whole));
}

bool tp_work_claim_add_finding(struct tp_work_claim *claim, struct tp_advisor *a, const struct tp_detail *details)
{
    const struct tp_model *model = a->model;
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    bool is_enough =
        claim->ns && tp_work_claim_time_share(a, claim) >= tp_rule_value(a, claim->candidate.rule, "min_pct");
    for (uint32_t k = 0; is_enough && k < model->devices.count; k++)
        if (claim->parts[k]) {
            const struct tp_event *e = tp_device_event(model, k);
            tp_intervals_push(&time, e->ts_ns, e->ts_ns + tp_ns_scaled(e->dur_ns, claim->parts[k], WHOLE));
            tp_fix_add_operation(a, &claim->candidate.fix, k, claim->parts[k]);
        }
    claim->candidate.time = tp_intervals_from_vec_temporary(&time);
    claim->candidate.details = details;
    bool is_added = is_enough && tp_advisor_add_finding(a, &claim->candidate);
    tp_intervals_release(&time);
    tp_intervals_release(&claim->whole);
    tp_arena_free_item(a->arena, claim->parts, model->devices.count * sizeof *claim->parts);
    return is_added;
}

struct tp_shape tp_unit_shape(const struct tp_advisor *a, const struct tp_work_unit *unit)
{
    const struct tp_trace *trace = a->model->trace;
    uint32_t dims = trace->hosts[trace->events[unit->event].detail].dims;
    return tp_shape_input(tp_strings_get(&trace->values, dims), 0);
}

struct tp_str tp_shape_text(struct tp_advisor *a, const struct tp_shape *shape)
{
    struct tp_str text = TP_STR("");
    for (size_t i = 0; shape->is_known && i < shape->rank; i++)
        text = tp_advisor_format(a, "%.*s%s%lld", (int)text.len, text.ptr, i ? "x" : "", (long long)shape->sizes[i]);
    return text;
}

struct tp_str tp_unit_operands_text(struct tp_advisor *a, const struct tp_work_unit *unit)
{
    enum { INPUTS = 4, OPERANDS = 2 };
    const struct tp_trace *trace = a->model->trace;
    struct tp_str dims = tp_strings_get(&trace->values, trace->hosts[trace->events[unit->event].detail].dims);
    struct tp_str text = TP_STR("");
    unsigned found = 0;
    /* skips the bias of addmm, which is the first operand */
    for (unsigned i = 0; i < INPUTS && found < OPERANDS; i++) {
        struct tp_shape shape = tp_shape_input(dims, i);
        if (!shape.is_known || shape.rank < 2)
            continue;
        struct tp_str sizes = tp_shape_text(a, &shape);
        text = tp_advisor_format(a, "%.*s%s%.*s", (int)text.len, text.ptr, found++ ? " by " : "", (int)sizes.len,
                                 sizes.ptr);
    }
    return text;
}

enum tp_work tp_kernel_library_work(struct tp_advisor *a, uint32_t device)
{
    const struct tp_strings *names = &a->model->trace->names;
    uint32_t name = tp_device_event(a->model, device)->name;
    if (!a->library_work_by_name)
        a->library_work_by_name = tp_arena_array(a->arena, names->count, 1);
    if (!a->library_work_by_name[name])
        a->library_work_by_name[name] = (uint8_t)(tp_work_of_name(TP_WORK_OF_KERNEL_FIRST, names->items[name]) + 1);
    return (enum tp_work)(a->library_work_by_name[name] - 1);
}
