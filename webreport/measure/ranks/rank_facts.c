/* Implements a part of distributed.h: makes the summary of one rank, and writes the devices of all ranks as JSON. */
#include <stdio.h>

#include "webreport/measure/ranks/rank_parts.h"
#include "webreport/trace/json/value.h"
#include "writer/base/keys.h"

static struct tp_str copy_text(struct tp_arena *arena, struct tp_str text)
{
    if (!text.ptr)
        return text;
    return (struct tp_str){tp_arena_copy(arena, text.ptr, text.len), text.len};
}

static const struct tp_column_def overlap_defs[TP_OVERLAP_COLUMNS] = {
    {"step", "Step", "", "Name of the step.", TP_COLUMN_TEXT},
    {"computation_us", "Computation", "us", "Time of the step in kernels that are not collectives.", TP_COLUMN_NS},
    {"communication_us", "Communication", "us", "Time of the step in collectives.", TP_COLUMN_NS},
    {"overlap_us", "Overlap", "us", "Time of the step in which computation and communication ran at the same time.",
     TP_COLUMN_NS},
    {"other_us", "Other", "us", "Time of the step without computation and without communication.", TP_COLUMN_NS},
};

void tp_rank_overlap_init(struct tp_table *table, size_t step_count, struct tp_arena *arena)
{
    tp_table_init(table, arena, "communication_overlap", overlap_defs, TP_OVERLAP_COLUMNS, step_count);
    table->title = "Communication and computation";
}

/* Copies rows of an overlap table. is_used: for each row, whether to copy the row; NULL: copy all rows. */
static void copy_overlap(struct tp_rank_summary *rank, const struct tp_table *from, const uint8_t *is_used,
                         struct tp_strings *labels, struct tp_arena *arena)
{
    struct tp_table *to = &rank->overlap;
    size_t count = 0, row = 0;
    for (size_t i = 0; i < from->row_count; i++)
        count += !is_used || is_used[i];
    tp_rank_overlap_init(to, count, arena);
    for (size_t i = 0; i < from->row_count; i++) {
        if (is_used && !is_used[i])
            continue;
        uint32_t label = tp_strings_add(labels, tp_table_text(from, TP_OVERLAP_STEP)[i]);
        tp_table_text(to, TP_OVERLAP_STEP)[row] = labels->items[label];
        for (unsigned column = TP_OVERLAP_STEP + 1; column < TP_OVERLAP_COLUMNS; column++)
            tp_table_int(to, column)[row] = tp_table_int(from, column)[i];
        row++;
    }
}

/* copies of the metadata texts; each value id has one copy */
struct meta_texts {
    const struct tp_trace *trace;
    struct tp_arena *arena;
    struct tp_keys seen; /* value ids of the copied texts */
    struct tp_vec texts; /* copies in the order of `seen`; elements: struct tp_str */
};

static struct tp_str metadata_text_of_value(struct meta_texts *meta, uint32_t value)
{
    if (value == TP_NO_ID)
        return (struct tp_str){NULL, 0};
    uint32_t id = tp_keys_add(&meta->seen, &value);
    if (id == meta->texts.count) {
        struct tp_str text = tp_value_text(meta->arena, meta->trace->values.items[value]);
        *(struct tp_str *)tp_vec_push(&meta->texts) = text;
    }
    return *TP_AT(&meta->texts, struct tp_str, id);
}

static void copy_records(struct tp_rank_summary *rank, const struct tp_model *model, struct tp_strings *labels,
                         struct tp_arena *arena)
{
    const struct tp_collectives *from = &model->collectives;
    struct meta_texts meta = {.trace = model->trace, .arena = arena, .texts = TP_VEC(arena, struct tp_str)};
    struct tp_strings names;
    tp_keys_init(&meta.seen, arena, 1);
    tp_strings_init(&names, arena, 0);
    rank->record_count = from->count;
    rank->records = tp_arena_array(arena, from->count, sizeof *rank->records);
    for (uint32_t i = 0; i < from->count; i++)
        rank->range_count += from->items[i].range_count;
    rank->ranges = tp_arena_array(arena, rank->range_count, sizeof *rank->ranges);
    uint32_t at = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        const struct tp_collective *record = &from->items[i];
        uint32_t step = tp_step_of_collective(model, record);
        struct tp_rank_record *to = &rank->records[i];
        uint32_t name = tp_strings_add(&names, record->name);
        to->name = names.items[name];
        to->step = tp_is_in_used_step(model, step) ? tp_strings_add(labels, model->steps[step].name) : TP_NO_ID;
        to->first_range = at;
        to->range_count = record->range_count;
        memcpy(rank->ranges + at, record->ranges, record->range_count * sizeof *rank->ranges);
        at += record->range_count;
        to->kernel_count = record->kernel_count;
        to->kernel_time_ns = record->kernel_time_ns;
        to->bytes = record->bytes == TP_NULL_INT ? 0 : record->bytes;
        if (record->comm == TP_NO_ID)
            continue;
        const struct tp_comm_detail *comm = &model->trace->comms[record->comm];
        uint32_t values[4] = {comm->dtype, comm->group_size, comm->group_name, comm->group_description};
        for (unsigned k = 0; k < 4; k++)
            to->meta[k] = metadata_text_of_value(&meta, values[k]);
    }
}

static struct tp_str join_major_and_minor_version(struct tp_arena *arena, struct tp_str major, struct tp_str minor)
{
    major = major.ptr ? major : TP_STR("None");
    minor = minor.ptr ? minor : TP_STR("None");
    size_t n = major.len + 1 + minor.len;
    char *text = tp_arena_alloc(arena, n + 1);
    snprintf(text, n + 1, "%.*s.%.*s", (int)major.len, major.ptr, (int)minor.len, minor.ptr);
    return (struct tp_str){text, n};
}

static void copy_gpus(struct tp_rank_summary *rank, const struct tp_model *model, struct tp_arena *arena)
{
    rank->device_count = model->trace->gpu_count;
    rank->gpus = tp_arena_array(arena, model->gpu_count, sizeof *rank->gpus);
    for (uint32_t g = 0; g < model->gpu_count; g++) {
        const struct tp_gpu_property *property = tp_model_gpu_property(model->trace, model->gpus[g].id);
        if (!property)
            continue;
        struct tp_rank_gpu *gpu = &rank->gpus[rank->gpu_count++];
        gpu->id = model->gpus[g].id;
        gpu->memory_bytes = property->total_memory_bytes;
        gpu->name = copy_text(arena, property->name);
        gpu->compute_capability = join_major_and_minor_version(arena, property->major_text, property->minor_text);
    }
}

void tp_rank_summary_build(struct tp_rank_summary *rank, struct tp_str worker, const struct tp_model *model,
                           const struct tp_overview *overview, struct tp_arena *arena)
{
    struct tp_strings labels;
    memset(rank, 0, sizeof *rank);
    tp_strings_init(&labels, arena, 0);
    rank->worker = copy_text(arena, worker);
    copy_overlap(rank, &overview->communication_overlap, tp_table_bool(&overview->steps, TP_STEP_IS_USED), &labels,
                 arena);
    copy_records(rank, model, &labels, arena);
    copy_gpus(rank, model, arena);
    rank->labels = labels.items;
    rank->label_count = labels.count;
    struct tp_str job = tp_trace_header(model->trace, "distributedInfo");
    rank->world_size = job.ptr ? tp_value_world_size(job) : TP_NULL_INT;
}

/* Returns the copy of a text that all records share. */
static struct tp_str intern_text(struct tp_strings *texts, struct tp_str text)
{
    return text.ptr ? tp_strings_get(texts, tp_strings_add(texts, text)) : text;
}

void tp_rank_summary_copy(struct tp_rank_summary *rank, const struct tp_rank_summary *from, struct tp_arena *arena)
{
    struct tp_strings labels, texts;
    tp_strings_init(&labels, arena, 0);
    tp_strings_init(&texts, arena, 0);
    *rank = *from;
    rank->worker = copy_text(arena, from->worker);
    for (uint32_t i = 0; i < from->label_count; i++)
        tp_strings_add(&labels, from->labels[i]);
    copy_overlap(rank, &from->overlap, NULL, &labels, arena);
    rank->labels = labels.items;
    rank->records = tp_arena_array(arena, from->record_count, sizeof *rank->records);
    for (uint32_t i = 0; i < from->record_count; i++) {
        rank->records[i] = from->records[i];
        rank->records[i].name = intern_text(&texts, from->records[i].name);
        for (unsigned k = 0; k < 4; k++)
            rank->records[i].meta[k] = intern_text(&texts, from->records[i].meta[k]);
    }
    rank->ranges = tp_arena_array(arena, from->range_count, sizeof *rank->ranges);
    for (uint32_t i = 0; i < from->range_count; i++)
        rank->ranges[i] = from->ranges[i];
    rank->gpus = tp_arena_array(arena, from->gpu_count, sizeof *rank->gpus);
    for (uint32_t g = 0; g < from->gpu_count; g++) {
        rank->gpus[g] = from->gpus[g];
        rank->gpus[g].name = intern_text(&texts, from->gpus[g].name);
        rank->gpus[g].compute_capability = intern_text(&texts, from->gpus[g].compute_capability);
    }
}

/* ---- devices ---- */

/* Splits the name of a worker into node and process. In worker_host_12.x the node is "worker_host" and the process is
 * "12": the process is the last run of digits after a "_". Without such digits, the node is the whole name and the
 * process is "0". */
static void split_worker_name(struct tp_str worker, struct tp_str *node, struct tp_str *process)
{
    *node = worker;
    *process = TP_STR("0");
    for (size_t i = worker.len; i-- > 0;) {
        if (worker.ptr[i] != '_' || i + 1 >= worker.len || worker.ptr[i + 1] < '0' || worker.ptr[i + 1] > '9')
            continue;
        size_t end = i + 1;
        while (end < worker.len && worker.ptr[end] >= '0' && worker.ptr[end] <= '9')
            end++;
        *node = (struct tp_str){worker.ptr, i};
        *process = (struct tp_str){worker.ptr + i + 1, end - i - 1};
        return;
    }
}

/* Makes lists of the ranks of each node and of each process, so that a rank is compared only with related ranks. */
void tp_rank_siblings_build(struct tp_distributed *view, struct tp_arena *arena)
{
    struct tp_strings texts;
    struct tp_keys nodes, processes;
    struct tp_vec last_of_node = TP_VEC(arena, uint32_t), last_of_process = TP_VEC(arena, uint32_t);
    tp_strings_init(&texts, arena, 0);
    tp_keys_init(&nodes, arena, 1);
    tp_keys_init(&processes, arena, 2);
    view->siblings_by_rank = tp_arena_array(arena, view->rank_count, sizeof *view->siblings_by_rank);
    for (uint32_t r = 0; r < view->rank_count; r++) {
        struct tp_rank_siblings *kin = &view->siblings_by_rank[r];
        struct tp_str node, process;
        *kin = (struct tp_rank_siblings){.next_in_node = TP_NO_ID, .next_in_process = TP_NO_ID};
        if (!view->ranks[r]->gpu_count)
            continue;
        split_worker_name(view->ranks[r]->worker, &node, &process);
        uint32_t text = tp_strings_add(&texts, node), id = tp_keys_add(&nodes, &text);
        uint32_t of_process = tp_keys_pair(&processes, id, tp_strings_add(&texts, process));
        kin->is_first_of_node = id == last_of_node.count;
        kin->is_first_of_process = of_process == last_of_process.count;
        if (kin->is_first_of_node)
            tp_vec_push(&last_of_node);
        else
            view->siblings_by_rank[*TP_AT(&last_of_node, uint32_t, id)].next_in_node = r;
        if (kin->is_first_of_process)
            tp_vec_push(&last_of_process);
        else
            view->siblings_by_rank[*TP_AT(&last_of_process, uint32_t, of_process)].next_in_process = r;
        *TP_AT(&last_of_node, uint32_t, id) = *TP_AT(&last_of_process, uint32_t, of_process) = r;
    }
}

/* Returns the properties of device `g` of `rank`. If several ranks of a process have the device, the last rank
 * provides the properties. Returns NULL if an earlier rank of the process has already written the device. */
static const struct tp_rank_gpu *gpu_properties_of_process(const struct tp_distributed *view, uint32_t w, uint32_t rank,
                                                           uint32_t g)
{
    const struct tp_rank_gpu *found = NULL;
    int64_t id = view->ranks[rank]->gpus[g].id;
    for (uint32_t i = w; i != TP_NO_ID; i = view->siblings_by_rank[i].next_in_process) {
        for (uint32_t k = 0; k < view->ranks[i]->gpu_count; k++) {
            if (view->ranks[i]->gpus[k].id != id)
                continue;
            if (i < rank)
                return NULL;
            found = &view->ranks[i]->gpus[k];
        }
    }
    return found;
}

/* ---- fields ---- */

#define F struct tp_rank_gpu
static const struct tp_json_field gpu_fields[] = {
    {"name", TP_PLAIN(F, name), TP_DEFINITION("name of the device")},
    {"memory_bytes", TP_PLAIN(F, memory_bytes), TP_DEFINITION("memory of the device; null: unknown")},
    {"compute_capability", TP_PLAIN(F, compute_capability), TP_DEFINITION("compute capability of the device")},
};
#undef F
static const struct tp_fields gpu_type = TP_FIELDS("Properties of a device", gpu_fields);

/* Writes the devices of one process. record->index: first rank of the process. *cursor: number of devices written,
 * counted over all ranks of the process. */
static bool next_gpu(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_distributed *view = record->at;
    uint32_t first = (uint32_t)record->index;
    size_t before = 0;
    for (uint32_t i = first; i != TP_NO_ID;
         before += view->ranks[i]->gpu_count, i = view->siblings_by_rank[i].next_in_process) {
        if (*cursor >= before + view->ranks[i]->gpu_count)
            continue;
        const struct tp_rank_gpu *gpu = gpu_properties_of_process(view, first, i, (uint32_t)(*cursor - before));
        ++*cursor;
        item->value = tp_json_value_absent();
        if (gpu) {
            snprintf(item->room, sizeof item->room, "GPU%lld", (long long)gpu->id);
            item->key = tp_str_of(item->room);
            item->value = tp_json_value_record(&gpu_type, (struct tp_record){.at = gpu});
        }
        return true;
    }
    return false;
}

static struct tp_json_value next_process_of_node(tp_next_item *next, const struct tp_distributed *view, uint32_t rank)
{
    return tp_json_value_map(next, (struct tp_record){.at = view, .index = rank});
}

/* Writes the processes of one node. record->index: first rank of the node. *cursor: 0 at the start, then the index of a
 * rank + 1. */
static bool next_process(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_distributed *view = record->at;
    uint32_t at = *cursor ? view->siblings_by_rank[*cursor - 1].next_in_node : (uint32_t)record->index;
    while (at != TP_NO_ID && !view->siblings_by_rank[at].is_first_of_process)
        at = view->siblings_by_rank[at].next_in_node;
    if (at == TP_NO_ID)
        return false;
    struct tp_str node, process;
    split_worker_name(view->ranks[at]->worker, &node, &process);
    snprintf(item->room, sizeof item->room, "Process %.*s", (int)(process.len < 40 ? process.len : 40), process.ptr);
    item->key = tp_str_of(item->room);
    item->value = next_process_of_node(next_gpu, view, at);
    *cursor = (size_t)at + 1;
    return true;
}

static bool next_node(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_distributed *view = record->at;
    struct tp_str process;
    if (*cursor >= view->rank_count)
        return false;
    uint32_t rank = (uint32_t)(*cursor)++;
    item->value = tp_json_value_absent();
    if (view->siblings_by_rank[rank].is_first_of_node) {
        split_worker_name(view->ranks[rank]->worker, &item->key, &process);
        item->value = next_process_of_node(next_process, view, rank);
    }
    return true;
}

struct tp_json_value tp_rank_devices(const struct tp_record *record)
{
    const struct tp_distributed *view = record->at;
    for (uint32_t w = 0; w < view->rank_count; w++)
        if (view->ranks[w]->gpu_count > 0)
            return next_process_of_node(next_node, view, 0);
    return tp_json_value_null();
}
