/* Makes the section of modules: the tree of nn.Module calls with forward and backward time, or the tree of a program's
 * own modules if it does not use PyTorch. */
#include "webreport/document/report/sections.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Columns for programs without a backward pass, which do not use PyTorch or only run inference. */
#define CALLS                                                                                                          \
    {                                                                                                                  \
        TP_SHOW_COUNT, TP_MODULE_OCCURRENCES, "Calls", 0, 0, false, false                                              \
    }
#define OPERATORS                                                                                                      \
    {                                                                                                                  \
        TP_SHOW_COUNT, TP_MODULE_OPERATORS, "{Operators}", 0, 0, false, false                                          \
    }
#define GPU_TIMES                                                                                                      \
    {TP_SHOW_TIME, TP_MODULE_DEVICE_TOTAL, "{GPU} total", 1, 0, false, false},                                         \
        {TP_SHOW_BAR, TP_MODULE_DEVICE_TOTAL, NULL, 0, 0, false, false},                                               \
    {                                                                                                                  \
        TP_SHOW_TIME, TP_MODULE_DEVICE_SELF, "{GPU} self", 1, 0, false, false                                          \
    }
#define CPU_TOTAL                                                                                                      \
    {                                                                                                                  \
        TP_SHOW_TIME, TP_MODULE_HOST_TOTAL, "CPU total", 1, 0, false, false                                            \
    }
#define CPU_SELF                                                                                                       \
    {                                                                                                                  \
        TP_SHOW_TIME, TP_MODULE_HOST_SELF, "CPU self", 1, 0, false, false                                              \
    }
#define CPU_BAR                                                                                                        \
    {                                                                                                                  \
        TP_SHOW_BAR, TP_MODULE_HOST_TOTAL, NULL, 0, 0, false, false                                                    \
    }
#define BACKWARD_GPU                                                                                                   \
    {                                                                                                                  \
        TP_SHOW_TIME, TP_MODULE_BACKWARD_DEVICE_TOTAL, "Backward {GPU}", 1, 0, false, false                            \
    }
#define BACKWARD_CPU                                                                                                   \
    {                                                                                                                  \
        TP_SHOW_TIME, TP_MODULE_BACKWARD_HOST_TOTAL, "Backward CPU", 1, 0, false, false                                \
    }

static const struct tp_shown_column BOTH_GPU[] = {CALLS, GPU_TIMES, BACKWARD_GPU, CPU_TOTAL, CPU_SELF, BACKWARD_CPU};
static const struct tp_shown_column BOTH_CPU[] = {CALLS, OPERATORS, CPU_TOTAL, CPU_BAR, CPU_SELF, BACKWARD_CPU};
static const struct tp_shown_column FORWARD_GPU[] = {CALLS, GPU_TIMES, CPU_TOTAL, CPU_SELF};
static const struct tp_shown_column FORWARD_CPU[] = {CALLS, OPERATORS, CPU_TOTAL, CPU_BAR, CPU_SELF};

static const struct columns {
    const struct tp_shown_column *columns;
    unsigned count;
} layouts[2][2] = {/* index: [program has a backward pass][program has a GPU] */
                   {{FORWARD_CPU, COUNT(FORWARD_CPU)}, {FORWARD_GPU, COUNT(FORWARD_GPU)}},
                   {{BOTH_CPU, COUNT(BOTH_CPU)}, {BOTH_GPU, COUNT(BOTH_GPU)}}};

static bool has_backward(const struct tp_module_view *view)
{
    const int64_t *host = tp_table_int(&view->table, TP_MODULE_BACKWARD_HOST_TOTAL);
    const int64_t *device = tp_table_int(&view->table, TP_MODULE_BACKWARD_DEVICE_TOTAL);
    bool is_any = false;
    for (size_t i = 0; i < view->table.row_count; i++)
        is_any |= host[i] > 0 || device[i] > 0; /* an unknown time is TP_NULL_INT, which is negative */
    return is_any;
}

/* Selects all rows of the tree, or only its upper levels if it has more than `limit` rows. Returns the number of
 * selected rows. */
static size_t select_rows(const struct tp_module_view *view, size_t limit, size_t *rows)
{
    uint32_t depth = 0, max_depth = 0;
    size_t count = 0, fits = 0;

    for (size_t i = 0; i < view->table.row_count; i++)
        max_depth = view->depth[i] > max_depth ? view->depth[i] : max_depth;
    for (depth = 0; depth <= max_depth && depth <= 64; depth++) {
        size_t level = 0;

        for (size_t i = 0; i < view->table.row_count; i++)
            level += view->depth[i] == depth;
        if (fits + level > limit && depth)
            break;
        fits += level;
    }
    for (size_t i = 0; i < view->table.row_count && count < limit; i++)
        if (view->depth[i] < depth)
            rows[count++] = i;
    return count;
}

static const char *lead_text(const struct tp_section *section, bool is_gpu)
{
    const struct tp_module_view *view = &section->profile->views->modules;
    const int64_t *self = tp_table_int(&view->table, is_gpu ? TP_MODULE_DEVICE_SELF : TP_MODULE_HOST_SELF);
    const int64_t *back =
        tp_table_int(&view->table, is_gpu ? TP_MODULE_BACKWARD_DEVICE_SELF : TP_MODULE_BACKWARD_HOST_SELF);
    double sum = 0, most = -1;
    size_t heaviest = 0;
    struct tp_str name;

    for (size_t i = 0; i < view->table.row_count; i++) {
        double own = (self[i] == TP_NULL_INT ? 0 : (double)self[i]) + (back[i] == TP_NULL_INT ? 0 : (double)back[i]);

        sum += own;
        if (own > most) {
            most = own;
            heaviest = i;
        }
    }
    name = tp_shown_text(&section->naming, tp_table_text(&view->table, TP_MODULE_NAME)[heaviest]);
    return tp_text_printf(section->arena, "%.*s itself takes %s of the %s time of all modules%s.", (int)name.len,
                          name.ptr, tp_text_of_percent(section->arena, sum > 0 ? 100 * most / sum : 0),
                          is_gpu ? tp_devices_word(section->profile->model) : "CPU",
                          has_backward(view) ? ", forward and backward" : "");
}

struct tp_data tp_section_modules(const struct tp_section *section)
{
    const struct tp_module_view *view = &section->profile->views->modules;
    /* launches on devices that the program itself defined cannot be assigned to modules */
    bool is_gpu =
        section->profile->views->kernels.is_present && !tp_has_only_devices_of_program(section->profile->model);
    struct tp_arena *arena = section->arena;
    struct tp_object *object;
    const struct columns *layout;
    struct tp_shown_table *shown;
    size_t *rows, count;

    if (!view->is_present || !view->table.row_count || !section->limits->module_rows)
        return TP_NO_DATA;
    object = tp_object_new(arena);
    rows = tp_arena_array(arena, section->limits->module_rows, sizeof(*rows));
    count = select_rows(view, section->limits->module_rows, rows);
    layout = &layouts[has_backward(view)][is_gpu];
    shown = tp_section_table_new(section, tp_table_copy_rows(arena, &view->table, rows, count), layout->columns,
                                 layout->count, count);
    shown->name = "modules";
    shown->name_title = "Module";
    shown->caption = "Modules as a tree, callers above callees";
    shown->is_tree = true;
    shown->open_depth = 1;
    tp_shown_table_set_row_names(&section->naming, shown, TP_MODULE_NAME);
    for (size_t i = 0; i < count; i++)
        shown->rows[i].depth = view->depth[rows[i]];
    if (count < view->table.row_count)
        shown->note = tp_text_printf(arena, "The table shows the upper levels of the tree: %s of %s modules.",
                                     tp_text_of_count(arena, (int64_t)count),
                                     tp_text_of_count(arena, (int64_t)view->table.row_count));
    tp_object_add_sentence(object, "lead", tp_str_of(lead_text(section, is_gpu)));
    tp_list_add_shown_table(tp_object_add_list(object, "tables"), shown);
    return tp_data_of_object(object);
}
