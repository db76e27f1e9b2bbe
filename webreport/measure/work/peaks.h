/* The published peaks of devices: operations and bytes per second (docs/definitions.md, section 20). Peaks are dense,
 * without structured sparsity, at boost clock, for one device as the driver lists it. All functions are pure and may
 * run on any thread. */
#ifndef TP_WEBREPORT_MEASURE_WORK_PEAKS_H
#define TP_WEBREPORT_MEASURE_WORK_PEAKS_H

#include "webreport/measure/work/cost.h"

/* Rates of a device, by type of number. A MATRIX rate is the rate of tensor or matrix cores, if the datasheet has a
 * separate number for these cores. */
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
    const char *match;            /* pattern (patterns.h) that the driver's name of the device must match */
    double tflops[TP_PEAK_COUNT]; /* peak rate of each enum tp_peak, 10^12 operations per second; 0 if not published */
    double memory_gb_s;           /* bandwidth of the memory, 10^9 bytes per second */
    double memory_gib[2];         /* memory sizes in GiB that distinguish devices with the same name; 0 if not needed */
    double links_gb_s;  /* bandwidth to other devices, 10^9 bytes per second, both directions added; 0: only PCIe */
    const char *source; /* document that publishes the numbers */
    bool is_measured;   /* true if at least one number is from the user's file (peaks_file.h) */
};

/* Returns the peaks of the device with this name, or NULL. If several rows match, returns the first one whose memory
 * size is within 15 %; without such a row, the first match. memory_bytes: TP_NULL_INT if unknown. Static. */
const struct tp_peaks *tp_peaks_by_name(struct tp_str name, int64_t memory_bytes);

/* Returns whether the memory size is within 15 % of one of the row's sizes. */
bool tp_peaks_have_memory(const struct tp_peaks *peaks, int64_t memory_bytes);

/* Returns the rate of matrix products with this type in TFLOP/s; 0 if unknown. is_tf32: true if the kernel's name shows
 * that it computes FP32 as TF32. */
double tp_peaks_tflops(const struct tp_peaks *peaks, enum tp_number_type type, bool is_tf32);

/* Returns a row of the table; NULL after the last row. Used by tests. */
const struct tp_peaks *tp_peaks_row(size_t index);

#endif
