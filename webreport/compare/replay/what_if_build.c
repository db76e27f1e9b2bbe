/* Computes the causes of a job's lost time, their shares, and the jitter. See what_if_build.h. Rules that find
 * causes are in the files named in what_if_parts.h. */
#include "webreport/compare/replay/what_if_build.h"

#include <math.h>
#include <string.h>

#include "webreport/compare/replay/what_if_parts.h"
#include "writer/base/sort.h"

static const double LEAST_UNEQUAL = 0.05, LASTING = 0.7;
enum { LEAST_EQUAL_RANKS = 3 };

/* ---- shares ---- */

static int compare_costliest_first(const void *x, const void *y, const void *context)
{
    const struct tp_cause *a = x, *b = y;
    bool is_last_a = a->kind == TP_CAUSE_ALL_LINKS, is_last_b = b->kind == TP_CAUSE_ALL_LINKS;
    double p = fmax(a->alone, a->saved), q = fmax(b->alone, b->saved);
    (void)context;
    return is_last_a != is_last_b ? is_last_a - is_last_b : (p < q) - (p > q);
}

/* Removes the causes one after the other and sets their shares. Returns the time of the job without any of the causes,
 * us. */
static double set_saved_shares_of_causes(struct tp_what_if_work *w)
{
    struct tp_vec *causes = &w->out->causes;
    double before = w->T;
    bool evens_stages = false;
    tp_merge_sort(w->arena, causes->data, causes->count, sizeof(struct tp_cause), compare_costliest_first, NULL);
    if (causes->count > TP_MOST_CAUSES)
        causes->count = TP_MOST_CAUSES;
    for (size_t i = 0; i < causes->count; i++) {
        struct tp_cause *cause = TP_AT(causes, struct tp_cause, i);
        if (cause->kind == TP_CAUSE_ALL_LINKS)
            continue;
        tp_what_if_mark_cause(w, cause);
        evens_stages |= cause->evens_stages;
        double now = tp_what_if_replay(w, false, evens_stages);
        cause->share = 100 * (before - now) / w->T;
        before = now;
    }
    return before;
}

/* ---- remaining loss ---- */

/* Measures how unequal the own work of a class is without the found causes, as two standard deviations divided by the
 * mean. *inside: deviation within steps. *lasting: deviation between the means of the ranks, without the part that
 * variation between steps explains. */
static void measure_spread_of_own_work(const struct tp_what_if_work *w, const struct tp_graph_class *class,
                                       double *inside, double *lasting)
{
    double n = class->rank_count, all = 0, square = 0, of_means = 0;
    double *means = tp_arena_array(w->arena, class->rank_count, sizeof *means);
    *inside = 0;
    for (uint32_t s = 0; s < w->steps; s++) {
        double mean = 0, squares = 0;
        for (uint32_t i = 0; i < class->rank_count; i++)
            mean += w->values[(size_t)i * w->steps + s] / n;
        for (uint32_t i = 0; i < class->rank_count; i++) {
            double off = w->values[(size_t)i * w->steps + s] - mean;
            squares += off * off / n;
            means[i] += w->values[(size_t)i * w->steps + s] / w->steps;
        }
        *inside += mean > 0 ? sqrt(squares) / mean / w->steps : 0;
    }
    for (uint32_t i = 0; i < class->rank_count; i++)
        all += means[i] / n;
    for (uint32_t i = 0; i < class->rank_count; i++)
        of_means += (means[i] - all) * (means[i] - all) / n;
    square = all > 0 ? of_means / (all * all) : 0;
    *lasting = sqrt(fmax(0, (square - *inside * *inside / w->steps) / (1 - 1.0 / w->steps)));
}

/* Fills the own work of a class without the causes that are already found. */
static void fill_work_without_causes(const struct tp_what_if_work *w, const struct tp_graph_class *class)
{
    for (uint32_t i = 0; i < class->rank_count; i++)
        for (uint32_t s = 0; s < w->steps; s++) {
            size_t cell = (size_t) class->ranks[i] * w->steps + s;
            double us = 0;
            for (unsigned p = 0; p < TP_SLOT_OWN; p++) {
                us += w->total[p][cell];
                if (w->removed_parts[cell] >> p & 1)
                    us -= w->excess[p][cell];
            }
            w->values[(size_t)i * w->steps + s] = us;
        }
}

/* Adds a cause for unequal work that belongs to no rank, host or step. This cause must be the last one. */
static double add_unequal_cause(struct tp_what_if_work *w, double before, bool evens_stages)
{
    uint8_t *kept = tp_arena_array(w->arena, (size_t)w->ranks * w->steps, sizeof *kept);
    for (uint32_t c = 0; c < w->graph->classes.count; c++) {
        const struct tp_graph_class *class = tp_graph_class_at(w->graph, c);
        double inside, lasting;
        fill_work_without_causes(w, class);
        measure_spread_of_own_work(w, class, &inside, &lasting);
        if (class->rank_count < LEAST_EQUAL_RANKS || inside <= LEAST_UNEQUAL || w->steps < 2 ||
            w->out->causes.count >= TP_MOST_CAUSES)
            continue;
        bool stays = lasting > LASTING * inside;
        struct tp_cause cause = {.kind = stays ? TP_CAUSE_UNEQUAL : TP_CAUSE_CHANGING,
                                 .family = TP_NO_ID,
                                 .host = TP_NO_ID,
                                 .ratio = inside,
                                 .ranks = class->ranks,
                                 .rank_count = class->rank_count,
                                 .cell_count = class->rank_count * w->steps};
        cause.cells = tp_arena_array(w->arena, cause.cell_count, sizeof *cause.cells);
        for (uint32_t i = 0; i < cause.cell_count; i++)
            cause.cells[i] = class->ranks[i / w->steps] * w->steps + i % w->steps;
        memcpy(kept, w->removed_parts, (size_t)w->ranks * w->steps);
        tp_what_if_mark_cause(w, &cause);
        double now = tp_what_if_replay(w, false, evens_stages);
        cause.alone = cause.saved = cause.share = 100 * (before - now) / w->T;
        /* discards the cause, because chance can explain its effect */
        if (cause.share < TP_LEAST_COST || now < w->ideal - TP_LEAST_COST / 100 * w->T) {
            memcpy(w->removed_parts, kept, (size_t)w->ranks * w->steps);
            continue;
        }
        before = now;
        *(struct tp_cause *)tp_vec_push(&w->out->causes) = cause;
    }
    return before;
}

/* ---- all ---- */

static void init_replay_work(struct tp_what_if_work *w)
{
    const struct tp_graph *graph = w->graph;
    size_t values = graph->cell_count > graph->pairs.count ? graph->cell_count : graph->pairs.count;
    w->ranks = graph->rank_count;
    w->steps = graph->step_count;
    w->removed_parts = tp_arena_array(w->arena, (size_t)w->ranks * w->steps, sizeof *w->removed_parts);
    w->is_pair_removed = tp_arena_array(w->arena, graph->pairs.count, sizeof *w->is_pair_removed);
    w->own = tp_arena_array(w->arena, graph->cell_count, sizeof *w->own);
    w->transfer = tp_arena_array(w->arena, graph->meetings.count, sizeof *w->transfer);
    w->values = tp_arena_array(w->arena, values + w->ranks + 1, sizeof *w->values);
}

void tp_what_if_build(struct tp_what_if *out, const struct tp_graph *graph)
{
    struct tp_what_if_work w = {.graph = graph, .arena = graph->arena, .out = out};
    *out = (struct tp_what_if){.why_not = graph->why_not, .rank_count = graph->rank_count};
    out->causes = TP_VEC(graph->arena, struct tp_cause);
    out->host_count = graph->hosts.count;
    out->step_count = graph->step_count;
    if (out->why_not)
        return;
    init_replay_work(&w);
    tp_what_if_find_usual_lengths(&w);
    w.T = tp_what_if_replay(&w, false, false);
    if (!(w.T > 0)) {
        out->why_not = "the steps have a length of zero";
        return;
    }
    tp_what_if_measure_ideal(&w);
    out->step_us = w.T / w.steps;
    out->measured_us = w.measured_us / w.steps;
    out->error = 100 * fabs(w.T - w.measured_us) / w.measured_us;
    tp_what_if_find_stages(&w);
    tp_what_if_find_uneven_batches(&w);
    tp_what_if_find_ranks(&w);
    tp_what_if_find_links(&w);
    double left = set_saved_shares_of_causes(&w);
    bool evens_stages = false, has_sequence = false;
    for (size_t i = 0; i < out->causes.count; i++) {
        evens_stages |= TP_AT(&out->causes, struct tp_cause, i)->evens_stages;
        has_sequence |= TP_AT(&out->causes, struct tp_cause, i)->kind == TP_CAUSE_SEQUENCE;
    }
    if (!has_sequence)
        left = add_unequal_cause(&w, left, evens_stages);
    out->jitter = 100 * (left - w.ideal) / w.T;
}

void tp_what_if_reject_if_inexact(struct tp_what_if *out)
{
    if (!out->why_not && !(out->error <= TP_MOST_REPLAY_ERROR))
        out->why_not = "the simulated step time differs too much from the measured step time";
}
