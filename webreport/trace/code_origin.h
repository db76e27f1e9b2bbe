/* Classifies the origin of a Python file by its path. This is the only rule for "the user's line" (docs/definitions.md,
 * section 6).
 *
 * torch.profiler removes the folders of sys.path from a path, so that a file of Python's library is "copy.py" or
 * "json/decoder.py". Installed packages are recognized only if the path still contains their folder. Pure function, any
 * thread. */
#ifndef TP_WEBREPORT_TRACE_CODE_ORIGIN_H
#define TP_WEBREPORT_TRACE_CODE_ORIGIN_H

#include "writer/base/str.h"

enum tp_code_origin {
    TP_CODE_GENERATED, /* code written by a program: "<string>", or in Inductor's and Triton's caches */
    TP_CODE_PYTHON,    /* code of Python's own library */
    TP_CODE_FRAMEWORK, /* code of torch or triton */
    TP_CODE_PACKAGE,   /* code below site-packages or dist-packages */
    TP_CODE_USER
};

enum tp_code_origin tp_code_origin_of(struct tp_str path);

#endif
