/* Writes sentences about the ranks of a run. See rank_words.h. */
#include "webreport/compare/job/rank_words.h"

#include <math.h>

#include "writer/text/format.h"

const char *tp_straggler_text(const struct tp_straggler *found, struct tp_str worker, struct tp_arena *arena)
{
    return tp_text_printf(arena,
                          "%.*s arrives last in %u of %u steps; the other ranks wait for it for %s of each %s step",
                          (int)worker.len, worker.ptr, found->late_count, found->step_count,
                          tp_text_of_time(arena, (int64_t)llround(found->wait_us * 1000)),
                          tp_text_of_time(arena, (int64_t)llround(found->step_us * 1000)));
}

const char *tp_link_rate_text(const struct tp_link_rate *found, struct tp_arena *arena)
{
    return tp_text_printf(
        arena,
        "%s of %s per step, of up to %s, run at %s GB/s on the bus, which is %s of the %s GB/s that %s has in one "
        "direction (%s)",
        tp_text_of_counted_noun(arena, (int64_t)fmax(1, round(found->calls_per_step)), "call", "calls"),
        found->collective, tp_text_of_bytes(arena, found->bytes), tp_text_of_fixed(arena, found->rate_gb_s, 1),
        tp_text_of_percent(arena, 100 * found->rate_gb_s / found->link_gb_s),
        tp_text_of_fixed(arena, found->link_gb_s, 0), found->device, found->is_measured ? "measured" : "published");
}
