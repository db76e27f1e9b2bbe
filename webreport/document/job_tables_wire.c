/* Tables of what goes over the wire: collectives and links. See job_tables.h. */
#include <math.h>

#include "webreport/document/job_tables.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

/* ---- collectives ---- */

static const struct tp_column_def collective_defs[TP_JOB_COLLECTIVE_COLUMNS] = {
    {"name", "Collective", "", "Name of the call.", TP_COLUMN_TEXT},
    {"group_size", "Ranks", "", "Ranks of a group; of those seen where it is not recorded.", TP_COLUMN_INT},
    {"groups", "Groups", "", "Process groups that make such calls.", TP_COLUMN_INT},
    {"calls", "Calls", "", "Collectives, each counted once for all its ranks.", TP_COLUMN_INT},
    {"message_bytes", "Message", "bytes", "The largest message of the row; rows are powers of two.", TP_COLUMN_BYTES},
    {"transfer_us", "Transfer", "us", "Sum over the collectives of the shortest time any of its ranks spent in it.",
     TP_COLUMN_NS},
    {"waiting_us", "Waiting", "us", "Sum over all ranks of what they spent in it beyond that: waiting for the last.",
     TP_COLUMN_NS},
    {"mean_waiting_us", "Wait of a rank", "us", "Waiting of one rank in one collective, mean.", TP_COLUMN_REAL},
};

struct kind {
    uint32_t name, groups, last_group;
    int64_t size, calls, members, bytes, transfer_ns, wait_ns;
};

static int longest_first(const void *x, const void *y, const void *context)
{
    const struct kind *a = x, *b = y;
    (void)context;
    int64_t p = tp_sat_add(a->transfer_ns, a->wait_ns), q = tp_sat_add(b->transfer_ns, b->wait_ns);
    return (p < q) - (p > q);
}

static int64_t size_of(const struct tp_job *job, const struct tp_job_instance *instance)
{
    const struct tp_job_group *group = tp_job_group_at(job, instance->group);
    return group->size == TP_NULL_INT ? group->ranks.count : group->size;
}

static void add_instance(const struct tp_job *job, const struct tp_job_instance *instance, struct kind *kind)
{
    kind->calls++;
    kind->members += instance->member_count;
    kind->bytes = instance->bytes > kind->bytes ? instance->bytes : kind->bytes;
    kind->transfer_ns = tp_sat_add(kind->transfer_ns, instance->transfer_ns);
    for (uint32_t m = 0; m < instance->member_count; m++) {
        const struct tp_job_call *call = tp_job_call_at(job, job->members[instance->first_member + m]);
        kind->wait_ns =
            tp_sat_add(kind->wait_ns, tp_sat_sub(tp_sat_sub(call->end_ns, call->arrival_ns), instance->transfer_ns));
    }
}

void tp_job_collective_table(struct tp_table *table, const struct tp_job *job, size_t max_runs)
{
    (void)max_runs; /* it names no ranks */
    struct tp_vec kinds = TP_VEC(job->arena, struct kind);
    struct tp_keys keys, groups;
    tp_keys_init(&keys, job->arena, 3);
    tp_keys_init(&groups, job->arena, 2);
    for (size_t i = 0; i < job->instances.count; i++) {
        const struct tp_job_instance *instance = tp_job_instance_at(job, i);
        int64_t size = size_of(job, instance);
        uint32_t class = instance->bytes > 0 ? 64 - (uint32_t)__builtin_clzll((uint64_t)instance->bytes) : 0;
        uint32_t id = tp_keys_add(&keys, (uint32_t[]){instance->name, (uint32_t)size, class});
        if (id == kinds.count)
            *(struct kind *)tp_vec_push(&kinds) =
                (struct kind){.name = instance->name, .size = size, .bytes = TP_NULL_INT};
        struct kind *kind = TP_AT(&kinds, struct kind, id);
        uint32_t known = tp_keys_count(&groups);
        kind->groups += tp_keys_pair(&groups, id, instance->group) == known;
        add_instance(job, instance, kind);
    }
    tp_merge_sort(job->arena, kinds.data, kinds.count, sizeof(struct kind), longest_first, NULL);
    tp_table_init(table, job->arena, "collectives", collective_defs, TP_JOB_COLLECTIVE_COLUMNS, kinds.count);
    for (size_t row = 0; row < kinds.count; row++) {
        const struct kind *kind = TP_AT(&kinds, struct kind, row);
        tp_table_text(table, TP_JOB_COLLECTIVE_NAME)[row] = tp_strings_get(&job->texts, kind->name);
        tp_table_int(table, TP_JOB_COLLECTIVE_SIZE)[row] = kind->size;
        tp_table_int(table, TP_JOB_COLLECTIVE_GROUPS)[row] = kind->groups;
        tp_table_int(table, TP_JOB_COLLECTIVE_CALLS)[row] = kind->calls;
        tp_table_int(table, TP_JOB_COLLECTIVE_BYTES)[row] = kind->bytes;
        tp_table_int(table, TP_JOB_COLLECTIVE_TRANSFER)[row] = kind->transfer_ns;
        tp_table_int(table, TP_JOB_COLLECTIVE_WAIT)[row] = kind->wait_ns;
        tp_table_real(table, TP_JOB_COLLECTIVE_MEAN_WAIT)[row] = (double)kind->wait_ns / 1000 / (double)kind->members;
    }
}

/* ---- links ---- */

static const struct tp_column_def link_defs[TP_JOB_LINK_COLUMNS] = {
    {"process_group", "Process group", "", "Name of the group.", TP_COLUMN_TEXT},
    {"ranks", "Ranks", "", "Its ranks.", TP_COLUMN_TEXT},
    {"collective", "Collective", "", "Kind of collective.", TP_COLUMN_TEXT},
    {"message_bytes", "Message", "bytes", "The largest message of the size class.", TP_COLUMN_BYTES},
    {"calls", "Calls", "", "Calls that all ranks of the group were seen in.", TP_COLUMN_INT},
    {"bus_gb_per_s", "Bus bandwidth", "GB/s", "Median: bytes over transfer, times the factor of nccl-tests.",
     TP_COLUMN_REAL},
    {"peer_bus_gb_per_s", "Groups alike", "GB/s", "90th percentile of the groups that are laid out alike.",
     TP_COLUMN_REAL},
    {"peers", "Peers", "", "How many other groups are laid out alike.", TP_COLUMN_INT},
    {"lost_us", "Lost", "us", "Per step: what it takes longer than at the median bandwidth of its peers.",
     TP_COLUMN_NS},
    {"is_slow", "Slow", "", "Below 60 % of the peers' 90th percentile.", TP_COLUMN_BOOL},
};

void tp_job_link_table(struct tp_table *table, const struct tp_job *job, size_t max_runs)
{
    size_t count = job->links.count;
    tp_table_init(table, job->arena, "links", link_defs, TP_JOB_LINK_COLUMNS, count);
    for (size_t row = 0; row < count; row++) {
        const struct tp_job_link *link = TP_AT(&job->links, struct tp_job_link, row);
        const struct tp_job_group *group = tp_job_group_at(job, link->group);
        tp_table_text(table, TP_JOB_LINK_GROUP)[row] = tp_strings_get(&job->texts, group->name);
        tp_table_text(table, TP_JOB_LINK_RANKS)[row] = tp_str_of(tp_rank_set_text(job->arena, &group->ranks, max_runs));
        tp_table_text(table, TP_JOB_LINK_COLLECTIVE)[row] = tp_str_of(link->collective);
        tp_table_int(table, TP_JOB_LINK_BYTES)[row] = link->bytes;
        tp_table_int(table, TP_JOB_LINK_CALLS)[row] = link->calls;
        tp_table_real(table, TP_JOB_LINK_BANDWIDTH)[row] = link->bandwidth / 1e9;
        tp_table_real(table, TP_JOB_LINK_PEER_BANDWIDTH)[row] = link->peers ? link->peer_bandwidth / 1e9 : NAN;
        tp_table_int(table, TP_JOB_LINK_PEERS)[row] = link->peers;
        tp_table_int(table, TP_JOB_LINK_LOST)[row] = link->lost_ns;
        tp_table_bool(table, TP_JOB_LINK_IS_SLOW)[row] = link->is_slow;
    }
}
