/* Writes sentences about the ranks of a run. See rank_words.h. */
#include "webreport/compare/job/rank_words.h"

#include <math.h>

#include "writer/text/format.h"

const char *tp_straggler_text(const struct tp_straggler *found, struct tp_str worker, struct tp_arena *arena)
{
    return tp_text_printf(arena, "%.*s arrives last in %u of %s. The other ranks wait %s of each %s step for this rank",
                          (int)worker.len, worker.ptr, found->late_count,
                          tp_text_of_counted_noun(arena, found->step_count, "step", "steps"),
                          tp_text_of_time(arena, (int64_t)llround(found->wait_us * 1000)),
                          tp_text_of_time(arena, (int64_t)llround(found->step_us * 1000)));
}

const char *tp_link_rate_text(const struct tp_link_rate *found, struct tp_arena *arena)
{
    return tp_text_printf(
        arena,
        "Each step has %s of up to %s (largest: %s). The median rate on the bus is %s GB/s, %s of the %s GB/s that %s "
        "has "
        "in one direction (%s)",
        tp_text_of_counted_noun(arena, (int64_t)fmax(1, round(found->calls_per_step)), "large collective",
                                "large collectives"),
        tp_text_of_bytes(arena, found->bytes), found->collective, tp_text_of_fixed(arena, found->rate_gb_s, 1),
        tp_text_of_percent(arena, 100 * found->rate_gb_s / found->link_gb_s),
        tp_text_of_fixed(arena, found->link_gb_s, 0), found->device, found->is_measured ? "measured" : "published");
}
