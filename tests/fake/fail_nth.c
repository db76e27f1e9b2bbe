/* Preloaded: makes the n-th call of one kind fail, as a full disk or exhausted memory would.
 * FAIL_KIND selects the calls:
 *   memory   malloc, calloc, realloc, anonymous mmap, mremap
 *   input    read and pread, with the error EIO
 *   stale    read and pread, with the error ESTALE
 *   end      read and pread, which return 0 as at the end of the file
 *   output   write, fsync, linkat, rename, open for writing
 *   part     write, which succeeds but writes only half of its bytes
 * FAIL_AT: number of the failing call, from 1; 0: no call fails. FAIL_STAY=1: all later calls fail too. FAIL_SIGNAL:
 * the call succeeds, but the process gets this signal just before it. Tests use this to kill a process during its work.
 * FAIL_COUNT: file to which the number of calls is written at exit. Calls are numbered over all threads together. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static long calls, fail_at;
static char kind; /* kind of the failing calls: first letter of FAIL_KIND's value, or e for "end", s for "stale", p for
                   * "part"; 0 before the constructor has run */
static int signal_number;
static bool stays, is_done;

static bool must_call_of_kind_fail(char of)
{
    if (kind != of || is_done)
        return false;
    long n = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    bool is_due = fail_at && (n == fail_at || (stays && n > fail_at));
    if (is_due && signal_number)
        kill(getpid(), signal_number);
    return is_due && !signal_number;
}

__attribute__((constructor)) static void read_settings(void)
{
    const char *at = getenv("FAIL_AT"), *of = getenv("FAIL_KIND"), *stay = getenv("FAIL_STAY");
    const char *number = getenv("FAIL_SIGNAL");
    signal_number = number ? atoi(number) : 0;
    if (signal_number)
        signal(signal_number, SIG_DFL); /* shells make their background jobs ignore SIGINT */
    fail_at = at ? atol(at) : 0;
    stays = stay && *stay == '1';
    kind = of ? *of : 0;
}

__attribute__((destructor)) static void write_call_count(void)
{
    const char *path = getenv("FAIL_COUNT");
    char text[32];
    is_done = true;
    if (!path)
        return;
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int n = snprintf(text, sizeof text, "%ld\n", calls);
    if (file >= 0 && syscall(SYS_write, file, text, (size_t)n) == n)
        syscall(SYS_close, file);
}

static void *out_of_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

static int fail_with_full_disk(void)
{
    errno = ENOSPC;
    return -1;
}

void *malloc(size_t size)
{
    return must_call_of_kind_fail('m') ? out_of_memory() : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return must_call_of_kind_fail('m') ? out_of_memory() : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return must_call_of_kind_fail('m') ? out_of_memory() : __libc_realloc(old, size);
}

void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    if ((flags & MAP_ANONYMOUS) && must_call_of_kind_fail('m')) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}

void *mremap(void *old, size_t old_size, size_t new_size, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    void *where = flags & MREMAP_FIXED ? va_arg(args, void *) : NULL;
    va_end(args);
    if (new_size > old_size && must_call_of_kind_fail('m')) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mremap, old, old_size, new_size, flags, where);
}

/* Decides the result of a read. Returns -1 with errno for a failure, 0 for a simulated end of the file, or 1 if the
 * read should be made. */
static ssize_t choose_read_result(void)
{
    if (must_call_of_kind_fail('i'))
        errno = EIO;
    else if (must_call_of_kind_fail('s'))
        errno = ESTALE;
    else
        return must_call_of_kind_fail('e') ? 0 : 1;
    return -1;
}

ssize_t read(int file, void *bytes, size_t size)
{
    ssize_t failed = file > 2 ? choose_read_result() : 1;
    return failed <= 0 ? failed : syscall(SYS_read, file, bytes, size);
}

ssize_t pread64(int file, void *bytes, size_t size, off64_t at)
{
    ssize_t failed = choose_read_result();
    return failed <= 0 ? failed : syscall(SYS_pread64, file, bytes, size, at);
}

ssize_t pread(int file, void *bytes, size_t size, off_t at)
{
    return pread64(file, bytes, size, at);
}

/* Returns the number of bytes to write: half of `size`, but at least one, if this write must be shortened. */
static size_t size_of_short_write(size_t size)
{
    return size > 1 && must_call_of_kind_fail('p') ? size / 2 : size;
}

ssize_t write(int file, const void *bytes, size_t size)
{
    if (file != 2 && must_call_of_kind_fail('o'))
        return fail_with_full_disk();
    return syscall(SYS_write, file, bytes, file != 2 ? size_of_short_write(size) : size);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at)
{
    if (must_call_of_kind_fail('o'))
        return fail_with_full_disk();
    return syscall(SYS_pwrite64, file, bytes, size_of_short_write(size), at);
}

ssize_t writev(int file, const struct iovec *parts, int count)
{
    if (file != 2 && must_call_of_kind_fail('o'))
        return fail_with_full_disk();
    return syscall(SYS_writev, file, parts, count > 1 && file != 2 && must_call_of_kind_fail('p') ? count / 2 : count);
}

int fsync(int file)
{
    return must_call_of_kind_fail('o') ? fail_with_full_disk() : (int)syscall(SYS_fsync, file);
}

int fdatasync(int file)
{
    return must_call_of_kind_fail('o') ? fail_with_full_disk() : (int)syscall(SYS_fdatasync, file);
}

int rename(const char *from, const char *to)
{
    return must_call_of_kind_fail('o') ? fail_with_full_disk()
                                       : (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    return must_call_of_kind_fail('o') ? fail_with_full_disk()
                                       : (int)syscall(SYS_renameat, from_folder, from, to_folder, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    return must_call_of_kind_fail('o') ? fail_with_full_disk()
                                       : (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}

static int open_or_fail(int folder, const char *path, int flags, va_list args)
{
    unsigned mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, unsigned) : 0;
    if ((flags & O_ACCMODE) != O_RDONLY && must_call_of_kind_fail('o'))
        return fail_with_full_disk();
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    int file = open_or_fail(AT_FDCWD, path, flags, args);
    va_end(args);
    return file;
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    int file = open_or_fail(folder, path, flags, args);
    va_end(args);
    return file;
}
