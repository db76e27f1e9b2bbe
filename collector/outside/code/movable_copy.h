/* Copies a program with fixed addresses into a file that libdw accepts, because libdw expects position-independent
 * files. */
#ifndef TP_COLLECTOR_OUTSIDE_CODE_MOVABLE_COPY_H
#define TP_COLLECTOR_OUTSIDE_CODE_MOVABLE_COPY_H

/* Copies parts of the ELF file `fd` into a memory file and returns its descriptor. The copy contains the headers, with
 * a changed type, and the segment with the call frame information. All other bytes are zero. If the segments do not
 * show where that information is, copies the whole file. Returns -1 if the file is too large or memory is short. The
 * caller closes both descriptors. */
int tp_movable_copy_make(int fd);

#endif
