/* Detects a Python interpreter in a code file by the symbols that it exports. */
#ifndef TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_FILE_H
#define TP_COLLECTOR_OUTSIDE_PYTHON_PYTHON_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "writer/base/str.h"

/* Version and exported symbols of a Python interpreter. */
struct tp_python_file {
    uint64_t runtime;          /* address of _PyRuntime */
    uint64_t loop, loop_bytes; /* address and size of the function that runs Python code; 0: not exported */
    int minor;                 /* minor version of Python 3; 0: unknown */
};

/* Reads the symbols of the file. Returns false if the file is not an interpreter or cannot be read. path:
 * NUL-terminated. */
bool tp_python_file_read(struct tp_python_file *file, struct tp_str path);

#endif
