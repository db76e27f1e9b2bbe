/* Finds the launches of graphs, the order of their operations, and the batch size of each launch. */
#include "webreport/model/capture/capture_sections.h"
#include "webreport/model/capture/parts.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

/* An operation may start at most this time, ns, before its predecessor ends; the clock of a device is that inexact. */
enum { MOST_OVERLAP_NS = 1000 };

const struct tp_capture_argument *tp_capture_argument_of(const struct tp_trace *trace, uint32_t event)
{
    const struct tp_capture_data *data = &trace->capture;
    uint32_t low = 0, high = data->argument_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (data->arguments[middle].event < event)
            low = middle + 1;
        else
            high = middle;
    }
    return low < data->argument_count && data->arguments[low].event == event ? &data->arguments[low] : NULL;
}

uint32_t tp_join_key_of_name(struct tp_joiner *joiner, uint32_t name)
{
    uint32_t *known = &joiner->key_of_name[name];
    if (!*known) {
        struct tp_str text = joiner->model->trace->names.items[name];
        /* ROCm writes names of code objects with these endings in some places, and without them in others */
        if (tp_str_ends(text, " [clone .kd]"))
            text.len -= sizeof " [clone .kd]" - 1;
        else if (tp_str_ends(text, ".kd"))
            text.len -= sizeof ".kd" - 1;
        *known = 1 + TP_KEY_FIRST_NAME + tp_strings_add(&joiner->names, text);
    }
    return *known - 1;
}

/* ---- order of the operations ---- */

static int64_t node_of_operation(const struct tp_model *model, uint32_t device)
{
    const struct tp_capture_argument *argument = tp_capture_argument_of(model->trace, model->devices.event[device]);
    return argument ? argument->node : TP_NULL_INT;
}

/* Sorts the operations by the low 32 bits of their node ids, in which the nodes are numbered as they were created. Does
 * nothing if a node id is missing or occurs twice. */
static void sort_by_node(const struct tp_joiner *joiner, struct tp_graph_replay *replay)
{
    struct tp_keyed *items;
    struct tp_id_map known;
    bool are_different = node_of_operation(joiner->model, replay->operations[0]) != TP_NULL_INT;
    if (!are_different)
        return;
    items = tp_arena_array(joiner->arena, replay->count, sizeof *items);
    tp_id_map_init(&known, joiner->arena);
    for (uint32_t i = 0; i < replay->count && are_different; i++) {
        int64_t node = node_of_operation(joiner->model, replay->operations[i]);
        uint32_t *seen = tp_id_map_find_or_add(&known, (uint64_t)node);
        are_different = node != TP_NULL_INT && *seen == TP_NO_ID;
        *seen = 1;
        items[i] = (struct tp_keyed){(int64_t)((uint64_t)node & UINT32_MAX), i, replay->operations[i]};
    }
    replay->has_nodes = are_different;
    if (are_different) {
        tp_sort_keyed(items, replay->count, joiner->arena);
        for (uint32_t i = 0; i < replay->count; i++)
            replay->operations[i] = items[i].item;
    }
    tp_id_map_release(&known);
    tp_arena_free_item(joiner->arena, items, replay->count * sizeof *items);
}

/* Returns true if the operations run on one stream, one after the other. */
static bool run_one_after_the_other(const struct tp_model *model, const struct tp_graph_replay *replay)
{
    int64_t stream = tp_stream_number(model, tp_device_event(model, replay->operations[0]));
    bool is_ordered = true;
    for (uint32_t i = 1; i < replay->count && is_ordered; i++) {
        const struct tp_event *e = tp_device_event(model, replay->operations[i]);
        int64_t end = tp_event_end(tp_device_event(model, replay->operations[i - 1]));
        is_ordered = tp_stream_number(model, e) == stream && e->ts_ns >= end - MOST_OVERLAP_NS;
    }
    return is_ordered;
}

/* ---- batch and step ---- */

static struct tp_str text_after(struct tp_str text, const char *prefix)
{
    size_t size = strlen(prefix);
    return tp_str_starts(text, prefix) ? (struct tp_str){text.ptr + size, text.len - size} : (struct tp_str){NULL, 0};
}

/* Parses the batch size after `prefix`, which must be followed by `next`. next "": by "_" or the end of the text. */
static bool parse_batch(struct tp_str name, const char *prefix, const char *next, int64_t *batch)
{
    struct tp_str rest = text_after(name, prefix);
    int64_t number;
    size_t digits = rest.ptr ? tp_capture_digits(rest, &number) : 0;
    rest = (struct tp_str){rest.ptr + digits, rest.len - digits};
    bool is_one = digits && (*next ? tp_str_starts(rest, next) : !rest.len || rest.ptr[0] == '_');
    if (is_one)
        *batch = number;
    return is_one;
}

/* Parses the batch size in the name of a range: 32 in "step[DECODE bs=32]", "execute_32_context_0", "capture_32_FULL"
 * .. Returns false for other names. */
static bool parse_batch_of_range(struct tp_str name, int64_t *batch)
{
    struct tp_str rest = text_after(name, "step[");
    if (rest.ptr) {
        /* after the number, "step[..]" may continue with anything */
        size_t size = 0;
        while (size < rest.len && tp_is_word_character(rest.ptr[size]))
            size++;
        rest = text_after((struct tp_str){rest.ptr + size, size ? rest.len - size : 0}, " bs=");
        return rest.ptr && tp_capture_digits(rest, batch) > 0;
    }
    return parse_batch(name, "execute_diffusion_", "_", batch) || parse_batch(name, "execute_", "_context", batch) ||
           parse_batch(name, "capture_", "", batch) || parse_batch(name, "replay_", "", batch);
}

static void find_batch(const struct tp_model *model, struct tp_graph_replay *replay)
{
    uint32_t event = model->launches.event[replay->launch];
    int64_t at = model->trace->events[event].ts_ns;
    for (uint32_t i = tp_find_next_event_around(model, event, at); i != TP_NO_ID;
         i = tp_find_event_around(model, model->inside[i], at)) {
        const struct tp_event *e = &model->trace->events[i];
        struct tp_str name = tp_trace_event_name(model->trace, e);
        int64_t batch;
        if (e->kind != TP_KIND_ANNOTATION)
            continue;
        if (parse_batch_of_range(name, &batch)) {
            replay->batch = replay->batch == TP_NULL_INT ? batch : replay->batch;
            replay->step = i;
        } else if (replay->step == TP_NO_ID && model->marks[e->name] & TP_MARK_STEP) {
            replay->step = i;
        }
    }
}

/* ---- replays ---- */

static uint32_t key_of_operation(struct tp_joiner *joiner, uint32_t device)
{
    const struct tp_event *e = tp_device_event(joiner->model, device);
    return e->kind == TP_KIND_MEMCPY   ? TP_KEY_COPY
           : e->kind == TP_KIND_MEMSET ? TP_KEY_SET
                                       : tp_join_key_of_name(joiner, e->name);
}

/* Gives the replay the number of its sequence of keys. sequences: map from a hash to the first sequence with it. */
static void find_sequence(struct tp_joiner *joiner, struct tp_graph_replay *replay, struct tp_id_map *sequences)
{
    uint32_t *keys = tp_arena_array(joiner->arena, replay->count, sizeof *keys);
    size_t size = replay->count * sizeof *keys;
    for (uint32_t i = 0; i < replay->count; i++)
        keys[i] = key_of_operation(joiner, replay->operations[i]);
    for (uint64_t hash = tp_hash_bytes(keys, size) ^ replay->is_ordered;; hash++) {
        uint32_t *known = tp_id_map_find_or_add(sequences, hash);
        if (*known == TP_NO_ID) {
            *known = replay->sequence = (uint32_t)joiner->sequences.count;
            *(struct tp_key_sequence *)tp_vec_push(&joiner->sequences) =
                (struct tp_key_sequence){keys, replay->count, replay->is_ordered};
            return;
        }
        const struct tp_key_sequence *other = TP_AT(&joiner->sequences, struct tp_key_sequence, *known);
        if (other->count == replay->count && other->is_ordered == replay->is_ordered &&
            memcmp(other->keys, keys, size) == 0) {
            replay->sequence = *known;
            tp_arena_free_item(joiner->arena, keys, size);
            return;
        }
    }
}

static int compare_replays(const void *x, const void *y, const void *context)
{
    const struct tp_model *model = context;
    uint32_t a = model->launches.event[((const struct tp_graph_replay *)x)->launch];
    uint32_t b = model->launches.event[((const struct tp_graph_replay *)y)->launch];
    const struct tp_event *events = model->trace->events;
    if (events[a].ts_ns != events[b].ts_ns)
        return events[a].ts_ns < events[b].ts_ns ? -1 : 1;
    return (a > b) - (a < b);
}

/* Lists the launches of graphs that have operations, sorted by start. */
static void list_replays(struct tp_joiner *joiner)
{
    const struct tp_model *model = joiner->model;
    struct tp_vec replays = TP_VEC(joiner->arena, struct tp_graph_replay);
    for (uint32_t i = 0; i < model->launches.count; i++) {
        if (!(model->marks[tp_launch_event(model, i)->name] & TP_MARK_GRAPH_LAUNCH))
            continue;
        uint32_t count = 0;
        for (uint32_t k = model->launches.first_device_operation[i]; k != TP_NO_ID;
             k = model->devices.next_in_launch[k])
            count++;
        if (count)
            *(struct tp_graph_replay *)tp_vec_push(&replays) =
                (struct tp_graph_replay){.launch = i, .count = count, .batch = TP_NULL_INT, .step = TP_NO_ID};
    }
    joiner->joined->replays = replays.data;
    joiner->joined->replay_count = (uint32_t)replays.count;
    tp_merge_sort(joiner->arena, replays.data, replays.count, sizeof(struct tp_graph_replay), compare_replays, model);
}

bool tp_join_find_replays(struct tp_joiner *joiner)
{
    const struct tp_model *model = joiner->model;
    struct tp_id_map sequences;
    list_replays(joiner);
    joiner->sequences = TP_VEC(joiner->arena, struct tp_key_sequence);
    tp_id_map_init(&sequences, joiner->arena);
    for (uint32_t i = 0; i < joiner->joined->replay_count; i++) {
        struct tp_graph_replay *replay = &joiner->joined->replays[i];
        uint32_t count = 0;
        replay->operations = tp_arena_array(joiner->arena, replay->count, sizeof *replay->operations);
        for (uint32_t k = model->launches.first_device_operation[replay->launch]; k != TP_NO_ID;
             k = model->devices.next_in_launch[k]) {
            replay->operations[count++] = k;
            replay->device_ns = tp_sat_add(replay->device_ns, tp_device_event(model, k)->dur_ns);
        }
        sort_by_node(joiner, replay);
        replay->is_ordered = replay->has_nodes || run_one_after_the_other(model, replay);
        find_batch(model, replay);
        find_sequence(joiner, replay, &sequences);
    }
    tp_id_map_release(&sequences);
    return joiner->joined->replay_count > 0;
}
