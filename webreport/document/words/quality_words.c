/* Returns the sentence of each flag for the quality of a trace (docs/definitions.md, section 14). */
#include "webreport/document/words/words.h"

#include "writer/text/format.h"

/* Returns a text about missing recording options, such as "recording options that were off: with_stack,
 * profile_memory". */
static const char *options_text(const struct tp_quality_flag *flag, struct tp_arena *arena)
{
    const char *text = "recording options that were off";
    for (int64_t i = 0; i < flag->count; i++)
        text = tp_text_printf(arena, "%s%s%s", text, i ? ", " : ": ", flag->options_off[i]);
    return flag->count ? text : tp_text_printf(arena, "%s: none", text);
}

static const char *flag_text(enum tp_quality_fault fault, const struct tp_quality_flag *flag, struct tp_arena *arena)
{
    static const char *const texts[TP_QUALITY_FLAGS] = {
        [TP_FAULT_STEPS] = "analysed steps",
        [TP_FAULT_UNLINKED] = "kernels without a recorded launch call",
        [TP_FAULT_GRAPHS] = "kernels that a graph launch started, so that their origin is unknown",
        [TP_FAULT_ABSURD] =
            "events with an impossible duration: longer than the recording, or negative and treated as 0",
        [TP_FAULT_CLOCKS] = "device operations that begin before their launch call, because clocks disagree",
        [TP_FAULT_OVERHEAD] = "time that the profiler reports as its own overhead",
        [TP_FAULT_DAMAGE] = "damaged places in the file that were repaired or skipped",
        [TP_FAULT_LEADING] = "analysed steps at the start that have no device operation",
        [TP_FAULT_SLOWDOWN] = "the slowdown by the profiler is unknown, because no step was timed without the profiler",
    };
    static const char *const cases[] = {
        [TP_CASE_NO_STEPS] = "no steps are marked, so the whole recording counts as one step",
        [TP_CASE_ONE_STEP] = "only one step was recorded, so it may not be typical",
        [TP_CASE_WARM_UP] = "analysed steps. The first steps are left out as warm-up, because each takes more than 1.5 "
                            "times the median of the others",
        [TP_CASE_NOT_RECORDED] = "device work was launched, but no device work was recorded",
        [TP_CASE_OWN_DEVICES] =
            "kernels on devices that the program itself defines. No recorded call launches these kernels",
    };
    if (flag->which != TP_CASE_USUAL)
        return cases[flag->which];
    if (fault == TP_FAULT_OPTIONS)
        return options_text(flag, arena);
    if (fault == TP_FAULT_OVERLAPS)
        return tp_text_printf(arena,
                              "device operations that begin before an earlier operation of their stream ends (%lld of "
                              "them by less than 5 \xc2\xb5s)",
                              (long long)flag->short_count);
    return texts[fault];
}

void tp_fill_quality_texts(struct tp_quality *quality, struct tp_arena *arena)
{
    for (unsigned i = 0; i < TP_QUALITY_FLAGS; i++) {
        struct tp_quality_flag *flag = &quality->flags[i];
        flag->text = flag_text((enum tp_quality_fault)i, flag, arena);
        flag->is_statement = flag->which != TP_CASE_USUAL || i == TP_FAULT_OPTIONS;
    }
}
