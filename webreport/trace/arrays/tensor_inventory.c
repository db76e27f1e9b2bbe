/* Finds the tensors of a run in its traces: see tensor_inventory.h. tensor_inventory_files.c searches files and
 * folders. */
#include "webreport/trace/arrays/tensor_inventory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "webreport/trace/arrays/tensor_inventory_parts.h"
#include "webreport/trace/json/value.h"
#include "webreport/trace/rundir.h"
#include "webreport/trace/trace.h"
#include "writer/base/limits.h"

struct tp_tensor_item *tp_inventory_add(struct tp_inventory_search *search)
{
    if (search->items.count >= TP_MAX_TENSORS)
        tp_arena_fail(search->arena, TP_ELIMIT);
    struct tp_tensor_item *item = tp_vec_push(&search->items);
    item->step = TP_NULL_INT;
    item->order = (uint32_t)search->items.count;
    return item;
}

void tp_inventory_report_failure(struct tp_inventory_search *search, const char *path, const struct tp_error *why)
{
    search->failed_count++;
    search->hit_limit |= why->code == TP_ELIMIT || why->code == TP_ENOMEM;
    if (search->options->say)
        search->options->say(search->options->context, path, why);
}

/* ---- tensors recorded in traces ---- */

static struct tp_str copy_text(struct tp_arena *arena, struct tp_str text)
{
    return text.ptr ? (struct tp_str){tp_arena_copy(arena, text.ptr, text.len), text.len} : text;
}

static struct tp_str value_text(const struct tp_trace *trace, uint32_t id)
{
    return id == TP_NO_ID ? (struct tp_str){NULL, 0} : tp_strings_get(&trace->values, id);
}

/* Returns the path of a tensor's file; NULL if the file is not below the folder of the trace. */
static const char *tensor_file_path(struct tp_arena *arena, const char *trace_path, struct tp_str file)
{
    const char *slash = strrchr(trace_path, '/');
    size_t folder = slash ? (size_t)(slash - trace_path) + 1 : 0;
    if (file.len == 0 || file.ptr[0] == '/' || memchr(file.ptr, '\0', file.len))
        return NULL;
    for (size_t i = 0; i < file.len; i++) {
        bool is_part = i == 0 || file.ptr[i - 1] == '/';
        size_t left = file.len - i;
        if (is_part && left >= 2 && memcmp(file.ptr + i, "..", 2) == 0 && (left == 2 || file.ptr[i + 2] == '/'))
            return NULL;
    }
    char *path = tp_arena_alloc(arena, folder + file.len + 1);
    memcpy(path, trace_path, folder);
    memcpy(path + folder, file.ptr, file.len);
    return path;
}

static void add_tensor_record(struct tp_inventory_search *search, const struct tp_trace *trace, const char *path,
                              const struct tp_tensor_record *record)
{
    struct tp_arena *arena = search->arena;
    struct tp_tensor_item *item = tp_inventory_add(search);
    struct tp_str file = tp_value_text(trace->arena, value_text(trace, record->file));
    struct tp_str dtype = tp_value_text(trace->arena, value_text(trace, record->dtype));
    struct tp_str values = tp_value_text(trace->arena, value_text(trace, record->values));
    item->name = copy_text(arena, tp_strings_get(&trace->names, record->name));
    item->step = record->step;
    item->worker = search->worker;
    item->dtype = copy_text(arena, dtype);
    item->shape = copy_text(arena, value_text(trace, record->shape));
    item->is_bfloat16 = tp_str_equal(dtype, TP_STR("bfloat16"));
    item->has_stats = record->has_stats;
    item->stats = record->stats;
    if (record->file == TP_NO_ID)
        item->why = values.len ? "values were not kept" : "only statistics were recorded";
    else if (!(item->place.path = tensor_file_path(arena, path, file)))
        item->why = "its file is outside of the trace's folder";
}

static int compare_by_time(const void *x, const void *y)
{
    const struct tp_tensor_record *a = x, *b = y;
    if (a->ts_ns != b->ts_ns)
        return a->ts_ns < b->ts_ns ? -1 : 1;
    return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

struct reading {
    struct tp_inventory_search *search;
    const char *path;
    struct tp_arena *memory;
};

static int read_trace(void *context, struct tp_error *why)
{
    struct reading *reading = context;
    struct tp_inventory_search *search = reading->search;
    struct tp_trace *trace = tp_arena_alloc(reading->memory, sizeof *trace);
    struct tp_trace_options read = {.max_input_bytes = search->options->max_input_bytes,
                                    .is_strict = search->options->is_strict,
                                    .wants_tensors = true};
    int code = tp_trace_read(trace, reading->memory, reading->path, &read, why);
    if (code == TP_OK && trace->tensor_count)
        qsort(trace->tensors, trace->tensor_count, sizeof *trace->tensors, compare_by_time);
    for (uint32_t i = 0; code == TP_OK && i < trace->tensor_count; i++)
        add_tensor_record(search, trace, reading->path, &trace->tensors[i]);
    return code;
}

/* Reads one trace and adds its tensors. The memory of the trace is released before the function returns. */
void tp_inventory_add_trace(struct tp_inventory_search *search, const char *path)
{
    struct tp_arena memory;
    struct tp_error why = {0};
    tp_arena_init(&memory, 0);
    tp_arena_run_both(&memory, search->arena, read_trace, &(struct reading){search, path, &memory}, &why);
    tp_arena_release(&memory);
    tp_arena_fail_with_stored_code(search->arena);
    if (why.code < 0)
        tp_inventory_report_failure(search, path, &why);
}

/* Reads all traces of a folder. All files of one worker get the same worker number. */
static int search_traces(struct tp_inventory_search *search, const char *path, struct tp_error *err)
{
    struct tp_runs runs;
    int code = tp_rundir_find(&runs, search->arena,
                              &(struct tp_run_search){&path, 1, search->options->include, NULL, true}, err);
    for (size_t i = 0; code == TP_OK && i < runs.count; i++)
        for (size_t k = 0; k < runs.items[i].file_count; k++) {
            const struct tp_run_file *file = &runs.items[i].files[k];
            bool is_same = k > 0 && tp_str_equal(file->worker, file[-1].worker);
            search->worker += !is_same && (i || k);
            tp_inventory_add_trace(search, file->path);
        }
    return code;
}

/* ---- list of all tensors ---- */

static int compare_by_execution_order(const void *x, const void *y)
{
    const struct tp_tensor_item *a = x, *b = y;
    if (a->step != b->step)
        return a->step < b->step ? -1 : 1;
    if (a->worker != b->worker)
        return a->worker < b->worker ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

/* Drops tensors whose file a later tensor has overwritten, because a file has only the values of the last recording. */
static void remove_overwritten_tensors(struct tp_inventory *inventory, struct tp_arena *arena)
{
    struct tp_strings paths;
    uint32_t kept_count = 0;
    uint32_t *last = tp_arena_array(arena, inventory->count, sizeof *last);
    tp_strings_init(&paths, arena, 0);
    for (uint32_t i = 0; i < inventory->count; i++)
        if (inventory->items[i].place.path && !inventory->items[i].place.entry)
            last[tp_strings_add(&paths, tp_str_of(inventory->items[i].place.path))] = i;
    for (uint32_t i = 0; i < inventory->count; i++) {
        const struct tp_array_place *place = &inventory->items[i].place;
        if (place->path && !place->entry && last[tp_strings_find(&paths, tp_str_of(place->path))] != i)
            continue;
        inventory->items[kept_count++] = inventory->items[i];
    }
    inventory->count = kept_count;
}

/* Returns a key that identifies a tensor. repeat: number that distinguishes tensors with equal name, step and
 * worker. */
static struct tp_str tensor_key(struct tp_arena *arena, const struct tp_tensor_item *item, uint32_t repeat)
{
    char *key = tp_arena_alloc(arena, item->name.len + 64);
    int n = snprintf(key, 64, "%u/%u/%lld/", repeat, item->worker, (long long)item->step);
    memcpy(key + n, item->name.ptr, item->name.len);
    return (struct tp_str){key, (size_t)n + item->name.len};
}

static void set_repeat_numbers(struct tp_inventory *inventory, struct tp_arena *arena)
{
    struct tp_strings keys;
    uint32_t *seen = tp_arena_array(arena, inventory->count, sizeof *seen);
    tp_strings_init(&keys, arena, 0);
    for (uint32_t i = 0; i < inventory->count; i++)
        inventory->items[i].repeat = seen[tp_strings_add(&keys, tensor_key(arena, &inventory->items[i], 0))]++;
}

uint32_t *tp_inventory_match(const struct tp_inventory *a, const struct tp_inventory *b, struct tp_arena *arena)
{
    struct tp_strings keys;
    uint32_t *place = tp_arena_array(arena, b->count, sizeof *place);
    tp_strings_init(&keys, arena, 0);
    /* the keys are distinct, so each id is the index of an item */
    for (uint32_t i = 0; i < a->count; i++)
        tp_strings_add(&keys, tensor_key(arena, &a->items[i], a->items[i].repeat));
    for (uint32_t i = 0; i < b->count; i++)
        place[i] = tp_strings_find(&keys, tensor_key(arena, &b->items[i], b->items[i].repeat));
    return place;
}

static int search_path(struct tp_inventory_search *search, const char *path, struct tp_error *err)
{
    struct stat info;
    if (stat(path, &info) < 0)
        return tp_error_set(err, TP_ENOTFOUND, 0, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(info.st_mode))
        return tp_inventory_add_file(search, path, err);
    int code = search_traces(search, path, err);
    search->is_of_trace = search->items.count > 0;
    if (code < 0 || search->is_of_trace)
        return code;
    search->worker = 0;
    return tp_inventory_add_folder(search, path, err);
}

int tp_inventory_find(struct tp_inventory *inventory, struct tp_arena *arena, const char *path,
                      const struct tp_inventory_options *options, struct tp_error *err)
{
    struct tp_inventory_search search = {
        .arena = arena, .options = options, .items = TP_VEC(arena, struct tp_tensor_item)};
    int code = search_path(&search, path, err);
    if (code == TP_EIO)
        code = TP_ENOTFOUND;
    if (code < 0)
        return code;
    if (options->is_strict && search.failed_count)
        return tp_error_set(err, TP_ENOTFOUND, 0, "--strict: %u inputs in %s could not be used", search.failed_count,
                            path);
    if (search.items.count == 0)
        return tp_error_set(err, search.hit_limit ? TP_ELIMIT : TP_ENOTFOUND, 0, "%s: no tensors in it", path);
    *inventory = (struct tp_inventory){
        .items = search.items.data, .count = (uint32_t)search.items.count, .is_of_trace = search.is_of_trace};
    qsort(inventory->items, inventory->count, sizeof *inventory->items, compare_by_execution_order);
    if (inventory->is_of_trace)
        remove_overwritten_tensors(inventory, arena);
    set_repeat_numbers(inventory, arena);
    return TP_OK;
}
