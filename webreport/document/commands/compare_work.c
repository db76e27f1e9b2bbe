/* Writes the changes of work between two sides as text. See compare_parts.h. */
#include <string.h>

#include "webreport/compare/work/work_words.h"
#include "webreport/document/commands/compare_parts.h"
#include "webreport/trace/frame.h"
#include "writer/text/format.h"

enum { POINTS = 20 };

/* Returns the first change of work that budget limits count, and the number of further changes. */
const char *tp_compare_work_headline(const struct tp_compare *c, struct tp_arena *arena)
{
    const char *text = "";
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->work.count; i++) {
        const struct tp_work_change *change = &c->work.changes[i];
        if (change->is_counted_by_limit && !change->is_consequence && !count++)
            text = tp_work_change_sentence(change, arena);
    }
    return count > 1 ? tp_text_printf(arena, "%s; and %u more", text, count - 1) : text;
}

/* Returns whether a change of an operator in the data loader comes after another such change. The document reports all
 * such changes in one sentence, because a different loader changes all operators in it. */
static bool is_later_loader_change(const struct tp_work_diff *work, uint32_t at)
{
    for (uint32_t i = 0; work->changes[at].kind == TP_WORK_CHANGE_LOADER && i < at; i++)
        if (work->changes[i].kind == TP_WORK_CHANGE_LOADER)
            return true;
    return false;
}

static int64_t magnitude_of_change(const struct tp_work_change *change)
{
    return change->delta < 0 ? -change->delta : change->delta;
}

/* Returns the change in the number of an operator's calls, such as "+2 aten::set_". */
static const char *call_count_change_text(const struct tp_work_change *change, struct tp_arena *arena)
{
    return tp_text_printf(arena, "%s%s %.*s", change->delta > 0 ? "+" : "\xe2\x88\x92",
                          tp_text_of_count(arena, magnitude_of_change(change)), (int)change->name.len,
                          change->name.ptr);
}

/* Returns one sentence about all changes of operators in the data loader. The sentence names the two largest
 * changes. */
static const char *loader_change_text(const struct tp_work_diff *work, struct tp_arena *arena)
{
    const struct tp_work_change *largest = NULL, *second = NULL;
    int64_t added = 0, removed = 0;
    for (uint32_t i = 0; i < work->count; i++) {
        const struct tp_work_change *change = &work->changes[i];
        if (change->kind != TP_WORK_CHANGE_LOADER)
            continue;
        added += change->delta > 0 ? magnitude_of_change(change) : 0;
        removed += change->delta < 0 ? magnitude_of_change(change) : 0;
        bool is_largest = !largest || magnitude_of_change(change) > magnitude_of_change(largest);
        bool is_second = !is_largest && !tp_str_equal(change->name, largest->name) &&
                         (!second || magnitude_of_change(change) > magnitude_of_change(second));
        second = is_largest && largest && !tp_str_equal(change->name, largest->name) ? largest
                 : is_second                                                         ? change
                                                                                     : second;
        largest = is_largest ? change : largest;
    }
    if (!second)
        return tp_work_change_sentence(largest, arena);
    const char *more = added ? tp_text_printf(arena, "+%s", tp_text_of_count(arena, added)) : "";
    const char *less = removed ? tp_text_printf(arena, "\xe2\x88\x92%s", tp_text_of_count(arena, removed)) : "";
    return tp_text_printf(arena, "%s%s%s operator calls per step in the data loader, among them %s and %s", more,
                          added && removed ? " and " : "", less, call_count_change_text(largest, arena),
                          call_count_change_text(second, arena));
}

/* Returns the number of changes of work as text: "same", "3 changes" or "unknown". */
const char *tp_compare_work_figure(const struct tp_compare *c, struct tp_arena *arena)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->work.count; i++)
        count += !c->work.changes[i].is_consequence && !is_later_loader_change(&c->work, i);
    return !c->work.is_known ? "unknown" : count ? tp_text_of_counted_noun(arena, count, "change", "changes") : "same";
}

/* Returns the place of a change, such as " (train.py(12))"; "" if unknown. The name of the file is shown in the same
 * way as all names of the trace. */
static const char *place_of_change_text(const struct tp_work_change *change, const struct tp_naming *naming)
{
    struct tp_frame frame;
    if (!tp_frame_parse(&frame, change->place))
        return "";
    /* omits folders, because a line could break at a blank in the name of a folder */
    struct tp_str path = frame.path;
    for (size_t i = path.len; i-- > 0;)
        if (path.ptr[i] == '/' || path.ptr[i] == '\\') {
            path = (struct tp_str){path.ptr + i + 1, path.len - i - 1};
            break;
        }
    path = tp_shown_text(naming, path);
    return tp_text_printf(naming->arena, " (%.*s:%d)", (int)path.len, path.ptr,
                          change->line ? change->line : frame.line);
}

enum tp_work_change_kinds tp_compare_work_change_kinds(const struct tp_compare *c)
{
    enum tp_work_change_kinds kinds = TP_WORK_CHANGED_NOTHING;
    for (uint32_t i = 0; i < c->work.count; i++) {
        const struct tp_work_change *change = &c->work.changes[i];
        enum tp_work_change_kinds own = change->kind != TP_WORK_CHANGE_FUNCTION ? TP_WORK_CHANGED_OTHER
                                        : change->delta                         ? TP_WORK_CHANGED_FUNCTIONS
                                                                                : TP_WORK_CHANGED_TIMES;
        kinds = !change->is_consequence && own > kinds ? own : kinds;
    }
    return kinds;
}

const char *tp_compare_work_remark(const struct tp_compare *c, struct tp_arena *arena)
{
    enum tp_work_change_kinds kinds = tp_compare_work_change_kinds(c);
    if (kinds == TP_WORK_CHANGED_NOTHING || c->has_change_in_limited_work)
        return "";
    if (kinds == TP_WORK_CHANGED_OTHER)
        return tp_text_printf(arena, "the operators, copies or waits of a step differ (%s)",
                              tp_compare_work_figure(c, arena));
    uint32_t first = 0;
    while (c->work.changes[first].is_consequence)
        first++;
    const char *hint = tp_work_change_sentence(&c->work.changes[first], arena);
    return c->work.count > first + 1
               ? tp_text_printf(arena, "a hint, not certain: %s; and %u more", hint, c->work.count - first - 1)
               : tp_text_printf(arena, "a hint, not certain: %s", hint);
}

/* Returns the title of the list of changes. The title must not state more than the verdict, because a damaged input can
 * lack data that the other side has. */
static const char *finding_title(const struct tp_compare *c)
{
    if (c->is_data_unknown)
        return "The inputs show different data, so this list of changed work may be wrong";
    if (*c->damage)
        return "An input is damaged, so this list of changed work may be wrong";
    enum tp_work_change_kinds kinds = tp_compare_work_change_kinds(c);
    if (kinds == TP_WORK_CHANGED_TIMES)
        return "Functions of the data loader take longer or shorter";
    if (kinds == TP_WORK_CHANGED_FUNCTIONS)
        return "Functions of the data loader are called a different number of times, or take longer or shorter";
    return c->has_change_in_limited_work || c->is_open
               ? "A step does different work"
               : "A step does different work, but no change counts as a regression";
}

/* Replaces the names of kernels by names for people, unless these are the same on both sides. */
static struct tp_work_change with_shown_kernels(const struct tp_work_change *change, const struct tp_naming *naming)
{
    struct tp_work_change shown = *change;
    struct tp_str was = tp_shown_kernel_name(naming, change->detail[TP_BASE]);
    struct tp_str is = tp_shown_kernel_name(naming, change->detail[TP_NEW]);
    if (change->kind == TP_WORK_CHANGE_ALGORITHM && !tp_str_equal(was, is)) {
        shown.detail[TP_BASE] = was;
        shown.detail[TP_NEW] = is;
    }
    return shown;
}

/* Returns a change as a sentence, with the place in the code if it is known. */
static const char *change_text(const struct tp_compare *c, const struct tp_work_change *change,
                               const struct tp_naming *naming)
{
    struct tp_work_change shown = with_shown_kernels(change, naming);
    const char *words = change->kind == TP_WORK_CHANGE_LOADER ? loader_change_text(&c->work, naming->arena)
                                                              : tp_work_change_sentence(&shown, naming->arena);
    struct tp_str sentence = tp_shown_text(naming, tp_str_of(words));
    return tp_text_printf(naming->arena, "%.*s%s", (int)sentence.len, sentence.ptr,
                          place_of_change_text(change, naming));
}

/* Lists the changes that outputs show: first those that budget limits count, then the others. Returns the number of
 * changes; `order` has at most `most` of them. */
static uint32_t list_changes(const struct tp_compare *c, uint32_t *order, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < c->work.count; i++) {
            const struct tp_work_change *change = &c->work.changes[i];
            if (change->is_consequence || change->is_counted_by_limit == (pass == 1) ||
                is_later_loader_change(&c->work, i))
                continue;
            if (count < most)
                order[count] = i;
            count++;
        }
    return count;
}

void tp_compare_put_work(struct tp_document *document, const struct tp_compare *c, const struct tp_naming *naming)
{
    struct tp_arena *arena = naming->arena;
    uint32_t order[POINTS], count = list_changes(c, order, POINTS);
    if (c->work.is_known && c->work.has_names_only && !c->work.count)
        tp_document_add_note(document, "The steps of both sides call the same operators (compared by name).");
    if (!count)
        return;
    tp_document_add_notice(document, c->has_change_in_limited_work ? TP_TONE_BAD : TP_TONE_UNSURE, finding_title(c),
                           "");
    for (uint32_t i = 0; i < count && i < POINTS; i++) {
        const struct tp_work_change *change = &c->work.changes[order[i]];
        tp_document_add_notice_point(
            document, tp_text_printf(arena, "%s: %s", tp_work_change_text(change), change_text(c, change, naming)));
    }
    if (count > POINTS)
        tp_document_add_notice_point(document, tp_text_printf(arena, "and %u more; --json lists all", count - POINTS));
}

void tp_compare_put_work_section(struct tp_document *document, const struct tp_compare *c,
                                 const struct tp_naming *naming)
{
    enum { SHOWN = 8 };
    uint32_t order[SHOWN], count = list_changes(c, order, SHOWN);
    if (!count)
        return;
    tp_document_add_section(document,
                            &(struct tp_section_block){.id = "diff-work",
                                                       .label = "Work",
                                                       .title = "Work of a step",
                                                       .lead = tp_text_printf(naming->arena, "%s.", finding_title(c)),
                                                       .is_half = !c->has_change_in_limited_work});
    for (uint32_t i = 0; i < count && i < SHOWN; i++) {
        const char *kind = tp_work_change_text(&c->work.changes[order[i]]);
        bool is_same = i && strcmp(kind, tp_work_change_text(&c->work.changes[order[i - 1]])) == 0;
        tp_document_add_fact(document, is_same ? "" : kind, change_text(c, &c->work.changes[order[i]], naming));
    }
    if (count > SHOWN)
        tp_document_add_fact(document, "",
                             tp_text_printf(naming->arena, "and %u more; --json lists all", count - SHOWN));
}
