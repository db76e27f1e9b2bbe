/* Computes the usual lengths of a job: own work for each class and slot, and transfers for each collective. See
 * docs/definitions.md, section 29. */
#include <math.h>
#include <string.h>

#include "webreport/compare/replay/what_if_parts.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"

static const double LEAST_UNEVEN = 1.02, LEAST_LEVEL = 0.01, LATE_INPUT = 0.02, MUCH_INPUT = 0.1;
enum { LEVEL_SPREADS = 4, FEW_RANKS = 3 };

/* ---- totals ---- */

static void add_total_work_of_cells(struct tp_what_if_work *w)
{
    const struct tp_graph *graph = w->graph;
    for (unsigned p = 0; p < TP_SLOT_OWN; p++)
        w->total[p] = tp_arena_array(w->arena, (size_t)w->ranks * w->steps, sizeof(double));
    for (uint32_t r = 0; r < w->ranks; r++) {
        const struct tp_graph_rank *rank = tp_graph_rank_at(graph, r);
        for (uint32_t s = 0; s < w->steps; s++) {
            const double *own = graph->own_us + (size_t)tp_graph_cell(rank, s, 0) * TP_SLOT_OWN;
            for (uint32_t k = 0; k < rank->slot_count; k++, own += TP_SLOT_OWN)
                for (unsigned p = 0; p < TP_SLOT_OWN; p++)
                    w->total[p][(size_t)r * w->steps + s] += own[p];
        }
    }
}

/* ---- two levels ---- */

struct mean {
    double us;
    uint32_t rank;
};

static int compare_by_mean(const void *x, const void *y, const void *context)
{
    const struct mean *a = x, *b = y;
    (void)context;
    return (a->us > b->us) - (a->us < b->us);
}

static double spread_of_means(struct tp_what_if_work *w, const struct mean *means, size_t count)
{
    for (size_t i = 0; i < count; i++)
        w->values[i] = means[i].us;
    return tp_robust_deviation(w->values, count);
}

static double median_of_means(struct tp_what_if_work *w, const struct mean *means, size_t count)
{
    for (size_t i = 0; i < count; i++)
        w->values[i] = means[i].us;
    return tp_median(w->values, count);
}

/* Marks ranks whose mean work is in the upper of two clearly separate levels. The upper level must contain 20 % to
 * 80 % of the class. */
static void mark_ranks_of_upper_level(struct tp_what_if_work *w, const struct tp_graph_class *class, unsigned part,
                                      double least_excess_us)
{
    uint32_t n = class->rank_count, edge = n / 5 > 2 ? n / 5 : 2, at = 0;
    struct mean *means = tp_arena_array(w->arena, n, sizeof *means);
    double gap = 0;
    for (uint32_t i = 0; i < n; i++) {
        means[i].rank = class->ranks[i];
        for (uint32_t s = 0; s < w->steps; s++)
            means[i].us += w->total[part][(size_t) class->ranks[i] * w->steps + s];
        means[i].us /= w->steps;
    }
    tp_merge_sort(w->arena, means, n, sizeof *means, compare_by_mean, NULL);
    for (uint32_t i = edge; i + edge <= n && i < n; i++)
        if (means[i].us - means[i - 1].us >= gap) {
            gap = means[i].us - means[i - 1].us;
            at = i;
        }
    if (!at)
        return;
    double inner = fmax(fmax(spread_of_means(w, means, at), spread_of_means(w, means + at, n - at)), 1e-9);
    bool are_two = gap > LEVEL_SPREADS * inner &&
                   median_of_means(w, means + at, n - at) - median_of_means(w, means, at) > 2 * least_excess_us;
    for (uint32_t i = at; i < n && are_two; i++)
        w->is_upper[part][means[i].rank] = true;
}

/* Marks slow ranks in a class of two or three ranks, where a median does not show the usual length. The fastest rank is
 * usual. Another rank is slow if the difference is larger than the variation between the steps of the fastest rank. */
static void mark_slow_ranks_of_small_class(struct tp_what_if_work *w, const struct tp_graph_class *class, unsigned part,
                                           double least_excess_us)
{
    const double *fastest = NULL;
    double least = INFINITY, means[FEW_RANKS];
    for (uint32_t i = 0; i < class->rank_count; i++) {
        const double *total = w->total[part] + (size_t) class->ranks[i] * w->steps;
        means[i] = 0;
        for (uint32_t s = 0; s < w->steps; s++)
            means[i] += total[s] / w->steps;
        fastest = means[i] < least ? total : fastest;
        least = fmin(least, means[i]);
    }
    memcpy(w->values, fastest, w->steps * sizeof *w->values);
    double apart = fmax(2 * least_excess_us, LEVEL_SPREADS * tp_robust_deviation(w->values, w->steps));
    for (uint32_t i = 0; i < class->rank_count; i++)
        w->is_upper[part][class->ranks[i]] = means[i] > least + apart;
}

static void find_two_levels_of_ranks(struct tp_what_if_work *w)
{
    double sum = 0, cells = (double)w->ranks * w->steps;
    for (size_t i = 0; i < (size_t)w->ranks * w->steps; i++)
        sum += w->total[TP_SLOT_KERNEL][i];
    for (unsigned p = 0; p < TP_SLOT_OWN; p++) {
        w->is_upper[p] = tp_arena_array(w->arena, w->ranks, sizeof(bool));
        for (size_t c = 0; c < w->graph->classes.count; c++) {
            const struct tp_graph_class *class = tp_graph_class_at(w->graph, c);
            (class->rank_count <= FEW_RANKS ? mark_slow_ranks_of_small_class
                                            : mark_ranks_of_upper_level)(w, class, p, LEAST_LEVEL * sum / cells);
        }
    }
}

/* ---- usual own work ---- */

static double usual_slot_us(struct tp_what_if_work *w, const struct tp_graph_class *class, uint32_t slot, unsigned part)
{
    size_t count = 0;
    for (uint32_t i = 0; i < class->rank_count; i++) {
        const struct tp_graph_rank *rank = tp_graph_rank_at(w->graph, class->ranks[i]);
        for (uint32_t s = 0; s < w->steps && !w->is_upper[part][class->ranks[i]]; s++)
            w->values[count++] = w->graph->own_us[(size_t)tp_graph_cell(rank, s, slot) * TP_SLOT_OWN + part];
    }
    return count ? tp_median(w->values, count) : 0;
}

static double usual_work_of_class_us(const struct tp_what_if_work *w, uint32_t class, unsigned part)
{
    double sum = 0;
    for (uint32_t k = 0; k < tp_graph_class_at(w->graph, class)->slot_count; k++)
        sum += tp_usual_work_us(w, w->usual, class, k, part);
    return sum;
}

/* Finds the usual input time. Input can be ready before a rank needs it. A class that waits longer for input than
 * another class therefore has late input. If all classes wait long, input is late for all. */
static void find_usual_input_time(struct tp_what_if_work *w)
{
    uint32_t count = (uint32_t)w->graph->classes.count;
    double least = INFINITY, work = 0;
    for (uint32_t c = 0; c < count; c++) {
        least = fmin(least, usual_work_of_class_us(w, c, TP_SLOT_INPUT));
        for (unsigned p = 0; p < TP_SLOT_OWN; p++)
            work += usual_work_of_class_us(w, c, p) / count;
    }
    least = least > MUCH_INPUT * work ? 0 : least;
    for (uint32_t c = 0; c < count; c++) {
        double total = usual_work_of_class_us(w, c, TP_SLOT_INPUT);
        w->is_input_late |= total > least + LATE_INPUT * work;
        for (uint32_t k = 0; k < tp_graph_class_at(w->graph, c)->slot_count && total > least + LATE_INPUT * work; k++)
            w->usual[w->first_usual_of_class[c] + k * TP_SLOT_OWN + TP_SLOT_INPUT] *= least / total;
    }
}

static void find_usual_work(struct tp_what_if_work *w)
{
    size_t count = w->graph->classes.count, cells = 0;
    w->first_usual_of_class = tp_arena_array(w->arena, count, sizeof *w->first_usual_of_class);
    w->work = tp_arena_array(w->arena, count, sizeof *w->work);
    for (size_t c = 0; c < count; c++) {
        w->first_usual_of_class[c] = (uint32_t)cells;
        cells += (size_t)tp_graph_class_at(w->graph, c)->slot_count * TP_SLOT_OWN;
    }
    w->usual = tp_arena_array(w->arena, cells, sizeof *w->usual);
    w->usual_with_equal_stages = tp_arena_array(w->arena, cells, sizeof *w->usual_with_equal_stages);
    for (uint32_t c = 0; c < count; c++) {
        const struct tp_graph_class *class = tp_graph_class_at(w->graph, c);
        for (uint32_t k = 0; k < class->slot_count; k++)
            for (unsigned p = 0; p < TP_SLOT_OWN; p++)
                w->usual[w->first_usual_of_class[c] + k * TP_SLOT_OWN + p] = usual_slot_us(w, class, k, p);
        w->work[c] = usual_work_of_class_us(w, c, TP_SLOT_KERNEL);
    }
    find_usual_input_time(w);
    memcpy(w->values, w->work, count * sizeof *w->values);
    w->median_work_us = tp_median(w->values, count);
}

/* ---- equal stages ---- */

static bool have_equal_slots(const struct tp_graph *graph)
{
    for (size_t c = 1; c < graph->classes.count; c++)
        if (tp_graph_class_at(graph, c)->row != tp_graph_class_at(graph, 0)->row)
            return false;
    return true;
}

/* Makes the stages equal by replacing each slot by its mean over the stages. If the rows of slots differ, scales
 * each stage to the mean of all. */
static void use_mean_work_of_stages(struct tp_what_if_work *w, unsigned part, bool is_one_row)
{
    size_t count = w->graph->classes.count;
    double *sums = tp_arena_array(w->arena, count, sizeof *sums), all = 0;
    for (uint32_t c = 0; c < count; c++) {
        sums[c] = usual_work_of_class_us(w, c, part);
        all += sums[c] / (double)count;
    }
    for (uint32_t c = 0; c < count; c++)
        for (uint32_t k = 0; k < tp_graph_class_at(w->graph, c)->slot_count; k++) {
            double *even = &w->usual_with_equal_stages[w->first_usual_of_class[c] + k * TP_SLOT_OWN + part];
            *even = sums[c] > 0 ? tp_usual_work_us(w, w->usual, c, k, part) * all / sums[c] : 0;
            for (uint32_t o = 0; is_one_row && o < count; o++)
                *even = (o ? *even : 0) + tp_usual_work_us(w, w->usual, o, k, part);
            *even /= is_one_row ? (double)count : 1;
        }
}

/* Returns whether no stage has more recorded ranks than the stage of this class. If ranks are missing, a few slow ranks
 * may look like a slow stage. */
static bool is_stage_with_most_recorded_ranks(const struct tp_what_if_work *w, uint32_t class_index)
{
    const struct tp_graph *graph = w->graph;
    uint32_t most = 0;
    for (size_t c = 0; c < graph->classes.count; c++) {
        uint32_t count = tp_graph_stage_ranks(graph, tp_graph_class_at(graph, c)->stage);
        most = count > most ? count : most;
    }
    return tp_graph_stage_ranks(graph, tp_graph_class_at(graph, class_index)->stage) == most;
}

static void find_equal_stages(struct tp_what_if_work *w)
{
    bool is_one_row = have_equal_slots(w->graph);
    w->class_with_most_work = TP_NO_ID;
    if (w->graph->pipeline != TP_NO_ID && w->graph->classes.count > 1) {
        w->class_with_most_work = 0;
        for (uint32_t c = 1; c < w->graph->classes.count; c++)
            w->class_with_most_work = w->work[c] > w->work[w->class_with_most_work] ? c : w->class_with_most_work;
        w->are_stages_uneven = w->work[w->class_with_most_work] > LEAST_UNEVEN * w->median_work_us &&
                               is_stage_with_most_recorded_ranks(w, w->class_with_most_work);
    }
    for (unsigned p = 0; p < TP_SLOT_OWN; p++)
        use_mean_work_of_stages(w, p, is_one_row);
}

/* Returns the number of slow ranks in other classes. Returns 0 if one of these ranks is slow by another factor than
 * `ratio`. ratio: factor by which this class exceeds other stages. */
static uint32_t count_equally_slow_ranks_elsewhere(const struct tp_what_if_work *w, uint32_t class_index, double ratio)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < w->ranks; r++) {
        uint32_t class = tp_graph_rank_at(w->graph, r)->class;
        double sum = 0;
        if (class == class_index || !w->is_upper[TP_SLOT_KERNEL][r])
            continue;
        for (uint32_t s = 0; s < w->steps; s++)
            sum += w->total[TP_SLOT_KERNEL][(size_t)r * w->steps + s] / w->steps;
        if (!(fabs(sum / w->work[class] - ratio) < LEAST_LEVEL))
            return 0;
        count++;
    }
    return count;
}

/* Finds a slower level that contains all ranks of a stage. Such a level resembles a stage with more work, but ranks of
 * other stages are slow by the same factor. With two such ranks, chance is no longer a plausible explanation. */
static void find_level_across_stages(struct tp_what_if_work *w)
{
    w->slow_level_class = TP_NO_ID;
    uint32_t most = w->class_with_most_work;
    if (!w->are_stages_uneven)
        return;
    double ratio = w->work[most] / w->median_work_us;
    const struct tp_graph_class *class = tp_graph_class_at(w->graph, most);
    if (count_equally_slow_ranks_elsewhere(w, most, ratio) < 2)
        return;
    for (uint32_t i = 0; i < class->rank_count; i++)
        w->is_upper[TP_SLOT_KERNEL][class->ranks[i]] = true;
    for (uint32_t k = 0; k < class->slot_count; k++)
        w->usual[w->first_usual_of_class[most] + k * TP_SLOT_OWN + TP_SLOT_KERNEL] /= ratio;
    w->slow_level_class = most;
    w->slow_level_ratio = ratio;
    w->work[most] /= ratio;
    find_equal_stages(w);
}

static void compute_excess(struct tp_what_if_work *w)
{
    for (unsigned p = 0; p < TP_SLOT_OWN; p++) {
        w->excess[p] = tp_arena_array(w->arena, (size_t)w->ranks * w->steps, sizeof(double));
        for (uint32_t r = 0; r < w->ranks; r++) {
            uint32_t class = tp_graph_rank_at(w->graph, r)->class;
            double usual = usual_work_of_class_us(w, class, p);
            for (uint32_t s = 0; s < w->steps; s++)
                w->excess[p][(size_t)r * w->steps + s] = w->total[p][(size_t)r * w->steps + s] - usual;
        }
    }
}

/* ---- transfers ---- */

struct sample {
    uint32_t pair;
    double us;
};

static int compare_by_pair(const void *x, const void *y, const void *context)
{
    const struct sample *a = x, *b = y;
    (void)context;
    return a->pair != b->pair ? (a->pair > b->pair) - (a->pair < b->pair) : (a->us > b->us) - (a->us < b->us);
}

static void find_pair_medians(struct tp_what_if_work *w)
{
    const struct tp_graph *graph = w->graph;
    struct sample *samples = tp_arena_array(w->arena, graph->meetings.count, sizeof *samples);
    size_t count = 0;
    w->median_pair_transfer_us = tp_arena_array(w->arena, graph->pairs.count, sizeof *w->median_pair_transfer_us);
    for (size_t m = 0; m < graph->meetings.count; m++) {
        const struct tp_graph_meeting *meeting = tp_graph_collective_at(graph, m);
        samples[count++] = (struct sample){meeting->pair, meeting->transfer_us};
    }
    tp_merge_sort(w->arena, samples, count, sizeof *samples, compare_by_pair, NULL);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && samples[end].pair == samples[first].pair; end++)
            w->values[end - first] = samples[end].us;
        w->median_pair_transfer_us[samples[first].pair] = tp_sorted_median(w->values, end - first);
    }
    tp_arena_free_item(w->arena, samples, graph->meetings.count * sizeof *samples);
}

/* Computes the usual transfer time of each key: the median over the faster half of the groups. */
static void find_usual_links(struct tp_what_if_work *w)
{
    const struct tp_graph *graph = w->graph;
    uint32_t at = 0;
    w->links = tp_arena_array(w->arena, graph->keys.count, sizeof *w->links);
    w->pairs_by_key = tp_arena_array(w->arena, graph->pairs.count, sizeof *w->pairs_by_key);
    for (size_t i = 0; i < graph->pairs.count; i++)
        w->links[tp_graph_pair_at(graph, i)->key].pair_count++;
    for (size_t k = 0; k < graph->keys.count; k++) {
        w->links[k].first_pair = at;
        at += w->links[k].pair_count;
        w->links[k].pair_count = 0;
    }
    for (uint32_t i = 0; i < graph->pairs.count; i++) {
        struct tp_usual_link *link = &w->links[tp_graph_pair_at(graph, i)->key];
        w->pairs_by_key[link->first_pair + link->pair_count++] = i;
    }
    for (size_t k = 0; k < graph->keys.count; k++) {
        struct tp_usual_link *link = &w->links[k];
        for (uint32_t i = 0; i < link->pair_count; i++)
            w->values[i] = w->median_pair_transfer_us[w->pairs_by_key[link->first_pair + i]];
        tp_sort_reals(w->values, link->pair_count);
        link->usual_us = tp_sorted_median(w->values, (link->pair_count + 1) / 2);
    }
}

/* Returns the transfer time of a collective on the late host, divided by the time that the ranks of other hosts spend
 * in the collective. The result is the median over the pairs of a key. */
static double time_ratio_of_late_host(struct tp_what_if_work *w, const struct tp_usual_link *link)
{
    size_t count = 0;
    for (uint32_t i = 0; i < link->pair_count; i++) {
        uint32_t pair = w->pairs_by_key[link->first_pair + i];
        if (w->prompt_us[pair] > 0)
            w->values[count++] = w->median_pair_transfer_us[pair] / w->prompt_us[pair];
    }
    return count ? tp_median(w->values, count) : 1;
}

/* If a host leaves collectives late, uses the times of the other ranks as usual times. The time of a collective that
 * queued behind another one also contains a wait, which lowers the ratio. The largest ratio of all keys is therefore
 * used for every key. */
static void use_times_of_ranks_on_time(struct tp_what_if_work *w, uint32_t family)
{
    const struct tp_graph *graph = w->graph;
    double ratio = 1;
    for (size_t k = 0; k < graph->keys.count; k++)
        if (TP_AT(&graph->keys, struct tp_graph_key, k)->family == family)
            ratio = fmax(ratio, time_ratio_of_late_host(w, &w->links[k]));
    for (size_t k = 0; k < graph->keys.count; k++)
        if (TP_AT(&graph->keys, struct tp_graph_key, k)->family == family)
            w->links[k].usual_us /= ratio;
}

void tp_what_if_use_mean_kernel_times(struct tp_what_if_work *w)
{
    for (uint32_t c = 0; c < w->graph->classes.count; c++) {
        const struct tp_graph_class *class = tp_graph_class_at(w->graph, c);
        for (uint32_t k = 0; k < class->slot_count; k++) {
            double sum = 0, count = 0;
            for (uint32_t i = 0; i < class->rank_count; i++) {
                const struct tp_graph_rank *rank = tp_graph_rank_at(w->graph, class->ranks[i]);
                for (uint32_t s = 0; s < w->steps; s++, count++)
                    sum += w->graph->own_us[(size_t)tp_graph_cell(rank, s, k) * TP_SLOT_OWN + TP_SLOT_KERNEL];
            }
            w->usual[w->first_usual_of_class[c] + k * TP_SLOT_OWN + TP_SLOT_KERNEL] = count > 0 ? sum / count : 0;
        }
    }
    use_mean_work_of_stages(w, TP_SLOT_KERNEL, have_equal_slots(w->graph));
    compute_excess(w);
}

void tp_what_if_find_usual_lengths(struct tp_what_if_work *w)
{
    add_total_work_of_cells(w);
    find_two_levels_of_ranks(w);
    find_usual_work(w);
    find_equal_stages(w);
    find_level_across_stages(w);
    compute_excess(w);
    tp_what_if_find_late_hosts(w);
    find_pair_medians(w);
    find_usual_links(w);
    for (uint32_t f = 0; f < w->graph->families.count; f++)
        if (w->late_host[f] != TP_NO_ID)
            use_times_of_ranks_on_time(w, f);
}
