/* Reads the heads of NumPy files (.npy, formats 1.0 to 3.0) and their elements as numbers.
 *
 * Pure functions without allocation, any thread. Never executes the content of a file: Python objects are unsupported.
 */
#ifndef TP_WEBREPORT_TRACE_ARRAYS_NPY_H
#define TP_WEBREPORT_TRACE_ARRAYS_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/error.h"
#include "writer/base/str.h"

enum tp_npy_type {
    TP_NPY_NONE, /* any other type: text, object, structure, complex number */
    TP_NPY_FLOAT16,
    /* never in a head, which says uint16 or two plain bytes; set by a caller that knows the type */
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
    TP_NPY_MAX_DIMS = 64, /* maximum number of dimensions in NumPy itself */
    /* length of the longest head that is read, bytes; NumPy refuses more than 10,000 characters */
    TP_NPY_HEAD_BYTES = 1 << 16
};

struct tp_npy {
    enum tp_npy_type type;
    bool is_big_endian, is_fortran;
    uint32_t rank;
    int64_t dims[TP_NPY_MAX_DIMS];
    uint64_t count;     /* number of elements; 1 for an array without dimensions */
    size_t data_offset; /* offset of the first element, bytes from the start of the file */
    char descr[16];     /* type as written in the file, cut to 15 characters; printable ASCII */
};

/* Reads a head from the first `size` bytes of a file (TP_NPY_HEAD_BYTES, or the whole file). Returns 0, TP_EFORMAT,
 * TP_ETRUNCATED, or TP_EUNSUPPORTED for any type not listed above; then all other members are filled. The elements have
 * at most INT64_MAX bytes. */
int tp_npy_parse(struct tp_npy *npy, const void *bytes, size_t size, struct tp_error *err);

/* Returns the name of a type, such as "float32"; "" for TP_NPY_NONE. */
const char *tp_npy_type_name(enum tp_npy_type type);
/* Returns the type with this name; TP_NPY_NONE for other names. */
enum tp_npy_type tp_npy_type_of_name(struct tp_str name);
/* Returns the size of an element in bytes; 0 for TP_NPY_NONE. */
size_t tp_npy_type_size(enum tp_npy_type type);
/* Returns true for int64 and uint64, whose values a double may round. */
bool tp_npy_type_is_wide(enum tp_npy_type type);

/* Converts `count` stored elements to doubles. wide: receives the bits of int64 and uint64 elements; may be NULL.
 * `from` need not be aligned. */
void tp_npy_read(const struct tp_npy *npy, const void *from, size_t count, double *values, uint64_t *wide);

#endif
