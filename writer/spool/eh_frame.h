/* Finds the start and end of functions in a file without symbols. The call frame information contains them, and `strip`
 * keeps it because unwinding needs it.
 *
 * .eh_frame_hdr has a sorted table of function starts with the address of each function's description (FDE), which
 * contains the function's length. The reader expects the form that linkers for 64-bit systems write: a table of pairs
 * of 4-byte numbers, relative to its section. If a compiler has moved the rarely used part of a function elsewhere,
 * that part is treated as a separate function.
 *
 * The reader allocates nothing, and never reads outside the segment, whatever its contents. */
#ifndef TP_WRITER_SPOOL_EH_FRAME_H
#define TP_WRITER_SPOOL_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The part of a file with .eh_frame_hdr and .eh_frame, in this machine's byte order. A zeroed struct describes no
 * functions. */
struct tp_eh_frame {
    const uint8_t *bytes; /* bytes of the segment, borrowed */
    size_t size;
    uint64_t address; /* address of bytes[0] as in the file */
    uint64_t header;  /* address of .eh_frame_hdr as in the file */
};

/* A function. `start` and `end` are addresses as in the file; `end` is the address after its last byte. */
struct tp_eh_function {
    uint64_t start, end;
};

/* Finds the function that contains the code address `pc`. Returns false if the file describes no such function. */
bool tp_eh_frame_find_function(struct tp_eh_function *function, const struct tp_eh_frame *frame, uint64_t pc);

#endif
