/* Finds exit statuses of processes: see exit_codes.h. */
#include "collector/outside/processes/exit_codes.h"

#include <arpa/inet.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "writer/base/limits.h"

enum { SOCKET_BYTES = 4 << 20, MESSAGE_BYTES = 8192 };

/* Layout of struct pidfd_info of linux/pidfd.h in Linux 6.15, as PIDFD_INFO_EXIT fills it. */
struct process_info {
    uint64_t mask, group;
    uint32_t ids[11];
    int32_t exit_status;
};
struct early_end {
    uint32_t pid;
    int status;
};
#define INFO_EXIT (1ull << 3)
#define ASK_INFO _IOWR(0xFF, 11, struct process_info)

/* Installs a filter that passes only exits of processes, because the kernel also reports each start and exit of any
 * thread in the system. The filter compares words in network byte order. Without the filter, all messages are read. */
static void install_exit_filter(int fd)
{
    enum { MESSAGE = sizeof(struct nlmsghdr) + offsetof(struct cn_msg, data), ALL = 0xffff };
    struct sock_filter words[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, MESSAGE + offsetof(struct proc_event, what)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, htonl(PROC_EVENT_EXIT), 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, MESSAGE + offsetof(struct proc_event, event_data.exit.process_tgid)),
        BPF_STMT(BPF_MISC | BPF_TAX, 0),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, MESSAGE + offsetof(struct proc_event, event_data.exit.process_pid)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_X, 0, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, 0),
        BPF_STMT(BPF_RET | BPF_K, ALL),
    };
    const struct sock_fprog filter = {sizeof words / sizeof *words, words};
    setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter);
}

/* Returns whether the file `path` in /proc shows the initial namespace of the system, whose number is fixed
 * (linux/nsfs.h). */
static bool is_initial_namespace(const char *path, uint64_t number)
{
    struct stat status;
    return stat(path, &status) == 0 && status.st_ino == number;
}

/* Returns whether the connector works here. In other PID or user namespaces, the kernel accepts the request but sends
 * no messages. */
static bool can_receive_exits(void)
{
    return is_initial_namespace("/proc/self/ns/pid", 0xEFFFFFFCu) &&
           is_initial_namespace("/proc/self/ns/user", 0xEFFFFFFDu);
}

static int open_connector(void)
{
    const struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
    const struct {
        struct nlmsghdr head;
        struct cn_msg message;
        uint32_t operation;
    } __attribute__((packed)) listen = {.head = {.nlmsg_len = sizeof listen, .nlmsg_type = NLMSG_DONE},
                                        .message = {.id = {CN_IDX_PROC, CN_VAL_PROC}, .len = sizeof listen.operation},
                                        .operation = PROC_CN_MCAST_LISTEN};
    const int size = SOCKET_BYTES;
    int fd =
        can_receive_exits() ? socket(PF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR) : -1;
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
    install_exit_filter(fd);
    if (bind(fd, (const struct sockaddr *)&address, sizeof address) == 0 &&
        send(fd, &listen, sizeof listen, 0) == (ssize_t)sizeof listen)
        return fd;
    close(fd);
    return -1;
}

void tp_exit_codes_open(struct tp_exit_codes *codes, struct tp_arena *arena)
{
    *codes = (struct tp_exit_codes){.connector = open_connector()};
    tp_id_map_init(&codes->waiting, arena);
    tp_id_map_init(&codes->ended, arena);
    codes->early = TP_VEC(arena, struct early_end);
}

void tp_exit_codes_release(struct tp_exit_codes *codes)
{
    for (uint32_t i = 0; i < codes->waiting.slot_count; i++)
        if (codes->waiting.slots[i].is_used && codes->waiting.slots[i].value)
            close((int)codes->waiting.slots[i].value - 1);
    if (codes->connector >= 0)
        close(codes->connector);
    *codes = (struct tp_exit_codes){.connector = -1};
}

/* Stores the status of a process whose exit was reported before tp_exit_codes_add_process. */
static void store_early_exit(struct tp_exit_codes *codes, uint32_t pid)
{
    const struct early_end *early = codes->early.data;
    for (size_t i = 0; i < codes->early.count; i++)
        if (early[i].pid == pid)
            tp_exit_codes_store_status(codes, pid, early[i].status);
}

void tp_exit_codes_add_process(struct tp_exit_codes *codes, uint32_t pid)
{
    uint32_t *known = tp_id_map_find(&codes->waiting, pid), *over = tp_id_map_find(&codes->ended, pid);
    if (known && *known)
        close((int)*known - 1);
    codes->open_descriptor_count -= known && *known;
    if (over)
        *over = TP_NO_ID; /* forgets the status of an earlier process with the same id */
    known = tp_id_map_find_or_add(&codes->waiting, pid);
    *known = 0;
    bool is_asked = codes->connector < 0 && codes->open_descriptor_count < TP_MAX_OUTSIDE_DESCRIPTORS;
    int fd = is_asked ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    codes->open_descriptor_count += fd >= 0;
    *known = fd >= 0 ? (uint32_t)fd + 1 : 0;
    store_early_exit(codes, pid);
}

void tp_exit_codes_store_status(struct tp_exit_codes *codes, uint32_t pid, int status)
{
    *tp_id_map_find_or_add(&codes->ended, pid) = (uint32_t)status;
}

static void handle_exit_message(struct tp_exit_codes *codes, const struct cn_msg *message)
{
    struct proc_event event = {0};
    memcpy(&event, message->data, message->len < sizeof event ? message->len : sizeof event);
    uint32_t pid = (uint32_t)event.event_data.exit.process_pid;
    int status = (int)event.event_data.exit.exit_code;
    if (event.what != PROC_EVENT_EXIT || pid != (uint32_t)event.event_data.exit.process_tgid)
        return;
    if (tp_id_map_find(&codes->waiting, pid))
        tp_exit_codes_store_status(codes, pid, status);
    else
        *(struct early_end *)tp_vec_push(&codes->early) = (struct early_end){pid, status};
}

void tp_exit_codes_read(struct tp_exit_codes *codes)
{
    char bytes[MESSAGE_BYTES] __attribute__((aligned(8)));
    codes->early.count = 0; /* drops exits of the previous read, because their processes would have been added by now */
    ssize_t size = codes->connector >= 0 ? recv(codes->connector, bytes, sizeof bytes, 0) : 0;
    for (; size > 0; size = recv(codes->connector, bytes, sizeof bytes, 0)) {
        int left = (int)size;
        for (struct nlmsghdr *head = (void *)bytes; NLMSG_OK(head, (unsigned)left); head = NLMSG_NEXT(head, left))
            handle_exit_message(codes, NLMSG_DATA(head));
    }
}

bool tp_exit_codes_find_status(struct tp_exit_codes *codes, uint32_t pid, bool keeps_asking, int *status)
{
    struct process_info info = {.mask = INFO_EXIT};
    uint32_t *known = tp_id_map_find(&codes->waiting, pid), *over = tp_id_map_find(&codes->ended, pid);
    bool is_known = over && *over != TP_NO_ID;
    if (is_known)
        *status = (int)*over;
    if (!is_known && known && *known && ioctl((int)*known - 1, ASK_INFO, &info) == 0 && (info.mask & INFO_EXIT)) {
        *status = info.exit_status;
        is_known = true;
    }
    if (!is_known && keeps_asking)
        return false;
    if (known && *known) {
        close((int)*known - 1);
        *known = 0;
        codes->open_descriptor_count--;
    }
    if (over)
        *over = TP_NO_ID;
    return is_known;
}
