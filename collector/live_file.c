/* Creates and appends to the live event file: see live_file.h. */
#include "collector/live_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "writer/base/fs.h"
#include "writer/base/limits.h"
#include "writer/tfevents_file.h"

void tp_live_file_init(struct tp_live_file *file, const char *directory, const char *worker, bool has_peers)
{
    *file = (struct tp_live_file){.fd = -1, .has_peers = has_peers};
    snprintf(file->directory, sizeof file->directory, "%s", directory);
    snprintf(file->worker, sizeof file->worker, "%.*s", (int)TP_MAX_EXPORT_NAME_BYTES, *worker ? worker : "_");
    tp_tfevents_clean_name(file->worker);
}

bool tp_live_file_is_for_directory(const struct tp_live_file *file, const char *directory)
{
    return file->directory[0] && strcmp(file->directory, directory) == 0;
}

bool tp_live_file_exists(const struct tp_live_file *file)
{
    struct stat known;
    return file->fd >= 0 && fstat(file->fd, &known) == 0 && known.st_nlink > 0;
}

void tp_live_file_close(struct tp_live_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}

/* Creates a file with a new name in the folder. A process in another container may have the same process id, worker
 * and second, and so the same name. */
static int create_file(struct tp_live_file *file)
{
    enum { TRIES = 100 };
    char name[256];
    struct tp_tfevents_name parts = {(int64_t)time(NULL), file->worker, (long)getpid(),
                                     tp_tfevents_next_number(file->folder)};
    for (int i = 0; i < TRIES; i++, parts.number++) {
        if (tp_tfevents_name(name, sizeof name, &parts, NULL) != 0)
            return ENAMETOOLONG;
        int n = snprintf(file->path, sizeof file->path, "%s/%s", file->folder, name);
        if (n < 0 || (size_t)n >= sizeof file->path)
            return ENAMETOOLONG;
        file->fd = open(file->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
        file->size = 0;
        if (file->fd >= 0 || errno != EEXIST)
            break;
    }
    return file->fd < 0 ? errno : 0;
}

/* Chooses a folder in which no other process writes: the directory, or a subfolder named after the worker, with a
 * number if needed. If two processes start at the same time, each finds the other's file, and both try the next
 * folder. */
static int choose_folder(struct tp_live_file *file)
{
    enum { PLACES = 100 };
    for (int i = file->has_peers ? 1 : 0; i < PLACES; i++) {
        char number[16] = "";
        if (i > 1)
            snprintf(number, sizeof number, ".%d", i);
        snprintf(file->folder, sizeof file->folder, "%s%s%s%s", file->directory, i ? "/" : "", i ? file->worker : "",
                 number);
        if (i && mkdir(file->folder, 0777) != 0 && errno != EEXIST)
            return errno;
        if (tp_tfevents_count_files(file->folder) > 0)
            continue;
        int code = create_file(file);
        if (code)
            return code;
        if (tp_tfevents_count_files(file->folder) == 1) {
            file->is_placed = true;
            return 0;
        }
        tp_live_file_close(file);
        unlink(file->path);
    }
    return EEXIST;
}

/* Returns whether the size limits allow `size` more bytes in the file. A write beyond RLIMIT_FSIZE would raise a
 * signal. */
static bool has_room(const struct tp_live_file *file, size_t size)
{
    struct rlimit limit;
    size_t most = TP_MAX_EVENT_FILE_BYTES;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < most)
        most = limit.rlim_cur;
    return size <= most && file->size <= most - size;
}

int tp_live_file_append(struct tp_live_file *file, const void *records, size_t size)
{
    int code = 0;
    if (file->fd < 0) {
        if (tp_folder_make(file->directory, NULL) != 0)
            return errno;
        code = file->is_placed ? create_file(file) : choose_folder(file);
    }
    if (code == 0 && !has_room(file, size))
        code = EFBIG;
    if (code)
        return code;
    ssize_t done = write(file->fd, records, size);
    if (done == (ssize_t)size) {
        file->size += size;
        return 0;
    }
    code = done < 0 ? errno : ENOSPC;
    return done > 0 && ftruncate(file->fd, (off_t)file->size) != 0 ? errno : code;
}
