/* Published peaks of devices: operations and bytes per second (docs/definitions.md, section 20). The peaks are dense,
 * without structured sparsity, at boost clock, for a device as its driver lists it. Pure functions for any thread. */
#ifndef TP_WEBREPORT_MEASURE_WORK_PEAKS_H
#define TP_WEBREPORT_MEASURE_WORK_PEAKS_H

#include "webreport/measure/work/cost.h"

/* Rates of a device by type of number. MATRIX: of tensor or matrix cores, if a datasheet has separate figures for
 * them. */
enum tp_peak {
    TP_PEAK_FP64,
    TP_PEAK_FP64_MATRIX,
    TP_PEAK_FP32,
    TP_PEAK_FP32_MATRIX,
    TP_PEAK_TF32,
    TP_PEAK_FP16,
    TP_PEAK_BF16,
    TP_PEAK_FP8,
    TP_PEAK_FP4,
    TP_PEAK_INT8,
    TP_PEAK_COUNT
};

struct tp_peaks {
    const char *device;           /* full name of the device */
    const char *match;            /* pattern (patterns.h) for the name from the driver */
    double tflops[TP_PEAK_COUNT]; /* by enum tp_peak, 10^12 operations per second; 0: not published */
    double memory_gb_s;           /* 10^9 bytes per second */
    double memory_gib[2]; /* memory sizes, GiB, that distinguish the device from others with its name; 0: not needed */
    double links_gb_s;    /* 10^9 bytes per second to other devices, sum of both directions; 0: only PCIe */
    const char *source;   /* document with these numbers */
    bool is_measured;     /* at least one number is from the user's file (peaks_file.h) */
};

/* Returns the peaks of the device with this name; NULL: unknown. If several devices match, returns the first one with
 * this memory size (within 15 %), otherwise the first one. memory_bytes: TP_NULL_INT if unknown. Static. */
const struct tp_peaks *tp_peaks_of(struct tp_str name, int64_t memory_bytes);

/* Returns whether the memory size is within 15 % of one of the row's sizes. */
bool tp_peaks_have_memory(const struct tp_peaks *peaks, int64_t memory_bytes);

/* Returns the rate of matrix products with this type in TFLOP/s; 0: unknown. is_tf32: the name of the kernel shows that
 * it computes FP32 as TF32. */
double tp_peaks_tflops(const struct tp_peaks *peaks, enum tp_number_type type, bool is_tf32);

/* Returns a row of the table; NULL after the last row. Used by tests. */
const struct tp_peaks *tp_peaks_row(size_t index);

#endif
