/* Care for the vector registers after a call of ISA-L. */
#ifndef TP_WRITER_BASE_VECTORS_H
#define TP_WRITER_BASE_VECTORS_H

/* Clears the upper halves of the vector registers, which ISA-L's AVX code leaves in use. While they are in use, each
 * SSE instruction must keep them, and waits for the previous writer of its register: loops over bytes then take up to
 * six times as long. Call this function after isal_inflate and isal_deflate. Does nothing on processors without AVX.
 * Any thread may call it. */
void tp_clear_upper_halves(void);

#endif
