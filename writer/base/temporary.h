/* Manages files that are not finished yet: ".BASE.tracepress-RANDOM.tmp", next to their final path.
 *
 * The name is random, because processes of two containers on one disk may have equal process ids. The writer locks the
 * file (flock). The lock ends with its process, so that a file without a lock is abandoned. On a file system without
 * locks, no file counts as abandoned. Any thread. */
#ifndef TP_WRITER_BASE_TEMPORARY_H
#define TP_WRITER_BASE_TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

enum { TP_TEMPORARY_NAME = 256 };

/* Writes a random name, NUL-terminated, for a file that becomes `base`; of a long base only the first 200 bytes are
 * used. */
void tp_temporary_name(char name[static TP_TEMPORARY_NAME], const char *base);

/* Creates a file with such a name in `folder` (a descriptor or AT_FDCWD), open for reading and writing, and locked.
 * Returns the descriptor, or -1 with errno. */
int tp_temporary_create(char name[static TP_TEMPORARY_NAME], int folder, const char *base, mode_t mode);

/* Locks a file that this process has created and no other process knows. Returns false if locking fails; this is not an
 * error, because the file is then never removed by others. */
bool tp_temporary_lock(int fd);

/* Returns whether a name has the form of a temporary file of `base` (NULL: of any). */
bool tp_temporary_is_name(const char *name, const char *base);

/* Returns whether `path`, relative to `folder`, is a temporary file whose process has exited. */
bool tp_temporary_is_abandoned(int folder, const char *path);

/* Removes the abandoned temporary files in `folder`: those of `base` immediately, others if they were last written an
 * hour ago. The others are needed because each report next to a trace has its own base, which no later file has. */
void tp_temporary_remove_abandoned(int folder, const char *base);

#endif
