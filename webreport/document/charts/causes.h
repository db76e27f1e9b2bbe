/* Charts of the first screen: the bar by cause, the ribbon of steps, and the strip that shows one step in time. All
 * pages use them. Positions are percentages of the width; the templates of the same names choose the appearance. */
#ifndef TP_WEBREPORT_DOCUMENT_CHARTS_CAUSES_H
#define TP_WEBREPORT_DOCUMENT_CHARTS_CAUSES_H

#include "webreport/document/data.h"
#include "webreport/document/looks.h"

/* A segment of the bar. */
struct tp_bar_segment {
    const char *label;
    int64_t ns; /* length, ns */
    enum tp_look look;
    /* The headline names a cause. Several segments of one color can belong to it; only the first one has its time. */
    bool is_avoidable;
    int64_t cause_ns; /* time of the whole cause, ns; 0: an earlier segment has it */
    /* text of the amount if the bar does not show times, but, for example, bytes in `ns` and `cause_ns`; NULL: times */
    const char *amount;
};

/* A bar of at most TP_BAR_SEGMENTS segments. Returns kind NONE if all segments are empty. caption: for screen readers.
 * row: text left of the bar. */
enum { TP_BAR_SEGMENTS = 16 };
struct tp_data tp_chart_causes(struct tp_arena *arena, const char *caption, const char *row,
                               const struct tp_bar_segment *segments, size_t count);

/* A slice of a lane; times in ns on the axis of the strip. */
struct tp_row_slice {
    int64_t a, b;
    enum tp_look look;
    struct tp_str text; /* shown if there is room; ptr NULL for none */
};

/* The areas of one color in a lane: data of an SVG path. The width of the lane is struct tp_strip_row.columns units,
 * its height 100 units. */
struct tp_row_area {
    enum tp_look look;
    struct tp_str path;
};

struct tp_strip_row {
    const char *label;
    unsigned height; /* pixels */
    const struct tp_row_slice *slices;
    size_t count;
    /* lanes that show several states at each time as stacked areas, instead of slices; NULL for slices */
    const struct tp_row_area *areas;
    size_t area_count;
    unsigned columns;
    const char *tip; /* sums of the lane, shown as a tooltip, or NULL */
};

/* An entry of the key of a strip. */
struct tp_strip_key {
    enum tp_look look;
    const char *label;
};

/* The times of a finding, which the strip marks while the reader points at the finding. */
struct tp_row_marks {
    unsigned number; /* number of the finding in the list of actions, from 1 */
    const struct tp_interval *items;
    size_t count;
};

struct tp_strip_chart {
    const char *caption; /* for screen readers */
    int64_t start_ns, end_ns;
    const struct tp_strip_row *lanes;
    size_t lane_count;
    const struct tp_row_marks *marks;
    size_t mark_count;
    int64_t named_ns;                /* a moment that the axis names; INT64_MAX for none */
    const char *named;               /* words for named_ns, such as "first kernel" */
    const char *step;                /* number of the step, for the ribbon; "" for none */
    const char *note;                /* sentence below the strip, or "" */
    const struct tp_strip_key *keys; /* key below the strip; NULL if labels in the lanes and the bar suffice */
    size_t key_count;
    bool is_hidden; /* true: shown only after a click in the ribbon */
};

/* Adds the members of a strip to an object for the template "strip". */
void tp_chart_put_strip(struct tp_object *object, struct tp_arena *arena, const struct tp_strip_chart *chart);

/* A column of the ribbon. */
struct tp_ribbon_step {
    struct tp_str name;
    int64_t total_ns;
    int64_t look_ns[TP_LOOKS]; /* time of each color, ns; drawn from the bottom up in the order of enum tp_look */
};

/* Returns the ribbon of at least three steps, otherwise kind NONE. shown: index of the step in the strip. can_choose:
 * the page has a strip for each step. */
struct tp_data tp_chart_ribbon(struct tp_arena *arena, const struct tp_ribbon_step *steps, size_t count, size_t shown,
                               bool can_choose);

#endif
