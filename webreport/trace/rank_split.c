/* Finds the ranks in a merged trace: see rank_split.h and section 2 of docs/definitions.md. */
#include "webreport/trace/rank_split.h"

#include <stdio.h>
#include <string.h>

#include "writer/base/limits.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"

/* LEAST_SHARED: number of correlations that several processes must have. A few equal numbers can be chance. */
enum { SURE = 10, NONE = -1, LEAST_SHARED = 10 };

/* ---- parts ---- */

static struct tp_part_rows *add_part(struct tp_vec *parts, int64_t number, struct tp_str name, const char *producer)
{
    struct tp_arena *arena = parts->arena;
    struct tp_part_rows *rows = tp_arena_alloc(arena, sizeof *rows);
    struct tp_input_part *part = tp_vec_push(parts);
    *rows = (struct tp_part_rows){
        .label = TP_STR(""), .rank = TP_NULL_INT, .world_size = TP_NULL_INT, .producer = producer};
    *part = (struct tp_input_part){number, {tp_arena_copy(arena, name.ptr, name.len), name.len}, rows};
    return rows;
}

static struct tp_part_rows *add_numbered_part(struct tp_vec *parts, const char *word, int64_t number,
                                              const char *producer)
{
    char text[48];
    int size = snprintf(text, sizeof text, "%s %lld", word, (long long)number);
    return add_part(parts, number, (struct tp_str){text, (size_t)size}, producer);
}

/* Sorts integers and removes repeated ones. */
static void make_distinct(struct tp_vec *numbers)
{
    int64_t *items = numbers->data;
    size_t kept = 0;
    tp_sort_integers(items, numbers->count);
    for (size_t i = 0; i < numbers->count; i++)
        if (!kept || items[kept - 1] != items[i])
            items[kept++] = items[i];
    numbers->count = kept;
}

static void set_pids(struct tp_part_rows *rows, struct tp_vec *pids)
{
    make_distinct(pids);
    rows->pids = pids->data;
    rows->pid_count = pids->count;
}

/* ---- labels in front of the pids ---- */

/* Returns the label with its brackets at the start of a pid such as "[TP00] 1234"; empty without a label. */
static struct tp_str label_of_pid(const struct tp_row_id *pid)
{
    const char *end =
        pid->is_text && pid->text.len && pid->text.ptr[0] == '[' ? memchr(pid->text.ptr, ']', pid->text.len) : NULL;
    return end ? (struct tp_str){pid->text.ptr, (size_t)(end - pid->text.ptr) + 1} : TP_STR("");
}

static bool find_labels(struct tp_vec *parts, const struct tp_trace *trace)
{
    struct tp_strings labels;
    tp_strings_init(&labels, trace->arena, 0);
    for (uint32_t i = 0; i < trace->thread_count; i++) {
        struct tp_str label = label_of_pid(&trace->threads[i].pid);
        if (label.len && labels.count < TP_MAX_MERGED_RANKS)
            tp_strings_add(&labels, label);
    }
    for (uint32_t i = 0; labels.count > 1 && i < labels.count; i++) {
        struct tp_str label = tp_strings_get(&labels, i);
        struct tp_part_rows *rows = add_part(parts, i, (struct tp_str){label.ptr + 1, label.len - 2}, "merged ranks");
        rows->label = (struct tp_str){tp_arena_copy(parts->arena, label.ptr, label.len), label.len};
    }
    return labels.count > 1;
}

/* ---- arguments "rank" ---- */

static bool find_ranks_of_arguments(struct tp_vec *parts, const struct tp_trace *trace)
{
    enum { LEAST_OF_20 = 19 };
    struct tp_vec ranks = TP_VEC(trace->arena, int64_t);
    uint64_t slices = trace->event_count - trace->reading.read[TP_KIND_SPAN];
    if (!trace->ranked_slices || trace->ranked_slices * 20 < slices * LEAST_OF_20)
        return false;
    for (uint32_t i = 0; i < trace->thread_count; i++)
        if (trace->thread_ranks[i] >= 0)
            *(int64_t *)tp_vec_push(&ranks) = trace->thread_ranks[i];
    make_distinct(&ranks);
    if (ranks.count < 2 || ranks.count > TP_MAX_MERGED_RANKS)
        return false;
    for (size_t i = 0; i < ranks.count; i++) {
        int64_t rank = *TP_AT(&ranks, int64_t, i);
        struct tp_part_rows *rows = add_numbered_part(parts, "rank", rank, "merged ranks (TraceFusion)");
        struct tp_vec pids = TP_VEC(parts->arena, int64_t);
        rows->rank = rank;
        rows->world_size = (int64_t)ranks.count;
        for (uint32_t t = 0; t < trace->thread_count; t++)
            if (trace->thread_ranks[t] == rank && !trace->threads[t].pid.is_text)
                *(int64_t *)tp_vec_push(&pids) = trace->threads[t].pid.number;
        set_pids(rows, &pids);
    }
    return true;
}

/* ---- processes with the same correlations ---- */

/* A correlation of a call, and the index of its process. */
struct call {
    int64_t correlation, process;
};

/* processes of the host and of devices */
struct processes {
    const struct tp_trace *trace;
    struct tp_vec hosts, devices;               /* pids, ascending; elements: int64_t */
    int64_t *host_of_thread, *device_of_thread; /* index in `hosts` or `devices`, or NONE */
    struct tp_vec calls; /* distinct calls by correlation, then by process; elements: struct call */
    size_t shared_count; /* number of correlations that several processes have */
};

static int compare_calls(const void *x, const void *y, const void *context)
{
    const struct call *a = x, *b = y;
    (void)context;
    if (a->correlation != b->correlation)
        return a->correlation < b->correlation ? -1 : 1;
    return (a->process > b->process) - (a->process < b->process);
}

/* Collects the pids of the marked threads in `pids`, and sets the index of the pid of each marked thread. */
static int64_t *index_pids(struct tp_vec *pids, const struct tp_trace *trace, const bool *is_marked)
{
    int64_t *indexes = tp_arena_array(trace->arena, trace->thread_count, sizeof *indexes);
    for (uint32_t i = 0; i < trace->thread_count; i++)
        if (is_marked[i] && !trace->threads[i].pid.is_text)
            *(int64_t *)tp_vec_push(pids) = trace->threads[i].pid.number;
    make_distinct(pids);
    for (uint32_t i = 0; i < trace->thread_count; i++) {
        const struct tp_row_id *pid = &trace->threads[i].pid;
        indexes[i] = NONE;
        if (is_marked[i] && !pid->is_text)
            indexes[i] = (int64_t)tp_part_pid_index(pids->data, pids->count, pid->number);
    }
    return indexes;
}

static void find_processes(struct processes *p)
{
    const struct tp_trace *trace = p->trace;
    bool *has_calls = tp_arena_array(trace->arena, trace->thread_count, sizeof *has_calls);
    bool *has_work = tp_arena_array(trace->arena, trace->thread_count, sizeof *has_work);
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *e = &trace->events[i];
        has_calls[e->thread] |= tp_event_is_cuda_call(e);
        has_work[e->thread] |= tp_kind_is_device(e->kind);
    }
    p->host_of_thread = index_pids(&p->hosts, trace, has_calls);
    p->device_of_thread = index_pids(&p->devices, trace, has_work);
}

static void collect_calls(struct processes *p)
{
    const struct tp_trace *trace = p->trace;
    struct tp_vec *calls = &p->calls;
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *e = &trace->events[i];
        int64_t host = p->host_of_thread[e->thread];
        if (tp_event_is_cuda_call(e) && e->detail != TP_NO_ID && host != NONE &&
            trace->launches[e->detail].correlation > 0)
            *(struct call *)tp_vec_push(calls) = (struct call){trace->launches[e->detail].correlation, host};
    }
    if (calls->count)
        tp_merge_sort(trace->arena, calls->data, calls->count, sizeof(struct call), compare_calls, NULL);
    size_t kept = 0;
    for (size_t i = 0; i < calls->count; i++) {
        struct call call = *TP_AT(calls, struct call, i);
        const struct call *last = kept ? TP_AT(calls, struct call, kept - 1) : NULL;
        if (last && compare_calls(last, &call, NULL) == 0)
            continue;
        p->shared_count += last && last->correlation == call.correlation;
        *TP_AT(calls, struct call, kept++) = call;
    }
    calls->count = kept;
}

/* Returns the only process with a call of this correlation; NONE if several or no processes have one. */
static int64_t only_process_of_correlation(const struct processes *p, int64_t correlation)
{
    const struct call *calls = p->calls.data;
    size_t low = 0, high = p->calls.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (calls[middle].correlation < correlation)
            low = middle + 1;
        else
            high = middle;
    }
    if (low >= p->calls.count || calls[low].correlation != correlation)
        return NONE;
    bool is_only = low + 1 == p->calls.count || calls[low + 1].correlation != correlation;
    return is_only ? calls[low].process : NONE;
}

/* Returns the process that launched the work of a device: it alone has the correlations of at least ten times as many
 * operations as any other process. Returns NONE if no process is sure. counts: by process. */
static int64_t owner_by_counts(const uint64_t *counts, size_t count)
{
    size_t best = 0;
    uint64_t second = 0;
    for (size_t i = 1; i < count; i++)
        best = counts[i] > counts[best] ? i : best;
    for (size_t i = 0; i < count; i++)
        second = i != best && counts[i] > second ? counts[i] : second;
    return counts[best] && counts[best] >= SURE * second ? (int64_t)best : NONE;
}

/* Counts the operations of each device whose correlation only one process has. counts: by device, then by process. */
static void count_operations_of_processes(const struct processes *p, uint64_t *counts)
{
    const struct tp_trace *trace = p->trace;
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *e = &trace->events[i];
        int64_t device = p->device_of_thread[e->thread];
        if (!tp_kind_is_device(e->kind) || e->detail == TP_NO_ID || device == NONE)
            continue;
        int64_t process = only_process_of_correlation(p, trace->devices[e->detail].correlation);
        if (process != NONE)
            counts[(size_t)device * p->hosts.count + (size_t)process]++;
    }
}

/* Fills the process that owns each device. If correlations do not show the owners of some devices, and as many
 * processes own no device, these devices belong to these processes in their order. Returns false if a device has no
 * owner. */
static bool find_owners(const struct processes *p, int64_t *owners)
{
    struct tp_arena *arena = p->trace->arena;
    size_t hosts = p->hosts.count, unknown = 0, free = hosts, next = 0;
    uint64_t *counts = tp_arena_array(arena, p->devices.count * hosts, sizeof *counts);
    bool *is_owner = tp_arena_array(arena, hosts, sizeof *is_owner);
    count_operations_of_processes(p, counts);
    for (size_t i = 0; i < p->devices.count; i++) {
        owners[i] = owner_by_counts(counts + i * hosts, hosts);
        unknown += owners[i] == NONE;
        if (owners[i] != NONE)
            is_owner[owners[i]] = true;
    }
    for (size_t i = 0; i < hosts; i++)
        free -= is_owner[i];
    if (unknown && (unknown != free || p->devices.count != hosts))
        return false;
    for (size_t i = 0; i < p->devices.count; i++) {
        while (owners[i] == NONE && is_owner[next])
            next++;
        owners[i] = owners[i] == NONE ? (int64_t)next++ : owners[i];
    }
    return true;
}

static int find_processes_as_ranks(struct tp_vec *parts, const struct tp_trace *trace, struct tp_error *err)
{
    struct tp_arena *arena = trace->arena;
    struct processes p = {.trace = trace,
                          .hosts = TP_VEC(arena, int64_t),
                          .devices = TP_VEC(arena, int64_t),
                          .calls = TP_VEC(arena, struct call)};
    find_processes(&p);
    if (p.hosts.count < 2 || p.hosts.count > TP_MAX_MERGED_RANKS || p.devices.count > TP_MAX_MERGED_RANKS)
        return TP_OK;
    collect_calls(&p);
    if (p.shared_count < LEAST_SHARED)
        return TP_OK;
    int64_t *owners = tp_arena_array(arena, p.devices.count, sizeof *owners);
    if (!find_owners(&p, owners))
        return tp_error_set(err, TP_EFORMAT, 0,
                            "several processes launch with the same correlation ids, and the devices "
                            "cannot be told apart: name the files of the ranks, not the merged one");
    for (size_t i = 0; i < p.hosts.count; i++) {
        struct tp_vec pids = TP_VEC(parts->arena, int64_t);
        int64_t pid = *TP_AT(&p.hosts, int64_t, i);
        struct tp_part_rows *rows = add_numbered_part(parts, "process", pid, "merged ranks");
        *(int64_t *)tp_vec_push(&pids) = pid;
        for (size_t k = 0; k < p.devices.count; k++)
            if (owners[k] == (int64_t)i)
                *(int64_t *)tp_vec_push(&pids) = *TP_AT(&p.devices, int64_t, k);
        set_pids(rows, &pids);
    }
    return TP_OK;
}

/* ---- the ranks of a trace ---- */

int tp_rank_split_find(struct tp_vec *parts, const struct tp_trace *trace, struct tp_error *err)
{
    if (find_labels(parts, trace) || find_ranks_of_arguments(parts, trace))
        return TP_OK;
    return find_processes_as_ranks(parts, trace, err);
}

int tp_rank_split_check(const struct tp_trace *trace, struct tp_error *err)
{
    struct tp_vec parts = TP_VEC(trace->arena, struct tp_input_part);
    int code = tp_rank_split_find(&parts, trace, err);
    if (code < 0 || parts.count == 0)
        return code;
    return tp_error_set(err, TP_EFORMAT, 0,
                        "traces of ranks were merged into one: unpack the file (gunzip FILE) and name it, or name the "
                        "folder with the file of each rank");
}
