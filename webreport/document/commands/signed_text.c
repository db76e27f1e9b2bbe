/* Formats numbers with their sign. See signed_text.h. */
#include "webreport/document/commands/signed_text.h"

#include <stdbool.h>

#include "writer/text/format.h"

static const char *signed_text(struct tp_arena *arena, bool is_more, const char *text)
{
    return is_more ? tp_text_printf(arena, "+%s", text) : text;
}

const char *tp_signed_time_text(struct tp_arena *arena, int64_t ns)
{
    return signed_text(arena, ns > 0, tp_text_of_time(arena, ns));
}

const char *tp_signed_bytes_text(struct tp_arena *arena, int64_t bytes)
{
    return signed_text(arena, bytes > 0, tp_text_of_bytes(arena, bytes));
}

const char *tp_signed_percent_text(struct tp_arena *arena, double percent)
{
    return signed_text(arena, percent > 0, tp_text_of_fixed(arena, percent, 1));
}
