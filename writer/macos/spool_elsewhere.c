/* Recordings that programs of Linux left: none of them is still being written by a program of this machine. */
#include "writer/spool/spool_read.h"

bool tp_spool_is_live(const char *path)
{
    (void)path;
    return false;
}
