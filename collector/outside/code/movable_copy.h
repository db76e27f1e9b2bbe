/* A program that is linked to fixed addresses, as a file for libdw that it takes for one that can lie anywhere. */
#ifndef TP_COLLECTOR_OUTSIDE_CODE_MOVABLE_COPY_H
#define TP_COLLECTOR_OUTSIDE_CODE_MOVABLE_COPY_H

/* Returns a descriptor of a file in memory with the heads of the ELF file `fd`, its type changed, and the segment with
 * its call frame information, all else reads as zeros; of a file whose segments do not tell where that is, all. -1: it
 * is too large, or there is no room. The caller closes both. */
int tp_movable_copy(int fd);

#endif
