/* Words the quality of a trace: the sentence of each flag (section 14). */
#include "webreport/document/words/words.h"

#include "writer/text/format.h"

/* "recording options that were off: with_stack, profile_memory" */
static const char *options_text(const struct tp_quality_flag *flag, struct tp_arena *arena)
{
    const char *text = "recording options that were off";
    for (int64_t i = 0; i < flag->count; i++)
        text = tp_text_printf(arena, "%s%s%s", text, i ? ", " : ": ", flag->options_off[i]);
    return text;
}

static const char *flag_text(enum tp_quality_fault fault, const struct tp_quality_flag *flag, struct tp_arena *arena)
{
    static const char *const texts[TP_QUALITY_FLAGS] = {
        [TP_FAULT_STEPS] = "steps used",
        [TP_FAULT_UNLINKED] = "kernels whose launch call is not in the trace",
        [TP_FAULT_GRAPHS] = "kernels started by a graph launch have no operator",
        [TP_FAULT_ABSURD] = "events longer than the recording, or of negative duration (taken as 0)",
        [TP_FAULT_CLOCKS] = "device operations that begin before their launch call: clocks disagree",
        [TP_FAULT_OVERHEAD] = "time the profiler reported as its own overhead",
        [TP_FAULT_DAMAGE] = "the file was damaged; what could be read is shown",
        [TP_FAULT_LEADING] = "leading steps without any device operation",
        [TP_FAULT_SLOWDOWN] = "not computable from one trace: needs the step time without a profiler",
    };
    static const char *const cases[] = {
        [TP_CASE_NO_STEPS] = "no steps are marked: the whole recording is one window",
        [TP_CASE_ONE_STEP] = "one step only: nothing shows that it is typical",
        [TP_CASE_WARM_UP] = "leading steps left out as warm-up: longer than 1.5 times the median of the others",
        [TP_CASE_NOT_RECORDED] = "device work was launched, but none of it was recorded",
        [TP_CASE_OWN_DEVICES] = "kernels of devices of the program's own, which no call launches",
    };
    if (flag->which != TP_CASE_USUAL)
        return cases[flag->which];
    if (fault == TP_FAULT_OPTIONS)
        return options_text(flag, arena);
    if (fault == TP_FAULT_OVERLAPS)
        return tp_text_printf(
            arena,
            "device operations that begin before an earlier one on the same stream ends (%lld by less "
            "than 5 us)",
            (long long)flag->short_count);
    return texts[fault];
}

void tp_word_quality(struct tp_quality *quality, struct tp_arena *arena)
{
    for (unsigned i = 0; i < TP_QUALITY_FLAGS; i++)
        quality->flags[i].text = flag_text((enum tp_quality_fault)i, &quality->flags[i], arena);
}
