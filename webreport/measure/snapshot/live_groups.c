/* Groups live blocks: see live_tables.h. */
#include "webreport/measure/snapshot/live_tables.h"

#include <stdio.h>
#include <string.h>

#include "webreport/model/allocator/allocator_rules.h"
#include "writer/base/sort.h"

/* One group while blocks are added. */
struct group {
    uint64_t bytes, requested, blocks;
    uint32_t key; /* id in names; for TP_LIVE_STACK, number of a path */
};

struct grouping {
    const struct tp_live_context *context;
    enum tp_live_key key;
    const struct tp_segment_set *segments;
    struct tp_vec groups; /* elements: struct group */
    struct tp_id_map by_key;
};

/* ---- properties ---- */

static uint32_t add_name(const struct tp_live_context *context, const char *name)
{
    return tp_strings_add(&context->stacks->frames.names, tp_str_of(name));
}

static const char *size_class(uint64_t size)
{
    static const struct {
        uint64_t largest;
        const char *name;
    } classes[] = {{512, "512 B"},
                   {64u << 10, "to 64 KiB"},
                   {1u << 20, "to 1 MiB"},
                   {(10u << 20) - 1, "below 10 MiB"},
                   {(100u << 20) - 1, "below 100 MiB"},
                   {(1u << 30) - 1, "below 1 GiB"}};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (size <= classes[i].largest)
            return classes[i].name;
    return "1 GiB and more";
}

static uint32_t pool_name(const struct grouping *grouping, const struct tp_allocator_block *block)
{
    const struct tp_segment_range *segment =
        grouping->segments ? tp_segment_set_find(grouping->segments, block->address) : NULL;
    uint32_t index = segment ? segment->pool : block->pool;
    bool is_small = segment ? segment->is_small : block->size <= TP_ALLOCATOR_SMALL_BLOCK;
    const struct tp_snapshot_pool *pool = tp_snapshot_pool(grouping->context->snapshot, index);
    char name[80];
    if (index == 0)
        snprintf(name, sizeof name, "default, %s", is_small ? "small" : "large");
    else
        snprintf(name, sizeof name, "pool (%lld, %lld), %s", (long long)pool->first, (long long)pool->second,
                 is_small ? "small" : "large");
    return add_name(grouping->context, name);
}

static uint32_t stream_name(const struct tp_live_context *context, int64_t stream)
{
    char name[32];
    snprintf(name, sizeof name, "%lld", (long long)stream);
    return add_name(context, name);
}

static uint32_t key_of(const struct grouping *grouping, const struct tp_allocator_block *block)
{
    const struct tp_live_context *context = grouping->context;
    const struct tp_code_stack *code = tp_code_stack(context->stacks, block->stack);
    switch (grouping->key) {
    case TP_LIVE_LINE:
        return code->line;
    case TP_LIVE_SITE:
        return code->site;
    case TP_LIVE_MODULE:
        return code->module;
    case TP_LIVE_CATEGORY:
        return tp_live_category(context, block);
    case TP_LIVE_SIZE:
        return add_name(context, size_class(block->size));
    case TP_LIVE_STREAM:
        return stream_name(context, block->stream);
    case TP_LIVE_POOL:
        return pool_name(grouping, block);
    case TP_LIVE_METADATA:
        return tp_strings_add(&context->stacks->frames.names,
                              tp_strings_get(&context->snapshot->texts, block->metadata));
    case TP_LIVE_STACK:
        return code->path;
    case TP_LIVE_LINE_OR_SITE:
        return tp_code_line_or_site(context->stacks, block->stack);
    default:
        return code->node;
    }
}

/* ---- groups ---- */

static void add_block(struct grouping *grouping, const struct tp_allocator_block *block)
{
    uint32_t key = key_of(grouping, block);
    uint32_t *index = tp_id_map_find_or_add(&grouping->by_key, key);
    if (*index == UINT32_MAX) {
        *index = (uint32_t)grouping->groups.count;
        *(struct group *)tp_vec_push(&grouping->groups) = (struct group){.key = key};
    }
    struct group *group = TP_AT(&grouping->groups, struct group, *index);
    group->bytes += block->size;
    group->requested += block->requested;
    group->blocks++;
}

static struct tp_str key_text(const struct grouping *grouping, uint32_t key)
{
    struct tp_code_stacks *stacks = grouping->context->stacks;
    return grouping->key == TP_LIVE_STACK ? tp_code_stacks_path(stacks, key) : tp_code_name(stacks, key);
}

struct tp_str tp_live_property(const struct tp_live_context *context, enum tp_live_key key,
                               const struct tp_allocator_block *block)
{
    const struct grouping grouping = {.context = context, .key = key};
    return key_text(&grouping, key_of(&grouping, block));
}

static struct tp_str group_name(const struct grouping *grouping, const struct group *group)
{
    return key_text(grouping, group->key);
}

static int compare_bytes(const void *x, const void *y, const void *context)
{
    const struct group *a = x, *b = y;
    (void)context; /* all data is in the groups */
    return (a->bytes < b->bytes) - (a->bytes > b->bytes);
}

static int compare_groups(const void *x, const void *y, const void *context)
{
    const struct group *a = x, *b = y;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? 1 : -1;
    const struct grouping *grouping = context;
    if (grouping->key == TP_LIVE_STACK)
        return tp_code_stacks_compare_paths(grouping->context->stacks, a->key, b->key);
    struct tp_str p = group_name(context, a), q = group_name(context, b);
    int order = memcmp(p.ptr, q.ptr, p.len < q.len ? p.len : q.len);
    return order ? order : (p.len > q.len) - (p.len < q.len);
}

/* Sorts the groups so that the first `rows` are in their final order. Only groups as large as the last of them need
 * their names for the order. */
static void sort_groups(struct grouping *grouping, size_t rows)
{
    struct tp_arena *arena = grouping->context->arena;
    struct group *groups = grouping->groups.data;
    size_t count = grouping->groups.count, needed = count;
    tp_merge_sort(arena, groups, count, sizeof *groups, compare_bytes, NULL);
    if (count > rows)
        for (needed = rows; needed < count && groups[needed].bytes == groups[rows - 1].bytes;)
            needed++;
    tp_merge_sort(arena, groups, needed, sizeof *groups, compare_groups, grouping);
}

/* Builds a table with at most `limit` rows. */
static void build(struct tp_live_table *table, const struct tp_live_context *context, enum tp_live_key key,
                  const struct tp_live_blocks *live, size_t limit)
{
    struct grouping grouping = {
        .context = context, .key = key, .segments = live->segments, .groups = TP_VEC(context->arena, struct group)};
    tp_id_map_init(&grouping.by_key, context->arena);
    for (size_t i = 0; i < live->count; i++)
        add_block(&grouping, live->blocks[i]);
    sort_groups(&grouping, limit);
    size_t rows = grouping.groups.count < limit ? grouping.groups.count : limit;
    *table = (struct tp_live_table){.rows = tp_arena_array(context->arena, rows, sizeof *table->rows),
                                    .row_count = rows,
                                    .rows_total = grouping.groups.count};
    for (size_t i = 0; i < rows; i++) {
        const struct group *group = TP_AT(&grouping.groups, struct group, i);
        table->rows[i] =
            (struct tp_live_row){group_name(&grouping, group), group->bytes, group->requested, group->blocks};
    }
    tp_id_map_release(&grouping.by_key);
}

void tp_live_table_build(struct tp_live_table *table, const struct tp_live_context *context, enum tp_live_key key,
                         const struct tp_allocator_block *const *blocks, size_t count,
                         const struct tp_segment_set *segments)
{
    build(table, context, key, &(struct tp_live_blocks){blocks, count, segments}, TP_LIVE_ROWS);
}

void tp_live_table_build_all(struct tp_live_table *table, const struct tp_live_context *context, enum tp_live_key key,
                             const struct tp_live_blocks *live)
{
    build(table, context, key, live, SIZE_MAX);
}

void tp_live_by_build(struct tp_live_by *live, const struct tp_live_context *context,
                      const struct tp_allocator_block *const *blocks, size_t count,
                      const struct tp_segment_set *segments)
{
    *live = (struct tp_live_by){.blocks = count};
    for (size_t i = 0; i < count; i++)
        live->bytes += blocks[i]->size;
    for (unsigned key = 0; key < TP_LIVE_KEYS; key++)
        tp_live_table_build(&live->by[key], context, (enum tp_live_key)key, blocks, count, segments);
}

uint64_t tp_live_bytes(const struct tp_live_table *table, const char *name)
{
    for (size_t i = 0; i < table->row_count; i++)
        if (tp_str_equal(table->rows[i].name, tp_str_of(name)))
            return table->rows[i].bytes;
    return 0;
}

/* ---- JSON ---- */

#define F struct tp_live_row
static const struct tp_json_field row_rows[] = {
    {"name", TP_PLAIN(F, name), TP_DEFINITION("name of the group; empty if the property of its blocks is unknown")},
    {"bytes", TP_PLAIN(F, bytes), TP_DEFINITION("sizes of its blocks")},
    {"requested_bytes", TP_PLAIN(F, requested_bytes),
     TP_DEFINITION("bytes that the program requested for these blocks")},
    {"blocks", TP_PLAIN(F, blocks), TP_DEFINITION("number of its blocks")},
};
static const struct tp_fields row_fields = TP_FIELDS("A group of live blocks", row_rows);
#undef F
#define F struct tp_live_table
static const struct tp_json_field table_rows[] = {
    {"rows_total", TP_PLAIN(F, rows_total), TP_DEFINITION("number of groups")},
    {"rows", TP_RECORDS(F, rows, row_count, &row_fields), TP_DEFINITION("the 30 largest groups")},
};
const struct tp_fields tp_live_table_fields = TP_FIELDS("Groups of live blocks", table_rows);
#undef F
#define F struct tp_live_by
static const struct tp_json_field live_rows[] = {
    {"bytes", TP_PLAIN(F, bytes), TP_DEFINITION("sizes of all live blocks")},
    {"blocks", TP_PLAIN(F, blocks), TP_DEFINITION("number of live blocks")},
    {"line", TP_RECORD(F, by[TP_LIVE_LINE], &tp_live_table_fields),
     TP_DEFINITION("innermost line of the user in the stack of the allocation")},
    {"site", TP_RECORD(F, by[TP_LIVE_SITE], &tp_live_table_fields),
     TP_DEFINITION("innermost line of the user or of a package other than torch; the autograd node or the operator for "
                   "stacks without Python frames")},
    {"module", TP_RECORD(F, by[TP_LIVE_MODULE], &tp_live_table_fields),
     TP_DEFINITION("functions named forward outside of torch, outermost first")},
    {"category", TP_RECORD(F, by[TP_LIVE_CATEGORY], &tp_live_table_fields),
     TP_DEFINITION("purpose, which follows from the stacks and the lives of blocks")},
    {"size", TP_RECORD(F, by[TP_LIVE_SIZE], &tp_live_table_fields), TP_DEFINITION("class of sizes")},
    {"stream", TP_RECORD(F, by[TP_LIVE_STREAM], &tp_live_table_fields), TP_DEFINITION("CUDA stream")},
    {"pool", TP_RECORD(F, by[TP_LIVE_POOL], &tp_live_table_fields), TP_DEFINITION("pool, and small or large segments")},
    {"metadata", TP_RECORD(F, by[TP_LIVE_METADATA], &tp_live_table_fields),
     TP_DEFINITION("text that the program set with _set_memory_metadata")},
    {"stack", TP_RECORD(F, by[TP_LIVE_STACK], &tp_live_table_fields), TP_DEFINITION("frames, outermost first")},
    {"fx_node", TP_RECORD(F, by[TP_LIVE_NODE], &tp_live_table_fields), TP_DEFINITION("node of torch.fx")},
};
const struct tp_fields tp_live_by_fields = TP_FIELDS("Live blocks at one moment", live_rows);
#undef F
