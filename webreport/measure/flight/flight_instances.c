/* Joins the calls of all ranks into collectives and pairs of sends and receives: see flight_job.h. */
#include "webreport/measure/flight/flight_job.h"
#include "writer/base/sort.h"
#include "writer/base/table.h" /* for the macro TP_NULL_INT */

/* ---- how far the ranks are ---- */

static struct tp_flight_reached *reached_of(struct tp_flight_job *job, uint32_t group, uint32_t rank)
{
    uint32_t *index = tp_id_map_find_or_add(&job->reached_of, tp_id_pair(group, rank));
    if (*index == TP_NO_ID) {
        *index = (uint32_t)job->reached.count;
        *(struct tp_flight_reached *)tp_vec_push(&job->reached) = (struct tp_flight_reached){-1, -1};
    }
    return TP_AT(&job->reached, struct tp_flight_reached, *index);
}

static void note_reached(struct tp_flight_job *job, const struct tp_flight_rank *rank,
                         const struct tp_flight_entry *entry)
{
    struct tp_flight_reached *reached = reached_of(job, entry->group, entry->rank);
    if (entry->call.sequence > reached->last)
        reached->last = entry->call.sequence;
    for (uint32_t i = 0; i < rank->progress_count; i++)
        if (rank->progress[i].group_id == entry->call.group_id)
            reached->enqueued = rank->progress[i].last_enqueued;
}

/* ---- collectives ---- */

static uint32_t add_instance(struct tp_flight_job *job, const struct tp_flight_entry *entry)
{
    struct {
        int64_t sequence;
        uint64_t group;
    } key = {entry->call.sequence, entry->group};
    uint32_t id = tp_strings_add(&job->instance_keys, (struct tp_str){(const char *)&key, sizeof key});
    if (id == job->instances.count)
        *(struct tp_flight_instance *)tp_vec_push(&job->instances) = (struct tp_flight_instance){
            .group = entry->group, .sequence = entry->call.sequence, .start_ns = INT64_MAX, .key = id};
    return id;
}

/* Adds a call to its instance. Of two calls of one rank, the last counts. */
static void join(struct tp_flight_job *job, struct tp_flight_instance *instance, const struct tp_flight_entry *entry)
{
    if (instance->count && job->joined[instance->first + instance->count - 1]->rank == entry->rank)
        instance->count--;
    job->joined[instance->first + instance->count++] = entry;
}

static void fill_instances(struct tp_flight_job *job, const uint32_t *instance_of)
{
    size_t at = 0, total = 0;
    for (size_t i = 0; i < job->instances.count; i++) {
        struct tp_flight_instance *instance = TP_AT(&job->instances, struct tp_flight_instance, i);
        instance->first = (uint32_t)total;
        total += instance->count;
        instance->count = 0;
    }
    job->joined = tp_arena_array(job->arena, total, sizeof *job->joined);
    for (size_t r = 0; r < job->ranks.count; r++) {
        const struct tp_flight_rank *rank = tp_flight_rank_at(job, r);
        for (uint32_t i = 0; i < rank->call_count; i++, at++)
            if (instance_of[at] != TP_NO_ID)
                join(job, TP_AT(&job->instances, struct tp_flight_instance, instance_of[at]), &rank->calls[i]);
    }
    for (size_t i = 0; i < job->instances.count; i++) {
        struct tp_flight_instance *instance = TP_AT(&job->instances, struct tp_flight_instance, i);
        for (uint32_t k = 0; k < instance->count; k++) {
            int64_t time_ns = job->joined[instance->first + k]->call.time_ns;
            instance->start_ns = time_ns < instance->start_ns ? time_ns : instance->start_ns;
        }
    }
}

static int compare_starts(const void *x, const void *y, const void *context)
{
    const struct tp_flight_instance *a = x, *b = y;
    (void)context;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* ---- pairs ---- */

/* Adds a send or a receive to its pair. Ignores calls whose ranks are not in the group. */
static void add_to_pair(struct tp_flight_job *job, const struct tp_flight_entry *entry, bool is_receive)
{
    const struct tp_flight_group_of_ranks *group = tp_flight_group_at(job, entry->group);
    int64_t source = entry->call.source, target = entry->call.target, count = group->rank_count;
    if (source < 0 || target < 0 || source >= count || target >= count)
        return;
    const uint32_t key[] = {entry->group, group->ranks[source], group->ranks[target]};
    uint32_t id = tp_strings_add(&job->pair_keys, (struct tp_str){(const char *)key, sizeof key});
    if (id == job->pairs.count)
        *(struct tp_flight_pair *)tp_vec_push(&job->pairs) =
            (struct tp_flight_pair){.group = key[0], .source = key[1], .target = key[2]};
    struct tp_flight_pair *pair = TP_AT(&job->pairs, struct tp_flight_pair, id);
    pair->count[is_receive]++;
    if (entry->is_done)
        return;
    if (!pair->pending_count[is_receive]++)
        pair->pending[is_receive] = entry;
}

void tp_flight_job_set_instances(struct tp_flight_job *job)
{
    uint32_t *instance_of = tp_arena_array(job->arena, (size_t)job->call_count, sizeof *instance_of);
    size_t at = 0;
    for (size_t r = 0; r < job->ranks.count; r++) {
        const struct tp_flight_rank *rank = tp_flight_rank_at(job, r);
        for (uint32_t i = 0; i < rank->call_count; i++, at++) {
            const struct tp_flight_entry *entry = &rank->calls[i];
            enum tp_flight_op op = tp_flight_op_of(job, entry);
            instance_of[at] = TP_NO_ID;
            if ((op == TP_FLIGHT_SEND || op == TP_FLIGHT_RECV) && (!entry->is_part || entry->call.is_p2p))
                add_to_pair(job, entry, op == TP_FLIGHT_RECV);
            if (entry->signature == TP_NO_ID)
                continue;
            instance_of[at] = add_instance(job, entry);
            TP_AT(&job->instances, struct tp_flight_instance, instance_of[at])->count++;
            note_reached(job, rank, entry);
        }
    }
    fill_instances(job, instance_of);
    tp_merge_sort(job->arena, job->instances.data, job->instances.count, sizeof(struct tp_flight_instance),
                  compare_starts, NULL);
    job->instance_of_key = tp_arena_array(job->arena, job->instances.count, sizeof *job->instance_of_key);
    for (uint32_t i = 0; i < job->instances.count; i++)
        job->instance_of_key[tp_flight_instance_at(job, i)->key] = i;
}

const struct tp_flight_entry *tp_flight_call_of(const struct tp_flight_job *job,
                                                const struct tp_flight_instance *instance, uint32_t rank_index)
{
    size_t low = 0, high = instance->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (job->joined[instance->first + middle]->rank < rank_index)
            low = middle + 1;
        else
            high = middle;
    }
    const struct tp_flight_entry *entry = low < instance->count ? job->joined[instance->first + low] : NULL;
    return entry && entry->rank == rank_index ? entry : NULL;
}
