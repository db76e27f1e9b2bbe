/* Defines the levels of detail of the page. See page_limits.h. */
#include "webreport/document/page_limits.h"

/* Levels of detail, most detailed first. The page uses the first level at which the profile fits into its share of the
 * page. */
static const struct tp_page_limits LEVELS[] = {
    {.operator_rows = 160,
     .shape_rows = 30,
     .kernel_rows = 100,
     .memory_rows = 100,
     .module_rows = 160,
     .line_rows = 60,
     .evidence = 5,
     .findings = 40,
     .open_rows = 12,
     .open_items = 3,
     .flame_boxes = 100,
     .step_bars = 128,
     .timeline_bytes = 124 << 10,
     .span_bytes = 1 << 20,
     .tree_nodes = 1000,
     .has_curves = true},
    {.operator_rows = 100,
     .shape_rows = 40,
     .kernel_rows = 100,
     .memory_rows = 40,
     .module_rows = 150,
     .line_rows = 30,
     .evidence = 5,
     .findings = 40,
     .open_rows = 12,
     .open_items = 3,
     .flame_boxes = 100,
     .step_bars = 100,
     .timeline_bytes = 96 << 10,
     .span_bytes = 400 << 10,
     .tree_nodes = 600,
     .has_curves = true},
    {.operator_rows = 40,
     .shape_rows = 0,
     .kernel_rows = 40,
     .memory_rows = 20,
     .module_rows = 60,
     .line_rows = 15,
     .evidence = 3,
     .findings = 20,
     .open_rows = 8,
     .open_items = 2,
     .flame_boxes = 60,
     .step_bars = 40,
     .timeline_bytes = 60 << 10,
     .span_bytes = 60 << 10,
     .tree_nodes = 200,
     .has_curves = true},
    {.operator_rows = 15,
     .shape_rows = 0,
     .kernel_rows = 15,
     .memory_rows = 10,
     .module_rows = 0,
     .line_rows = 8,
     .evidence = 1,
     .findings = 8,
     .open_rows = 0,
     .open_items = 1,
     .flame_boxes = 0,
     .step_bars = 20,
     .timeline_bytes = 0,
     .span_bytes = 0,
     .tree_nodes = 0,
     .has_curves = false},
    {.findings = 4, .evidence = 0, .step_bars = 0},
};

unsigned tp_page_level_count(void)
{
    return sizeof(LEVELS) / sizeof(LEVELS[0]);
}

void tp_page_limits_fill(struct tp_page_limits *limits, unsigned level, size_t share_bytes,
                         enum tp_timeline_detail timeline)
{
    *limits = LEVELS[level];
    if (timeline == TP_TIMELINE_NONE)
        limits->timeline_bytes = limits->span_bytes = 0;
    if (timeline == TP_TIMELINE_FULL && limits->timeline_bytes)
        limits->timeline_bytes = share_bytes;
    if (limits->timeline_bytes > share_bytes / 5 * 3)
        limits->timeline_bytes = share_bytes / 5 * 3;
}

const char *tp_page_level_text(unsigned level)
{
    static const char *const TEXTS[] = {
        NULL,
        "To keep the page small, tables show at most 100 rows and the timeline shows the longest slices.",
        "To keep the page small, tables show at most 40 rows and the timeline shows the longest slices.",
        "To keep the page small, tables show at most 15 rows, and modules, call tree and timeline are left out. A "
        "larger --max-size shows everything.",
        "To keep the page small, only the overview is shown. A larger --max-size shows more.",
    };

    return TEXTS[level];
}
