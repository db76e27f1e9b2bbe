/* Detects a Python interpreter in a code file by the symbols that it exports. */
#ifndef TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_FILE_H
#define TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/str.h"

/* Addresses in the file. */
struct tp_python_file {
    uint64_t runtime;          /* _PyRuntime */
    uint64_t loop, loop_bytes; /* function that runs Python code; 0: not exported */
    int minor;                 /* of 3.minor; 0: unknown */
};

/* Reads the file. Returns false if it is not an interpreter, or cannot be read. path: NUL-terminated. */
bool tp_python_file_read(struct tp_python_file *file, struct tp_str path);

#endif
