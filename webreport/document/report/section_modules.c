/* Makes the section of modules: the classes of nn.Module calls with forward and backward time, or those of a program's
 * own modules if it does not use PyTorch. The reader can open the tree of single modules. */
#include "webreport/document/report/module_classes.h"
#include "webreport/document/report/sections.h"

#include <math.h>

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

/* Returns the tree of single modules, which the reader opens. */
static struct tp_shown_table *make_tree_table(const struct tp_section *section, bool is_gpu)
{
    const struct tp_module_view *view = &section->profile->views->modules;
    struct tp_arena *arena = section->arena;
    size_t *rows = tp_arena_array(arena, section->limits->module_rows, sizeof(*rows));
    size_t count = select_rows(view, section->limits->module_rows, rows);
    const struct columns *layout = &layouts[has_backward(view)][is_gpu];
    struct tp_shown_table *shown = tp_section_table_new(section, tp_table_copy_rows(arena, &view->table, rows, count),
                                                        layout->columns, layout->count, count);

    shown->name = shown->noun = "modules";
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
    return shown;
}

static const struct tp_shown_column GPU_CLASSES[] = {
    {TP_SHOW_COUNT, TP_CLASS_CALLS, NULL, 0, 0, false, TP_SHOWN_LESS},
    {TP_SHOW_TIME, TP_CLASS_DEVICE, NULL, 1, 0, true, 0},
    {TP_SHOW_PERCENT, TP_CLASS_DEVICE_SHARE, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_CLASS_HOST, NULL, 1, 0, false, TP_SHOWN_LESS},
};
static const struct tp_shown_column CPU_CLASSES[] = {
    {TP_SHOW_COUNT, TP_CLASS_CALLS, NULL, 0, 0, false, TP_SHOWN_LESS},
    {TP_SHOW_TIME, TP_CLASS_HOST, NULL, 1, 0, true, 0},
    {TP_SHOW_PERCENT, TP_CLASS_HOST_SHARE, NULL, 0, 0, false, 0},
    {TP_SHOW_BAR, TP_CLASS_HOST, NULL, 0, 0, false, 0},
};

static struct tp_shown_table *make_class_table(const struct tp_section *section,
                                               const struct tp_module_classes *classes, bool is_gpu)
{
    struct tp_shown_table *shown =
        tp_section_table_new(section, &classes->rows, is_gpu ? GPU_CLASSES : CPU_CLASSES,
                             is_gpu ? COUNT(GPU_CLASSES) : COUNT(CPU_CLASSES), section->limits->module_rows);

    shown->name = "module classes";
    shown->noun = "classes of modules";
    shown->name_title = "Module";
    shown->caption = "Modules by class, callers above callees";
    tp_shown_table_set_row_names(&section->naming, shown, TP_CLASS_NAME);
    for (size_t i = 0; i < shown->row_count; i++)
        shown->rows[i].depth = classes->depth[i];
    return shown;
}

struct tp_data tp_section_modules(const struct tp_section *section)
{
    const struct tp_module_view *view = &section->profile->views->modules;
    /* launches on devices that the program itself defined cannot be assigned to modules */
    bool is_gpu =
        section->profile->views->kernels.is_present && !tp_has_only_devices_of_program(section->profile->model);
    struct tp_arena *arena = section->arena;
    struct tp_module_classes *classes;
    struct tp_object *object;

    if (!view->is_present || !view->table.row_count || !section->limits->module_rows)
        return TP_NO_DATA;
    classes = tp_arena_alloc(arena, sizeof *classes);
    tp_module_classes_build(classes, view, is_gpu, arena);
    object = tp_object_new(arena);
    struct tp_shown_table *shown = make_class_table(section, classes, is_gpu);
    const char *resource = is_gpu ? tp_devices_word(section->profile->model) : "CPU";
    if (classes->most_self < shown->row_count && !isnan(classes->self_percent))
        tp_object_add_lead(
            object, "%s: **%s** of the %s time of all modules%s, without inner modules.",
            tp_arena_copy(arena, shown->rows[classes->most_self].name.ptr, shown->rows[classes->most_self].name.len),
            tp_text_of_percent(arena, classes->self_percent), resource,
            has_backward(view) ? ", forward and backward" : "");
    else
        tp_object_add_lead(object, "The modules of the trace have no %s time.", resource);
    tp_list_add_shown_table(tp_object_add_list(object, "tables"), shown);
    tp_list_add_shown_table(tp_object_add_list(object, "more_tables"), make_tree_table(section, is_gpu));
    tp_object_add_text(
        object, "more_title",
        tp_text_of_counted_noun(arena, (int64_t)view->table.row_count, "single module", "single modules"));
    return tp_data_of_object(object);
}
