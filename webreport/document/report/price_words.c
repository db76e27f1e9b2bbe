/* Implements price_words.h. */
#include "webreport/document/report/price_words.h"

#include "webreport/document/path_words.h"
#include "webreport/document/words/answer_words.h"

/* Percent of the step below which a saving is not shown, and width from which a range has a best case. */
static const double LEAST_SHOWN = 0.05, WIDE = 1;

static const struct tp_recommendations *findings_of(const struct tp_section *section)
{
    return &section->profile->advice->recommendations;
}

bool tp_price_is_nothing(const struct tp_finding *finding)
{
    return finding->gone_with != TP_NO_ID || finding->high_percent < LEAST_SHOWN;
}

const char *tp_price_nothing_text(const struct tp_finding *finding, unsigned number, struct tp_arena *arena)
{
    if (number)
        return tp_text_printf(arena, "gone with %u", number);
    return finding->gone_with == TP_NO_ID ? "no effect" : "gone with those above";
}

/* Returns the length of a step before the fix of a priced finding: after the fixes of all priced findings before it. */
static int64_t step_before(const struct tp_recommendations *found, const struct tp_finding *finding)
{
    int64_t ns = found->step_count ? found->window_ns / found->step_count : 0;
    for (const struct tp_finding *f = found->findings; f < finding; f++)
        ns = f->is_priced ? f->price.step_ns : ns;
    return ns;
}

const char *tp_price_step_text(const struct tp_section *section, const struct tp_finding *finding)
{
    int64_t before_ns = step_before(findings_of(section), finding);
    if (!finding->is_priced || tp_price_is_nothing(finding) || finding->price.step_ns >= before_ns)
        return NULL;
    bool is_wide = finding->high_percent - finding->low_percent > WIDE;
    return tp_text_printf(section->arena, "%s from %s, then %s limits.",
                          is_wide ? "At best, the step goes" : "The step goes",
                          tp_time_change_text(section->arena, before_ns, finding->price.step_ns),
                          tp_path_group_words(finding->price.then));
}

const char *tp_price_total_text(const struct tp_section *section)
{
    const struct tp_recommendations *found = findings_of(section);
    int64_t before_ns = found->step_count ? found->window_ns / found->step_count : 0;
    if (found->priced_count < 2 || found->all_priced.step_ns >= before_ns)
        return NULL;
    return tp_text_printf(section->arena, "by replay, all take the step from %s, then %s limits",
                          tp_time_change_text(section->arena, before_ns, found->all_priced.step_ns),
                          tp_path_group_words(found->all_priced.then));
}
