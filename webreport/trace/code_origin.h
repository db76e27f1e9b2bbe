/* Classifies the origin of Python code by its path: the user's code, a library, torch, Python's library, or generated
 * code (docs/definitions.md, section 6). Only this module contains the rule for a path; frame.h applies the rule to the
 * texts of frames, and scripts.h finds the scripts of a trace.
 *
 * torch.profiler removes the folders of sys.path from a path, so a file of Python's library may be "copy.py", and the
 * path of an installed package may begin with the name of the package. Pure functions, any thread. */
#ifndef TP_WEBREPORT_TRACE_CODE_ORIGIN_H
#define TP_WEBREPORT_TRACE_CODE_ORIGIN_H

#include "writer/base/str.h"

enum tp_code_origin {
    TP_ORIGIN_BUILTIN,   /* a function without a Python file, or a text that is no frame */
    TP_ORIGIN_MODULE,    /* call of a module: "nn.Module: Linear_0" */
    TP_ORIGIN_GENERATED, /* code without a source file, or in the caches of compilers */
    TP_ORIGIN_STDLIB,    /* Python's library */
    TP_ORIGIN_TORCH,     /* torch and the packages that torch's project publishes, such as triton */
    TP_ORIGIN_LIBRARY,   /* another package */
    TP_ORIGIN_USER
};

/* The origin of code. */
struct tp_code {
    enum tp_code_origin origin;
    bool is_line;  /* true if a frame of this code can be the line of an event */
    uint32_t skip; /* number of bytes at the start of the path that are not shown */
};

/* Classifies code by its path, in which a backslash equals a slash. */
struct tp_code tp_code_of_path(struct tp_str path);

#endif
