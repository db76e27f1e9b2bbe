/* Replaces the file calls of the tested code by calls that fail on demand. One kind of call can fail at a time.
 *
 * make_call_fail(CALL, ERRNO): from now on, each call of this kind fails with this error. fail_call_after(CALL, COUNT,
 * ERRNO): the call fails after COUNT successful calls. stop_failing_calls(): all calls succeed again. With FAULT_SHORT
 * as ERRNO, a read or a write transfers only one byte. */
#ifndef TP_TESTS_UNIT_FAULTY_FILES_H
#define TP_TESTS_UNIT_FAULTY_FILES_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum fault_call {
    FAULT_TMPFILE,
    FAULT_LINK,
    FAULT_RENAME,
    FAULT_FSYNC,
    FAULT_FOLDER_FSYNC,
    FAULT_FLOCK,
    FAULT_WRITE,
    FAULT_READ,
    FAULT_CALLS
};
enum { FAULT_SHORT = -1 };

static struct {
    int error, after, seen;
} faults[FAULT_CALLS];

static inline void fail_call_after(enum fault_call call, int count, int error)
{
    faults[call].after = count;
    faults[call].error = error;
    faults[call].seen = 0;
}

static inline void make_call_fail(enum fault_call call, int error)
{
    fail_call_after(call, 0, error);
}

static inline void stop_failing_calls(void)
{
    memset(faults, 0, sizeof faults);
}

static bool must_call_fail(enum fault_call call)
{
    if (faults[call].seen++ < faults[call].after || !faults[call].error)
        return false;
    errno = faults[call].error;
    return true;
}

/* Returns false for the standard streams, so that the test's own output never fails. */
static bool is_test_descriptor(int fd)
{
    return fd > 2;
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    unsigned mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, unsigned) : 0;
    va_end(args);
    if ((flags & O_TMPFILE) == O_TMPFILE && must_call_fail(FAULT_TMPFILE))
        return -1;
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    return must_call_fail(FAULT_LINK) ? -1 : (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    return must_call_fail(FAULT_RENAME) ? -1 : (int)syscall(SYS_renameat, from_folder, from, to_folder, to);
}

int fsync(int fd)
{
    struct stat info;
    bool is_folder = fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
    return must_call_fail(is_folder ? FAULT_FOLDER_FSYNC : FAULT_FSYNC) ? -1 : (int)syscall(SYS_fsync, fd);
}

int flock(int fd, int operation)
{
    return must_call_fail(FAULT_FLOCK) ? -1 : (int)syscall(SYS_flock, fd, operation);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
    if (is_test_descriptor(fd) && must_call_fail(FAULT_WRITE)) {
        if (errno != FAULT_SHORT)
            return -1;
        size = size > 0;
    }
    return syscall(SYS_write, fd, bytes, size);
}

ssize_t read(int fd, void *bytes, size_t size)
{
    if (is_test_descriptor(fd) && must_call_fail(FAULT_READ)) {
        if (errno != FAULT_SHORT)
            return -1;
        size = size > 0;
    }
    return syscall(SYS_read, fd, bytes, size);
}

ssize_t pread(int fd, void *bytes, size_t size, off_t at)
{
    if (is_test_descriptor(fd) && must_call_fail(FAULT_READ)) {
        if (errno != FAULT_SHORT)
            return -1;
        size = size > 0;
    }
    return syscall(SYS_pread64, fd, bytes, size, at);
}

#endif
