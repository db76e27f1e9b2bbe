/* Reads one array in a file (.npy) or in an archive of arrays (.npz) as a stream of numbers, in bounded memory.
 *
 * The file is open between open and close; one thread. */
#ifndef TP_WEBREPORT_TRACE_ARRAYS_ARRAY_H
#define TP_WEBREPORT_TRACE_ARRAYS_ARRAY_H

#include "webreport/trace/arrays/npy.h"
#include "webreport/trace/arrays/zip.h"

/* The place of an array. */
struct tp_array_place {
    const char *path;                 /* NULL: no array */
    const struct tp_zip_entry *entry; /* NULL: the file is a .npy itself */
};

struct tp_array;

/* Opens the array and reads its head into *npy. place must outlive the array. Returns 0; TP_EIO (also when the path is
 * not a regular file); the errors of tp_npy_parse; TP_ETRUNCATED when the file is shorter than the head says;
 * TP_ENOMEM. */
int tp_array_open(struct tp_array **out, struct tp_npy *npy, const struct tp_array_place *place, struct tp_error *err);
/* Accepts NULL. */
void tp_array_close(struct tp_array *array);

/* Requests the elements in the order of C, regardless of the order in the file; by default they come in the order of
 * the file. Call it before the first read. Returns 0; TP_EIO; TP_ENOMEM; the codes of tp_array_read. */
int tp_array_want_c_order(struct tp_array *array, struct tp_error *err);

/* Reads the next `count` elements; the caller does not ask for more than the array has. npy: the head of the array; its
 * type may have been set to TP_NPY_BFLOAT16. wide: see tp_npy_read. Returns 0; TP_ETRUNCATED; TP_EFORMAT for damaged
 * compressed data or a wrong checksum; TP_EIO. */
int tp_array_read(struct tp_array *array, const struct tp_npy *npy, size_t count, double *values, uint64_t *wide,
                  struct tp_error *err);

/* Opens a regular file for reading and refuses all other files (a pipe would block). *size: its bytes. Returns the
 * descriptor, or TP_EIO. */
int tp_array_open_file(const char *path, uint64_t *size, struct tp_error *err);

#endif
