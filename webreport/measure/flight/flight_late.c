/* Finds a rank that comes last in most calls of a job in which nothing waits: see flight_decision.h.
 *
 * The times of ranks on different hosts come from different clocks. Durations do not: the rank that comes last waits
 * least, so its duration is the shortest. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "webreport/measure/flight/flight_decision.h"
#include "writer/base/saturate.h"
#include "writer/base/stats.h"

enum { LEAST_CALLS = 4, LEAST_PERCENT = 70, LEAST_NS = 10 * 1000 * 1000 };

/* The calls in which a rank came last. */
struct last {
    struct tp_vec leads_ns; /* negated times after the second last rank; elements: int64_t */
    int64_t sum_ns;
    int64_t complete_count; /* complete calls that the rank took part in */
    int64_t shortest_count; /* calls in which its duration was the shortest */
};

/* Adds one complete call. */
static void add_call(const struct tp_flight_job *job, const struct tp_flight_instance *instance, struct last *ranks)
{
    const struct tp_flight_entry *const *calls = job->joined + instance->first;
    const struct tp_flight_entry *last = calls[0], *shortest = calls[0];
    bool has_durations = true;
    int64_t second_ns = INT64_MIN;
    for (uint32_t i = 0; i < instance->count; i++) {
        ranks[calls[i]->rank].complete_count++;
        has_durations &= !isnan(calls[i]->call.duration_ms);
        if (calls[i]->call.duration_ms < shortest->call.duration_ms)
            shortest = calls[i];
        if (i && calls[i]->call.time_ns > last->call.time_ns) {
            second_ns = last->call.time_ns;
            last = calls[i];
        } else if (i && calls[i]->call.time_ns > second_ns) {
            second_ns = calls[i]->call.time_ns;
        }
    }
    int64_t lead_ns = tp_sat_sub(last->call.time_ns, second_ns);
    *(int64_t *)tp_vec_push(&ranks[last->rank].leads_ns) = -lead_ns;
    ranks[last->rank].sum_ns = tp_sat_add(ranks[last->rank].sum_ns, lead_ns);
    ranks[shortest->rank].shortest_count += has_durations;
}

/* Returns nanoseconds as milliseconds with one decimal. */
static double round_to_tenths_of_ms(int64_t ns)
{
    char text[64];
    snprintf(text, sizeof text, "%.1f", (double)ns / 1e6);
    return strtod(text, NULL);
}

static void judge(struct tp_flight_decision *d, const struct last *ranks)
{
    struct tp_flight_job *job = d->job;
    const struct last *latest = NULL;
    for (size_t r = 0; r < job->ranks.count; r++)
        if (ranks[r].leads_ns.count && (!latest || ranks[r].sum_ns > latest->sum_ns))
            latest = &ranks[r];
    int64_t count = latest ? (int64_t)latest->leads_ns.count : 0;
    if (count < LEAST_CALLS || count * 100 < LEAST_PERCENT * latest->complete_count)
        return;
    /* the lower median of the negated times is the upper median of the times */
    int64_t median_ns = -tp_lower_median(latest->leads_ns.data, latest->leads_ns.count);
    if (median_ns < LEAST_NS)
        return;
    d->result->late = tp_arena_alloc(job->arena, sizeof *d->result->late);
    d->result->late_count = 1;
    *d->result->late = (struct tp_flight_late){.rank = tp_flight_rank_at(job, (size_t)(latest - ranks))->number,
                                               .call_count = count,
                                               .of_count = latest->complete_count,
                                               .median_ms = round_to_tenths_of_ms(median_ns),
                                               .is_clock_free = latest->shortest_count * 100 >= LEAST_PERCENT * count};
}

void tp_flight_find_late(struct tp_flight_decision *d)
{
    struct tp_flight_job *job = d->job;
    struct last *ranks = tp_arena_array(job->arena, job->ranks.count, sizeof *ranks);
    size_t complete_count = 0;
    for (size_t r = 0; r < job->ranks.count; r++)
        ranks[r].leads_ns = TP_VEC(job->arena, int64_t);
    for (size_t i = 0; i < job->instances.count; i++) {
        const struct tp_flight_instance *instance = tp_flight_instance_at(job, i);
        if (instance->count < 2 || instance->count != tp_flight_group_at(job, instance->group)->rank_count)
            continue;
        complete_count++;
        add_call(job, instance, ranks);
    }
    if (complete_count >= LEAST_CALLS)
        judge(d, ranks);
}
