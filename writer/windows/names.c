/* Converts file names and errors of Windows: see names.h.
 *
 * Names up to the system's old limit are passed unchanged. A longer name is passed as a full path with the prefix
 * "\\?\", which has no such limit. */
#include "writer/windows/names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>

#include "writer/windows/system.h"

/* longest name that is passed unchanged: 260 characters minus room for the pattern of a listing */
enum { OLD_LIMIT = 240 };

int tp_windows_set_errno(void)
{
    static const struct {
        DWORD error;
        int number;
    } known[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},      {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},        {ERROR_BAD_NETPATH, ENOENT},
        {ERROR_BAD_PATHNAME, ENOENT},        {ERROR_INVALID_DRIVE, ENOENT},
        {ERROR_ACCESS_DENIED, EACCES},       {ERROR_SHARING_VIOLATION, EACCES},
        {ERROR_WRITE_PROTECT, EROFS},        {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_ALREADY_EXISTS, EEXIST},      {ERROR_DISK_FULL, ENOSPC},
        {ERROR_HANDLE_DISK_FULL, ENOSPC},    {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
        {ERROR_OUTOFMEMORY, ENOMEM},         {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
        {ERROR_DIRECTORY, ENOTDIR},          {ERROR_LOCK_VIOLATION, EWOULDBLOCK},
        {ERROR_NOT_SUPPORTED, EOPNOTSUPP},   {ERROR_INVALID_FUNCTION, EOPNOTSUPP},
        {ERROR_INVALID_PARAMETER, EINVAL},   {ERROR_INVALID_HANDLE, EBADF},
        {ERROR_TOO_MANY_OPEN_FILES, EMFILE}, {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
    };
    DWORD error = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].error == error)
            errno = known[i].number;
    return -1;
}

static wchar_t *utf8_to_wide(const char *text)
{
    int count = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *wide = count > 0 ? malloc((size_t)count * sizeof *wide) : NULL;
    if (!wide) {
        errno = count > 0 ? ENOMEM : ENOENT; /* ENOENT if the text is not UTF-8, because no file can have such a name */
        return NULL;
    }
    MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, count);
    return wide;
}

/* Converts a long name to a full path with the prefix "\\?\". Frees `wide`. */
static wchar_t *make_long_path(wchar_t *wide)
{
    static const wchar_t mark[] = L"\\\\?\\", share[] = L"\\\\?\\UNC\\";
    DWORD count = GetFullPathNameW(wide, 0, NULL, NULL);
    wchar_t *whole = count ? malloc((count + 16) * sizeof *whole) : NULL;
    if (!whole) {
        free(wide);
        errno = ENOMEM;
        return NULL;
    }
    bool is_share = wide[0] == L'\\' && wide[1] == L'\\';
    size_t before = wcslen(is_share ? share : mark);
    GetFullPathNameW(wide, count, whole + before, NULL);
    free(wide);
    if (is_share) /* "\\SERVER" becomes "\\?\UNC\SERVER" */
        wmemmove(whole + before, whole + before + 2, wcslen(whole + before) - 1);
    wmemcpy(whole, is_share ? share : mark, before);
    return whole;
}

/* Replaces slashes, and converts a long name to a full path. Takes ownership of `wide`, which may be NULL. */
static wchar_t *make_system_path(wchar_t *wide)
{
    if (!wide)
        return NULL;
    for (wchar_t *at = wide; *at; at++)
        if (*at == L'/')
            *at = L'\\';
    return wcslen(wide) < OLD_LIMIT || wcsncmp(wide, L"\\\\?\\", 4) == 0 ? wide : make_long_path(wide);
}

wchar_t *tp_windows_system_path(const char *path)
{
    if (*path == '\0') {
        errno = ENOENT;
        return NULL;
    }
    return make_system_path(utf8_to_wide(path));
}

char *tp_windows_wide_to_utf8(const wchar_t *text)
{
    int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *narrow = size > 0 ? malloc((size_t)size) : NULL;
    if (!narrow)
        errno = ENOMEM;
    else
        WideCharToMultiByte(CP_UTF8, 0, text, -1, narrow, size, NULL, NULL);
    return narrow;
}

wchar_t *tp_windows_handle_path(void *handle)
{
    DWORD count = GetFinalPathNameByHandleW(handle, NULL, 0, FILE_NAME_NORMALIZED);
    wchar_t *path = count ? malloc((count + 1) * sizeof *path) : NULL;
    if (!path || !GetFinalPathNameByHandleW(handle, path, count + 1, FILE_NAME_NORMALIZED)) {
        tp_windows_set_errno();
        free(path);
        return NULL;
    }
    return path;
}

static bool is_full_path(const char *path)
{
    return *path == '/' || *path == '\\' || (*path && path[1] == ':');
}

wchar_t *tp_windows_system_path_at(int folder, const char *path)
{
    if (folder == AT_FDCWD || is_full_path(path))
        return tp_windows_system_path(path);
    wchar_t *above = tp_windows_handle_path((HANDLE)_get_osfhandle(folder));
    wchar_t *below = above ? utf8_to_wide(path) : NULL;
    if (above && below && wcscmp(below, L".") == 0) {
        free(below);
        return above;
    }
    size_t size = above && below ? wcslen(above) + wcslen(below) + 2 : 0;
    wchar_t *both = size ? malloc(size * sizeof *both) : NULL;
    if (both) {
        wcscpy(both, above);
        wcscat(both, L"\\");
        wcscat(both, below);
    }
    free(above);
    free(below);
    return make_system_path(both);
}
