/* Includes windows.h, and first undefines the macro TP_VERSION, which would replace a type name of that header. */
#ifndef TP_WRITER_WINDOWS_SYSTEM_H
#define TP_WRITER_WINDOWS_SYSTEM_H

#undef TP_VERSION
#include <io.h>
#include <windows.h>

#endif
