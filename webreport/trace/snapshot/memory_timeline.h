/* Reads the memory timelines of torch.profiler (export_memory_timeline, PyTorch 2.1 and later): allocated bytes over
 * time by category.
 *
 * There are two forms, both JSON and often gzip: [times, sizes], where sizes has a list of nine numbers for each time,
 * such as [[1795841349456970], [[0, 1071144, 0, 65536, 0, 0, 0, 0, 0]]]; and the raw form, a list of [time in ns or -1,
 * action, signed bytes, category], such as [[-1, 1, 524288, 0]]. The amounts add up while the file is read, so that the
 * needed memory does not depend on the number of points. */
#ifndef TP_WEBREPORT_TRACE_SNAPSHOT_MEMORY_TIMELINE_H
#define TP_WEBREPORT_TRACE_SNAPSHOT_MEMORY_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/arena.h"
#include "writer/base/error.h"

enum { TP_TIMELINE_CATEGORIES = 8, TP_TIMELINE_POINTS = 1024 };

/* Returns the name of a category, such as "optimizer state". Static. */
const char *tp_timeline_category_text(unsigned category);

/* The allocated bytes at one time. */
struct tp_timeline_point {
    int64_t time_us; /* Unix time; TP_NULL_INT for allocations before the recording */
    int64_t total, bytes[TP_TIMELINE_CATEGORIES];
};

struct tp_memory_timeline {
    bool is_raw;
    int64_t point_count, peak_index; /* peak_index: first point with the largest total */
    int64_t first_us, last_us;
    struct tp_timeline_point start, end, peak;
    int64_t largest[TP_TIMELINE_CATEGORIES]; /* largest bytes of each category */
    /* curve: the point with the largest total of each group of group_size consecutive points */
    struct tp_timeline_point curve[TP_TIMELINE_POINTS];
    int64_t curve_count, group_size;
};

/* Reads a timeline ("-": standard input). max_input_bytes: maximum size of the inflated file; 0 for
 * TP_MAX_INPUT_BYTES. Allocates from `arena`, whose guard must be set. Returns 0; TP_EIO; TP_ELIMIT; or TP_EFORMAT or
 * TP_ETRUNCATED with the reason in *err. */
int tp_memory_timeline_read(struct tp_memory_timeline *timeline, struct tp_arena *arena, const char *path,
                            uint64_t max_input_bytes, struct tp_error *err);

/* Does the same for bytes in memory. */
int tp_memory_timeline_read_bytes(struct tp_memory_timeline *timeline, struct tp_arena *arena, const void *bytes,
                                  size_t size, struct tp_error *err);

#endif
