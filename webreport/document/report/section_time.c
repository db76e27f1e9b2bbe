/* Adds the time of a device as a table to the section of device work. The rows form a tree: parts of the time, kinds of
 * work, kernels. */
#include <math.h>

#include "webreport/document/name_text.h"
#include "webreport/document/report/sections.h"
#include "webreport/document/words/reason_words.h"
#include "webreport/measure/tree/time_table.h"
#include "webreport/measure/work/work_rules.h"

enum { ROWS = 30, OPEN_DEPTH = 1, KIND_DEPTH = 2, KERNEL_DEPTH = 5 };

#define BEGIN                                                                                                          \
    {TP_SHOW_TIME, TP_TIME_TIME, NULL, 0, 0, false, 0}, {TP_SHOW_PERCENT, TP_TIME_SHARE, NULL, 0, 0, false, 0},        \
        {TP_SHOW_BAR, TP_TIME_TIME, NULL, 0, 0, false, 0},                                                             \
    {                                                                                                                  \
        TP_SHOW_COUNT, TP_TIME_CALLS, NULL, 0, 0, false, 0                                                             \
    }
#define RATES                                                                                                          \
    {TP_SHOW_REAL, TP_TIME_FLOPS_RATE, "TFLOP/s", 0, 1, false, 0},                                                     \
    {                                                                                                                  \
        TP_SHOW_REAL, TP_TIME_BYTES_RATE, "GB/s", 0, 0, false, 0                                                       \
    }

static const struct tp_shown_column PLAIN[] = {BEGIN};
static const struct tp_shown_column COSTED[] = {BEGIN, RATES};
static const struct tp_shown_column FLOORED[] = {BEGIN,
                                                 RATES,
                                                 {TP_SHOW_PERCENT, TP_TIME_REACHED, NULL, 0, 0, false, 0},
                                                 {TP_SHOW_TIME, TP_TIME_HEADROOM, NULL, 0, 0, false, 0},
                                                 {TP_SHOW_TEXT, TP_TIME_BOUND, NULL, 0, 0, false, 0}};

/* Pairs of a name in JSON, as in the idle view and in docs/definitions.md, and the title that readers see. */
static const char *const TITLES[][2] = {
    {"host", "The device waits for the host"},
    {"launch", "Inside the launching call"},
    {"queue", "Launched, not started"},
    {"outside", "Outside the recorded work"},
    {"unknown", "Launch not recorded"},
    {"exposed communication", "Communication not overlapped by computation"},
    {"exposed copy", "Copies not overlapped by computation"},
    {"device wait", "Waits inside the device"},
    {"compute", "Compute"},
};
static const char *const HOST_TITLES[][2] = {
    {"data loading", "Data loading"}, {"operator", "Inside operators"},  {"python", "Python code"},
    {"annotation", "Ranges"},         {"nothing", "Nothing recorded"},   {"launch call", "Other launches"},
    {"synchronise", "Synchronising"}, {"copy call", "Calls that copy"},  {"allocate", "Allocating"},
    {"set-up", "Setting up"},         {"runtime", "Other runtime calls"}};

static struct tp_str find_title_of_text(const char *const titles[][2], size_t count, struct tp_str text)
{
    for (size_t i = 0; i < count; i++)
        if (tp_str_equal(text, tp_str_of(titles[i][0])))
            return tp_str_of(titles[i][1]);
    return text;
}

static struct tp_str title_of_kind(struct tp_str text)
{
    for (unsigned work = 0; work < TP_WORK_COUNT; work++)
        if (tp_str_equal(text, tp_str_of(tp_work_text(work))))
            return tp_str_of(tp_work_title(work));
    return text;
}

struct tp_str tp_section_name_of_time_node(const struct tp_section *section, const struct tp_time_tree *tree,
                                           uint32_t index)
{
    const struct tp_time_node *node = &tree->nodes[index];
    struct tp_str parent = tree->nodes[node->parent].text;
    if (node->depth == 1)
        return find_title_of_text(TITLES, sizeof TITLES / sizeof *TITLES, node->text);
    if (node->depth == KIND_DEPTH && tp_str_equal(parent, TP_STR("compute")))
        return title_of_kind(node->text);
    if (node->depth == KIND_DEPTH && tp_str_equal(parent, TP_STR("host")))
        return find_title_of_text(HOST_TITLES, sizeof HOST_TITLES / sizeof *HOST_TITLES, node->text);
    if (node->depth == KERNEL_DEPTH)
        return tp_shown_kernel_name(&section->naming, node->text);
    return tp_shown_text(&section->naming, node->text);
}

/* Returns a sentence on the share of the device's peak rate that matrix products and steps reach, or on why it is not
 * shown. The text starts with a blank. */
static const char *rates_of_peak_text(const struct tp_section *section)
{
    const struct tp_work_rates *rates = &section->profile->advice->rates;
    if (rates->has_wrong_inputs)
        return tp_text_printf(section->arena,
                              " The page does not show how much of the device's peak rate the steps reach, because %s.",
                              tp_rate_reason_text(rates->step_reason));
    if (isnan(rates->step_percent))
        return "";
    if (isnan(rates->products_percent))
        return tp_text_printf(section->arena, " The steps reach %s of the device's peak rate (MFU).",
                              tp_text_of_percent(section->arena, rates->step_percent));
    return tp_text_printf(
        section->arena,
        " Matrix products reach %s of the device's peak rate while they run. The whole steps reach %s (MFU).",
        tp_text_of_percent(section->arena, rates->products_percent),
        tp_text_of_percent(section->arena, rates->step_percent));
}

/* Returns a sentence on why some rows have no rates; "" if all rows have rates. The text starts with a blank. */
static const char *missing_rates_text(const struct tp_section *section)
{
    const struct tp_work_rates *rates = &section->profile->advice->rates;
    if (!rates->impossible_ns)
        return "";
    return tp_text_printf(
        section->arena,
        " No rates are shown for %s of kernel time, because by their shapes and types these kernels would exceed the "
        "peak rate of the device. The peak rate or the shapes are wrong, or the recording cut the kernels off.",
        tp_text_of_time(section->arena, rates->impossible_ns));
}

static const char *table_note(const struct tp_section *section, const struct tp_time_tree *tree, bool has_floors)
{
    if (has_floors)
        return tp_text_printf(section->arena,
                              "The column \"Reached\" compares with the %s dense peak rates of %s (%s).%s%s",
                              tree->peaks->is_measured ? "measured" : "published", tree->peaks->device,
                              tree->peaks->source, rates_of_peak_text(section), missing_rates_text(section));
    const struct tp_work_rates *rates = &section->profile->advice->rates;
    const char *shares = rates->has_wrong_inputs ? rates_of_peak_text(section) : "";
    const char *text = tp_text_printf(section->arena, "%s%s", shares, missing_rates_text(section));
    return *text ? text + 1 : NULL;
}

void tp_section_add_time(const struct tp_section *section, struct tp_list *tables, const struct tp_time_tree *tree)
{
    struct tp_time_table *time = tp_arena_array(section->arena, 1, sizeof *time);
    tp_time_table_build(time, tree, ROWS, section->arena);
    if (!time->rows.row_count)
        return;
    bool has_floors = time->has_floors;
    const struct tp_shown_column *columns = has_floors ? FLOORED : time->has_costs ? COSTED : PLAIN;
    unsigned count = has_floors        ? sizeof FLOORED / sizeof *FLOORED
                     : time->has_costs ? sizeof COSTED / sizeof *COSTED
                                       : sizeof PLAIN / sizeof *PLAIN;
    struct tp_shown_table *shown = tp_section_table_new(section, &time->rows, columns, count, time->rows.row_count);
    struct tp_str *names = tp_arena_array(section->arena, shown->row_count, sizeof *names);
    uint32_t *parents = tp_arena_array(section->arena, shown->row_count, sizeof *parents);
    for (size_t row = 0; row < shown->row_count; row++) {
        const struct tp_time_node *node = &tree->nodes[time->nodes[row]];
        shown->rows[row].name = tp_section_name_of_time_node(section, tree, time->nodes[row]);
        shown->rows[row].depth = node->depth - 1;
        names[row] = node->text;
        parents[row] = node->parent;
    }
    tp_shown_rows_distinguish_names(&section->naming, shown->rows, names, parents, shown->row_count);
    shown->name = "time";
    shown->noun = "parts";
    shown->name_title = "Part of the time";
    shown->caption = "Time of the analysed steps, divided into parts that do not overlap";
    shown->is_tree = true;
    shown->open_depth = OPEN_DEPTH;
    shown->note = table_note(section, tree, has_floors);
    tp_list_add_shown_table(tables, shown);
}
