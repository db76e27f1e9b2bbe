/* Manages temporary files that are not complete yet: ".BASE.tracepress-RANDOM.tmp", next to their final path.
 *
 * The name is random, because processes of two containers on one disk may have equal process ids. The writer locks the
 * file (flock). The kernel releases the lock when the process exits, so a file without a lock is abandoned. On a file
 * system without locks, no file is treated as abandoned. Any thread. */
#ifndef TP_WRITER_BASE_TEMPORARY_H
#define TP_WRITER_BASE_TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

enum { TP_TEMPORARY_NAME = 256 };

/* Writes a random temporary name, NUL-terminated, for a file that will be renamed to `base`. Uses only the first 200
 * bytes of a long base. */
void tp_temporary_name(char name[static TP_TEMPORARY_NAME], const char *base);

/* Creates a temporary file for `base` in `folder` (a descriptor or AT_FDCWD), open for reading and writing, and locked.
 * name: set to its random name. Returns the descriptor, or -1 with errno. */
int tp_temporary_create(char name[static TP_TEMPORARY_NAME], int folder, const char *base, mode_t mode);

/* Locks a file that this process has just created. Returning false (locking failed) is not an error, because other
 * processes never remove a file that cannot be locked. */
bool tp_temporary_lock(int fd);

/* Returns whether `name` has the form of a temporary name for `base`. base NULL: for any file. */
bool tp_temporary_is_name(const char *name, const char *base);

/* Returns whether `path`, relative to `folder`, is a temporary file whose writer has exited. */
bool tp_temporary_is_abandoned(int folder, const char *path);

/* Removes the abandoned temporary files in `folder`: those of `base` immediately, all others only if they were last
 * written at least an hour ago. Others are included because each report next to a trace has its own base, which no
 * later file has. */
void tp_temporary_remove_abandoned(int folder, const char *base);

#endif
