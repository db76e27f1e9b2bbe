/* One array in a file (.npy) or in an archive of them (.npz), read as a stream of numbers in bounded memory.
 *
 * Holds a file open between open and close; one thread. */
#ifndef TP_WEBREPORT_TRACE_ARRAY_H
#define TP_WEBREPORT_TRACE_ARRAY_H

#include "webreport/trace/npy.h"
#include "webreport/trace/zip.h"

/* Where an array is. */
struct tp_array_place {
    const char *path;                 /* NULL: nowhere */
    const struct tp_zip_entry *entry; /* NULL: the file is a .npy itself */
};

struct tp_array;

/* Opens it and reads its head into *npy. Returns 0; TP_EIO (also for what is no regular file); what tp_npy_parse
 * returns; TP_ETRUNCATED when the file is shorter than the head says; TP_ENOMEM. place must outlive the array. */
int tp_array_open(struct tp_array **out, struct tp_npy *npy, const struct tp_array_place *place, struct tp_error *err);
/* Accepts NULL. */
void tp_array_close(struct tp_array *array);

/* Before the first read: elements shall come in the order of C whatever the order of the file. Without it they come as
 * the file has them. 0; TP_EIO; TP_ENOMEM; the codes of tp_array_read. */
int tp_array_want_c_order(struct tp_array *array, struct tp_error *err);

/* The next `count` elements, of those that are left. npy: of the array; its type may have been set to
 * TP_NPY_BFLOAT16. wide: see tp_npy_read. 0; TP_ETRUNCATED; TP_EFORMAT for damaged compressed data or a wrong checksum;
 * TP_EIO. */
int tp_array_read(struct tp_array *array, const struct tp_npy *npy, size_t count, double *values, uint64_t *wide,
                  struct tp_error *err);

/* Opens a regular file for reading; anything else is refused (a pipe would wait). *size: its bytes. Returns the
 * descriptor, or TP_EIO. */
int tp_array_open_file(const char *path, uint64_t *size, struct tp_error *err);

#endif
