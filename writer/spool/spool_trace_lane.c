/* Writes ranges that need rows of their own kind. Such ranges may begin and end on different threads, overlap, or
 * cross other ranges of their thread. See spool_trace.c.
 *
 * Ranges of one kind and domain are a group. They share as few rows as possible without overlap, at most a
 * thousand. Ranges that would need more rows are shown as instants. Ranges with equal times keep the order of the
 * file. */
#include <stdio.h>
#include <stdlib.h>

#include "writer/spool/spool_trace_part.h"

enum { MAX_LANES = 1000 };

/* number of the first row, greater than all system thread ids, which are below 2^22 */
#define FIRST_ROW ((int64_t)1 << 30)

/* ---- ends and facts (attributes) of ranges, sorted by key ----
 *
 * Records of one thread that follow each other can have the same time in nanoseconds, so records with equal times keep
 * the order in which they were read. */

static int compare_by_key(const void *x, const void *y)
{
    const struct tp_spool_keyed *a = x, *b = y;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

static int compare_by_key_and_start(const void *x, const void *y)
{
    const struct tp_spool_lane_range *a = x, *b = y;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

static bool does_range_come_first(const struct tp_spool_lane_range *range, const struct tp_spool_keyed *keyed)
{
    if (range->key != keyed->key)
        return range->key < keyed->key;
    return range->start_ns != keyed->at_ns ? range->start_ns < keyed->at_ns : range->position < keyed->position;
}

static void apply_end_or_fact_to_range(struct tp_spool_conversion *c, struct tp_vec *open,
                                       const struct tp_spool_keyed *keyed)
{
    struct tp_spool_lane_range *range =
        open->count ? TP_AT(&c->lane_ranges, struct tp_spool_lane_range, *TP_AT(open, uint32_t, open->count - 1))
                    : NULL;
    if (!range)
        return; /* no range with this key is open: the range began before the recording, or never */
    if (keyed->fact != TP_NO_ID) {
        TP_AT(&c->facts, struct tp_spool_range_fact, keyed->fact)->next = range->fact;
        range->fact = keyed->fact;
        return;
    }
    range->dur_ns = keyed->at_ns - range->start_ns;
    open->count--;
}

/* Matches ends and facts with ranges. Ranges with the same key follow each other or are nested. */
static void match_keys_with_ranges(struct tp_spool_conversion *c)
{
    struct tp_vec open = TP_VEC(c->arena, uint32_t);
    struct tp_spool_lane_range *ranges = c->lane_ranges.data;
    struct tp_spool_keyed *keyed = c->keyed.data;
    if (c->lane_ranges.count)
        qsort(ranges, c->lane_ranges.count, sizeof *ranges, compare_by_key_and_start);
    if (c->keyed.count)
        qsort(keyed, c->keyed.count, sizeof *keyed, compare_by_key);
    for (size_t r = 0, k = 0; r < c->lane_ranges.count || k < c->keyed.count;) {
        bool is_range =
            k == c->keyed.count || (r < c->lane_ranges.count && does_range_come_first(&ranges[r], &keyed[k]));
        uint64_t key = is_range ? ranges[r].key : keyed[k].key;
        if (open.count && ranges[*TP_AT(&open, uint32_t, open.count - 1)].key != key)
            open.count = 0;
        if (is_range && ranges[r].dur_ns < 0)
            *(uint32_t *)tp_vec_push(&open) = (uint32_t)r;
        if (is_range)
            r++;
        else
            apply_end_or_fact_to_range(c, &open, &keyed[k++]);
    }
}

static bool is_point_event(const struct tp_spool_lane_range *range)
{
    return range->is_open && (range->group & 0xFF) == TP_SPOOL_FORM_EVENT;
}

static void end_open_ranges(struct tp_spool_conversion *c)
{
    for (size_t i = 0; i < c->lane_ranges.count; i++) {
        struct tp_spool_lane_range *range = TP_AT(&c->lane_ranges, struct tp_spool_lane_range, i);
        range->is_open |= range->dur_ns < 0;
        if (range->dur_ns < 0)
            range->dur_ns = c->end_ns > range->start_ns && !is_point_event(range) ? c->end_ns - range->start_ns : 0;
        c->result->open_count += range->is_open && !is_point_event(range);
    }
}

/* ---- lanes ---- */

/* A lane in a binary heap. Used lanes are sorted by end, free lanes by number. */
struct lane {
    int64_t at;
    uint32_t number;
};

struct heap {
    struct lane items[MAX_LANES];
    uint32_t count;
};

static bool does_lane_end_before(struct lane a, struct lane b)
{
    return a.at != b.at ? a.at < b.at : a.number < b.number;
}

static void push_lane(struct heap *heap, struct lane lane)
{
    uint32_t i = heap->count++;
    for (; i > 0 && does_lane_end_before(lane, heap->items[(i - 1) / 2]); i = (i - 1) / 2)
        heap->items[i] = heap->items[(i - 1) / 2];
    heap->items[i] = lane;
}

static struct lane pop_lane_that_ends_first(struct heap *heap)
{
    struct lane first = heap->items[0], last = heap->items[--heap->count];
    uint32_t i = 0, child;
    while ((child = 2 * i + 1) < heap->count) {
        child += child + 1 < heap->count && does_lane_end_before(heap->items[child + 1], heap->items[child]);
        if (!does_lane_end_before(heap->items[child], last))
            break;
        heap->items[i] = heap->items[child];
        i = child;
    }
    heap->items[i] = last;
    return first;
}

int tp_spool_compare_lane_ranges(const void *x, const void *y)
{
    const struct tp_spool_lane_range *a = x, *b = y;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    if (a->dur_ns != b->dur_ns)
        return a->dur_ns > b->dur_ns ? -1 : 1;
    return (a->record > b->record) - (a->record < b->record);
}

/* Assigns lanes to the ranges of one group and returns the number of lanes. A range of length 0 occupies its lane only
 * at its start time. */
uint32_t tp_spool_assign_lanes(struct tp_spool_lane_range *ranges, size_t count)
{
    struct heap used = {.count = 0}, unused = {.count = 0};
    uint32_t lanes = 0;
    for (size_t i = 0; i < count; i++) {
        while (used.count && used.items[0].at <= ranges[i].start_ns) {
            struct lane lane = pop_lane_that_ends_first(&used);
            lane.at = 0;
            push_lane(&unused, lane);
        }
        bool is_full = unused.count == 0 && lanes == MAX_LANES;
        ranges[i].lane = is_full ? TP_NO_ID : unused.count ? pop_lane_that_ends_first(&unused).number : lanes++;
        if (!is_full)
            push_lane(&used, (struct lane){ranges[i].start_ns + ranges[i].dur_ns, ranges[i].lane});
    }
    return lanes;
}

/* ---- rows ---- */

static void write_names_of_rows(struct tp_spool_conversion *c, uint64_t group, int64_t first, uint32_t lanes)
{
    static const char *const forms[TP_SPOOL_FORM_COUNT] = {"ranges", "tasks", "frames", "regions", "events"};
    uint32_t form = group & 0xFF, domain = (uint32_t)(group >> 8);
    struct tp_str name = tp_spool_domain_name(c, domain);
    char text[200];
    for (uint32_t i = 0; i < lanes; i++) {
        int n = snprintf(text, sizeof text, "%s %s%s%.*s", domain & TP_SPOOL_ITT ? "ITT" : "NVTX",
                         forms[form < TP_SPOOL_FORM_COUNT ? form : 0], name.len ? ": " : "",
                         (int)(name.len < 120 ? name.len : 120), name.len ? name.ptr : "");
        if (i && n > 0 && (size_t)n < sizeof text)
            n += snprintf(text + n, sizeof text - (size_t)n, " (%u)", i + 1);
        tp_trace_out_row(c->out, (int64_t)c->file->head.pid, first + i,
                         (struct tp_str){text, n < (int)sizeof text ? (size_t)n : sizeof text - 1}, first + i);
    }
}

static void write_range(struct tp_spool_conversion *c, const struct tp_spool_lane_range *range, int64_t first)
{
    struct tp_trace_out_arg args[TP_SPOOL_MARK_ARGS + 2];
    size_t n = tp_spool_fill_mark_args(c, range->record, range->fact, args);
    bool has_lane = range->lane != TP_NO_ID && !is_point_event(range);
    if (range->is_open && !is_point_event(range))
        args[n++] = tp_trace_out_bool_arg(TP_OUT_FINISHED, false);
    if (!has_lane && !is_point_event(range))
        args[n++] = (struct tp_trace_out_arg){
            .key = TP_OUT_NAMED, .type = TP_OUT_INT, .name = TP_STR("duration_ns"), .value.integer = range->dur_ns};
    struct tp_str name = tp_spool_trace_name(c, range->record);
    if (range->record->name == 0)
        name = tp_spool_domain_name(c, (uint32_t)(range->group >> 8)); /* a frame without a name gets the name of its
                                                                        * domain */
    const struct tp_trace_out_event event = {.category = TP_OUT_USER_ANNOTATION,
                                             .name = name,
                                             .pid = (int64_t)c->file->head.pid,
                                             .tid = first + (range->lane == TP_NO_ID ? 0 : range->lane),
                                             .ts_ns = range->start_ns,
                                             .dur_ns = range->dur_ns,
                                             .args = args,
                                             .arg_count = n};
    (has_lane ? tp_trace_out_complete : tp_trace_out_instant)(c->out, &event);
}

void tp_spool_write_crossing(struct tp_spool_conversion *c, const struct tp_spool_range *range)
{
    struct tp_spool_mark mark = tp_spool_record_mark(range->record);
    *(struct tp_spool_lane_range *)tp_vec_push(&c->lane_ranges) =
        (struct tp_spool_lane_range){.start_ns = range->start_ns,
                                     .dur_ns = range->dur_ns,
                                     .record = range->record,
                                     .group = tp_spool_mark_group(&mark),
                                     .fact = range->fact,
                                     .is_open = range->is_open};
    /* subtracted here, because the range is counted later with the ranges of the lanes */
    c->result->open_count -= range->is_open;
    c->result->range_count--;
}

void tp_spool_write_lanes(struct tp_spool_conversion *c)
{
    struct tp_spool_lane_range *ranges = c->lane_ranges.data;
    int64_t row = FIRST_ROW;
    match_keys_with_ranges(c);
    end_open_ranges(c);
    if (c->lane_ranges.count)
        qsort(ranges, c->lane_ranges.count, sizeof *ranges, tp_spool_compare_lane_ranges);
    for (size_t i = 0, n; i < c->lane_ranges.count; i += n) {
        for (n = 1; i + n < c->lane_ranges.count && ranges[i + n].group == ranges[i].group;)
            n++;
        uint32_t lanes = tp_spool_assign_lanes(&ranges[i], n);
        write_names_of_rows(c, ranges[i].group, row, lanes);
        for (size_t k = 0; k < n; k++)
            write_range(c, &ranges[i + k], row);
        row += lanes;
    }
    c->result->range_count += c->lane_ranges.count;
}
