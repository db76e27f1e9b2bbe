/* Files: see README.md. */
#ifndef TP_WRITER_MACOS_FCNTL_H
#define TP_WRITER_MACOS_FCNTL_H

#include_next <fcntl.h>

#define O_TMPFILE O_DIRECTORY /* a folder that is opened for writing is refused: no file is without a name here */
#define O_PATH O_SEARCH

#endif
