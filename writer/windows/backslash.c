/* Handles paths in the forms that users of Windows write. Replaces writer/base/path.c. */
#include <string.h>

#include "writer/base/path.h"

char *tp_path_normalize(char *path)
{
    for (char *at = path; (at = strchr(at, '\\'));)
        *at = '/';
    return path;
}
