/* Draws the idle flame as an icicle: host activity while the device was idle, with callers above callees. */
#include "webreport/document/charts/chart.h"
#include "webreport/document/section.h"
#include "writer/text/format.h"

enum { ROW_PIXELS = 20, MAX_ROWS = 40 };

static const struct {
    const char *kind, *fill, *label;
} BOX_KINDS[] = {
    {"root", "#E7EAEE", "all idle time"}, {"py", "#F4DFB3", "Python frame"},      {"phase", "#D8DEE6", "{annotation}"},
    {"op", "#BFD6F2", "{operator}"},      {"runtime", "#F5CFA6", "runtime call"},
};

static unsigned box_style(const struct tp_flame_node *node, bool is_root)
{
    if (is_root)
        return 0;
    switch (node->kind) {
    case TP_STACK_FRAME:
    case TP_STACK_MODULE:
        return 1;
    case TP_STACK_ANNOTATION:
        return 2;
    case TP_STACK_OPERATOR:
        return 3;
    case TP_STACK_RUNTIME:
        return 4;
    default:
        return 0;
    }
}

/* Selects the nodes that get a box: nodes that are large enough, except Python frames whose only callee takes all
 * their time. */
struct choice {
    const struct tp_idle_device *device;
    const struct tp_naming *naming;
    int64_t *max_child_ns; /* for each node: time of its largest child, ns */
    int64_t threshold;
};

static bool is_box_large_enough(const struct choice *choice, uint32_t i)
{
    const struct tp_flame_node *node = &choice->device->nodes[i];

    if (node->total_ns < choice->threshold)
        return false;
    return i == 0 || (node->kind != TP_STACK_FRAME && node->kind != TP_STACK_MODULE) ||
           (__int128)choice->max_child_ns[i] * 100 < (__int128)node->total_ns * 98;
}

static size_t count_chosen_boxes(const struct choice *choice)
{
    size_t count = 0;

    for (uint32_t i = 0; i < choice->device->node_count; i++)
        count += is_box_large_enough(choice, i);
    return count;
}

/* Raises the threshold until at most max_boxes nodes are selected. */
static void raise_threshold_to_fit(struct choice *choice, struct tp_arena *arena, size_t max_boxes)
{
    const struct tp_idle_device *device = choice->device;

    choice->max_child_ns = tp_arena_array(arena, device->node_count, sizeof(int64_t));
    for (uint32_t i = 1; i < device->node_count; i++) {
        int64_t *max = &choice->max_child_ns[device->nodes[i].parent];

        if (device->nodes[i].total_ns > *max)
            *max = device->nodes[i].total_ns;
    }
    choice->threshold = device->nodes[0].total_ns / 400 + 1;
    while (count_chosen_boxes(choice) > max_boxes)
        choice->threshold += choice->threshold / 4 + 1;
}

static void put_box(struct tp_list *boxes, const struct choice *choice, uint32_t i, double x, unsigned row)
{
    const struct tp_idle_device *device = choice->device;
    const struct tp_naming *naming = choice->naming;
    struct tp_arena *arena = naming->arena;
    const struct tp_flame_node *node = &device->nodes[i];
    double share = tp_percent(node->total_ns, device->nodes[0].total_ns);
    struct tp_object *box = tp_list_add_object(boxes);
    struct tp_str name = i ? tp_shown_text(naming, node->text) : TP_STR("all idle time");
    unsigned box_kind = box_style(node, i == 0);

    tp_object_add_text(box, "kind", BOX_KINDS[box_kind].kind);
    tp_object_add_text(box, "fill", BOX_KINDS[box_kind].fill);
    tp_chart_put_percent(box, "x", x);
    tp_chart_put_percent(box, "w", share);
    tp_object_add_int(box, "y", (int64_t)row * ROW_PIXELS);
    tp_object_add_str(box, "label", tp_chart_label_of_box(arena, name, share));
    tp_object_add_text(
        box, "tip",
        tp_text_printf(arena, "%.*s\nidle for %s (%s of the idle time), of which the device waits %s for the host",
                       (int)name.len, name.ptr, tp_text_of_time(arena, node->total_ns),
                       tp_text_of_percent(arena, share), tp_text_of_time(arena, node->total_starved_ns)));
}

/* Computes the boxes of the selected nodes, which are in depth-first order. Returns the number of rows. */
static unsigned put_boxes(struct tp_list *boxes, struct tp_arena *arena, const struct choice *choice)
{
    const struct tp_idle_device *device = choice->device;
    double *next_x = tp_arena_array(arena, device->node_count, sizeof(double)); /* for each node: x of its next child */
    /* for each node: row of its children */
    uint32_t *row_of = tp_arena_array(arena, device->node_count, sizeof(uint32_t));
    unsigned rows = 0;

    for (uint32_t i = 0; i < device->node_count; i++) {
        const struct tp_flame_node *node = &device->nodes[i];
        double x = i ? next_x[node->parent] : 0;
        uint32_t row = i ? row_of[node->parent] : 0;

        if (i)
            next_x[node->parent] += tp_percent(node->total_ns, device->nodes[0].total_ns);
        next_x[i] = x;
        row_of[i] = row;
        if (!is_box_large_enough(choice, i))
            continue;
        row_of[i] = row + 1;
        if (row >= MAX_ROWS)
            continue;
        put_box(boxes, choice, i, x, row);
        if (row + 1 > rows)
            rows = row + 1;
    }
    return rows;
}

struct tp_data tp_chart_flame(const struct tp_section *section, const struct tp_idle_device *device, size_t max_boxes)
{
    struct tp_arena *arena = section->arena;
    enum tp_producer producer = section->profile->model->producer;
    struct tp_object *flame = tp_object_new(arena);
    struct choice choice = {.device = device, .naming = &section->naming};
    struct tp_list *kinds;

    if (!device->node_count || device->nodes[0].total_ns <= 0 || !max_boxes)
        return (struct tp_data){TP_DATA_NONE, NULL, NULL, 0, 0};
    raise_threshold_to_fit(&choice, arena, max_boxes);
    kinds = tp_object_add_list(flame, "kinds");
    for (size_t i = tp_uses_torch_words(producer) ? 1 : 2; i < sizeof(BOX_KINDS) / sizeof(BOX_KINDS[0]); i++) {
        struct tp_object *kind =
            tp_list_add_object(kinds); /* adds each kind; the kind for frames only exists in PyTorch traces */

        tp_object_add_text(kind, "kind", BOX_KINDS[i].kind);
        tp_object_add_text(kind, "fill", BOX_KINDS[i].fill);
        tp_object_add_text(kind, "label", tp_section_words_for_producer(section, BOX_KINDS[i].label));
    }
    tp_object_add_int(flame, "height",
                      (int64_t)ROW_PIXELS * put_boxes(tp_object_add_list(flame, "boxes"), arena, &choice));
    tp_object_add_text(flame, "icicle_label", "Host activity during idle time");
    tp_object_add_text(flame, "icicle_note", tp_phrase(TP_PHRASE_FRAMES_LEFT_OUT, producer));
    return tp_data_of_object(flame);
}
