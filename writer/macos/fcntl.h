/* Adds flags of open: see README.md. */
#ifndef TP_WRITER_MACOS_FCNTL_H
#define TP_WRITER_MACOS_FCNTL_H

#include_next <fcntl.h>

#define O_TMPFILE O_DIRECTORY /* opening a folder for writing fails, so that no nameless files are created here */
#define O_PATH O_SEARCH

#endif
