/* Computes the boxes of the icicle as percentages of its width, with one row for each depth. Writes the whole tree
 * as JSON for the script. */
#include "webreport/document/charts/calltree_data.h"
#include "webreport/document/charts/chart.h"
#include "webreport/document/name_text.h"
#include "webreport/document/section.h"

#include "writer/text/format.h"

enum { ROW_HEIGHT = 20, MAX_ROWS = 40 };
static const double MIN_WIDTH = 1; /* least width of a box, percent */

static const struct style {
    const char *kind, *fill, *label;
} looks[] = {
    [TP_CALL_ROOT] = {"root", "#E7EAEE", "all calls"},  [TP_CALL_PHASE] = {"phase", "#D8DEE6", "phase"},
    [TP_CALL_FRAME] = {"py", "#F4DFB3", NULL},          [TP_CALL_OPERATOR] = {"op", "#BFD6F2", "operator"},
    [TP_CALL_KERNEL] = {"kernel", "#BDE5D3", "kernel"}, [TP_CALL_OTHER] = {"root", "#E7EAEE", "smaller ones together"},
};

/* colors of functions of a program recorded from outside: those of the bar by cause */
static const struct style program_looks[] = {
    [TP_CALL_ROOT] = {"root", "#E7EAEE", NULL},   [TP_CALL_PHASE] = {"phase", "#D8DEE6", NULL},
    [TP_CALL_FRAME] = {"gpu3", "#A9C6EF", NULL},  [TP_CALL_OPERATOR] = {"gpu3", "#A9C6EF", NULL},
    [TP_CALL_KERNEL] = {"gpu3", "#A9C6EF", NULL}, [TP_CALL_OTHER] = {"root", "#E7EAEE", NULL},
    [TP_CALL_LARGEST] = {"gpu", "#2160B8", NULL}, [TP_CALL_SECOND] = {"gpu2", "#5F93DD", NULL},
};

static const char *const sample_labels[] = {
    [TP_CALL_ROOT] = "all samples",  [TP_CALL_PHASE] = "thread",    [TP_CALL_FRAME] = "function",
    [TP_CALL_OPERATOR] = "function", [TP_CALL_KERNEL] = "function", [TP_CALL_OTHER] = "smaller ones together",
};

static int64_t call_size_ns(const struct tp_calltree *tree, const struct tp_call *call)
{
    return tree->has_device ? call->device_ns : call->host_ns;
}

static const char *devices_text(const struct tp_calltree *tree)
{
    return tree->devices ? tree->devices : "GPU";
}

/* Returns the name of the measured quantity for use in the middle of a sentence, such as "GPU time". */
static const char *name_of_measure(struct tp_arena *arena, const struct tp_calltree *tree)
{
    bool is_own = tp_str_equal(tp_str_of(devices_text(tree)), TP_STR("Device"));
    return tree->is_untimed    ? "CPU samples"
           : !tree->has_device ? "CPU time"
           : is_own            ? "device time"
                               : tp_text_printf(arena, "%s time", devices_text(tree));
}

/* Returns the tooltip of a box. The tooltip is short, because the page has one for each box; the script shows more. */
static const char *tooltip_text(struct tp_arena *arena, const struct tp_calltree *tree, const struct tp_call *call)
{
    if (tree->is_untimed)
        return tp_text_printf(
            arena, "%.*s\n%s (%s)", (int)call->name.len, call->name.ptr,
            tp_text_of_counted_noun(arena, (int64_t)call->call_count, "sample", "samples"),
            tp_text_of_percent(arena, tp_percent(call_size_ns(tree, call), call_size_ns(tree, &tree->calls[0]))));
    return tp_text_printf(
        arena, "%.*s\n%s %s (%s)%s%s", (int)call->name.len, call->name.ptr,
        tree->has_device ? devices_text(tree) : "CPU", tp_text_of_time(arena, call_size_ns(tree, call)),
        tp_text_of_percent(arena, tp_percent(call_size_ns(tree, call), call_size_ns(tree, &tree->calls[0]))),
        call->call_count ? " · " : "",
        call->call_count
            ? tp_text_of_counted_noun(arena, (int64_t)call->call_count, tree->has_samples ? "sample" : "call",
                                      tree->has_samples ? "samples" : "calls")
            : "");
}

static void put_boxes_of_calls(struct tp_object *object, struct tp_arena *arena, const struct tp_calltree *tree)
{
    struct tp_list *boxes = tp_object_add_list(object, "boxes");
    /* for each node: start of its next child, percent */
    double *next = tp_arena_array(arena, tree->count, sizeof *next);
    double whole = (double)call_size_ns(tree, &tree->calls[0]);
    unsigned rows = 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct tp_call *call = &tree->calls[i];
        double width = whole > 0 ? 100.0 * (double)call_size_ns(tree, call) / whole : 0, x = 0;
        if (call->parent != TP_NO_ID) {
            x = next[call->parent];
            next[call->parent] += width;
        }
        next[i] = x;
        if (width < MIN_WIDTH || call->depth >= MAX_ROWS)
            continue;
        rows = call->depth >= rows ? call->depth + 1u : rows;
        struct tp_object *box = tp_list_add_object(boxes);
        tp_object_add_formatted(box, "x", "%.2f%%", x);
        tp_object_add_formatted(box, "w", "%.2f%%", width);
        tp_object_add_int(box, "y", call->depth * ROW_HEIGHT);
        const struct style *style = tree->is_program ? &program_looks[call->kind] : &looks[call->kind];
        tp_object_add_text(box, "kind", style->kind);
        tp_object_add_text(box, "fill", style->fill);
        tp_object_add_text(box, "tip", tooltip_text(arena, tree, call));
        struct tp_str name = call->kind == TP_CALL_ROOT
                                 ? tp_str_of(tp_text_printf(arena, "All %s", name_of_measure(arena, tree)))
                                 : call->name;
        tp_object_add_str(box, "label", tp_chart_label_of_box(arena, name, width));
    }
    tp_object_add_int(object, "height", rows * ROW_HEIGHT);
}

static const char *kind_label(const struct tp_calltree *tree, unsigned kind)
{
    if (tree->has_samples)
        return sample_labels[kind];
    if (kind == TP_CALL_FRAME)
        return tp_phrase(TP_PHRASE_CALLER, tree->producer);
    return kind == TP_CALL_OPERATOR && !tp_uses_torch_words(tree->producer) ? "call" : looks[kind].label;
}

static void put_legend_of_kinds(struct tp_object *object, const struct tp_calltree *tree)
{
    static const uint8_t shown[] = {TP_CALL_PHASE, TP_CALL_FRAME, TP_CALL_OPERATOR, TP_CALL_KERNEL};
    bool is_used[TP_CALL_SECOND + 1] = {false};
    struct tp_list *kinds = tp_object_add_list(object, "kinds");
    for (uint32_t i = 0; i < tree->count; i++)
        is_used[tree->calls[i].kind] = true;
    for (size_t i = 0; i < sizeof shown; i++) {
        if (!is_used[shown[i]])
            continue;
        struct tp_object *kind = tp_list_add_object(kinds);
        tp_object_add_text(kind, "kind", looks[shown[i]].kind);
        tp_object_add_text(kind, "fill", looks[shown[i]].fill);
        tp_object_add_text(kind, "label", kind_label(tree, shown[i]));
    }
}

/* Follows the largest call at each depth from the root, down to the first call with less than 95 % of the total time.
 * Returns this call, or its parent if the call has less than 20 %. Returns NULL instead of the root. */
static const struct tp_call *largest_call(const struct tp_calltree *tree)
{
    const struct tp_call *found = NULL;
    double whole = (double)call_size_ns(tree, &tree->calls[0]);
    for (uint32_t i = 1; i < tree->count && tree->calls[i].parent == i - 1; i++) {
        double size = (double)call_size_ns(tree, &tree->calls[i]);
        if (size >= 0.2 * whole)
            found = &tree->calls[i];
        if (size < 0.95 * whole)
            break;
    }
    return found;
}

/* Returns sentences about the boxes, and about functions that have no box. */
static const char *lead_of_program(struct tp_arena *arena, const struct tp_calltree *tree)
{
    uint32_t levels = 0;
    for (uint32_t i = 0; i < tree->count; i++)
        levels = tree->calls[i].depth > levels ? tree->calls[i].depth : levels;
    const char *text = "Callers are above the functions that they call, and the width of a box is its CPU time.";
    if (tree->longest_stack <= levels)
        return text;
    return tp_text_printf(arena,
                          "%s Recursion, and functions that only call the next one, are folded: %u levels "
                          "become %u.",
                          text, tree->longest_stack, levels);
}

static void put_texts_of_call_tree(struct tp_object *object, struct tp_arena *arena, const struct tp_calltree *tree)
{
    const char *what = name_of_measure(arena, tree);
    const struct tp_call *call = largest_call(tree);
    if (tree->is_program)
        tp_object_add_sentence(object, "lead", tp_str_of(lead_of_program(arena, tree)));
    else if (call)
        tp_object_add_sentence(
            object, "lead",
            tp_str_of(tp_text_printf(
                arena,
                "%.*s takes %s of the %s. The width of a box is its %s. Callers are above the functions that they "
                "call.",
                (int)call->name.len, call->name.ptr,
                tp_text_of_percent(arena, tp_percent(call_size_ns(tree, call), call_size_ns(tree, &tree->calls[0]))),
                what, what)));
    else
        tp_object_add_formatted(object, "lead",
                                "The width of a box is its %s. Callers are above the functions that they call.", what);
    tp_object_add_formatted(object, "icicle_label", "Call tree by %s", what);
    if (tree->is_cut)
        tp_object_add_text(
            object, "icicle_note",
            "The trace has too many different call paths, so the time of the deepest calls is counted for "
            "their callers.");
}

/* Writes the array [depth, kind, name, device ns, host ns, bytes, calls] for each call, in depth-first order. */
static void print_json(const struct tp_data *value, struct tp_buf *out)
{
    const struct tp_calltree *tree = value->self;
    struct tp_json json;
    tp_json_init(&json, out);
    json.is_html_safe = true;
    tp_json_object(&json);
    tp_json_member_bool(&json, "device", tree->has_device);
    if (tree->devices && *tree->devices != 'G')
        tp_json_member_text(&json, "devices", tree->devices);
    if (tree->has_samples)
        tp_json_member_bool(&json, "samples", true);
    if (tree->is_untimed)
        tp_json_member_bool(&json, "untimed", true);
    if (tree->is_program)
        tp_json_member_bool(&json, "program", true);
    tp_json_key(&json, "calls");
    tp_json_array(&json);
    for (uint32_t i = 0; i < tree->count; i++) {
        const struct tp_call *call = &tree->calls[i];
        tp_json_array(&json);
        tp_json_int(&json, call->depth);
        tp_json_int(&json, call->kind);
        tp_json_str(&json, call->name);
        tp_json_int(&json, call->device_ns);
        tp_json_int(&json, call->host_ns);
        tp_json_int(&json, call->bytes);
        tp_json_int(&json, (int64_t)call->call_count);
        tp_json_array_end(&json);
    }
    tp_json_array_end(&json);
    tp_json_object_end(&json);
}

struct tp_data tp_calltree_data(struct tp_arena *arena, const struct tp_calltree *tree)
{
    static const struct tp_data_source source = {.print = print_json};
    if (!tree->count)
        return (struct tp_data){.kind = TP_DATA_NONE};
    struct tp_object *object = tp_object_new(arena);
    put_texts_of_call_tree(object, arena, tree);
    tp_object_add_bool(object, "is_program", tree->is_program);
    put_legend_of_kinds(object, tree);
    put_boxes_of_calls(object, arena, tree);
    tp_object_add_value(object, "calltree_json",
                        (struct tp_data){.kind = TP_DATA_PRINTED, .source = &source, .self = tree});
    return tp_data_of_object(object);
}

struct tp_data tp_section_calltree(const struct tp_section *section)
{
    struct tp_calltree_options options = {.max_nodes = (uint32_t)section->limits->tree_nodes,
                                          .show = tp_shown_text_for_viewer,
                                          .show_kernel = tp_shown_kernel_for_viewer,
                                          .context = &section->naming};
    struct tp_calltree *tree;

    if (!options.max_nodes)
        return TP_NO_DATA;
    tree = tp_arena_alloc(section->arena, sizeof(*tree));
    tp_calltree_build(tree, section->profile->model, &options, section->arena);
    tree->devices = tp_devices_word(section->profile->model);
    tree->producer = section->profile->model->producer;
    return tp_calltree_data(section->arena, tree);
}
