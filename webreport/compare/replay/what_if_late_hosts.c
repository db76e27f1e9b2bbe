/* Finds a host whose ranks leave collectives later than all others, because its network card is slow.
 *
 * Every group uses this card, so that a comparison of groups does not show the slow card. In most steps the slow card
 * is hidden: the ranks of that host begin the next step late, and the other ranks wait for them. The delay is visible
 * in steps in which all ranks arrive together, such as the first steps of a recording. In such a step, the other ranks
 * leave as soon as their part is done. The shortest time that a rank spent in the collective in any step is therefore
 * compared with the shortest time if all ranks had left the collective together. See docs/definitions.md, section
 * 29. */
#include <math.h>

#include "webreport/compare/replay/what_if_parts.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"

static const double LATE = 1.3, PROMPT = 1.15, LEAST_LATE_US = 100, MIN_SHARE = 0.5;

/* Shortest times of a rank in a collective, over the steps. */
struct least {
    /* shortest time in the collective, us: spent_us as recorded; together_us if all ranks had left together */
    double spent_us, together_us;
};

struct late_hosts {
    const struct tp_graph *graph;
    struct tp_arena *arena;
    struct least *least;    /* shortest times, at index first_slot of the rank + slot */
    uint32_t *first_slot;   /* for each rank: index in `least` of its first slot */
    uint32_t *host_of_pair; /* for each pair: the host whose ranks leave the collective late, or TP_NO_ID if unknown */
    double *prompt_us;      /* for each pair: time that the ranks of other hosts spend in the collective, us */
};

static double slot_time_us(const struct tp_graph_rank *rank, uint32_t step, uint32_t slot)
{
    const uint32_t *us = rank->us + ((size_t)rank->step_index[step] * rank->slot_count + slot) * TP_SLOT_PARTS;
    return (double)us[TP_SLOT_WITHIN] + us[TP_SLOT_OVERLAPPED];
}

static void find_shortest_times_of_slots(struct late_hosts *l, const double *together_us)
{
    const struct tp_graph *graph = l->graph;
    uint32_t slots = 0;
    l->first_slot = tp_arena_array(l->arena, graph->rank_count, sizeof *l->first_slot);
    for (uint32_t r = 0; r < graph->rank_count; r++) {
        l->first_slot[r] = slots;
        slots += tp_graph_rank_at(graph, r)->slot_count;
    }
    l->least = tp_arena_array(l->arena, slots, sizeof *l->least);
    for (uint32_t r = 0; r < graph->rank_count; r++) {
        const struct tp_graph_rank *rank = tp_graph_rank_at(graph, r);
        for (uint32_t k = 0; k < rank->slot_count; k++) {
            struct least *least = &l->least[l->first_slot[r] + k];
            *least = (struct least){INFINITY, INFINITY};
            for (uint32_t s = 0; s < graph->step_count && rank->group[k] != TP_NO_ID; s++) {
                least->spent_us = fmin(least->spent_us, slot_time_us(rank, s, k));
                least->together_us = fmin(least->together_us, together_us[tp_graph_cell(rank, s, k)]);
            }
        }
    }
}

/* Result for the group of a pair: whether exactly the ranks of one host leave the collective late. */
struct verdict {
    uint32_t late_host; /* host whose ranks leave late; TP_NO_ID until a late rank is found */
    bool is_mixed;
    double prompt_us;
};

static void add_rank_to_verdict(struct verdict *verdict, const struct least *least, uint32_t host)
{
    bool is_late = least->spent_us > fmax(LATE * least->together_us, least->together_us + LEAST_LATE_US);
    if (is_late) {
        verdict->is_mixed |= host == TP_NO_ID || (verdict->late_host != TP_NO_ID && verdict->late_host != host);
        verdict->late_host = host;
        return;
    }
    verdict->is_mixed |= least->spent_us > PROMPT * least->together_us;
    verdict->prompt_us = fmin(verdict->prompt_us, least->spent_us);
}

/* Returns the slot of the rank whose collective belongs to the pair. */
static uint32_t find_slot_of_pair(const struct tp_graph *graph, const struct tp_graph_rank *rank, uint32_t pair)
{
    for (uint32_t k = 0; k < rank->slot_count; k++) {
        uint32_t meeting = graph->meeting_of[tp_graph_cell(rank, 0, k)];
        if (meeting != TP_NO_ID && tp_graph_collective_at(graph, meeting)->pair == pair)
            return k;
    }
    return TP_NO_ID;
}

static void add_verdict_of_pair(struct late_hosts *l, uint32_t pair)
{
    const struct tp_graph *graph = l->graph;
    const struct tp_graph_group *group = tp_graph_group_at(graph, tp_graph_pair_at(graph, pair)->group);
    const uint32_t *members = graph->members + group->first_member;
    struct verdict verdict = {.late_host = TP_NO_ID, .prompt_us = INFINITY};
    l->host_of_pair[pair] = TP_NO_ID;
    for (uint32_t m = 0; m < group->member_count && !verdict.is_mixed; m++) {
        const struct tp_graph_rank *rank = tp_graph_rank_at(graph, members[m]);
        uint32_t slot = find_slot_of_pair(graph, rank, pair);
        if (slot == TP_NO_ID)
            return;
        add_rank_to_verdict(&verdict, &l->least[l->first_slot[members[m]] + slot], rank->host);
    }
    /* a host is late only if all its ranks leave the collective late */
    for (uint32_t m = 0; m < group->member_count && !verdict.is_mixed; m++) {
        const struct tp_graph_rank *rank = tp_graph_rank_at(graph, members[m]);
        const struct least *least = &l->least[l->first_slot[members[m]] + find_slot_of_pair(graph, rank, pair)];
        verdict.is_mixed |= rank->host == verdict.late_host && least->spent_us <= LATE * least->together_us;
    }
    if (verdict.is_mixed || verdict.late_host == TP_NO_ID || !(verdict.prompt_us < INFINITY))
        return;
    l->host_of_pair[pair] = verdict.late_host;
    l->prompt_us[pair] = verdict.prompt_us;
}

/* Returns the only host whose ranks leave collectives of the family late. Returns TP_NO_ID if several hosts or none do,
 * or if they are late in less than half of the groups. */
static uint32_t late_host_of_family(const struct late_hosts *l, uint32_t family_index)
{
    const struct tp_graph *graph = l->graph;
    const struct tp_graph_family *family = tp_graph_family_at(graph, family_index);
    bool *has_host = tp_arena_array(l->arena, family->count, sizeof *has_host);
    uint32_t host = TP_NO_ID, count = 0;
    for (uint32_t p = 0; p < graph->pairs.count; p++) {
        const struct tp_graph_group *group = tp_graph_group_at(graph, tp_graph_pair_at(graph, p)->group);
        if (group->family != family_index || l->host_of_pair[p] == TP_NO_ID)
            continue;
        if (host != TP_NO_ID && host != l->host_of_pair[p])
            return TP_NO_ID;
        host = l->host_of_pair[p];
        count += !has_host[group->index];
        has_host[group->index] = true;
    }
    return count >= MIN_SHARE * family->count ? host : TP_NO_ID;
}

/* Makes all ranks leave collectives of the family together with the ranks of the late host, so that the replayed time
 * equals the recorded time. */
static void delay_other_ranks_to_late_host(const struct tp_graph *graph, uint32_t family, uint32_t host)
{
    double *least = tp_arena_array(graph->arena, graph->meetings.count, sizeof *least);
    for (size_t m = 0; m < graph->meetings.count; m++)
        least[m] = INFINITY;
    for (uint32_t r = 0; r < graph->rank_count; r++) {
        const struct tp_graph_rank *rank = tp_graph_rank_at(graph, r);
        for (uint32_t s = 0; s < graph->step_count && rank->host == host; s++)
            for (uint32_t k = 0; k < rank->slot_count; k++) {
                uint32_t meeting = graph->meeting_of[tp_graph_cell(rank, s, k)];
                if (meeting != TP_NO_ID)
                    least[meeting] = fmin(least[meeting], slot_time_us(rank, s, k));
            }
    }
    for (size_t m = 0; m < graph->meetings.count; m++) {
        struct tp_graph_meeting *meeting = tp_graph_collective_at(graph, m);
        uint32_t group = tp_graph_pair_at(graph, meeting->pair)->group;
        if (tp_graph_group_at(graph, group)->family == family && least[m] < INFINITY)
            meeting->transfer_us = least[m];
    }
}

/* Returns the recorded time until the late host has finished, us. Other ranks left the last collective earlier. */
static double recorded_end_on_host_us(const struct tp_what_if_work *w, uint32_t host)
{
    const struct tp_graph *graph = w->graph;
    size_t count = 0;
    for (uint32_t r = 0; r < graph->rank_count; r++) {
        const struct tp_graph_rank *rank = tp_graph_rank_at(graph, r);
        if (rank->host != host)
            continue;
        double sum = 0;
        for (uint32_t s = 0; s < graph->step_count; s++)
            for (uint32_t k = 0; k < rank->slot_count; k++)
                sum += w->own[tp_graph_cell(rank, s, k)] +
                       rank->us[((size_t)rank->step_index[s] * rank->slot_count + k) * TP_SLOT_PARTS + TP_SLOT_WITHIN];
        w->values[count++] = sum;
    }
    return tp_median(w->values, count);
}

void tp_what_if_find_late_hosts(struct tp_what_if_work *w)
{
    const struct tp_graph *graph = w->graph;
    struct late_hosts l = {.graph = graph, .arena = w->arena};
    double *together_us = tp_arena_array(w->arena, graph->cell_count, sizeof *together_us);
    w->late_host = tp_arena_array(w->arena, graph->families.count, sizeof *w->late_host);
    w->prompt_us = tp_arena_array(w->arena, graph->pairs.count, sizeof *w->prompt_us);
    l.host_of_pair = tp_arena_array(w->arena, graph->pairs.count, sizeof *l.host_of_pair);
    l.prompt_us = w->prompt_us;
    for (uint32_t i = 0; i < graph->cell_count; i++)
        for (unsigned p = 0; p < TP_SLOT_OWN; p++)
            w->own[i] = (p ? w->own[i] : 0) + graph->own_us[(size_t)i * TP_SLOT_OWN + p];
    for (size_t m = 0; m < graph->meetings.count; m++)
        w->transfer[m] = tp_graph_collective_at(graph, m)->transfer_us;
    tp_graph_collective_times(graph, w->own, w->transfer, together_us);
    find_shortest_times_of_slots(&l, together_us);
    for (uint32_t p = 0; p < graph->pairs.count; p++)
        add_verdict_of_pair(&l, p);
    w->measured_us = graph->measured_us;
    for (uint32_t f = 0; f < graph->families.count; f++) {
        w->late_host[f] =
            tp_graph_family_at(graph, f)->has_sender_receiver_pairs ? TP_NO_ID : late_host_of_family(&l, f);
        if (w->late_host[f] == TP_NO_ID)
            continue;
        delay_other_ranks_to_late_host(graph, f, w->late_host[f]);
        w->measured_us = recorded_end_on_host_us(w, w->late_host[f]);
    }
}
