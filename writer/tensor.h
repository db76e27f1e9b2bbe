/* Describes tensors in recordings: element types, statistics, and the head of a NumPy file (.npy, format 1.0).
 *
 * The functions have no side effects and allocate nothing. Any thread may call them. The data of a tensor need not be
 * aligned, and is dense in C order. */
#ifndef TP_WRITER_TENSOR_H
#define TP_WRITER_TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Element types, with the values of enum tracepress_dtype. */
enum tp_dtype {
    TP_DTYPE_FLOAT32 = 1,
    TP_DTYPE_FLOAT64,
    TP_DTYPE_FLOAT16,
    TP_DTYPE_BFLOAT16,
    TP_DTYPE_INT8,
    TP_DTYPE_UINT8,
    TP_DTYPE_INT16,
    TP_DTYPE_INT32,
    TP_DTYPE_INT64,
    TP_DTYPE_BOOL,
    TP_DTYPE_COUNT
};

enum {
    TP_NPY_MAX_RANK = 16,
    TP_NPY_MAX_HEAD = 512 /* maximum size of a head in bytes, for any dimensions */
};

/* Returns torch's name of a type ("float32", "bool"); "" for an invalid number. */
const char *tp_dtype_name(uint32_t dtype);

/* Returns the size of an element in bytes, or 0 for an invalid number. */
size_t tp_dtype_size(uint32_t dtype);

/* Returns whether a .npy file can store the elements unchanged. Returns false for bfloat16, which NumPy does not know;
 * its bits are written as uint16. */
bool tp_dtype_is_numpy(uint32_t dtype);

/* Sets *count to the number of elements, the product of the dimensions; 1 without dimensions. Returns false if a
 * dimension is negative or the elements have more than INT64_MAX bytes. dims: may be NULL with rank 0. */
bool tp_tensor_count_elements(uint64_t *count, uint32_t dtype, uint32_t rank, const int64_t *dims);

/* Statistics of a tensor's elements. min, max, mean, std and l2 cover the finite elements, and are NaN if there are
 * none. mean = sum x / n. std = sqrt(sum (x - mean)^2 / n), as numpy with ddof 0. l2 = sqrt(sum x^2). Elements are
 * converted to doubles, and int64 beyond 2^53 is rounded. Sums are compensated, use the order of the elements, and do
 * not overflow. */
struct tp_tensor_stats {
    uint64_t count, zero_count, nan_count, inf_count;
    double min, max, mean, std, l2;
};

/* Computes the statistics. Reads `count` elements three times. dtype: a valid type. data: may be NULL with count 0. */
void tp_tensor_stats(struct tp_tensor_stats *stats, uint32_t dtype, const void *data, uint64_t count);

/* Writes the head of a .npy file to `head`. The elements follow the head in the file. dtype: a valid type. rank: at
 * most TP_NPY_MAX_RANK. Returns the size of the head in bytes, a multiple of 64. */
size_t tp_npy_write_head(char head[static TP_NPY_MAX_HEAD], uint32_t dtype, uint32_t rank, const int64_t *dims);

#endif
