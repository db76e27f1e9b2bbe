/* Implements the listing of folders: see dirent.h. Two threads must not use one DIR at the same time. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "writer/windows/names.h"
#include "writer/windows/system.h"

struct tp_windows_folder {
    int fd;
    HANDLE search; /* handle of the listing; INVALID_HANDLE_VALUE: the listing has not started */
    wchar_t *pattern;
    struct dirent entry;
};

/* Opens a listing of the folder `path`, which may be NULL. Frees `path`. */
static DIR *open_listing(int fd, wchar_t *path)
{
    DIR *dir = path ? calloc(1, sizeof *dir) : NULL;
    size_t size = path ? wcslen(path) : 0;
    wchar_t *pattern = dir ? malloc((size + 3) * sizeof *pattern) : NULL;
    if (pattern) {
        wcscpy(pattern, path);
        wcscpy(pattern + size, path[size - 1] == L'\\' ? L"*" : L"\\*");
        *dir = (DIR){.fd = fd, .search = INVALID_HANDLE_VALUE, .pattern = pattern};
    } else {
        free(dir);
        dir = NULL;
    }
    free(path);
    return dir;
}

DIR *opendir(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? open_listing(fd, tp_windows_system_path(path)) : NULL;
    if (fd >= 0 && !dir)
        close(fd);
    return dir;
}

DIR *fdopendir(int fd)
{
    return open_listing(fd, tp_windows_handle_path((HANDLE)_get_osfhandle(fd)));
}

static bool find_next(DIR *dir, WIN32_FIND_DATAW *found)
{
    if (dir->search != INVALID_HANDLE_VALUE)
        return FindNextFileW(dir->search, found);
    dir->search = FindFirstFileW(dir->pattern, found);
    return dir->search != INVALID_HANDLE_VALUE;
}

struct dirent *readdir(DIR *dir)
{
    WIN32_FIND_DATAW found;
    struct dirent *entry = &dir->entry;
    if (!find_next(dir, &found)) {
        if (GetLastError() != ERROR_NO_MORE_FILES)
            tp_windows_set_errno();
        return NULL;
    }
    entry->d_type = found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT ? DT_LNK
                    : found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY   ? DT_DIR
                                                                          : DT_REG;
    WideCharToMultiByte(CP_UTF8, 0, found.cFileName, -1, entry->d_name, sizeof entry->d_name, NULL, NULL);
    return entry;
}

int closedir(DIR *dir)
{
    if (dir->search != INVALID_HANDLE_VALUE)
        FindClose(dir->search);
    int code = close(dir->fd);
    free(dir->pattern);
    free(dir);
    return code;
}

int dirfd(DIR *dir)
{
    return dir->fd;
}
