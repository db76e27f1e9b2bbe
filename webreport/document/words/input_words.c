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
