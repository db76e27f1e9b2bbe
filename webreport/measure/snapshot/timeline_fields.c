/* Defines the members of a memory timeline in JSON: see timeline_fields.h. */
#include "webreport/measure/snapshot/timeline_fields.h"

static struct tp_json_value format_value(const struct tp_record *record)
{
    (void)record; /* the name of the format is constant */
    return tp_json_value_text("tracepress.memory_timeline/1");
}

static struct tp_json_value kind_value(const struct tp_record *record)
{
    const struct tp_memory_timeline *timeline = record->at;
    return tp_json_value_text(timeline->is_raw ? "raw" : "timeline");
}

/* Sets the next category of an array of bytes. */
static bool next_category(const int64_t *bytes, size_t *cursor, struct tp_item *item)
{
    if (*cursor >= TP_TIMELINE_CATEGORIES)
        return false;
    item->key = tp_str_of(tp_timeline_category_text((unsigned)*cursor));
    item->value = tp_json_value_int(bytes[(*cursor)++]);
    return true;
}

static bool next_at_peak(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_memory_timeline *timeline = record->at;
    return next_category(timeline->peak.bytes, cursor, item);
}

static bool next_largest(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_memory_timeline *timeline = record->at;
    return next_category(timeline->largest, cursor, item);
}

static bool next_at_end(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_memory_timeline *timeline = record->at;
    return next_category(timeline->end.bytes, cursor, item);
}

#define F struct tp_memory_timeline
static const struct tp_json_field rows[] = {
    {"format", TP_COMPUTED(TP_AS_TEXT, format_value), TP_DEFINITION("tracepress.memory_timeline/1")},
    {"kind", TP_COMPUTED(TP_AS_TEXT, kind_value), TP_DEFINITION("timeline or raw")},
    {"points", TP_PLAIN(F, point_count), TP_DEFINITION("number of points")},
    {"first_us", TP_PLAIN(F, first_us), TP_DEFINITION("smallest time, Unix time")},
    {"last_us", TP_PLAIN(F, last_us), TP_DEFINITION("largest time")},
    {"start_bytes", TP_PLAIN(F, start.total), TP_DEFINITION("bytes of all categories at the first point")},
    {"end_bytes", TP_PLAIN(F, end.total), TP_DEFINITION("bytes of all categories at the last point")},
    {"peak_bytes", TP_PLAIN(F, peak.total), TP_DEFINITION("largest bytes of all categories")},
    {"peak_index", TP_PLAIN(F, peak_index), TP_DEFINITION("first point with these bytes")},
    {"peak_time_us", TP_PLAIN(F, peak.time_us), TP_DEFINITION("time of this point")},
    {"peak_by_category", TP_MAP(next_at_peak, NULL), TP_DEFINITION("bytes of each category at this point")},
    {"largest_by_category", TP_MAP(next_largest, NULL), TP_DEFINITION("largest bytes of each category")},
    {"end_by_category", TP_MAP(next_at_end, NULL), TP_DEFINITION("bytes of each category at the last point")},
};
const struct tp_fields tp_memory_timeline_fields = TP_FIELDS("A memory timeline", rows);
#undef F
