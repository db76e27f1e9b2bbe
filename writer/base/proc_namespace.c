/* Finds out to which PID namespace the process ids in /proc belong: see proc_namespace.h. */
#include "writer/base/proc_namespace.h"

#include <stdlib.h>
#include <unistd.h>

bool tp_proc_matches_namespace(void)
{
    char text[32];
    ssize_t n = readlink("/proc/self", text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 && strtol(text, NULL, 10) == getpid();
}
