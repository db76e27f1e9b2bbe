/* Makes the section of memory by device: the use over time, the peak with its live blocks, and allocations by
 * operator. */
#include "webreport/document/charts/chart.h"
#include "webreport/document/report/sections.h"
#include "webreport/measure/memory/memory_category.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct tp_shown_column OP_COLUMNS[] = {
    {TP_SHOW_COUNT, TP_MEMORY_OP_CALLS, "Calls", 0, 0, false, false},
    {TP_SHOW_BYTES, TP_MEMORY_OP_SELF_SIZE, "Allocated", 1, 0, true, true},
    {TP_SHOW_SHARE, TP_MEMORY_OP_SELF_SIZE, "Share", 0, 0, false, false},
    {TP_SHOW_BAR, TP_MEMORY_OP_SELF_SIZE, NULL, 0, 0, false, false},
    {TP_SHOW_COUNT, TP_MEMORY_OP_SELF_COUNT, "Allocations", 0, 0, false, true},
    {TP_SHOW_BYTES, TP_MEMORY_OP_SELF_INCREASE, "Net growth", 1, 0, false, true},
    {TP_SHOW_BYTES, TP_MEMORY_OP_SIZE, "With callees", 1, 0, false, false},
};
static const struct tp_shown_column LIVE_COLUMNS[] = {
    {TP_SHOW_BYTES, TP_LIVE_BYTES, "At the peak", 0, 0, true, TP_SHOWN_SUM},
    {TP_SHOW_SHARE, TP_LIVE_BYTES, "Of peak", 0, 0, false, 0},
    {TP_SHOW_BAR, TP_LIVE_BYTES, NULL, 0, 0, false, 0},
    {TP_SHOW_COUNT, TP_LIVE_BLOCKS, "Blocks", 0, 0, false, TP_SHOWN_SUM | TP_SHOWN_LESS},
};

/* Returns the peak of a device; NULL if the peak is unknown. */
static const struct tp_memory_device *find_peak_of_device(const struct tp_memory_peak *peak,
                                                          const struct tp_device_memory *device)
{
    for (uint32_t i = 0; i < peak->device_count; i++)
        if (peak->devices[i].device_type == device->type && peak->devices[i].device_id == device->id)
            return &peak->devices[i];
    return NULL;
}

static const char *memory_growth_text(struct tp_arena *arena, const struct tp_memory_device *peak)
{
    double creep = peak->creep_bytes_per_step;

    if (isnan(creep) || peak->step_end_count < 2)
        return NULL;
    if (fabs(creep) < 1)
        return peak->step_end_count == 2
                   ? "allocated memory is the same at the ends of both steps"
                   : tp_text_printf(arena, "allocated memory is the same at the ends of all %u steps",
                                    peak->step_end_count);
    return tp_text_printf(
        arena, "%s%s per step, measured at the ends of %u steps; the longest rise lasts %s", creep > 0 ? "+" : "",
        tp_text_of_bytes(arena, fabs(creep) < 9e18 ? (int64_t)llround(creep) : 0), peak->step_end_count,
        tp_text_of_counted_noun(arena, peak->longest_rise_steps, "step", "steps"));
}

static void put_facts(const struct tp_section *section, struct tp_object *object, const struct tp_memory_device *peak,
                      int64_t capacity)
{
    struct tp_list *facts = tp_object_add_list(object, "facts");
    struct tp_arena *arena = section->arena;

    if (!peak)
        return;
    tp_list_add_fact(
        facts, "Peak allocated",
        tp_text_printf(arena, "%s at %s%s", tp_text_of_bytes(arena, peak->peak_allocated_bytes),
                       tp_text_of_time(arena, peak->peak_at_ns),
                       peak->totals_known ? "" : ", above the unknown amount allocated at the start of the trace"));
    if (peak->peak_reserved_bytes > 0)
        tp_list_add_fact(facts, "Peak reserved", tp_text_of_bytes(arena, peak->peak_reserved_bytes));
    if (capacity > 0)
        tp_list_add_fact(facts, "Capacity", tp_text_of_bytes(arena, capacity));
    if (!isnan(peak->fragmentation_percent))
        tp_list_add_fact(facts, "Fragmentation",
                         tp_text_printf(arena, "At the peak, %s of the reserved memory is not allocated",
                                        tp_text_of_percent(arena, peak->fragmentation_percent)));
    if (peak->live_bytes != TP_NULL_INT)
        tp_list_add_fact(facts, "Alive at the peak",
                         tp_text_printf(arena, "%s in %s allocated during the recording%s",
                                        tp_text_of_bytes(arena, peak->live_bytes),
                                        tp_text_of_counted_noun(arena, peak->live_block_count, "block", "blocks"),
                                        peak->preexisting_bytes > 0
                                            ? tp_text_printf(arena, ", and %s allocated before",
                                                             tp_text_of_bytes(arena, peak->preexisting_bytes))
                                            : ""));
    tp_list_add_fact(facts, "Growth", memory_growth_text(arena, peak));
    tp_list_add_fact(facts, "Records",
                     tp_text_printf(arena, "%s, %s",
                                    tp_text_of_counted_noun(arena, peak->allocation_count, "allocation", "allocations"),
                                    tp_text_of_counted_noun(arena, peak->release_count, "release", "releases")));
}

static void add_operators(const struct tp_section *section, struct tp_list *tables,
                          const struct tp_device_memory *device)
{
    enum tp_producer producer = section->profile->model->producer;
    struct tp_shown_table *shown;
    struct tp_table *sorted;

    if (!device->operators_folded.row_count)
        return;
    sorted = tp_table_copy_sorted(section->arena, &device->operators_folded, TP_MEMORY_OP_SELF_SIZE);
    shown = tp_section_table_new(section, sorted, OP_COLUMNS, COUNT(OP_COLUMNS), section->limits->memory_rows);
    shown->name = "memory";
    shown->noun = "{operators}";
    shown->name_title = "{Operator}";
    shown->heading =
        tp_text_printf(section->arena, "%s, %.*s", tp_section_words_for_producer(section, "Allocated by {operator}"),
                       (int)device->name.len, device->name.ptr);
    shown->caption =
        tp_text_printf(section->arena, "%.*s memory %s", (int)device->name.len, device->name.ptr,
                       tp_uses_torch_words(producer)
                           ? "allocated by operator; memory from aten::empty and similar operators is assigned to "
                             "their callers"
                           : "allocated by call");
    shown->foot = tp_operator_count_text(producer, sorted->row_count, section->arena);
    tp_shown_table_set_row_names(&section->naming, shown, TP_MEMORY_OP_NAME);
    tp_list_add_shown_table(tables, shown);
}

/* A table of the memory that is alive at the peak, in one grouping. */
struct live_group {
    const struct tp_table *table; /* NULL: unknown */
    const char *title, *noun, *heading;
};

enum { LIVE_GROUPS = 5 };

/* Fills the groupings, the most useful first. */
static void fill_live_groups(struct live_group groups[LIVE_GROUPS], const struct tp_section *section,
                             const struct tp_memory_device *peak)
{
    const struct live_group all[LIVE_GROUPS] = {
        {peak ? &peak->live_by_line : NULL, "Held at the peak, by source line", "lines", "Alive at the peak, by line"},
        {peak && tp_uses_torch_words(section->profile->model->producer) ? &peak->live_by_category : NULL,
         "Purpose of the memory", "purposes", "Memory at the peak, by purpose"},
        {peak ? &peak->live_by_op : NULL, "Held at the peak, by {operator}", "{operators}",
         tp_section_words_for_producer(section, "Alive at the peak, by {operator}")},
        {peak ? &peak->live_by_stack : NULL, "Stack, innermost frame first", "stacks",
         "Alive at the peak, by the stack that allocated it"},
        {peak ? &peak->live_by_module : NULL, "Module", "modules", "Alive at the peak, by module"},
    };
    for (unsigned i = 0; i < LIVE_GROUPS; i++) {
        groups[i] = all[i];
        /* a table whose only row has no name says nothing, and is omitted */
        const struct tp_table *table = all[i].table;
        if (table && (!table->row_count || (table->row_count == 1 && !tp_table_text(table, TP_LIVE_NAME)[0].len)))
            groups[i].table = NULL;
    }
}

static struct tp_shown_table *make_live_table(const struct tp_section *section, const struct live_group *group,
                                              const struct tp_device_memory *device, bool has_heading)
{
    struct tp_shown_table *shown = tp_section_table_new(section, group->table, LIVE_COLUMNS, COUNT(LIVE_COLUMNS),
                                                        section->limits->memory_rows / 4 + 1);
    shown->name = group->heading;
    shown->heading = has_heading ? group->heading : NULL;
    shown->caption =
        tp_text_printf(section->arena, "%s, device %.*s", group->heading, (int)device->name.len, device->name.ptr);
    shown->name_title = group->title;
    shown->noun = group->noun;
    shown->foot = "All";
    tp_shown_table_set_row_names(&section->naming, shown, TP_LIVE_NAME);
    for (size_t i = 0; i < shown->row_count; i++)
        shown->rows[i].cause = "gpu";
    return shown;
}

/* Adds the tables of the memory at the peak: the first one to `open`, the others to `closed`. */
static void add_tables_of_live_memory(const struct tp_section *section, struct tp_list *open, struct tp_list *closed,
                                      const struct tp_device_memory *device, const struct tp_memory_device *peak)
{
    struct live_group groups[LIVE_GROUPS];
    bool is_first = true;

    fill_live_groups(groups, section, peak);
    for (unsigned i = 0; i < LIVE_GROUPS; i++) {
        if (!groups[i].table)
            continue;
        tp_list_add_shown_table(is_first ? open : closed, make_live_table(section, &groups[i], device, !is_first));
        is_first = false;
    }
}

/* Adds the curve, tables and facts of a device to an object. */
static void put_device(const struct tp_section *section, struct tp_object *object, uint32_t index)
{
    const struct tp_memory_view *view = &section->profile->views->memory;
    const struct tp_device_memory *device = &view->devices[index];
    const struct tp_memory_device *peak = find_peak_of_device(&section->profile->advice->memory, device);
    int64_t capacity = tp_table_int(&view->information, TP_MEMORY_CAPACITY)[index];
    struct tp_memory_curve curve = {section->profile->model, device, view->first_ns, capacity,
                                    &section->profile->views->overview.steps};

    tp_object_add_str(object, "device_name", device->name);
    tp_object_add_text(object, "device_note",
                       tp_text_of_counted_noun(section->arena,
                                               tp_table_int(&view->information, TP_MEMORY_RECORDS)[index], "record",
                                               "records"));
    tp_object_add_value(object, "curve",
                        section->limits->has_curves ? tp_chart_memory(section->arena, &curve) : TP_NO_DATA);
    struct tp_list *open = tp_object_add_list(object, "open_tables"), *closed = tp_object_add_list(object, "tables");
    add_tables_of_live_memory(section, open, closed, device, peak);
    tp_object_add_bool(object, "has_open_tables", open->items.count > 0);
    put_facts(section, object, peak, capacity);
    add_operators(section, closed, device);
}

/* Returns a text about the category with the most bytes at the peak, such as " The largest part, 61 % of the peak, is
 * activations."; "" if that category is unknown or has no name. */
static const char *largest_category_text(const struct tp_section *section, const struct tp_memory_device *peak)
{
    const struct tp_table *table = &peak->live_by_category;

    if (!table->row_count || !tp_uses_torch_words(section->profile->model->producer))
        return "";
    struct tp_str name = tp_table_text(table, TP_LIVE_NAME)[0];
    if (tp_str_equal(name, tp_str_of(tp_memory_category_text(TP_MEMORY_RESERVED))))
        return "";
    return tp_text_printf(section->arena, " The largest part, %s of the peak, is %.*s.",
                          tp_text_of_percent(section->arena, tp_percent(tp_table_int(table, TP_LIVE_BYTES)[0],
                                                                        peak->peak_allocated_bytes)),
                          (int)name.len, name.ptr);
}

/* Returns the name of a device in a sentence, such as "the CPU" or "GPU0". */
static const char *device_name_in_sentence(struct tp_arena *arena, const struct tp_device_memory *device)
{
    return tp_text_printf(arena, "%s%.*s", tp_str_equal(device->name, TP_STR("CPU")) ? "the " : "",
                          (int)device->name.len, device->name.ptr);
}

static void put_lead(const struct tp_section *section, struct tp_object *object)
{
    const struct tp_memory_view *view = &section->profile->views->memory;
    const struct tp_device_memory *device = &view->devices[view->default_device];
    const struct tp_memory_device *peak = find_peak_of_device(&section->profile->advice->memory, device);
    int64_t capacity = tp_table_int(&view->information, TP_MEMORY_CAPACITY)[view->default_device];
    struct tp_arena *arena = section->arena;
    const char *name = device_name_in_sentence(arena, device);

    if (!peak)
        tp_object_add_lead(object, "The trace has memory records of %s.", name);
    else if (!peak->totals_known)
        tp_object_add_lead(object,
                           "The memory of %s peaks at **%s** above its level at the start. The trace contains no "
                           "absolute totals, so the curve starts at zero.",
                           name, tp_text_of_bytes(arena, peak->peak_allocated_bytes));
    else if (capacity > 0)
        tp_object_add_lead(object, "At the peak, **%s** of the %s of %s are allocated.%s",
                           tp_text_of_percent(arena, tp_percent(peak->peak_allocated_bytes, capacity)),
                           tp_text_of_bytes(arena, capacity), name, largest_category_text(section, peak));
    else
        tp_object_add_lead(object, "The allocated memory of %s peaks at **%s**.%s", name,
                           tp_text_of_bytes(arena, peak->peak_allocated_bytes), largest_category_text(section, peak));
}

struct tp_data tp_section_memory(const struct tp_section *section)
{
    const struct tp_memory_view *view = &section->profile->views->memory;
    struct tp_object *object;
    struct tp_list *devices;

    if (!view->is_present || !view->device_count || !section->limits->memory_rows)
        return TP_NO_DATA;
    object = tp_object_new(section->arena);
    put_lead(section, object);
    put_device(section, tp_object_add_object(object, "main_device"), view->default_device);
    devices = tp_object_add_list(object, "devices");
    for (uint32_t i = 0; i < view->device_count && devices->items.count < 15; i++)
        if (i != view->default_device)
            put_device(section, tp_list_add_object(devices), i);
    return tp_data_of_object(object);
}
