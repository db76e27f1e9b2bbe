/* Handles spools that Linux programs wrote. No program on this machine can still be writing them. */
#include "writer/spool/spool_read.h"

bool tp_spool_is_live(const char *path)
{
    (void)path;
    return false;
}
