/* Walks call stacks: the stack of the calling thread, and the stack of another thread from a copy.
 *
 * Frames are return addresses, innermost first. The first frame of a copied stack is the current instruction. Walking
 * needs no frame pointers. */
#ifndef TP_COLLECTOR_UNWIND_H
#define TP_COLLECTOR_UNWIND_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

enum { TP_STACK_COPY_BYTES = 64 << 10, TP_STACK_REGISTERS = 33, TP_MAX_FRAMES = 128 };

/* Loads libunwind. Without libunwind, the functions here find no frames. Returns whether it is loaded. Any thread may
 * call it, but not in a signal handler. */
bool tp_stack_prepare(void);

/* Registers and the innermost part of a stack, as a signal handler found them. */
struct tp_stack_copy {
    uint64_t registers[TP_STACK_REGISTERS]; /* values of the registers, by their DWARF numbers */
    uint64_t start;                         /* address of bytes[0]; the value of the stack pointer */
    uint32_t size;                          /* number of copied bytes */
    char bytes[TP_STACK_COPY_BYTES];
};

/* Fills *copy from the context of a signal handler. Makes only one system call, so it is safe in any signal handler. */
void tp_stack_copy_context(struct tp_stack_copy *copy, const ucontext_t *context);

/* Fills `frames` with the frames of a copied stack. Returns their number, at most max; 0: no frames. Waits if another
 * thread of the recorder is unwinding. */
uint32_t tp_stack_unwind(const struct tp_stack_copy *copy, uint64_t *frames, uint32_t max);

/* Clears the cache of unwind tables after shared libraries were loaded or unloaded. Waits if another thread of the
 * recorder is unwinding. */
void tp_stack_clear_code_cache(void);

/* Fills `frames` with the frames of the calling thread outside of the recorder's code, at most max. For places where
 * the thread must not wait, such as inside malloc. Works on a copy of the stack and calls neither the loader nor the
 * allocator. Returns the number of frames; 0 if another thread of the recorder is unwinding or the stack cannot be
 * walked. Needs tp_stack_prepare. Any thread may call it, but not in a signal handler. */
uint32_t tp_stack_walk_without_wait(uint64_t *frames, uint32_t max);

/* Returns whether tp_stack_walk_without_wait has found code outside of all known shared libraries since the last call
 * of this function. If so, tp_modules_update may find a new library. Any thread may call it. */
bool tp_stack_has_found_unknown(void);

/* Fills `frames` with the frames of the calling thread, at most max, starting at the frame that returns to `from`.
 * Returns the number of frames; 0 if that frame is not found. Must not be called in a signal handler. */
uint32_t tp_stack_walk_this_thread(const void *from, uint64_t *frames, uint32_t max);

/* Returns the reason why tp_stack_walk_this_thread cannot work in this program, or NULL if it can. The text is static.
 */
const char *tp_stack_walk_refusal_text(void);

/* Prevents exiting threads from unmapping their stack buffers from now on, because that is a system call. Must be
 * called while no thread walks a stack. */
void tp_stack_replace_library_key(void);

#endif
