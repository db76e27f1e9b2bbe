/* The members of a comparison of memory snapshots in JSON: see snapshot_diff.h. */
#include "webreport/compare/snapshot/snapshot_diff.h"

enum { BEFORE = TP_SNAPSHOT_BEFORE, AFTER = TP_SNAPSHOT_AFTER };

#define F struct tp_snapshot_diff_row
static const struct tp_json_field row_rows[] = {
    {"name", TP_PLAIN(F, name), TP_DEFINITION("folder, file and function of the user's code; or the call site")},
    {"before_bytes", TP_PLAIN(F, bytes[BEFORE]), TP_DEFINITION("sizes of its blocks in BASE")},
    {"after_bytes", TP_PLAIN(F, bytes[AFTER]), TP_DEFINITION("sizes of its blocks in NEW")},
    {"delta_bytes", TP_PLAIN(F, delta_bytes), TP_DEFINITION("difference of both")},
    {"before_blocks", TP_PLAIN(F, blocks[BEFORE]), TP_DEFINITION("number of its blocks in BASE")},
    {"after_blocks", TP_PLAIN(F, blocks[AFTER]), TP_DEFINITION("number of its blocks in NEW")},
};
static const struct tp_fields row_fields = TP_FIELDS("A change of live blocks", row_rows);
#undef F

#define F struct tp_snapshot_diff_device
static const struct tp_json_field device_rows[] = {
    {"device", TP_PLAIN(F, device), TP_DEFINITION("number of the device")},
    {"peak_before_bytes", TP_PLAIN(F, sides[BEFORE].peak_bytes), TP_DEFINITION("largest allocated bytes of BASE")},
    {"peak_after_bytes", TP_PLAIN(F, sides[AFTER].peak_bytes), TP_DEFINITION("largest allocated bytes of NEW")},
    {"peak_reserved_before_bytes", TP_PLAIN(F, sides[BEFORE].peak_reserved_bytes),
     TP_DEFINITION("largest reserved bytes of BASE")},
    {"peak_reserved_after_bytes", TP_PLAIN(F, sides[AFTER].peak_reserved_bytes),
     TP_DEFINITION("largest reserved bytes of NEW")},
    {"end_reserved_before_bytes", TP_PLAIN(F, sides[BEFORE].end_reserved_bytes),
     TP_DEFINITION("reserved bytes at the end of BASE")},
    {"end_reserved_after_bytes", TP_PLAIN(F, sides[AFTER].end_reserved_bytes),
     TP_DEFINITION("reserved bytes at the end of NEW")},
    {"at_peak", TP_RECORDS(F, at_peak.rows, at_peak.row_count, &row_fields),
     TP_DEFINITION("changes of the live blocks at the peak, the 30 largest")},
    {"at_end", TP_RECORDS(F, at_end.rows, at_end.row_count, &row_fields),
     TP_DEFINITION("changes of the live blocks at the end, the 30 largest")},
    {"segments_only_before", TP_ARRAY(F, sides[BEFORE].only_segments, sides[BEFORE].only_segment_count),
     TP_DEFINITION("addresses of segments that only BASE has")},
    {"segments_only_after", TP_ARRAY(F, sides[AFTER].only_segments, sides[AFTER].only_segment_count),
     TP_DEFINITION("addresses of segments that only NEW has")},
};
static const struct tp_fields device_fields = TP_FIELDS("A device in two memory snapshots", device_rows);
#undef F

static struct tp_json_value format_value(const struct tp_record *record)
{
    (void)record; /* the name of the format is constant */
    return tp_json_value_text("tracepress.memory_snapshot_diff/1");
}

#define F struct tp_snapshot_diff
static const struct tp_json_field diff_rows[] = {
    {"format", TP_COMPUTED(TP_AS_TEXT, format_value), TP_DEFINITION("tracepress.memory_snapshot_diff/1")},
    {"devices", TP_RECORDS(F, devices, device_count, &device_fields), TP_DEFINITION("the devices")},
};
const struct tp_fields tp_snapshot_diff_fields = TP_FIELDS("Two memory snapshots", diff_rows);
#undef F
