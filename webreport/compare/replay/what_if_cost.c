/* Replays a job with and without causes to compute their cost. See what_if_parts.h. */
#include <math.h>
#include <string.h>

#include "webreport/compare/replay/what_if_parts.h"

/* ---- input of a replay ---- */

/* Fills the transfer times of all collectives: usual lengths for marked pairs, recorded lengths for others. If
 * uses_usual is true, the two lengths are exchanged. */
static void fill_transfer_times(const struct tp_what_if_work *w, bool uses_usual)
{
    for (size_t m = 0; m < w->graph->meetings.count; m++) {
        const struct tp_graph_meeting *meeting = tp_graph_collective_at(w->graph, m);
        bool is_usual = w->is_pair_removed[meeting->pair] != uses_usual;
        w->transfer[m] =
            is_usual ? w->links[tp_graph_pair_at(w->graph, meeting->pair)->key].usual_us : meeting->transfer_us;
    }
}

/* Returns the own work of a slot, us: usual lengths for the given parts, recorded lengths for the others. parts: one
 * bit per part. */
static double own_work_of_slot_us(const double *real, const double *usual, uint8_t parts)
{
    double us = 0;
    for (unsigned p = 0; p < TP_SLOT_OWN; p++)
        us += parts >> p & 1 ? usual[p] : real[p];
    return us;
}

/* Fills the own work of each cell: usual lengths for marked parts, recorded lengths for others. If uses_usual is true,
 * the two lengths are exchanged. With w->lengths, only the differences between batches are removed, and differences
 * between the ranks of one batch remain. */
static void fill_own_work_times(const struct tp_what_if_work *w, bool uses_usual, bool evens_stages)
{
    const uint8_t flip = uses_usual ? (1 << TP_SLOT_OWN) - 1 : 0;
    for (uint32_t r = 0; r < w->ranks; r++) {
        const struct tp_graph_rank *rank = tp_graph_rank_at(w->graph, r);
        const double *usual = w->usual + w->first_usual_of_class[rank->class],
                     *even = w->usual_with_equal_stages + w->first_usual_of_class[rank->class];
        for (uint32_t s = 0; s < w->steps; s++) {
            uint32_t cell = tp_graph_cell(rank, s, 0);
            uint8_t parts = w->removed_parts[(size_t)r * w->steps + s] ^ flip;
            double length = w->lengths ? w->lengths[(size_t)r * w->steps + s] : 1;
            for (uint32_t k = 0; k < rank->slot_count; k++) {
                const double *real = w->graph->own_us + (size_t)(cell + k) * TP_SLOT_OWN;
                const double *its = usual + k * TP_SLOT_OWN;
                double us = own_work_of_slot_us(real, its, parts);
                if (w->lengths)
                    us += uses_usual ? its[TP_SLOT_KERNEL] * length - real[TP_SLOT_KERNEL]
                                     : real[TP_SLOT_KERNEL] / length - its[TP_SLOT_KERNEL];
                if (evens_stages)
                    us += even[k * TP_SLOT_OWN + TP_SLOT_KERNEL] - its[TP_SLOT_KERNEL];
                w->own[cell + k] = us;
            }
        }
    }
}

double tp_what_if_replay(const struct tp_what_if_work *w, bool uses_usual, bool evens_stages)
{
    fill_own_work_times(w, uses_usual, evens_stages);
    fill_transfer_times(w, uses_usual);
    return tp_graph_replay(w->graph, w->own, w->transfer);
}

double tp_what_if_replay_scaled(const struct tp_what_if_work *w, uint32_t class_index, double factor)
{
    const struct tp_graph_class *class = tp_graph_class_at(w->graph, class_index);
    fill_own_work_times(w, false, false);
    fill_transfer_times(w, false);
    for (uint32_t i = 0; i < class->rank_count; i++) {
        const struct tp_graph_rank *rank = tp_graph_rank_at(w->graph, class->ranks[i]);
        for (uint32_t cell = rank->first_cell; cell < rank->first_cell + w->steps * rank->slot_count; cell++)
            w->own[cell] -= (1 - factor) * w->graph->own_us[(size_t)cell * TP_SLOT_OWN + TP_SLOT_KERNEL];
    }
    return tp_graph_replay(w->graph, w->own, w->transfer);
}

/* Returns the time of the job with usual lengths everywhere and equal stages, us. */
double tp_what_if_replay_ideal(const struct tp_what_if_work *w)
{
    const double *usual = w->are_stages_uneven ? w->usual_with_equal_stages : w->usual;
    for (uint32_t r = 0; r < w->ranks; r++) {
        const struct tp_graph_rank *rank = tp_graph_rank_at(w->graph, r);
        for (uint32_t s = 0; s < w->steps; s++)
            for (uint32_t k = 0; k < rank->slot_count; k++) {
                double us = 0;
                for (unsigned p = 0; p < TP_SLOT_OWN; p++)
                    us += tp_usual_work_us(w, usual, rank->class, k, p);
                w->own[tp_graph_cell(rank, s, k)] = us;
            }
    }
    fill_transfer_times(w, true);
    return tp_graph_replay(w->graph, w->own, w->transfer);
}

void tp_what_if_measure_ideal(struct tp_what_if_work *w)
{
    w->ideal = tp_what_if_replay_ideal(w);
    w->base = w->are_stages_uneven ? tp_what_if_replay(w, true, false) : w->ideal;
    w->out->ideal_us = w->ideal / w->steps;
    w->out->loss = 100 * (w->T - w->ideal) / w->T;
}

/* ---- causes ---- */

void tp_what_if_mark_cause(struct tp_what_if_work *w, const struct tp_cause *cause)
{
    bool is_any = cause->kind == TP_CAUSE_UNEQUAL || cause->kind == TP_CAUSE_CHANGING;
    for (uint32_t i = 0; i < cause->cell_count; i++)
        w->removed_parts[cause->cells[i]] |= is_any ? (1 << TP_SLOT_OWN) - 1 : 1 << cause->part;
    for (uint32_t i = 0; i < cause->pair_count; i++)
        w->is_pair_removed[cause->pairs[i]] = true;
    w->lengths = cause->lengths ? cause->lengths : w->lengths;
}

static void clear_cause_marks(struct tp_what_if_work *w)
{
    w->lengths = NULL;
    memset(w->removed_parts, 0, (size_t)w->ranks * w->steps * sizeof *w->removed_parts);
    memset(w->is_pair_removed, 0, w->graph->pairs.count * sizeof *w->is_pair_removed);
}

void tp_what_if_add_cause(struct tp_what_if_work *w, struct tp_cause cause)
{
    if (cause.kind == TP_CAUSE_ALL_LINKS) {
        cause.saved = cause.alone;
    } else {
        tp_what_if_mark_cause(w, &cause);
        cause.saved = 100 * (w->T - tp_what_if_replay(w, false, cause.evens_stages)) / w->T;
        cause.alone =
            100 * ((cause.evens_stages ? w->base - w->ideal : tp_what_if_replay(w, true, false) - w->base)) / w->T;
        clear_cause_marks(w);
    }
    if (fmax(cause.alone, cause.saved) >= TP_LEAST_COST)
        *(struct tp_cause *)tp_vec_push(&w->out->causes) = cause;
}
