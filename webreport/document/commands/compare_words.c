/* Writes the verdict of a comparison as text. See compare_words.h. */
#include "webreport/document/commands/compare_words.h"

#include <math.h>
#include <string.h>

#include "webreport/document/commands/compare_parts.h"
#include "webreport/document/commands/compare_program.h"
#include "webreport/trace/input_facts.h"
#include "writer/text/format.h"

const char *tp_compare_serving_text(const struct tp_compare *c, struct tp_arena *arena)
{
    static const char *const phases[] = {"prefill", "decode"};
    const char *text = "The classes of steps are named as in tracepress check, for example decode.bs32.step.p50.";
    for (int is_decode = 1; is_decode >= 0; is_decode--) {
        double base = tp_compare_serving_rate(c, TP_BASE, is_decode);
        double other = tp_compare_serving_rate(c, TP_NEW, is_decode);
        if (!isnan(base) || !isnan(other))
            text = tp_text_printf(arena, "%s %s: %s \xe2\x86\x92 %s tokens/s.", text, phases[is_decode],
                                  tp_text_of_fixed(arena, base, 0), tp_text_of_fixed(arena, other, 0));
    }
    return text;
}

/* ---- the verdict ---- */

/* Returns the interval of a change, such as "\u22120.5 to +0.3 %". */
const char *tp_interval_text(const struct tp_run_change *change, struct tp_arena *arena)
{
    if (isnan(change->low))
        return "too few steps for a 99 % interval";
    return tp_text_printf(arena, "99 %% interval %s to %s %%", tp_signed_percent_text(arena, 100 * change->low),
                          tp_signed_percent_text(arena, 100 * change->high));
}

/* Subject of the sentence about each quantity. */
static const char *const subjects[TP_QUANTITIES] = {
    [TP_QUANTITY_KERNELS] = "Kernels", [TP_QUANTITY_HOST_OPS] = "Operators on the host", [TP_QUANTITY_STEP] = "Steps"};

/* Returns the words for a quantity without a certain change. The word "unchanged" requires an interval close to 0. */
static const char *uncertain_change_text(const struct tp_run_change *change, struct tp_arena *arena)
{
    const double little = 0.02;
    double percent = 100 * change->estimate;
    bool is_sure = change->low >= -little && change->high <= little; /* is_sure is also false if the interval is NaN */
    if (isnan(percent))
        return "There are no step times to compare";
    return tp_text_printf(
        arena, is_sure ? "Steps take as long as before (%s %%)" : "The step time shows no significant change (%s %%)",
        tp_signed_percent_text(arena, percent));
}

static bool is_certain_verdict(enum tp_change_verdict verdict)
{
    return verdict == TP_CHANGE_REGRESSED || verdict == TP_CHANGE_IMPROVED;
}

static const char *change_of_total_text(const struct tp_compare *c, enum tp_quantity quantity, struct tp_arena *arena)
{
    const struct tp_total *total = &c->totals[quantity];
    const char *amount = tp_text_of_fixed(arena, fabs(100 * total->change.estimate), 1);
    if (total->verdict == TP_CHANGE_REGRESSED)
        return tp_text_printf(arena, "%s take %s %% longer", subjects[quantity], amount);
    if (total->verdict == TP_CHANGE_IMPROVED)
        return tp_text_printf(arena, "%s take %s %% less time", subjects[quantity], amount);
    return uncertain_change_text(&c->totals[TP_QUANTITY_STEP].change, arena);
}

/* Returns the total on which the verdict is based, preferably the step; TP_QUANTITY_ROW if no total changed. */
static enum tp_quantity deciding_quantity(const struct tp_compare *c)
{
    static const enum tp_quantity order[] = {TP_QUANTITY_STEP, TP_QUANTITY_KERNELS, TP_QUANTITY_HOST_OPS};
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
        if (is_certain_verdict(c->totals[order[i]].verdict) &&
            (c->verdict == c->totals[order[i]].verdict || c->verdict == TP_CHANGE_MIXED))
            return order[i];
    return TP_QUANTITY_ROW;
}

static const char *words_for_rows_and_memory(const struct tp_compare *c, enum tp_change_verdict verdict,
                                             bool has_memory)
{
    uint32_t rows = verdict == TP_CHANGE_REGRESSED ? c->regressed_count : c->improved_count;
    if (!rows)
        return has_memory ? "memory" : "";
    return tp_text_printf(c->arena, "%s%s", tp_text_of_counted_noun(c->arena, rows, "table row", "table rows"),
                          has_memory ? " and memory" : "");
}

const char *tp_compare_reason_text(const struct tp_compare *c)
{
    if (!is_certain_verdict(c->verdict) || deciding_quantity(c) != TP_QUANTITY_ROW)
        return "";
    return words_for_rows_and_memory(c, c->verdict, c->memory_verdict == c->verdict);
}

/* Returns the words with a lower-case first letter, for use in the middle of a sentence. */
static const char *lower_first_letter(const char *words, struct tp_arena *arena)
{
    char *text = tp_arena_copy(arena, words, strlen(words));
    *text = (char)(*text >= 'A' && *text <= 'Z' ? *text - 'A' + 'a' : *text);
    return text;
}

/* Returns the reasons of a mixed verdict, such as "2 table rows regressed, 1 table row and memory improved". */
static const char *mixed_verdict_text(const struct tp_compare *c, struct tp_arena *arena)
{
    static const enum tp_change_verdict verdicts[] = {TP_CHANGE_REGRESSED, TP_CHANGE_IMPROVED};
    const char *text = "";
    for (unsigned i = 0; i < 2; i++) {
        const char *rows = words_for_rows_and_memory(c, verdicts[i], c->memory_verdict == verdicts[i]);
        if (*rows)
            text =
                tp_text_printf(arena, "%s%s%s %s", text, *text ? ", " : "", rows, tp_change_verdict_name(verdicts[i]));
    }
    return text;
}

/* Returns a text about a busy machine, or about wall-clock time that possibly changed; "" if neither applies. */
static const char *busy_machine_text(const struct tp_compare *c, struct tp_arena *arena)
{
    if (c->was_machine_busy)
        return tp_text_printf(
            arena, "The machine was loaded (all operators together changed by %s %%), so times get no verdict",
            tp_signed_percent_text(arena, 100 * c->changes.shift));
    for (enum tp_quantity q = TP_QUANTITIES; q-- > 0;)
        if (c->totals[q].verdict == TP_CHANGE_HINT)
            return tp_text_printf(arena, "The wall-clock time of %s may have changed by %s %%; %s",
                                  lower_first_letter(subjects[q], arena),
                                  tp_signed_percent_text(arena, 100 * c->totals[q].change.estimate),
                                  tp_sides_allow_only_hints(&c->sides)
                                      ? tp_text_printf(arena, "at least %d runs are needed to decide", TP_VERDICT_RUNS)
                                      : TP_NOT_CONFIRMED);
    return "";
}

/* Returns the headline of a comparison whose step did not change for certain. Its subject is the total on which the
 * verdict is based, or the changed rows if no total changed. */
static const char *headline_text(const struct tp_compare *c, struct tp_arena *arena)
{
    enum tp_quantity basis = deciding_quantity(c);
    const struct tp_run_change *change = &c->totals[TP_QUANTITY_STEP].change;
    const char *step = uncertain_change_text(change, arena);
    if (*c->damage)
        return tp_text_printf(arena, "%s: %s", c->is_data_unknown ? "Different data" : "Input damaged", c->damage);
    if (c->has_change_in_limited_work)
        return tp_compare_work_headline(c, arena);
    if (c->comparability.workload == TP_WORKLOAD_OTHER)
        return tp_text_printf(arena, "%s; times get no verdict", tp_comparability_text(&c->comparability, arena));
    if (c->comparability.is_not_comparable)
        return tp_text_printf(arena, "It is unknown whether both sides ran the same workload: %s",
                              tp_comparability_text(&c->comparability, arena));
    if (tp_compare_is_between_programs(c))
        return tp_compare_program_headline(c, arena);
    if (c->verdict == TP_CHANGE_INCONCLUSIVE && *busy_machine_text(c, arena))
        return busy_machine_text(c, arena);
    if (c->verdict == TP_CHANGE_INCONCLUSIVE && tp_compare_is_too_noisy(c))
        return tp_text_printf(arena,
                              "These recordings cannot show even a doubled step time (measured change %s %%): record "
                              "more steps, or more runs per side",
                              tp_signed_percent_text(arena, 100 * change->estimate));
    if (c->verdict == TP_CHANGE_MIXED && *mixed_verdict_text(c, arena))
        return tp_text_printf(arena, "%s; %s", mixed_verdict_text(c, arena),
                              lower_first_letter(change_of_total_text(c, TP_QUANTITY_STEP, arena), arena));
    if (basis != TP_QUANTITY_ROW)
        return tp_text_printf(arena, "%s; %s", change_of_total_text(c, basis, arena), lower_first_letter(step, arena));
    return *tp_compare_reason_text(c)
               ? tp_text_printf(arena, "%s %s; %s", tp_compare_reason_text(c), tp_change_verdict_name(c->verdict),
                                lower_first_letter(step, arena))
               : step;
}

bool tp_compare_is_about_step(const struct tp_compare *c)
{
    return !*c->damage && !c->has_change_in_limited_work && !c->comparability.is_not_comparable &&
           c->comparability.workload != TP_WORKLOAD_OTHER && c->verdict != TP_CHANGE_MIXED &&
           !tp_compare_is_between_programs(c) && deciding_quantity(c) == TP_QUANTITY_STEP;
}

/* Returns every known total, such as "kernels +0.1 % (\u22120.5 to +0.7 %, detectable from 0.9 %); ..". */
static const char *changes_of_totals_text(const struct tp_compare *c, struct tp_arena *arena)
{
    const char *text = "";
    for (enum tp_quantity q = 0; q < TP_QUANTITIES; q++) {
        const struct tp_run_change *change = &c->totals[q].change;
        if (!c->totals[q].is_known)
            continue;
        text = tp_text_printf(
            arena, "%s%s%s %s %% (%s to %s %%, detectable from %s %%)", text, *text ? "; " : "",
            q ? lower_first_letter(subjects[q], arena) : subjects[q],
            tp_signed_percent_text(arena, 100 * change->estimate), tp_signed_percent_text(arena, 100 * change->low),
            tp_signed_percent_text(arena, 100 * change->high), tp_text_of_fixed(arena, 100 * change->detectable, 1));
    }
    if (!*text)
        return tp_text_printf(arena, "Times get no verdict, because each run needs at least %d steps",
                              TP_LEVEL_LEAST_STEPS);
    return tp_text_printf(arena, "Changes with 99 %% intervals, from %u + %u runs: %s",
                          c->sides.side[TP_BASE].input->run_count, c->sides.side[TP_NEW].input->run_count,
                          lower_first_letter(text, arena));
}

/* Returns words about the shift that all rows share, or "" if chance may explain the shift. */
static const char *common_shift_text(const struct tp_compare *c, struct tp_arena *arena)
{
    bool has_kernels = c->totals[TP_QUANTITY_KERNELS].is_known;
    const struct tp_total *sum = &c->totals[has_kernels ? TP_QUANTITY_KERNELS : TP_QUANTITY_HOST_OPS];
    if (!(fabs(c->changes.shift) >= TP_CHANGE_LEAST_SHARE) || !(fabs(c->changes.shift) > sum->change.half_width))
        return "";
    return tp_text_printf(arena, " The %s have a common change of %s %% (possible reasons: %s).",
                          has_kernels ? "kernels" : "operators", tp_signed_percent_text(arena, 100 * c->changes.shift),
                          tp_sides_have_only_wall_clock(&c->sides) ? "load or clock rate of the machine"
                                                                   : "clock rate, temperature, another board");
}

static int64_t median_step_ns(const struct tp_compare *c, int side)
{
    return isnan(c->step_ns[side]) ? TP_NULL_INT : llround(c->step_ns[side]);
}

static const char *mean_step_text(const struct tp_compare *c, int side, struct tp_arena *arena)
{
    double mean = c->sides.side[side].total_ns;
    return tp_text_of_time(arena, isnan(mean) ? TP_NULL_INT : llround(mean));
}

static const char *verdict_class_text(const struct tp_compare *c)
{
    static const char *const classes[TP_CHANGE_VERDICTS] = {"Neutral",      "Improved", "Regressed",
                                                            "Inconclusive", "Mixed",    "Hint"};
    if (c->has_change_in_limited_work)
        return "Work changed";
    return c->comparability.workload == TP_WORKLOAD_OTHER && !*c->damage ? "Other workload" : classes[c->verdict];
}

const char *tp_compare_left_out_text(const struct tp_compare *c, struct tp_arena *arena)
{
    /* the comparison does not use these data */
    const uint32_t unused = TP_UNKNOWN_OCCUPANCY | TP_UNKNOWN_GRID | TP_UNKNOWN_FORWARD_LINKS;
    const char *text = "";
    for (int s = 0; s < TP_SIDES; s++) {
        uint32_t left_out = c->sides.left_out_of[s] & ~unused;
        if (left_out)
            text = tp_text_printf(arena, "%s%s%s has no %s", text, *text ? "; " : "", s == TP_BASE ? "base" : "new",
                                  tp_evidence_unknown_list(left_out, arena));
    }
    return text;
}

/* Returns the number of changed rows, such as "2 table rows changed: 1 slower, 1 faster, 0 replaced; 1 hint". */
static const char *changed_rows_text(const struct tp_compare *c, struct tp_arena *arena)
{
    uint32_t count = c->regressed_count + c->improved_count + c->replaced_count;
    if (c->is_open)
        return "The rows of the tables get no verdict";
    return tp_text_printf(arena, "%s changed: %u slower, %u faster, %u replaced%s%s",
                          tp_text_of_counted_noun(arena, count, "table row", "table rows"), c->regressed_count,
                          c->improved_count, c->replaced_count, c->hint_count ? "; " : "",
                          c->hint_count ? tp_text_of_counted_noun(arena, c->hint_count, "hint", "hints") : "");
}

/* Returns the sentences below the headline, for all outputs. */
static const char *grey_text(const struct tp_compare *c, struct tp_arena *arena)
{
    bool is_open = c->verdict == TP_CHANGE_INCONCLUSIVE || c->verdict == TP_CHANGE_NEUTRAL;
    const char *remark =
        is_open && !*c->damage && !c->has_change_in_limited_work ? tp_compare_work_remark(c, arena) : "";
    const char *text = tp_compare_step_text(c, arena);
    if (*remark)
        text = tp_text_printf(arena, "%s%s%c%s.", text, *text ? " " : "", *remark - 'a' + 'A', remark + 1);
    return text;
}

const char *tp_compare_statistics_text(const struct tp_compare *c, struct tp_arena *arena)
{
    if (tp_compare_is_between_programs(c))
        return tp_compare_program_text(c, arena);
    return tp_text_printf(arena, "The median step takes %s \xe2\x86\x92 %s (mean %s \xe2\x86\x92 %s). %s.%s %s.",
                          tp_text_of_time(arena, median_step_ns(c, TP_BASE)),
                          tp_text_of_time(arena, median_step_ns(c, TP_NEW)), mean_step_text(c, TP_BASE, arena),
                          mean_step_text(c, TP_NEW, arena), changes_of_totals_text(c, arena),
                          common_shift_text(c, arena), changed_rows_text(c, arena));
}

struct tp_verdict_block tp_compare_verdict(const struct tp_compare *c, struct tp_arena *arena)
{
    static const enum tp_tone tones[TP_CHANGE_VERDICTS] = {
        [TP_CHANGE_NEUTRAL] = TP_TONE_UNSURE,  [TP_CHANGE_IMPROVED] = TP_TONE_GOOD,
        [TP_CHANGE_REGRESSED] = TP_TONE_PLAIN, [TP_CHANGE_INCONCLUSIVE] = TP_TONE_UNSURE,
        [TP_CHANGE_MIXED] = TP_TONE_PLAIN,     [TP_CHANGE_HINT] = TP_TONE_UNSURE};
    struct tp_verdict_block verdict = {
        .tone = tones[c->verdict], .class = verdict_class_text(c), .text = grey_text(c, arena)};
    if (tp_compare_is_about_step(c))
        tp_compare_put_step_headline(&verdict, c, arena);
    else
        verdict.headline = tp_text_printf(arena, "%s.", headline_text(c, arena));
    return verdict;
}
