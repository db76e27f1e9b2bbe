/* Reads one array of a file (.npy) or of an archive of arrays (.npz) as a stream of numbers, in bounded memory.
 *
 * The file is open from tp_array_open to tp_array_close. One thread. */
#ifndef TP_WEBREPORT_TRACE_ARRAYS_ARRAY_H
#define TP_WEBREPORT_TRACE_ARRAYS_ARRAY_H

#include "webreport/trace/arrays/npy.h"
#include "webreport/trace/arrays/zip.h"

/* Says where the bytes of an array are. */
struct tp_array_place {
    const char *path;                 /* path of the file; NULL: there is no array */
    const struct tp_zip_entry *entry; /* entry of the archive; NULL if the file is a .npy */
};

struct tp_array;

/* Opens the array and reads its head into *npy. `place` must outlive the array. Returns 0, an error of tp_npy_parse,
 * TP_ETRUNCATED if the file is shorter than the head says, TP_EIO (also if the path is not a regular file), or
 * TP_ENOMEM. */
int tp_array_open(struct tp_array **out, struct tp_npy *npy, const struct tp_array_place *place, struct tp_error *err);
/* Closes an array. Accepts NULL. */
void tp_array_close(struct tp_array *array);

/* Requests the elements in the order of C, whatever the order of the file is. Without this call they come in the order
 * of the file. Call it before the first read. Returns 0, TP_EIO, TP_ENOMEM, or a code of tp_array_read. */
int tp_array_want_c_order(struct tp_array *array, struct tp_error *err);

/* Reads the next `count` elements; the array must have that many. npy: the head of the array; the caller may set its
 * type to TP_NPY_BFLOAT16. wide: see tp_npy_read. Returns 0, TP_ETRUNCATED, TP_EIO, or TP_EFORMAT for damaged
 * compressed data or a wrong checksum. */
int tp_array_read(struct tp_array *array, const struct tp_npy *npy, size_t count, double *values, uint64_t *wide,
                  struct tp_error *err);

/* Opens a regular file for reading. Refuses all other files, because a pipe would block. *size: size of the file,
 * bytes. Returns the descriptor, or TP_EIO. */
int tp_array_open_file(const char *path, uint64_t *size, struct tp_error *err);

#endif
