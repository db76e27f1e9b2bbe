/* Step slots of an analysed trace: see step_slots.h. First every collective of a step is a slot of its own; the row
 * that most steps have is kept, then neighbours are added up until it is short enough. */
#include "webreport/measure/summary_slots.h"

#include "webreport/measure/summary_parts.h"
#include "webreport/measure/worker_host.h"
#include "webreport/trace/value.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

/* A collective on its way to a slot. */
struct call {
    struct tp_interval time;
    uint32_t step, group, record; /* step: of the model; group: as tp_slot has it */
};

/* The calls of a step, and the row that they are. */
struct row {
    uint32_t first, count, step;
    uint64_t hash; /* of the groups in their order */
};

struct work {
    struct tp_summary_work *summary;
    const struct tp_model *model;
    struct tp_arena *arena; /* scratch */
    struct tp_step_slots *out;
    struct tp_vec groups;               /* struct tp_slot_group, in the summary's arena */
    struct tp_vec calls, rows;          /* struct call, struct row */
    struct tp_intervals compute, input; /* input: without compute */
};

/* ---- process groups ---- */

/* The next whole number in the text from *at on; false: there is none. */
static bool next_number(struct tp_str text, size_t *at, int64_t *number)
{
    while (*at < text.len && (text.ptr[*at] < '0' || text.ptr[*at] > '9'))
        (*at)++;
    if (*at == text.len)
        return false;
    for (*number = 0; *at < text.len && text.ptr[*at] >= '0' && text.ptr[*at] <= '9'; (*at)++)
        *number = tp_sat_add(tp_sat_mul(*number, 10), text.ptr[*at] - '0');
    return true;
}

/* Adds a rank behind the others; false: it is not behind them, or there are too many runs. */
static bool add_rank(struct tp_rank_stride *runs, uint32_t *count, int64_t rank)
{
    struct tp_rank_stride *last = *count ? &runs[*count - 1] : NULL;
    int64_t end = last ? last->first + (last->length - 1) * last->stride : -1;
    if (rank <= end || rank > TP_MAX_JOB_NUMBER)
        return false;
    if (last && (last->length == 1 || rank - end == last->stride)) {
        last->stride = rank - end;
        last->length++;
        return true;
    }
    if (*count == TP_MAX_SLOT_RUNS)
        return false;
    runs[(*count)++] = (struct tp_rank_stride){rank, 1, 1};
    return true;
}

/* Ranks as PyTorch lists them, "[0, 8, 16]"; of long lists it writes the first ones and the last, which tells all of an
 * even row: "[0, 8, ..., 248]". */
static void read_ranks(struct work *w, struct tp_slot_group *group, struct tp_str text)
{
    struct tp_rank_stride runs[TP_MAX_SLOT_RUNS];
    uint32_t count = 0;
    size_t at = 0;
    int64_t rank, known = 0, total = group->size;
    bool is_cut = tp_str_find(text, "...") >= 0;
    size_t dots = is_cut ? (size_t)tp_str_find(text, "...") : text.len;
    for (bool is_good = true; next_number((struct tp_str){text.ptr, dots}, &at, &rank); known++) {
        is_good = add_rank(runs, &count, rank);
        if (!is_good)
            return;
    }
    if (is_cut) {
        at = dots;
        if (count != 1 || total < 2 || !next_number(text, &at, &rank) ||
            rank != runs[0].first + (total - 1) * runs[0].stride)
            return;
        runs[0].length = known = total;
    }
    if (total != TP_NULL_INT && known != total)
        return;
    group->size = known;
    group->run_count = count;
    group->runs = tp_arena_array(w->summary->arena, count, sizeof *runs);
    memcpy(group->runs, runs, count * sizeof *runs);
}

static bool are_equal(const struct tp_slot_group *a, const struct tp_slot_group *b)
{
    bool are =
        tp_str_equal(a->name, b->name) && tp_str_equal(a->description, b->description) && a->run_count == b->run_count;
    for (uint32_t i = 0; are && i < a->run_count; i++)
        are = a->runs[i].first == b->runs[i].first && a->runs[i].stride == b->runs[i].stride &&
              a->runs[i].length == b->runs[i].length;
    return are;
}

/* Its number, added when new. A group whose ranks are not told takes those of the one of its name. */
static uint32_t number_of(struct work *w, const struct tp_slot_group *group)
{
    for (uint32_t i = 0; i < w->groups.count; i++) {
        const struct tp_slot_group *known = TP_AT(&w->groups, struct tp_slot_group, i);
        if (are_equal(known, group) || (!group->run_count && group->name.len && tp_str_equal(known->name, group->name)))
            return i;
    }
    if (w->groups.count == TP_MAX_SLOT_GROUPS)
        return TP_NO_ID;
    *(struct tp_slot_group *)tp_vec_push(&w->groups) = *group;
    return (uint32_t)w->groups.count - 1;
}

static struct tp_str text_of(struct work *w, struct tp_str json)
{
    return json.len ? tp_summary_text(w->summary, tp_value_text(w->arena, json)) : TP_STR("");
}

/* distributedInfo of the head lists every group that the rank is in, also those that nothing is called of. */
static void read_listed(struct work *w)
{
    struct tp_str info = tp_trace_header(w->summary->source->trace, "distributedInfo"), list, item;
    size_t at = 0;
    if (!info.ptr)
        return;
    list = tp_value_member(info, "pg_config");
    if (tp_value_is(list, '"'))
        list = tp_value_text(w->arena, list);
    while (list.ptr && tp_value_next(list, &at, NULL, &item)) {
        struct tp_slot_group group = {.name = text_of(w, tp_value_member(item, "pg_name")),
                                      .description = text_of(w, tp_value_member(item, "pg_desc")),
                                      .size = tp_value_int(tp_value_member(item, "pg_size"))};
        struct tp_str ranks = tp_value_member(item, "ranks");
        if (ranks.ptr)
            read_ranks(w, &group, ranks);
        if (group.run_count)
            number_of(w, &group);
    }
}

static struct tp_str value_of(struct work *w, uint32_t value)
{
    return value == TP_NO_ID ? TP_STR("") : text_of(w, w->summary->source->trace->values.items[value]);
}

/* The group of a record. Of calls between two ranks the trace does not tell which: they have none. */
static uint32_t group_of(struct work *w, const struct tp_collective *record)
{
    struct tp_slot_group group = {.name = TP_STR(""), .description = TP_STR(""), .size = TP_NULL_INT};
    bool is_pair = tp_str_find_lower(record->name, "send") >= 0 || tp_str_find_lower(record->name, "recv") >= 0;
    if (record->comm != TP_NO_ID) {
        const struct tp_comm_detail *comm = &w->summary->source->trace->comms[record->comm];
        group.name = value_of(w, comm->group_name);
        group.description = value_of(w, comm->group_description);
        if (comm->group_size != TP_NO_ID)
            group.size = tp_value_int(w->summary->source->trace->values.items[comm->group_size]);
        read_ranks(w, &group, value_of(w, comm->group_ranks));
    }
    return is_pair && group.size != 2 ? TP_NO_ID : number_of(w, &group);
}

/* ---- calls ---- */

static int by_step_and_start(const void *x, const void *y, const void *context)
{
    const struct call *a = x, *b = y;
    (void)context;
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    if (a->time.a != b->time.a)
        return a->time.a < b->time.a ? -1 : 1;
    return (a->record > b->record) - (a->record < b->record);
}

/* Groups are found once for each metadata: a step has thousands of calls of few groups. */
static void find_calls(struct work *w)
{
    const struct tp_collectives *records = &w->model->collectives;
    struct tp_keys keys;
    struct tp_vec group_of_key = TP_VEC(w->arena, uint32_t);
    tp_keys_init(&keys, w->arena, 4);
    for (uint32_t i = 0; i < records->count; i++) {
        const struct tp_collective *record = &records->items[i];
        const struct tp_comm_detail *comm =
            record->comm == TP_NO_ID ? NULL : &w->summary->source->trace->comms[record->comm];
        uint32_t step = tp_step_of_collective(w->model, record);
        bool is_pair = tp_str_find_lower(record->name, "send") >= 0 || tp_str_find_lower(record->name, "recv") >= 0;
        if (step >= w->summary->out->step_count || !tp_step_is_used(&w->model->steps[step]))
            continue;
        uint32_t key = tp_keys_add(&keys, (uint32_t[]){comm ? comm->group_name : TP_NO_ID,
                                                       comm ? comm->group_description : TP_NO_ID,
                                                       comm ? comm->group_ranks : TP_NO_ID,
                                                       (comm ? comm->group_size : TP_NO_ID) * 2 + is_pair});
        if (key == group_of_key.count)
            *(uint32_t *)tp_vec_push(&group_of_key) = group_of(w, record);
        *(struct call *)tp_vec_push(&w->calls) =
            (struct call){tp_collective_time(record), step, *TP_AT(&group_of_key, uint32_t, key), i};
    }
    tp_merge_sort(w->arena, w->calls.data, w->calls.count, sizeof(struct call), by_step_and_start, NULL);
}

/* The row of each used step. */
static void find_rows(struct work *w)
{
    uint32_t at = 0;
    for (uint32_t s = 0; s < w->summary->out->step_count; s++) {
        if (!tp_step_is_used(&w->model->steps[s]))
            continue;
        struct row *row = tp_vec_push(&w->rows);
        *row = (struct row){.first = at, .step = s, .hash = 1};
        for (; at < w->calls.count && TP_AT(&w->calls, struct call, at)->step == s; at++, row->count++) {
            uint32_t group = TP_AT(&w->calls, struct call, at)->group;
            row->hash = tp_hash_mix(row->hash ^ tp_hash_bytes(&group, sizeof group), 0x9E3779B97F4A7C15ull);
        }
    }
}

/* The hash that most rows have, the first of equal ones; 0: no row has a call. */
static uint64_t usual_row(const struct work *w)
{
    uint64_t usual = 0;
    size_t most = 0;
    for (size_t i = 0; i < w->rows.count; i++) {
        const struct row *row = TP_AT(&w->rows, struct row, i);
        size_t count = 0;
        for (size_t k = 0; k < w->rows.count && row->count; k++)
            count += TP_AT(&w->rows, struct row, k)->hash == row->hash;
        if (count > most) {
            most = count;
            usual = row->hash;
        }
    }
    return usual;
}

/* ---- which slots ---- */

/* Slots when the calls of a row are cut into so many windows, each of which has one slot a group. slot_of: by call. */
static uint32_t cut_row(const struct work *w, const struct row *row, uint32_t windows, uint32_t *slot_of)
{
    uint32_t slots = 0, group_count = (uint32_t)w->groups.count + 1, last_of[TP_MAX_SLOT_GROUPS + 1];
    for (uint32_t i = 0, window = TP_NO_ID; i < row->count; i++) {
        uint32_t here = (uint32_t)((uint64_t)i * windows / row->count);
        uint32_t group = TP_AT(&w->calls, struct call, row->first + i)->group;
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

/* As many windows as fit. */
static uint32_t choose_slots(const struct work *w, const struct row *row, uint32_t *slot_of)
{
    uint32_t windows = row->count < TP_MAX_SLOTS - 1 ? row->count : TP_MAX_SLOTS - 1;
    uint32_t slots = cut_row(w, row, windows, slot_of);
    while (slots > TP_MAX_SLOTS - 1 && windows > 1)
        slots = cut_row(w, row, --windows, slot_of);
    return slots;
}

/* ---- lengths ---- */

/* End of the last piece of the set that begins before b, where it reaches behind a; else a. */
static int64_t last_end_within(struct tp_intervals set, int64_t a, int64_t b)
{
    size_t low = 0, high = set.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set.items[middle].a < b)
            low = middle + 1;
        else
            high = middle;
    }
    int64_t end = low ? set.items[low - 1].b : a;
    return end < a ? a : end > b ? b : end;
}

/* Nanoseconds that make whole microseconds together with what was left before. */
static int64_t whole_us(int64_t ns, int64_t *left_ns)
{
    int64_t sum = tp_sat_add(ns, *left_ns);
    *left_ns = sum % 1000;
    return sum / 1000;
}

/* Own work of [a, b) into a cell; left: by part. */
static void add_own(const struct work *w, size_t cell, int64_t a, int64_t b, int64_t *left)
{
    int64_t kernel = tp_intervals_length_within(w->compute, a, b), input = tp_intervals_length_within(w->input, a, b);
    int64_t **us = w->out->us;
    us[TP_SLOT_KERNEL][cell] += whole_us(kernel, &left[TP_SLOT_KERNEL]);
    us[TP_SLOT_INPUT][cell] += whole_us(input, &left[TP_SLOT_INPUT]);
    us[TP_SLOT_PAUSE][cell] += whole_us(tp_sat_sub(b, a) - kernel - input, &left[TP_SLOT_PAUSE]);
}

/* A kernel beside the collective is own work, too: only what it does not hide is time in the collective. */
static void fill_step(const struct work *w, const struct row *row, const uint32_t *slot_of, uint32_t step)
{
    const struct tp_step *steps = w->model->steps;
    int64_t left[TP_SLOT_PARTS] = {0}, at = steps[row->step].start_ns;
    if (row->step && steps[row->step - 1].end_ns < at)
        at = steps[row->step - 1].end_ns; /* what lies between two steps is work of the later one */
    for (uint32_t i = 0; i < row->count; i++) {
        const struct call *call = TP_AT(&w->calls, struct call, row->first + i);
        size_t cell = tp_slot_cell(w->out, slot_of[i], step);
        int64_t arrival = call->time.a > at ? call->time.a : at, end = call->time.b > arrival ? call->time.b : arrival;
        arrival = last_end_within(w->compute, arrival, end);
        add_own(w, cell, at, arrival, left);
        w->out->us[TP_SLOT_WITHIN][cell] += whole_us(end - arrival, &left[TP_SLOT_WITHIN]);
        at = end;
    }
    int64_t end = steps[row->step].end_ns;
    add_own(w, tp_slot_cell(w->out, w->out->slot_count - 1, step), at, end > at ? end : at, left);
}

/* ---- all ---- */

static struct tp_intervals united(struct tp_arena *arena, const struct tp_model *model)
{
    struct tp_vec all = TP_VEC(arena, struct tp_interval);
    for (uint32_t g = 0; g < model->gpu_count; g++) {
        tp_intervals_append(&all, model->gpus[g].compute);
        tp_intervals_append(&all, model->gpus[g].copies);
    }
    if (!model->gpu_count)
        tp_intervals_append(&all, model->roles[TP_ROLE_CPU_EXEC]);
    return tp_intervals_of(&all);
}

/* Without a device a collective is an operator like any other: what lies in it is no work. */
static struct tp_intervals without_calls(struct work *w)
{
    struct tp_vec all = TP_VEC(w->arena, struct tp_interval);
    for (size_t i = 0; i < w->calls.count; i++)
        tp_intervals_push(&all, TP_AT(&w->calls, struct call, i)->time.a, TP_AT(&w->calls, struct call, i)->time.b);
    return tp_intervals_minus(w->arena, w->compute, tp_intervals_of(&all));
}

static void fill_slots(struct work *w, uint64_t usual)
{
    struct tp_step_slots *out = w->out;
    const struct row *first = NULL;
    for (size_t i = 0; i < w->rows.count && !first; i++)
        if (TP_AT(&w->rows, struct row, i)->hash == usual)
            first = TP_AT(&w->rows, struct row, i);
    uint32_t *slot_of = tp_arena_array(w->arena, first->count, sizeof *slot_of);
    out->slot_count = choose_slots(w, first, slot_of) + 1;
    out->slots = tp_arena_array(w->summary->arena, out->slot_count, sizeof *out->slots);
    for (uint32_t i = 0; i < first->count; i++) {
        out->slots[slot_of[i]].group = TP_AT(&w->calls, struct call, first->first + i)->group;
        out->slots[slot_of[i]].calls++;
    }
    out->slots[out->slot_count - 1].group = TP_NO_ID;
    uint32_t most = TP_MAX_SLOT_CELLS / out->slot_count;
    for (size_t i = 0; i < w->rows.count && out->step_count < most; i++)
        out->step_count += TP_AT(&w->rows, struct row, i)->hash == usual;
    out->steps = tp_arena_array(w->summary->arena, out->step_count, sizeof *out->steps);
    for (unsigned p = 0; p < TP_SLOT_PARTS; p++)
        out->us[p] = tp_arena_array(w->summary->arena, (size_t)out->slot_count * out->step_count, sizeof *out->us[p]);
    for (size_t i = 0, step = 0; i < w->rows.count && step < out->step_count; i++) {
        const struct row *row = TP_AT(&w->rows, struct row, i);
        if (row->hash != usual)
            continue;
        out->steps[step] = row->step;
        fill_step(w, row, slot_of, (uint32_t)step++);
    }
}

static struct tp_str host_of(struct tp_summary_work *summary)
{
    static const char *const keys[] = {"hostname", "host_name"};
    for (unsigned i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct tp_str json = tp_trace_header(summary->source->trace, keys[i]);
        struct tp_str text = json.ptr ? tp_value_text(summary->scratch, json) : TP_STR("");
        if (text.len)
            return tp_summary_text(summary, text);
    }
    return tp_summary_text(summary, tp_worker_host(summary->out->key.worker));
}

void tp_summary_slots_build(struct tp_summary_work *summary)
{
    struct tp_arena *arena = summary->scratch;
    struct work w = {.summary = summary,
                     .model = summary->source->model,
                     .arena = arena,
                     .out = &summary->out->slots,
                     .groups = TP_VEC(summary->arena, struct tp_slot_group),
                     .calls = TP_VEC(arena, struct call),
                     .rows = TP_VEC(arena, struct row)};
    w.out->host = host_of(summary);
    read_listed(&w);
    find_calls(&w);
    find_rows(&w);
    w.compute = united(arena, w.model);
    if (!w.model->gpu_count)
        w.compute = without_calls(&w);
    w.input = tp_intervals_minus(arena, w.model->roles[TP_ROLE_DATALOADER], w.compute);
    uint64_t usual = usual_row(&w);
    if (usual)
        fill_slots(&w, usual);
    w.out->groups = w.groups.data;
    w.out->group_count = (uint32_t)w.groups.count;
}

void tp_slots_of_trace(struct tp_step_slots *slots, const struct tp_trace *trace, const struct tp_model *model,
                       struct tp_str worker, struct tp_arena *arena)
{
    struct tp_summary summary = {.key = {.worker = worker}};
    struct tp_summary_source source = {.trace = trace, .model = model};
    struct tp_summary_work work = {.out = &summary, .source = &source, .arena = arena, .scratch = trace->arena};
    tp_strings_init(&work.texts, work.scratch, 0);
    work.copies = TP_VEC(work.scratch, struct tp_str);
    summary.step_count = model->step_count < TP_MAX_SUMMARY_STEPS ? model->step_count : TP_MAX_SUMMARY_STEPS;
    tp_summary_slots_build(&work);
    *slots = summary.slots;
}
