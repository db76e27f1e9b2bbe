/* Reads the headers of NumPy files (.npy, formats 1.0 to 3.0), and their elements as numbers. Pure functions without
 * allocation, any thread. Never executes contents of a file, so Python objects are unsupported. */
#ifndef TP_WEBREPORT_TRACE_ARRAYS_NPY_H
#define TP_WEBREPORT_TRACE_ARRAYS_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/error.h"
#include "writer/base/str.h"

enum tp_npy_type {
    TP_NPY_NONE, /* unsupported type: text, object, structure, complex number */
    TP_NPY_FLOAT16,
    /* bfloat16, written as "V2" (two plain bytes) in a header. For bfloat16 bits in a uint16 array, the caller sets
     * this type. */
    TP_NPY_BFLOAT16,
    TP_NPY_FLOAT32,
    TP_NPY_FLOAT64,
    TP_NPY_INT8,
    TP_NPY_INT16,
    TP_NPY_INT32,
    TP_NPY_INT64,
    TP_NPY_UINT8,
    TP_NPY_UINT16,
    TP_NPY_UINT32,
    TP_NPY_UINT64,
    TP_NPY_BOOL,
    TP_NPY_TYPE_COUNT
};

enum {
    TP_NPY_MAX_DIMS = 64, /* maximum number of dimensions, as in NumPy */
    /* maximum length of a header, bytes; NumPy accepts at most 10,000 characters */
    TP_NPY_HEAD_BYTES = 1 << 16
};

struct tp_npy {
    enum tp_npy_type type;
    bool is_big_endian, is_fortran;
    uint32_t rank;
    int64_t dims[TP_NPY_MAX_DIMS];
    uint64_t count;     /* number of elements; 1 for an array without dimensions */
    size_t data_offset; /* offset of the first element in the file, bytes */
    char descr[16];     /* type as in the file, at most 15 characters of printable ASCII */
};

/* Reads a header from the first `size` bytes of a file (the whole file, or at least TP_NPY_HEAD_BYTES bytes). Returns
 * 0, TP_EFORMAT or TP_ETRUNCATED. Returns TP_EUNSUPPORTED for a type not listed above, with all other members filled.
 * Refuses arrays of more than INT64_MAX bytes. */
int tp_npy_parse(struct tp_npy *npy, const void *bytes, size_t size, struct tp_error *err);

/* Returns the name of a type, such as "float32"; "" for TP_NPY_NONE. */
const char *tp_npy_type_name(enum tp_npy_type type);
/* Returns the type that has this name; TP_NPY_NONE if none exists. */
enum tp_npy_type tp_npy_type_by_name(struct tp_str name);
/* Returns the size of one element, bytes; 0 for TP_NPY_NONE. */
size_t tp_npy_type_size(enum tp_npy_type type);
/* Returns true for int64 and uint64. A double cannot represent all values of these types exactly. */
bool tp_npy_type_is_wide(enum tp_npy_type type);

/* Converts `count` elements to doubles. from: the elements as in the file, not necessarily aligned. wide: receives
 * the bits of int64 and uint64 elements; may be NULL. */
void tp_npy_decode(const struct tp_npy *npy, const void *from, size_t count, double *values, uint64_t *wide);

#endif
