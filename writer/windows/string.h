/* Searches bytes: see README.md. */
#ifndef TP_WRITER_WINDOWS_STRING_H
#define TP_WRITER_WINDOWS_STRING_H

#include_next <string.h>

void *memmem(const void *in, size_t size, const void *what, size_t what_size);
void *memrchr(const void *in, int byte, size_t size);

#endif
