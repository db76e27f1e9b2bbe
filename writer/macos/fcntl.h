/* Adds flags of open: see README.md. */
#ifndef TP_WRITER_MACOS_FCNTL_H
#define TP_WRITER_MACOS_FCNTL_H

#include_next <fcntl.h>

/* with this value, open() of a folder for writing fails, so that fs.c creates files with a name instead */
#define O_TMPFILE O_DIRECTORY
#define O_PATH O_SEARCH

#endif
