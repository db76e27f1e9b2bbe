/* Compares two memory snapshots: see snapshot_diff.h. */
#include "webreport/compare/snapshot/snapshot_diff_build.h"

#include "webreport/compare/snapshot/snapshot_diff_rows.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"

/* ---- devices ---- */

/* Returns the smallest number above `after` of a device that has segments on a side; INT64_MAX if none exists. */
static int64_t next_device(const struct tp_snapshot_diff *diff, int64_t after, bool is_first)
{
    int64_t next = INT64_MAX;
    for (unsigned side = 0; side < TP_SNAPSHOT_SIDES; side++) {
        const struct tp_vec *segments = &diff->results[side]->snapshot->segments;
        for (size_t i = 0; i < segments->count; i++) {
            int64_t device = TP_AT(segments, struct tp_snapshot_segment, i)->device;
            if ((is_first || device > after) && device < next)
                next = device;
        }
    }
    return next;
}

static const struct tp_snapshot_device *find_device(const struct tp_snapshot_result *result, int64_t device)
{
    for (uint64_t i = 0; i < result->device_count; i++)
        if (result->devices[i].device == device)
            return &result->devices[i];
    return NULL;
}

/* ---- segments ---- */

/* The address and the size of a segment. */
struct place {
    uint64_t address, size;
};

static int compare_places(const void *x, const void *y, const void *context)
{
    const struct place *a = x, *b = y;
    (void)context; /* all data is in the places */
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return (a->size > b->size) - (a->size < b->size);
}

/* Lists the distinct segments of a device by address and size. */
static struct tp_vec list_segments(const struct tp_snapshot_device *device, struct tp_arena *arena)
{
    struct tp_vec places = TP_VEC(arena, struct place);
    const struct tp_snapshot *snapshot = device ? device->context.snapshot : NULL;
    for (size_t i = 0; snapshot && i < snapshot->segments.count; i++) {
        const struct tp_snapshot_segment *segment = TP_AT(&snapshot->segments, struct tp_snapshot_segment, i);
        if (segment->device == device->device)
            *(struct place *)tp_vec_push(&places) = (struct place){segment->address, segment->size};
    }
    tp_merge_sort(arena, places.data, places.count, sizeof(struct place), compare_places, NULL);
    size_t kept = 0;
    for (size_t i = 0; i < places.count; i++) {
        struct place *all = places.data;
        if (!kept || compare_places(&all[kept - 1], &all[i], NULL) != 0)
            all[kept++] = all[i];
    }
    places.count = kept;
    return places;
}

/* Lists the addresses of the segments in `own` that `other` lacks. Both lists are sorted. */
static void list_only(struct tp_snapshot_diff_side *side, const struct tp_vec *own, const struct tp_vec *other,
                      struct tp_arena *arena)
{
    size_t k = 0;
    side->only_segments = tp_arena_array(arena, own->count, sizeof *side->only_segments);
    for (size_t i = 0; i < own->count; i++) {
        const struct place *place = TP_AT(own, struct place, i);
        while (k < other->count && compare_places(TP_AT(other, struct place, k), place, NULL) < 0)
            k++;
        if (k == other->count || compare_places(TP_AT(other, struct place, k), place, NULL) != 0)
            side->only_segments[side->only_segment_count++] = place->address;
    }
}

/* ---- the verdict ---- */

/* Returns whether the peak of a device rises. The known peak is a lower bound of the peak of the run, so that a rise
 * that is known from the events of NEW stays a rise if BASE shows its whole peak. */
static enum tp_snapshot_diff_verdict judge_device(const struct tp_snapshot_diff_device *device, double allowed_ratio)
{
    const struct tp_snapshot_diff_side *before = &device->sides[TP_SNAPSHOT_BEFORE];
    const struct tp_snapshot_diff_side *after = &device->sides[TP_SNAPSHOT_AFTER];
    bool rises = (double)after->peak_bytes > (double)before->peak_bytes * (1 + allowed_ratio);
    bool knows_before = !before->device || tp_snapshot_shows_peak(before->device);
    bool knows_after = !after->device || tp_snapshot_shows_peak(after->device);
    bool is_exact = !after->device || after->device->replay.is_exact;
    if (rises)
        return knows_before && is_exact ? TP_SNAPSHOT_DIFF_RISES : TP_SNAPSHOT_DIFF_UNKNOWN;
    return knows_after && (!before->device || before->device->replay.is_exact) ? TP_SNAPSHOT_DIFF_WITHIN
                                                                               : TP_SNAPSHOT_DIFF_UNKNOWN;
}

/* Sets the gravest verdict: a rise, then an unknown peak. */
static void judge(struct tp_snapshot_diff *diff, double allowed_ratio)
{
    static const unsigned gravity[] = {
        [TP_SNAPSHOT_DIFF_WITHIN] = 0, [TP_SNAPSHOT_DIFF_UNKNOWN] = 1, [TP_SNAPSHOT_DIFF_RISES] = 2};
    for (uint64_t i = 0; i < diff->device_count; i++) {
        enum tp_snapshot_diff_verdict verdict = judge_device(&diff->devices[i], allowed_ratio);
        if (gravity[verdict] > gravity[diff->verdict]) {
            diff->verdict = verdict;
            diff->gravest = i;
        }
    }
}

/* ---- the comparison ---- */

static void fill_side(struct tp_snapshot_diff_side *side, const struct tp_snapshot_device *device)
{
    *side = (struct tp_snapshot_diff_side){.device = device};
    if (!device)
        return;
    side->peak_bytes = device->peak.at.allocated_bytes;
    side->peak_reserved_bytes = device->peak_reserved.reserved_bytes;
    side->end_reserved_bytes = device->replay.end_reserved;
}

static void fill_device(struct tp_snapshot_diff_device *device, const struct tp_snapshot_diff *diff, int64_t number,
                        struct tp_arena *arena)
{
    struct tp_vec segments[TP_SNAPSHOT_SIDES];
    device->device = number;
    for (unsigned side = 0; side < TP_SNAPSHOT_SIDES; side++) {
        fill_side(&device->sides[side], find_device(diff->results[side], number));
        segments[side] = list_segments(device->sides[side].device, arena);
    }
    for (unsigned side = 0; side < TP_SNAPSHOT_SIDES; side++)
        list_only(&device->sides[side], &segments[side], &segments[!side], arena);
    tp_snapshot_diff_match_peak(device, arena);
    tp_snapshot_diff_match_end(device, arena);
    tp_snapshot_diff_match_categories(device, arena);
}

void tp_snapshot_diff_build(struct tp_snapshot_diff *diff, const struct tp_snapshot_result *before,
                            const struct tp_snapshot_result *after, double allowed_ratio, struct tp_arena *arena)
{
    struct tp_vec devices = TP_VEC(arena, struct tp_snapshot_diff_device);
    *diff = (struct tp_snapshot_diff){.results = {before, after}};
    for (int64_t device = next_device(diff, 0, true); device != INT64_MAX && devices.count < TP_MAX_SNAPSHOT_DEVICES;
         device = next_device(diff, device, false))
        fill_device(tp_vec_push(&devices), diff, device, arena);
    diff->devices = devices.data;
    diff->device_count = devices.count;
    judge(diff, allowed_ratio);
}
