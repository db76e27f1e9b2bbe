/* Makes the section of kernels: device time by kind of work, GPU kernels by name, memory copies and sets. The reader
 * can expand a kernel to see its full name and launch configurations. */
#include "webreport/document/name_text.h"
#include "webreport/document/report/sections.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct tp_shown_column KERNEL_COLUMNS[] = {
    {TP_SHOW_COUNT, TP_KERNEL_CALLS, NULL, 0, 0, false, true},
    {TP_SHOW_TIME, TP_KERNEL_TOTAL, "Total", 0, 0, true, true},
    {TP_SHOW_BAR, TP_KERNEL_TOTAL, NULL, 0, 0, false, false},
    {TP_SHOW_SHARE, TP_KERNEL_TOTAL, "Share", 0, 0, false, false},
    {TP_SHOW_TIME, TP_KERNEL_MEAN, "Mean", 2, 0, false, false},
    {TP_SHOW_TIME, TP_KERNEL_MIN, "Min", 2, 0, false, false},
    {TP_SHOW_TIME, TP_KERNEL_MAX, "Max", 2, 0, false, false},
    {TP_SHOW_TEXT, TP_KERNEL_TC_USE, "Tensor Cores", 0, 0, false, false},
    {TP_SHOW_REAL, TP_KERNEL_BLOCKS_PER_SM, "Blocks per SM", 0, 2, false, false},
    {TP_SHOW_REAL, TP_KERNEL_OCCUPANCY, "Occupancy, est. %", 0, 0, false, false},
};
static const struct tp_shown_column COPY_COLUMNS[] = {
    {TP_SHOW_COUNT, TP_COPY_CALLS, NULL, 0, 0, false, true},
    {TP_SHOW_TIME, TP_COPY_TOTAL, "Total", 0, 0, true, true},
    {TP_SHOW_TIME, TP_COPY_MEAN, "Mean", 2, 0, false, false},
    {TP_SHOW_TIME, TP_COPY_MIN, "Min", 2, 0, false, false},
    {TP_SHOW_TIME, TP_COPY_MAX, "Max", 2, 0, false, false},
    {TP_SHOW_BYTES, TP_COPY_BYTES, "Bytes", 0, 0, false, true},
    {TP_SHOW_OWN_TEXT, 0, "Rate", 0, 0, false, false},
};

/* ---- expanded rows: launch configurations of a kernel ---- */

/* Lists of launch configurations, one list for each of the first `count` kernels. `next` links the rows of by_config
 * with the same kernel, longest time first. */
struct config_index {
    uint32_t *first, *next, *last, *count;
};

static struct config_index index_configs_by_kernel(const struct tp_section *section, size_t count)
{
    const struct tp_kernel_view *view = &section->profile->views->kernels;
    struct tp_arena *arena = section->arena;
    struct config_index found = {.first = tp_arena_array(arena, count, sizeof(uint32_t)),
                                 .last = tp_arena_array(arena, count, sizeof(uint32_t)),
                                 .count = tp_arena_array(arena, count, sizeof(uint32_t)),
                                 .next = tp_arena_array(arena, view->by_config.row_count, sizeof(uint32_t))};
    struct tp_strings names;

    tp_strings_init(&names, arena, 0);
    for (size_t i = 0; i < count; i++)
        /* all names are different, so that each name's id equals its row */
        tp_strings_add(&names, tp_table_text(&view->by_name, TP_KERNEL_NAME)[i]);
    for (uint32_t row = 0; row < view->by_config.row_count; row++) {
        uint32_t id = tp_strings_find(&names, tp_table_text(&view->by_config, TP_CONFIG_NAME)[row]);

        if (id == TP_NO_ID || id >= count || found.count[id] >= section->limits->open_items)
            continue;
        if (found.count[id]++)
            found.next[found.last[id]] = row;
        else
            found.first[id] = row;
        found.last[id] = row;
    }
    return found;
}

static struct tp_str text_or_dash(struct tp_str text)
{
    return text.ptr && text.len ? text : TP_STR("\xe2\x80\x93");
}

static void add_launch_configuration(const struct tp_section *section, struct tp_list *items, uint32_t row)
{
    const struct tp_table *table = &section->profile->views->kernels.by_config;
    struct tp_str grid = text_or_dash(tp_table_text(table, TP_CONFIG_GRID)[row]),
                  block = text_or_dash(tp_table_text(table, TP_CONFIG_BLOCK)[row]);
    struct tp_str op = tp_shown_text(&section->naming, tp_table_text(table, TP_CONFIG_OPERATOR)[row]);
    struct tp_object *item = tp_list_add_object(items);

    if (!op.ptr || !op.len)
        op = TP_STR("(no operator)");
    tp_object_add_str(item, "code", op);
    tp_object_add_str(
        item, "note",
        tp_shown_text(
            &section->naming,
            tp_str_of(tp_text_printf(
                section->arena, "grid %.*s \xc3\x97 block %.*s \xc2\xb7 %s \xc2\xb7 %s",
                (int)(grid.len < 80 ? grid.len : 80), grid.ptr, (int)(block.len < 80 ? block.len : 80), block.ptr,
                tp_text_of_counted_noun(section->arena, tp_table_int(table, TP_CONFIG_CALLS)[row], "call", "calls"),
                tp_text_of_time(section->arena, tp_table_int(table, TP_CONFIG_TOTAL)[row])))));
}

static void add_full_name(const struct tp_section *section, struct tp_list *blocks, struct tp_str name)
{
    struct tp_object *block = tp_list_add_object(blocks);
    tp_object_add_text(block, "block_title", "Full name");
    tp_object_add_str(block, "full", tp_shown_text(&section->naming, name));
}

static void add_row_details(const struct tp_section *section, struct tp_shown_table *shown)
{
    const struct tp_table *table = shown->table;
    size_t count = shown->row_count < section->limits->open_rows ? shown->row_count : section->limits->open_rows;
    struct config_index configs = index_configs_by_kernel(section, count);
    bool has_launches = !tp_has_only_devices_of_program(section->profile->model);

    for (size_t row = 0; row < count; row++) {
        struct tp_object *more = tp_object_new(section->arena), *block;
        struct tp_list *blocks = tp_object_add_list(more, "blocks"), *items;

        add_full_name(section, blocks, tp_table_text(table, TP_KERNEL_NAME)[row]);
        if (configs.count[row] && has_launches) {
            block = tp_list_add_object(blocks);
            tp_object_add_text(block, "block_title", "Launched by, longest first");
            tp_object_add_bool(block, "has_items", true);
            items = tp_object_add_list(block, "items");
            for (uint32_t i = 0, at = configs.first[row]; i < configs.count[row]; i++, at = configs.next[at])
                add_launch_configuration(section, items, at);
        }
        shown->rows[row].more = tp_data_of_object(more);
    }
}

/* ---- the tables ---- */

static void add_kernel_table(const struct tp_section *section, struct tp_list *tables)
{
    const struct tp_kernel_view *view = &section->profile->views->kernels;
    /* for devices other than GPUs, the last three columns are omitted */
    bool is_known = !tp_has_only_devices_of_program(section->profile->model);
    unsigned left_out = !is_known ? 3 : view->has_occupancy ? 0 : view->has_blocks_per_sm ? 1 : 2;
    unsigned columns = COUNT(KERNEL_COLUMNS) - left_out;
    struct tp_shown_table *shown =
        tp_section_table_new(section, &view->by_name, KERNEL_COLUMNS, columns, section->limits->kernel_rows);

    shown->name = "kernels";
    shown->name_title = "Kernel";
    shown->caption = tp_section_words_for_producer(section, "{GPU} kernels, sorted by total time");
    shown->foot = tp_text_of_counted_noun(section->arena, (int64_t)view->by_name.row_count, "kernel", "kernels");
    for (size_t i = 0; i < shown->row_count; i++)
        shown->rows[i].name = tp_shown_kernel_name(&section->naming, tp_table_text(&view->by_name, TP_KERNEL_NAME)[i]);
    tp_shown_table_distinguish_rows(&section->naming, shown, TP_KERNEL_NAME);
    add_row_details(section, shown);
    tp_list_add_shown_table(tables, shown);
}

static void add_copy_table(const struct tp_section *section, struct tp_list *tables)
{
    const struct tp_table *copies = &section->profile->views->kernels.copies;
    struct tp_shown_table *shown;
    struct tp_str *rates;

    if (!copies->row_count)
        return;
    shown = tp_section_table_new(section, copies, COPY_COLUMNS, COUNT(COPY_COLUMNS), section->limits->kernel_rows);
    rates = tp_arena_array(section->arena, shown->row_count, sizeof(*rates));
    for (size_t i = 0; i < shown->row_count; i++) {
        int64_t bytes = tp_table_int(copies, TP_COPY_BYTES)[i], total = tp_table_int(copies, TP_COPY_TOTAL)[i];

        rates[i] = bytes != TP_NULL_INT && bytes > 0 && total > 0
                       ? tp_str_of(tp_text_printf(section->arena, "%s GB/s",
                                                  tp_text_of_fixed(section->arena, (double)bytes / (double)total, 1)))
                       : TP_STR("\xe2\x80\x93");
    }
    shown->own_texts[0] = rates;
    shown->heading = "Memory copies and memsets";
    shown->name = "copies";
    shown->name_title = "Operation";
    shown->caption = "Memory copies and memsets, sorted by total time";
    shown->foot = "All";
    for (size_t i = 0; i < shown->row_count; i++) {
        struct tp_str name = tp_table_text(copies, TP_COPY_NAME)[i];
        struct tp_object *more = tp_object_new(section->arena);
        shown->rows[i].name = tp_shown_kernel_name(&section->naming, name);
        add_full_name(section, tp_object_add_list(more, "blocks"), name);
        shown->rows[i].more = tp_data_of_object(more);
    }
    tp_shown_table_distinguish_rows(&section->naming, shown, TP_COPY_NAME);
    tp_list_add_shown_table(tables, shown);
}

static const char *lead_text(const struct tp_section *section)
{
    const struct tp_kernel_view *view = &section->profile->views->kernels;
    const struct tp_model *model = section->profile->model;
    uint64_t launches = 0, small = 0;

    for (uint32_t i = 0; i < model->devices.count; i++) {
        const struct tp_event *event = tp_device_event(model, i);

        launches += event->kind == TP_KIND_KERNEL;
        small += event->kind == TP_KIND_KERNEL && event->dur_ns < 10000;
    }
    bool is_known = !tp_has_only_devices_of_program(model);
    return tp_text_printf(
        section->arena, "%s of %s took %s. %s of the launches ran for less than 10 \xc2\xb5s.%s%s%s",
        tp_text_of_counted_noun(section->arena, (int64_t)launches, "launch", "launches"),
        tp_text_of_counted_noun(section->arena, (int64_t)view->by_name.row_count, "kernel", "kernels"),
        tp_text_of_time(section->arena, section->profile->views->facts.kernel_time_ns),
        tp_text_of_percent(section->arena, launches ? 100 * (double)small / (double)launches : 0),
        is_known ? " Kernels that use Tensor Cores take " : "",
        is_known ? tp_text_of_percent(section->arena, 100 * view->using_ratio) : "",
        is_known ? " of the kernel time." : "");
}

struct tp_data tp_section_kernels(const struct tp_section *section)
{
    const struct tp_kernel_view *view = &section->profile->views->kernels;
    struct tp_object *object;
    struct tp_list *tables;

    if (!view->is_present || !section->limits->kernel_rows || (!view->by_name.row_count && !view->copies.row_count))
        return TP_NO_DATA;
    object = tp_object_new(section->arena);
    tp_object_add_formatted(object, "devices", "%s", tp_devices_word(section->profile->model));
    tp_object_add_sentence(object, "lead", tp_str_of(lead_text(section)));
    tables = tp_object_add_list(object, "tables");
    if (section->profile->advice->times.count)
        tp_section_add_time(section, tables, &section->profile->advice->times.items[0]);
    if (section->profile->advice->works.devices.rows.row_count)
        tp_section_add_works(section, tables, &section->profile->advice->works.devices,
                             tp_section_words_for_producer(section, "{GPU} time by kind of work"));
    if (view->by_name.row_count)
        add_kernel_table(section, tables);
    add_copy_table(section, tables);
    return tp_data_of_object(object);
}
