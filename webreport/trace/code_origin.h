/* Classifies the origin of a Python file by its path. Only this module determines which source line is "the user's
 * line" (docs/definitions.md, section 6).
 *
 * torch.profiler removes the folders of sys.path from a path. So a file of Python's library is "copy.py" or
 * "json/decoder.py". A file of an installed package is recognized only if its path still has the package folder. Pure
 * function, any thread. */
#ifndef TP_WEBREPORT_TRACE_CODE_ORIGIN_H
#define TP_WEBREPORT_TRACE_CODE_ORIGIN_H

#include "writer/base/str.h"

enum tp_code_origin {
    TP_CODE_GENERATED, /* code without a source file ("<string>"), or in the caches of Inductor and Triton */
    TP_CODE_PYTHON,    /* code of Python's own library */
    TP_CODE_FRAMEWORK, /* code of torch or triton */
    TP_CODE_PACKAGE,   /* code below site-packages or dist-packages */
    TP_CODE_USER
};

enum tp_code_origin tp_code_origin_of_path(struct tp_str path);

#endif
