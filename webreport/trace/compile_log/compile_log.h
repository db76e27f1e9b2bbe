/* Reads the artifacts of torch.compile (compile_graphs.h). Any bytes are safe to read. */
#ifndef TP_WEBREPORT_TRACE_COMPILE_LOG_COMPILE_LOG_H
#define TP_WEBREPORT_TRACE_COMPILE_LOG_COMPILE_LOG_H

#include "webreport/trace/compile_log/compile_graphs.h"
#include "writer/base/error.h"

/* Reads artifacts from files and folders, and all files below the folders. Allocates from `arena`, whose guard must be
 * set. Returns 0, or TP_ENOTFOUND with a text if a path does not exist. */
int tp_compile_log_read(struct tp_compile_log *log, const char *const *paths, size_t count, struct tp_arena *arena,
                        struct tp_error *err);

/* Reads one artifact from memory. name: name of the file, which determines the format. */
void tp_compile_log_read_bytes(struct tp_compile_log *log, const char *name, struct tp_str bytes,
                               struct tp_arena *arena);

#endif
