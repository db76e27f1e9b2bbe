/* Lists folders with UTF-8 names and file types. Replaces the compiler's header. See README.md. */
#ifndef TP_WRITER_WINDOWS_DIRENT_H
#define TP_WRITER_WINDOWS_DIRENT_H

#include "writer/windows/symbol.h"

enum { DT_UNKNOWN = 0, DT_DIR = 4, DT_REG = 8, DT_LNK = 10 };

struct dirent {
    unsigned char d_type;
    char d_name[3 * 260];
};

typedef struct tp_windows_folder DIR;

DIR *opendir(const char *path) TP_WINDOWS(opendir);
DIR *fdopendir(int fd) TP_WINDOWS(fdopendir);
struct dirent *readdir(DIR *dir) TP_WINDOWS(readdir);
int closedir(DIR *dir) TP_WINDOWS(closedir);
int dirfd(DIR *dir) TP_WINDOWS(dirfd);

#endif
