/* Preloaded into a recorded program, ends the process if a thread of the recorder calls the program's allocator. Only
 * the recorder's own functions, which count blocks, are allowed to call the allocator's functions. */
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void __libc_free(void *block);

static void abort_on_recorder_thread(void)
{
    static const char why[] = "the recorder's thread calls the allocator\n";
    char name[17] = "";
    prctl(PR_GET_NAME, name);
    if (strcmp(name, "tracepress") == 0) {
        if (write(STDERR_FILENO, why, sizeof why - 1) > 0)
            _exit(99);
        abort();
    }
}

void *malloc(size_t size)
{
    abort_on_recorder_thread();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    abort_on_recorder_thread();
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    abort_on_recorder_thread();
    return __libc_realloc(block, size);
}

void free(void *block)
{
    if (block)
        abort_on_recorder_thread();
    __libc_free(block);
}
