/* Paths as users write them: see path.h. Here a backslash is a character as any other. */
#include "writer/base/path.h"

char *tp_path_of_user(char *path)
{
    return path;
}
