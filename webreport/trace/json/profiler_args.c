/* Implements profiler_args.h. */
#include "webreport/trace/json/profiler_args.h"

#include <stddef.h>

bool tp_scan_is_profiler_arg(struct tp_str key)
{
    static const char *const keys[] = {"External id",
                                       "Record function id",
                                       "Ev Idx",
                                       "Sequence number",
                                       "Fwd thread id",
                                       "Call stack",
                                       "Input Dims",
                                       "Input type",
                                       "Input Strides",
                                       "Concrete Inputs",
                                       "Python id",
                                       "Python parent id",
                                       "finished",
                                       "kind",
                                       "device",
                                       "stream",
                                       "correlation",
                                       "external id",
                                       "Input dims",
                                       "Profiler Event Index",
                                       NULL};
    return tp_str_is_one_of(key, keys);
}
