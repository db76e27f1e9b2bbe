/* Acts as Kineto's daemon: see kineto.h. The protocol is that of libkineto's IpcFabricConfigClient and dynolog's
 * IPCMonitor. */
#include "collector/launch/kineto.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "writer/base/environment.h"

/* POLLS_BEFORE_STEPS: number of polls of a process that are answered without a trace request, because a request before
 * the first step would make Kineto trace for a fixed duration */
enum { POLLS_BEFORE_STEPS = 8, MESSAGE_BYTES = 8192, IS_ACTIVITY = 2 };

struct head {
    uint64_t size;
    char type[32];
};

int tp_kineto_open(struct tp_kineto *kineto, const struct tp_kineto_options *options, struct tp_error *err)
{
    const char *tmp = tp_environment("TMPDIR");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char path[128];
    memset(kineto, 0, sizeof *kineto);
    kineto->fd = -1;
    kineto->options = *options;
    /* uses /tmp if the path is long, because the path of a socket must be short */
    tmp = tmp && *tmp == '/' && strlen(tmp) < 40 ? tmp : "/tmp";
    snprintf(kineto->folder, sizeof kineto->folder, "%s/tracepress-XXXXXX", tmp);
    if (!mkdtemp(kineto->folder)) {
        *kineto->folder = '\0';
        return tp_error_set(err, TP_EIO, 0, "%s: %s", tmp, strerror(errno));
    }
    snprintf(path, sizeof path, "%s/config", kineto->folder);
    int config = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int n = config >= 0 ? dprintf(config, "ON_DEMAND_CONFIG_UPDATE_INTERVAL_SECS=1\n") : -1;
    if (config >= 0)
        close(config);
    snprintf(address.sun_path, sizeof address.sun_path, "%s/dynolog", kineto->folder);
    kineto->fd = n > 0 ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;
    if (kineto->fd < 0 || bind(kineto->fd, (struct sockaddr *)&address, sizeof address) != 0) {
        int code = tp_error_set(err, TP_EIO, 0, "%s: %s", address.sun_path, strerror(errno));
        tp_kineto_close(kineto);
        return code;
    }
    return TP_OK;
}

void tp_kineto_set_environment(const struct tp_kineto *kineto)
{
    char path[128];
    snprintf(path, sizeof path, "%s/config", kineto->folder);
    setenv("KINETO_USE_DAEMON", "1", 1);
    setenv("KINETO_IPC_SOCKET_DIR", kineto->folder, 1);
    setenv("KINETO_CONFIG", path, 1);
    /* without this variable, Kineto writes traces only to /tmp */
    setenv("KINETO_ONDEMAND_TRACE_DIR", kineto->options.folder, 1);
}

static struct tp_kineto_process *find_or_add_process(struct tp_kineto *kineto, int32_t pid)
{
    for (unsigned i = 0; i < kineto->process_count; i++)
        if (kineto->processes[i].pid == pid)
            return &kineto->processes[i];
    if (kineto->process_count == TP_KINETO_PROCESSES)
        return NULL;
    struct tp_kineto_process *process = &kineto->processes[kineto->process_count++];
    *process = (struct tp_kineto_process){.pid = pid};
    return process;
}

/* Writes Kineto's configuration for a new trace to `text`. The keys are defined in Kineto's Config.cpp and
 * ActivityProfiler. Returns the length in bytes, or 0 if the text does not fit. */
static size_t write_request(const struct tp_kineto_options *o, uint32_t number, char *text, size_t size)
{
    char when[256];
    if (o->duration_ms)
        snprintf(when, sizeof when, "ACTIVITIES_DURATION_MSECS=%llu\nACTIVITIES_WARMUP_PERIOD_SECS=0\n",
                 (unsigned long long)o->duration_ms);
    else
        snprintf(when, sizeof when,
                 "PROFILE_START_ITERATION=%llu\nPROFILE_START_ITERATION_ROUNDUP=1\nACTIVITIES_ITERATIONS=%llu\n"
                 "ACTIVITIES_WARMUP_ITERATIONS=%llu\n",
                 (unsigned long long)(number == 0 && o->skip_first ? o->skip_first + o->wait + o->warmup : 0),
                 (unsigned long long)o->active, (unsigned long long)o->warmup);
    int n =
        snprintf(text, size,
                 "ACTIVITIES_LOG_FILE=%s/kineto.%u.json\n%sPROFILE_REPORT_INPUT_SHAPES=%s\nPROFILE_WITH_STACK=%s\n"
                 "PROFILE_PROFILE_MEMORY=%s\nPROFILE_WITH_FLOPS=%s\nPROFILE_WITH_MODULES=%s\n",
                 o->folder, number, when, o->has_shapes ? "true" : "false", o->has_stack ? "true" : "false",
                 o->has_memory ? "true" : "false", o->has_flops ? "true" : "false", o->has_modules ? "true" : "false");
    return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

static bool has_stepped(const struct tp_kineto_options *options, const struct tp_kineto_process *process)
{
    char path[4200];
    if (!options->has_step_files)
        return process->asked > POLLS_BEFORE_STEPS;
    snprintf(path, sizeof path, "%s/steps.%d.tmp", options->folder, (int)process->pid);
    return access(path, F_OK) == 0;
}

/* Writes the answer to a process's poll to `text`. Returns the size in bytes; 0: the process gets no trace request. */
static size_t write_answer(struct tp_kineto *kineto, int32_t pid, char *text, size_t size)
{
    const struct tp_kineto_options *o = &kineto->options;
    struct tp_kineto_process *process = find_or_add_process(kineto, pid);
    if (!process || (o->repeat && process->answered >= o->repeat))
        return 0;
    process->asked++;
    if (!o->duration_ms && !has_stepped(o, process))
        return 0;
    return write_request(o, process->answered++, text, size);
}

static void answer_request(struct tp_kineto *kineto, const char *message, size_t size, const struct sockaddr_un *to,
                           socklen_t to_size)
{
    struct {
        struct head head;
        char body[MESSAGE_BYTES];
    } reply = {{0}, {0}};
    int32_t words[2], pid, one = 1;
    struct head head;
    memcpy(&head, message, sizeof head);
    const char *body = message + sizeof head;
    size -= sizeof head;
    if (strncmp(head.type, "ctxt", sizeof head.type) == 0) {
        strcpy(reply.head.type, "ctxt");
        memcpy(reply.body, &one, sizeof one);
        reply.head.size = sizeof one;
    } else if (strncmp(head.type, "req", sizeof head.type) == 0 && size >= 20) {
        memcpy(words, body, sizeof words);
        memcpy(&pid, body + 16, sizeof pid);
        strcpy(reply.head.type, "req");
        if ((words[0] & IS_ACTIVITY) && words[1] > 0)
            reply.head.size = write_answer(kineto, pid, reply.body, sizeof reply.body);
    } else {
        return;
    }
    /* ignores an error, because the process may have exited meanwhile */
    sendto(kineto->fd, &reply, sizeof reply.head + reply.head.size, MSG_DONTWAIT, (const struct sockaddr *)to, to_size);
}

void tp_kineto_answer(void *state)
{
    struct tp_kineto *kineto = state;
    char message[MESSAGE_BYTES];
    struct sockaddr_un from;
    for (;;) {
        socklen_t from_size = sizeof from;
        ssize_t n = recvfrom(kineto->fd, message, sizeof message, MSG_DONTWAIT, (struct sockaddr *)&from, &from_size);
        if (n < 0)
            return;
        if ((size_t)n >= sizeof(struct head))
            answer_request(kineto, message, (size_t)n, &from, from_size);
    }
}

void tp_kineto_close(struct tp_kineto *kineto)
{
    DIR *dir = *kineto->folder ? opendir(kineto->folder) : NULL;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        char path[400];
        snprintf(path, sizeof path, "%s/%s", kineto->folder, entry->d_name);
        unlink(path); /* removes the sockets of the clients and of `record`; unlink refuses "." and ".." */
    }
    if (dir)
        closedir(dir);
    if (*kineto->folder)
        rmdir(kineto->folder);
    if (kineto->fd >= 0)
        close(kineto->fd);
    kineto->fd = -1;
    *kineto->folder = '\0';
}
