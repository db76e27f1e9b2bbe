/* Declares functions for files and folders: see README.md. */
#ifndef TP_WRITER_WINDOWS_UNISTD_H
#define TP_WRITER_WINDOWS_UNISTD_H

#include <stdio.h>
#include <sys/types.h>
#include_next <unistd.h>

#include "writer/windows/symbol.h"

#undef access

int access(const char *path, int mode) TP_WINDOWS(access);
int unlink(const char *path) TP_WINDOWS(unlink);
int unlinkat(int folder, const char *path, int flags) TP_WINDOWS(unlinkat);
int renameat(int from_folder, const char *from, int to_folder, const char *to) TP_WINDOWS(renameat);
int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) TP_WINDOWS(linkat);
ssize_t pread(int fd, void *to, size_t size, off_t at) TP_WINDOWS(pread);
int fsync(int fd) TP_WINDOWS(fsync);
int fchown(int fd, int user, int group) TP_WINDOWS(fchown);
ssize_t readlink(const char *path, char *to, size_t size) TP_WINDOWS(readlink);

#endif
