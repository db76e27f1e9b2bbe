/* Reads environment variables: see environment.h. */
#include "writer/base/environment.h"

#include <stdlib.h>
#include <sys/auxv.h>

const char *tp_environment(const char *name)
{
    return secure_getenv(name);
}

bool tp_environment_is_ignored(void)
{
    return getauxval(AT_SECURE) != 0;
}
