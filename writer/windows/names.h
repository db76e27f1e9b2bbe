/* Converts file names and errors of Windows: see README.md. Any thread may call these functions. */
#ifndef TP_WRITER_WINDOWS_NAMES_H
#define TP_WRITER_WINDOWS_NAMES_H

#include <stdint.h>
#include <wchar.h>

/* Returns the name in the system's form, of any length. The caller frees it. Returns NULL with errno if memory is
 * short or the name is not UTF-8. */
wchar_t *tp_windows_system_path(const char *path);

/* Returns the text as UTF-8. The caller frees it. Returns NULL with errno on failure. */
char *tp_windows_wide_to_utf8(const wchar_t *text);

/* Returns "FOLDER\NAME" for an open folder, or `path` itself for AT_FDCWD or a full path. The result is in the system's
 * form, and the caller frees it. Returns NULL with errno on failure. */
wchar_t *tp_windows_system_path_at(int folder, const char *path);

/* Returns the path of an open handle, which the caller frees. Returns NULL with errno on failure. */
wchar_t *tp_windows_handle_path(void *handle);

/* Sets errno from the error of the last system call. Returns -1. */
int tp_windows_set_errno(void);

#endif
