/* Implements idle_flame.h: walks the idle intervals of a device, then sorts the tree of stacks. */
#include "webreport/measure/idle/idle_flame.h"

#include "webreport/model/numbers.h"
#include "writer/base/sort.h"

static const struct tp_column_def frame_columns[] = {
    {"kind", "Kind", "", "Kind of the host event, such as {operator} or Python function.", TP_COLUMN_TEXT},
    {"name", "Frame", "", "Name of the host event; 0x* replaces addresses.", TP_COLUMN_TEXT},
    {"self_ns", "Self", "ns", "Idle time of the device while this event was the innermost host event.", TP_COLUMN_INT},
    {"total_ns", "Total", "ns", "Idle time of the device while this event was on the host's call stack.",
     TP_COLUMN_INT},
    {"starved_ns", "Waits for host", "ns", "Part of the total idle time in which the device waited for the host.",
     TP_COLUMN_INT},
};

static const struct tp_column_def line_columns[] = {
    {"kind", "Kind", "", "Kind of the row, such as source line, {annotation} or {operator}.", TP_COLUMN_TEXT},
    {"line", "Host at", "",
     "Innermost source line of the project on the thread that launches the next operation; without such a line, the "
     "{annotation}, {operator} or call.",
     TP_COLUMN_TEXT},
    {"ns", "Idle", "ns", "Idle time of the device while the host ran the line of this row.", TP_COLUMN_INT},
    {"starved_ns", "Waits for host", "ns", "Part of the idle time in which the device waited for the host.",
     TP_COLUMN_INT},
    {"percent", "Share", "%", "Idle time of this row as a share of the idle time of the device.", TP_COLUMN_REAL},
};

/* idle time with exactly one stack, without deeper stacks, ns */
struct idle_time {
    int64_t ns, starved_ns;
    int64_t host_ns; /* part of `ns` before the host calls the next operation */
};

struct line {
    struct tp_fold fold;
    struct idle_time time;
};

/* The state of the walk over one device. */
struct flame {
    const struct tp_model *model;
    const struct tp_gpu *gpu;
    struct tp_stack_tree tree;
    struct tp_vec times; /* for each node of the tree: idle time; elements: struct idle_time */
    struct tp_vec lines; /* rows of the table by_line; elements: struct line */
    struct tp_id_map line_ids;
    uint32_t none; /* index of the node for idle time without any host event */
    int64_t total_ns;
};

static void add_idle_time(struct idle_time *time, const struct idle_time *more)
{
    time->ns = tp_sat_add(time->ns, more->ns);
    time->starved_ns = tp_sat_add(time->starved_ns, more->starved_ns);
    time->host_ns = tp_sat_add(time->host_ns, more->host_ns);
}

static struct idle_time *time_of_node(struct flame *flame, uint32_t node)
{
    while (flame->times.count <= node)
        tp_vec_push(&flame->times);
    return TP_AT(&flame->times, struct idle_time, node);
}

static void add_idle_time_of_segment(void *context, const struct tp_stack_segment *segment)
{
    struct flame *flame = context;
    const struct tp_idle_slice *piece = &flame->gpu->idle[segment->tag];
    int64_t ns = tp_sat_sub(segment->b, segment->a);
    struct idle_time time = {ns, tp_idle_waits_for_host(piece) ? ns : 0, piece->part == TP_IDLE_HOST ? ns : 0};
    add_idle_time(time_of_node(flame, segment->node ? segment->node : flame->none), &time);
    flame->total_ns = tp_sat_add(flame->total_ns, ns);
    uint32_t *row = tp_id_map_find_or_add(&flame->line_ids, tp_id_pair(segment->fold.kind, segment->fold.text));
    if (*row == TP_NO_ID) {
        *row = (uint32_t)flame->lines.count;
        *(struct line *)tp_vec_push(&flame->lines) = (struct line){.fold = segment->fold};
    }
    add_idle_time(&TP_AT(&flame->lines, struct line, *row)->time, &time);
}

static int compare_by_line(const void *x, const void *y, const void *context)
{
    const struct line *a = x, *b = y;
    if (a->time.ns != b->time.ns)
        return a->time.ns > b->time.ns ? -1 : 1;
    return tp_fold_compare(context, a->fold, b->fold);
}

static void walk(struct flame *flame, struct tp_arena *arena)
{
    flame->times = TP_VEC(arena, struct idle_time);
    flame->lines = TP_VEC(arena, struct line);
    tp_stack_tree_init(&flame->tree, arena);
    tp_id_map_init(&flame->line_ids, arena);
    flame->none = tp_stack_tree_child(&flame->tree, 0, TP_STACK_NONE, flame->model->trace->frames.no_event);
    struct tp_stack_walk walk = {.model = flame->model,
                                 .arena = arena,
                                 .tree = &flame->tree,
                                 .visit = add_idle_time_of_segment,
                                 .context = flame};
    tp_stack_walk_idle(&walk, flame->gpu, 0, flame->gpu->idle_count);
    time_of_node(flame, (uint32_t)flame->tree.nodes.count - 1);
    tp_merge_sort(arena, flame->lines.data, flame->lines.count, sizeof(struct line), compare_by_line, flame->model);
    tp_id_map_release(&flame->line_ids);
}

static void build_table_by_line(struct tp_idle_device *out, const struct flame *flame, struct tp_arena *arena)
{
    const struct line *lines = flame->lines.data;
    tp_table_init(&out->by_line, arena, "idle_by_line", line_columns, 5, flame->lines.count);
    out->by_line.title = "Idle time of a device by host line";
    for (size_t i = 0; i < flame->lines.count; i++) {
        tp_table_text(&out->by_line, TP_IDLE_LINE_KIND)[i] = tp_str_of(tp_stack_kind_text(lines[i].fold.kind));
        tp_table_text(&out->by_line, TP_IDLE_LINE_LINE)[i] = tp_fold_text(flame->model, lines[i].fold);
        tp_table_int(&out->by_line, TP_IDLE_LINE_NS)[i] = lines[i].time.ns;
        tp_table_int(&out->by_line, TP_IDLE_LINE_STARVED)[i] = lines[i].time.starved_ns;
        tp_table_real(&out->by_line, TP_IDLE_LINE_PERCENT)[i] = tp_percent(lines[i].time.ns, flame->total_ns);
    }
}

/* ---- the tree in its final order ---- */

/* working data for the final order of the tree; nodes without idle time in the node or below are omitted */
struct fill {
    const struct tp_model *model;
    const struct tp_stack_node *nodes;
    struct idle_time *totals; /* idle time of each tree node, including nodes below */
    /* order: tree nodes sorted by (parent, kind, text); index: for each tree node, its index in the final order */
    uint32_t *order, *index;
};

static int compare_by_frame(const struct fill *fill, uint32_t x, uint32_t y)
{
    const struct tp_stack_node *a = &fill->nodes[x], *b = &fill->nodes[y];
    const struct tp_frames *frames = &fill->model->trace->frames;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->label == b->label)
        return 0;
    return tp_str_compare(tp_frames_label_text(frames, a->label), tp_frames_label_text(frames, b->label));
}

static int compare_by_parent(const void *x, const void *y, const void *context)
{
    const struct fill *fill = context;
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    uint32_t p = fill->nodes[a].parent, q = fill->nodes[b].parent;
    if (p != q)
        return p + 1 < q + 1 ? -1 : 1; /* the root is first: its parent TP_NO_ID + 1 is 0 */
    return compare_by_frame(fill, a, b);
}

/* Adds the time of every node to its ancestors. A child has a greater index than its parent. */
static void add_times_to_ancestors(struct fill *fill, const struct flame *flame, struct tp_arena *arena)
{
    size_t count = flame->tree.nodes.count;
    fill->totals = tp_arena_array(arena, count, sizeof *fill->totals);
    memcpy(fill->totals, flame->times.data, count * sizeof *fill->totals);
    for (size_t i = count; i-- > 1;)
        add_idle_time(&fill->totals[fill->nodes[i].parent], &fill->totals[i]);
}

static void fill_flame_node(struct tp_idle_device *out, const struct fill *fill, const struct flame *flame,
                            uint32_t node)
{
    const struct tp_stack_node *from = &fill->nodes[node];
    const struct idle_time *time = TP_AT(&flame->times, struct idle_time, node);
    fill->index[node] = out->node_count;
    out->nodes[out->node_count++] = (struct tp_flame_node){
        .text = node ? tp_frames_label_text(&fill->model->trace->frames, from->label) : TP_STR(""),
        .label = from->label,
        .self_ns = time->ns,
        .self_starved_ns = time->starved_ns,
        .self_host_ns = time->host_ns,
        .total_ns = fill->totals[node].ns,
        .total_starved_ns = fill->totals[node].starved_ns,
        .parent = node ? fill->index[from->parent] : TP_NO_ID,
        .depth = from->depth,
        .kind = (uint8_t)from->kind,
    };
}

/* Writes the nodes depth-first with an explicit stack. `order` has the children of a node next to each other. */
static void fill_nodes(struct tp_idle_device *out, struct fill *fill, const struct flame *flame, struct tp_arena *arena)
{
    uint32_t count = (uint32_t)flame->tree.nodes.count, depth = 0;
    /* for each node: index of its first child in `order` */
    uint32_t *first = tp_arena_array(arena, (size_t)count + 1, sizeof *first);
    uint32_t *todo = tp_arena_array(arena, count, sizeof *todo);
    for (uint32_t i = 1; i < count; i++)
        first[fill->nodes[i].parent + 1]++;
    for (uint32_t i = 1; i <= count; i++)
        first[i] += first[i - 1];
    out->nodes = tp_arena_array(arena, count, sizeof *out->nodes);
    todo[depth++] = 0;
    while (depth) {
        uint32_t node = todo[--depth];
        fill_flame_node(out, fill, flame, node);
        for (uint32_t i = first[node + 1]; i-- > first[node];)
            if (fill->totals[fill->order[i + 1]].ns)
                todo[depth++] = fill->order[i + 1];
    }
}

/* ---- totals by frame ---- */

struct frame {
    struct tp_str text;
    int64_t self_ns, total_ns, starved_ns;
    uint32_t open; /* number of nodes with this frame on the path to the current node */
    uint8_t kind;
};

static int compare_by_total(const void *x, const void *y, const void *context)
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

/* Sums idle time by frame. A node adds its total only if no ancestor has the same frame, so that recursive frames do
 * not add the same time twice. */
static struct tp_vec sum_idle_time_by_frame(const struct tp_idle_device *out, struct tp_arena *arena)
{
    struct tp_vec frames = TP_VEC(arena, struct frame);
    struct tp_id_map ids;
    /* frames on the path to the current node */
    uint32_t *path = tp_arena_array(arena, TP_STACK_LIMIT + 2, sizeof *path), depth = 0;
    tp_id_map_init(&ids, arena);
    for (uint32_t i = 1; i < out->node_count; i++) {
        const struct tp_flame_node *node = &out->nodes[i];
        uint32_t *id = tp_id_map_find_or_add(&ids, tp_id_pair(node->kind, node->label));
        while (depth >= node->depth)
            TP_AT(&frames, struct frame, path[--depth])->open--;
        if (*id == TP_NO_ID) {
            *id = (uint32_t)frames.count;
            *(struct frame *)tp_vec_push(&frames) = (struct frame){.text = node->text, .kind = node->kind};
        }
        struct frame *frame = TP_AT(&frames, struct frame, *id);
        frame->self_ns = tp_sat_add(frame->self_ns, node->self_ns);
        if (frame->open++ == 0) {
            frame->total_ns = tp_sat_add(frame->total_ns, node->total_ns);
            frame->starved_ns = tp_sat_add(frame->starved_ns, node->total_starved_ns);
        }
        path[depth++] = *id;
    }
    tp_merge_sort(arena, frames.data, frames.count, sizeof(struct frame), compare_by_total, NULL);
    tp_id_map_release(&ids);
    return frames;
}

static void build_table_by_frame(struct tp_idle_device *out, struct tp_arena *arena)
{
    struct tp_vec frames = sum_idle_time_by_frame(out, arena);
    tp_table_init(&out->frames, arena, "idle_frames", frame_columns, 5, frames.count);
    out->frames.title = "Idle time of a device by host frame";
    for (size_t i = 0; i < frames.count; i++) {
        const struct frame *frame = TP_AT(&frames, struct frame, i);
        tp_table_text(&out->frames, TP_IDLE_FRAME_KIND)[i] = tp_str_of(tp_stack_kind_text(frame->kind));
        tp_table_text(&out->frames, TP_IDLE_FRAME_NAME)[i] = frame->text;
        tp_table_int(&out->frames, TP_IDLE_FRAME_SELF)[i] = frame->self_ns;
        tp_table_int(&out->frames, TP_IDLE_FRAME_TOTAL)[i] = frame->total_ns;
        tp_table_int(&out->frames, TP_IDLE_FRAME_STARVED)[i] = frame->starved_ns;
    }
}

static void build_flame_tree(struct tp_idle_device *out, const struct flame *flame, struct tp_arena *arena)
{
    uint32_t count = (uint32_t)flame->tree.nodes.count;
    struct fill fill = {.model = flame->model, .nodes = flame->tree.nodes.data};
    add_times_to_ancestors(&fill, flame, arena);
    fill.index = tp_arena_array(arena, count, sizeof *fill.index);
    fill.order = tp_arena_array(arena, count, sizeof *fill.order);
    for (uint32_t i = 0; i < count; i++)
        fill.order[i] = i;
    tp_merge_sort(arena, fill.order, count, sizeof *fill.order, compare_by_parent, &fill);
    fill_nodes(out, &fill, flame, arena);
}

void tp_idle_flame_build(struct tp_idle_device *out, const struct tp_model *model, const struct tp_gpu *gpu,
                         struct tp_arena *arena)
{
    struct flame flame = {.model = model, .gpu = gpu};
    walk(&flame, arena);
    out->flame_total_ns = flame.total_ns;
    build_table_by_line(out, &flame, arena);
    build_flame_tree(out, &flame, arena);
    build_table_by_frame(out, arena);
}

void tp_idle_flame_init_empty(struct tp_idle_device *out, struct tp_arena *arena)
{
    tp_table_init(&out->by_line, arena, "idle_by_line", line_columns, 5, 0);
    tp_table_init(&out->frames, arena, "idle_frames", frame_columns, 5, 0);
}
