/* Pairs begins and ends of slices: see slices.h. */
#include "webreport/trace/inputs/perfetto/slices.h"

#include "writer/base/limits.h"
#include "writer/base/sort.h"

void tp_slices_init(struct tp_slices *slices, struct tp_arena *arena)
{
    *slices = (struct tp_slices){.edges = TP_VEC(arena, struct tp_slice_edge)};
}

static struct tp_slice_edge *edge_at(const struct tp_vec *edges, size_t i)
{
    return TP_AT(edges, struct tp_slice_edge, i);
}

static void set_end(struct tp_event *events, const struct tp_slice_edge *begin, int64_t end_ns)
{
    if (begin->event != TP_NO_ID)
        events[begin->event].dur_ns = (int64_t)((uint64_t)end_ns - (uint64_t)begin->ts_ns);
}

/* ---- blocks ---- */

/* Returns true if the times of the edges run backwards somewhere. */
static bool runs_backwards(const struct tp_vec *edges)
{
    for (size_t i = 1; i < edges->count; i++)
        if (edge_at(edges, i)->ts_ns < edge_at(edges, i - 1)->ts_ns)
            return true;
    return false;
}

/* Returns true if the first `count` ends belong to the first begins by their positions. */
static bool fits_by_position(const struct tp_vec *begins, const struct tp_vec *ends, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (edge_at(begins, i)->track != edge_at(ends, i)->track || edge_at(begins, i)->ts_ns > edge_at(ends, i)->ts_ns)
            return false;
    return true;
}

/* Moves the edges from number `first` on to the edges that are paired by time. */
static void keep_edges(struct tp_slices *slices, const struct tp_vec *edges, size_t first, bool is_in_block)
{
    if (edges->count - first > TP_MAX_EVENTS - slices->edges.count)
        tp_arena_fail(edges->arena, TP_ELIMIT);
    for (size_t i = first; i < edges->count; i++) {
        struct tp_slice_edge *kept = tp_vec_push(&slices->edges);
        *kept = *edge_at(edges, i);
        kept->is_in_block = is_in_block;
    }
}

/* Pairs a block by position if its times run backwards and its begins and ends fit. may_lack_ends: true if the file was
 * cut, so that the last ends of the block may be missing. */
static void close_block(struct tp_slices *slices, struct tp_sequence *sequence, struct tp_event *events,
                        bool may_lack_ends)
{
    struct tp_vec *begins = &sequence->begins, *ends = &sequence->ends;
    bool is_backwards =
        runs_backwards(begins) || runs_backwards(ends) ||
        (begins->count && ends->count && edge_at(ends, 0)->ts_ns < edge_at(begins, begins->count - 1)->ts_ns);
    bool has_counts = begins->count == ends->count || (may_lack_ends && begins->count > ends->count);
    size_t paired = 0;
    if (is_backwards && has_counts && fits_by_position(begins, ends, ends->count))
        for (paired = 0; paired < ends->count; paired++)
            set_end(events, edge_at(begins, paired), edge_at(ends, paired)->ts_ns);
    keep_edges(slices, begins, paired, is_backwards);
    keep_edges(slices, ends, paired, is_backwards);
    begins->count = ends->count = 0;
}

void tp_slices_begin(struct tp_slices *slices, struct tp_sequence *sequence, struct tp_event *events,
                     struct tp_slice_edge edge)
{
    if (sequence->ends.count)
        close_block(slices, sequence, events, false);
    *(struct tp_slice_edge *)tp_vec_push(&sequence->begins) = edge;
}

void tp_slices_end(struct tp_sequence *sequence, struct tp_slice_edge edge)
{
    edge.is_end = true;
    *(struct tp_slice_edge *)tp_vec_push(&sequence->ends) = edge;
}

void tp_slices_finish_sequence(struct tp_slices *slices, struct tp_sequence *sequence, struct tp_event *events,
                               bool is_cut)
{
    close_block(slices, sequence, events, is_cut);
}

/* ---- pairing by time ---- */

/* The edges of one track, sorted by time, and the begins that are open. */
struct track {
    const struct tp_slice_edge *edges;
    size_t count;
    uint32_t *open; /* indexes of the open begins in `edges`, outermost first */
    size_t depth;
};

static void close_top(struct track *track, struct tp_event *events, int64_t ts_ns)
{
    set_end(events, &track->edges[track->open[--track->depth]], ts_ns);
}

static bool is_top_before(const struct track *track, int64_t ts_ns)
{
    return track->depth && track->edges[track->open[track->depth - 1]].ts_ns < ts_ns;
}

/* Processes the edges from `first` to `end`, which have the same time. In a block, ends come after all begins, so ends
 * first close slices that began earlier. Otherwise the order in the file counts. Returns the number of ends that closed
 * no slice. */
static uint64_t pair_edges_of_one_time(struct track *track, size_t first, size_t end, struct tp_event *events)
{
    int64_t ts_ns = track->edges[first].ts_ns;
    uint64_t left = 0;
    bool is_block = false;
    for (size_t i = first; i < end; i++)
        is_block |= track->edges[i].is_in_block;
    for (size_t i = first; i < end && is_block; i++)
        if (track->edges[i].is_end && is_top_before(track, ts_ns))
            close_top(track, events, ts_ns);
        else
            left += track->edges[i].is_end;
    for (size_t i = first; i < end; i++) {
        if (!track->edges[i].is_end)
            track->open[track->depth++] = (uint32_t)i;
        else if (!is_block && track->depth)
            close_top(track, events, ts_ns);
        else
            left += !is_block;
    }
    /* the remaining ends belong to slices without a duration */
    for (; left && track->depth && !is_top_before(track, ts_ns); left--)
        close_top(track, events, ts_ns);
    return left;
}

static void pair_track(struct tp_slices *slices, struct track *track, struct tp_event *events)
{
    for (size_t first = 0, end; first < track->count; first = end) {
        for (end = first + 1; end < track->count && track->edges[end].ts_ns == track->edges[first].ts_ns;)
            end++;
        slices->ends_without_begin += pair_edges_of_one_time(track, first, end, events);
    }
    slices->begins_without_end += track->depth;
    track->depth = 0;
}

static int compare_times(const void *x, const void *y, const void *context)
{
    const struct tp_slice_edge *a = x, *b = y;
    (void)context;
    return a->ts_ns < b->ts_ns ? -1 : a->ts_ns > b->ts_ns;
}

/* Sorts the edges by track, without changing their order on a track. Returns the position after the last edge of each
 * track. */
static size_t *sort_by_track(struct tp_slice_edge *sorted, const struct tp_vec *edges, uint32_t track_count)
{
    size_t *ends = tp_arena_array(edges->arena, (size_t)track_count + 1, sizeof *ends);
    for (size_t i = 0; i < edges->count; i++)
        ends[edge_at(edges, i)->track + 1]++;
    for (uint32_t t = 0; t < track_count; t++)
        ends[t + 1] += ends[t];
    for (size_t i = 0; i < edges->count; i++)
        sorted[ends[edge_at(edges, i)->track]++] = *edge_at(edges, i);
    return ends;
}

void tp_slices_finish(struct tp_slices *slices, struct tp_event *events, uint32_t track_count)
{
    struct tp_vec *edges = &slices->edges;
    struct tp_arena *arena = edges->arena;
    struct tp_slice_edge *sorted = tp_arena_array(arena, edges->count, sizeof *sorted);
    size_t *ends = sort_by_track(sorted, edges, track_count);
    tp_arena_free_item(arena, edges->data, edges->capacity * sizeof(struct tp_slice_edge));
    uint32_t *open = tp_arena_array(arena, edges->count, sizeof *open);
    size_t first = 0;
    for (uint32_t t = 0; t < track_count; t++) {
        struct track track = {sorted + first, ends[t] - first, open, 0};
        tp_merge_sort(arena, sorted + first, track.count, sizeof *sorted, compare_times, NULL);
        pair_track(slices, &track, events);
        first = ends[t];
    }
    tp_arena_free_item(arena, open, edges->count * sizeof *open);
    tp_arena_free_item(arena, sorted, edges->count * sizeof *sorted);
    *edges = TP_VEC(arena, struct tp_slice_edge);
}
