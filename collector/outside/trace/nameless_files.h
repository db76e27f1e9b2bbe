/* Lists files whose functions have no names in a recording, because the files were stripped and no debug package was
 * found. */
#ifndef TP_COLLECTOR_OUTSIDE_TRACE_NAMELESS_FILES_H
#define TP_COLLECTOR_OUTSIDE_TRACE_NAMELESS_FILES_H

#include "collector/outside/stacks/stack_texts.h"
#include "collector/outside/tree/outside_tree.h"
#include "writer/base/buf.h"

/* Appends a JSON object with the names and build-ids of files with samples in unnamed functions. Users find debug
 * packages by the build-id. Files with the most such samples come first. If two files have the same name, only the
 * first is listed. Finds the names of all sampled frames. */
void tp_nameless_files_put(struct tp_buf *out, const struct tp_outside_tree *tree, struct tp_stack_texts *words);

#endif
