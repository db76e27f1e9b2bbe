/* Computes statistics of tensors and writes heads of NumPy files: see tensor.h. */
#include "writer/tensor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* number of elements that are converted together */
enum { BLOCK = 512 };

/* ---- types ---- */

static double bits_to_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* Converts an IEEE binary16 number, which has 5 bits of exponent and 10 bits of fraction. */
static double bits_to_half(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double magnitude = exponent == 0    ? ldexp(fraction, -24)
                       : exponent == 31 ? (fraction ? NAN : INFINITY)
                                        : ldexp(fraction + 1024, exponent - 25);
    return bits >> 15 ? -magnitude : magnitude;
}

#define READER(name, type, expression)                                                                                 \
    static void name(double *to, const char *from, size_t count)                                                       \
    {                                                                                                                  \
        for (size_t i = 0; i < count; i++) {                                                                           \
            type x;                                                                                                    \
            memcpy(&x, from + i * sizeof x, sizeof x);                                                                 \
            to[i] = (expression);                                                                                      \
        }                                                                                                              \
    }
READER(read_float32, float, (double)x)
READER(read_float64, double, x)
READER(read_float16, uint16_t, bits_to_half(x))
READER(read_bfloat16, uint16_t, bits_to_float((uint32_t)x << 16))
READER(read_int8, int8_t, x)
READER(read_uint8, uint8_t, x)
READER(read_int16, int16_t, x)
READER(read_int32, int32_t, x)
READER(read_int64, int64_t, (double)x)
READER(read_bool, uint8_t, x != 0)

static const struct {
    const char *name;
    const char *numpy; /* kind and size of an element as NumPy names them, without the byte order */
    size_t size;
    void (*read)(double *to, const char *from, size_t count);
} types[TP_DTYPE_COUNT] = {
    [0] = {"", "", 0, NULL},
    [TP_DTYPE_FLOAT32] = {"float32", "f4", 4, read_float32},
    [TP_DTYPE_FLOAT64] = {"float64", "f8", 8, read_float64},
    [TP_DTYPE_FLOAT16] = {"float16", "f2", 2, read_float16},
    [TP_DTYPE_BFLOAT16] = {"bfloat16", "u2", 2, read_bfloat16},
    [TP_DTYPE_INT8] = {"int8", "i1", 1, read_int8},
    [TP_DTYPE_UINT8] = {"uint8", "u1", 1, read_uint8},
    [TP_DTYPE_INT16] = {"int16", "i2", 2, read_int16},
    [TP_DTYPE_INT32] = {"int32", "i4", 4, read_int32},
    [TP_DTYPE_INT64] = {"int64", "i8", 8, read_int64},
    [TP_DTYPE_BOOL] = {"bool", "b1", 1, read_bool},
};

static uint32_t valid_dtype(uint32_t dtype)
{
    return dtype < TP_DTYPE_COUNT ? dtype : 0;
}

const char *tp_dtype_name(uint32_t dtype)
{
    return types[valid_dtype(dtype)].name;
}

size_t tp_dtype_size(uint32_t dtype)
{
    return types[valid_dtype(dtype)].size;
}

bool tp_dtype_is_numpy(uint32_t dtype)
{
    return dtype != TP_DTYPE_BFLOAT16;
}

bool tp_tensor_count_elements(uint64_t *count, uint32_t dtype, uint32_t rank, const int64_t *dims)
{
    uint64_t product = 1, most = INT64_MAX / (tp_dtype_size(dtype) + !tp_dtype_size(dtype));
    bool is_empty = false;
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] < 0)
            return false;
        is_empty |= dims[i] == 0;
    }
    for (uint32_t i = 0; i < rank && !is_empty; i++)
        if (__builtin_mul_overflow(product, (uint64_t)dims[i], &product) || product > most)
            return false;
    *count = is_empty ? 0 : product;
    return true;
}

/* ---- statistics ---- */

/* A sum, and the low-order bits that the sum has lost (Neumaier). */
struct sum {
    double value, lost;
};

static void add_to_sum(struct sum *sum, double x)
{
    double total = sum->value + x;
    sum->lost += fabs(sum->value) >= fabs(x) ? (sum->value - total) + x : (x - total) + sum->value;
    sum->value = total;
}

static void find_extremes_of_block(struct tp_tensor_stats *stats, const double *block, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double x = block[i];
        stats->zero_count += x == 0;
        stats->nan_count += x != x;
        stats->inf_count += fabs(x) == INFINITY;
        if (!(fabs(x) < INFINITY))
            continue;
        stats->min = x < stats->min ? x : stats->min;
        stats->max = x > stats->max ? x : stats->max;
    }
}

/* Adds x * scale - center to sums[0] and its square to sums[1], for all finite elements x. */
static void add_scaled_elements_of_block(struct sum sums[2], const double *block, size_t count, double center,
                                         double scale)
{
    for (size_t i = 0; i < count; i++) {
        double x = block[i] * scale - center;
        if (!(fabs(block[i]) < INFINITY))
            continue;
        add_to_sum(&sums[0], x);
        add_to_sum(&sums[1], x * x);
    }
}

struct source {
    uint32_t dtype;
    const char *data;
    uint64_t count;
};

static size_t read_next_block(struct source *from, double block[BLOCK])
{
    size_t count = from->count < BLOCK ? (size_t)from->count : BLOCK;
    types[from->dtype].read(block, from->data, count);
    from->data += count * types[from->dtype].size;
    from->count -= count;
    return count;
}

static void total(struct sum sums[2], const struct source *from, double center, double scale)
{
    struct source left = *from;
    double block[BLOCK];
    memset(sums, 0, 2 * sizeof *sums);
    while (left.count) {
        size_t count = read_next_block(&left, block);
        add_scaled_elements_of_block(sums, block, count, center, scale);
    }
}

/* Returns the exponent of the power of two by which elements are divided, so that the square of the largest element
 * fits into a double. Returns 0 if no scaling is needed. */
static int scale_exponent(const struct tp_tensor_stats *stats)
{
    double largest = fmax(fabs(stats->min), fabs(stats->max));
    int exponent = largest > 0 ? ilogb(largest) : 0;
    if (exponent > -400 && exponent < 400)
        return 0;
    return exponent < -1000 ? -1000 : exponent; /* limited, so that a double can represent the inverse of the power */
}

void tp_tensor_stats(struct tp_tensor_stats *stats, uint32_t dtype, const void *data, uint64_t count)
{
    const struct source all = {dtype, data, count};
    struct source left = all;
    double block[BLOCK];
    struct sum sums[2];
    *stats = (struct tp_tensor_stats){.count = count, .min = INFINITY, .max = -INFINITY};
    while (left.count) {
        size_t n = read_next_block(&left, block);
        find_extremes_of_block(stats, block, n);
    }
    double finite = (double)(count - stats->nan_count - stats->inf_count);
    if (finite == 0) {
        stats->min = stats->max = stats->mean = stats->std = stats->l2 = NAN;
        return;
    }
    int exponent = scale_exponent(stats);
    double scale = ldexp(1, -exponent);
    total(sums, &all, 0, scale);
    double mean = (sums[0].value + sums[0].lost) / finite;
    stats->mean = ldexp(mean, exponent);
    stats->l2 = ldexp(sqrt(sums[1].value + sums[1].lost), exponent);
    total(sums, &all, mean, scale);
    stats->std = ldexp(sqrt((sums[1].value + sums[1].lost) / finite), exponent);
}

/* ---- .npy ---- */

size_t tp_npy_write_head(char head[static TP_NPY_MAX_HEAD], uint32_t dtype, uint32_t rank, const int64_t *dims)
{
    enum { FIXED = 10, ALIGN = 64 };
    bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    char order = types[valid_dtype(dtype)].size == 1 ? '|' : is_little ? '<' : '>';
    char *at = head + FIXED, *end = head + TP_NPY_MAX_HEAD;
    rank = rank < TP_NPY_MAX_RANK ? rank : TP_NPY_MAX_RANK;
    at += snprintf(at, (size_t)(end - at), "{'descr': '%c%s', 'fortran_order': False, 'shape': (", order,
                   types[valid_dtype(dtype)].numpy);
    for (uint32_t i = 0; i < rank; i++) /* Python writes a comma even in a tuple of one element */
        at += snprintf(at, (size_t)(end - at), "%lld%s", (long long)dims[i],
                       i + 1 < rank ? ", "
                       : rank == 1  ? ","
                                    : "");
    at += snprintf(at, (size_t)(end - at), "), }");
    size_t size = ((size_t)(at - head) + 1 + ALIGN - 1) / ALIGN * ALIGN;
    memset(at, ' ', head + size - 1 - at);
    head[size - 1] = '\n';
    memcpy(head, "\x93NUMPY\x01", 8); /* copies the NUL of the string too: the minor version of format 1.0 */
    head[8] = (char)((size - FIXED) & 255);
    head[9] = (char)((size - FIXED) >> 8);
    return size;
}
