/* Draws the live blocks by call stack as an icicle: callers above callees, the width is the bytes. See snapshot_page.h.
 */
#include <string.h>

#include "webreport/document/charts/chart.h"
#include "webreport/document/snapshot/snapshot_page.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

enum { ROW_PIXELS = 20, MOST_ROWS = 24, MOST_BOXES = 400 };

/* A frame in the tree of stacks. */
struct node {
    uint32_t frame; /* shown name, id in names */
    uint32_t parent;
    uint64_t bytes;
    uint32_t category; /* category of its largest block, id in names */
    uint64_t largest;  /* bytes of this block */
    uint32_t depth;
    double x; /* left end, percent */
};

struct icicle {
    const struct tp_snapshot_page *page;
    struct tp_vec nodes;     /* elements: struct node; node 0 is the root */
    struct tp_keys children; /* pairs (parent, frame); node = 1 + number of the pair */
    uint64_t total;
};

static struct node *node_at(const struct icicle *icicle, uint32_t index)
{
    return TP_AT(&icicle->nodes, struct node, index);
}

/* Returns the child of a node, which is added if it is missing. */
static uint32_t child_of(struct icicle *icicle, uint32_t parent, uint32_t frame)
{
    uint32_t index = 1 + tp_keys_pair(&icicle->children, parent, frame);
    if (index == icicle->nodes.count) {
        struct node node = {.frame = frame, .parent = parent, .depth = node_at(icicle, parent)->depth + 1};
        *(struct node *)tp_vec_push(&icicle->nodes) = node;
    }
    return index;
}

static void add_bytes(struct icicle *icicle, uint32_t index, const struct tp_allocator_block *block, uint32_t category)
{
    struct node *node = node_at(icicle, index);
    node->bytes += block->size;
    if (block->size > node->largest) {
        node->largest = block->size;
        node->category = category;
    }
}

static void add_block(struct icicle *icicle, const struct tp_allocator_block *block, struct tp_vec *frames)
{
    struct tp_code_stacks *stacks = icicle->page->device->context.stacks;
    uint32_t category = tp_live_category(&icicle->page->device->context, block), node = 0;
    frames->count = 0;
    for (uint32_t path = tp_code_stack(stacks, block->stack)->path; path;
         path = tp_keys_get(&stacks->paths, path - 1)[0])
        *(uint32_t *)tp_vec_push(frames) = tp_keys_get(&stacks->paths, path - 1)[1];
    add_bytes(icicle, 0, block, category);
    for (size_t i = frames->count; i-- > 0;) {
        node = child_of(icicle, node, *TP_AT(frames, uint32_t, i));
        add_bytes(icicle, node, block, category);
    }
    icicle->total += block->size;
}

/* Adds the blocks that the page shows. */
static void add_blocks(struct icicle *icicle)
{
    const struct tp_snapshot_device *device = icicle->page->device;
    const struct tp_snapshot_oom *oom = tp_snapshot_page_oom(icicle->page);
    struct tp_vec frames = TP_VEC(icicle->page->arena, uint32_t);
    for (size_t i = 0; oom && i < oom->live_count; i++)
        add_block(icicle, tp_replay_block(&device->replay, oom->live_blocks[i]), &frames);
    for (size_t i = 0; !oom && i < device->peak_block_count; i++)
        add_block(icicle, device->peak_blocks[i], &frames);
}

/* Orders nodes by their parent, then the largest first, then by name. */
static int compare_nodes(const void *context, uint32_t x, uint32_t y)
{
    const struct icicle *icicle = context;
    const struct node *a = node_at(icicle, x), *b = node_at(icicle, y);
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? 1 : -1;
    struct tp_str p = tp_code_name(icicle->page->device->context.stacks, a->frame);
    struct tp_str q = tp_code_name(icicle->page->device->context.stacks, b->frame);
    int order = memcmp(p.ptr, q.ptr, p.len < q.len ? p.len : q.len);
    return order ? order : (p.len > q.len) - (p.len < q.len);
}

static void put_box(struct tp_list *boxes, const struct icicle *icicle, const struct node *node, unsigned row)
{
    const struct tp_snapshot_page *page = icicle->page;
    struct tp_code_stacks *stacks = page->device->context.stacks;
    struct tp_str name =
        row ? tp_shown_text(&page->naming, tp_code_name(stacks, node->frame)) : tp_str_of("live blocks");
    double share = tp_percent((int64_t)node->bytes, (int64_t)icicle->total);
    struct tp_object *box = tp_list_add_object(boxes);
    tp_object_add_text(
        box, "look",
        tp_look_name(row ? tp_snapshot_category_look(tp_code_name(stacks, node->category)) : TP_LOOK_NONE));
    tp_chart_put_percent(box, "x", node->x);
    tp_chart_put_percent(box, "w", share);
    tp_object_add_int(box, "y", (int64_t)row * ROW_PIXELS);
    tp_object_add_str(box, "label", tp_chart_label_of_box(page->arena, name, share));
    tp_object_add_formatted(box, "tip", "%.*s\n%s, %s of the live blocks", (int)name.len, name.ptr,
                            tp_snapshot_page_bytes(page, node->bytes), tp_text_of_percent(page->arena, share));
}

/* Returns whether a frame has a single callee with all its bytes. Such frames are left out. */
static bool is_skipped(const struct icicle *icicle, const uint64_t *largest_child, uint32_t index)
{
    return index && largest_child[index] == node_at(icicle, index)->bytes;
}

/* Places all nodes, and adds boxes for those that are wide enough. Returns the number of rows. */
static unsigned put_boxes(struct tp_list *boxes, struct icicle *icicle)
{
    struct tp_arena *arena = icicle->page->arena;
    uint32_t count = (uint32_t)icicle->nodes.count;
    uint32_t *order = tp_arena_array(arena, count, sizeof *order);
    uint64_t *largest_child = tp_arena_array(arena, count, sizeof *largest_child);
    double *next_x = tp_arena_array(arena, count, sizeof *next_x);
    unsigned *row_of = tp_arena_array(arena, count, sizeof *row_of), rows = 0, shown = 0;
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
        if (i && node_at(icicle, i)->bytes > largest_child[node_at(icicle, i)->parent])
            largest_child[node_at(icicle, i)->parent] = node_at(icicle, i)->bytes;
    }
    tp_sort_rows(order, count, compare_nodes, icicle, arena);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = order[i];
        struct node *node = node_at(icicle, index);
        bool has_box = !is_skipped(icicle, largest_child, index);
        unsigned row = index ? row_of[node->parent] : 0;
        if (index) {
            node->x = next_x[node->parent];
            next_x[node->parent] += tp_percent((int64_t)node->bytes, (int64_t)icicle->total);
        }
        next_x[index] = node->x;
        row_of[index] = row + has_box;
        if (!has_box || row >= MOST_ROWS || shown >= MOST_BOXES || node->bytes < icicle->total / 300)
            continue;
        put_box(boxes, icicle, node, row);
        shown++;
        rows = row + 1 > rows ? row + 1 : rows;
    }
    return rows;
}

struct tp_data tp_snapshot_icicle(const struct tp_snapshot_page *page)
{
    struct icicle icicle = {.page = page, .nodes = TP_VEC(page->arena, struct node)};
    struct tp_object *chart = tp_object_new(page->arena);
    struct tp_list *boxes = tp_object_add_list(chart, "boxes");
    tp_keys_init(&icicle.children, page->arena, 2);
    tp_vec_push(&icicle.nodes);
    add_blocks(&icicle);
    if (!icicle.total || icicle.nodes.count < 2)
        return (struct tp_data){.kind = TP_DATA_NONE};
    unsigned rows = put_boxes(boxes, &icicle);
    tp_object_add_int(chart, "height", (int64_t)rows * ROW_PIXELS);
    tp_object_add_text(chart, "icicle_label", "Live blocks by call stack; the width is the memory");
    return tp_data_of_object(chart);
}
