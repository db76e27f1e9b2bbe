/* Reads the segments of a snapshot, and the frame of the file: see snapshot_walk.h. */
#include <string.h>

#include "webreport/trace/regions.h"
#include "webreport/trace/snapshot/snapshot_walk.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"

enum { SMALL_SEGMENT_BYTES = 2 << 20, SHOWN_STATE_BYTES = 40 };

/* Sets *state from the text in the file. Returns false for an unknown state. */
static bool parse_state(struct tp_str text, uint8_t *state)
{
    static const struct {
        const char *name;
        enum tp_block_state state;
    } states[] = {{"active_allocated", TP_BLOCK_ALLOCATED},
                  {"active_pending_free", TP_BLOCK_PENDING},
                  {"active_awaiting_free", TP_BLOCK_PENDING}, /* name in torch's documentation */
                  {"inactive", TP_BLOCK_FREE}};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (tp_str_equal(text, tp_str_of(states[i].name))) {
            *state = (uint8_t)states[i].state;
            return true;
        }
    return false;
}

/* Returns the newest entry of "history", which blocks had before torch 2.1; NULL if the block has none. */
static const struct tp_pickle_dict *newest_history(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict)
{
    const tp_pickle_value *value = tp_snapshot_find(walk, dict, TP_KEY_HISTORY);
    struct tp_pickle_walk items;
    tp_pickle_value first;
    if (!value || tp_pickle_tag(*value) != TP_PICKLE_LIST)
        return NULL;
    tp_pickle_walk_begin(&items, tp_pickle_node(*value));
    return tp_pickle_walk_next(&items, &first) && tp_pickle_tag(first) == TP_PICKLE_DICT ? tp_pickle_node(first) : NULL;
}

static int read_history(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *history,
                        const struct tp_snapshot_place *place, struct tp_snapshot_block *block)
{
    const tp_pickle_value *size = tp_snapshot_find(walk, history, TP_KEY_REAL_SIZE);
    bool is_unsigned;
    if (size && tp_pickle_tag(*size) <= TP_PICKLE_BIG)
        tp_pickle_int(*size, &block->requested, &is_unsigned);
    return tp_snapshot_get_stack(walk, history, place, &block->stack);
}

static int read_block(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict,
                      const struct tp_snapshot_place *place, struct tp_snapshot_block *block)
{
    struct tp_str state;
    int code = tp_snapshot_get_size(walk, dict, TP_KEY_SIZE, place, true, &block->size);
    code = code < 0 ? code : tp_snapshot_get_text(walk, dict, TP_KEY_STATE, place, &state);
    if (code < 0)
        return code;
    if (!parse_state(state, &block->state))
        return tp_snapshot_refuse(walk, place, ".state is '%.*s'",
                                  (int)(state.len < SHOWN_STATE_BYTES ? state.len : SHOWN_STATE_BYTES), state.ptr);
    block->requested = block->size;
    const struct tp_pickle_dict *history = newest_history(walk, dict);
    if (history)
        return read_history(walk, history, place, block);
    code = tp_snapshot_get_size(walk, dict, TP_KEY_REQUESTED_SIZE, place, false, &block->requested);
    return code < 0 ? code : tp_snapshot_get_stack(walk, dict, place, &block->stack);
}

/* Reads the blocks, and checks that they fill the segment. */
static int read_blocks(struct tp_snapshot_walk *walk, const struct tp_pickle_list *list, struct tp_snapshot_place place,
                       struct tp_snapshot_segment *segment)
{
    struct tp_pickle_walk items;
    tp_pickle_value item;
    uint64_t address = segment->address;
    segment->blocks = tp_arena_array(walk->snapshot->arena, list->count, sizeof *segment->blocks);
    tp_pickle_walk_begin(&items, list);
    place.inner = ".blocks";
    while (tp_pickle_walk_next(&items, &item)) {
        struct tp_snapshot_block *block = &segment->blocks[segment->block_count];
        place.inner_index = segment->block_count++;
        if (tp_pickle_tag(item) != TP_PICKLE_DICT)
            return tp_snapshot_refuse(walk, &place, " is no dict");
        block->address = address;
        int code = read_block(walk, tp_pickle_node(item), &place, block);
        if (code < 0)
            return code;
        address += block->size;
        if (block->size > TP_MAX_SNAPSHOT_BYTES)
            break; /* the sum below then differs */
    }
    place.inner = NULL;
    if (address != segment->address + segment->size)
        return tp_snapshot_refuse(walk, &place, ": its blocks add up to %llu bytes, its total_size is %llu",
                                  (unsigned long long)(address - segment->address), (unsigned long long)segment->size);
    return TP_OK;
}

/* Returns the truth value that Python gives to a member; false if it is missing. */
static bool is_true(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict, enum tp_snapshot_key key)
{
    const tp_pickle_value *value = tp_snapshot_find(walk, dict, key);
    uint64_t bits;
    bool is_unsigned;
    return value && (tp_pickle_int(*value, &bits, &is_unsigned) ? bits != 0 : tp_pickle_tag(*value) != TP_PICKLE_CONST);
}

static int read_segment(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *dict,
                        const struct tp_snapshot_place *place, struct tp_snapshot_segment *segment)
{
    const struct tp_pickle_list *blocks = NULL;
    const tp_pickle_value *address = tp_snapshot_find(walk, dict, TP_KEY_ADDRESS);
    uint32_t stack;
    int code = tp_snapshot_get_int(walk, dict, TP_KEY_DEVICE, place, &segment->device);
    if (code == TP_OK && address && *address != tp_pickle_const(TP_PICKLE_NONE))
        code = tp_snapshot_get_size(walk, dict, TP_KEY_ADDRESS, place, true, &segment->address);
    code = code < 0 ? code : tp_snapshot_get_size(walk, dict, TP_KEY_TOTAL_SIZE, place, true, &segment->size);
    code = code < 0 ? code : tp_snapshot_get_int(walk, dict, TP_KEY_STREAM, place, &segment->stream);
    if (code < 0)
        return code;
    segment->is_expandable = is_true(walk, dict, TP_KEY_IS_EXPANDABLE);
    struct tp_str type = tp_snapshot_optional_text(walk, dict, TP_KEY_SEGMENT_TYPE);
    bool is_named = tp_str_equal(type, tp_str_of("small")) || tp_str_equal(type, tp_str_of("large"));
    segment->is_small = is_named ? *type.ptr == 's' : segment->size <= SMALL_SEGMENT_BYTES;
    uint32_t pool = tp_snapshot_optional_pool(walk, dict, TP_KEY_SEGMENT_POOL);
    segment->pool = pool == TP_NO_ID ? 0 : pool;
    code = tp_snapshot_get_stack(walk, dict, place, &stack); /* its frames count as visited */
    code = code < 0 ? code : tp_snapshot_get_list(walk, dict, TP_KEY_BLOCKS, place, true, &blocks);
    code = code < 0 ? code : tp_snapshot_visit(walk, blocks->count, place);
    if (code < 0)
        return code;
    if (segment->size > TP_MAX_SNAPSHOT_BYTES || segment->address > UINT64_MAX - segment->size)
        return tp_snapshot_refuse(walk, place, ": its address and its total_size exceed 64 bits");
    code = read_blocks(walk, blocks, *place, segment);
    code = code < 0 ? code : tp_snapshot_visit(walk, walk->new_frames, place);
    walk->new_frames = 0;
    return code;
}

static int compare_devices(const void *x, const void *y, const void *context)
{
    const struct tp_snapshot_segment *a = x, *b = y;
    (void)context; /* all data is in the segments */
    return (a->device > b->device) - (a->device < b->device);
}

/* Returns the number of segments of devices below `device`. */
static size_t segments_before(const struct tp_snapshot *snapshot, int64_t device)
{
    size_t low = 0, high = snapshot->segments.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tp_snapshot_segment(snapshot, middle)->device < device)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void tp_snapshot_device_segments(const struct tp_snapshot *snapshot, int64_t device, size_t *first, size_t *end)
{
    *first = segments_before(snapshot, device);
    *end = device == INT64_MAX ? snapshot->segments.count : segments_before(snapshot, device + 1);
}

/* Refuses a snapshot with more devices than torch can have. */
static int check_devices(const struct tp_snapshot_walk *walk)
{
    const struct tp_snapshot *snapshot = walk->snapshot;
    size_t count = 0;
    for (size_t i = 0; i < snapshot->segments.count; i++)
        count += i == 0 || tp_snapshot_segment(snapshot, i)->device != tp_snapshot_segment(snapshot, i - 1)->device;
    return count > TP_MAX_SNAPSHOT_DEVICES ? tp_snapshot_refuse_devices(walk) : TP_OK;
}

static int walk_segments(struct tp_snapshot_walk *walk, const struct tp_pickle_list *list)
{
    struct tp_snapshot_place place = {.list = "segments"};
    struct tp_pickle_walk items;
    tp_pickle_value item;
    tp_pickle_walk_begin(&items, list);
    for (; tp_pickle_walk_next(&items, &item); place.index++) {
        int code = tp_snapshot_visit(walk, 1, &place);
        if (code == TP_OK && tp_pickle_tag(item) != TP_PICKLE_DICT)
            code = tp_snapshot_refuse(walk, &place, " is no dict");
        if (code == TP_OK)
            code = read_segment(walk, tp_pickle_node(item), &place, tp_vec_push(&walk->snapshot->segments));
        if (code < 0)
            return code;
    }
    struct tp_vec *segments = &walk->snapshot->segments;
    tp_merge_sort(walk->pickle->arena, segments->data, segments->count, sizeof(struct tp_snapshot_segment),
                  compare_devices, NULL);
    return check_devices(walk);
}

/* ---- the file ---- */

static void find_keys(struct tp_snapshot_walk *walk)
{
    static const char *const names[TP_KEY_COUNT] = {"segments",
                                                    "device_traces",
                                                    "allocator_settings",
                                                    "external_annotations",
                                                    "device",
                                                    "address",
                                                    "total_size",
                                                    "stream",
                                                    "segment_type",
                                                    "segment_pool_id",
                                                    "is_expandable",
                                                    "blocks",
                                                    "frames",
                                                    "size",
                                                    "state",
                                                    "requested_size",
                                                    "history",
                                                    "real_size",
                                                    "action",
                                                    "addr",
                                                    "device_free",
                                                    "time_us",
                                                    "user_metadata",
                                                    "pool_id",
                                                    "category",
                                                    "filename",
                                                    "line",
                                                    "name",
                                                    "fx_node_name",
                                                    "fx_original_trace",
                                                    "stage",
                                                    "max_split_size",
                                                    "expandable_segments",
                                                    "roundup_power2_divisions"};
    for (unsigned i = 0; i < TP_KEY_COUNT; i++)
        walk->keys[i] = tp_strings_find(walk->pickle->texts, tp_str_of(names[i]));
}

static int walk_annotations(struct tp_snapshot_walk *walk, const struct tp_pickle_dict *root)
{
    const struct tp_pickle_list *list = NULL;
    struct tp_pickle_walk items;
    tp_pickle_value item;
    uint64_t time, device;
    bool is_unsigned;
    if (tp_snapshot_get_list(walk, root, TP_KEY_ANNOTATIONS, &(struct tp_snapshot_place){0}, false, &list) < 0 || !list)
        return TP_OK;
    tp_pickle_walk_begin(&items, list);
    while (tp_pickle_walk_next(&items, &item)) {
        const struct tp_pickle_dict *dict = tp_pickle_tag(item) == TP_PICKLE_DICT ? tp_pickle_node(item) : NULL;
        const tp_pickle_value *at = dict ? tp_snapshot_find(walk, dict, TP_KEY_TIME) : NULL;
        const tp_pickle_value *on = dict ? tp_snapshot_find(walk, dict, TP_KEY_DEVICE) : NULL;
        if (!at || tp_pickle_tag(*at) > TP_PICKLE_BIG || !tp_pickle_int(*at, &time, &is_unsigned))
            continue;
        struct tp_snapshot_annotation *a = tp_vec_push(&walk->snapshot->annotations);
        a->time_us = (int64_t)time;
        a->name = tp_strings_get(walk->pickle->texts, tp_snapshot_optional_name(walk, dict, TP_KEY_NAME));
        a->kinds = tp_regions_by_name(a->name);
        a->is_end = tp_str_equal(tp_snapshot_optional_text(walk, dict, TP_KEY_STAGE), tp_str_of("END"));
        if (on && *on == tp_pickle_const(TP_PICKLE_NONE))
            a->device = TP_NULL_INT;
        else if (on && tp_pickle_int(*on, &device, &is_unsigned))
            a->device = (int64_t)device;
    }
    return TP_OK;
}

int tp_snapshot_walk_pickle(struct tp_snapshot *snapshot, struct tp_pickle *pickle, uint64_t file_bytes,
                            struct tp_error *err)
{
    enum { LEAST_BUDGET = 4096 };
    struct tp_snapshot_walk walk = {.snapshot = snapshot,
                                    .pickle = pickle,
                                    .budget = file_bytes > LEAST_BUDGET ? file_bytes : LEAST_BUDGET,
                                    .err = err};
    const struct tp_snapshot_place file = {.list = "snapshot", .index = SIZE_MAX};
    const struct tp_pickle_list *segments = NULL;
    const struct tp_pickle_dict *root = NULL;
    snapshot->no_text = tp_strings_add(pickle->texts, (struct tp_str){"", 0});
    snapshot->protocol = pickle->protocol;
    tp_snapshot_stacks_init(&snapshot->stacks, snapshot->arena);
    find_keys(&walk);
    if (tp_pickle_tag(pickle->root) == TP_PICKLE_LIST)
        segments = tp_pickle_node(pickle->root); /* a pickled torch.cuda.memory_snapshot() */
    else if (tp_pickle_tag(pickle->root) == TP_PICKLE_DICT)
        root = tp_pickle_node(pickle->root);
    if (!segments &&
        (!root || walk.keys[TP_KEY_SEGMENTS] == TP_NO_ID || !tp_pickle_get(root, walk.keys[TP_KEY_SEGMENTS])))
        return tp_error_set(err, TP_EFORMAT, 0, "this pickle is no memory snapshot: it has no \"segments\"");
    int code = root ? tp_snapshot_get_list(&walk, root, TP_KEY_SEGMENTS, &file, true, &segments) : TP_OK;
    code = code < 0 ? code : walk_segments(&walk, segments);
    if (code < 0 || !root)
        return code;
    code = tp_snapshot_walk_traces(&walk, root);
    tp_snapshot_walk_settings(&walk, root);
    return code < 0 ? code : walk_annotations(&walk, root);
}
