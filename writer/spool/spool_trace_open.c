/* Matches the starts and ends of ranges, and stores the open ranges of a thread. See spool_trace.c.
 *
 * Ranges of the program's own calls nest: an end belongs to the innermost open range. Ranges of NVTX and ITT nest only
 * within their domain, so they may cross other open ranges. One row cannot show crossing ranges, so a crossing range
 * is moved to a row of its own kind. Each function takes constant time per record, whatever a damaged file contains. */
#include "writer/spool/spool_trace_part.h"

#define OWN UINT32_MAX /* domain of all ranges that were not recorded by NVTX or ITT */

/* ---- the innermost open range of a domain ---- */

static void grow_innermost_slots(struct tp_spool_conversion *c)
{
    struct tp_spool_innermost *old = c->innermost;
    uint32_t count = c->innermost_slot_count, slots = count ? count * 2 : 64;
    c->innermost = tp_arena_array(c->arena, slots, sizeof *old);
    c->innermost_slot_count = slots;
    for (uint32_t i = 0; i < count; i++) {
        if (!old[i].thread)
            continue;
        uint32_t at = (uint32_t)tp_hash_mix(old[i].key, 0x9E3779B97F4A7C15ull) & (slots - 1);
        while (c->innermost[at].thread)
            at = (at + 1) & (slots - 1);
        c->innermost[at] = old[i];
    }
}

static struct tp_spool_innermost *find_slot(const struct tp_spool_conversion *c, uint32_t key)
{
    uint32_t at = (uint32_t)tp_hash_mix(key, 0x9E3779B97F4A7C15ull) & (c->innermost_slot_count - 1);
    while (c->innermost[at].thread && c->innermost[at].key != key)
        at = (at + 1) & (c->innermost_slot_count - 1);
    return &c->innermost[at];
}

static uint32_t innermost_range_with_key(const struct tp_spool_conversion *c, uint32_t key)
{
    const struct tp_spool_innermost *slot = c->innermost_slot_count ? find_slot(c, key) : NULL;
    return slot && slot->thread == c->thread ? slot->range : TP_NO_ID;
}

static void set_innermost_range_with_key(struct tp_spool_conversion *c, uint32_t key, uint32_t range)
{
    if (c->innermost_count * 2 >= c->innermost_slot_count)
        grow_innermost_slots(c);
    struct tp_spool_innermost *slot = find_slot(c, key);
    c->innermost_count += slot->thread == 0;
    *slot = (struct tp_spool_innermost){key, range, c->thread};
}

/* ---- the list of open ranges ---- */

static struct tp_spool_range *range_at(const struct tp_spool_conversion *c, uint32_t number)
{
    return TP_AT(&c->ranges, struct tp_spool_range, number);
}

static bool is_range_of_mark(const struct tp_spool_range *range)
{
    return range->record->kind == TP_SPOOL_MARK_PUSH;
}

static uint32_t range_domain(const struct tp_spool_range *range)
{
    if (!is_range_of_mark(range))
        return OWN;
    struct tp_spool_mark mark = tp_spool_record_mark(range->record);
    return mark.domain;
}

static void unlink_range(struct tp_spool_conversion *c, struct tp_spool_range *range)
{
    if (range->below != TP_NO_ID)
        range_at(c, range->below)->above = range->above;
    if (range->above != TP_NO_ID)
        range_at(c, range->above)->below = range->below;
    else
        c->top = range->below;
    range->below = range->above = TP_NO_ID;
}

static void mark_range_as_crossing(struct tp_spool_conversion *c, struct tp_spool_range *range)
{
    unlink_range(c, range);
    range->is_crossing = true;
}

static void end_open_range(struct tp_spool_conversion *c, uint32_t number, int64_t end_ns)
{
    struct tp_spool_range *range = range_at(c, number);
    set_innermost_range_with_key(c, range_domain(range), range->outer);
    c->open_steps -= range->record->kind == TP_SPOOL_STEP;
    if (is_range_of_mark(range) && !range->is_crossing && range->above != TP_NO_ID)
        mark_range_as_crossing(c, range);
    /* moves the ranges that began after this one and are still open, all of them marks (NVTX or ITT) */
    while (!is_range_of_mark(range) && c->top != number)
        mark_range_as_crossing(c, range_at(c, c->top));
    if (!range->is_crossing)
        unlink_range(c, range);
    range->dur_ns = end_ns > range->start_ns ? end_ns - range->start_ns : 0;
    range->is_ended = true;
}

/* ---- functions for records ---- */

void tp_spool_begin_thread(struct tp_spool_conversion *c, uint32_t thread)
{
    c->ranges.count = 0;
    c->top = TP_NO_ID;
    c->thread = thread + 1;
    c->open_steps = 0;
    c->next_stack = NULL;
    c->has_work = false;
}

void tp_spool_begin_range(struct tp_spool_conversion *c, const struct tp_spool_record *record)
{
    uint32_t number = (uint32_t)c->ranges.count;
    struct tp_spool_range *range = tp_vec_push(&c->ranges);
    *range = (struct tp_spool_range){.start_ns = tp_spool_trace_time_ns(c, record),
                                     .record = record,
                                     .stack = c->next_stack,
                                     .below = c->top,
                                     .above = TP_NO_ID,
                                     .fact = TP_NO_ID};
    if (c->top != TP_NO_ID)
        range_at(c, c->top)->above = number;
    c->top = number;
    c->open_steps += record->kind == TP_SPOOL_STEP;
    uint32_t domain = range_domain(range);
    range->outer = innermost_range_with_key(c, domain);
    set_innermost_range_with_key(c, domain, number);
}

void tp_spool_end_range(struct tp_spool_conversion *c, int64_t end_ns)
{
    uint32_t number = innermost_range_with_key(c, OWN);
    if (number != TP_NO_ID)
        end_open_range(c, number, end_ns);
}

/* Ends a step and all ranges that are still open in it, so that the ranges of a row nest. */
void tp_spool_end_step(struct tp_spool_conversion *c, int64_t end_ns)
{
    if (c->open_steps == 0)
        return;
    for (uint32_t before = c->open_steps; c->open_steps == before;)
        end_open_range(c, innermost_range_with_key(c, OWN), end_ns);
}

struct tp_spool_range *tp_spool_open_range(const struct tp_spool_conversion *c)
{
    uint32_t number = innermost_range_with_key(c, OWN);
    return number != TP_NO_ID ? range_at(c, number) : NULL;
}

struct tp_spool_range *tp_spool_outer_range(const struct tp_spool_conversion *c, const struct tp_spool_range *range)
{
    return range->outer != TP_NO_ID ? range_at(c, range->outer) : NULL;
}

void tp_spool_add_range(struct tp_spool_conversion *c, const struct tp_spool_record *record, int64_t start_ns,
                        int64_t end_ns)
{
    int64_t least_ns = c->top != TP_NO_ID ? range_at(c, c->top)->start_ns : start_ns;
    start_ns = start_ns < end_ns ? start_ns : end_ns;
    start_ns = start_ns > least_ns ? start_ns : least_ns;
    struct tp_spool_range *range = tp_vec_push(&c->ranges);
    *range = (struct tp_spool_range){.start_ns = start_ns,
                                     .dur_ns = end_ns > start_ns ? end_ns - start_ns : 0,
                                     .record = record,
                                     .stack = c->next_stack,
                                     .below = TP_NO_ID,
                                     .above = TP_NO_ID,
                                     .outer = TP_NO_ID,
                                     .fact = TP_NO_ID,
                                     .is_ended = true};
}

void tp_spool_pop_mark(struct tp_spool_conversion *c, uint32_t domain, int64_t end_ns)
{
    uint32_t number = domain == OWN ? TP_NO_ID : innermost_range_with_key(c, domain);
    if (number != TP_NO_ID)
        end_open_range(c, number, end_ns);
}

void tp_spool_end_all(struct tp_spool_conversion *c, int64_t end_ns)
{
    for (size_t i = 0; i < c->ranges.count; i++) {
        struct tp_spool_range *range = range_at(c, (uint32_t)i);
        if (range->is_ended)
            continue;
        range->dur_ns = end_ns > range->start_ns ? end_ns - range->start_ns : 0;
        range->is_open = true;
        c->result->open_count++;
    }
}

struct tp_spool_range *tp_spool_open_call(const struct tp_spool_conversion *c)
{
    /* maximum number of nested ranges to search; the wanted range is among the innermost ones */
    enum { DEPTH = 16 };
    uint32_t number = innermost_range_with_key(c, OWN);
    for (int i = 0; i < DEPTH && number != TP_NO_ID; i++) {
        struct tp_spool_range *range = range_at(c, number);
        if (range->record->kind == TP_SPOOL_KIND_SCOPE ||
            (range->record->kind >= TP_SPOOL_SCOPE && range->record->kind <= TP_SPOOL_MODULE))
            return range;
        number = range->outer;
    }
    return NULL;
}

struct tp_spool_range *tp_spool_open_mark(const struct tp_spool_conversion *c, uint32_t domain, uint64_t key)
{
    /* maximum number of nested ranges to search; facts follow soon after the start of their range */
    enum { DEPTH = 16 };
    uint32_t number = domain == OWN ? TP_NO_ID : innermost_range_with_key(c, domain);
    for (int i = 0; i < DEPTH && number != TP_NO_ID; i++) {
        struct tp_spool_range *range = range_at(c, number);
        struct tp_spool_mark mark = tp_spool_record_mark(range->record);
        if (key == 0 || mark.key == key)
            return range;
        number = range->outer;
    }
    return NULL;
}
