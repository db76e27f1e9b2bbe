/* Reports whether the program has more rights than its caller: see ../README.md. */
#ifndef TP_WRITER_MACOS_SYS_AUXV_H
#define TP_WRITER_MACOS_SYS_AUXV_H

#include <unistd.h>

#define AT_SECURE 23

static inline unsigned long getauxval(unsigned long what)
{
    return what == AT_SECURE && issetugid();
}

#endif
