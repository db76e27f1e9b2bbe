/* Finds the version of Python that ran a program. */
#ifndef TP_WEBREPORT_MEASURE_RULES_HOST_PYTHON_VERSION_H
#define TP_WEBREPORT_MEASURE_RULES_HOST_PYTHON_VERSION_H

#include "webreport/trace/frame.h"
#include "webreport/trace/trace.h"

/* Returns the minor version of Python 3 in the trace's member "python_version", such as 11 for "3.11.7"; 0 if the trace
 * lacks the member. `tracepress record` writes this member. */
int tp_python_version_in_trace(const struct tp_trace *trace);

/* Returns the minor version of Python 3 in the path of a frame, such as 11 for a file in "lib/python3.11/"; 0 if the
 * path has none. */
int tp_python_version_of_path(struct tp_str path);

/* Returns whether a frame is a function of Python's library on a line at which only Python 3.11 defines this function
 * (fitted_costs.h). The result is a guess for traces that do not name the version. */
bool tp_python_version_has_frame_line(const struct tp_frame *frame);

#endif
