/* Implements path_details.h. */
#include "webreport/what_if/path_details.h"

#include "webreport/model/numbers.h"
#include "writer/base/sort.h"

/* Slices of the band; more than a chart has pixels, also if it shows one of many steps. A path with fewer spans has all
 * of them. */
enum { SLICES = 32768 };

enum { LAST_ROWS = 256 };

/* A slice of the band while spans are collected. */
struct slice {
    int64_t group_ns[TP_GROUPS];
    struct tp_path_span longest[TP_GROUPS]; /* for each group: longest span */
    int64_t longest_ns[TP_GROUPS];
};

struct tp_path_collector {
    const struct tp_replay_graph *graph;
    struct tp_arena *keep; /* memory of the names */
    struct tp_arena *arena;
    struct tp_id_map row_of;      /* kind and name: row */
    uint64_t last_key[LAST_ROWS]; /* keys that were found last, and their rows */
    uint32_t last_row[LAST_ROWS];
    struct tp_vec rows;      /* elements: struct tp_path_row */
    struct tp_vec band, all; /* slices; all spans, unless there are more than SLICES */
    bool is_long;
    int64_t low_ns, high_ns, width_ns; /* start and end of the window, length of a slice */
    struct slice slice;                /* current slice */
    int64_t slice_number;
};

struct tp_path_collector *tp_path_collector_make(const struct tp_replay_graph *graph, struct tp_intervals window,
                                                 struct tp_arena *keep, struct tp_arena *arena)
{
    struct tp_path_collector *collector = tp_arena_alloc(arena, sizeof *collector);
    int64_t low = window.count ? window.items[0].a : 0, high = window.count ? window.items[window.count - 1].b : 0;
    *collector = (struct tp_path_collector){.graph = graph,
                                            .keep = keep,
                                            .arena = arena,
                                            .low_ns = low,
                                            .high_ns = high,
                                            .slice_number = SLICES,
                                            .width_ns = tp_sat_sub(high, low) / SLICES + 1};
    collector->rows = TP_VEC(arena, struct tp_path_row);
    collector->band = TP_VEC(arena, struct tp_path_span);
    collector->all = TP_VEC(arena, struct tp_path_span);
    tp_id_map_init(&collector->row_of, arena);
    memset(collector->last_row, 0xFF, sizeof collector->last_row);
    return collector;
}

/* Returns the name of the event of a node that has one. */
static struct tp_str name_of_event(const struct tp_path_collector *collector, uint32_t node)
{
    const struct tp_trace *trace = tp_node_model(collector->graph, node)->trace;
    return tp_trace_event_name(trace, &trace->events[collector->graph->nodes[node].event]);
}

/* Returns the name of a node: that of its event, or its kind. */
static struct tp_str name_of_node(const struct tp_path_collector *collector, uint32_t node)
{
    static const char *const kinds[TP_NODE_KINDS] = {"host",    "launch", "wait",    "wake",          "input",
                                                     "arrival", "arrive", "compute", "communication", "copy"};
    const struct tp_replay_node *n = &collector->graph->nodes[node];
    return n->event == TP_NO_ID ? tp_str_of(kinds[n->kind]) : name_of_event(collector, node);
}

static struct tp_str text_of_name(const struct tp_path_collector *collector, struct tp_path_name name)
{
    switch (name.kind) {
    case TP_NAME_LABEL:
        return collector->graph->labels[name.id].name;
    case TP_NAME_REASON:
        return tp_str_of(tp_edge_reason_text((enum tp_edge_reason)name.id));
    case TP_NAME_EVENT:
        return name_of_event(collector, name.id);
    case TP_NAME_BEFORE: {
        struct tp_str node = name_of_node(collector, name.id);
        char *text = tp_arena_alloc(collector->keep, node.len + sizeof "before ");
        memcpy(text, "before ", sizeof "before " - 1);
        memcpy(text + sizeof "before " - 1, node.ptr, node.len);
        return (struct tp_str){text, node.len + sizeof "before " - 1};
    }
    default:
        return TP_STR("before the first node");
    }
}

/* Returns a number that is equal for equal names. */
static uint64_t key_of_name(const struct tp_path_collector *collector, struct tp_path_name name, unsigned kind)
{
    const struct tp_replay_graph *graph = collector->graph;
    uint64_t id = name.id;
    unsigned type = name.kind, rank = 0;
    if (name.kind == TP_NAME_EVENT || name.kind == TP_NAME_BEFORE) {
        uint32_t event = graph->nodes[name.id].event;
        type = event == TP_NO_ID ? TP_NAME_OUTSIDE + 1 : (unsigned)name.kind;
        id = event == TP_NO_ID ? graph->nodes[name.id].kind : tp_node_model(graph, name.id)->trace->events[event].name;
        rank = event == TP_NO_ID ? 0 : tp_node_rank(graph, name.id); /* each rank has its own numbers of names */
    }
    return (((uint64_t)rank * (TP_NAME_OUTSIDE + 2) + type) * TP_PATH_KINDS + kind) << 32 | id;
}

/* Adds a span to its row. Returns the name of the row. */
static struct tp_str add_to_row(struct tp_path_collector *collector, const struct tp_path_span *span,
                                struct tp_path_name name)
{
    uint64_t key = key_of_name(collector, name, span->kind);
    uint32_t *row = &collector->last_row[key % LAST_ROWS];
    if (collector->last_key[key % LAST_ROWS] != key || *row == TP_NO_ID) {
        collector->last_key[key % LAST_ROWS] = key;
        *row = tp_id_map_get(&collector->row_of, key);
    }
    if (*row == TP_NO_ID) {
        *row = *tp_id_map_find_or_add(&collector->row_of, key) = (uint32_t)collector->rows.count;
        *(struct tp_path_row *)tp_vec_push(&collector->rows) =
            (struct tp_path_row){.name = text_of_name(collector, name), .kind = span->kind};
    }
    struct tp_path_row *r = TP_AT(&collector->rows, struct tp_path_row, *row);
    r->ns = tp_sat_add(r->ns, tp_sat_sub(span->end_ns, span->start_ns));
    return r->name;
}

/* Adds the current slice to the band. A slice like the slice after it lengthens the latter. */
static void finish_slice(struct tp_path_collector *collector)
{
    const struct slice *slice = &collector->slice;
    unsigned best = 0;
    for (unsigned group = 1; group < TP_GROUPS; group++)
        best = slice->group_ns[group] > slice->group_ns[best] ? group : best;
    if (!slice->group_ns[best])
        return;
    struct tp_path_span span = slice->longest[best];
    span.start_ns = collector->low_ns + collector->slice_number * collector->width_ns;
    span.end_ns = tp_ns_min(collector->high_ns, span.start_ns + collector->width_ns);
    struct tp_path_span *last =
        collector->band.count ? TP_AT(&collector->band, struct tp_path_span, collector->band.count - 1) : NULL;
    if (last && last->start_ns == span.end_ns && last->node == span.node && last->kind == span.kind) {
        last->start_ns = span.start_ns;
        return;
    }
    *(struct tp_path_span *)tp_vec_push(&collector->band) = span;
}

static void add_to_band(struct tp_path_collector *collector, struct tp_path_span span)
{
    enum tp_path_group group = tp_path_group_of((enum tp_path_kind)span.kind);
    int64_t length = tp_sat_sub(span.end_ns, span.start_ns), end = span.end_ns;
    while (end > span.start_ns) {
        int64_t number = (end - 1 - collector->low_ns) / collector->width_ns;
        int64_t start = tp_ns_max(span.start_ns, collector->low_ns + number * collector->width_ns);
        struct slice *slice = &collector->slice;
        if (number != collector->slice_number) {
            finish_slice(collector);
            memset(slice, 0, sizeof *slice);
            collector->slice_number = number;
        }
        slice->group_ns[group] += end - start;
        if (length > slice->longest_ns[group]) {
            slice->longest_ns[group] = length;
            slice->longest[group] = span;
        }
        end = start;
    }
}

void tp_path_collect(struct tp_path_collector *collector, const struct tp_path_span *span, struct tp_path_name name)
{
    struct tp_path_span named = *span;
    named.name = add_to_row(collector, span, name);
    add_to_band(collector, named);
    if (!collector->is_long && collector->all.count == SLICES) {
        collector->is_long = true; /* the band shows the path, so the spans are not needed */
        tp_arena_free_item(collector->arena, collector->all.data, collector->all.capacity * sizeof *span);
    }
    if (!collector->is_long)
        *(struct tp_path_span *)tp_vec_push(&collector->all) = named;
}

static int compare_names(const void *x, const void *y, const void *context)
{
    const struct tp_path_row *a = x, *b = y;
    (void)context;
    int order = strcmp(tp_path_kind_text(a->kind), tp_path_kind_text(b->kind));
    return order ? order : tp_str_compare(a->name, b->name);
}

static int compare_rows(const void *x, const void *y, const void *context)
{
    const struct tp_path_row *a = x, *b = y;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return compare_names(x, y, context);
}

/* Joins neighbours of equal kind and name. */
static void join_equal_rows(struct tp_vec *rows)
{
    struct tp_path_row *all = rows->data;
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        if (count && compare_names(&all[count - 1], &all[i], NULL) == 0)
            all[count - 1].ns = tp_sat_add(all[count - 1].ns, all[i].ns);
        else
            all[count++] = all[i];
    }
    rows->count = count;
}

/* Copies the elements of a vector, and releases the vector. */
static void *keep_elements(struct tp_path_collector *collector, struct tp_vec *vec)
{
    void *kept = tp_arena_array(collector->keep, vec->count, vec->item_size);
    if (vec->count)
        memcpy(kept, vec->data, vec->count * vec->item_size);
    tp_arena_free_item(collector->arena, vec->data, vec->capacity * vec->item_size);
    return kept;
}

void tp_path_collector_finish(struct tp_path_collector *collector, struct tp_path_details *details)
{
    struct tp_vec *rows = &collector->rows, *spans = collector->is_long ? &collector->band : &collector->all;
    finish_slice(collector);
    tp_merge_sort(collector->arena, rows->data, rows->count, sizeof(struct tp_path_row), compare_names, NULL);
    join_equal_rows(rows);
    tp_merge_sort(collector->arena, rows->data, rows->count, sizeof(struct tp_path_row), compare_rows, NULL);
    tp_id_map_release(&collector->row_of);
    *details = (struct tp_path_details){.rows = keep_elements(collector, rows),
                                        .row_count = rows->count,
                                        .spans = keep_elements(collector, spans),
                                        .span_count = spans->count};
    if (!collector->is_long)
        tp_arena_free_item(collector->arena, collector->band.data,
                           collector->band.capacity * sizeof(struct tp_path_span));
}
