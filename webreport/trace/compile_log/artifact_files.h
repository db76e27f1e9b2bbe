/* Finds the files of torch.compile in folders. */
#ifndef TP_WEBREPORT_TRACE_COMPILE_LOG_ARTIFACT_FILES_H
#define TP_WEBREPORT_TRACE_COMPILE_LOG_ARTIFACT_FILES_H

#include <stdbool.h>

#include "writer/base/arena.h"
#include "writer/base/str.h"

/* Returns true if artifacts in JSON with this name are read. */
bool tp_compile_is_artifact(struct tp_str name);

/* Appends the files below a folder to `files` (elements: const char *), folder by folder, sorted by name. Does not
 * follow links to folders. Drops entries beyond the limits of limits.h. */
void tp_compile_files_below(struct tp_vec *files, const char *folder);

/* Appends to `paths` (elements: const char *) the artifacts in the folder of a trace, and the folders in it whose names
 * or files are those of artifacts. Reads no file. trace: path of the trace. */
void tp_compile_files_near(struct tp_vec *paths, const char *trace);

#endif
