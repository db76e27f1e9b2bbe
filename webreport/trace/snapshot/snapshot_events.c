/* Reads the events and the settings of the allocator: see snapshot_walk.h. */
#include <stdio.h>
#include <string.h>

#include "webreport/trace/snapshot/snapshot_walk.h"
#include "writer/base/json_out.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"

static const char *const action_names[TP_ACTION_COUNT] = {
    "alloc",       "free_requested", "free_completed", "segment_alloc", "segment_free",
    "segment_map", "segment_unmap",  "snapshot",       "oom",           "unknown"};

const char *tp_snapshot_action_text(enum tp_snapshot_action action)
{
    return action_names[action];
}

static enum tp_snapshot_action parse_action(struct tp_str text)
{
    unsigned i = 0;
    while (i < TP_ACTION_UNKNOWN && !tp_str_equal(text, tp_str_of(action_names[i])))
        i++;
    return (enum tp_snapshot_action)i;
}

static bool has_key(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict, enum tp_snapshot_key key)
{
    return tp_snapshot_find(walk, dict, key) != NULL;
}

/* Reads the members that may be missing or of another type. */
static void read_optional_members(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict,
                                  struct tp_snapshot_event *event)
{
    const tp_pickle_value *time = tp_snapshot_find(walk, dict, TP_KEY_TIME);
    uint64_t bits;
    bool is_unsigned;
    event->time_us = TP_NULL_INT;
    if (time && tp_pickle_tag(*time) <= TP_PICKLE_BIG && tp_pickle_int(*time, &bits, &is_unsigned))
        event->time_us = (int64_t)bits;
    event->metadata = tp_snapshot_optional_name(walk, dict, TP_KEY_METADATA);
    event->category = tp_snapshot_optional_name(walk, dict, TP_KEY_CATEGORY);
    uint32_t pool = has_key(walk, dict, TP_KEY_POOL) ? tp_snapshot_optional_pool(walk, dict, TP_KEY_POOL)
                                                     : tp_snapshot_optional_pool(walk, dict, TP_KEY_SEGMENT_POOL);
    event->pool = pool == TP_NO_ID ? 0 : pool + 1;
}

static int read_event(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict,
                      const struct tp_snapshot_place *place, struct tp_snapshot_event *event)
{
    struct tp_str action;
    uint32_t stack;
    int code = tp_snapshot_get_text(walk, dict, TP_KEY_ACTION, place, &action);
    if (code < 0)
        return code;
    event->action = parse_action(action);
    if (event->action == TP_ACTION_UNKNOWN) {
        *event = (struct tp_snapshot_event){.time_us = TP_NULL_INT,
                                            .metadata = walk->snapshot->no_text,
                                            .category = walk->snapshot->no_text,
                                            .action = TP_ACTION_UNKNOWN};
        return TP_OK;
    }
    bool has_free = event->action == TP_ACTION_OOM && has_key(walk, dict, TP_KEY_DEVICE_FREE);
    code = tp_snapshot_get_size(walk, dict, has_free ? TP_KEY_DEVICE_FREE : TP_KEY_ADDR, place, false, &event->address);
    code = code < 0 ? code : tp_snapshot_get_size(walk, dict, TP_KEY_SIZE, place, true, &event->size);
    code = code < 0 ? code : tp_snapshot_get_int(walk, dict, TP_KEY_STREAM, place, &event->stream);
    code = code < 0 ? code : tp_snapshot_get_stack(walk, dict, place, &stack);
    if (code < 0)
        return code;
    event->stack = stack;
    read_optional_members(walk, dict, event);
    return TP_OK;
}

static int read_trace(struct tp_snapshot_walk *walk, const struct tp_pickle_list *list, size_t device,
                      struct tp_snapshot_trace *trace)
{
    struct tp_snapshot_place place = {.list = "device_traces", .index = device};
    struct tp_pickle_walk items;
    tp_pickle_value item;
    int code = tp_snapshot_visit(walk, list->count, &place);
    if (code < 0)
        return code;
    if (list->count > TP_MAX_SNAPSHOT_EVENTS)
        return tp_error_set(walk->err, TP_ELIMIT, 0, "device %zu has more than %u events", device,
                            TP_MAX_SNAPSHOT_EVENTS);
    trace->events = tp_arena_array(walk->snapshot->arena, list->count, sizeof *trace->events);
    tp_pickle_walk_begin(&items, list);
    place.inner = "";
    while (tp_pickle_walk_next(&items, &item)) {
        place.inner_index = trace->count;
        if (tp_pickle_tag(item) != TP_PICKLE_DICT)
            return tp_snapshot_refuse(walk, &place, " is no dict");
        code = read_event(walk, tp_pickle_node(item), &place, &trace->events[trace->count++]);
        if (code < 0)
            return code;
    }
    place.inner = NULL;
    code = tp_snapshot_visit(walk, walk->new_frames, &place);
    walk->new_frames = 0;
    return code;
}

int tp_snapshot_walk_traces(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *root)
{
    const struct tp_snapshot_place file = {.list = "snapshot", .index = SIZE_MAX};
    const struct tp_pickle_list *list = NULL;
    struct tp_pickle_walk items;
    tp_pickle_value item;
    struct tp_snapshot *snapshot = walk->snapshot;
    int code = tp_snapshot_get_list(walk, root, TP_KEY_DEVICE_TRACES, &file, false, &list);
    if (code < 0 || !list)
        return code;
    if (list->count > TP_MAX_SNAPSHOT_DEVICES)
        return tp_snapshot_refuse_devices(walk);
    snapshot->traces = tp_arena_array(snapshot->arena, list->count, sizeof *snapshot->traces);
    tp_pickle_walk_begin(&items, list);
    while (tp_pickle_walk_next(&items, &item)) {
        size_t device = snapshot->trace_count++;
        struct tp_snapshot_place place = {.list = "device_traces", .index = device};
        if (tp_pickle_tag(item) != TP_PICKLE_LIST)
            return tp_snapshot_refuse(walk, &place, " is no list");
        code = read_trace(walk, tp_pickle_node(item), device, &snapshot->traces[device]);
        if (code < 0)
            return code;
    }
    return TP_OK;
}

/* ---- settings ---- */

/* Reads the divisions of each size class. Keys are the classes in MiB: "1", "2" .. "32768". */
static void read_divisions(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *settings)
{
    int64_t *divisions = walk->snapshot->settings.roundup_divisions;
    const tp_pickle_value *value = tp_snapshot_find(walk, settings, TP_KEY_ROUNDUP);
    if (!value || tp_pickle_tag(*value) != TP_PICKLE_DICT)
        return;
    for (unsigned i = 0; i < 16; i++) {
        char name[8];
        uint64_t bits;
        bool is_unsigned;
        snprintf(name, sizeof name, "%u", 1u << i);
        uint32_t key = tp_strings_find(walk->pickle->texts, tp_str_of(name));
        const tp_pickle_value *division = key == TP_NO_ID ? NULL : tp_pickle_get(tp_pickle_node(*value), key);
        if (division && tp_pickle_tag(*division) == TP_PICKLE_INT && tp_pickle_int(*division, &bits, &is_unsigned))
            divisions[i] = (int64_t)bits;
    }
}

struct member {
    uint32_t key; /* id in the texts of the pickle */
    tp_pickle_value value;
};

static int compare_members(const void *x, const void *y, const void *context)
{
    const struct member *a = x, *b = y;
    const struct tp_strings *texts = context;
    return tp_str_compare(tp_strings_get(texts, a->key), tp_strings_get(texts, b->key));
}

/* Lists the members of a dict by their keys. The member that was added last is the first one of equal keys. */
static struct tp_vec sorted_members(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict)
{
    struct tp_vec members = TP_VEC(walk->pickle->arena, struct member);
    for (const struct tp_pickle_row *row = dict->row; row; row = row->previous)
        for (uint32_t i = row->shape->count; i-- > 0;)
            *(struct member *)tp_vec_push(&members) = (struct member){row->shape->keys[i], row->values[i]};
    tp_merge_sort(walk->pickle->arena, members.data, members.count, sizeof(struct member), compare_members,
                  walk->pickle->texts);
    return members;
}

/* Stores a setting that the replay needs. */
static void use_setting(struct tp_snapshot_walk *walk, const struct member *member)
{
    struct tp_snapshot_settings *settings = &walk->snapshot->settings;
    uint64_t bits;
    bool is_unsigned, is_number = tp_pickle_int(member->value, &bits, &is_unsigned);
    if (member->key == walk->keys[TP_KEY_MAX_SPLIT] && is_number && tp_pickle_tag(member->value) <= TP_PICKLE_BIG)
        settings->max_split_bytes = (int64_t)bits;
    if (member->key == walk->keys[TP_KEY_EXPANDABLE])
        settings->is_expandable = is_number && bits;
}

void tp_snapshot_walk_settings(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *root)
{
    struct tp_snapshot_settings *settings = &walk->snapshot->settings;
    const tp_pickle_value *value = tp_snapshot_find(walk, root, TP_KEY_SETTINGS);
    static const struct tp_pickle_dict none;
    const struct tp_pickle_dict *dict =
        value && tp_pickle_tag(*value) == TP_PICKLE_DICT ? tp_pickle_node(*value) : &none;
    struct tp_vec members = sorted_members(walk, dict);
    struct tp_buf text;
    struct tp_json json;
    tp_buf_init(&text, TP_MAX_HEADER_BYTES);
    tp_json_init(&json, &text);
    tp_json_object(&json);
    for (size_t i = 0; i < members.count; i++) {
        const struct member *member = TP_AT(&members, struct member, i);
        if (i && member->key == TP_AT(&members, struct member, i - 1)->key)
            continue;
        use_setting(walk, member);
        if (member->key == walk->keys[TP_KEY_ROUNDUP] || text.failed)
            continue;
        tp_json_key_str(&json, tp_strings_get(walk->pickle->texts, member->key));
        tp_pickle_write_json(walk->pickle, member->value, &json);
    }
    tp_json_object_end(&json);
    if (!text.failed)
        settings->json = tp_buf_move(&text, walk->snapshot->arena);
    tp_buf_release(&text);
    read_divisions(walk, dict);
}
