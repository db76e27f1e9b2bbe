/* Builds the step slots of an analyzed trace. See step_slots.h. At first, each collective of a step is one slot, and
 * only steps with the most common row are kept. Then adjacent slots are merged until the row is short enough. */
#include "webreport/measure/summary/summary_slots.h"

#include <math.h>

#include "webreport/measure/ranks/worker_host.h"
#include "webreport/measure/summary/slot_parts.h"
#include "webreport/model/collectives_build.h"
#include "webreport/model/main_thread.h"
#include "webreport/trace/collective_kinds.h"
#include "webreport/trace/json/value.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

/* ---- calls ---- */

/* Orders calls by step, then by the start of the host call. The order of host calls is the same in every step,
 * unlike the order of device starts. */
static int compare_by_step_and_call(const void *x, const void *y, const void *context)
{
    const struct tp_slot_call *a = x, *b = y;
    (void)context;
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    if (a->called_ns != b->called_ns)
        return a->called_ns < b->called_ns ? -1 : 1;
    return (a->record > b->record) - (a->record < b->record);
}

enum { GROUP_KEYS = 6 };

/* Fills the key that identifies the group of a record. */
static void fill_key(struct tp_slot_work *w, const struct tp_collective *record, uint32_t *key)
{
    const struct tp_comm_detail *comm =
        record->comm == TP_NO_ID ? NULL : &w->summary->source->trace->comms[record->comm];
    struct tp_str name = tp_slot_call_name(w, record);
    key[0] = comm ? comm->group_name : TP_NO_ID;
    key[1] = comm ? comm->group_description : TP_NO_ID;
    key[2] = comm ? comm->group_ranks : TP_NO_ID;
    key[3] = comm ? comm->group_size : TP_NO_ID;
    key[4] = comm ? (uint32_t)comm->peer : TP_NO_ID;
    key[5] = (tp_str_find_ignore_case(name, "send") >= 0) * 2 + (tp_str_find_ignore_case(name, "recv") >= 0);
}

/* Lists the collective calls. Finds each distinct metadata once, because a step has thousands of calls in few
 * groups. */
static void list_collective_calls(struct tp_slot_work *w)
{
    const struct tp_collectives *records = &w->model->collectives;
    struct tp_keys keys;
    struct tp_vec group_of_key = TP_VEC(w->arena, uint32_t);
    tp_keys_init(&keys, w->arena, GROUP_KEYS);
    for (uint32_t i = 0; i < records->count; i++) {
        const struct tp_collective *record = &records->items[i];
        uint32_t step = tp_step_of_collective(w->model, record), parts[GROUP_KEYS];
        if (step >= w->summary->out->step_count || !tp_step_is_used(&w->model->steps[step]))
            continue;
        fill_key(w, record, parts);
        uint32_t key = tp_keys_add(&keys, parts);
        if (key == group_of_key.count)
            *(uint32_t *)tp_vec_push(&group_of_key) = tp_slot_group_of_record(w, record);
        struct tp_interval time = tp_collective_interval(record);
        int64_t end = w->model->steps[step].end_ns;
        /* ends the call at the end of the step, which did not wait for the rest of a call on its own thread */
        if (!w->model->gpu_count && time.b > end)
            time.b = time.a > end ? time.a : end;
        *(struct tp_slot_call *)tp_vec_push(&w->calls) =
            (struct tp_slot_call){time, record->start_ns, step, *TP_AT(&group_of_key, uint32_t, key), i};
    }
    tp_merge_sort(w->arena, w->calls.data, w->calls.count, sizeof(struct tp_slot_call), compare_by_step_and_call, NULL);
}

/* Finds the collective calls of each analysed step. These calls are the row of the step. */
static void find_rows_of_steps(struct tp_slot_work *w)
{
    uint32_t at = 0;
    for (uint32_t s = 0; s < w->summary->out->step_count; s++) {
        if (!tp_step_is_used(&w->model->steps[s]))
            continue;
        struct tp_slot_row *row = tp_vec_push(&w->rows);
        *row = (struct tp_slot_row){.first = at, .step = s, .hash = 1};
        for (; at < w->calls.count && TP_AT(&w->calls, struct tp_slot_call, at)->step == s; at++, row->count++) {
            uint32_t group = TP_AT(&w->calls, struct tp_slot_call, at)->group;
            row->hash = tp_hash_mix(row->hash ^ tp_hash_bytes(&group, sizeof group), 0x9E3779B97F4A7C15ull);
        }
    }
}

/* Returns the hash of the most common row; if several rows are equally common, the hash of the first. Returns 0 if no
 * row has a call. */
static uint64_t most_common_row_hash(const struct tp_slot_work *w)
{
    uint64_t usual = 0;
    size_t most = 0;
    for (size_t i = 0; i < w->rows.count; i++) {
        const struct tp_slot_row *row = TP_AT(&w->rows, struct tp_slot_row, i);
        size_t count = 0;
        for (size_t k = 0; k < w->rows.count && row->count; k++)
            count += TP_AT(&w->rows, struct tp_slot_row, k)->hash == row->hash;
        if (count > most) {
            most = count;
            usual = row->hash;
        }
    }
    return usual;
}

/* ---- choice of slots ---- */

/* Returns the number of slots if the row is divided into `windows` windows, each with one slot per group. slot_of
 * receives the slot of each call. */
static uint32_t count_slots_for_windows(const struct tp_slot_work *w, const struct tp_slot_row *row, uint32_t windows,
                                        uint32_t *slot_of)
{
    uint32_t slots = 0, group_count = (uint32_t)w->groups.count + 1, last_of[TP_MAX_SLOT_GROUPS + 1];
    for (uint32_t i = 0, window = TP_NO_ID; i < row->count; i++) {
        uint32_t here = (uint32_t)((uint64_t)i * windows / row->count);
        uint32_t group = TP_AT(&w->calls, struct tp_slot_call, row->first + i)->group;
        for (uint32_t g = 0; g < group_count && here != window; g++)
            last_of[g] = TP_NO_ID;
        window = here;
        group = group == TP_NO_ID ? group_count - 1 : group;
        if (last_of[group] == TP_NO_ID)
            last_of[group] = slots++;
        slot_of[i] = last_of[group];
    }
    return slots;
}

/* Chooses the largest number of windows that results in at most TP_MAX_SLOTS slots. Returns the number of slots. */
static uint32_t choose_slots_that_fit(const struct tp_slot_work *w, const struct tp_slot_row *row, uint32_t *slot_of)
{
    uint32_t windows = row->count < TP_MAX_SLOTS - 1 ? row->count : TP_MAX_SLOTS - 1;
    uint32_t slots = count_slots_for_windows(w, row, windows, slot_of);
    while (slots > TP_MAX_SLOTS - 1 && windows > 1)
        slots = count_slots_for_windows(w, row, --windows, slot_of);
    return slots;
}

/* ---- all ---- */

static struct tp_intervals work_times(struct tp_arena *arena, const struct tp_model *model)
{
    struct tp_vec all = TP_VEC(arena, struct tp_interval);
    for (uint32_t g = 0; g < model->gpu_count; g++) {
        tp_intervals_append(&all, model->gpus[g].compute);
        tp_intervals_append(&all, model->gpus[g].copies);
    }
    if (!model->gpu_count)
        tp_intervals_append(&all, model->category_times[TP_CATEGORY_CPU_EXEC]);
    return tp_intervals_from_vec(&all);
}

/* Returns the intervals of work without collectives. Without a device, a collective is recorded like any operator, so
 * its time is removed here. The exception is a collective on a thread that does nothing else, as in Gloo, because it
 * runs at the same time as the work. */
static struct tp_intervals work_times_without_calls(struct tp_slot_work *w)
{
    struct tp_vec all = TP_VEC(w->arena, struct tp_interval);
    const struct tp_trace *trace = w->summary->source->trace;
    bool *works = tp_arena_array(w->arena, trace->thread_count, sizeof *works);
    for (uint32_t i = 0; i < trace->event_count; i++)
        if (trace->events[i].kind == TP_KIND_OPERATOR && !tp_is_collective(w->model, &trace->events[i]))
            works[trace->events[i].thread] = true;
    for (size_t i = 0; i < w->calls.count; i++) {
        const struct tp_slot_call *call = TP_AT(&w->calls, struct tp_slot_call, i);
        if (works[trace->events[w->model->collectives.items[call->record].event].thread])
            tp_intervals_push(&all, call->time.a, call->time.b);
    }
    return tp_intervals_difference(w->arena, w->compute, tp_intervals_from_vec(&all));
}

/* Corrects the end of calls on threads of their own. Such a thread records the end of its call only when it runs again,
 * while the waiting thread already continues. The call ended earlier if most of the call is a gap in the work, and if
 * work starts shortly before the recorded end of the call. In this case, sets the end of the call to the start of this
 * work. */
static void correct_collective_ends(struct tp_slot_work *w)
{
    enum { SHORT_PART = 20 };
    for (size_t i = 0; i < w->calls.count; i++) {
        struct tp_slot_call *call = TP_AT(&w->calls, struct tp_slot_call, i);
        int64_t length = call->time.b - call->time.a;
        size_t low = 0, high = w->compute.count;
        while (low < high) { /* finds the first work that starts in the last part of the call */
            size_t middle = low + (high - low) / 2;
            if (w->compute.items[middle].a <= call->time.b - length / SHORT_PART)
                low = middle + 1;
            else
                high = middle;
        }
        int64_t gap_ns = low && low < w->compute.count ? w->compute.items[low].a - w->compute.items[low - 1].b : 0;
        if (2 * gap_ns > length && w->compute.items[low].a < call->time.b)
            call->time.b = w->compute.items[low].a;
    }
}

/* Returns the bytes that the call moves over the bus; 0: unknown. */
static int64_t moved_bytes_of_call(struct tp_slot_work *w, const struct tp_slot_call *call)
{
    const struct tp_collective *record = &w->model->collectives.items[call->record];
    const struct tp_collective_kind *kind = tp_collective_kind_by_name(tp_slot_call_name(w, record));
    int64_t size = call->group == TP_NO_ID ? TP_NULL_INT : TP_AT(&w->groups, struct tp_slot_group, call->group)->size;
    if (!kind || record->bytes <= 0 || size < 2)
        return 0;
    return (int64_t)fmin((double)record->bytes * tp_bus_factor(kind, (double)size), (double)INT32_MAX * INT32_MAX);
}

/* Fills the moved bytes of each slot of a row. A slot that contains a call of unknown size gets 0. */
static void fill_moved_bytes(struct tp_slot_work *w, const struct tp_slot_row *row, const uint32_t *slot_of)
{
    for (uint32_t i = 0; i < row->count; i++) {
        struct tp_slot *slot = &w->out->slots[slot_of[i]];
        int64_t moved = moved_bytes_of_call(w, TP_AT(&w->calls, struct tp_slot_call, row->first + i));
        slot->moved_bytes = moved && slot->moved_bytes >= 0 ? tp_sat_add(slot->moved_bytes, moved) : -1;
    }
    for (uint32_t k = 0; k < w->out->slot_count; k++)
        if (w->out->slots[k].moved_bytes < 0)
            w->out->slots[k].moved_bytes = 0;
}

static void fill_slots(struct tp_slot_work *w, uint64_t usual)
{
    struct tp_step_slots *out = w->out;
    const struct tp_slot_row *first = NULL;
    for (size_t i = 0; i < w->rows.count && !first; i++)
        if (TP_AT(&w->rows, struct tp_slot_row, i)->hash == usual)
            first = TP_AT(&w->rows, struct tp_slot_row, i);
    uint32_t *slot_of = tp_arena_array(w->arena, first->count, sizeof *slot_of);
    out->slot_count = choose_slots_that_fit(w, first, slot_of) + 1;
    out->slots = tp_arena_array(w->summary->arena, out->slot_count, sizeof *out->slots);
    for (uint32_t i = 0; i < first->count; i++) {
        out->slots[slot_of[i]].group = TP_AT(&w->calls, struct tp_slot_call, first->first + i)->group;
        out->slots[slot_of[i]].calls++;
    }
    out->slots[out->slot_count - 1].group = TP_NO_ID;
    fill_moved_bytes(w, first, slot_of);
    uint32_t most = TP_MAX_SLOT_CELLS / out->slot_count;
    for (size_t i = 0; i < w->rows.count && out->step_count < most; i++)
        out->step_count += TP_AT(&w->rows, struct tp_slot_row, i)->hash == usual;
    out->steps = tp_arena_array(w->summary->arena, out->step_count, sizeof *out->steps);
    for (unsigned p = 0; p < TP_SLOT_PARTS; p++)
        out->us[p] = tp_arena_array(w->summary->arena, (size_t)out->slot_count * out->step_count, sizeof *out->us[p]);
    tp_slot_lengths_fill(w, usual, slot_of);
}

static struct tp_str host_name_of_summary(struct tp_summary_work *summary)
{
    static const char *const keys[] = {"hostname", "host_name"};
    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct tp_str json = tp_trace_header(summary->source->trace, keys[i]);
        struct tp_str text = json.ptr ? tp_value_text(summary->scratch, json) : TP_STR("");
        if (text.len)
            return tp_summary_intern_text(summary, text);
    }
    return tp_summary_intern_text(summary, tp_worker_host(summary->out->key.worker));
}

void tp_summary_slots_build(struct tp_summary_work *summary)
{
    struct tp_arena *arena = summary->scratch;
    struct tp_slot_work w = {.summary = summary,
                             .model = summary->source->model,
                             .arena = arena,
                             .out = &summary->out->slots,
                             .groups = TP_VEC(summary->arena, struct tp_slot_group),
                             .calls = TP_VEC(arena, struct tp_slot_call),
                             .rows = TP_VEC(arena, struct tp_slot_row)};
    w.out->host = host_name_of_summary(summary);
    tp_slot_groups_add_listed(&w);
    list_collective_calls(&w);
    find_rows_of_steps(&w);
    w.compute = work_times(arena, w.model);
    if (!w.model->gpu_count) {
        w.compute = work_times_without_calls(&w);
        correct_collective_ends(&w);
    }
    w.input = tp_intervals_difference(arena, w.model->category_times[TP_CATEGORY_DATALOADER], w.compute);
    uint64_t usual = most_common_row_hash(&w);
    if (usual)
        fill_slots(&w, usual);
    w.out->groups = w.groups.data;
    w.out->group_count = (uint32_t)w.groups.count;
}

int64_t tp_slots_build_from_trace(struct tp_step_slots *slots, const struct tp_trace *trace,
                                  const struct tp_model *model, struct tp_str worker, struct tp_arena *arena)
{
    struct tp_str distributed = tp_trace_header(trace, "distributedInfo");
    struct tp_summary summary = {.key = {.worker = worker, .rank = TP_NULL_INT}};
    struct tp_summary_source source = {.trace = trace, .model = model};
    struct tp_summary_work work = {.out = &summary, .source = &source, .arena = arena, .scratch = trace->arena};
    tp_strings_init(&work.texts, work.scratch, 0);
    work.copies = TP_VEC(work.scratch, struct tp_str);
    if (distributed.ptr)
        summary.key.rank = tp_value_rank(distributed);
    summary.step_count = model->step_count < TP_MAX_SUMMARY_STEPS ? model->step_count : TP_MAX_SUMMARY_STEPS;
    tp_summary_slots_build(&work);
    *slots = summary.slots;
    return summary.key.rank;
}
