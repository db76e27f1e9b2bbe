/* Writes samples and waits per time interval (bin) as JSON. See program_span.h.
 *
 * {"wall": ns, "bins": n, "nodes": [[parent, label, kind]..], "labels": [name..], "groups": [[cause, stack, thread]..],
 * "samples": [[node, bin, ns, count]..], "waits": [[group, bin, ns, count]..]}. Node 0 is the root; its children are
 * programs. A wait is counted in the bin in which it starts; its time is divided among all bins that it overlaps. */
#include "webreport/document/report/program_span.h"

#include "webreport/document/words/program_words.h"
#include "webreport/measure/charts/calltree_merge.h"
#include "writer/base/saturate.h"

enum { BINS = 400, MOST_NODES = 20000, MOST_CELLS = 60000, CELL_BYTES = 24, NODE_BYTES = 20 };

struct cell {
    int64_t ns;
    uint64_t count;
};

/* Time and count for each pair of an item (node or group) and a bin. */
struct cells {
    struct tp_keys keys;
    struct tp_vec items; /* elements: struct cell */
};

struct span {
    const struct tp_section *section;
    const struct tp_program_view *view;
    struct tp_merge merge;
    struct cells samples, waits;
};

static struct cell *find_or_add_cell(struct cells *cells, uint32_t item, uint32_t bin)
{
    uint32_t number = tp_keys_pair(&cells->keys, item, bin);
    if (number == cells->items.count)
        tp_vec_push(&cells->items);
    return TP_AT(&cells->items, struct cell, number);
}

/* Returns the index of the bin that contains the time `at_ns`. */
static uint32_t bin_of_time(const struct tp_process_tree *tree, int64_t at_ns)
{
    __int128 length = (__int128)tree->end_ns - tree->begin_ns;
    __int128 bin = length > 0 ? ((__int128)at_ns - tree->begin_ns) * BINS / length : 0;
    return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : (uint32_t)bin;
}

static int64_t bin_begin_ns(const struct tp_process_tree *tree, uint32_t bin)
{
    /* rounds up to the first nanosecond that bin_of_time assigns to this bin */
    __int128 length = (__int128)tree->end_ns - tree->begin_ns;
    return tree->begin_ns + (int64_t)((length * bin + BINS - 1) / BINS);
}

static void collect_samples_by_bin(struct span *span, struct tp_arena *arena)
{
    const struct tp_trace *trace = span->view->tree.trace;
    uint32_t *nodes = tp_arena_array(arena, trace->sample_count + 1, sizeof *nodes);
    tp_merge_init(&span->merge, span->section->profile->model, arena);
    tp_merge_add_program(&span->merge, span->view, nodes, arena);
    for (uint32_t i = 0; i < trace->sample_count; i++) {
        struct cell *cell =
            find_or_add_cell(&span->samples, nodes[i], bin_of_time(&span->view->tree, trace->samples[i].ts_ns));
        cell->ns = tp_sat_add(cell->ns, span->view->tree.weight_of_sample_ns[i]);
        cell->count++;
    }
}

static void collect_waits_by_bin(struct span *span)
{
    const struct tp_process_tree *tree = &span->view->tree;
    for (uint32_t i = 0; i < tree->slice_count; i++) {
        const struct tp_thread_slice *piece = &tree->slices[i];
        uint32_t group = span->view->waits.group_by_slice[i], first = bin_of_time(tree, piece->begin_ns);
        if (group == TP_NO_ID || !tp_wait_group_is_listed(&span->view->waits.groups[group]))
            continue;
        int64_t at = piece->begin_ns;
        find_or_add_cell(&span->waits, group, first)->count++;
        for (uint32_t bin = first; at < piece->end_ns && bin < BINS; bin++) {
            int64_t end = bin + 1 < BINS ? bin_begin_ns(tree, bin + 1) : piece->end_ns;
            end = end < piece->end_ns ? end : piece->end_ns;
            struct cell *cell = find_or_add_cell(&span->waits, group, bin);
            cell->ns = tp_sat_add(cell->ns, end - at);
            at = end;
        }
    }
}

/* ---- JSON ---- */

static void write_text(const struct span *span, struct tp_json *json, struct tp_str text)
{
    tp_json_str(json, tp_shown_text(&span->section->naming, text));
}

static void write_stack_nodes(const struct span *span, struct tp_json *json)
{
    tp_json_key(json, "nodes");
    tp_json_array(json);
    for (uint32_t i = 0; i < span->merge.nodes.count; i++) {
        const struct tp_merge_node *node = tp_merge_node(&span->merge, i);
        const struct tp_label *label = TP_AT(&span->merge.labels, struct tp_label, node->label);
        tp_json_array(json);
        tp_json_int(json, node->parent == TP_NO_ID ? -1 : (int64_t)node->parent);
        tp_json_int(json, node->label);
        tp_json_int(json, label->kind);
        tp_json_array_end(json);
    }
    tp_json_array_end(json);
    tp_json_key(json, "labels");
    tp_json_array(json);
    for (uint32_t i = 0; i < span->merge.labels.count; i++)
        write_text(span, json, tp_program_short_function_name(TP_AT(&span->merge.labels, struct tp_label, i)->text));
    tp_json_array_end(json);
}

static void write_cells(const struct cells *cells, struct tp_json *json, const char *key)
{
    tp_json_key(json, key);
    tp_json_array(json);
    for (uint32_t i = 0; i < cells->items.count; i++) {
        const struct cell *cell = TP_AT(&cells->items, struct cell, i);
        const uint32_t *pair = tp_keys_get(&cells->keys, i);
        tp_json_array(json);
        tp_json_int(json, pair[0]);
        tp_json_int(json, pair[1]);
        tp_json_int(json, cell->ns);
        tp_json_int(json, (int64_t)cell->count);
        tp_json_array_end(json);
    }
    tp_json_array_end(json);
}

static void write_wait_groups(const struct span *span, struct tp_json *json)
{
    const struct tp_strings *texts = &span->view->waits.texts;
    tp_json_key(json, "groups");
    tp_json_array(json);
    for (uint32_t i = 0; i < span->view->waits.count; i++) {
        const struct tp_wait_group *group = &span->view->waits.groups[i];
        tp_json_array(json);
        tp_json_text(json, tp_wall_part_text(TP_WALL_WAITS + (unsigned)group->cause));
        write_text(span, json, tp_strings_get(texts, group->stack));
        write_text(span, json, tp_strings_get(texts, group->name));
        tp_json_array_end(json);
    }
    tp_json_array_end(json);
}

static void print_json(const struct tp_data *value, struct tp_buf *out)
{
    const struct span *span = value->self;
    struct tp_json json;
    tp_json_init(&json, out);
    json.is_html_safe = true;
    tp_json_object(&json);
    tp_json_member_int(&json, "wall", span->view->tree.end_ns - span->view->tree.begin_ns);
    tp_json_member_int(&json, "bins", BINS);
    write_stack_nodes(span, &json);
    write_wait_groups(span, &json);
    write_cells(&span->samples, &json, "samples");
    write_cells(&span->waits, &json, "waits");
    tp_json_object_end(&json);
}

void tp_program_span_add_data(const struct tp_section *section, struct tp_object *object)
{
    static const struct tp_data_source source = {.print = print_json};
    struct tp_arena *arena = section->arena;
    struct span *span = tp_arena_alloc(arena, sizeof *span);
    span->section = section;
    span->view = &section->profile->advice->program;
    span->samples.items = TP_VEC(arena, struct cell);
    span->waits.items = TP_VEC(arena, struct cell);
    tp_keys_init(&span->samples.keys, arena, 2);
    tp_keys_init(&span->waits.keys, arena, 2);
    collect_samples_by_bin(span, arena);
    collect_waits_by_bin(span);
    size_t cells = span->samples.items.count + span->waits.items.count;
    if (span->merge.nodes.count > MOST_NODES || cells > MOST_CELLS ||
        cells * CELL_BYTES + span->merge.nodes.count * NODE_BYTES > section->limits->span_bytes)
        return;
    tp_object_add_value(object, "span_json",
                        (struct tp_data){.kind = TP_DATA_PRINTED, .source = &source, .self = span});
}
