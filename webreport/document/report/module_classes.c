/* Merges modules by class. See module_classes.h. */
#include "webreport/document/report/module_classes.h"

#include <ctype.h>
#include <math.h>

#include "writer/base/limits.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

/* share of a module's time from which on one inner class is all of it, percent */
static const double WRAPPED_PERCENT = 90;

struct class_node {
    struct tp_str name;
    uint32_t parent; /* index of the class that contains this one; TP_NO_ID for the top level */
    uint32_t modules, first_child, next, depth;
    int64_t calls, device_ns, host_ns, self_ns;
    bool is_hidden;
};

struct builder {
    struct tp_arena *arena;
    const struct tp_table *table;
    struct class_node *nodes;
    uint32_t count;
    bool is_device;
};

static int64_t cell(const struct tp_table *table, unsigned column, size_t row)
{
    int64_t value = tp_table_int(table, column)[row];
    return value == TP_NULL_INT ? 0 : value;
}

/* Returns the class of a module: its name without the number at its end. */
static struct tp_str class_of_module(struct tp_str name)
{
    size_t size = name.len;

    while (size && isdigit((unsigned char)name.ptr[size - 1]))
        size--;
    if (size > 1 && size < name.len && name.ptr[size - 1] == '_')
        name.len = size - 1;
    return name;
}

static int64_t time_of_node(const struct builder *b, uint32_t index)
{
    return b->is_device ? b->nodes[index].device_ns : b->nodes[index].host_ns;
}

/* Returns the node of a class inside a parent, which is new if the class is seen for the first time. */
static struct class_node *find_or_add_node(struct builder *b, struct tp_strings *keys, uint32_t parent,
                                           struct tp_str name)
{
    const char *key = tp_text_printf(b->arena, "%u %.*s", parent, (int)name.len, name.ptr);
    uint32_t before = keys->count, id = tp_strings_add(keys, tp_str_of(key));

    if (id == TP_NO_ID)
        return NULL;
    if (keys->count > before)
        b->nodes[b->count++] =
            (struct class_node){.name = name, .parent = parent, .first_child = TP_NO_ID, .next = TP_NO_ID};
    return &b->nodes[id];
}

static void add_modules(struct builder *b, const struct tp_module_view *view)
{
    uint32_t *node_of = tp_arena_array(b->arena, view->table.row_count, sizeof *node_of);
    struct tp_strings keys;

    tp_strings_init(&keys, b->arena, UINT64_MAX);
    for (size_t row = 0; row < view->table.row_count; row++) {
        uint32_t parent = view->parent[row] == TP_NO_ID ? TP_NO_ID : node_of[view->parent[row]];
        struct class_node *node =
            find_or_add_node(b, &keys, parent, class_of_module(tp_table_text(&view->table, TP_MODULE_NAME)[row]));
        node->modules++;
        node->calls += cell(b->table, TP_MODULE_OCCURRENCES, row);
        node->device_ns +=
            cell(b->table, TP_MODULE_DEVICE_TOTAL, row) + cell(b->table, TP_MODULE_BACKWARD_DEVICE_TOTAL, row);
        node->host_ns += cell(b->table, TP_MODULE_HOST_TOTAL, row) + cell(b->table, TP_MODULE_BACKWARD_HOST_TOTAL, row);
        node->self_ns +=
            b->is_device
                ? cell(b->table, TP_MODULE_DEVICE_SELF, row) + cell(b->table, TP_MODULE_BACKWARD_DEVICE_SELF, row)
                : cell(b->table, TP_MODULE_HOST_SELF, row) + cell(b->table, TP_MODULE_BACKWARD_HOST_SELF, row);
        node_of[row] = (uint32_t)(node - b->nodes);
    }
}

static int compare_by_time(const void *context, uint32_t x, uint32_t y)
{
    const struct builder *b = context;
    int64_t a = time_of_node(b, x), c = time_of_node(b, y);
    return a != c ? (a < c ? 1 : -1) : (x > y) - (x < y);
}

/* Links the children of each node in the order of their time. Returns the first node of the top level. */
static uint32_t link_nodes(struct builder *b)
{
    uint32_t *order = tp_arena_array(b->arena, b->count, sizeof *order), top = TP_NO_ID;

    for (uint32_t i = 0; i < b->count; i++)
        order[i] = i;
    tp_sort_rows(order, b->count, compare_by_time, b, b->arena);
    for (uint32_t i = b->count; i-- > 0;) { /* the child that is linked last becomes the first */
        struct class_node *node = &b->nodes[order[i]];
        uint32_t *head = node->parent == TP_NO_ID ? &top : &b->nodes[node->parent].first_child;
        node->next = *head;
        *head = order[i];
    }
    return top;
}

/* Hides each single module that consists of one class, and sets the depths. A parent has a smaller index than its
 * children. */
static void hide_wrappers(struct builder *b)
{
    for (uint32_t i = 0; i < b->count; i++) {
        struct class_node *node = &b->nodes[i];
        uint32_t child = node->first_child, parent = node->parent;
        node->is_hidden = node->modules == 1 && child != TP_NO_ID &&
                          (double)time_of_node(b, child) >= (double)time_of_node(b, i) * WRAPPED_PERCENT / 100;
        node->depth = parent == TP_NO_ID ? 0 : b->nodes[parent].depth + !b->nodes[parent].is_hidden;
    }
}

static void fill_row(const struct builder *b, struct tp_table *rows, size_t row, uint32_t index, double device_ns,
                     double host_ns)
{
    const struct class_node *node = &b->nodes[index];

    tp_table_text(rows, TP_CLASS_NAME)[row] =
        node->modules == 1
            ? node->name
            : tp_str_of(tp_text_printf(b->arena, "%s \xc3\x97 %.*s", tp_text_of_count(b->arena, node->modules),
                                       (int)node->name.len, node->name.ptr));
    tp_table_int(rows, TP_CLASS_CALLS)[row] = node->calls;
    tp_table_int(rows, TP_CLASS_DEVICE)[row] = node->device_ns;
    tp_table_int(rows, TP_CLASS_HOST)[row] = node->host_ns;
    tp_table_real(rows, TP_CLASS_DEVICE_SHARE)[row] = device_ns > 0 ? 100 * (double)node->device_ns / device_ns : NAN;
    tp_table_real(rows, TP_CLASS_HOST_SHARE)[row] = host_ns > 0 ? 100 * (double)node->host_ns / host_ns : NAN;
}

/* Returns the next node in pre-order; TP_NO_ID after the last one. */
static uint32_t next_node(const struct builder *b, uint32_t index)
{
    if (b->nodes[index].first_child != TP_NO_ID)
        return b->nodes[index].first_child;
    while (index != TP_NO_ID && b->nodes[index].next == TP_NO_ID)
        index = b->nodes[index].parent;
    return index == TP_NO_ID ? TP_NO_ID : b->nodes[index].next;
}

void tp_module_classes_build(struct tp_module_classes *classes, const struct tp_module_view *view, bool is_device,
                             struct tp_arena *arena)
{
    static const struct tp_column_def defs[TP_CLASS_COLUMNS] = {
        {"name", "Module", "", "Class of the modules, and the number of modules of this class in equal places.",
         TP_COLUMN_TEXT},
        {"calls", "Calls", "", "Number of calls of these modules.", TP_COLUMN_INT},
        {"device_us", "{GPU}", "us", "{GPU} time of the modules with their inner modules.", TP_COLUMN_NS},
        {"device_percent", "Of {GPU}", "%", "Share of the {GPU} time of all modules.", TP_COLUMN_REAL},
        {"host_us", "CPU", "us", "CPU time of the modules with their inner modules.", TP_COLUMN_NS},
        {"host_percent", "Of CPU", "%", "Share of the CPU time of all modules.", TP_COLUMN_REAL},
    };
    struct builder b = {.arena = arena,
                        .table = &view->table,
                        .nodes = tp_arena_array(arena, view->table.row_count, sizeof(struct class_node)),
                        .is_device = is_device};
    double device_ns = 0, host_ns = 0, self_ns = 0;
    size_t count = 0;

    add_modules(&b, view);
    uint32_t top = link_nodes(&b);
    hide_wrappers(&b);
    for (uint32_t i = 0; i < b.count; i++) {
        device_ns += b.nodes[i].parent == TP_NO_ID ? (double)b.nodes[i].device_ns : 0;
        host_ns += b.nodes[i].parent == TP_NO_ID ? (double)b.nodes[i].host_ns : 0;
        self_ns += (double)b.nodes[i].self_ns;
        count += !b.nodes[i].is_hidden;
    }
    *classes = (struct tp_module_classes){.depth = tp_arena_array(arena, count, sizeof(uint32_t)), .self_percent = NAN};
    tp_table_init(&classes->rows, arena, "module classes", defs, TP_CLASS_COLUMNS, count);
    int64_t most = -1;
    count = 0;
    for (uint32_t i = top; i != TP_NO_ID; i = next_node(&b, i)) {
        if (b.nodes[i].is_hidden)
            continue;
        if (b.nodes[i].self_ns > most) {
            most = b.nodes[i].self_ns;
            classes->most_self = count;
            classes->self_percent = self_ns > 0 ? 100 * (double)most / self_ns : NAN;
        }
        classes->depth[count] = b.nodes[i].depth;
        fill_row(&b, &classes->rows, count++, i, device_ns, host_ns);
    }
}
