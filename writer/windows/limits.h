/* Defines the length of the longest path in UTF-8: see README.md. */
#ifndef TP_WRITER_WINDOWS_LIMITS_H
#define TP_WRITER_WINDOWS_LIMITS_H

#include_next <limits.h>

#undef PATH_MAX
#define PATH_MAX 4096

#endif
