/* Values of tensors as files: <directory>/<worker>.tensors/<step>/<name>.npy, by rename. */
#ifndef TP_COLLECTOR_TENSOR_FILE_H
#define TP_COLLECTOR_TENSOR_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/session.h"

enum { TP_TENSOR_PATH = 640 }; /* bytes of a path below the directory */

/* Path of the file below the directory. A name becomes that of a file: bytes other than letters, digits, '_', '-' and
 * '.' (not as the first) are written %XX; what is then longer than 200 bytes, or empty, ends in '~' and its hash. */
void tp_tensor_path(char path[static TP_TENSOR_PATH], const struct tp_session_place *place);

/* A tensor whose values are written. */
struct tp_tensor_values {
    uint32_t dtype, rank;
    const int64_t *dims;
    const void *data;
    size_t size; /* bytes of data */
};

/* Writes the file whole, or leaves an older one: 0 or an errno. Any thread; two that write one file at once leave one
 * of them. */
int tp_tensor_write(const struct tp_session_place *place, const char *path, const struct tp_tensor_values *values);

#endif
