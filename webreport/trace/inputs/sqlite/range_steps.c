/* Chooses which ranges of a program are its training steps: see range_steps.h. Ranges with one name on one thread and
 * in one domain are a group. A group is a candidate if its ranges are apart from each other, launch device work and
 * cover enough of the recording. */
#include "webreport/trace/inputs/sqlite/range_steps.h"

#include "webreport/trace/inputs/sqlite/range_text.h"
#include "webreport/trace/regions.h"
#include "writer/base/id_map.h"
#include "writer/base/sort.h"

/* Thresholds of the rule. */
enum { LEAST_LAUNCHING_PERCENT = 90, LEAST_COUNT = 3, LEAST_NAMED_COUNT = 2 };
static const double least_coverage = 0.5, least_named_coverage = 0.2;

/* How certainly a name is that of a step. */
enum name_class { ANY_NAME, STEP_WORD, PROFILER_STEP };

struct group {
    uint32_t *items, count; /* the ranges in order of time, indices in search->ranges */
    enum name_class class;
    uint32_t depth; /* least number of ranges around a range of the group */
    double coverage;
    int64_t tid;
};

/* Start of a call that started device work. */
struct launch {
    int64_t start_ns;
    uint32_t thread;
};

void tp_step_search_init(struct tp_step_search *search, struct tp_arena *scratch, const struct tp_sink *sink)
{
    *search =
        (struct tp_step_search){.scratch = scratch, .ranges = TP_VEC(scratch, struct tp_step_range), .sink = sink};
    tp_strings_init(&search->names, scratch, 0);
}

void tp_step_search_add(struct tp_step_search *search, struct tp_step_range range, struct tp_str name)
{
    range.name = tp_strings_add(&search->names, tp_range_text_split(name, &range.number));
    *(struct tp_step_range *)tp_vec_push(&search->ranges) = range;
}

static const struct tp_step_range *range_at(const struct tp_step_search *search, uint32_t i)
{
    return TP_AT(&search->ranges, struct tp_step_range, i);
}

/* ---- calls that started device work ---- */

/* The correlations of all device operations: a set of bits if they are near each other, otherwise a hash table. */
struct correlations {
    int64_t first;
    uint64_t range;
    uint64_t *bits;
    struct tp_id_map map;
};

static bool has_correlation(const struct correlations *set, int64_t number)
{
    uint64_t at = (uint64_t)number - (uint64_t)set->first;
    if (!set->bits)
        return tp_id_map_find(&set->map, (uint64_t)number) != NULL;
    return at < set->range && set->bits[at / 64] >> (at % 64) & 1;
}

static void collect_correlations(struct correlations *set, const struct tp_vec *devices, struct tp_arena *scratch)
{
    enum { SPREAD = 128, ALWAYS = 1 << 20 };
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (size_t i = 0; i < devices->count; i++) {
        int64_t number = TP_AT(devices, struct tp_device_detail, i)->correlation;
        first = number < first ? number : first;
        last = number > last ? number : last;
    }
    *set = (struct correlations){.first = first, .range = devices->count ? (uint64_t)last - (uint64_t)first + 1 : 0};
    tp_id_map_init(&set->map, scratch);
    if (set->range && set->range / SPREAD <= devices->count + ALWAYS)
        set->bits = tp_arena_array(scratch, set->range / 64 + 1, sizeof *set->bits);
    for (size_t i = 0; i < devices->count; i++) {
        uint64_t number = (uint64_t)TP_AT(devices, struct tp_device_detail, i)->correlation;
        uint64_t at = number - (uint64_t)first;
        if (set->bits)
            set->bits[at / 64] |= UINT64_C(1) << (at % 64);
        else
            *tp_id_map_find_or_add(&set->map, number) = 0;
    }
}

static int compare_launches(const void *x, const void *y, const void *context)
{
    const struct launch *a = x, *b = y;
    (void)context;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* Lists the starts of all calls that started device work, on threads that have ranges, sorted by thread and time. */
static struct tp_vec list_launches(const struct tp_step_search *search)
{
    const struct tp_sink *sink = search->sink;
    struct tp_vec launches = TP_VEC(search->scratch, struct launch);
    uint8_t *has_ranges = tp_arena_array(search->scratch, sink->threads.count + 1, sizeof *has_ranges);
    struct correlations set;
    for (uint32_t i = 0; i < search->ranges.count; i++)
        has_ranges[range_at(search, i)->thread] = 1;
    collect_correlations(&set, &sink->devices, search->scratch);
    for (size_t i = 0; i < sink->events.count; i++) {
        const struct tp_event *event = TP_AT(&sink->events, struct tp_event, i);
        if (event->kind != TP_KIND_RUNTIME || !has_ranges[event->thread])
            continue;
        int64_t number = TP_AT(&sink->launches, struct tp_launch_detail, event->detail)->correlation;
        if (number > 0 && has_correlation(&set, number))
            *(struct launch *)tp_vec_push(&launches) = (struct launch){event->ts_ns, event->thread};
    }
    if (launches.count)
        tp_merge_sort(search->scratch, launches.data, launches.count, sizeof(struct launch), compare_launches, NULL);
    return launches;
}

/* Returns the number of launches before (thread, time). */
static size_t count_launches_before(const struct tp_vec *launches, uint32_t thread, int64_t time_ns)
{
    const struct launch key = {time_ns, thread};
    size_t low = 0, high = launches->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_launches(TP_AT(launches, struct launch, middle), &key, NULL) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- groups ---- */

/* Sorts the ranges into groups, in order of the first range of each. Returns the number of groups. */
static uint32_t make_groups(const struct tp_step_search *search, struct group **groups)
{
    uint32_t count = (uint32_t)search->ranges.count;
    uint32_t *group_of = tp_arena_array(search->scratch, count, sizeof *group_of);
    uint32_t *items = tp_arena_array(search->scratch, count, sizeof *items);
    struct tp_keys keys;
    tp_keys_init(&keys, search->scratch, 3);
    for (uint32_t i = 0; i < count; i++) {
        const struct tp_step_range *range = range_at(search, i);
        group_of[i] = tp_keys_add(&keys, (uint32_t[]){range->thread, range->domain, range->name});
    }
    *groups = tp_arena_array(search->scratch, tp_keys_count(&keys), sizeof **groups);
    for (uint32_t i = 0; i < count; i++)
        (*groups)[group_of[i]].count++;
    for (uint32_t g = 0, at = 0; g < tp_keys_count(&keys); g++) {
        (*groups)[g].items = items + at;
        at += (*groups)[g].count;
        (*groups)[g].count = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct group *group = &(*groups)[group_of[i]];
        group->items[group->count++] = i;
    }
    return tp_keys_count(&keys);
}

/* Returns true if at least LEAST_LAUNCHING_PERCENT of the ranges have a call that started device work. */
static bool do_ranges_launch(const struct tp_step_search *search, const struct group *group,
                             const struct tp_vec *launches)
{
    uint64_t launching = 0;
    for (uint32_t i = 0; i < group->count; i++) {
        const struct tp_step_range *range = range_at(search, group->items[i]);
        launching += count_launches_before(launches, range->thread, range->end_ns) >
                     count_launches_before(launches, range->thread, range->start_ns);
    }
    return launching * 100 >= (uint64_t)group->count * LEAST_LAUNCHING_PERCENT;
}

/* Computes depth and coverage of a group. Returns false if two of its ranges overlap. */
static bool measure_group(const struct tp_step_search *search, struct group *group)
{
    double covered_ns = 0;
    group->depth = UINT32_MAX;
    for (uint32_t i = 0; i < group->count; i++) {
        const struct tp_step_range *range = range_at(search, group->items[i]);
        if (i && range_at(search, group->items[i - 1])->end_ns > range->start_ns)
            return false;
        covered_ns += (double)(range->end_ns - range->start_ns);
        group->depth = range->depth < group->depth ? range->depth : group->depth;
        group->tid = range->tid;
    }
    group->coverage = covered_ns / (double)(search->device_time_ns > 1 ? search->device_time_ns : 1);
    return true;
}

static bool is_candidate(const struct tp_step_search *search, struct group *group, const struct tp_vec *launches)
{
    static const uint32_t least[] = {[ANY_NAME] = LEAST_COUNT, [STEP_WORD] = LEAST_NAMED_COUNT, [PROFILER_STEP] = 1};
    struct tp_str name = tp_strings_get(&search->names, range_at(search, group->items[0])->name);
    int64_t number;
    if (search->wanted)
        return tp_str_equal(name, tp_range_text_split(tp_str_of(search->wanted), &number)) &&
               measure_group(search, group);
    group->class = tp_str_equal(name, TP_STR(TP_PROFILER_STEP)) ? PROFILER_STEP
                   : tp_range_text_is_step_word(name)           ? STEP_WORD
                                                                : ANY_NAME;
    if (group->count < least[group->class] || !measure_group(search, group))
        return false;
    if (group->class == PROFILER_STEP)
        return true;
    return do_ranges_launch(search, group, launches) &&
           group->coverage >= (group->class == STEP_WORD ? least_named_coverage : least_coverage);
}

/* Returns the coverage in thousandths, so that nearly equal coverages are equal. */
static int64_t thousandths(double coverage)
{
    return coverage < 1e12 ? (int64_t)(coverage * 1000 + 0.5) : INT64_MAX;
}

/* Returns true if group a is more likely to be the steps than group b. */
static bool is_better(const struct group *a, const struct group *b)
{
    if (a->class != b->class)
        return a->class > b->class;
    if (a->depth != b->depth)
        return a->depth < b->depth;
    if (thousandths(a->coverage) != thousandths(b->coverage))
        return a->coverage > b->coverage;
    if (a->count != b->count)
        return a->count > b->count;
    return a->tid < b->tid;
}

/* Returns true if each range has a number, and the numbers ascend. */
static bool do_numbers_ascend(const struct tp_step_search *search, const struct group *group)
{
    for (uint32_t i = 0; i < group->count; i++) {
        int64_t number = range_at(search, group->items[i])->number;
        if (number == TP_NULL_INT || (i && range_at(search, group->items[i - 1])->number >= number))
            return false;
    }
    return true;
}

struct tp_step_choice tp_step_search_choose(struct tp_step_search *search)
{
    struct tp_step_choice choice = {{NULL, 0}, 0, 0, false, NULL, 0};
    struct group *groups, *best = NULL;
    if (!search->ranges.count)
        return choice;
    struct tp_vec launches = list_launches(search);
    uint32_t count = make_groups(search, &groups);
    for (uint32_t i = 0; i < count; i++)
        if (is_candidate(search, &groups[i], &launches) && (!best || is_better(&groups[i], best)))
            best = &groups[i];
    if (!best)
        return choice;
    choice.name = tp_strings_get(&search->names, range_at(search, best->items[0])->name);
    choice.tid = best->tid;
    choice.coverage = best->coverage;
    choice.has_own_numbers = do_numbers_ascend(search, best);
    choice.ranges = best->items;
    choice.count = best->count;
    return choice;
}
