/* Finds the processes of a run: see processes.h. */
#include "collector/launch/processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "writer/base/proc_namespace.h"

bool tp_process_is_of_run(pid_t pid, const char *folder)
{
    char path[64], block[1 << 16];
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    int fd = tp_proc_matches_namespace() ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    size_t kept = 0, n = strlen(folder);
    bool is = false;
    ssize_t got;
    while (fd >= 0 && !is && (got = read(fd, block + kept, sizeof block - kept)) > 0) {
        size_t size = kept + (size_t)got;
        is = memmem(block, size, folder, n) != NULL;
        kept = size < n ? size : n;
        memmove(block, block + size - kept, kept);
    }
    if (fd >= 0)
        close(fd);
    return is;
}

size_t tp_processes_of_run(pid_t *pids, size_t size, const char *folder)
{
    size_t count = 0;
    DIR *dir = tp_proc_matches_namespace() ? opendir("/proc") : NULL;
    for (struct dirent *entry; dir && count < size && (entry = readdir(dir));) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid > 0 && pid != getpid() && tp_process_is_of_run(pid, folder))
            pids[count++] = pid;
    }
    if (dir)
        closedir(dir);
    return count;
}
