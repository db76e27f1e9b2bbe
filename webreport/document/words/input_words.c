/* Implements input_words.h. */
#include "webreport/document/words/input_words.h"

#include "webreport/trace/evidence.h"
#include "writer/text/format.h"

const char *tp_input_unknown_text(const struct tp_input_facts *facts, struct tp_arena *arena)
{
    return facts->unknown
               ? tp_text_printf(arena, "This input cannot show %s.", tp_evidence_unknown_list(facts->unknown, arena))
               : "";
}

const char *tp_input_line(const struct tp_input_facts *facts, struct tp_arena *arena)
{
    const char *unknown = tp_input_unknown_text(facts, arena);
    if (!facts->producer.ptr)
        return unknown;
    return tp_text_printf(arena, "%.*s%s%s", (int)facts->producer.len, facts->producer.ptr, *unknown ? ". " : "",
                          unknown);
}

/* Returns the index of the most frequent unknown category that is not in the bits `listed`; TP_UNKNOWN_CATEGORIES if
 * all are listed. */
static unsigned most_frequent_category(const struct tp_reading *reading, unsigned listed)
{
    unsigned found = TP_UNKNOWN_CATEGORIES;
    for (unsigned i = 0; i < TP_UNKNOWN_CATEGORIES; i++) {
        uint64_t count = reading->unknown_categories[i].count;
        if (count && !(listed >> i & 1) &&
            (found == TP_UNKNOWN_CATEGORIES || count > reading->unknown_categories[found].count))
            found = i;
    }
    return found;
}

const char *tp_input_unknown_categories_text(const struct tp_trace *trace,
                                             struct tp_str (*show)(const void *context, struct tp_str text),
                                             const void *context, struct tp_arena *arena)
{
    enum { SHOWN = 3, ONE_IN = 20 };
    const struct tp_reading *reading = &trace->reading;
    uint64_t unknown = reading->skipped[TP_SKIP_UNKNOWN_CATEGORY], all = unknown;
    for (unsigned kind = 0; kind < TP_KIND_COUNT; kind++)
        all += reading->read[kind];
    if (trace->input.producer.ptr || unknown * ONE_IN <= all)
        return "";
    const char *text = tp_text_printf(
        arena, "%s of %s not read, because tracepress does not know the category; the largest categories are: ",
        tp_text_of_count(arena, (int64_t)unknown),
        tp_text_of_counted_noun(arena, (int64_t)all, "slice is", "slices are"));
    for (unsigned i = 0, listed = 0; i < SHOWN; i++) {
        unsigned place = most_frequent_category(reading, listed);
        if (place == TP_UNKNOWN_CATEGORIES)
            break;
        struct tp_str cat = tp_strings_get(&trace->cats, reading->unknown_categories[place].cat);
        cat = cat.len ? cat : TP_STR("no category");
        listed |= 1u << place;
        cat = show ? show(context, cat) : cat;
        text = tp_text_printf(arena, "%s%s%.*s (%s)", text, i ? ", " : "", (int)cat.len, cat.ptr,
                              tp_text_of_count(arena, (int64_t)reading->unknown_categories[place].count));
    }
    return text;
}
