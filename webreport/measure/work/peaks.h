/* Peaks of devices, published ones: operations and bytes a second (docs/definitions.md, section 20). Dense ones,
 * without structured sparsity, at boost clock, of a device as its driver lists it. Pure functions, any thread. */
#ifndef TP_WEBREPORT_MEASURE_WORK_PEAKS_H
#define TP_WEBREPORT_MEASURE_WORK_PEAKS_H

#include "webreport/measure/work/cost.h"

/* Rates that a device has, by what computes: "matrix" are the tensor or matrix cores where a sheet tells them apart. */
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
    const char *device;           /* its name in full */
    const char *match;            /* pattern (patterns.h) found in the name that the driver gives */
    double tflops[TP_PEAK_COUNT]; /* 10^12 operations a second; 0: nothing is claimed */
    double memory_gb_s;           /* 10^9 bytes a second */
    double memory_gib[2];         /* sizes that tell it from others of its name; 0: none */
    double links_gb_s;            /* to other devices, both directions together; 0: it has none but PCIe */
    const char *source;           /* the document that says so */
    bool is_measured;             /* numbers of a user's file are among them (peaks_file.h) */
};

/* The device of that name; of several that it fits the first, or the first that has such a memory (within 15 %). NULL:
 * nobody knows. memory_bytes: TP_NULL_INT when unknown. Static. */
const struct tp_peaks *tp_peaks_of(struct tp_str name, int64_t memory_bytes);

/* Whether one of the sizes that a row is for is near that memory. */
bool tp_peaks_have_memory(const struct tp_peaks *peaks, int64_t memory_bytes);

/* Rate of products of that type, TFLOP/s. is_tf32: the kernel's name says that it takes FP32 as TF32. 0: nothing is
 * claimed. */
double tp_peaks_tflops(const struct tp_peaks *peaks, enum tp_number_type type, bool is_tf32);

/* Row of the table; NULL behind the last. For tests. */
const struct tp_peaks *tp_peaks_row(size_t index);

#endif
