/* Reads one array of a .npy file or a .npz archive as a stream of numbers, in bounded memory. The file is open from
 * tp_array_open to tp_array_close. One thread. */
#ifndef TP_WEBREPORT_TRACE_ARRAYS_ARRAY_H
#define TP_WEBREPORT_TRACE_ARRAYS_ARRAY_H

#include "webreport/trace/arrays/npy.h"
#include "webreport/trace/arrays/zip.h"

/* Location of an array: a file, and the entry in the file if the file is an archive. */
struct tp_array_place {
    const char *path;                 /* path of the file; NULL if there is no array */
    const struct tp_zip_entry *entry; /* entry in the archive; NULL if the file is a .npy */
};

struct tp_array;

/* Opens an array and reads its header into *npy. `place` must outlive the array. Returns 0, TP_ENOMEM, or an error
 * of tp_npy_parse. Returns TP_ETRUNCATED if the file is too short for its header, and TP_EIO, also if the path is
 * not a regular file. */
int tp_array_open(struct tp_array **out, struct tp_npy *npy, const struct tp_array_place *place, struct tp_error *err);
/* Closes an array. Accepts NULL. */
void tp_array_close(struct tp_array *array);

/* Makes tp_array_read return the elements in C order (last dimension fastest). Without this call, elements come in
 * the order of the file. Must precede the first read. Returns 0, TP_EIO, TP_ENOMEM, or a code of tp_array_read. */
int tp_array_convert_to_c_order(struct tp_array *array, struct tp_error *err);

/* Reads the next `count` elements, which must exist. npy: header of the array, in which the caller may have set the
 * type TP_NPY_BFLOAT16. wide: as for tp_npy_decode. Returns 0, TP_ETRUNCATED, TP_EIO, or TP_EFORMAT for damaged data
 * or a wrong checksum. */
int tp_array_read(struct tp_array *array, const struct tp_npy *npy, size_t count, double *values, uint64_t *wide,
                  struct tp_error *err);

/* Opens a regular file for reading. Refuses other files, because reading a pipe could block. *size: size of the
 * file, bytes. Returns the descriptor, or TP_EIO. */
int tp_array_open_file(const char *path, uint64_t *size, struct tp_error *err);

#endif
