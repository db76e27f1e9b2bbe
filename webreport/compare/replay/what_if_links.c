/* Finds causes in pipeline stages, in work that moves along a coordinate, and in links. See docs/definitions.md,
 * section 29. */
#include <math.h>

#include "webreport/compare/replay/what_if_parts.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"

static const double SLOW_LINK = 1.3, LEAST_NOISE = 0.02, SEQUENCE_RATIO = 20, SEQUENCE_SHARE = 0.015;
/* ALL_SHARE: smallest reported cost of equal transfers, percent of the job. SLOW_SHARE: the same for rates below
 * SOUND_RATE (GB/s), half the rate of the fastest network cards in use (400 Gbit/s per device). LEAST_MOVED: bytes
 * that take 0.1 ms at SOUND_RATE. */
static const double ALL_SHARE = 25, SLOW_SHARE = 10, SOUND_RATE = 25, LEAST_MOVED = 2.5e6;
enum { NOISES = 4, LEAST_LINKS = 3 };

/* ---- stages ---- */

/* Returns the host whose ranks are exactly the ranks of the class, or TP_NO_ID. */
static uint32_t find_host_with_same_ranks(const struct tp_graph *graph, const struct tp_graph_class *class)
{
    uint32_t host = tp_graph_rank_at(graph, class->ranks[0])->host, count = 0;
    for (uint32_t i = 0; i < class->rank_count; i++)
        if (tp_graph_rank_at(graph, class->ranks[i])->host != host)
            return TP_NO_ID;
    for (uint32_t r = 0; r < graph->rank_count && host != TP_NO_ID; r++)
        count += tp_graph_rank_at(graph, r)->host == host;
    return count == class->rank_count && count > 1 ? host : TP_NO_ID;
}

/* Returns whether some ranks of the stage are missing. */
static bool are_ranks_of_stage_missing(const struct tp_graph *graph, uint32_t stage)
{
    int64_t stages = tp_graph_group_at(graph, tp_graph_family_at(graph, graph->pipeline)->groups[0])->size;
    return stages > 0 &&
           tp_graph_stage_ranks(graph, stage) * stages < (int64_t)graph->rank_count + graph->missing_rank_count;
}

void tp_what_if_find_stages(struct tp_what_if_work *w)
{
    uint32_t most = w->class_with_most_work;
    const struct tp_graph_class *class = most == TP_NO_ID ? NULL : tp_graph_class_at(w->graph, most);
    if (!w->are_stages_uneven)
        return;
    uint32_t host = find_host_with_same_ranks(w->graph, class);
    double mended = tp_what_if_replay_scaled(w, most, w->median_work_us / w->work[most]);
    tp_what_if_add_cause(
        w, (struct tp_cause){.kind = TP_CAUSE_STAGE,
                             .place = TP_PLACE_STAGE,
                             .place_index = class->stage,
                             .family = w->graph->pipeline,
                             .host = TP_NO_ID,
                             .host_of_whole_stage = host,
                             .depends_on_missing_ranks = are_ranks_of_stage_missing(w->graph, class->stage),
                             .saved_if_equal_pct = 100 * (w->T - mended) / w->T,
                             .ranks = class->ranks,
                             .rank_count = class->rank_count,
                             .ratio = w->work[most] / w->median_work_us,
                             .evens_stages = true});
}

/* ---- work that is equal along a coordinate ---- */

/* Returns the variance between the cells of (coordinate, step), divided by the variance within them. *deviation:
 * standard deviation of the cells, us. */
static double coordinate_work_ratio(const struct tp_what_if_work *w, const struct tp_graph_family *family,
                                    uint32_t coordinates, double *deviation)
{
    const double *excess = w->excess[TP_SLOT_KERNEL];
    uint32_t *size = tp_arena_array(w->arena, coordinates, sizeof *size);
    double *mean = tp_arena_array(w->arena, coordinates, sizeof *mean);
    double *own = tp_arena_array(w->arena, w->ranks, sizeof *own);
    double between = 0, within = 0, cells = 0, all = (double)w->ranks * w->steps;
    uint32_t present = 0; /* number of coordinates for which ranks were recorded */
    for (uint32_t r = 0; r < w->ranks; r++) {
        size[family->coordinate[r]]++;
        for (uint32_t s = 0; s < w->steps; s++)
            own[r] += excess[(size_t)r * w->steps + s];
        own[r] /= w->steps;
    }
    for (uint32_t c = 0; c < coordinates; c++)
        present += size[c] > 0;
    cells = (double)present * w->steps;
    for (uint32_t s = 0; s < w->steps; s++) {
        for (uint32_t c = 0; c < coordinates; c++)
            mean[c] = 0;
        for (uint32_t r = 0; r < w->ranks; r++)
            mean[family->coordinate[r]] += excess[(size_t)r * w->steps + s] - own[r];
        for (uint32_t c = 0; c < coordinates; c++) {
            mean[c] /= fmax(1, size[c]);
            between += mean[c] * mean[c] * size[c];
        }
        for (uint32_t r = 0; r < w->ranks; r++) {
            double off = excess[(size_t)r * w->steps + s] - own[r] - mean[family->coordinate[r]];
            within += off * off;
        }
    }
    *deviation = sqrt(fmax(0, between / all));
    return between / fmax(1, cells - present) / fmax(1e-9, within / fmax(1, all - cells));
}

/* Returns the family for which work varies most along the coordinates, or TP_NO_ID. *deviation: standard deviation of
 * the family's cells, us. */
static uint32_t find_family_with_uneven_batches(const struct tp_what_if_work *w, uint32_t *coordinates,
                                                double *deviation)
{
    uint32_t found = TP_NO_ID;
    double most_ratio = SEQUENCE_RATIO;
    for (uint32_t i = 0; i < w->graph->families.count; i++) {
        const struct tp_graph_family *family = tp_graph_family_at(w->graph, i);
        uint32_t most = 0, first = 0;
        double its_deviation;
        for (uint32_t r = 0; r < w->ranks; r++) {
            most = family->coordinate[r] > most ? family->coordinate[r] : most;
            first += family->coordinate[r] == 0;
        }
        if (i == w->graph->pipeline || family->has_sender_receiver_pairs || most == 0 || first < 2)
            continue;
        double ratio = coordinate_work_ratio(w, family, most + 1, &its_deviation);
        if (ratio <= most_ratio || its_deviation <= SEQUENCE_SHARE * w->median_work_us)
            continue;
        most_ratio = ratio;
        found = i;
        *coordinates = most + 1;
        *deviation = its_deviation;
    }
    return found;
}

/* Returns, for each rank and step, the kernel time of all ranks with the same coordinate, divided by the usual time. */
static double *mean_work_by_coordinate(const struct tp_what_if_work *w, const struct tp_graph_family *family,
                                       uint32_t coordinates)
{
    double *lengths = tp_arena_array(w->arena, (size_t)w->ranks * w->steps, sizeof *lengths);
    double *real = tp_arena_array(w->arena, coordinates, sizeof *real);
    double *usual = tp_arena_array(w->arena, coordinates, sizeof *usual);
    for (uint32_t s = 0; s < w->steps; s++) {
        for (uint32_t c = 0; c < coordinates; c++)
            real[c] = usual[c] = 0;
        for (uint32_t r = 0; r < w->ranks; r++) {
            size_t cell = (size_t)r * w->steps + s;
            real[family->coordinate[r]] += w->total[TP_SLOT_KERNEL][cell];
            usual[family->coordinate[r]] += w->total[TP_SLOT_KERNEL][cell] - w->excess[TP_SLOT_KERNEL][cell];
        }
        for (uint32_t r = 0; r < w->ranks; r++) {
            uint32_t c = family->coordinate[r];
            lengths[(size_t)r * w->steps + s] = real[c] > 0 && usual[c] > 0 ? real[c] / usual[c] : 1;
        }
    }
    return lengths;
}

void tp_what_if_find_uneven_batches(struct tp_what_if_work *w)
{
    uint32_t coordinates = 0, cells = w->ranks * w->steps;
    double deviation = 0;
    uint32_t found = find_family_with_uneven_batches(w, &coordinates, &deviation);
    if (found == TP_NO_ID)
        return;
    struct tp_cause cause = {.kind = TP_CAUSE_SEQUENCE,
                             .family = found,
                             .host = TP_NO_ID,
                             .ratio = deviation / w->median_work_us,
                             .cell_count = cells};
    cause.cells = tp_arena_array(w->arena, cells, sizeof *cause.cells);
    for (uint32_t c = 0; c < cells; c++)
        cause.cells[c] = c;
    tp_what_if_use_mean_kernel_times(w);
    tp_what_if_measure_ideal(w);
    cause.lengths = mean_work_by_coordinate(w, tp_graph_family_at(w->graph, found), coordinates);
    tp_what_if_add_cause(w, cause);
    w->is_done[TP_SLOT_KERNEL] = true;
}

/* ---- links ---- */

/* Returns whether all ranks of the group were recorded. Otherwise the group's transfers may contain waits for a
 * missing rank. */
static bool is_group_complete(const struct tp_graph_group *group)
{
    return group->size == TP_NULL_INT || group->member_count == group->size;
}

/* Returns the pairs of a family whose transfer is slower than usual. */
static struct tp_vec find_slow_pairs(struct tp_what_if_work *w, uint32_t family)
{
    struct tp_vec found = TP_VEC(w->arena, uint32_t);
    for (size_t k = 0; k < w->graph->keys.count; k++) {
        const struct tp_usual_link *link = &w->links[k];
        uint32_t half = link->pair_count / 2 > 2 ? link->pair_count / 2 : 2;
        if (TP_AT(&w->graph->keys, struct tp_graph_key, k)->family != family || link->pair_count < LEAST_LINKS ||
            !(link->usual_us > 0))
            continue;
        for (uint32_t i = 0; i < link->pair_count; i++)
            w->values[i] = w->median_pair_transfer_us[w->pairs_by_key[link->first_pair + i]] / link->usual_us;
        tp_sort_reals(w->values, link->pair_count);
        double noise = fmax(tp_robust_deviation(w->values, half), LEAST_NOISE);
        for (uint32_t i = 0; i < link->pair_count; i++) {
            uint32_t pair = w->pairs_by_key[link->first_pair + i];
            if (w->median_pair_transfer_us[pair] > link->usual_us * (SLOW_LINK + NOISES * noise) &&
                is_group_complete(tp_graph_group_at(w->graph, tp_graph_pair_at(w->graph, pair)->group)))
                *(uint32_t *)tp_vec_push(&found) = pair;
        }
    }
    return found;
}

static bool passes(const struct tp_graph *graph, const struct tp_graph_group *group, uint32_t host)
{
    for (uint32_t m = 0; m < group->member_count; m++)
        if (tp_graph_rank_at(graph, graph->members[group->first_member + m])->host == host)
            return true;
    return false;
}

/* Returns the pairs of a family in which other ranks wait for the host. */
static struct tp_vec slow_pairs_of_host(struct tp_what_if_work *w, uint32_t family, uint32_t host)
{
    struct tp_vec found = TP_VEC(w->arena, uint32_t);
    for (uint32_t p = 0; p < w->graph->pairs.count; p++) {
        const struct tp_graph_group *group = tp_graph_group_at(w->graph, tp_graph_pair_at(w->graph, p)->group);
        if (group->family == family && passes(w->graph, group, host))
            *(uint32_t *)tp_vec_push(&found) = p;
    }
    return found;
}

static int compare_by_number(const void *context, uint32_t x, uint32_t y)
{
    (void)context;
    return (x > y) - (x < y);
}

static uint32_t remove_duplicates(uint32_t *sorted, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!kept || sorted[kept - 1] != sorted[i])
            sorted[kept++] = sorted[i];
    return kept;
}

/* Sets mark[host] to `with` for each host of a group if mark[host] equals `from`. */
static void mark_hosts_of_group(const struct tp_graph *graph, uint32_t group_index, uint32_t *mark, uint32_t from,
                                uint32_t with)
{
    const struct tp_graph_group *group = tp_graph_group_at(graph, group_index);
    for (uint32_t m = 0; m < group->member_count; m++) {
        uint32_t host = tp_graph_rank_at(graph, graph->members[group->first_member + m])->host;
        if (host != TP_NO_ID && mark[host] == from)
            mark[host] = with;
    }
}

/* Returns whether the ranks of the group are on several hosts, so that the group uses links between hosts. */
static bool spans_several_hosts(const struct tp_graph *graph, uint32_t group_index)
{
    const struct tp_graph_group *group = tp_graph_group_at(graph, group_index);
    uint32_t first = tp_graph_rank_at(graph, graph->members[group->first_member])->host;
    for (uint32_t m = 1; m < group->member_count; m++)
        if (tp_graph_rank_at(graph, graph->members[group->first_member + m])->host != first)
            return true;
    return false;
}

/* Returns the host that all slow groups use and no other group of their families uses. Without such a host, returns
 * the only host that all slow groups use. Returns TP_NO_ID if several hosts, or no host, qualify. */
static uint32_t find_common_host(const struct tp_what_if_work *w, const struct tp_cause *cause)
{
    const struct tp_graph *graph = w->graph;
    uint32_t hosts = graph->hosts.count, slow = cause->group_count;
    uint32_t *passes = tp_arena_array(w->arena, hosts, sizeof *passes), common = 0, only = 0, any = TP_NO_ID;
    uint32_t *others = tp_arena_array(w->arena, hosts, sizeof *others), alone = TP_NO_ID;
    bool *is_slow = tp_arena_array(w->arena, graph->groups.count, sizeof *is_slow);
    bool *is_in = tp_arena_array(w->arena, graph->families.count, sizeof *is_in);
    for (uint32_t i = 0; i < slow; i++) {
        mark_hosts_of_group(graph, cause->groups[i], passes, i, i + 1);
        is_slow[cause->groups[i]] = true;
        is_in[tp_graph_group_at(graph, cause->groups[i])->family] = true;
    }
    for (uint32_t g = 0; g < graph->groups.count; g++)
        if (!is_slow[g] && is_in[tp_graph_group_at(graph, g)->family] && spans_several_hosts(graph, g))
            mark_hosts_of_group(graph, g, others, 0, 1);
    for (uint32_t h = 0; h < hosts; h++) {
        if (passes[h] != slow)
            continue;
        common++;
        any = h;
        only += !others[h];
        alone = others[h] ? alone : h;
    }
    return only ? (only == 1 ? alone : TP_NO_ID) : common == 1 ? any : TP_NO_ID;
}

/* Returns the host whose ranks leave collectives late in all families of the cause's groups, or TP_NO_ID. */
static uint32_t find_late_host_of_cause(const struct tp_what_if_work *w, const struct tp_cause *cause)
{
    uint32_t host = TP_NO_ID;
    for (uint32_t i = 0; i < cause->group_count; i++) {
        uint32_t its = w->late_host[tp_graph_group_at(w->graph, cause->groups[i])->family];
        if (its == TP_NO_ID || (host != TP_NO_ID && host != its))
            return TP_NO_ID;
        host = its;
    }
    return host;
}

/* Fills the ranks of the cause: the ranks of its host if a single host is the cause, else all ranks of the slow groups.
 */
static void fill_ranks_of_cause(const struct tp_what_if_work *w, struct tp_cause *cause)
{
    const struct tp_graph *graph = w->graph;
    bool is_host = (cause->group_count > 1 || cause->leaves_collectives_late) && cause->host != TP_NO_ID;
    cause->ranks = tp_arena_array(w->arena, w->ranks, sizeof *cause->ranks);
    for (uint32_t i = 0; i < cause->group_count; i++) {
        const struct tp_graph_group *group = tp_graph_group_at(graph, cause->groups[i]);
        for (uint32_t m = 0; m < group->member_count; m++) {
            uint32_t rank = graph->members[group->first_member + m];
            if (!is_host || tp_graph_rank_at(graph, rank)->host == cause->host)
                cause->ranks[cause->rank_count++] = rank;
        }
    }
    tp_sort_rows(cause->ranks, cause->rank_count, compare_by_number, NULL, w->arena);
    cause->place = is_host ? TP_PLACE_HOST : cause->group_count == 1 ? TP_PLACE_GROUP : TP_PLACE_RANKS;
    cause->place_index = is_host ? cause->host : cause->groups[0];
}

/* Returns a cause for the given slow pairs. family: index of their family; TP_NO_ID if they belong to several
 * families. */
static struct tp_cause make_cause_of_slow_links(const struct tp_what_if_work *w, uint32_t family,
                                                const struct tp_vec *slow)
{
    struct tp_cause cause = {.kind = TP_CAUSE_LINK,
                             .family = family,
                             .host = TP_NO_ID,
                             .pairs = slow->data,
                             .pair_count = (uint32_t)slow->count};
    cause.groups = tp_arena_array(w->arena, slow->count, sizeof *cause.groups);
    for (uint32_t i = 0; i < slow->count; i++) {
        const struct tp_graph_pair *pair = tp_graph_pair_at(w->graph, cause.pairs[i]);
        cause.groups[i] = pair->group;
        cause.ratio += w->median_pair_transfer_us[cause.pairs[i]] / w->links[pair->key].usual_us / (double)slow->count;
    }
    tp_sort_rows(cause.groups, cause.pair_count, compare_by_number, NULL, w->arena);
    cause.group_count = remove_duplicates(cause.groups, cause.pair_count);
    cause.host = find_late_host_of_cause(w, &cause);
    cause.leaves_collectives_late = cause.host != TP_NO_ID;
    if (!cause.leaves_collectives_late)
        cause.host = find_common_host(w, &cause);
    fill_ranks_of_cause(w, &cause);
    return cause;
}

/* Adds causes for slow pairs: one cause for all families that share a host, else one cause for each family. */
static void add_slow_link_causes(struct tp_what_if_work *w, const struct tp_vec *slow)
{
    struct tp_vec all = TP_VEC(w->arena, uint32_t);
    uint32_t families = 0;
    for (uint32_t f = 0; f < w->graph->families.count; f++) {
        families += slow[f].count > 0;
        for (size_t i = 0; i < slow[f].count; i++)
            *(uint32_t *)tp_vec_push(&all) = *TP_AT(&slow[f], uint32_t, i);
    }
    struct tp_cause joint =
        families > 1 ? make_cause_of_slow_links(w, TP_NO_ID, &all) : (struct tp_cause){.host = TP_NO_ID};
    if (joint.host != TP_NO_ID) {
        tp_what_if_add_cause(w, joint);
        return;
    }
    for (uint32_t f = 0; f < w->graph->families.count; f++)
        if (slow[f].count)
            tp_what_if_add_cause(w, make_cause_of_slow_links(w, f, &slow[f]));
}

/* Returns whether two families are tested together, because pipeline sends in opposite directions wait for each
 * other. */
static bool are_judged_together(const struct tp_graph *graph, uint32_t family, uint32_t other)
{
    return family == other || (tp_graph_family_at(graph, family)->has_sender_receiver_pairs &&
                               tp_graph_family_at(graph, other)->has_sender_receiver_pairs);
}

/* Returns the percentage of the job's time that the job would save if the collectives of the family took no time. */
static double transfer_cost_percent(const struct tp_what_if_work *w, uint32_t family)
{
    const struct tp_graph *graph = w->graph;
    for (size_t m = 0; m < graph->meetings.count; m++) {
        const struct tp_graph_meeting *meeting = tp_graph_collective_at(graph, m);
        uint32_t group = tp_graph_pair_at(graph, meeting->pair)->group;
        bool is_its = are_judged_together(graph, family, tp_graph_group_at(graph, group)->family);
        w->transfer[m] = is_its ? 0 : meeting->transfer_us;
    }
    return 100 * (w->T - tp_graph_replay(graph, w->own, w->transfer)) / w->T;
}

/* Returns the rate of the family's transfers on the bus, GB/s; 0 if the rate is unknown, or if latency limits the
 * rate because messages are small. */
static double bus_rate_gb_s(const struct tp_what_if_work *w, uint32_t family)
{
    double moved = 0, us = 0;
    for (size_t p = 0; p < w->graph->pairs.count; p++) {
        const struct tp_graph_pair *pair = tp_graph_pair_at(w->graph, p);
        if (!are_judged_together(w->graph, family, tp_graph_group_at(w->graph, pair->group)->family))
            continue;
        if (pair->moved_bytes <= 0)
            return 0;
        if ((double)pair->moved_bytes < LEAST_MOVED)
            continue;
        moved += (double)pair->moved_bytes;
        us += w->median_pair_transfer_us[p];
    }
    return us > 0 ? moved / us / 1000 : 0;
}

/* Adds a cause for a family of equally fast groups, or of a single group. Such a family has no faster group that shows
 * the usual time. Because healthy jobs also spend much time in collectives, the cost must exceed ALL_SHARE, or
 * SLOW_SHARE if the rate is below that of usual network cards. */
static void add_cause_of_all_links(struct tp_what_if_work *w, uint32_t index)
{
    const struct tp_graph_family *family = tp_graph_family_at(w->graph, index);
    struct tp_cause cause = {.kind = TP_CAUSE_ALL_LINKS,
                             .family = index,
                             .host = TP_NO_ID,
                             .group_count = family->count,
                             .rate_gb_s = bus_rate_gb_s(w, index)};
    if (family->count == 1) {
        const struct tp_graph_group *group = tp_graph_group_at(w->graph, family->groups[0]);
        cause.ranks = w->graph->members + group->first_member;
        cause.rank_count = group->member_count;
    }
    cause.alone = transfer_cost_percent(w, index);
    for (size_t k = 0; k < w->graph->keys.count; k++)
        if (TP_AT(&w->graph->keys, struct tp_graph_key, k)->family == index)
            cause.excess_us += w->links[k].usual_us;
    if (cause.alone > (cause.rate_gb_s > 0 && cause.rate_gb_s < SOUND_RATE ? SLOW_SHARE : ALL_SHARE))
        tp_what_if_add_cause(w, cause);
}

static bool is_family_complete(const struct tp_graph *graph, uint32_t family_index)
{
    const struct tp_graph_family *family = tp_graph_family_at(graph, family_index);
    for (uint32_t g = 0; g < family->count; g++)
        if (!is_group_complete(tp_graph_group_at(graph, family->groups[g])))
            return false;
    return true;
}

/* Returns whether the family needs no separate cause: it was tested with an earlier family, has slow pairs, or has
 * missing ranks. */
static bool has_separate_explanation(const struct tp_what_if_work *w, const struct tp_vec *slow, uint32_t family)
{
    for (uint32_t f = 0; f < w->graph->families.count; f++)
        if (are_judged_together(w->graph, family, f) &&
            (f < family || slow[f].count || !is_family_complete(w->graph, f)))
            return true;
    return false;
}

void tp_what_if_find_links(struct tp_what_if_work *w)
{
    struct tp_vec *slow = tp_arena_array(w->arena, w->graph->families.count, sizeof *slow);
    for (uint32_t f = 0; f < w->graph->families.count; f++)
        slow[f] = w->late_host[f] == TP_NO_ID ? find_slow_pairs(w, f) : slow_pairs_of_host(w, f, w->late_host[f]);
    add_slow_link_causes(w, slow);
    tp_what_if_replay(w, false, false); /* fills w->own with the recorded own work for add_cause_of_all_links */
    for (uint32_t f = 0; f < w->graph->families.count; f++)
        if (tp_graph_family_at(w->graph, f)->count && !has_separate_explanation(w, slow, f))
            add_cause_of_all_links(w, f);
}
