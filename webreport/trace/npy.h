/* Heads of NumPy files (.npy, formats 1.0 to 3.0), and their elements as numbers.
 *
 * Pure functions; nothing is allocated, any thread. Never executes what a file holds: objects are unsupported. */
#ifndef TP_WEBREPORT_TRACE_NPY_H
#define TP_WEBREPORT_TRACE_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/error.h"
#include "writer/base/str.h"

enum tp_npy_type {
    TP_NPY_NONE, /* something else: texts, objects, structures, complex numbers */
    TP_NPY_FLOAT16,
    TP_NPY_BFLOAT16, /* never said by a head: uint16 or two plain bytes, known from elsewhere */
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
    TP_NPY_MAX_DIMS = 64,       /* NumPy's own maximum */
    TP_NPY_HEAD_BYTES = 1 << 16 /* longest head that is read; NumPy refuses more than 10,000 characters */
};

struct tp_npy {
    enum tp_npy_type type;
    bool is_big_endian, is_fortran;
    uint32_t rank;
    int64_t dims[TP_NPY_MAX_DIMS];
    uint64_t count;     /* of elements; 1 with rank 0 */
    size_t data_offset; /* of the first element, bytes from the start of the file */
    char descr[16];     /* as the file says it, cut; printable ASCII */
};

/* Reads a head from the first `size` bytes of a file (TP_NPY_HEAD_BYTES, or all there are). Returns 0; TP_EFORMAT;
 * TP_ETRUNCATED; TP_EUNSUPPORTED for a type that is none of the above, with everything else filled in. The elements
 * have at most INT64_MAX bytes. */
int tp_npy_parse(struct tp_npy *npy, const void *bytes, size_t size, struct tp_error *err);

/* "float32"; "" for none. */
const char *tp_npy_type_name(enum tp_npy_type type);
/* The type of that name, TP_NPY_NONE for another. */
enum tp_npy_type tp_npy_type_of_name(struct tp_str name);
/* Bytes of an element; 0 for none. */
size_t tp_npy_type_size(enum tp_npy_type type);
/* True for int64 and uint64, whose values a double may round. */
bool tp_npy_type_is_wide(enum tp_npy_type type);

/* Turns `count` elements as stored into doubles. wide: NULL, or receives the bits of int64 and uint64. from need not
 * be aligned. */
void tp_npy_read(const struct tp_npy *npy, const void *from, size_t count, double *values, uint64_t *wide);

#endif
