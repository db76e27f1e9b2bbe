/* What a file of code has of a Python interpreter, by the names that it exports. */
#ifndef TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_FILE_H
#define TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/str.h"

/* Addresses as in the file. */
struct tp_python_file {
    uint64_t runtime;          /* _PyRuntime */
    uint64_t loop, loop_bytes; /* the function that runs Python's code; 0: not named */
    int minor;                 /* of 3.minor; 0: not told */
};

/* Reads it. False: it is no interpreter, or cannot be read. path: NUL-terminated. */
bool tp_python_file_read(struct tp_python_file *file, struct tp_str path);

#endif
