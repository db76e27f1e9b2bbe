/* Implements what the stages of the decision share: see flight_decision.h. */
#include "webreport/measure/flight/flight_decision.h"

/* ---- names ---- */

const char *tp_flight_verdict_text(unsigned verdict)
{
    static const char *const names[] = {"hang", "mismatch", "slow", "healthy", "unknown", "unreadable"};
    return names[verdict];
}

const char *tp_flight_why_text(unsigned why)
{
    static const char *const names[] = {"not_joined",    "no_dump",       "cannot_tell",   "mismatch",
                                        "gpu_behind",    "partial",       "stuck_inside",  "queued",
                                        "type_mismatch", "size_mismatch", "dtype_mismatch"};
    return names[why];
}

/* ---- parts that the stages share ---- */

struct tp_flight_ranks tp_flight_ranks_of(const struct tp_vec *ranks)
{
    return (struct tp_flight_ranks){ranks->data, ranks->count};
}

bool tp_flight_ranks_contain(const struct tp_flight_ranks *ranks, uint32_t rank)
{
    size_t low = 0, high = ranks->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranks->items[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < ranks->count && ranks->items[low] == rank;
}

uint32_t tp_flight_add_set(struct tp_flight_decision *d, struct tp_flight_ranks ranks)
{
    *(struct tp_flight_ranks *)tp_vec_push(&d->sets) = ranks;
    return (uint32_t)d->sets.count - 1;
}

void tp_flight_add_wait(struct tp_flight_decision *d, const struct tp_flight_entry *entry, uint32_t set)
{
    *(struct tp_flight_wait *)tp_vec_push(&d->waits) =
        (struct tp_flight_wait){tp_flight_rank_number(d->job, entry), set, entry->call.record_id};
}

void tp_flight_set_reason(struct tp_flight_decision *d, uint32_t rank, enum tp_flight_why why, uint32_t group,
                          int64_t sequence)
{
    if (!d->reasons[rank].is_set)
        d->reasons[rank] = (struct tp_flight_reason){true, (uint8_t)why, group, sequence};
}
