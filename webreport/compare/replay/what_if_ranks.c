/* Finds ranks with unusually long own work, part by part. See docs/definitions.md, section 29. Ranks that are always
 * slow are reported first, as sets (host, process group, stage) if possible. Then come ranks that become slow, and
 * ranks that are slow in single steps. */
#include <math.h>
#include <string.h>

#include "webreport/compare/replay/what_if_parts.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"

static const double RANK_SHARE = 0.01, CELL_SHARE = 0.03, FULL = 0.8, MANY = 0.2, CHANCE = 0.05;
enum { SPREADS = 4, CELL_SPREADS = 6, MOST_SETS = 4, MOST_COVERS = 24, MOST_LATE = 16, LEAST_LEVEL_RANKS = 3 };

/* State of the search for slow ranks in one part of own work. */
struct finder {
    struct tp_what_if_work *w;
    unsigned part;
    /* times in us. middle: median excess; slow_rank_excess_us, slow_cell_excess_us: smallest excess over the median
     * with which a rank, or a rank in one step, is slow */
    double middle, slow_rank_excess_us, slow_cell_excess_us;
    double *median; /* for each rank: median of its excess over the steps, us */
    bool *is_rank_slow;
    uint32_t *late_from; /* for each rank: first step of those in which the rank is slow until the end, or 0 */
    uint32_t slow_rank_count, late_count;
    double rate; /* share (0 to 1) of cells (rank, step) that are slow */
};

static const double *rank_excess(const struct finder *f, uint32_t rank)
{
    return f->w->excess[f->part] + (size_t)rank * f->w->steps;
}

/* ---- thresholds ---- */

static void find_thresholds(struct finder *f)
{
    struct tp_what_if_work *w = f->w;
    double *values = w->values, step_us = w->T / w->steps;
    size_t count = 0, above = 0;
    for (uint32_t r = 0; r < w->ranks; r++) {
        memcpy(values, rank_excess(f, r), w->steps * sizeof *values);
        f->median[r] = tp_median(values, w->steps);
    }
    for (uint32_t r = 0; r < w->ranks; r++)
        for (uint32_t s = 0; s < w->steps && !w->is_upper[f->part][r]; s++)
            values[count++] = rank_excess(f, r)[s];
    f->middle = f->part == TP_SLOT_INPUT && w->is_input_late ? 0 : tp_median(values, count);
    double spread = fmax(tp_robust_deviation(values, count), 1e-9);
    count = 0;
    for (uint32_t r = 0; r < w->ranks; r++)
        if (!w->is_upper[f->part][r])
            values[count++] = f->median[r];
    f->slow_rank_excess_us =
        fmax(fmax(RANK_SHARE * step_us, 3.5 * spread / sqrt(w->steps)), SPREADS * tp_robust_deviation(values, count));
    f->slow_cell_excess_us = fmax(CELL_SHARE * step_us, CELL_SPREADS * spread);
    for (uint32_t r = 0; r < w->ranks; r++)
        for (uint32_t s = 0; s < w->steps; s++)
            above += rank_excess(f, r)[s] - f->middle > f->slow_cell_excess_us;
    f->rate = (double)(above + 1) / ((double)w->ranks * w->steps);
}

/* Returns the first step from which the rank is always slow. Returns 0 if the rank was also slow in earlier steps, or
 * if chance explains the slow steps. */
static uint32_t late_from(const struct finder *f, uint32_t rank)
{
    const double *e = rank_excess(f, rank);
    uint32_t steps = f->w->steps;
    for (uint32_t from = 1; from + 1 < steps; from++) {
        double before = -INFINITY, least = INFINITY, mean = 0;
        for (uint32_t s = 0; s < from; s++)
            before = fmax(before, e[s]);
        for (uint32_t s = from; s < steps; s++) {
            least = fmin(least, e[s]);
            mean += e[s];
        }
        mean /= steps - from;
        if (least - f->middle > fmax(f->slow_cell_excess_us, 0.5 * mean) &&
            (double)f->w->ranks * steps * pow(fmin(1, f->rate), steps - from) < CHANCE &&
            before - f->middle < 0.4 * mean)
            return from;
    }
    return 0;
}

static void find_slow_ranks(struct finder *f)
{
    uint32_t steps = f->w->steps, need = steps > 2 ? (2 * steps + 2) / 3 : 1;
    need = need < 2 && steps > 2 ? 2 : need;
    for (uint32_t r = 0; r < f->w->ranks; r++) {
        uint32_t above = 0;
        f->late_from[r] = late_from(f, r);
        f->late_count += f->late_from[r] > 0;
        for (uint32_t s = 0; s < steps; s++)
            above += rank_excess(f, r)[s] - f->middle > f->slow_rank_excess_us / 2;
        f->is_rank_slow[r] = !f->late_from[r] && f->median[r] - f->middle > f->slow_rank_excess_us && above >= need;
        f->slow_rank_count += f->is_rank_slow[r];
    }
}

/* ---- causes that apply to sets of ranks ---- */

static const enum tp_cause_kind kind_of_part[TP_SLOT_OWN] = {TP_CAUSE_COMPUTE, TP_CAUSE_PAUSE, TP_CAUSE_INPUT};
static const enum tp_cause_kind kind_of_cells[TP_SLOT_OWN] = {TP_CAUSE_MOVING, TP_CAUSE_PAUSES, TP_CAUSE_INPUTS};

static struct tp_cause make_cause(const struct finder *f, enum tp_cause_kind kind)
{
    return (struct tp_cause){.kind = kind,
                             .part = f->part,
                             .place = TP_PLACE_RANKS,
                             .place_index = TP_NO_ID,
                             .family = TP_NO_ID,
                             .host = TP_NO_ID,
                             .slow_stage = TP_NO_ID};
}

/* Fills the cells of the cause: its ranks in all steps from first_step on. */
static void fill_cells_of_cause(const struct finder *f, struct tp_cause *cause)
{
    uint32_t steps = f->w->steps, each = steps - cause->first_step;
    double sum = 0;
    cause->cell_count = cause->rank_count * each;
    cause->cells = tp_arena_array(f->w->arena, cause->cell_count, sizeof *cause->cells);
    for (uint32_t i = 0, at = 0; i < cause->rank_count; i++)
        for (uint32_t s = cause->first_step; s < steps; s++) {
            cause->cells[at++] = cause->ranks[i] * steps + s;
            sum += rank_excess(f, cause->ranks[i])[s];
        }
    cause->excess_us = sum / cause->cell_count;
}

/* A candidate set of ranks. flagged: number of slow ranks; left: number of slow ranks without another cause; absent:
 * largest possible number of missing ranks. */
struct set {
    enum tp_rank_place place;
    uint32_t place_index, family, size, absent, slow_ranks_in_set, left;
    const uint32_t *ranks;
};

/* A candidate for a cause: a set of ranks, or a single rank. */
struct cover {
    struct tp_cause cause;
    bool is_part; /* true: the set is a cause only if its missing ranks are slow as well */
};

static int64_t clamp_count(int64_t count, int64_t most)
{
    return count < 0 ? 0 : count > most ? most : count;
}

static uint32_t largest_class_size(const struct tp_graph *graph)
{
    uint32_t most = 0;
    for (uint32_t c = 0; c < graph->classes.count; c++)
        most = tp_graph_class_at(graph, c)->rank_count > most ? tp_graph_class_at(graph, c)->rank_count : most;
    return most;
}

/* Returns the candidate sets: hosts, groups of each family, and stages. */
static struct tp_vec find_candidate_sets(const struct finder *f)
{
    const struct tp_graph *graph = f->w->graph;
    struct tp_vec sets = TP_VEC(f->w->arena, struct set);
    uint32_t hosts = graph->hosts.count, *count = tp_arena_array(f->w->arena, (size_t)hosts + 2, sizeof *count);
    uint32_t *ranks = tp_arena_array(f->w->arena, f->w->ranks, sizeof *ranks);
    for (uint32_t r = 0; r < f->w->ranks; r++)
        if (tp_graph_rank_at(graph, r)->host != TP_NO_ID)
            count[tp_graph_rank_at(graph, r)->host + 2]++;
    for (uint32_t h = 0; h < hosts; h++)
        count[h + 2] += count[h + 1];
    for (uint32_t r = 0; r < f->w->ranks; r++)
        if (tp_graph_rank_at(graph, r)->host != TP_NO_ID)
            ranks[count[tp_graph_rank_at(graph, r)->host + 1]++] = r;
    for (uint32_t h = 0; h < hosts; h++)
        *(struct set *)tp_vec_push(&sets) = (struct set){.place = TP_PLACE_HOST,
                                                         .place_index = h,
                                                         .family = TP_NO_ID,
                                                         .size = count[h + 1] - count[h],
                                                         .absent = graph->missing_count_of_host[h],
                                                         .ranks = ranks + count[h]};
    for (uint32_t i = 0; i < graph->families.count; i++) {
        const struct tp_graph_family *family = tp_graph_family_at(graph, i);
        for (uint32_t g = 0; g < family->count && !family->has_sender_receiver_pairs; g++) {
            const struct tp_graph_group *group = tp_graph_group_at(graph, family->groups[g]);
            int64_t absent = group->size == TP_NULL_INT ? 0 : group->size - group->member_count;
            *(struct set *)tp_vec_push(&sets) =
                (struct set){.place = TP_PLACE_GROUP,
                             .place_index = family->groups[g],
                             .family = i,
                             .size = group->member_count,
                             .absent = (uint32_t)clamp_count(absent, graph->missing_rank_count),
                             .ranks = graph->members + group->first_member};
        }
    }
    uint32_t most = largest_class_size(graph);
    for (uint32_t c = 0; c < graph->classes.count && graph->pipeline != TP_NO_ID; c++) {
        const struct tp_graph_class *class = tp_graph_class_at(graph, c);
        *(struct set *)tp_vec_push(&sets) =
            (struct set){.place = TP_PLACE_STAGE,
                         .place_index = class->stage,
                         .family = graph->pipeline,
                         .size = class->rank_count,
                         .absent = (uint32_t)clamp_count(most - class->rank_count, graph->missing_rank_count),
                         .ranks = class->ranks};
    }
    return sets;
}

/* Returns the set with the most remaining slow ranks; of equal sets, the smallest. Returns NULL if there is no set in
 * which 80 % of the ranks are slow. */
static struct set *find_set_with_most_slow_ranks(const struct finder *f, struct tp_vec *sets, const bool *is_left)
{
    struct set *best = NULL;
    for (size_t i = 0; i < sets->count; i++) {
        struct set *set = TP_AT(sets, struct set, i);
        set->slow_ranks_in_set = set->left = 0;
        for (uint32_t m = 0; m < set->size; m++) {
            set->slow_ranks_in_set += f->is_rank_slow[set->ranks[m]];
            set->left += is_left[set->ranks[m]];
        }
        if (set->size < 2 || set->left < 2 || set->slow_ranks_in_set < FULL * set->size)
            continue;
        if (!best || set->left > best->left || (set->left == best->left && set->size < best->size))
            best = set;
    }
    return best;
}

static uint32_t find_slowest_rank(const struct finder *f, const bool *is_left)
{
    uint32_t worst = TP_NO_ID;
    for (uint32_t r = 0; r < f->w->ranks; r++)
        if (is_left[r] && (worst == TP_NO_ID || f->median[r] > f->median[worst]))
            worst = r;
    return worst;
}

static struct tp_cause cause_of_remaining_ranks(const struct finder *f, enum tp_cause_kind kind, bool *is_left)
{
    struct tp_cause cause = make_cause(f, kind);
    cause.ranks = tp_arena_array(f->w->arena, f->w->ranks, sizeof *cause.ranks);
    for (uint32_t r = 0; r < f->w->ranks; r++)
        if (is_left[r])
            cause.ranks[cause.rank_count++] = r;
    memset(is_left, 0, f->w->ranks * sizeof *is_left);
    return cause;
}

/* Returns the next cause for the remaining slow ranks: a set if possible, else the slowest rank. */
static struct cover find_next_cause(const struct finder *f, struct tp_vec *sets, bool *is_left, uint32_t *left)
{
    struct tp_cause cause = make_cause(f, kind_of_part[f->part]);
    const struct set *set = find_set_with_most_slow_ranks(f, sets, is_left);
    uint32_t worst = set ? TP_NO_ID : find_slowest_rank(f, is_left);
    cause.ranks = tp_arena_array(f->w->arena, set ? set->size : 1, sizeof *cause.ranks);
    for (uint32_t m = 0; set && m < set->size; m++)
        if (is_left[set->ranks[m]])
            cause.ranks[cause.rank_count++] = set->ranks[m];
    if (!set)
        cause.ranks[cause.rank_count++] = worst;
    cause.place = set ? set->place : TP_PLACE_RANK;
    cause.place_index = set ? set->place_index : worst;
    cause.family = set ? set->family : TP_NO_ID;
    for (uint32_t i = 0; i < cause.rank_count; i++)
        is_left[cause.ranks[i]] = false;
    *left -= cause.rank_count;
    return (struct cover){cause, set && set->slow_ranks_in_set < FULL * (set->size + set->absent)};
}

/* Returns whether all slow ranks, except at most one, belong to the slower of two levels. */
static bool are_slow_ranks_on_upper_level(const struct finder *f)
{
    for (uint32_t r = 0; r < f->w->ranks; r++)
        if (f->is_rank_slow[r] && !f->w->is_upper[f->part][r])
            return f->slow_rank_count == 1;
    return true;
}

/* Returns whether the job has enough slow ranks for a slower speed level. slow: number of slow ranks; loose: number of
 * slow ranks outside of slow hosts, groups and stages. */
static bool are_enough_ranks_for_level(const struct finder *f, double slow, double loose)
{
    return loose >= LEAST_LEVEL_RANKS && slow >= MANY * (f->w->ranks + f->w->graph->missing_rank_count);
}

/* Returns whether a slower speed level contains all ranks of a stage. */
static bool are_all_ranks_of_stage_slow(const struct finder *f)
{
    return f->part == TP_SLOT_KERNEL && f->w->slow_level_class != TP_NO_ID && are_slow_ranks_on_upper_level(f);
}

/* Returns whether a slower level is the common cause of the slow ranks. At least three slow ranks must belong to the
 * slower of two levels and have no common host, group or stage. Sets that are causes only if missing ranks are slow are
 * treated like single ranks. Missing ranks are assumed to be slow as often as the others. *is_open: whether the answer
 * would differ if none, or all, of the missing ranks were slow. */
static bool has_slower_level_as_cause(const struct finder *f, const struct cover *covers, uint32_t count, bool *is_open)
{
    uint32_t slow = f->slow_rank_count, absent = f->w->graph->missing_rank_count, singles = 0, parts = 0;
    for (uint32_t i = 0; i < count; i++) {
        singles += covers[i].cause.place == TP_PLACE_RANK;
        parts += covers[i].is_part ? covers[i].cause.rank_count : 0;
    }
    double more = 1 + (double)absent / f->w->ranks, loose = singles + parts;
    bool are_scattered = count > MOST_SETS, can_be = singles && are_slow_ranks_on_upper_level(f);
    bool is = are_scattered ? slow >= MANY * f->w->ranks
                            : can_be && are_enough_ranks_for_level(f, slow * more, round(loose * more));
    bool may_be = are_slow_ranks_on_upper_level(f) && (singles || parts) &&
                  are_enough_ranks_for_level(f, slow + absent, loose + absent);
    /* all ranks of a stage are on the level, so that other sets of slow ranks occur by chance */
    if (are_all_ranks_of_stage_slow(f)) {
        *is_open = false;
        return true;
    }
    *is_open = absent && (is ? parts || !are_enough_ranks_for_level(f, slow, loose) : may_be);
    return is;
}

static void add_slow_rank_causes(const struct finder *f)
{
    struct cover covers[MOST_COVERS + 1];
    struct tp_vec sets = f->slow_rank_count ? find_candidate_sets(f) : TP_VEC(f->w->arena, struct set);
    bool *is_left = tp_arena_array(f->w->arena, f->w->ranks, sizeof *is_left), is_open = false;
    uint32_t count = 0, left = f->slow_rank_count;
    bool are_many = f->slow_rank_count >= MANY * f->w->ranks;
    memcpy(is_left, f->is_rank_slow, f->w->ranks * sizeof *is_left);
    while (left && count < MOST_COVERS && !(are_many && count > MOST_SETS))
        covers[count++] = find_next_cause(f, &sets, is_left, &left);
    if (count && has_slower_level_as_cause(f, covers, count, &is_open)) {
        memcpy(is_left, f->is_rank_slow, f->w->ranks * sizeof *is_left);
        covers[0].cause = cause_of_remaining_ranks(f, TP_CAUSE_SLOW_LEVEL, is_left);
        covers[0].cause.ratio = f->w->slow_level_ratio;
        covers[0].cause.slow_stage =
            are_all_ranks_of_stage_slow(f) ? tp_graph_class_at(f->w->graph, f->w->slow_level_class)->stage : TP_NO_ID;
        count = 1;
    } else if (left) {
        covers[count++].cause = cause_of_remaining_ranks(f, kind_of_part[f->part], is_left);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct tp_cause *cause = &covers[i].cause;
        fill_cells_of_cause(f, cause);
        double sum = 0;
        for (uint32_t r = 0; r < cause->rank_count; r++)
            sum += f->median[cause->ranks[r]];
        cause->excess_us = sum / cause->rank_count;
        cause->depends_on_missing_ranks = is_open;
        tp_what_if_add_cause(f->w, *cause);
    }
}

/* ---- late ranks ---- */

/* Adds ranks that become slow: one cause for each rank, or for each step if there are many ranks. */
static void add_causes_from_later_steps(const struct finder *f)
{
    bool are_many = f->late_count > MOST_LATE;
    for (uint32_t from = 1; from < f->w->steps && are_many; from++) {
        struct tp_cause cause = make_cause(f, TP_CAUSE_BECOMES_SLOW);
        cause.first_step = from;
        cause.ranks = tp_arena_array(f->w->arena, f->late_count, sizeof *cause.ranks);
        for (uint32_t r = 0; r < f->w->ranks; r++)
            if (f->late_from[r] == from)
                cause.ranks[cause.rank_count++] = r;
        if (!cause.rank_count)
            continue;
        fill_cells_of_cause(f, &cause);
        tp_what_if_add_cause(f->w, cause);
    }
    for (uint32_t r = 0; r < f->w->ranks && !are_many; r++) {
        struct tp_cause cause = make_cause(f, TP_CAUSE_BECOMES_SLOW);
        if (!f->late_from[r])
            continue;
        cause.first_step = f->late_from[r];
        cause.place = TP_PLACE_RANK;
        cause.place_index = r;
        cause.ranks = tp_arena_array(f->w->arena, 1, sizeof *cause.ranks);
        cause.ranks[cause.rank_count++] = r;
        fill_cells_of_cause(f, &cause);
        tp_what_if_add_cause(f->w, cause);
    }
}

/* ---- single ranks in single steps ---- */

static void add_cause_of_single_cells(const struct finder *f)
{
    const struct tp_what_if_work *w = f->w;
    struct tp_cause cause = make_cause(f, kind_of_cells[f->part]);
    struct tp_vec cells = TP_VEC(w->arena, uint32_t), ranks = TP_VEC(w->arena, uint32_t);
    double sum = 0;
    cause.least_excess_us = INFINITY;
    for (uint32_t r = 0; r < w->ranks; r++) {
        size_t before = cells.count;
        for (uint32_t s = 0; s < w->steps && !f->is_rank_slow[r] && !f->late_from[r]; s++) {
            double us = rank_excess(f, r)[s];
            if (us - f->middle <= f->slow_cell_excess_us)
                continue;
            *(uint32_t *)tp_vec_push(&cells) = r * w->steps + s;
            cause.least_excess_us = fmin(cause.least_excess_us, us);
            cause.largest_excess_us = fmax(cause.largest_excess_us, us);
            sum += us;
        }
        if (cells.count > before)
            *(uint32_t *)tp_vec_push(&ranks) = r;
    }
    if (!cells.count)
        return;
    cause.cells = cells.data;
    cause.cell_count = (uint32_t)cells.count;
    cause.ranks = ranks.data;
    cause.rank_count = (uint32_t)ranks.count;
    cause.excess_us = sum / (double)cells.count;
    tp_what_if_add_cause(f->w, cause);
}

void tp_what_if_find_ranks(struct tp_what_if_work *w)
{
    for (unsigned part = 0; part < TP_SLOT_OWN; part++) {
        struct finder f = {.w = w, .part = part};
        if (w->is_done[part])
            continue;
        f.median = tp_arena_array(w->arena, w->ranks, sizeof *f.median);
        f.is_rank_slow = tp_arena_array(w->arena, w->ranks, sizeof *f.is_rank_slow);
        f.late_from = tp_arena_array(w->arena, w->ranks, sizeof *f.late_from);
        find_thresholds(&f);
        find_slow_ranks(&f);
        add_slow_rank_causes(&f);
        add_causes_from_later_steps(&f);
        add_cause_of_single_cells(&f);
    }
}
