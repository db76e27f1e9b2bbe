/* Writes the values of tensors to <directory>/<worker>.tensors/<step>/<name>.npy. The file gets its name after it is
 * complete. */
#ifndef TP_COLLECTOR_TENSOR_FILE_H
#define TP_COLLECTOR_TENSOR_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/session.h"

/* size of a buffer for a path below the directory, bytes */
enum { TP_TENSOR_PATH = 640 };

/* Fills `path` with the path of the file below the directory. Bytes of the name other than letters, digits, '_', '-'
 * and '.' become %XX; so does a '.' at the beginning. A file name that is empty or longer than 200 bytes ends in '~'
 * and a hash. */
void tp_tensor_path(char path[static TP_TENSOR_PATH], const struct tp_session_place *place);

/* A tensor whose values are written to a file. */
struct tp_tensor_values {
    uint32_t dtype, rank;
    const int64_t *dims;
    const void *data;
    size_t size; /* size of `data`, bytes */
};

/* Writes the complete file. Keeps an older file on error. Returns 0 or an errno. Any thread may call it. If two
 * threads write the same file at the same time, the file of one of them remains. */
int tp_tensor_write(const struct tp_session_place *place, const char *path, const struct tp_tensor_values *values);

#endif
