/* Where functions begin and end in a file without symbols: by the call frame information that unwinding needs, and
 * that `strip` leaves.
 *
 * .eh_frame_hdr holds a table of function starts, sorted, with the place of each one's description (FDE), which says
 * how long the function is. Read as linkers for 64-bit systems write it: a table of pairs of 4 bytes each, relative to
 * its section. Where a compiler has put the rarely used part of a function elsewhere, that part is one of its own.
 *
 * Nothing is allocated, and no byte outside the segment is read, whatever is in it. */
#ifndef TP_WRITER_SPOOL_EH_FRAME_H
#define TP_WRITER_SPOOL_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The part of a file that holds .eh_frame_hdr and .eh_frame, in the byte order of this machine. Zeroed: there is
 * none. */
struct tp_eh_frame {
    const uint8_t *bytes; /* borrowed */
    size_t size;
    uint64_t address; /* of bytes[0], as in the file */
    uint64_t header;  /* address of .eh_frame_hdr */
};

/* A function, by addresses as in the file. */
struct tp_eh_function {
    uint64_t start, end;
};

/* The function that the code at `pc` is in. False: none that is described here. */
bool tp_eh_frame_function(struct tp_eh_function *function, const struct tp_eh_frame *frame, uint64_t pc);

#endif
