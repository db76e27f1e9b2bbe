/* Locks files: see ../README.md. Locks end with their process. */
#ifndef TP_WRITER_WINDOWS_SYS_FILE_H
#define TP_WRITER_WINDOWS_SYS_FILE_H

#define LOCK_SH 1
#define LOCK_EX 2
#define LOCK_NB 4

int flock(int fd, int how);

#endif
