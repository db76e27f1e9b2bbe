/* Includes the system's header, in which TP_VERSION is a type. */
#ifndef TP_WRITER_WINDOWS_SYSTEM_H
#define TP_WRITER_WINDOWS_SYSTEM_H

#undef TP_VERSION
#include <io.h>
#include <windows.h>

#endif
