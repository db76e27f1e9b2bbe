/* Finds files that may be capture traces, by their names and their text. */
#ifndef TP_WEBREPORT_SESSION_MAP_SEARCH_H
#define TP_WEBREPORT_SESSION_MAP_SEARCH_H

#include <stdbool.h>

#include "writer/base/arena.h"

/* Name of the folder for capture traces, in the folder of a trace. */
#define TP_CAPTURE_FOLDER "capture_traces"

/* Returns true if the name of a file, or of its folder, shows that the file is a capture trace: a name that contains
 * "capture", or a file in the folder "capture_traces". */
bool tp_map_search_is_named(const char *path);

/* Appends to `paths` (elements: const char *) the files *.json and *.json.gz in the folder of the trace `path`, and in
 * its folder "capture_traces", that may be capture traces. Of at most TP_MAX_CAPTURE_SEARCHES other files in the folder
 * of the trace, the text is searched for calls that capture a graph. */
void tp_map_search_folder(struct tp_vec *paths, const char *path);

#endif
