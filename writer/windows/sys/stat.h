/* Describes files: see ../README.md. This header defines its own structure, because the compiler's has only 32 bits for
 * a size and no inode number. */
#ifndef TP_WRITER_WINDOWS_SYS_STAT_H
#define TP_WRITER_WINDOWS_SYS_STAT_H

#include <stdint.h>
#include_next <sys/stat.h>
#include <sys/types.h>

#include "writer/windows/symbol.h"

#undef stat
#undef fstat
#define stat tp_windows_stat
#define lstat tp_windows_lstat
#define fstat tp_windows_fstat
#define mkdir tp_windows_mkdir

#define S_IFLNK 0xA000
#define S_ISLNK(mode) (((mode)&S_IFMT) == S_IFLNK)

struct stat {
    uint64_t st_dev, st_ino;
    uint32_t st_mode, st_nlink;
    int st_uid, st_gid; /* user and group, always 0 */
    int64_t st_size, st_mtime;
};

int stat(const char *path, struct stat *info);
int lstat(const char *path, struct stat *info);
int fstat(int fd, struct stat *info);
int fstatat(int folder, const char *path, struct stat *info, int flags);
int mkdir(const char *path, mode_t mode);
int fchmod(int fd, mode_t mode) TP_WINDOWS(fchmod); /* Always fails with ENOSYS. */

#endif
