/* Call stacks: of the calling thread, and of another one from a copy that it left.
 *
 * Frames are return addresses, innermost first; the first of a copied stack is where the thread was. No frame pointers
 * are needed. */
#ifndef TP_COLLECTOR_UNWIND_H
#define TP_COLLECTOR_UNWIND_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

enum { TP_STACK_COPY_BYTES = 64 << 10, TP_STACK_REGISTERS = 33, TP_MAX_FRAMES = 128 };

/* Loads libunwind; without it every function here finds nothing. True when it is there. Any thread, not in handlers. */
bool tp_stack_prepare(void);

/* Registers and the upper part of a stack, as a signal found them. */
struct tp_stack_copy {
    uint64_t registers[TP_STACK_REGISTERS]; /* numbered as DWARF does */
    uint64_t start;                         /* address of bytes[0]: the stack pointer */
    uint32_t size;                          /* of what was copied */
    char bytes[TP_STACK_COPY_BYTES];
};

/* Fills `copy` from the context of a signal handler. Only a system call and stores: safe in any handler. */
void tp_stack_take(struct tp_stack_copy *copy, const ucontext_t *context);

/* Frames of a copied stack, at most max; 0: none. Waits for another thread of ours that unwinds. */
uint32_t tp_stack_unwind(const struct tp_stack_copy *copy, uint64_t *frames, uint32_t max);

/* Forgets what is known of the code: after modules came or went. As above. */
void tp_stack_forget(void);

/* Frames of the calling thread outside of our own code, at most max, where nothing may be waited for, such as inside of
 * malloc: from a copy of its stack, without asking the loader or the C library's allocator. 0: another thread of ours
 * unwinds at this moment, or the stack cannot be walked. After tp_stack_prepare. Any thread; not from signal handlers. */
uint32_t tp_stack_apart(uint64_t *frames, uint32_t max);

/* Whether tp_stack_apart met code that is in no module it knows, since this was last asked: tp_modules_update may find
 * it. Any thread. */
bool tp_stack_has_met_unknown(void);

/* Frames of the calling thread, at most max, beginning with the one that returns to `from`; 0 without it. Not from
 * signal handlers. */
uint32_t tp_stack_here(const void *from, uint64_t *frames, uint32_t max);

/* Why tp_stack_here finds nothing in this program; NULL: it does. Static. */
const char *tp_stack_here_refusal(void);

/* Threads that end from now on make no call of the kernel for stacks that they have walked. When none walks. */
void tp_stack_abandon(void);

#endif
