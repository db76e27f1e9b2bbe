/* Files that are not finished yet: ".BASE.tracepress-RANDOM.tmp", beside what they are to become.
 *
 * The name is random: processes of two containers on one disk may have equal numbers. Who writes such a file holds a
 * lock on it (flock), which ends with its process however that dies; a file that nobody holds is abandoned. Where the
 * file system has no locks, nothing counts as abandoned. Any thread. */
#ifndef TP_WRITER_BASE_TEMPORARY_H
#define TP_WRITER_BASE_TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

enum { TP_TEMPORARY_NAME = 256 };

/* Writes a random name, NUL-terminated, for what becomes `base`; of a long base it has the first 200 bytes. */
void tp_temporary_name(char name[static TP_TEMPORARY_NAME], const char *base);

/* Makes a file with such a name in `folder` (a descriptor, AT_FDCWD), open for reading and writing, locked. Returns the
 * descriptor, -1 with errno when there is none to be had. */
int tp_temporary_create(char name[static TP_TEMPORARY_NAME], int folder, const char *base, mode_t mode);

/* Locks a file that this process has made and nobody else can know; false: there is no lock. Nothing is said then: the
 * file is never removed by others. */
bool tp_temporary_lock(int fd);

/* Whether a name has the form of a temporary file of `base` (NULL: of any). */
bool tp_temporary_is_name(const char *name, const char *base);

/* Whether `path`, from `folder`, is a temporary file whose process is gone. */
bool tp_temporary_is_abandoned(int folder, const char *path);

/* Removes the abandoned temporary files in `folder`: those of `base` at once, others when they were last written an
 * hour ago. Each report beside a trace has a base of its own, which no later one has. */
void tp_temporary_remove_abandoned(int folder, const char *base);

#endif
