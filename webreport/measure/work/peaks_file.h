/* Peaks that the user measured, from `--peaks FILE`. Each number replaces the published one (peaks.h).
 *
 *     {"devices": [{"match": "H100", "dense_tflops": {"bf16": 720, "fp16": 700}, "memory_gbs": 3000,
 *                   "source": "measured: 8192^3 products and a triad, 2026-11"}]}
 *
 * `match` is a pattern (patterns.h) for the name from the driver. A device without a published row needs its name as
 * "device". Optional members: "fp32_matrix", "memory_gib" (memory sizes of the device), "links_gbs"
 * ({"nvlink": 900}). */
#ifndef TP_WEBREPORT_MEASURE_WORK_PEAKS_FILE_H
#define TP_WEBREPORT_MEASURE_WORK_PEAKS_FILE_H

#include "webreport/measure/work/peaks.h"
#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/limits.h"

/* The peaks from a file; a zeroed struct has none. The struct must not be copied, because `rows` points into `text`. */
struct tp_peaks_file {
    struct tp_peaks rows[TP_MAX_PEAK_ROWS]; /* rows of the file; members that the file lacks are 0 or NULL */
    unsigned count;
    char text[TP_MAX_PEAK_TEXT_BYTES];
    size_t used; /* number of used bytes in `text` */
};

/* Reads peaks from JSON. The JSON may be damaged. name: name of the file, for error messages. Returns 0, TP_EUSAGE with
 * a message such as "FILE: devices[0]: ...", or TP_ELIMIT. */
int tp_peaks_parse(struct tp_peaks_file *file, const char *name, struct tp_str json, struct tp_error *err);

/* Returns the peaks of a device in `arena`, or NULL if they are unknown. Starts from the published row and replaces
 * each number that the file has. file: may be NULL. memory_bytes: TP_NULL_INT if unknown. */
const struct tp_peaks *tp_peaks_with_user_values(const struct tp_peaks_file *file, struct tp_str name,
                                                 int64_t memory_bytes, struct tp_arena *arena);

#endif
