/* Adds the collectives that this rank recorded, and the fingerprint of the rank's device work. */
#include "webreport/measure/summary/summary_parts.h"
#include "webreport/model/collectives_build.h"
#include "webreport/trace/json/value.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

/* ---- collectives ---- */

static struct tp_str value_text(struct tp_summary_work *work, uint32_t value)
{
    const struct tp_trace *trace = work->source->trace;
    return value == TP_NO_ID ? TP_STR("")
                             : tp_summary_intern_text(work, tp_value_text(work->scratch, trace->values.items[value]));
}

static void fill_collective(struct tp_summary_work *work, struct tp_summary_collective *out,
                            const struct tp_collective *record)
{
    const struct tp_trace *trace = work->source->trace;
    struct tp_interval time = tp_collective_interval(record);
    *out = (struct tp_summary_collective){.name = tp_summary_intern_text(work, record->name),
                                          .group = TP_STR(""),
                                          .dtype = TP_STR(""),
                                          .sequence = TP_NULL_INT,
                                          .bytes = record->bytes,
                                          .group_size = TP_NULL_INT,
                                          .arrival_ns = tp_sat_sub(time.a, work->out->start_ns),
                                          .duration_ns = tp_sat_sub(time.b, time.a),
                                          .step = tp_summary_step_of_host(work, record->start_ns)};
    if (record->comm == TP_NO_ID)
        return;
    const struct tp_comm_detail *comm = &trace->comms[record->comm];
    out->group = value_text(work, comm->group_name);
    out->dtype = value_text(work, comm->dtype);
    if (comm->group_size != TP_NO_ID)
        out->group_size = tp_value_int(trace->values.items[comm->group_size]);
    out->sequence = comm->sequence;
}

/* Assigns numbers to the calls that have no sequence number: within each group and name, in the order of the calls. */
static void assign_sequence_numbers_to_calls(struct tp_summary_work *work, struct tp_summary_collective *items,
                                             uint32_t count)
{
    struct tp_strings texts;
    struct tp_keys keys;
    struct tp_vec next = TP_VEC(work->scratch, int64_t);
    tp_strings_init(&texts, work->scratch, 0);
    tp_keys_init(&keys, work->scratch, 2);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].sequence != TP_NULL_INT)
            continue;
        uint32_t key =
            tp_keys_pair(&keys, tp_strings_add(&texts, items[i].group), tp_strings_add(&texts, items[i].name));
        if (key == next.count)
            *(int64_t *)tp_vec_push(&next) = 0;
        items[i].sequence = (*TP_AT(&next, int64_t, key))++;
    }
}

static int compare_by_arrival(const void *x, const void *y, const void *context)
{
    const struct tp_summary_collective *a = x, *b = y;
    (void)context;
    return (a->arrival_ns > b->arrival_ns) - (a->arrival_ns < b->arrival_ns);
}

void tp_summary_collectives_build(struct tp_summary_work *work)
{
    const struct tp_collectives *records = &work->source->model->collectives;
    uint32_t count = records->count;
    if (count > TP_MAX_SUMMARY_COLLECTIVES) {
        work->left_out[TP_CUT_COLLECTIVES] = count - TP_MAX_SUMMARY_COLLECTIVES;
        count = TP_MAX_SUMMARY_COLLECTIVES;
    }
    struct tp_summary_collective *items = tp_arena_array(work->arena, count, sizeof *items);
    for (uint32_t i = 0; i < count; i++)
        fill_collective(work, &items[i], &records->items[i]);
    assign_sequence_numbers_to_calls(work, items, count);
    /* the sort is stable, so that equal arrivals keep the order of the calls */
    tp_merge_sort(work->scratch, items, count, sizeof *items, compare_by_arrival, NULL);
    work->out->collectives = items;
    work->out->collective_count = count;
}

/* ---- fingerprint ---- */

/* A kernel of a step. Kernels are sorted by launch, because this order is the same in each run, unlike the order of
 * execution. */
struct launched {
    int64_t at_ns, start_ns;
    uint32_t step, kernel;
};

static int compare_by_launch(const void *x, const void *y, const void *context)
{
    const struct launched *a = x, *b = y;
    (void)context;
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->kernel > b->kernel) - (a->kernel < b->kernel);
}

static uint32_t longest_step_with_kernels(const struct tp_summary_work *work, const struct tp_vec *kernels)
{
    const struct tp_summary *out = work->out;
    uint8_t *has_any = tp_arena_array(work->scratch, out->step_count, sizeof *has_any);
    uint32_t longest = TP_NO_ID;
    for (size_t i = 0; i < kernels->count; i++)
        has_any[TP_AT(kernels, struct launched, i)->step] = 1;
    for (uint32_t s = 0; s < out->step_count; s++)
        if (has_any[s] && (longest == TP_NO_ID || out->steps[s].total_ns > out->steps[longest].total_ns))
            longest = s;
    return longest;
}

void tp_summary_fingerprint_build(struct tp_summary_work *work)
{
    const struct tp_model *model = work->source->model;
    struct tp_vec kernels = TP_VEC(work->scratch, struct launched);
    uint64_t hash = 0;
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *e = tp_device_event(model, k);
        uint32_t step = tp_summary_step_of_device(work, k), launch = model->devices.launch[k];
        if (e->kind == TP_KIND_KERNEL && step != TP_NO_ID)
            *(struct launched *)tp_vec_push(&kernels) = (struct launched){
                launch == TP_NO_ID ? e->ts_ns : tp_launch_event(model, launch)->ts_ns, e->ts_ns, step, k};
    }
    tp_merge_sort(work->scratch, kernels.data, kernels.count, sizeof(struct launched), compare_by_launch, NULL);
    uint32_t longest = longest_step_with_kernels(work, &kernels);
    for (size_t i = 0; i < kernels.count; i++) {
        const struct launched *kernel = TP_AT(&kernels, struct launched, i);
        if (kernel->step != longest)
            continue;
        struct tp_str name = tp_trace_event_name(work->source->trace, tp_device_event(model, kernel->kernel));
        hash = tp_hash_mix(hash ^ tp_hash_bytes(name.ptr, name.len), 0x9E3779B97F4A7C15ull);
        hash += hash == 0; /* 0 is reserved for "no kernels" */
    }
    work->out->kernel_fingerprint = hash;
    tp_arena_free_item(work->scratch, kernels.data, kernels.capacity * sizeof(struct launched));
}
