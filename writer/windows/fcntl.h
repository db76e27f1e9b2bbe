/* Declares open and its flags: see README.md. Child processes do not inherit descriptors. */
#ifndef TP_WRITER_WINDOWS_FCNTL_H
#define TP_WRITER_WINDOWS_FCNTL_H

#include_next <fcntl.h>
#include <io.h>

#include "writer/windows/symbol.h"

#define O_CLOEXEC O_NOINHERIT
#define O_NOCTTY 0
#define O_NONBLOCK 0
#define O_NOFOLLOW 0x01000000
#define O_DIRECTORY 0x02000000
#define O_PATH 0x04000000
#define O_TMPFILE 0x08000000 /* open with this flag fails with EOPNOTSUPP */

#define AT_FDCWD (-100)
#define AT_SYMLINK_NOFOLLOW 0x100
#define AT_SYMLINK_FOLLOW 0x400
#define F_DUPFD_CLOEXEC 1030

int open(const char *path, int flags, ...) TP_WINDOWS(open);
int openat(int folder, const char *path, int flags, ...) TP_WINDOWS(openat);

/* Supports only F_DUPFD_CLOEXEC. */
int fcntl(int fd, int command, ...) TP_WINDOWS(fcntl);

#endif
