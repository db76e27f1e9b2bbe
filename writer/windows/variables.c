/* Reads the environment as UTF-8: see stdlib.h. */
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "writer/windows/names.h"

/* Returns the value of a variable as UTF-8. Never frees the values, so that every caller may keep them. Any thread may
 * call it. */
const char *secure_getenv(const char *name)
{
    wchar_t *wide = tp_windows_system_path(name);
    const wchar_t *value = wide ? _wgetenv(wide) : NULL;
    free(wide);
    return value ? tp_windows_wide_to_utf8(value) : NULL;
}
