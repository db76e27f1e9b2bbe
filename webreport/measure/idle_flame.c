/* Idle flame: walk of the gaps, then the tree in its final order. See idle_flame.h. */
#include "webreport/measure/idle_flame.h"

#include "writer/base/sort.h"

enum { TAG_HOST = 1, TAG_FALLBACK = 2 };

static const struct tp_column_def frame_columns[] = {
    {"kind", "Kind", "", "Kind of the host event.", TP_COLUMN_TEXT},
    {"name", "Frame", "", "Name of the host event; addresses are blanked.", TP_COLUMN_TEXT},
    {"self_ns", "Self", "ns", "Idle time of the device while this was the innermost host event.", TP_COLUMN_INT},
    {"total_ns", "Total", "ns", "Idle time of the device while this was anywhere on the stack.", TP_COLUMN_INT},
    {"host_ns", "Host late", "ns", "Part of the total before operations that were not yet launched.", TP_COLUMN_INT},
};

uint32_t tp_gap_thread(const struct tp_host *host, const struct tp_host_device *device, const struct tp_gap *gap,
                       bool *is_fallback)
{
    const struct tp_host_call *call = gap->next == TP_NO_ID ? NULL : tp_op_call(host, gap->next);
    *is_fallback = !call;
    return call ? call->thread : device->main_thread;
}

void tp_idle_walk_pieces(struct tp_host_stack_walk *walk, struct tp_vec *pieces)
{
    const struct tp_threaded_piece *items = pieces->data;
    uint32_t threads = walk->host->trace->thread_count + 1; /* the last for pieces without thread */
    if (!pieces->count)
        return;
    size_t *first = tp_arena_array(pieces->arena, (size_t)threads + 2, sizeof *first);
    struct tp_host_stack_piece *sorted = tp_arena_array(pieces->arena, pieces->count, sizeof *sorted);
    for (size_t i = 0; i < pieces->count; i++)
        first[(items[i].thread == TP_NO_ID ? threads - 1 : items[i].thread) + 2]++;
    for (uint32_t t = 2; t < threads + 2; t++)
        first[t] += first[t - 1];
    for (size_t i = 0; i < pieces->count; i++)
        sorted[first[(items[i].thread == TP_NO_ID ? threads - 1 : items[i].thread) + 1]++] = items[i].piece;
    for (uint32_t t = 0; t < threads; t++)
        if (first[t + 1] > first[t])
            tp_host_stack_walk(walk, t + 1 == threads ? TP_NO_ID : t, sorted + first[t], first[t + 1] - first[t]);
    tp_arena_drop(pieces->arena, first, ((size_t)threads + 2) * sizeof *first);
    tp_arena_drop(pieces->arena, sorted, pieces->count * sizeof *sorted);
    tp_arena_drop(pieces->arena, pieces->data, pieces->capacity * sizeof *items);
}

static void charge(void *context, const struct tp_host_stack_segment *segment)
{
    struct tp_idle_flame *flame = context;
    int64_t ns = tp_ns_minus(segment->b, segment->a), host_ns = segment->tag & TAG_HOST ? ns : 0;
    while (flame->times.count <= segment->node)
        tp_vec_push(&flame->times);
    struct tp_idle_time *time = TP_AT(&flame->times, struct tp_idle_time, segment->node);
    time->ns = tp_ns_plus(time->ns, ns);
    time->host_ns = tp_ns_plus(time->host_ns, host_ns);
    flame->total_ns = tp_ns_plus(flame->total_ns, ns);
    if (segment->tag & TAG_FALLBACK)
        flame->fallback_ns = tp_ns_plus(flame->fallback_ns, ns);
    uint32_t *row = tp_id_map_put(&flame->line_ids, tp_id_pair(segment->fold.kind, segment->fold.text));
    if (*row == TP_NO_ID) {
        *row = (uint32_t)flame->lines.count;
        ((struct tp_idle_line *)tp_vec_push(&flame->lines))->fold = segment->fold;
    }
    struct tp_idle_line *line = TP_AT(&flame->lines, struct tp_idle_line, *row);
    line->ns = tp_ns_plus(line->ns, ns);
    line->host_ns = tp_ns_plus(line->host_ns, host_ns);
}

static int by_line(const void *x, const void *y, const void *context)
{
    const struct tp_idle_line *a = x, *b = y;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    if (a->fold.kind != b->fold.kind)
        return a->fold.kind < b->fold.kind ? -1 : 1;
    return tp_str_compare(tp_host_fold_text(context, a->fold), tp_host_fold_text(context, b->fold));
}

void tp_idle_flame_walk(struct tp_idle_flame *flame, struct tp_host *host, const struct tp_host_device *device,
                        struct tp_arena *arena)
{
    *flame = (struct tp_idle_flame){.times = TP_VEC(arena, struct tp_idle_time),
                                    .lines = TP_VEC(arena, struct tp_idle_line)};
    tp_host_stack_tree_init(&flame->tree, arena);
    tp_id_map_init(&flame->line_ids, arena);
    struct tp_vec pieces = TP_VEC(arena, struct tp_threaded_piece);
    for (uint32_t i = 0; i < device->gap_count; i++) {
        const struct tp_gap *gap = &device->gaps[i];
        int64_t a = tp_ns_max(gap->a, device->first), b = tp_ns_min(gap->b, device->last);
        if (a >= b)
            continue;
        bool is_fallback;
        uint32_t thread = tp_gap_thread(host, device, gap, &is_fallback);
        uint32_t tag = (gap->class == TP_GAP_HOST ? TAG_HOST : 0) | (is_fallback ? TAG_FALLBACK : 0);
        *(struct tp_threaded_piece *)tp_vec_push(&pieces) = (struct tp_threaded_piece){thread, {a, b, tag}};
    }
    struct tp_host_stack_walk walk = {.host = host, .tree = &flame->tree, .visit = charge, .context = flame};
    tp_idle_walk_pieces(&walk, &pieces);
    if (flame->times.count && TP_AT(&flame->times, struct tp_idle_time, 0)->ns) { /* the empty stack has a frame, too */
        uint32_t none = tp_host_stack_tree_child(&flame->tree, 0, TP_FRAME_NONE, host->frames.no_event);
        while (flame->times.count <= none)
            tp_vec_push(&flame->times);
        *TP_AT(&flame->times, struct tp_idle_time, none) = *TP_AT(&flame->times, struct tp_idle_time, 0);
        *TP_AT(&flame->times, struct tp_idle_time, 0) = (struct tp_idle_time){0, 0};
    }
    while (flame->times.count < flame->tree.nodes.count)
        tp_vec_push(&flame->times);
    tp_merge_sort(arena, flame->lines.data, flame->lines.count, sizeof(struct tp_idle_line), by_line, host);
    tp_id_map_drop(&flame->line_ids);
}

/* ---- the tree in its final order ---- */

/* Nodes with anything in or below them, in depth-first order. */
struct fill {
    struct tp_host *host;
    const struct tp_host_stack_node *nodes;
    struct tp_idle_time *totals; /* by tree node */
    uint32_t *order, *index;     /* tree nodes by (parent, kind, text); new index by tree node */
};

static int by_frame(const struct fill *fill, uint32_t x, uint32_t y)
{
    const struct tp_host_stack_node *a = &fill->nodes[x], *b = &fill->nodes[y];
    const struct tp_strings *texts = &fill->host->frames.frames;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->frame == b->frame ? 0 : tp_str_compare(tp_strings_get(texts, a->frame), tp_strings_get(texts, b->frame));
}

static int by_parent(const void *x, const void *y, const void *context)
{
    const struct fill *fill = context;
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    uint32_t p = fill->nodes[a].parent, q = fill->nodes[b].parent;
    if (p != q)
        return p + 1 < q + 1 ? -1 : 1; /* the root's parent, TP_NO_ID, first */
    return by_frame(fill, a, b);
}

/* Adds every node's time to its ancestors: children stand behind their parents. */
static void sum_up(struct fill *fill, const struct tp_idle_flame *flame, struct tp_arena *arena)
{
    size_t count = flame->tree.nodes.count;
    fill->totals = tp_arena_array(arena, count, sizeof *fill->totals);
    memcpy(fill->totals, flame->times.data, count * sizeof *fill->totals);
    for (size_t i = count; i-- > 1;) {
        struct tp_idle_time *parent = &fill->totals[fill->nodes[i].parent];
        parent->ns = tp_ns_plus(parent->ns, fill->totals[i].ns);
        parent->host_ns = tp_ns_plus(parent->host_ns, fill->totals[i].host_ns);
    }
}

static void fill_node(struct tp_idle_device *out, const struct fill *fill, const struct tp_idle_flame *flame,
                      uint32_t node)
{
    const struct tp_host_stack_node *from = &fill->nodes[node];
    const struct tp_idle_time *time = TP_AT(&flame->times, struct tp_idle_time, node);
    fill->index[node] = out->node_count;
    out->nodes[out->node_count++] = (struct tp_flame_node){
        .text = node ? tp_strings_get(&fill->host->frames.frames, from->frame) : TP_STR(""),
        .self_ns = time->ns,
        .self_host_ns = time->host_ns,
        .total_ns = fill->totals[node].ns,
        .total_host_ns = fill->totals[node].host_ns,
        .parent = node ? fill->index[from->parent] : TP_NO_ID,
        .depth = from->depth,
        .kind = from->kind,
    };
}

/* Depth-first over the sorted order with an explicit stack; children of a node are a run of `order`. */
static void fill_nodes(struct tp_idle_device *out, struct fill *fill, const struct tp_idle_flame *flame,
                       struct tp_arena *arena)
{
    uint32_t count = (uint32_t)flame->tree.nodes.count, depth = 0;
    uint32_t *first = tp_arena_array(arena, (size_t)count + 1, sizeof *first); /* run of each node's children */
    uint32_t *todo = tp_arena_array(arena, count, sizeof *todo);
    for (uint32_t i = 1; i < count; i++)
        first[fill->nodes[i].parent + 1]++;
    for (uint32_t i = 1; i <= count; i++)
        first[i] += first[i - 1];
    out->nodes = tp_arena_array(arena, count, sizeof *out->nodes);
    todo[depth++] = 0;
    while (depth) {
        uint32_t node = todo[--depth];
        fill_node(out, fill, flame, node);
        for (uint32_t i = first[node + 1]; i-- > first[node];)
            if (fill->totals[fill->order[i + 1]].ns)
                todo[depth++] = fill->order[i + 1];
    }
}

static int by_time(const void *x, const void *y, const void *context)
{
    const struct tp_flame_node *nodes = context;
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    if (nodes[a].self_ns != nodes[b].self_ns)
        return nodes[a].self_ns > nodes[b].self_ns ? -1 : 1;
    return (a > b) - (a < b); /* depth-first order is the order of the stacks' texts */
}

static void list_stacks(struct tp_idle_device *out, struct tp_arena *arena)
{
    out->stacks = tp_arena_array(arena, out->node_count, sizeof *out->stacks);
    for (uint32_t i = 1; i < out->node_count; i++)
        if (out->nodes[i].self_ns)
            out->stacks[out->stack_count++] = i;
    tp_merge_sort(arena, out->stacks, out->stack_count, sizeof *out->stacks, by_time, out->nodes);
}

/* ---- frames wherever they stand ---- */

struct frame {
    struct tp_str text;
    int64_t self_ns, total_ns, host_ns;
    uint32_t open; /* number of its nodes on the path to the current one */
    uint8_t kind;
};

static int by_total(const void *x, const void *y, const void *context)
{
    (void)context;
    const struct frame *a = x, *b = y;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    if (a->self_ns != b->self_ns)
        return a->self_ns > b->self_ns ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return tp_str_compare(a->text, b->text);
}

/* Sums nodes by frame. A frame within itself counts once: only nodes without an ancestor of the same frame add their
 * total. */
static struct tp_vec sum_frames(const struct tp_idle_device *out, struct tp_host *host, struct tp_arena *arena)
{
    struct tp_vec frames = TP_VEC(arena, struct frame);
    struct tp_id_map ids;
    uint32_t *path = tp_arena_array(arena, TP_HOST_STACK_LIMIT + 2, sizeof *path), depth = 0; /* frames that are open */
    tp_id_map_init(&ids, arena);
    for (uint32_t i = 1; i < out->node_count; i++) {
        const struct tp_flame_node *node = &out->nodes[i];
        uint32_t text = tp_strings_find(&host->frames.frames, node->text);
        uint32_t *id = tp_id_map_put(&ids, tp_id_pair(node->kind, text));
        while (depth >= node->depth)
            TP_AT(&frames, struct frame, path[--depth])->open--;
        if (*id == TP_NO_ID) {
            *id = (uint32_t)frames.count;
            *(struct frame *)tp_vec_push(&frames) = (struct frame){.text = node->text, .kind = node->kind};
        }
        struct frame *frame = TP_AT(&frames, struct frame, *id);
        frame->self_ns = tp_ns_plus(frame->self_ns, node->self_ns);
        if (frame->open++ == 0) {
            frame->total_ns = tp_ns_plus(frame->total_ns, node->total_ns);
            frame->host_ns = tp_ns_plus(frame->host_ns, node->total_host_ns);
        }
        path[depth++] = *id;
    }
    tp_merge_sort(arena, frames.data, frames.count, sizeof(struct frame), by_total, NULL);
    tp_id_map_drop(&ids);
    return frames;
}

static void build_frames(struct tp_idle_device *out, struct tp_host *host, struct tp_arena *arena)
{
    struct tp_vec frames = sum_frames(out, host, arena);
    tp_table_init(&out->frames, arena, "idle_frames", frame_columns, 5, frames.count);
    out->frames.title = "Idle device by host frame";
    for (size_t i = 0; i < frames.count; i++) {
        const struct frame *frame = TP_AT(&frames, struct frame, i);
        tp_table_text(&out->frames, TP_IDLE_FRAME_KIND)[i] = tp_str_of(tp_frame_kind_text(frame->kind));
        tp_table_text(&out->frames, TP_IDLE_FRAME_NAME)[i] = frame->text;
        tp_table_int(&out->frames, TP_IDLE_FRAME_SELF)[i] = frame->self_ns;
        tp_table_int(&out->frames, TP_IDLE_FRAME_TOTAL)[i] = frame->total_ns;
        tp_table_int(&out->frames, TP_IDLE_FRAME_HOST)[i] = frame->host_ns;
    }
}

void tp_idle_flame_fill(struct tp_idle_device *out, struct tp_host *host, const struct tp_idle_flame *flame,
                        struct tp_arena *arena)
{
    uint32_t count = (uint32_t)flame->tree.nodes.count;
    struct fill fill = {.host = host, .nodes = flame->tree.nodes.data};
    if (!count) {
        tp_table_init(&out->frames, arena, "idle_frames", frame_columns, 5, 0);
        return;
    }
    sum_up(&fill, flame, arena);
    fill.index = tp_arena_array(arena, count, sizeof *fill.index);
    fill.order = tp_arena_array(arena, count, sizeof *fill.order);
    for (uint32_t i = 0; i < count; i++)
        fill.order[i] = i;
    tp_merge_sort(arena, fill.order, count, sizeof *fill.order, by_parent, &fill);
    fill_nodes(out, &fill, flame, arena);
    list_stacks(out, arena);
    build_frames(out, host, arena);
}
