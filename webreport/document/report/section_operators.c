/* Makes the section of operators: by name, and by name and shape. The reader can expand a row to see Python stacks and
 * input shapes. */
#include "webreport/document/report/sections.h"
#include "webreport/document/words/argument_words.h"

#include <math.h>

enum { MAX_FRAMES = 8, MAX_STACK_BYTES = 4096 };

/* ---- expanded rows: stacks and shapes of an operator ---- */

/* Returns whether PyTorch itself adds this frame to stacks, so that the frame does not describe the program. */
static bool is_torch_internal_frame(struct tp_str text)
{
    static const char *const PATHS[] = {"torch/nn/modules/container.py(", "runpy.py(", "<frozen runpy>(", "<built-in"};
    static const char *const FUNCTIONS[] = {"_call_impl", "_wrapped_call_impl", "_run_module_code"};
    struct tp_frame frame;
    bool is_frame = tp_frame_parse(&frame, text);

    for (size_t i = 0; i < sizeof(PATHS) / sizeof(PATHS[0]); i++)
        if (tp_str_starts(tp_frame_short_name(text), PATHS[i]))
            return true;
    for (size_t i = 0; is_frame && i < sizeof(FUNCTIONS) / sizeof(FUNCTIONS[0]); i++)
        if (tp_str_equal(frame.function, tp_str_of(FUNCTIONS[i])))
            return true;
    return false;
}

static void add_frames(const struct tp_section *section, struct tp_object *object_of_stack,
                       const struct tp_stacks *stacks, uint32_t node)
{
    struct tp_list *frames = tp_object_add_list(object_of_stack, "frames");
    size_t count = 0, bytes = 0;

    while (node != TP_NO_ID && count < MAX_FRAMES && bytes < MAX_STACK_BYTES) {
        struct tp_stack stack = tp_stack_at(stacks, node);
        struct tp_str frame = tp_stack_frame_text(stacks, stack.frame);

        node = stack.parent;
        bytes += frame.len + 1;
        if (!frame.len || is_torch_internal_frame(frame))
            continue;
        struct tp_object *object = tp_list_add_object(frames);

        tp_object_add_str(object, "frame", tp_shown_text(&section->naming, tp_frame_short_name(frame)));
        tp_object_add_text(object, "frame_href", tp_source_link(&section->naming, frame));
        count++;
    }
}

/* Returns the frame that is the line of a stack (docs/definitions.md, section 6); "" for a stack without a line. */
static struct tp_str line_of_stack(const struct tp_frames *frames, const struct tp_stacks *stacks, uint32_t node)
{
    struct tp_str library_line = TP_STR("");
    while (node != TP_NO_ID) {
        struct tp_stack stack = tp_stack_at(stacks, node);
        struct tp_str text = tp_stack_frame_text(stacks, stack.frame);
        struct tp_frame frame;
        struct tp_code code = tp_frames_code(frames, &frame, text);

        if (code.origin == TP_ORIGIN_USER)
            return text;
        if (code.is_line && !library_line.len)
            library_line = text;
        node = stack.parent;
    }
    return library_line;
}

struct tp_str tp_section_line_of_operator(const struct tp_section *section, struct tp_str name)
{
    const struct tp_operator_view *view = &section->profile->views->operators;
    const struct tp_stack_table *table = &view->stacks_by_name;
    const struct tp_frames *frames = &section->profile->model->trace->frames;
    struct tp_str line = TP_STR("");

    if (section->profile->views->compiled.is_present)
        line = tp_section_compiled_line(section, name);
    if (line.len)
        return line;
    for (uint32_t low = 0, high = table->group_count; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        const struct tp_stack_group *group = &table->groups[middle];
        int order = tp_str_compare(group->key, name);
        if (order < 0)
            low = middle + 1;
        else if (order > 0)
            high = middle;
        else {
            for (uint32_t i = 0; i < group->count; i++) {
                struct tp_str frame = line_of_stack(frames, table->stacks, table->stack[group->first + i]);
                if (i && !tp_str_equal(frame, line))
                    return TP_STR("");
                line = frame;
            }
            break;
        }
    }
    struct tp_frame frame;
    struct tp_code code = tp_frames_code(frames, &frame, line);
    if (!code.is_line || !frame.line)
        return TP_STR("");
    return tp_str_of(tp_place_text(section->arena, &frame));
}

/* Returns whether the tables show and sort by device time. This is false if the program itself defined all devices,
 * because operators do not launch work on them. */
static bool has_device_times(const struct tp_section *section)
{
    return section->profile->views->operators.sorted_by_device &&
           !tp_has_only_devices_of_program(section->profile->model);
}

/* Returns the word for the devices in titles; NULL if the tables show host times. */
static const char *device_title(const struct tp_section *section)
{
    return has_device_times(section) ? tp_devices_word(section->profile->model) : NULL;
}

static const char *calls_text(struct tp_arena *arena, const struct tp_table *table, size_t row, unsigned shift,
                              const char *device)
{
    int64_t calls = tp_table_int(table, TP_OP_CALLS + shift)[row];
    const char *host = tp_text_of_time(arena, tp_table_int(table, TP_OP_HOST_SELF + shift)[row]);

    if (!device)
        return tp_text_printf(arena, "%s \xc2\xb7 CPU self %s", tp_text_of_counted_noun(arena, calls, "call", "calls"),
                              host);
    return tp_text_printf(arena, "%s \xc2\xb7 %s self %s \xc2\xb7 CPU self %s",
                          tp_text_of_counted_noun(arena, calls, "call", "calls"), device,
                          tp_text_of_time(arena, tp_table_int(table, TP_OP_DEVICE_SELF + shift)[row]), host);
}

static void add_stacks(const struct tp_section *section, struct tp_list *blocks, size_t row)
{
    const struct tp_operator_view *view = &section->profile->views->operators;
    const struct tp_stack_table *table = &view->stacks_by_name;
    uint32_t group = view->stack_group_by_name_row ? view->stack_group_by_name_row[row] : TP_NO_ID;
    const char *what = tp_phrase(TP_PHRASE_STACKS, section->profile->model->producer);
    struct tp_object *block;
    struct tp_list *stacks;
    size_t count;

    if (group == TP_NO_ID || group >= table->group_count)
        return;
    count = table->groups[group].count;
    block = tp_list_add_object(blocks);
    tp_object_add_text(block, "block_title",
                       count > section->limits->open_items
                           ? tp_text_printf(section->arena, "%s, %zu of %zu, innermost frame first", what,
                                            section->limits->open_items, count)
                           : tp_text_printf(section->arena, "%s, innermost frame first", what));
    stacks = tp_object_add_list(block, "stacks");
    for (size_t i = 0; i < count && i < section->limits->open_items; i++) {
        size_t at = table->groups[group].first + i;
        struct tp_object *stack = tp_list_add_object(stacks);

        tp_object_add_text(stack, "head", calls_text(section->arena, &table->table, at, 0, device_title(section)));
        add_frames(section, stack, table->stacks, table->stack[at]);
    }
}

/* Lists of shapes, one list for each of the first `count` operator names. `next` links the rows of by_shape with the
 * same name. */
struct shape_index {
    uint32_t *first, *next, *last;
    uint32_t *shapes; /* element for each name: number of shapes with this name */
};

static struct shape_index index_shapes(const struct tp_section *section, size_t count)
{
    const struct tp_operator_view *view = &section->profile->views->operators;
    struct tp_arena *arena = section->arena;
    struct shape_index index = {.first = tp_arena_array(arena, count, sizeof(uint32_t)),
                                .last = tp_arena_array(arena, count, sizeof(uint32_t)),
                                .shapes = tp_arena_array(arena, count, sizeof(uint32_t)),
                                .next = tp_arena_array(arena, view->by_shape.row_count, sizeof(uint32_t))};
    struct tp_strings names;

    tp_strings_init(&names, arena, 0);
    for (size_t i = 0; i < count; i++)
        /* all names are different, so that each name's id equals its row */
        tp_strings_add(&names, tp_table_text(&view->by_name, TP_OP_NAME)[i]);
    for (uint32_t row = 0; row < view->by_shape.row_count; row++) {
        uint32_t id = tp_strings_find(&names, tp_table_text(&view->by_shape, TP_OP_NAME)[row]);

        if (id == TP_NO_ID || id >= count || index.shapes[id] >= section->limits->open_items)
            continue;
        if (index.shapes[id]++)
            index.next[index.last[id]] = row;
        else
            index.first[id] = row;
        index.last[id] = row;
    }
    return index;
}

static void add_shapes(const struct tp_section *section, struct tp_list *blocks, const struct shape_index *index,
                       size_t row)
{
    const struct tp_table *table = &section->profile->views->operators.by_shape;
    struct tp_object *block;
    struct tp_list *items;

    if (!index->shapes[row] ||
        (index->shapes[row] == 1 && tp_table_text(table, TP_OP_SHAPE)[index->first[row]].len <= 2))
        return;
    block = tp_list_add_object(blocks);
    tp_object_add_text(block, "block_title", "Input shapes, most self time first");
    tp_object_add_bool(block, "has_items", true);
    items = tp_object_add_list(block, "items");
    for (uint32_t i = 0, at = index->first[row]; i < index->shapes[row]; i++, at = index->next[at]) {
        struct tp_object *item = tp_list_add_object(items);

        tp_object_add_str(
            item, "code",
            tp_shown_text(&section->naming, tp_shapes_text(section->arena, tp_table_text(table, TP_OP_SHAPE)[at])));
        tp_object_add_text(item, "note", calls_text(section->arena, table, at, 1, device_title(section)));
    }
}

static struct tp_str tensor_core_text(struct tp_arena *arena, const struct tp_table *table, size_t row)
{
    double used = tp_table_real(table, TP_OP_TC_SELF)[row];

    if (used > 0)
        return tp_str_of(
            tp_text_printf(arena, "Tensor Cores in %s of the self time", tp_text_of_percent(arena, 100 * used)));
    if (tp_table_bool(table, TP_OP_TC_ELIGIBLE)[row])
        return TP_STR("Tensor Cores could be used");
    return TP_STR("");
}

/* Adds the times with callees, and the use of Tensor Cores, to an opened row. */
static void add_totals(const struct tp_section *section, struct tp_list *blocks, size_t row)
{
    const struct tp_table *table = &section->profile->views->operators.by_name;
    struct tp_arena *arena = section->arena;
    const char *device = device_title(section);
    const char *text =
        tp_text_printf(arena, "CPU %s", tp_text_of_time(arena, tp_table_int(table, TP_OP_HOST_TOTAL)[row]));
    struct tp_object *block = tp_list_add_object(blocks);

    if (device) {
        struct tp_str cores = tensor_core_text(arena, table, row);
        text = tp_text_printf(arena, "%s %s \xc2\xb7 %s%s%.*s", device,
                              tp_text_of_time(arena, tp_table_int(table, TP_OP_DEVICE_TOTAL)[row]), text,
                              cores.len ? " \xc2\xb7 " : "", (int)cores.len, cores.ptr);
    }
    tp_object_add_text(block, "block_title",
                       tp_section_words_for_producer(section, "With the {operators} that it calls"));
    tp_object_add_bool(block, "has_items", true);
    struct tp_object *item = tp_list_add_object(tp_object_add_list(block, "items"));
    tp_object_add_text(item, "code", "");
    tp_object_add_text(item, "note", text);
}

static void add_row_details(const struct tp_section *section, struct tp_shown_table *shown)
{
    size_t count = shown->row_count < section->limits->open_rows ? shown->row_count : section->limits->open_rows;
    struct shape_index index = index_shapes(section, count);

    for (size_t row = 0; row < count; row++) {
        struct tp_object *more = tp_object_new(section->arena);
        struct tp_list *blocks = tp_object_add_list(more, "blocks");

        add_totals(section, blocks, row);
        add_stacks(section, blocks, row);
        add_shapes(section, blocks, &index, row);
        if (blocks->items.count)
            shown->rows[row].more = tp_data_of_object(more);
    }
}

/* ---- the tables ---- */

static const struct tp_shown_column GPU_COLUMNS[] = {
    {TP_SHOW_COUNT, TP_OP_CALLS, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_OP_DEVICE_SELF, "{GPU} self", 1, 0, true, TP_SHOWN_SUM},
    {TP_SHOW_SHARE, TP_OP_DEVICE_SELF, "Of {GPU}", 0, 0, false, 0},
    {TP_SHOW_TIME, TP_OP_HOST_SELF, "CPU self", 1, 0, false, TP_SHOWN_SUM | TP_SHOWN_LESS},
};
static const struct tp_shown_column CPU_COLUMNS[] = {
    {TP_SHOW_COUNT, TP_OP_CALLS, NULL, 0, 0, false, false},
    {TP_SHOW_TIME, TP_OP_HOST_SELF, "CPU self", 1, 0, true, true},
    {TP_SHOW_SHARE, TP_OP_HOST_SELF, "Of CPU", 0, 0, false, false},
    {TP_SHOW_BAR, TP_OP_HOST_SELF, NULL, 0, 0, false, false},
    {TP_SHOW_TIME, TP_OP_HOST_TOTAL, "CPU total", 1, 0, false, false},
};
static const struct tp_shown_column GPU_SHAPED[] = {
    {TP_SHOW_OWN_TEXT, 0, "Input shapes", 0, 0, false, false},
    {TP_SHOW_COUNT, TP_OP_SHAPED(TP_OP_CALLS), NULL, 0, 0, false, false},
    {TP_SHOW_TIME, TP_OP_SHAPED(TP_OP_DEVICE_SELF), "{GPU} self", 1, 0, true, true},
    {TP_SHOW_TIME, TP_OP_SHAPED(TP_OP_DEVICE_TOTAL), "{GPU} total", 1, 0, false, false},
    {TP_SHOW_TIME, TP_OP_SHAPED(TP_OP_HOST_SELF), "CPU self", 1, 0, false, true},
};
static const struct tp_shown_column CPU_SHAPED[] = {
    {TP_SHOW_OWN_TEXT, 0, "Input shapes", 0, 0, false, false},
    {TP_SHOW_COUNT, TP_OP_SHAPED(TP_OP_CALLS), NULL, 0, 0, false, false},
    {TP_SHOW_TIME, TP_OP_SHAPED(TP_OP_HOST_SELF), "CPU self", 1, 0, true, true},
    {TP_SHOW_TIME, TP_OP_SHAPED(TP_OP_HOST_TOTAL), "CPU total", 1, 0, false, false},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void add_table_by_name(const struct tp_section *section, struct tp_list *tables)
{
    const struct tp_operator_view *view = &section->profile->views->operators;
    bool is_gpu = has_device_times(section);
    struct tp_shown_table *shown =
        tp_section_table_new(section, &view->by_name, is_gpu ? GPU_COLUMNS : CPU_COLUMNS,
                             is_gpu ? COUNT(GPU_COLUMNS) : COUNT(CPU_COLUMNS), section->limits->operator_rows);

    shown->name = "operators";
    shown->noun = "{operators}";
    shown->name_title = "{Operator}";
    shown->caption = tp_section_words_for_producer(section, is_gpu ? "{Operators}, sorted by {GPU} self time"
                                                                   : "{Operators}, sorted by CPU self time");
    shown->foot = tp_operator_count_text(section->profile->model->producer, view->by_name.row_count, section->arena);
    tp_shown_table_set_row_names(&section->naming, shown, TP_OP_NAME);
    add_row_details(section, shown);
    tp_list_add_shown_table(tables, shown);
}

static bool has_shapes(const struct tp_table *by_shape)
{
    for (size_t i = 0; i < by_shape->row_count; i++)
        if (tp_table_text(by_shape, TP_OP_SHAPE)[i].len > 2)
            return true;
    return false;
}

static void add_table_by_shape(const struct tp_section *section, struct tp_list *tables)
{
    const struct tp_operator_view *view = &section->profile->views->operators;
    bool is_gpu = has_device_times(section);
    struct tp_shown_table *shown;
    struct tp_str *texts;

    if (!section->limits->shape_rows || !has_shapes(&view->by_shape))
        return;
    shown = tp_section_table_new(section, &view->by_shape, is_gpu ? GPU_SHAPED : CPU_SHAPED,
                                 is_gpu ? COUNT(GPU_SHAPED) : COUNT(CPU_SHAPED), section->limits->shape_rows);
    texts = tp_arena_array(section->arena, shown->row_count, sizeof(*texts));
    for (size_t i = 0; i < shown->row_count; i++)
        texts[i] = tp_shown_text(&section->naming,
                                 tp_shapes_text(section->arena, tp_table_text(&view->by_shape, TP_OP_SHAPE)[i]));
    shown->own_texts[0] = texts;
    shown->heading = "By input shape";
    shown->shows_all_rows = true;
    shown->name = "operators by shape";
    shown->noun = "combinations";
    shown->name_title = "{Operator}";
    shown->caption = tp_section_words_for_producer(section, "{Operators} by input shape");
    shown->foot =
        tp_text_of_counted_noun(section->arena, (int64_t)view->by_shape.row_count, "combination", "combinations");
    tp_shown_table_set_row_names(&section->naming, shown, TP_OP_NAME);
    tp_list_add_shown_table(tables, shown);
}

/* Adds the sentence on the operators with the most self time, and on device work without an operator. */
static void put_lead(const struct tp_section *section, struct tp_object *object)
{
    static const char *const numbers[] = {"", "One {operator} takes", "Two {operators} take", "Three {operators} take"};
    const struct tp_operator_view *view = &section->profile->views->operators;
    const int64_t *self = tp_table_int(&view->by_name, has_device_times(section) ? TP_OP_DEVICE_SELF : TP_OP_HOST_SELF);
    double sum = 0, top = 0;
    size_t count = 0;
    const char *unlinked = "";
    const struct tp_capture_view *captures = &section->profile->views->captures;

    for (size_t i = 0; i < view->by_name.row_count; i++)
        sum += (double)self[i];
    while (count < 3 && count < view->by_name.row_count && top < sum / 2)
        top += (double)self[count++];
    int64_t unlinked_count = (int64_t)view->unlinked_device_events - captures->linked_count;
    if (unlinked_count > 0)
        unlinked =
            tp_text_printf(section->arena, " %s (%s) could not be linked to %s.",
                           tp_text_of_counted_noun(section->arena, unlinked_count, "device event", "device events"),
                           tp_text_of_time(section->arena, view->unlinked_device_time_ns - captures->linked_ns),
                           tp_section_words_for_producer(section, "{an operator}"));
    if (view->by_name.row_count < 2 || sum <= 0) /* a single name takes all of the time */
        tp_object_add_lead(object, "%s", *unlinked ? unlinked + 1 : "");
    else
        tp_object_add_lead(object, "%s **%s** of %s.%s", tp_section_words_for_producer(section, numbers[count]),
                           tp_text_of_percent(section->arena, 100 * top / sum),
                           tp_section_words_for_producer(section, has_device_times(section)
                                                                      ? "the {GPU} time of all {operators}"
                                                                      : "{operator time}"),
                           unlinked);
}

struct tp_data tp_section_operators(const struct tp_section *section)
{
    struct tp_object *object;
    struct tp_list *tables, *more_tables;

    if (!section->profile->views->operators.by_name.row_count || !section->limits->operator_rows)
        return TP_NO_DATA;
    object = tp_object_new(section->arena);
    tp_object_add_text(object, "operators_title", tp_section_words_for_producer(section, "{Operators}"));
    put_lead(section, object);
    tables = tp_object_add_list(object, "tables");
    more_tables = tp_object_add_list(object, "more_tables");
    add_table_by_name(section, tables);
    tp_section_add_captured_operators(section, tables);
    tp_section_add_compiled(section, tables);
    add_table_by_shape(section, more_tables);
    tp_object_add_bool(object, "has_captures", tp_section_add_captures(section, more_tables));
    /* if the trace has device work, the section of device work contains this table */
    if (!section->profile->advice->works.devices.rows.row_count)
        tp_section_add_works(section, more_tables, &section->profile->advice->works.operators,
                             "Self time by kind of work");
    tp_object_add_bool(object, "has_more", more_tables->items.count > 0);
    return tp_data_of_object(object);
}
