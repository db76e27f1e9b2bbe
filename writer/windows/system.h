/* The header of the system, which has a type by the name of our version. */
#ifndef TP_WRITER_WINDOWS_SYSTEM_H
#define TP_WRITER_WINDOWS_SYSTEM_H

#undef TP_VERSION
#include <io.h>
#include <windows.h>

#endif
