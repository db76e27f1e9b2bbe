/* Manages names and locks of temporary files: see temporary.h. */
#include "writer/base/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "writer/base/path.h"

enum { DIGITS = 16, TRIES = 100, BASE_BYTES = 200, OLD_S = 3600 };

static const char mark[] = ".tracepress-", ending[] = ".tmp";

/* Returns a random number. If the kernel has no random bytes yet, combines the clock and an address. Names need not be
 * secret, and if a file with the name exists, the caller tries another name. */
static uint64_t random_number(void)
{
    uint64_t number;
    struct timespec now;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) == (ssize_t)sizeof number)
        return number;
    clock_gettime(CLOCK_REALTIME, &now);
    number = (uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec;
    return (number ^ (uint64_t)(uintptr_t)&now) * 0x9E3779B97F4A7C15u + (uint64_t)getpid();
}

void tp_temporary_name(char name[static TP_TEMPORARY_NAME], const char *base)
{
    snprintf(name, TP_TEMPORARY_NAME, ".%.*s%s%016llx%s", BASE_BYTES, base, mark, (unsigned long long)random_number(),
             ending);
}

bool tp_temporary_lock(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0;
}

/* Locks a new file and returns whether the file still has a name. Another process that removes abandoned files may have
 * removed the file before it was locked. */
static bool lock_file_and_check_name(int fd)
{
    struct stat info;
    bool is_taken = !tp_temporary_lock(fd) && errno == EWOULDBLOCK;
    return !is_taken && fstat(fd, &info) == 0 && info.st_nlink > 0;
}

int tp_temporary_create(char name[static TP_TEMPORARY_NAME], int folder, const char *base, mode_t mode)
{
    for (int i = 0; i < TRIES; i++) {
        tp_temporary_name(name, base);
        int fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (fd < 0 && errno != EEXIST)
            return -1;
        if (fd >= 0 && lock_file_and_check_name(fd))
            return fd;
        if (fd >= 0) {
            unlinkat(folder, name, 0);
            close(fd);
        }
    }
    errno = EEXIST;
    return -1;
}

bool tp_temporary_is_name(const char *name, const char *base)
{
    const size_t tail = sizeof mark - 1 + DIGITS + sizeof ending - 1;
    size_t size = strlen(name);
    if (size < tail + 2 || *name != '.')
        return false;
    const char *at = name + size - tail, *digits = at + sizeof mark - 1;
    return strncmp(at, mark, sizeof mark - 1) == 0 && strspn(digits, "0123456789abcdef") == DIGITS &&
           strcmp(digits + DIGITS, ending) == 0 &&
           (!base || (strnlen(base, BASE_BYTES) == size - tail - 1 && strncmp(name + 1, base, size - tail - 1) == 0));
}

/* Opens and locks an abandoned file. Returns its descriptor, or -1 if the file is not abandoned. */
static int lock_abandoned_file(int folder, const char *name, int access, int lock)
{
    struct stat info;
    int fd = openat(folder, name, access | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && flock(fd, lock | LOCK_NB) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

bool tp_temporary_is_abandoned(int folder, const char *path)
{
    const char *name = tp_path_base(path);
    int fd = tp_temporary_is_name(name, NULL) ? lock_abandoned_file(folder, path, O_RDONLY, LOCK_SH) : -1;
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Returns whether a file was last written so long ago that its writer must have exited. Locks alone are not enough,
 * because the locks of another machine may not be visible here. */
static bool is_abandoned_by_age(int folder, const char *name)
{
    struct stat info;
    return fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && info.st_mtime <= time(NULL) - OLD_S;
}

void tp_temporary_remove_abandoned(int folder, const char *base)
{
    int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = own >= 0 ? fdopendir(own) : NULL;
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        const char *name = entry->d_name;
        if (!tp_temporary_is_name(name, base) && !(tp_temporary_is_name(name, NULL) && is_abandoned_by_age(own, name)))
            continue;
        int fd = lock_abandoned_file(own, name, O_RDWR, LOCK_EX);
        if (fd < 0)
            continue;
        /* the file is locked, so a writer that is just starting sees the removal and chooses another name */
        unlinkat(own, name, 0);
        close(fd);
    }
    if (dir)
        closedir(dir);
    else if (own >= 0)
        close(own);
}
