/* Lists the arguments that profilers write themselves. */
#ifndef TP_WEBREPORT_TRACE_JSON_PROFILER_ARGS_H
#define TP_WEBREPORT_TRACE_JSON_PROFILER_ARGS_H

#include <stdbool.h>

#include "writer/base/str.h"

/* Returns true if torch's profiler or ours writes an argument with this name on ranges or device work. All other
 * arguments come from the program. */
bool tp_scan_is_profiler_arg(struct tp_str key);

#endif
