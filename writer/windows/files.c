/* Implements the POSIX functions for files: see README.md.
 *
 * Every file is opened with flags that allow other processes to rename and remove the open file, as on Linux. flock
 * locks bytes far behind the end of the file, so that the lock does not block readers. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "writer/windows/names.h"
#include "writer/windows/system.h"

/* system function that returns random numbers; advapi32 exports it under this name */
BOOLEAN NTAPI SystemFunction036(PVOID to, ULONG size);

/* ---- open ---- */

static HANDLE fd_handle(int fd)
{
    return (HANDLE)_get_osfhandle(fd);
}

static DWORD open_access(int flags)
{
    if ((flags & (O_RDONLY | O_WRONLY | O_RDWR)) == O_RDONLY)
        return GENERIC_READ;
    return flags & O_RDWR ? GENERIC_READ | GENERIC_WRITE : GENERIC_WRITE;
}

static DWORD open_creation(int flags)
{
    if (flags & O_CREAT)
        return flags & O_EXCL ? CREATE_NEW : flags & O_TRUNC ? CREATE_ALWAYS : OPEN_ALWAYS;
    return flags & O_TRUNC ? TRUNCATE_EXISTING : OPEN_EXISTING;
}

static HANDLE open_wide(const wchar_t *path, DWORD access, DWORD creation, DWORD more)
{
    const DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    HANDLE handle = CreateFileW(path, access, share, NULL, creation, FILE_ATTRIBUTE_NORMAL | more, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        tp_windows_set_errno();
    return handle;
}

/* Opens a file. Frees `path`. */
static int open_wide_path(wchar_t *path, int flags)
{
    BY_HANDLE_FILE_INFORMATION info;
    DWORD more = FILE_FLAG_BACKUP_SEMANTICS; /* with this flag, folders can be opened too */
    more |= flags & O_NOFOLLOW ? FILE_FLAG_OPEN_REPARSE_POINT : 0;
    HANDLE handle = path ? open_wide(path, open_access(flags), open_creation(flags), more) : INVALID_HANDLE_VALUE;
    free(path);
    if (handle == INVALID_HANDLE_VALUE)
        return -1;
    bool is_folder = GetFileInformationByHandle(handle, &info) && info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
    int fd = -1;
    if (flags & O_DIRECTORY && !is_folder)
        errno = ENOTDIR;
    else
        fd = _open_osfhandle((intptr_t)handle, _O_BINARY | _O_NOINHERIT | (flags & O_APPEND));
    if (fd < 0)
        CloseHandle(handle);
    return fd;
}

int open(const char *path, int flags, ...)
{
    return openat(AT_FDCWD, path, flags);
}

int openat(int folder, const char *path, int flags, ...)
{
    if (flags & O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return open_wide_path(tp_windows_system_path_at(folder, path), flags);
}

int fcntl(int fd, int command, ...)
{
    if (command == F_DUPFD_CLOEXEC)
        return _dup(fd);
    errno = EINVAL;
    return -1;
}

ssize_t pread(int fd, void *to, size_t size, off_t at)
{
    OVERLAPPED place = {.Offset = (DWORD)at, .OffsetHigh = (DWORD)((uint64_t)at >> 32)};
    DWORD got = 0;
    if (!ReadFile(fd_handle(fd), to, size > INT_MAX ? INT_MAX : (DWORD)size, &got, &place) &&
        GetLastError() != ERROR_HANDLE_EOF)
        return tp_windows_set_errno();
    return (ssize_t)got;
}

int fsync(int fd)
{
    return FlushFileBuffers(fd_handle(fd)) ? 0 : tp_windows_set_errno();
}

/* ---- type and size of a file ---- */

static uint64_t join_words(DWORD high, DWORD low)
{
    return (uint64_t)high << 32 | low;
}

static uint32_t attributes_mode(DWORD attributes)
{
    uint32_t type = attributes & FILE_ATTRIBUTE_REPARSE_POINT ? S_IFLNK
                    : attributes & FILE_ATTRIBUTE_DIRECTORY   ? S_IFDIR
                                                              : S_IFREG;
    return type | (attributes & FILE_ATTRIBUTE_READONLY ? 0444 : 0666) | (type == S_IFDIR ? 0111 : 0);
}

static int stat_handle(HANDLE handle, struct stat *info)
{
    enum { TICKS = 10000000 };
    const uint64_t to_1970 = 11644473600ull;
    BY_HANDLE_FILE_INFORMATION found;
    DWORD type = GetFileType(handle);
    *info = (struct stat){.st_nlink = 1};
    if (type != FILE_TYPE_DISK) {
        info->st_mode = type == FILE_TYPE_CHAR ? S_IFCHR : S_IFIFO;
        return 0;
    }
    /* the system may have no information about standard input, although it is readable */
    if (!GetFileInformationByHandle(handle, &found)) {
        info->st_mode = S_IFIFO;
        return 0;
    }
    info->st_dev = found.dwVolumeSerialNumber;
    info->st_ino = join_words(found.nFileIndexHigh, found.nFileIndexLow);
    info->st_mode = attributes_mode(found.dwFileAttributes);
    info->st_nlink = found.nNumberOfLinks;
    info->st_size = (int64_t)join_words(found.nFileSizeHigh, found.nFileSizeLow);
    uint64_t ticks = join_words(found.ftLastWriteTime.dwHighDateTime, found.ftLastWriteTime.dwLowDateTime);
    info->st_mtime = (int64_t)(ticks / TICKS - to_1970);
    return 0;
}

int fstatat(int folder, const char *path, struct stat *info, int flags)
{
    wchar_t *wide = tp_windows_system_path_at(folder, path);
    bool is_followed = !(flags & AT_SYMLINK_NOFOLLOW);
    if (!wide)
        return -1;
    DWORD more = FILE_FLAG_BACKUP_SEMANTICS | (is_followed ? 0 : FILE_FLAG_OPEN_REPARSE_POINT);
    HANDLE handle = open_wide(wide, FILE_READ_ATTRIBUTES, OPEN_EXISTING, more);
    free(wide);
    if (handle == INVALID_HANDLE_VALUE)
        return -1;
    int code = stat_handle(handle, info);
    CloseHandle(handle);
    if (is_followed && S_ISLNK(info->st_mode)) /* rejects an entry that is not a link, for example a file of a cloud
                                                  store with a reparse point */
        info->st_mode = (info->st_mode & 0777) | S_IFREG;
    return code;
}

int stat(const char *path, struct stat *info)
{
    return fstatat(AT_FDCWD, path, info, 0);
}

int lstat(const char *path, struct stat *info)
{
    return fstatat(AT_FDCWD, path, info, AT_SYMLINK_NOFOLLOW);
}

int fstat(int fd, struct stat *info)
{
    return stat_handle(fd_handle(fd), info);
}

int access(const char *path, int mode)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return -1;
    if (mode & W_OK && !(info.st_mode & 0222) && !S_ISDIR(info.st_mode)) {
        errno = EACCES;
        return -1;
    }
    return 0;
}

int fchmod(int fd, mode_t mode)
{
    (void)fd, (void)mode;
    errno = ENOSYS;
    return -1;
}

int fchown(int fd, int user, int group)
{
    (void)fd, (void)user, (void)group;
    errno = ENOSYS;
    return -1;
}

/* ---- names and links: create, remove, rename, resolve ---- */

int mkdir(const char *path, mode_t mode)
{
    wchar_t *wide = tp_windows_system_path(path);
    (void)mode;
    int code = wide ? CreateDirectoryW(wide, NULL) ? 0 : tp_windows_set_errno() : -1;
    free(wide);
    return code;
}

int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

int unlinkat(int folder, const char *path, int flags)
{
    wchar_t *wide = tp_windows_system_path_at(folder, path);
    (void)flags;
    int code = wide ? DeleteFileW(wide) ? 0 : tp_windows_set_errno() : -1;
    free(wide);
    return code;
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    wchar_t *old = tp_windows_system_path_at(from_folder, from),
            *new = old ? tp_windows_system_path_at(to_folder, to) : NULL;
    int code = -1;
    if (new)
        code = MoveFileExW(old, new, MOVEFILE_REPLACE_EXISTING) ? 0 : tp_windows_set_errno();
    free(old);
    free(new);
    return code;
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    (void)from_folder, (void)from, (void)to_folder, (void)to, (void)flags;
    errno = EOPNOTSUPP;
    return -1;
}

ssize_t readlink(const char *path, char *to, size_t size)
{
    (void)path, (void)to, (void)size;
    errno = EINVAL;
    return -1;
}

/* Removes the system's prefix of full paths, and replaces backslashes by '/'. */
static void make_portable_path(wchar_t *path)
{
    bool is_share = wcsncmp(path, L"\\\\?\\UNC\\", 8) == 0;
    size_t mark = is_share ? 6 : wcsncmp(path, L"\\\\?\\", 4) == 0 ? 4 : 0;
    wmemmove(path, path + mark, wcslen(path + mark) + 1);
    if (is_share)
        *path = L'\\'; /* "\\?\UNC\SERVER" becomes "\\SERVER" */
    for (wchar_t *at = path; *at; at++)
        if (*at == L'\\')
            *at = L'/';
}

char *realpath(const char *path, char *to)
{
    wchar_t *wide = tp_windows_system_path(path);
    HANDLE handle = wide ? open_wide(wide, 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS) : INVALID_HANDLE_VALUE;
    free(wide);
    if (handle == INVALID_HANDLE_VALUE)
        return NULL;
    wide = tp_windows_handle_path(handle);
    CloseHandle(handle);
    if (wide)
        make_portable_path(wide);
    char *narrow = wide ? tp_windows_wide_to_utf8(wide) : NULL;
    free(wide);
    if (!narrow || !to)
        return narrow;
    size_t size = strlen(narrow) + 1;
    if (size <= PATH_MAX)
        memcpy(to, narrow, size);
    else
        errno = ENAMETOOLONG;
    free(narrow);
    return size <= PATH_MAX ? to : NULL;
}

/* ---- locks and random numbers ---- */

int flock(int fd, int how)
{
    OVERLAPPED behind = {.OffsetHigh = 0x40000000};
    DWORD flags = (how & LOCK_EX ? LOCKFILE_EXCLUSIVE_LOCK : 0) | (how & LOCK_NB ? LOCKFILE_FAIL_IMMEDIATELY : 0);
    return LockFileEx(fd_handle(fd), flags, 0, 1, 0, &behind) ? 0 : tp_windows_set_errno();
}

ssize_t getrandom(void *to, size_t size, unsigned flags)
{
    (void)flags;
    return SystemFunction036(to, (ULONG)size) ? (ssize_t)size : -1;
}
