/* Writes the verdict on two programs recorded from outside. See compare_program.h. */
#include "webreport/document/commands/compare_program.h"

#include <math.h>
#include <string.h>

#include "writer/text/format.h"

bool tp_compare_is_between_programs(const struct tp_compare *c)
{
    for (unsigned q = 0; q < TP_QUANTITIES; q++)
        if (c->totals[q].is_known)
            return false;
    return c->changes.functions.judged_function_count > 0;
}

static const char *time_text(double ns, struct tp_arena *arena)
{
    return tp_text_of_time(arena, isnan(ns) ? TP_NULL_INT : tp_round_to_integer(ns));
}

/* Returns the function with the largest certain change, or NULL. */
static const struct tp_change *find_most_changed(const struct tp_compare *c)
{
    const struct tp_change *most = NULL;
    for (uint32_t i = 0; i < c->changes.count; i++) {
        const struct tp_change *change = &c->changes.items[i];
        bool is_candidate = change->identity.kind == TP_SUMMARY_FUNCTION && change->is_reported;
        if (is_candidate && (!most || fabs((double)change->change_ns) > fabs((double)most->change_ns)))
            most = change;
    }
    return most;
}

static const char *name_of_changed_function(const struct tp_change *change, struct tp_arena *arena)
{
    struct tp_str name = change->identity.name, file = change->identity.owner;
    const char *slash = file.len ? memrchr(file.ptr, '/', file.len) : NULL;
    if (slash)
        file = (struct tp_str){slash + 1, file.len - (size_t)(slash + 1 - file.ptr)};
    return tp_text_printf(arena, file.len ? "%.*s (%.*s)" : "%.*s%.*s", (int)name.len, name.ptr, (int)file.len,
                          file.ptr);
}

const char *tp_compare_program_headline(const struct tp_compare *c, struct tp_arena *arena)
{
    const struct tp_change *most = find_most_changed(c);
    uint32_t others = c->regressed_count + c->improved_count;
    if (!most)
        return tp_text_printf(arena, "No function shows a significant change: CPU time %s \xe2\x86\x92 %s",
                              time_text(c->changes.functions.ns[TP_BASE], arena),
                              time_text(c->changes.functions.ns[TP_NEW], arena));
    const char *more = others > 1 ? tp_text_printf(arena, "; in total, %u functions changed: %u slower, %u faster",
                                                   others, c->regressed_count, c->improved_count)
                                  : "";
    if (!(most->ns[TP_BASE] > 0))
        return tp_text_printf(arena, "%s is new and takes %s of CPU time%s", name_of_changed_function(most, arena),
                              time_text(most->ns[TP_NEW], arena), more);
    double percent = 100 * (most->ns[TP_NEW] / most->ns[TP_BASE] - 1);
    return tp_text_printf(arena, "%s takes %s of CPU time; in the base it takes %s (%s%s %%)%s",
                          name_of_changed_function(most, arena), time_text(most->ns[TP_NEW], arena),
                          time_text(most->ns[TP_BASE], arena), percent > 0 ? "+" : "",
                          tp_text_of_fixed(arena, percent, 1), more);
}

const char *tp_compare_program_text(const struct tp_compare *c, struct tp_arena *arena)
{
    const struct tp_function_sums *functions = &c->changes.functions;
    return tp_text_printf(
        arena,
        "Mean wall time %s \xe2\x86\x92 %s, mean CPU time %s \xe2\x86\x92 %s, from %u + %u runs. %s "
        "compared by samples, with a false-positive rate of 1 %% for all together. For %s, a change of "
        "%s %% is detectable. Wall time, waits and total CPU time get no verdict.",
        time_text(c->sides.side[TP_BASE].total_ns, arena), time_text(c->sides.side[TP_NEW].total_ns, arena),
        time_text(functions->ns[TP_BASE], arena), time_text(functions->ns[TP_NEW], arena),
        c->sides.side[TP_BASE].input->run_count, c->sides.side[TP_NEW].input->run_count,
        tp_text_of_counted_noun(arena, functions->judged_function_count, "function is", "functions are"),
        name_of_changed_function(&c->changes.items[functions->largest], arena),
        tp_text_of_fixed(arena, 100 * functions->detectable_growth, 0));
}
