/* Finds the call that a culprit should have entered, and its last call: see flight_graph.h. */
#include "webreport/measure/flight/flight_graph.h"
#include "writer/base/limits.h"

const struct tp_flight_entry *tp_flight_last_call_of(const struct tp_flight_job *job, uint32_t rank)
{
    uint32_t index = job->rank_index[rank];
    const struct tp_flight_rank *dump = index == TP_NO_ID ? NULL : tp_flight_rank_at(job, index);
    return dump && dump->call_count ? &dump->calls[dump->call_count - 1] : NULL;
}

/* Chooses the call that a culprit should have entered first. */
struct choice {
    const struct tp_flight_decision *d;
    uint32_t rank;
    uint32_t *waits_at_head; /* for each rank: number of calls of the culprit that are some rank's head, and in which
                                the rank waits */
};

/* Returns whether a rank that never entered the call waits in another call of the culprit, so that the call comes later
 * in the program. */
static bool comes_later(const struct choice *choice, const struct tp_flight_open *open)
{
    for (uint64_t i = 0; i < open->not_joined.count; i++) {
        uint32_t rank = open->not_joined.items[i];
        bool is_own = open->head_count && tp_flight_ranks_contain(&open->waiting, rank);
        if (choice->waits_at_head[rank] > is_own)
            return true;
    }
    return false;
}

static bool is_better(const struct choice *choice, const struct tp_flight_open *a, const struct tp_flight_open *b)
{
    if (!a->head_count != !b->head_count)
        return a->head_count > 0;
    bool a_later = comes_later(choice, a), b_later = comes_later(choice, b);
    if (a_later != b_later)
        return b_later;
    if (a->is_p2p != b->is_p2p)
        return b->is_p2p;
    return a->since_ns < b->since_ns;
}

static const struct tp_flight_open *choose_call(const struct choice *choice)
{
    const struct tp_vec *open = &choice->d->open;
    const struct tp_flight_open *best = NULL;
    for (int step = 1; step >= -1; step -= 2) { /* counts before the search, and resets the counts afterwards */
        for (size_t i = 0; i < open->count; i++) {
            const struct tp_flight_open *one = TP_AT(open, struct tp_flight_open, i);
            for (uint64_t k = 0; one->head_count && tp_flight_is_missing(one, choice->rank) && k < one->waiting.count;
                 k++)
                choice->waits_at_head[one->waiting.items[k]] += (uint32_t)step;
        }
        for (size_t i = 0; step > 0 && i < open->count; i++) {
            const struct tp_flight_open *one = TP_AT(open, struct tp_flight_open, i);
            if (tp_flight_is_missing(one, choice->rank) && (!best || is_better(choice, one, best)))
                best = one;
        }
    }
    return best;
}

/* Returns the first open call of a group's name with a number; NULL if none exists. */
static const struct tp_flight_open *find_open(const struct tp_flight_decision *d, struct tp_str group, int64_t sequence)
{
    for (size_t i = 0; i < d->open.count; i++) {
        const struct tp_flight_open *open = TP_AT(&d->open, struct tp_flight_open, i);
        if (open->sequence == sequence && tp_str_equal(open->group, group))
            return open;
    }
    return NULL;
}

/* Returns the operation of the lowest rank in a collective that ended; "" if there is no such call. */
static struct tp_str op_of_instance(const struct tp_flight_job *job, const struct tp_flight_reason *reason)
{
    struct {
        int64_t sequence;
        uint64_t group;
    } key = {reason->sequence, reason->group};
    uint32_t id = tp_strings_find(&job->instance_keys, (struct tp_str){(const char *)&key, sizeof key});
    if (id == TP_NO_ID)
        return (struct tp_str){"", 0};
    const struct tp_flight_instance *instance = tp_flight_instance_at(job, job->instance_of_key[id]);
    return tp_flight_text(job, job->joined[instance->first]->call.op);
}

static void set_last_call(const struct tp_flight_job *job, struct tp_flight_culprit *culprit)
{
    const struct tp_flight_entry *last = tp_flight_last_call_of(job, (uint32_t)culprit->rank);
    culprit->has_last_call = last != NULL;
    if (!last)
        return;
    culprit->last_call =
        (struct tp_flight_last_call){.op = tp_flight_text(job, last->call.op),
                                     .group = tp_flight_text(job, last->call.group),
                                     .sequence = last->call.sequence,
                                     .state = last->is_done ? TP_STR("done") : tp_flight_text(job, last->call.state),
                                     .line = tp_flight_line(job, last->call.stack),
                                     .time_ns = last->call.time_ns};
    culprit->is_overwritten = tp_flight_rank_at(job, last->rank)->overwritten > 0;
}

void tp_flight_describe_culprit(const struct tp_flight_decision *d, struct tp_flight_culprit *culprit,
                                uint32_t *waits_at_head)
{
    const struct choice choice = {d, (uint32_t)culprit->rank, waits_at_head};
    const struct tp_flight_job *job = d->job;
    const struct tp_flight_reason *reason = &d->reasons[choice.rank];
    culprit->why = reason->is_set ? reason->why : TP_FLIGHT_WHY_NOT_JOINED;
    culprit->sequence = reason->is_set ? reason->sequence : -1;
    culprit->group = culprit->description = culprit->op = (struct tp_str){"", 0};
    bool may_choose = culprit->why <= TP_FLIGHT_WHY_UNSURE;
    const struct tp_flight_open *chosen = may_choose ? choose_call(&choice) : NULL;
    if (chosen) {
        culprit->group = chosen->group;
        culprit->sequence = chosen->sequence;
    } else if (reason->is_set) {
        culprit->group = tp_flight_text(job, tp_flight_group_at(job, reason->group)->name);
    }
    culprit->open = find_open(d, culprit->group, culprit->sequence);
    if (culprit->open)
        culprit->op = culprit->open->op;
    else if (!chosen && reason->is_set)
        culprit->op = op_of_instance(job, reason);
    if (chosen)
        culprit->description = chosen->description;
    else if (reason->is_set)
        culprit->description = tp_flight_text(job, tp_flight_group_at(job, reason->group)->description);
    set_last_call(job, culprit);
}
