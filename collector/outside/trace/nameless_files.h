/* Files whose functions have no names in a recording, since they were stripped and no debug package of theirs was found. */
#ifndef TP_COLLECTOR_OUTSIDE_TRACE_NAMELESS_FILES_H
#define TP_COLLECTOR_OUTSIDE_TRACE_NAMELESS_FILES_H

#include "collector/outside/stacks/stack_words.h"
#include "collector/outside/tree/outside_tree.h"
#include "writer/base/buf.h"

/* Appends an object in JSON: of the files in which samples without a function's name were taken, those with most of them first, name
 * and build-id, by which debug packages are found. Of two files of one name the one with more. Its frames are named on the way. */
void tp_nameless_files_put(struct tp_buf *out, const struct tp_outside_tree *tree, struct tp_stack_words *words);

#endif
