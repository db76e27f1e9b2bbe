/* Ceilings that somebody measured, of `--peaks FILE`: each number replaces the published one (peaks.h).
 *
 *     {"devices": [{"match": "H100", "dense_tflops": {"bf16": 720, "fp16": 700}, "memory_gbs": 3000,
 *                   "source": "measured: 8192^3 products and a triad, 2026-11"}]}
 *
 * `match` is a pattern (patterns.h) for the name that the driver gives. A device that no sheet is known of needs a
 * "device", its name. Also read: "fp32_matrix", "memory_gib" (sizes it is for), "links_gbs" ({"nvlink": 900}). */
#ifndef TP_WEBREPORT_MEASURE_WORK_PEAKS_FILE_H
#define TP_WEBREPORT_MEASURE_WORK_PEAKS_FILE_H

#include "webreport/measure/work/peaks.h"
#include "writer/base/arena.h"
#include "writer/base/error.h"
#include "writer/base/limits.h"

/* Zeroed: nothing is given. Not to be copied: its rows point into it. */
struct tp_peaks_file {
    struct tp_peaks rows[TP_MAX_PEAK_ROWS]; /* 0, NULL: not given */
    unsigned count;
    char text[TP_MAX_PEAK_TEXT_BYTES];
    size_t used; /* of text */
};

/* Reads JSON; any bytes may come. name: of the file, for messages. Returns 0; TP_EUSAGE with "FILE: devices[0]: what is
 * wrong"; TP_ELIMIT. */
int tp_peaks_parse(struct tp_peaks_file *file, const char *name, struct tp_str json, struct tp_error *err);

/* What is known of a device of that name: the published row, with what the file gives laid over it, in `arena`. file:
 * NULL, or with rows. memory_bytes as in tp_peaks_of. NULL: nobody knows. */
const struct tp_peaks *tp_peaks_with(const struct tp_peaks_file *file, struct tp_str name, int64_t memory_bytes,
                                     struct tp_arena *arena);

#endif
