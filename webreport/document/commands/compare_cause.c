/* Splits the change of the mean step into parts, and finds the part that causes it. See compare_parts.h. */
#include <math.h>

#include "webreport/document/commands/compare_parts.h"
#include "webreport/document/commands/signed_text.h"
#include "webreport/document/words/answer_words.h"
#include "writer/base/buf.h"
#include "writer/text/format.h"

/* smallest change of a part that has its own row, as a share of the base's step */
static const double LEAST_SHARE = 0.01;
/* smallest change of the device's work that a sentence reports, percentage points */
static const double LEAST_CHANGE_PCT = 1;

/* Words for each part of a step. */
static const struct {
    enum tp_look look;
    const char *label; /* {GPU}: the word for the device */
    const char *noun;  /* subject of a sentence */
    bool is_plural;    /* true: the noun is a plural */
} words[TP_PART_OTHER + 1] = {
    [TP_PART_KERNEL] = {TP_LOOK_GPU, "Kernels", "the kernels", true},
    [TP_PART_MEMCPY] = {TP_LOOK_COPY, "Copies", "copies", true},
    [TP_PART_MEMSET] = {TP_LOOK_COPY, "Memory sets", "memory sets", true},
    [TP_PART_COMMUNICATION] = {TP_LOOK_COMM, "Communication", "communication", false},
    [TP_PART_RUNTIME] = {TP_LOOK_LAUNCH, "Runtime calls", "launches and other runtime calls", true},
    [TP_PART_DATALOADER] = {TP_LOOK_HOST, "Data loading", "data loading", false},
    [TP_PART_CPU_EXEC] = {TP_LOOK_LAUNCH, "CPU work", "operators on the CPU", true},
    [TP_PART_OTHER] = {TP_LOOK_NONE, "Other", "other code on the CPU", false},
};

static double part_ns(const struct tp_compare *c, int side, enum tp_summary_part part)
{
    double ns = c->sides.side[side].part_ns[part];
    return isnan(ns) ? 0 : ns;
}

static double total_change_ns(const struct tp_compare *c)
{
    return c->sides.side[TP_NEW].total_ns - c->sides.side[TP_BASE].total_ns;
}

/* Sorts parts by the size of their change: parts that change as the step does come first. */
static bool is_before(const struct tp_step_change *x, const struct tp_step_change *y, double total)
{
    bool is_with_x = x->ns * total > 0, is_with_y = y->ns * total > 0;
    return is_with_x != is_with_y ? is_with_x : fabs(x->ns) > fabs(y->ns);
}

unsigned tp_compare_step_changes(const struct tp_compare *c, struct tp_step_change changes[TP_STEP_CHANGES])
{
    double base = c->sides.side[TP_BASE].total_ns, total = total_change_ns(c), rest = total;
    unsigned count = 0;
    if (isnan(total) || !(base > 0))
        return 0;
    for (enum tp_summary_part part = 0; part <= TP_PART_OTHER; part++) {
        struct tp_step_change change = {words[part].label, part_ns(c, TP_NEW, part) - part_ns(c, TP_BASE, part),
                                        words[part].look, part, false};
        if (!(fabs(change.ns) >= LEAST_SHARE * base))
            continue;
        unsigned at = count++;
        for (; at && is_before(&change, &changes[at - 1], total); at--)
            changes[at] = changes[at - 1];
        changes[at] = change;
        rest -= change.ns;
    }
    /* the rest contains all other code, unless this code changed most */
    for (unsigned i = 1; i < count; i++)
        if (changes[i].part == TP_PART_OTHER) {
            rest += changes[i].ns;
            memmove(&changes[i], &changes[i + 1], (--count - i) * sizeof *changes);
        }
    if (count && changes[0].ns * total > 0 && fabs(total) >= LEAST_SHARE * base)
        changes[0].is_cause = true;
    if (fabs(rest) >= 1)
        changes[count++] =
            (struct tp_step_change){count ? "The rest" : "All parts", rest, TP_LOOK_NONE, TP_PART_COUNT, false};
    return count;
}

/* ---- sentences ---- */

static const char *device_word(const struct tp_compare *c)
{
    return tp_uses_torch_words(tp_sides_producer(&c->sides)) ? "GPU" : "device";
}

static const char *size_text(double ns, struct tp_arena *arena)
{
    return tp_text_of_time(arena, llround(fabs(ns)));
}

/* Returns the cause as the end of a sentence, such as "the kernels take 4 ms less". */
static const char *cause_text(const struct tp_compare *c, const struct tp_step_change *cause, struct tp_arena *arena)
{
    double base = part_ns(c, TP_BASE, cause->part), now = part_ns(c, TP_NEW, cause->part);
    bool is_loading = cause->part == TP_PART_DATALOADER;
    const char *held = part_ns(c, TP_NEW, TP_PART_KERNEL) > 0 ? device_word(c) : "step";
    if (is_loading && now < base / 10)
        return tp_text_printf(arena, "data loading no longer delays the %s", held);
    if (is_loading && base < now / 10)
        return tp_text_printf(arena, "data loading now delays the %s", held);
    return tp_text_printf(arena, "%s %s %s %s", words[cause->part].noun,
                          words[cause->part].is_plural ? "take" : "takes", size_text(cause->ns, arena),
                          cause->ns < 0 ? "less" : "more");
}

/* Returns the first finding of the new side as an instruction, or "". */
static const char *next_action_text(const struct tp_compare *c, struct tp_arena *arena)
{
    const struct tp_side_input *side = c->sides.side[TP_NEW].input;
    const struct tp_summary *run = &side->runs[0];
    for (uint32_t i = 0; i < run->finding_count; i++)
        if (run->findings[i].ceiling_us_per_step > 0 && run->findings[i].severity != TP_SEVERITY_INFO)
            return tp_text_printf(arena, "%.*s", (int)run->findings[i].title.len, run->findings[i].title.ptr);
    return "";
}

void tp_compare_put_step_headline(struct tp_verdict_block *verdict, const struct tp_compare *c, struct tp_arena *arena)
{
    struct tp_step_change changes[TP_STEP_CHANGES];
    unsigned count = tp_compare_step_changes(c, changes);
    struct tp_buf text;
    tp_buf_init(&text, 0);
    tp_buf_printf(
        &text, "A step takes %s",
        tp_time_instead_text(arena, llround(c->sides.side[TP_NEW].total_ns), llround(c->sides.side[TP_BASE].total_ns)));
    if (count && changes[0].is_cause) {
        const char *cause = cause_text(c, &changes[0], arena);
        tp_buf_puts(&text, ", because ");
        verdict->marks[verdict->mark_count++] =
            (struct tp_headline_mark){text.size, strlen(cause), tp_look_name(changes[0].look)};
        tp_buf_puts(&text, cause);
    }
    tp_put_instruction(&text, "; next, ", next_action_text(c, arena));
    verdict->headline = tp_buf_move(&text, arena);
}

/* Returns a label with a lower-case first letter; abbreviations stay as they are. */
static const char *label_in_sentence(const char *label, struct tp_arena *arena)
{
    bool is_short = label[1] >= 'A' && label[1] <= 'Z';
    return is_short ? label : tp_text_printf(arena, "%c%s", label[0] - 'A' + 'a', label + 1);
}

/* Returns the parts that change against the step, such as "Of the 58.1 ms saved in data loading, 21.5 ms come back: CPU
 * work +8.99 ms.", or "". */
static const char *opposite_changes_text(const struct tp_step_change *changes, unsigned count, struct tp_arena *arena)
{
    enum { SHOWN = 2 };
    double sum = 0;
    unsigned shown = 0;
    const char *list = "";
    if (!count || !changes[0].is_cause)
        return "";
    for (unsigned i = 1; i < count; i++) {
        if (changes[i].ns * changes[0].ns > 0)
            continue;
        sum += changes[i].ns;
        if (shown++ < SHOWN)
            list =
                tp_text_printf(arena, "%s%s%s %s", list, *list ? ", " : "", label_in_sentence(changes[i].label, arena),
                               tp_signed_time_text(arena, llround(changes[i].ns)));
    }
    if (!(fabs(sum) >= fabs(changes[0].ns) / 20))
        return "";
    return tp_text_printf(arena, "Of the %s %s in %s, %s %s: %s%s.", size_text(changes[0].ns, arena),
                          changes[0].ns < 0 ? "saved" : "lost", label_in_sentence(changes[0].label, arena),
                          size_text(sum, arena), changes[0].ns < 0 ? "come back" : "are saved elsewhere", list,
                          shown > SHOWN ? " and other parts" : "");
}

const char *tp_compare_step_text(const struct tp_compare *c, struct tp_arena *arena)
{
    struct tp_step_change changes[TP_STEP_CHANGES];
    unsigned count = tp_compare_step_changes(c, changes);
    double busy[TP_SIDES];
    for (int s = 0; s < TP_SIDES; s++) {
        busy[s] = part_ns(c, s, TP_PART_KERNEL) + part_ns(c, s, TP_PART_MEMCPY) + part_ns(c, s, TP_PART_MEMSET) +
                  part_ns(c, s, TP_PART_COMMUNICATION);
        busy[s] = 100 * busy[s] / c->sides.side[s].total_ns;
    }
    const char *works =
        busy[TP_BASE] > 0 && busy[TP_NEW] > 0 && fabs(busy[TP_NEW] - busy[TP_BASE]) >= LEAST_CHANGE_PCT
            ? tp_text_printf(arena, "The %s works for %s %% of a step, before %s %%.", device_word(c),
                             tp_text_of_fixed(arena, busy[TP_NEW], 0), tp_text_of_fixed(arena, busy[TP_BASE], 0))
            : "";
    const char *opposite = opposite_changes_text(changes, count, arena);
    return tp_text_printf(arena, "%s%s%s", works, *works && *opposite ? " " : "", opposite);
}
