/* Implements kernel_view.h: groups device events. */
#include "webreport/measure/views/kernel_view.h"

#include "webreport/model/copy_rate.h"
#include "webreport/model/numbers.h"
#include "webreport/trace/json/value.h"
#include "writer/base/ratio.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"

enum { UNIT_E9 = 1000000000 };

#define TIME_COLUMNS                                                                                                   \
    {"calls", "Calls", "", "Number of launches in the whole recording.", TP_COLUMN_INT},                               \
        {"total_us", "Total", "us", "Sum of the durations of all executions in the whole recording.", TP_COLUMN_NS},   \
        {"mean_us", "Mean", "us", "Mean duration of an execution in the whole recording.", TP_COLUMN_REAL},            \
        {"max_us", "Max", "us", "Longest duration of an execution in the whole recording.", TP_COLUMN_NS},             \
        {"min_us", "Min", "us", "Shortest duration of an execution in the whole recording.", TP_COLUMN_NS},            \
        {"in_steps_us", "In steps", "us", "Part of the total time that is within the analysed steps.", TP_COLUMN_NS},  \
        {"share_of_step_percent", "Of step time", "%",                                                                 \
         "Time within the analysed steps as a share of the step time. The times of overlapping streams are added.",    \
         TP_COLUMN_REAL},                                                                                              \
    {                                                                                                                  \
        "calls_in_steps", "Calls in steps", "", "Number of launches in the analysed steps.", TP_COLUMN_INT             \
    }
#define LAUNCH_COLUMNS                                                                                                 \
    {"mean_blocks_per_sm", "Blocks per SM", "",                                                                        \
     "Mean number of blocks per multiprocessor, weighted by the durations of the kernels.", TP_COLUMN_REAL},           \
    {                                                                                                                  \
        "mean_occupancy_percent", "Est. occupancy", "%",                                                               \
            "Mean estimated achieved occupancy, weighted by the durations of the kernels.", TP_COLUMN_REAL             \
    }

static const struct tp_column_def kernel_defs[TP_KERNEL_COLUMNS] = {
    {"name", "Kernel", "", "Name of the kernel.", TP_COLUMN_TEXT},
    {"uses_tensor_cores", "Tensor cores", "", "yes if the name of the kernel shows the use of tensor cores.",
     TP_COLUMN_BOOL},
    {"tensor_core_use", "Tensor core use", "",
     "Use of tensor cores according to the name of the kernel: yes, no or unknown.", TP_COLUMN_TEXT},
    {"communication", "Collective", "", "yes if the kernel belongs to a collective.", TP_COLUMN_BOOL},
    TIME_COLUMNS,
    LAUNCH_COLUMNS};
static const struct tp_column_def config_defs[TP_CONFIG_COLUMNS] = {
    {"name", "Kernel", "", "Name of the kernel.", TP_COLUMN_TEXT},
    {"operator", "{Operator}", "", "{Operator} that launched the kernel; empty if unknown.", TP_COLUMN_TEXT},
    {"grid", "Grid", "blocks", "Number of blocks of the grid in each dimension.", TP_COLUMN_JSON},
    {"block", "Block", "threads", "Number of threads of a block in each dimension.", TP_COLUMN_JSON},
    {"registers_per_thread", "Registers", "per thread", "Number of registers per thread.", TP_COLUMN_JSON},
    {"shared_memory_bytes", "Shared memory", "bytes", "Bytes of shared memory per block.", TP_COLUMN_JSON},
    {"uses_tensor_cores", "Tensor cores", "", "yes if the name of the kernel shows the use of tensor cores.",
     TP_COLUMN_BOOL},
    {"operator_tensor_core_eligible", "TC eligible", "", "yes if the {operator} could use tensor cores.",
     TP_COLUMN_BOOL},
    TIME_COLUMNS,
    LAUNCH_COLUMNS};
static const struct tp_column_def copy_defs[TP_COPY_COLUMNS] = {
    {"name", "Copy or set", "", "Direction and memory of the copy, or kind of memset.", TP_COLUMN_TEXT},
    TIME_COLUMNS,
    {"total_bytes", "Bytes", "bytes", "Bytes copied or set.", TP_COLUMN_BYTES},
    {"rate_gb_per_s", "GB/s", "GB/s", "Bytes of the row divided by the time of its operations.", TP_COLUMN_REAL},
    {"p50_gb_per_s", "Median GB/s", "GB/s", "Median of the rates of single operations.", TP_COLUMN_REAL},
    {"p99_gb_per_s", "99 % GB/s", "GB/s", "99 % of the operations have at most this rate.", TP_COLUMN_REAL},
    {"max_gb_per_s", "Best GB/s", "GB/s", "Largest rate of an operation.", TP_COLUMN_REAL}};

/* ---- groups ---- */

/* sums for a mean of values weighted by duration, over the events that have the value */
struct weighted {
    unsigned __int128 sum; /* sum of value * duration, as a two's complement number */
    __int128 time;
};

struct group {
    uint32_t name, owner_name; /* owner_name: name id of the operator; TP_NO_ID without an operator */
    uint32_t config[4];        /* text ids in grouping.configs of the grid, block, registers and shared memory */
    uint32_t values[4];        /* value ids in the trace of the values in `config`, for output */
    int64_t calls, total, longest, shortest, in_steps, calls_in_steps,
        bytes; /* total bytes; TP_NULL_INT if no event has bytes */
    struct weighted blocks, occupancy;
    bool is_communication;
};

struct grouping {
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_strings configs; /* distinct texts of parts of launch configurations */
    uint32_t *config_of_value; /* for each value id: text id + 1; 0: no text yet */
    struct tp_vec names, by_configuration, copies;
    bool has_configs; /* true if kernels are also grouped by configuration */
};

static void add_weighted_value(struct weighted *w, int64_t value_e9, int64_t time)
{
    if (value_e9 == TP_NULL_INT)
        return;
    w->sum += (unsigned __int128)(__int128)value_e9 * (unsigned __int128)(__int128)time;
    w->time += time;
}

static double weighted_mean(const struct weighted *w)
{
    return w->time ? tp_ratio((__int128)w->sum, w->time * UNIT_E9) : NAN;
}

/* the part of an event in the analysed steps */
struct in_steps {
    int64_t ns; /* duration of the event within the window of analysed steps, ns */
    bool is_launched;
};

static void add_event_to_group(struct group *group, const struct tp_event *e, const struct tp_device_setup *setup,
                               struct in_steps in_steps)
{
    group->longest = !group->calls || e->dur_ns > group->longest ? e->dur_ns : group->longest;
    group->shortest = !group->calls || e->dur_ns < group->shortest ? e->dur_ns : group->shortest;
    group->calls++;
    group->total = tp_sat_add(group->total, e->dur_ns);
    group->in_steps = tp_sat_add(group->in_steps, in_steps.ns);
    group->calls_in_steps += in_steps.is_launched;
    if (setup->bytes != TP_NULL_INT)
        group->bytes = group->bytes == TP_NULL_INT ? setup->bytes : tp_sat_add(group->bytes, setup->bytes);
    add_weighted_value(&group->blocks, setup->blocks_per_sm_e9, e->dur_ns);
    add_weighted_value(&group->occupancy, setup->occupancy_pct_e9, e->dur_ns);
}

static struct group *add_new_group(struct tp_vec *groups, uint32_t name)
{
    struct group *group = tp_vec_push(groups);
    *group = (struct group){.name = name, .owner_name = TP_NO_ID, .bytes = TP_NULL_INT};
    return group;
}

/* Returns the text id of a configuration value. Values with equal texts have the same text id. */
static uint32_t text_of_configuration_value(struct grouping *g, uint32_t value)
{
    if (value == TP_NO_ID)
        return 0; /* id of the text "null" */
    if (!g->config_of_value[value]) {
        struct tp_str text = tp_value_python_text(g->arena, g->model->trace->values.items[value]);
        g->config_of_value[value] = 1 + tp_strings_add(&g->configs, text);
    }
    return g->config_of_value[value] - 1;
}

static void add_to_configuration_group(struct grouping *g, struct tp_keys *keys, uint32_t k, const struct tp_event *e,
                                       const struct tp_device_setup *setup, struct in_steps in_steps)
{
    uint32_t owner = tp_operator_of_device(g->model, k, NULL);
    uint32_t values[4] = {setup->grid, setup->block, setup->registers, setup->shared_memory};
    uint32_t key[6] = {e->name, owner == TP_NO_ID ? TP_NO_ID : tp_operator_event(g->model, owner)->name};
    for (unsigned i = 0; i < 4; i++)
        key[2 + i] = text_of_configuration_value(g, values[i]);
    uint32_t id = tp_keys_add(keys, key);
    if (id == g->by_configuration.count) {
        struct group *group = add_new_group(&g->by_configuration, e->name);
        group->owner_name = key[1];
        memcpy(group->config, key + 2, sizeof group->config);
        memcpy(group->values, values, sizeof group->values);
    }
    add_event_to_group(TP_AT(&g->by_configuration, struct group, id), e, setup, in_steps);
}

static void group_events(struct grouping *g)
{
    const struct tp_model *model = g->model;
    size_t name_size = model->trace->names.count * sizeof(uint32_t);
    uint32_t *of_name = tp_arena_alloc(g->arena, name_size), *of_copy = tp_arena_alloc(g->arena, name_size);
    struct tp_keys keys;
    size_t at = 0;
    tp_keys_init(&keys, g->arena, 6);
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *e = tp_device_event(model, k);
        const struct tp_device_setup *setup = tp_device_setup(model->trace, e->detail);
        bool is_kernel = e->kind == TP_KIND_KERNEL;
        struct in_steps in_steps = {tp_window_length_within(model, &at, e->ts_ns, tp_event_end(e)),
                                    tp_is_in_used_step(model, tp_step_of_device(model, k))};
        struct tp_vec *groups = is_kernel ? &g->names : &g->copies;
        uint32_t *slot = is_kernel ? &of_name[e->name] : &of_copy[e->name];
        if (!*slot) {
            struct group *group = add_new_group(groups, e->name);
            group->is_communication = tp_is_communication(model, k);
            *slot = (uint32_t)groups->count;
        }
        add_event_to_group(TP_AT(groups, struct group, *slot - 1), e, setup, in_steps);
        if (is_kernel && g->has_configs)
            add_to_configuration_group(g, &keys, k, e, setup, in_steps);
    }
    tp_arena_free_item(g->arena, of_name, name_size);
    tp_arena_free_item(g->arena, of_copy, name_size);
}

/* ---- order ---- */

struct order {
    const struct grouping *grouping;
    const struct group *groups;
};

/* Orders groups by total time (longest first), then by name of the kernel, name of the operator (empty if there is no
 * operator), and texts of the configuration. */
static int compare_groups(const void *context, uint32_t i, uint32_t j)
{
    const struct order *order = context;
    const struct group *x = &order->groups[i], *y = &order->groups[j];
    const struct tp_strings *names = &order->grouping->model->trace->names, *configs = &order->grouping->configs;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    int decided = tp_str_compare(names->items[x->name], names->items[y->name]);
    if (!decided)
        decided = tp_str_compare(tp_strings_get(names, x->owner_name), tp_strings_get(names, y->owner_name));
    for (unsigned k = 0; k < 4 && !decided; k++)
        if (x->config[k] != y->config[k])
            decided = tp_str_compare(configs->items[x->config[k]], configs->items[y->config[k]]);
    return decided;
}

static uint32_t *sort_groups(const struct grouping *g, const struct tp_vec *groups)
{
    struct order order = {g, groups->data};
    uint32_t *rows = tp_arena_array(g->arena, groups->count, sizeof *rows);
    for (uint32_t i = 0; i < groups->count; i++)
        rows[i] = i;
    tp_sort_rows(rows, groups->count, compare_groups, &order, g->arena);
    return rows;
}

/* ---- tables ---- */

/* Fills the columns of TIME_COLUMNS in a row. column: index of the first of these columns. */
static void fill_times(struct tp_table *table, size_t row, unsigned column, const struct group *group,
                       int64_t window_ns)
{
    tp_table_int(table, column)[row] = group->calls;
    tp_table_int(table, column + 1)[row] = group->total;
    tp_table_real(table, column + 2)[row] = tp_mean_us(group->total, (uint64_t)group->calls);
    tp_table_int(table, column + 3)[row] = group->longest;
    tp_table_int(table, column + 4)[row] = group->shortest;
    tp_table_int(table, column + 5)[row] = group->in_steps;
    tp_table_real(table, column + 6)[row] = tp_percent(group->in_steps, window_ns);
    tp_table_int(table, column + 7)[row] = group->calls_in_steps;
}

static struct tp_str tensor_core_use_text(uint64_t flags)
{
    return flags & TP_MARK_TC_YES ? TP_STR("yes") : flags & TP_MARK_TC_UNKNOWN ? TP_STR("unknown") : TP_STR("no");
}

static void build_names(struct tp_table *table, struct grouping *g)
{
    uint32_t *rows = sort_groups(g, &g->names);
    tp_table_init(table, g->arena, "by_name", kernel_defs, TP_KERNEL_COLUMNS, g->names.count);
    table->title = "Kernels";
    for (size_t row = 0; row < g->names.count; row++) {
        const struct group *group = TP_AT(&g->names, struct group, rows[row]);
        uint64_t flags = g->model->marks[group->name];
        tp_table_text(table, TP_KERNEL_NAME)[row] = g->model->trace->names.items[group->name];
        tp_table_bool(table, TP_KERNEL_USES_TC)[row] = (flags & TP_MARK_TC_YES) != 0;
        tp_table_text(table, TP_KERNEL_TC_USE)[row] = tensor_core_use_text(flags);
        tp_table_bool(table, TP_KERNEL_COMMUNICATION)[row] = group->is_communication;
        fill_times(table, row, TP_KERNEL_CALLS, group, g->model->window_ns);
        tp_table_real(table, TP_KERNEL_BLOCKS_PER_SM)[row] = weighted_mean(&group->blocks);
        tp_table_real(table, TP_KERNEL_OCCUPANCY)[row] = weighted_mean(&group->occupancy);
    }
}

static void build_configs(struct tp_table *table, struct grouping *g)
{
    uint32_t *rows = sort_groups(g, &g->by_configuration);
    const struct tp_trace *trace = g->model->trace;
    tp_table_init(table, g->arena, "by_name_properties_and_operator", config_defs, TP_CONFIG_COLUMNS,
                  g->by_configuration.count);
    table->title = "Kernels by launch configuration and operator";
    for (size_t row = 0; row < g->by_configuration.count; row++) {
        const struct group *group = TP_AT(&g->by_configuration, struct group, rows[row]);
        bool has_owner = group->owner_name != TP_NO_ID;
        tp_table_text(table, TP_CONFIG_NAME)[row] = trace->names.items[group->name];
        if (has_owner)
            tp_table_text(table, TP_CONFIG_OPERATOR)[row] = trace->names.items[group->owner_name];
        for (unsigned i = 0; i < 4; i++)
            if (group->values[i] != TP_NO_ID)
                tp_table_text(table, TP_CONFIG_GRID + i)[row] =
                    tp_value_output_text(g->arena, trace->values.items[group->values[i]]);
        tp_table_bool(table, TP_CONFIG_USES_TC)[row] = (g->model->marks[group->name] & TP_MARK_TC_YES) != 0;
        tp_table_bool(table, TP_CONFIG_TC_ELIGIBLE)[row] =
            has_owner && (g->model->marks[group->owner_name] & TP_MARK_ELIGIBLE);
        fill_times(table, row, TP_CONFIG_CALLS, group, g->model->window_ns);
        tp_table_real(table, TP_CONFIG_BLOCKS_PER_SM)[row] = weighted_mean(&group->blocks);
        tp_table_real(table, TP_CONFIG_OCCUPANCY)[row] = weighted_mean(&group->occupancy);
    }
}

/* Fills the columns of rates. rows: group of each row. */
static void fill_copy_rates(struct tp_table *table, const struct grouping *g, const uint32_t *rows)
{
    const struct tp_model *model = g->model;
    size_t names = model->trace->names.count, row_count = table->row_count, first = 0;
    uint32_t *row_of = tp_arena_array(g->arena, names, sizeof *row_of);
    size_t *end = tp_arena_array(g->arena, row_count + 1, sizeof *end);
    double *time_ns = tp_arena_array(g->arena, row_count, sizeof *time_ns);
    double *bytes = tp_arena_array(g->arena, row_count, sizeof *bytes);
    for (size_t row = 0; row < row_count; row++) {
        const struct group *group = TP_AT(&g->copies, struct group, rows[row]);
        row_of[group->name] = (uint32_t)row;
        end[row] = first;
        first += (size_t)group->calls;
    }
    double *rates = tp_arena_array(g->arena, first, sizeof *rates);
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *e = tp_device_event(model, k);
        double rate = e->kind == TP_KIND_KERNEL ? NAN : tp_copy_rate(model, k);
        if (isnan(rate))
            continue;
        rates[end[row_of[e->name]]++] = rate;
        time_ns[row_of[e->name]] += tp_copy_time_ns(model, k);
        bytes[row_of[e->name]] += (double)tp_device_setup(model->trace, e->detail)->bytes;
    }
    first = 0;
    for (size_t row = 0; row < row_count; row++) {
        const struct group *group = TP_AT(&g->copies, struct group, rows[row]);
        size_t count = end[row] - first;
        tp_table_real(table, TP_COPY_RATE)[row] = time_ns[row] > 0 ? bytes[row] / time_ns[row] : NAN;
        tp_table_real(table, TP_COPY_RATE_P50)[row] = count ? tp_real_percentile(rates + first, count, 50) : NAN;
        tp_table_real(table, TP_COPY_RATE_P99)[row] = count ? tp_real_percentile(rates + first, count, 99) : NAN;
        tp_table_real(table, TP_COPY_RATE_MAX)[row] = count ? tp_real_percentile(rates + first, count, 100) : NAN;
        first += (size_t)group->calls;
    }
    tp_arena_free_item(g->arena, row_of, names * sizeof *row_of);
    tp_arena_free_item(g->arena, rates, first * sizeof *rates);
}

static void build_copies(struct tp_table *table, struct grouping *g)
{
    uint32_t *rows = sort_groups(g, &g->copies);
    tp_table_init(table, g->arena, "copies_by_name", copy_defs, TP_COPY_COLUMNS, g->copies.count);
    table->title = "Copies and sets";
    for (size_t row = 0; row < g->copies.count; row++) {
        const struct group *group = TP_AT(&g->copies, struct group, rows[row]);
        tp_table_text(table, TP_COPY_NAME)[row] = g->model->trace->names.items[group->name];
        fill_times(table, row, TP_COPY_CALLS, group, g->model->window_ns);
        tp_table_int(table, TP_COPY_BYTES)[row] = group->bytes;
    }
    if (table->row_count)
        fill_copy_rates(table, g, rows);
}

static void compute_tensor_core_ratios(struct tp_kernel_view *view, const struct grouping *g)
{
    int64_t yes = 0, no = 0, unknown = 0;
    for (size_t i = 0; i < g->names.count; i++) {
        const struct group *group = TP_AT(&g->names, struct group, i);
        uint64_t flags = g->model->marks[group->name];
        int64_t *part = flags & TP_MARK_TC_YES ? &yes : flags & TP_MARK_TC_UNKNOWN ? &unknown : &no;
        *part = tp_sat_add(*part, group->total);
    }
    int64_t all = g->model->devices.kernel_time_ns;
    view->using_ratio = tp_ratio(yes, all);
    view->not_using_ratio = tp_ratio(no, all);
    view->unknown_ratio = tp_ratio(unknown, all);
}

static void find_optional_columns(struct tp_kernel_view *view, const struct tp_model *model)
{
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *e = tp_device_event(model, k);
        const struct tp_device_setup *setup = tp_device_setup(model->trace, e->detail);
        if (e->kind != TP_KIND_KERNEL)
            continue;
        view->has_blocks_per_sm |= setup->blocks_per_sm_e9 > 0;
        view->has_occupancy |= setup->occupancy_pct_e9 >= 0;
    }
}

static void build_view(struct tp_kernel_view *view, const struct tp_model *model, bool has_configs,
                       struct tp_arena *arena)
{
    struct grouping g = {.model = model, .arena = arena, .has_configs = has_configs};
    memset(view, 0, sizeof *view);
    view->is_present = model->devices.count > 0;
    if (!view->is_present)
        return;
    size_t value_size = model->trace->values.count * sizeof *g.config_of_value;
    g.names = g.by_configuration = g.copies = TP_VEC(arena, struct group);
    g.config_of_value = tp_arena_alloc(arena, value_size);
    tp_strings_init(&g.configs, arena, 0);
    tp_strings_add(&g.configs, TP_STR("null")); /* adds the text "null" first, so that its id is 0 */
    group_events(&g);
    tp_arena_free_item(arena, g.config_of_value, value_size);
    build_names(&view->by_name, &g);
    build_configs(&view->by_config, &g);
    build_copies(&view->copies, &g);
    compute_tensor_core_ratios(view, &g);
    find_optional_columns(view, model);
}

void tp_kernel_view_build(struct tp_kernel_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    build_view(view, model, true, arena);
}

void tp_kernel_view_build_by_name(struct tp_kernel_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    build_view(view, model, false, arena);
}

#define F struct tp_kernel_view
static const struct tp_json_field pie_fields[] = {
    {"using_ratio", TP_PLAIN(F, using_ratio),
     TP_DEFINITION("share of the kernel time in kernels that use tensor cores")},
    {"not_using_ratio", TP_PLAIN(F, not_using_ratio),
     TP_DEFINITION("share of the kernel time in kernels that use no tensor cores")},
    {"unknown_ratio", TP_PLAIN(F, unknown_ratio),
     TP_DEFINITION("share of the kernel time in kernels whose name does not show whether they use tensor cores")},
};
static const struct tp_fields pie = TP_FIELDS("Kernel time by use of tensor cores", pie_fields);

static const struct tp_json_field fields[] = {
    {"has_blocks_per_sm_column", TP_PLAIN(F, has_blocks_per_sm),
     TP_DEFINITION("true if the trace has the numbers of blocks per multiprocessor")},
    {"has_occupancy_column", TP_PLAIN(F, has_occupancy),
     TP_DEFINITION("true if the trace has the occupancy of kernels")},
    {"by_name", TP_PLAIN(F, by_name), TP_DEFINITION("kernels by name")},
    {"by_name_properties_and_operator", TP_PLAIN(F, by_config),
     TP_DEFINITION("kernels by name, launch configuration and operator")},
    {"copies_by_name", TP_PLAIN(F, copies), TP_DEFINITION("memory copies and memsets by name")},
    {"durations", TP_PLAIN(F, durations),
     TP_DEFINITION("kernels by duration, with the time of their calls on the host")},
    {"tensor_core_pie", TP_PART(&pie), TP_DEFINITION("kernel time by use of tensor cores")},
};
#undef F

const struct tp_fields tp_kernel_view_fields = TP_FIELDS("Kernels", fields);
