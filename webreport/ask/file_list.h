/* Lists the files below folders that may be inputs, and computes the ids of files. */
#ifndef TP_WEBREPORT_ASK_FILE_LIST_H
#define TP_WEBREPORT_ASK_FILE_LIST_H

#include "webreport/ask/roots.h"
#include "writer/base/str.h"

/* Appends the paths of all files below `folder` whose names end like those of traces, sorted, to `paths` (elements:
 * const char *), at most TP_MAX_ASK_FILES. Does not follow links to folders. The guard of paths->arena is set. */
void tp_file_list_find(struct tp_vec *paths, const char *folder);

/* Computes the id of a file: 12 hexadecimal digits of the SHA-256 of its first 64 KiB, its last 4 KiB and its size as
 * decimal digits. For a folder, of the ids of all files that tp_file_list_find lists, with their paths. Returns false
 * if a file cannot be read. arena: for temporary memory; its guard is set. */
bool tp_file_list_id(char id[13], const char *path, bool is_folder, struct tp_arena *arena);

/* Fills size and modified_ns of a folder from its files, so that they change if a file changes. */
void tp_file_list_identify(struct tp_file_identity *identity, const char *folder, struct tp_arena *arena);

/* Returns the kind of a file by its content: "trace", "summary", "snapshot" or "other". Static text. */
const char *tp_file_list_kind(const char *path);

#endif
