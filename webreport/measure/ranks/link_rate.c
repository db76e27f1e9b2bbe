/* Implements link_rate.h: compares the bus rate of the collectives of a machine with the links between its devices.
 *
 * Calls on several ranks belong to one collective if their group, name and position among equal calls are the same. The
 * transfer time is the shortest kernel time of any rank, because the last rank to arrive does not wait. Groups of only
 * some devices of a machine are ignored: some boards link pairs of devices and have fewer links than published. Groups
 * across several machines are ignored, because these groups use links between machines. */
#include "webreport/measure/ranks/link_rate.h"

#include <math.h>

#include "webreport/measure/rules/rules_eval.h"
#include "webreport/trace/collective_kinds.h"
#include "webreport/trace/json/value.h"
#include "writer/base/keys.h"
#include "writer/base/saturate.h"
#include "writer/base/stats.h"

/* share of a link's published rate that well-tuned collectives reach */
static const double REACHED = 0.7;

/* one collective, called by several ranks */
struct instance {
    const struct tp_collective_kind *kind;
    uint32_t member_count;
    int64_t bytes, transfer_ns;
};

static double rule_threshold(const char *key)
{
    const struct tp_rule *rule = &tp_rule_E5;
    for (unsigned i = 0; i < TP_RULE_THRESHOLDS && rule->thresholds[i].key; i++)
        if (strcmp(rule->thresholds[i].key, key) == 0)
            return rule->thresholds[i].value;
    return INFINITY;
}

/* Returns whether the ranks use all devices of one machine, each rank exactly one device. */
static bool is_whole_machine(const struct tp_distributed *view)
{
    const struct tp_rank_gpu *first = view->ranks[0]->gpus;
    for (uint32_t w = 0; w < view->rank_count; w++) {
        const struct tp_rank_summary *rank = view->ranks[w];
        if (rank->gpu_count != 1 || rank->device_count != view->rank_count || !rank->gpus->name.ptr ||
            !tp_str_equal(rank->gpus->name, first->name))
            return false;
        for (uint32_t other = 0; other < w; other++)
            if (view->ranks[other]->gpus->id == rank->gpus->id)
                return false;
    }
    return true;
}

static bool is_collective_of_all_ranks(const struct tp_distributed *view, const struct tp_rank_record *record)
{
    struct tp_str size = record->meta[TP_RANK_GROUP_SIZE];
    return record->step != TP_NO_ID && record->kernel_count && record->kernel_time_ns > 0 && record->bytes > 0 &&
           size.ptr && tp_value_int(size) == (int64_t)view->rank_count;
}

/* Finds the collectives in analysed steps in which all devices of the machine take part. */
static struct tp_vec find_collectives_of_all_devices(const struct tp_distributed *view, struct tp_arena *arena)
{
    struct tp_vec instances = TP_VEC(arena, struct instance);
    struct tp_strings texts;
    struct tp_keys kinds, keys;
    tp_strings_init(&texts, arena, 0);
    tp_keys_init(&kinds, arena, 2);
    tp_keys_init(&keys, arena, 2);
    for (uint32_t w = 0; w < view->rank_count; w++) {
        const struct tp_rank_summary *rank = view->ranks[w];
        /* for each kind of collective: number of calls that this rank has made so far */
        struct tp_vec next = TP_VEC(arena, uint32_t);
        for (uint32_t i = 0; i < rank->record_count; i++) {
            const struct tp_rank_record *record = &rank->records[i];
            struct tp_str group = record->meta[TP_RANK_GROUP].ptr ? record->meta[TP_RANK_GROUP] : TP_STR("");
            if (!is_collective_of_all_ranks(view, record) || !tp_collective_kind_by_name(record->name))
                continue;
            uint32_t kind = tp_keys_pair(&kinds, tp_strings_add(&texts, record->name), tp_strings_add(&texts, group));
            while (next.count <= kind)
                *(uint32_t *)tp_vec_push(&next) = 0;
            uint32_t at = tp_keys_pair(&keys, kind, (*TP_AT(&next, uint32_t, kind))++);
            if (at == instances.count)
                *(struct instance *)tp_vec_push(&instances) = (struct instance){
                    tp_collective_kind_by_name(record->name), 0, record->bytes, record->kernel_time_ns};
            struct instance *instance = TP_AT(&instances, struct instance, at);
            instance->member_count++;
            instance->bytes = record->bytes < instance->bytes ? record->bytes : instance->bytes;
            if (record->kernel_time_ns < instance->transfer_ns)
                instance->transfer_ns = record->kernel_time_ns;
        }
    }
    return instances;
}

/* Means over the ranks, us per step. step_us: length of a step; communication_us: all communication; exposed_us:
 * communication without simultaneous computation. */
struct means {
    double step_us, communication_us, exposed_us;
};

static struct means compute_mean_step_times(const struct tp_distributed *view)
{
    struct means means = {0, 0, 0};
    for (uint32_t w = 0; w < view->rank_count; w++) {
        /* the parts that build_overlap_matrix writes: computation, both, communication, other */
        const double *parts = view->overlap.mean_us + (size_t)w * view->overlap.part_count;
        for (unsigned p = 0; p < view->overlap.part_count; p++)
            means.step_us += parts[p] / view->rank_count;
        means.communication_us += (parts[1] + parts[2]) / view->rank_count;
        means.exposed_us += parts[2] / view->rank_count;
    }
    return means;
}

/* Measures the rate of the collectives and the time that they lose. Ignores collectives whose transfer would be very
 * short at the rate of the link. rates: working memory with one item per instance. */
static void measure_rate(struct tp_link_rate *found, const struct tp_distributed *view, const struct tp_vec *instances,
                         double *rates)
{
    double floor_ns = rule_threshold("min_floor_us") * 1000, lost_us = 0;
    size_t count = 0, steps = view->ranks[0]->overlap.row_count;
    for (size_t i = 0; i < instances->count; i++) {
        const struct instance *instance = TP_AT(instances, struct instance, i);
        double moved = (double)instance->bytes * tp_bus_factor(instance->kind, view->rank_count);
        if (instance->member_count != view->rank_count || moved / found->link_gb_s < floor_ns)
            continue;
        rates[count++] = moved / (double)instance->transfer_ns;
        lost_us += fmax(0, (double)instance->transfer_ns - moved / (REACHED * found->link_gb_s)) / 1000;
        if (instance->bytes > found->bytes) {
            found->bytes = instance->bytes;
            found->collective = instance->kind->name;
        }
    }
    if (!count || !steps)
        return;
    struct means means = compute_mean_step_times(view);
    tp_sort_reals(rates, count);
    found->rate_gb_s = rates[tp_nearest_rank(count, 50)];
    found->calls_per_step = (double)count / (double)steps;
    found->step_us = means.step_us;
    /* only exposed communication costs time, so the loss is multiplied by the exposed share */
    found->lost_us = means.communication_us > 0
                         ? fmin(lost_us / (double)steps * means.exposed_us / means.communication_us, means.exposed_us)
                         : 0;
    found->share_percent = means.step_us > 0 ? 100 * found->lost_us / means.step_us : 0;
    found->is_slow = found->rate_gb_s < rule_threshold("max_link_pct") / 100 * found->link_gb_s &&
                     found->share_percent >= rule_threshold("min_pct");
}

void tp_link_rate_find(struct tp_link_rate *found, const struct tp_distributed *view, struct tp_arena *arena)
{
    *found = (struct tp_link_rate){0};
    if (!view->is_present || view->without_communication_count || view->rank_count < 2 || !is_whole_machine(view))
        return;
    const struct tp_rank_gpu *gpu = view->ranks[0]->gpus;
    const struct tp_peaks *peaks = tp_peaks_with_user_values(view->peaks_file, gpu->name, gpu->memory_bytes, arena);
    if (!peaks || !(peaks->links_gb_s > 0))
        return;
    found->device = peaks->device;
    found->is_measured = peaks->is_measured;
    found->link_gb_s = peaks->links_gb_s / 2;
    struct tp_vec instances = find_collectives_of_all_devices(view, arena);
    measure_rate(found, view, &instances, tp_arena_array(arena, instances.count + 1, sizeof(double)));
}

const char *tp_link_rate_advice(void)
{
    return tp_rule_E5.advice;
}

struct tp_finding tp_link_rate_make_finding(const struct tp_link_rate *found)
{
    struct tp_finding finding = tp_finding_make_for_run(TP_RULE_E5, found->share_percent);
    if (finding.severity == TP_SEVERITY_HIGH) /* the confidence is low, so the severity is at most medium */
        finding.severity = TP_SEVERITY_MEDIUM;
    finding.ceiling_us_per_step = found->lost_us;
    return finding;
}
