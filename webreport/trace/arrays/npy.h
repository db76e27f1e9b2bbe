/* Reads the heads of NumPy files (.npy, formats 1.0 to 3.0) and their elements as numbers.
 *
 * Pure functions without allocation, any thread. Never executes the content of a file: objects are unsupported. */
#ifndef TP_WEBREPORT_TRACE_ARRAYS_NPY_H
#define TP_WEBREPORT_TRACE_ARRAYS_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/error.h"
#include "writer/base/str.h"

enum tp_npy_type {
    TP_NPY_NONE, /* any other type: texts, objects, structures, complex numbers */
    TP_NPY_FLOAT16,
    TP_NPY_BFLOAT16, /* never in a head, which has uint16 or two plain bytes: known from elsewhere */
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
    uint64_t count;     /* number of elements; 1 with rank 0 */
    size_t data_offset; /* offset of the first element, bytes from the start of the file */
    char descr[16];     /* text of the type in the file, cut; printable ASCII */
};

/* Reads a head from the first `size` bytes of a file (TP_NPY_HEAD_BYTES, or the whole file). Returns 0; TP_EFORMAT;
 * TP_ETRUNCATED; TP_EUNSUPPORTED for any type not listed above, with everything else filled in. The elements have at
 * most INT64_MAX bytes. */
int tp_npy_parse(struct tp_npy *npy, const void *bytes, size_t size, struct tp_error *err);

/* Returns "float32"; "" for TP_NPY_NONE. */
const char *tp_npy_type_name(enum tp_npy_type type);
/* Returns the type with this name; TP_NPY_NONE for other names. */
enum tp_npy_type tp_npy_type_of_name(struct tp_str name);
/* Returns the bytes of an element; 0 for TP_NPY_NONE. */
size_t tp_npy_type_size(enum tp_npy_type type);
/* Returns true for int64 and uint64, whose values a double may round. */
bool tp_npy_type_is_wide(enum tp_npy_type type);

/* Converts `count` stored elements to doubles. wide: NULL, or gets the bits of int64 and uint64. `from` need not be
 * aligned. */
void tp_npy_read(const struct tp_npy *npy, const void *from, size_t count, double *values, uint64_t *wide);

#endif
