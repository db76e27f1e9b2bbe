/* The environment as UTF-8: see stdlib.h. */
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "writer/windows/names.h"

/* What was asked for once, by any thread: never freed, so that who has an answer keeps it. */
const char *secure_getenv(const char *name)
{
    wchar_t *wide = tp_windows_wide(name);
    const wchar_t *value = wide ? _wgetenv(wide) : NULL;
    free(wide);
    return value ? tp_windows_narrow(value) : NULL;
}
