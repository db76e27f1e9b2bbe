/* File names and errors of Windows: see README.md. Any thread. */
#ifndef TP_WRITER_WINDOWS_NAMES_H
#define TP_WRITER_WINDOWS_NAMES_H

#include <stdint.h>
#include <wchar.h>

/* The name as the system takes it, of any length: the caller frees it. NULL with errno: no memory, no UTF-8. */
wchar_t *tp_windows_wide(const char *path);

/* As UTF-8, allocated: the caller frees it; NULL with errno. */
char *tp_windows_narrow(const wchar_t *text);

/* "FOLDER\NAME" of a folder that is open, or `path` itself for AT_FDCWD or a whole path; as tp_windows_wide. */
wchar_t *tp_windows_wide_at(int folder, const char *path);

/* The path of what a handle is open for, allocated; NULL with errno. */
wchar_t *tp_windows_path_of(void *handle);

/* Sets errno to what the last call of the system failed with. Returns -1. */
int tp_windows_failed(void);

#endif
