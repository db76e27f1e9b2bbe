/* Compares the bandwidth of process groups with the same layout, for messages of one size. The transfer time of a
 * collective is the shortest time that any of its ranks spends in it, because the last rank does not wait. Bus
 * bandwidth = bytes / transfer x factor (nccl-tests, doc/PERFORMANCE.md). A group is slow below 60 % of the 90th
 * percentile of all groups with the same layout, collective and size. Nothing is reported if more than a quarter of
 * these groups are slow. */
#include <math.h>
#include <stdlib.h>

#include "webreport/compare/job/job_parts.h"
#include "webreport/trace/collective_kinds.h"
#include "webreport/trace/comm_names.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"

enum { LEAST_PEERS = 4 };
/* SLOW: share of the peers' 90th percentile below which a group is slow. MOST_SLOW: largest share of slow groups
 * that is reported */
static const double SLOW = 0.6, MOST_SLOW = 0.25;

bool tp_job_is_communication(struct tp_str name)
{
    return tp_comm_is_kernel_name(name) || tp_job_is_blocking(name);
}

/* The bus bandwidth (bytes per second) of one collective that all ranks of its group recorded. */
struct sample {
    uint64_t family;
    const char *kind;
    uint32_t message_size_class, group; /* message_size_class: floor(log2 bytes); group: index of the group */
    int64_t bytes;
    double bandwidth;
};

static int compare_by_class(const struct sample *a, const struct sample *b)
{
    if (a->family != b->family)
        return (a->family > b->family) - (a->family < b->family);
    if (a->kind != b->kind) /* comparing pointers is enough, because both kinds are in one table */
        return strcmp(a->kind, b->kind);
    return (a->message_size_class > b->message_size_class) - (a->message_size_class < b->message_size_class);
}

static int compare_by_group(const void *x, const void *y, const void *context)
{
    const struct sample *a = x, *b = y;
    int order = compare_by_class(a, b);
    (void)context;
    if (order)
        return order;
    if (a->group != b->group)
        return (a->group > b->group) - (a->group < b->group);
    return (a->bandwidth > b->bandwidth) - (a->bandwidth < b->bandwidth);
}

static struct tp_vec collect_bandwidth_samples(const struct tp_job *job)
{
    struct tp_vec samples = TP_VEC(job->arena, struct sample);
    for (size_t i = 0; i < job->instances.count; i++) {
        const struct tp_job_instance *instance = tp_job_instance_at(job, i);
        const struct tp_job_group *group = tp_job_group_at(job, instance->group);
        int64_t whole = group->size == TP_NULL_INT ? group->ranks.count : group->size;
        const struct tp_collective_kind *kind = tp_collective_kind_by_name(tp_strings_get(&job->texts, instance->name));
        if (!kind || whole < 2 || instance->member_count != whole || instance->bytes <= 0 || instance->transfer_ns <= 0)
            continue;
        double factor = tp_bus_factor(kind, (double)whole);
        *(struct sample *)tp_vec_push(&samples) = (struct sample){
            group->family,   kind->name,      63 - (uint32_t)__builtin_clzll((uint64_t)instance->bytes),
            instance->group, instance->bytes, (double)instance->bytes / (double)instance->transfer_ns * 1e9 * factor};
    }
    tp_merge_sort(job->arena, samples.data, samples.count, sizeof(struct sample), compare_by_group, NULL);
    return samples;
}

/* Returns the additional time per step that the link costs, ns. fair: the peers' median bandwidth, bytes per second. */
static int64_t lost_time_per_step_ns(const struct tp_job *job, const struct tp_job_link *link, double fair)
{
    const struct tp_job_rank *rank = tp_job_rank_at(job, tp_job_group_at(job, link->group)->first_rank_index);
    double factored = (double)link->bytes * link->calls;
    double lost = (factored / link->bandwidth - factored / fair) * 1e9 / (rank->step_count ? rank->step_count : 1);
    return lost > 0 ? (int64_t)fmin(lost, 9e18) : 0;
}

/* Adds the links of one class of samples: one link for each group, compared with the bandwidth of the other groups. */
static void add_links_of_class(struct tp_job *job, const struct sample *samples, size_t count)
{
    size_t first_link = job->links.count;
    double *all = tp_arena_array(job->arena, count, sizeof *all);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && samples[end].group == samples[first].group;)
            end++;
        struct tp_job_link *link = tp_vec_push(&job->links);
        *link = (struct tp_job_link){.group = samples[first].group,
                                     .collective = samples[first].kind,
                                     .calls = (uint32_t)(end - first),
                                     .bandwidth = samples[first + (end - first - 1) / 2].bandwidth};
        for (size_t i = first; i < end; i++)
            link->bytes = samples[i].bytes > link->bytes ? samples[i].bytes : link->bytes;
        all[job->links.count - 1 - first_link] = link->bandwidth;
    }
    size_t groups = job->links.count - first_link, slow = 0;
    tp_sort_reals(all, groups);
    double high = all[tp_nearest_rank(groups, 90)], fair = all[tp_nearest_rank(groups, 50)];
    for (size_t i = 0; i < groups; i++) {
        struct tp_job_link *link = TP_AT(&job->links, struct tp_job_link, first_link + i);
        link->peers = (uint32_t)(groups - 1);
        link->peer_bandwidth_bytes_per_s = high;
        link->is_slow = groups >= LEAST_PEERS && link->bandwidth < SLOW * high;
        slow += link->is_slow;
        link->lost_ns = link->is_slow ? lost_time_per_step_ns(job, link, fair) : 0;
    }
    for (size_t i = 0; i < groups && (double)slow > MOST_SLOW * (double)groups; i++)
        TP_AT(&job->links, struct tp_job_link, first_link + i)->is_slow = false;
}

static int compare_slowest_first(const void *x, const void *y, const void *context)
{
    const struct tp_job_link *a = x, *b = y;
    (void)context;
    if (a->is_slow != b->is_slow)
        return b->is_slow - a->is_slow;
    if (a->lost_ns != b->lost_ns)
        return (a->lost_ns < b->lost_ns) - (a->lost_ns > b->lost_ns);
    double p = a->bandwidth / a->peer_bandwidth_bytes_per_s, q = b->bandwidth / b->peer_bandwidth_bytes_per_s;
    return (p > q) - (p < q);
}

void tp_job_links_build(struct tp_job *job)
{
    struct tp_vec samples = collect_bandwidth_samples(job);
    const struct sample *all = samples.data;
    for (size_t first = 0, end; first < samples.count; first = end) {
        for (end = first; end < samples.count && compare_by_class(&all[first], &all[end]) == 0;)
            end++;
        add_links_of_class(job, all + first, end - first);
    }
    tp_merge_sort(job->arena, job->links.data, job->links.count, sizeof(struct tp_job_link), compare_slowest_first,
                  NULL);
}
