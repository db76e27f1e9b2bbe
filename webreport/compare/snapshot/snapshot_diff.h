/* Compares two memory snapshots: the peak, the reserved memory, and the code whose blocks are live on each side
 * (docs/definitions.md, section 32).
 *
 * Blocks of both sides are matched by the folder, file and function of the user's code that allocated them, because
 * line numbers differ between versions of a file. Rows and texts are in the arena of the comparison or belong to the
 * results, which must live as long. */
#ifndef TP_WEBREPORT_COMPARE_SNAPSHOT_SNAPSHOT_DIFF_H
#define TP_WEBREPORT_COMPARE_SNAPSHOT_SNAPSHOT_DIFF_H

#include "webreport/measure/snapshot/snapshot_result.h"

enum tp_snapshot_side { TP_SNAPSHOT_BEFORE, TP_SNAPSHOT_AFTER, TP_SNAPSHOT_SIDES };

/* The blocks of one function, or of one category. */
struct tp_snapshot_diff_row {
    struct tp_str name;
    uint64_t bytes[TP_SNAPSHOT_SIDES], blocks[TP_SNAPSHOT_SIDES];
    int64_t delta_bytes;
};

/* Rows that differ between the sides, the largest change first. */
struct tp_snapshot_diff_table {
    struct tp_snapshot_diff_row *rows;
    uint64_t row_count, rows_total;
};

enum { TP_SNAPSHOT_DIFF_ROWS = 30 };

struct tp_snapshot_diff_side {
    const struct tp_snapshot_device *device; /* NULL if the snapshot lacks the device */
    uint64_t peak_bytes, peak_reserved_bytes, end_reserved_bytes;
    uint64_t *only_segments; /* addresses of the segments that the other side lacks, ascending */
    uint64_t only_segment_count;
};

struct tp_snapshot_diff_device {
    int64_t device;
    struct tp_snapshot_diff_side sides[TP_SNAPSHOT_SIDES];
    struct tp_snapshot_diff_table at_peak, at_end;
    struct tp_snapshot_diff_table categories; /* categories at the peak, also those without a change */
};

/* Whether the peak rises by more than the allowed share. */
enum tp_snapshot_diff_verdict {
    TP_SNAPSHOT_DIFF_WITHIN,
    TP_SNAPSHOT_DIFF_RISES,
    TP_SNAPSHOT_DIFF_UNKNOWN /* a snapshot lacks the events that would show the peak */
};

struct tp_snapshot_diff {
    const struct tp_snapshot_result *results[TP_SNAPSHOT_SIDES];
    struct tp_snapshot_diff_device *devices; /* devices that have segments on a side */
    uint64_t device_count;
    enum tp_snapshot_diff_verdict verdict; /* the gravest verdict of all devices */
    uint64_t gravest;                      /* index of the device with this verdict */
};

/* The document in the JSON of `diff` (format tracepress.memory_snapshot_diff/1). */
extern const struct tp_fields tp_snapshot_diff_fields;

#endif
