/* Adds summaries to a job and keeps the data that the comparison needs. See job_build.h. */
#include "webreport/compare/job/job_build.h"

#include <stdio.h>
#include <stdlib.h>

#include "webreport/compare/job/job_parts.h"
#include "webreport/compare/replay/graph_build.h"
#include "webreport/measure/ranks/rank_parts.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"

enum { KEPT_COSTS = 24 }; /* number of costliest kernels, and of costliest operators, that are kept for each rank */

void tp_job_init(struct tp_job *job, struct tp_arena *arena, struct tp_str name, int64_t span)
{
    memset(job, 0, sizeof *job);
    job->arena = arena;
    job->name = (struct tp_str){tp_arena_copy(arena, name.ptr, name.len), name.len};
    job->span = span;
    job->world_size = TP_NULL_INT;
    job->has_rank_numbers = true;
    tp_strings_init(&job->texts, arena, 0);
    tp_strings_init(&job->labels, arena, 0);
    job->ranks = TP_VEC(arena, struct tp_job_rank);
    job->steps = TP_VEC(arena, struct tp_job_step);
    job->calls = TP_VEC(arena, struct tp_job_call);
    job->costs = TP_VEC(arena, struct tp_job_cost);
    job->instances = TP_VEC(arena, struct tp_job_instance);
    job->groups = TP_VEC(arena, struct tp_job_group);
    job->merged = TP_VEC(arena, struct tp_job_merged);
    job->facts = TP_VEC(arena, struct tp_job_fact);
    job->compared = TP_VEC(arena, struct tp_rank_summary);
    job->clusters = TP_VEC(arena, struct tp_job_cluster);
    job->columns = TP_VEC(arena, struct tp_job_column);
    job->links = TP_VEC(arena, struct tp_job_link);
    job->findings = TP_VEC(arena, struct tp_job_finding);
    tp_keys_init(&job->instance_keys, arena, 4);
    tp_keys_init(&job->group_keys, arena, 2);
    tp_keys_init(&job->merged_keys, arena, 2);
    tp_keys_init(&job->job_fact_keys, arena, 2);
    tp_graph_init(&job->graph, arena);
    tp_rank_set_init(&job->missing, arena);
    tp_rank_set_init(&job->damaged, arena);
}

/* ---- conversion of a summary ---- */

static int64_t zero_if_unknown_or_negative(int64_t ns)
{
    return ns == TP_NULL_INT || ns < 0 ? 0 : ns;
}

static bool has_device(const struct tp_summary *summary)
{
    for (uint32_t i = 0; i < summary->step_count; i++)
        for (int part = TP_PART_KERNEL; part <= TP_PART_MEMSET; part++)
            if (zero_if_unknown_or_negative(summary->steps[i].part_ns[part]) > 0)
                return true;
    return false;
}

/* Returns `whole` minus `part`, at least 0. In a damaged file, a part can be longer than its step. */
static int64_t nonnegative_difference(int64_t whole, int64_t part)
{
    return whole > part ? whole - part : 0;
}

static void split_step_into_parts(struct tp_job_step *step, const struct tp_summary_step *from, bool is_gpu)
{
    const int64_t *part = from->part_ns;
    int64_t communication = zero_if_unknown_or_negative(part[TP_PART_COMMUNICATION]), compute = 0, left;
    int64_t exposed = part[TP_PART_EXPOSED_COMMUNICATION];
    exposed = exposed == TP_NULL_INT || exposed > communication ? communication : zero_if_unknown_or_negative(exposed);
    if (is_gpu)
        for (int p = TP_PART_KERNEL; p <= TP_PART_MEMSET; p++)
            compute = tp_sat_add(compute, zero_if_unknown_or_negative(part[p]));
    /* without a device, the summary counts compute during a collective as communication, so that this line moves it
     * back to compute */
    else
        compute = tp_sat_add(zero_if_unknown_or_negative(part[TP_PART_CPU_EXEC]), communication - exposed);
    step->total_ns = left = zero_if_unknown_or_negative(from->total_ns);
    step->own_ns = nonnegative_difference(left, exposed);
    step->part_ns[TP_JOB_COMMUNICATION] = exposed < left ? exposed : left;
    left = nonnegative_difference(left, exposed);
    step->part_ns[TP_JOB_COMPUTE] = compute < left ? compute : left;
    left = nonnegative_difference(left, compute);
    compute = zero_if_unknown_or_negative(part[TP_PART_DATALOADER]);
    step->part_ns[TP_JOB_DATA] = compute < left ? compute : left;
    step->part_ns[TP_JOB_HOST] = nonnegative_difference(left, compute);
}

/* Adds the analysed steps of a summary to the job. Returns, for every step of the summary, its label, or TP_NO_ID if
 * the step is not kept. */
static uint32_t *add_steps(struct tp_job *job, struct tp_job_rank *rank, const struct tp_summary *summary)
{
    uint32_t *labels = tp_arena_array(job->arena, summary->step_count, sizeof *labels);
    rank->first_step = (uint32_t)job->steps.count;
    rank->recorded_step_count = summary->step_count;
    for (uint32_t i = 0; i < summary->step_count; i++) {
        bool is_kept = !summary->steps[i].is_left_out && rank->step_count < TP_MAX_JOB_STEPS;
        job->steps_left_out += !summary->steps[i].is_left_out && !is_kept;
        labels[i] = TP_NO_ID;
        if (!is_kept)
            continue;
        struct tp_job_step *step = tp_vec_push(&job->steps);
        rank->step_count++;
        step->label = labels[i] = tp_strings_add(&job->labels, summary->steps[i].name);
        split_step_into_parts(step, &summary->steps[i], rank->is_gpu);
    }
    return labels;
}

/* Returns the index of the call's group; adds the group if it is new. */
static uint32_t find_or_add_group(struct tp_job *job, const struct tp_summary_collective *call)
{
    uint32_t key[2] = {tp_strings_add(&job->texts, call->group),
                       call->group_size == TP_NULL_INT ? TP_NO_ID : (uint32_t)call->group_size};
    uint32_t group = tp_keys_add(&job->group_keys, key);
    if (group == job->groups.count) {
        struct tp_job_group *new = tp_vec_push(&job->groups);
        new->name = key[0];
        new->size = call->group_size;
        new->first_rank_index = (uint32_t)job->ranks.count - 1;
        tp_rank_set_init(&new->ranks, job->arena);
    }
    return group;
}

static uint32_t find_or_add_instance(struct tp_job *job, const struct tp_summary_collective *call, uint32_t group)
{
    uint32_t key[4] = {group, tp_strings_add(&job->texts, call->name), (uint32_t)call->sequence,
                       (uint32_t)((uint64_t)call->sequence >> 32)};
    uint32_t instance = tp_keys_add(&job->instance_keys, key);
    if (instance == job->instances.count) {
        *(struct tp_job_instance *)tp_vec_push(&job->instances) = (struct tp_job_instance){
            .name = key[1], .group = group, .sequence = call->sequence, .bytes = call->bytes, .transfer_ns = INT64_MAX};
        tp_job_group_at(job, group)->instance_count++;
    }
    return instance;
}

/* Adds the calls of collectives to the job. labels: for each step of the summary, its label. */
static void add_collective_calls(struct tp_job *job, struct tp_job_rank *rank, const struct tp_summary *summary,
                                 const uint32_t *labels)
{
    uint32_t count = summary->collective_count < TP_MAX_JOB_CALLS ? summary->collective_count : TP_MAX_JOB_CALLS;
    job->dropped_call_count += summary->collective_count - count;
    rank->first_call = (uint32_t)job->calls.count;
    for (uint32_t i = 0; i < count; i++) {
        const struct tp_summary_collective *from = &summary->collectives[i];
        uint32_t group = find_or_add_group(job, from), instance = find_or_add_instance(job, from, group);
        struct tp_job_instance *joint = tp_job_instance_at(job, instance);
        int64_t duration = zero_if_unknown_or_negative(from->duration_ns);
        struct tp_job_call *call = tp_vec_push(&job->calls);
        *call = (struct tp_job_call){.instance = instance,
                                     .step = from->step < summary->step_count ? labels[from->step] : TP_NO_ID,
                                     .arrival_ns = from->arrival_ns,
                                     .end_ns = tp_sat_add(from->arrival_ns, duration)};
        joint->rank_count += !joint->member_count || joint->rank_count_at_last_member != (uint32_t)job->ranks.count;
        joint->rank_count_at_last_member = (uint32_t)job->ranks.count;
        joint->member_count++;
        joint->transfer_ns = duration < joint->transfer_ns ? duration : joint->transfer_ns;
        joint->bytes = from->bytes > joint->bytes ? from->bytes : joint->bytes;
        tp_rank_set_add(&tp_job_group_at(job, group)->ranks, rank->number);
    }
    rank->call_count = count;
}

/* Returns the cost with this kind and name; adds the cost if it is new. Returns NULL if there are already KEPT_COSTS
 * names of the kind. */
static struct tp_job_cost *find_or_add_cost(struct tp_job *job, const struct tp_job_rank *rank,
                                            enum tp_summary_kind kind, struct tp_str text)
{
    uint32_t name = tp_strings_add(&job->texts, text), of_kind = 0;
    for (size_t i = rank->first_cost; i < job->costs.count; i++) {
        struct tp_job_cost *cost = TP_AT(&job->costs, struct tp_job_cost, i);
        if (cost->kind == kind && cost->name == name)
            return cost;
        of_kind += cost->kind == kind;
    }
    if (of_kind >= KEPT_COSTS)
        return NULL;
    struct tp_job_cost *cost = tp_vec_push(&job->costs);
    *cost = (struct tp_job_cost){.name = name, .kind = kind};
    return cost;
}

/* Adds the costliest kernels and operators of a rank. The rows of the summary are sorted by kind, costliest first. */
static void add_operation_costs(struct tp_job *job, struct tp_job_rank *rank, const struct tp_summary *summary)
{
    rank->first_cost = (uint32_t)job->costs.count;
    for (uint32_t i = 0; i < summary->row_count; i++) {
        const struct tp_summary_row *row = &summary->rows[i];
        if ((row->kind != TP_SUMMARY_KERNEL && row->kind != TP_SUMMARY_OPERATOR_HOST) ||
            tp_str_equal(row->name, TP_STR(TP_SUMMARY_REST)))
            continue;
        struct tp_job_cost *cost = find_or_add_cost(job, rank, row->kind, row->name);
        if (!cost)
            continue;
        cost->count = tp_sat_add(cost->count, row->time.count);
        cost->time_ns = tp_sat_add(cost->time_ns, row->time.sum_ns);
    }
    rank->cost_count = (uint32_t)job->costs.count - rank->first_cost;
}

static struct tp_str copy_text(struct tp_job *job, struct tp_str text)
{
    return tp_strings_get(&job->texts, tp_strings_add(&job->texts, text));
}

static void add_findings(struct tp_job *job, const struct tp_job_rank *rank, const struct tp_summary *summary)
{
    for (uint32_t i = 0; i < summary->finding_count; i++) {
        const struct tp_summary_finding *from = &summary->findings[i];
        uint32_t id = tp_keys_pair(&job->merged_keys, tp_strings_add(&job->texts, from->rule),
                                   tp_strings_add(&job->texts, from->file_line));
        double ceiling = from->ceiling_us_per_step > 0 ? from->ceiling_us_per_step : 0;
        if (id == job->merged.count) {
            struct tp_job_merged *new = tp_vec_push(&job->merged);
            new->rule = copy_text(job, from->rule);
            new->file_line = copy_text(job, from->file_line);
            new->max_gain_us = -1;
            new->severity = UINT8_MAX;
            tp_rank_set_init(&new->ranks, job->arena);
        }
        struct tp_job_merged *merged = TP_AT(&job->merged, struct tp_job_merged, id);
        /* keeps the higher severity; 0 is the highest */
        merged->severity = from->severity < merged->severity ? from->severity : merged->severity;
        if (ceiling > merged->max_gain_us) {
            merged->max_gain_us = ceiling;
            merged->worst_rank = rank->number;
            merged->title = copy_text(job, from->title);
            merged->detail = copy_text(job, from->detail);
            merged->confidence = from->confidence;
        }
        merged->max_gain_sum_us += ceiling;
        merged->occurrences = tp_sat_add(merged->occurrences, zero_if_unknown_or_negative(from->occurrences));
        tp_rank_set_add(&merged->ranks, rank->number);
    }
}

static void add_facts_of_rank(struct tp_job *job, const struct tp_job_rank *rank, const struct tp_summary *summary)
{
    for (uint32_t i = 0; i < summary->fact_count; i++) {
        const struct tp_summary_fact *from = &summary->facts[i];
        uint32_t id = tp_keys_pair(&job->job_fact_keys, tp_strings_add(&job->texts, from->name),
                                   tp_strings_add(&job->texts, from->value));
        if (id == job->facts.count) {
            struct tp_job_fact *new = tp_vec_push(&job->facts);
            *new = (struct tp_job_fact){.name = copy_text(job, from->name), .value = copy_text(job, from->value)};
            tp_rank_set_init(&new->ranks, job->arena);
        }
        tp_rank_set_add(&TP_AT(&job->facts, struct tp_job_fact, id)->ranks, rank->number);
    }
}

/* Keeps the records of a rank for the exact comparison of all ranks, until the job has too many records. */
static void add_summary_to_compare(struct tp_job *job, const struct tp_summary *summary)
{
    struct tp_rank_summary *kept = tp_vec_push(&job->compared);
    uint32_t records = summary->comparison ? summary->comparison->record_count : 0;
    job->compared_record_count += records;
    if (job->compared_record_count > TP_MAX_JOB_RECORDS)
        return;
    if (summary->comparison)
        tp_rank_summary_copy(kept, summary->comparison, job->arena);
    kept->world_size = summary->key.world_size;
    kept->worker = copy_text(job, summary->key.worker);
}

static void find_memory_peak_of_rank(struct tp_job_rank *rank, const struct tp_summary *summary)
{
    rank->peak_bytes = TP_NULL_INT;
    for (uint32_t i = 0; i < summary->memory_count; i++)
        if (summary->memory[i].peak_allocated_bytes > rank->peak_bytes)
            rank->peak_bytes = summary->memory[i].peak_allocated_bytes;
}

void tp_job_add_summary(struct tp_job *job, const struct tp_summary *summary)
{
    size_t count = job->ranks.count;
    int64_t next = count ? tp_job_rank_at(job, count - 1)->number + 1 : 0;
    bool has_number = summary->key.rank >= next && summary->key.rank <= TP_MAX_JOB_NUMBER;
    struct tp_job_rank *rank = tp_vec_push(&job->ranks);
    if (!count)
        job->producer = summary->producer;
    rank->key = summary->key;
    rank->key.worker = copy_text(job, summary->key.worker);
    rank->key.job = job->name;
    job->has_rank_numbers &= has_number;
    rank->number = has_number ? summary->key.rank : next;
    if (summary->key.world_size > 0 && summary->key.world_size > job->world_size)
        job->world_size = summary->key.world_size;
    rank->fingerprint = summary->kernel_fingerprint;
    rank->event_count = summary->event_count;
    rank->verdict = copy_text(job, summary->verdict);
    rank->headline = copy_text(job, summary->headline);
    rank->damage = tp_evidence_reason(&summary->evidence, TP_NEED_ALL, job->arena);
    if (*rank->damage)
        tp_rank_set_add(&job->damaged, rank->number);
    rank->is_gpu = has_device(summary);
    rank->has_no_communication = summary->collective_count == 0;
    rank->component = TP_NO_ID;
    const uint32_t *labels = add_steps(job, rank, summary);
    add_collective_calls(job, rank, summary, labels);
    tp_job_replay_add_rank(job, rank, summary, labels);
    add_operation_costs(job, rank, summary);
    add_findings(job, rank, summary);
    add_facts_of_rank(job, rank, summary);
    find_memory_peak_of_rank(rank, summary);
    add_summary_to_compare(job, summary);
}

/* ---- finishing ---- */

/* Sorts calls by instance, then by rank. */
static void group_calls_by_instance(struct tp_job *job)
{
    uint32_t at = 0;
    for (size_t i = 0; i < job->instances.count; i++) {
        struct tp_job_instance *instance = tp_job_instance_at(job, i);
        instance->first_member = at;
        at += instance->member_count;
        instance->member_count = 0;
    }
    job->members = tp_arena_array(job->arena, job->calls.count, sizeof *job->members);
    for (size_t c = 0; c < job->calls.count; c++) {
        struct tp_job_instance *instance = tp_job_instance_at(job, tp_job_call_at(job, c)->instance);
        job->members[instance->first_member + instance->member_count++] = (uint32_t)c;
    }
}

static void find_missing_ranks(struct tp_job *job)
{
    int64_t next = 0;
    if (!job->has_rank_numbers || job->world_size == TP_NULL_INT || job->world_size > TP_MAX_JOB_RANKS)
        return;
    for (size_t i = 0; i < job->ranks.count; i++) {
        int64_t number = tp_job_rank_at(job, i)->number;
        if (number > next)
            tp_rank_set_add_range(&job->missing, next, (number < job->world_size ? number : job->world_size) - 1);
        next = number + 1 > next ? number + 1 : next;
    }
    tp_rank_set_add_range(&job->missing, next, job->world_size - 1);
}

/* Removes facts that are equal in all ranks. */
static void remove_equal_facts(struct tp_job *job)
{
    size_t kept = 0;
    for (size_t i = 0; i < job->facts.count; i++) {
        const struct tp_job_fact *fact = TP_AT(&job->facts, struct tp_job_fact, i);
        if (fact->ranks.count < (int64_t)job->ranks.count)
            *TP_AT(&job->facts, struct tp_job_fact, kept++) = *fact;
    }
    job->facts.count = kept;
}

void tp_job_finish(struct tp_job *job)
{
    group_calls_by_instance(job);
    find_missing_ranks(job);
    remove_equal_facts(job);
    job->has_distributed = job->compared_record_count <= TP_MAX_JOB_RECORDS;
    if (job->has_distributed)
        tp_distributed_build(&job->distributed, job->span, job->compared.data, (uint32_t)job->compared.count,
                             job->arena);
    tp_job_clusters_build(job);
    tp_job_align_clocks(job);
    tp_job_stragglers_build(job);
    tp_job_links_build(job);
    tp_job_replay_build(job);
    if (!job->what_if.why_not)
        tp_job_replay_add_findings(job);
    tp_job_causes_build(job);
}
