/* Opens inherited events and reads their rings: see perf_rings.h. */
#include "collector/outside/events/perf_rings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collector/outside/events/event_rights.h"
#include "collector/outside/events/perf_record.h"

/* Sizes of a ring. A large ring has room for 0.4 s on a CPU with 100,000 context switches per second. With many CPUs
 * the rings are small, because such rates are rarer there. If the system allows less memory, the rings are even
 * smaller. */
enum { RING_BYTES = 2 << 20, SMALL_RING_BYTES = 512 << 10, LEAST_RING_BYTES = 64 << 10, MOST_CPUS_WITH_LARGE = 16 };
/* Maximum and minimum number of stack bytes copied into a sample. The number is halved until a ring has room for
 * DUMPS_IN_RING samples. */
enum { DUMP_BYTES = 16 << 10, LEAST_DUMP_BYTES = 2 << 10, DUMPS_IN_RING = 32 };
enum { NAMES_BYTES = 64 << 10, WAKE_BYTES = 128 << 10, RECORD_BYTES = 1 << 16 };

/* Maximum number of CPUs with all kinds of events. Each event slows every fork. With more CPUs, each CPU has only one
 * event, without stacks at context switches and without a name ring. */
enum { MOST_CPUS_WITH_ALL = 32 };

/* Limits the recording of stacks at context switches to WINDOW_STACKS per WINDOW_NS. Without a limit, a program that
 * switches constantly would be three times as slow. */
enum { WINDOW_NS = 100000000, WINDOW_STACKS = 300 };

static size_t memory_page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static struct perf_event_attr event_attr(const struct tp_perf_rings *rings, uint64_t config)
{
    return (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
                                    .config = config,
                                    .size = sizeof(struct perf_event_attr),
                                    .sample_type = TP_PERF_SAMPLE_TYPE,
                                    .disabled = !rings->is_attached,
                                    .inherit = !rings->is_whole,
                                    .exclude_idle = rings->is_whole,
                                    .enable_on_exec = !rings->is_attached,
                                    .sample_id_all = 1,
                                    .exclude_hv = 1,
                                    .exclude_kernel = rings->is_user_only,
                                    .use_clockid = 1,
                                    .clockid = CLOCK_MONOTONIC,
                                    .watermark = 1,
                                    .wakeup_watermark = WAKE_BYTES};
}

static struct perf_event_attr sample_attr(const struct tp_perf_rings *rings)
{
    struct perf_event_attr attr = event_attr(rings, PERF_COUNT_SW_CPU_CLOCK);
    attr.sample_period = 1000000000ull / rings->rate_hz;
    attr.context_switch = attr.mmap = attr.mmap2 = 1;
    attr.comm = attr.comm_exec = 1;
    attr.watermark = 0; /* wakes the process that polls the ring at each sample */
    attr.wakeup_events = 1;
    if (rings->dump_bytes) {
        attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        attr.sample_regs_user = TP_PERF_REGISTER_MASK;
        attr.sample_stack_user = rings->dump_bytes;
    }
    return attr;
}

static struct perf_event_attr switch_attr(const struct tp_perf_rings *rings)
{
    struct perf_event_attr attr = event_attr(rings, PERF_COUNT_SW_CONTEXT_SWITCHES);
    attr.sample_period = 1;
    if (rings->dump_bytes) { /* copies only registers into the record; waiting_stacks.h reads the stack memory of long
                              * waits */
        attr.sample_type |= PERF_SAMPLE_REGS_USER;
        attr.sample_regs_user = TP_PERF_REGISTER_MASK;
    }
    return attr;
}

static struct perf_event_attr name_attr(const struct tp_perf_rings *rings)
{
    struct perf_event_attr attr = event_attr(rings, PERF_COUNT_SW_DUMMY);
    attr.exclude_kernel = 1;
    attr.comm = attr.comm_exec = 1;
    attr.wakeup_watermark = 1;
    return attr;
}

static int open_kernel_event(struct perf_event_attr *attr, pid_t pid, int cpu)
{
    return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Maps the ring of an event, smaller than `bytes` if the system does not allow that size. tp_perf_rings_close closes
 * the event. */
static bool map_ring_of_event(struct tp_perf_rings *rings, int fd, int cpu, size_t bytes, bool is_name_ring)
{
    struct tp_perf_ring *ring = &rings->rings[rings->count++];
    *ring = (struct tp_perf_ring){.fd = fd, .cpu = cpu, .is_name_ring = is_name_ring};
    for (ring->bytes = bytes; ring->bytes >= LEAST_RING_BYTES; ring->bytes /= 2) {
        void *map = mmap(NULL, memory_page_bytes() + ring->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        ring->map = map != MAP_FAILED ? map : NULL;
        if (ring->map)
            return true;
    }
    return false;
}

/* Allocates room for one more event. Returns false when memory is short. */
static bool make_room_for_event(struct tp_perf_rings *rings)
{
    size_t room = rings->room ? rings->room * 2 : 64;
    if (rings->stack_event_count < rings->room && rings->other_count < rings->room)
        return true;
    int *stack_fds = realloc(rings->stack_fds, room * sizeof *stack_fds);
    rings->stack_fds = stack_fds ? stack_fds : rings->stack_fds;
    uint64_t *stack_ids = realloc(rings->stack_ids, room * sizeof *stack_ids);
    rings->stack_ids = stack_ids ? stack_ids : rings->stack_ids;
    int *other_fds = realloc(rings->other_fds, room * sizeof *other_fds);
    rings->other_fds = other_fds ? other_fds : rings->other_fds;
    rings->room = stack_fds && stack_ids && other_fds ? room : rings->room;
    return rings->room == room;
}

static void add_switch_stack_event(struct tp_perf_rings *rings, pid_t pid, int cpu, int ring_fd)
{
    struct perf_event_attr attr = switch_attr(rings);
    int fd = make_room_for_event(rings) ? open_kernel_event(&attr, pid, cpu) : -1;
    uint64_t id;
    if (fd < 0)
        return;
    if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring_fd) != 0 || ioctl(fd, PERF_EVENT_IOC_ID, &id) != 0) {
        close(fd);
        return;
    }
    rings->stack_fds[rings->stack_event_count] = fd;
    rings->stack_ids[rings->stack_event_count++] = id;
}

static bool add_name_ring(struct tp_perf_rings *rings, pid_t pid, int cpu)
{
    struct perf_event_attr attr = name_attr(rings);
    int fd = open_kernel_event(&attr, pid, cpu);
    return fd >= 0 && map_ring_of_event(rings, fd, cpu, NAMES_BYTES, true);
}

static bool is_dump_too_large(const struct tp_perf_rings *rings)
{
    return rings->dump_bytes && rings->rings[rings->count - 1].bytes < (size_t)rings->dump_bytes * DUMPS_IN_RING;
}

static void remove_last_ring(struct tp_perf_rings *rings)
{
    struct tp_perf_ring *ring = &rings->rings[--rings->count];
    if (ring->map)
        munmap(ring->map, memory_page_bytes() + ring->bytes);
    close(ring->fd);
}

/* Opens the events of one CPU. Returns 0 or an errno. */
static int open_cpu_events(struct tp_perf_rings *rings, pid_t pid, int cpu)
{
    struct perf_event_attr attr = sample_attr(rings);
    int fd = open_kernel_event(&attr, pid, cpu);
    if (fd < 0 && errno == EACCES && !rings->is_user_only && !rings->is_whole) { /* at level 2 of perf_event_paranoid,
                                                                                  * the kernel allows only samples of
                                                                                  * user code */
        rings->is_user_only = true;
        return open_cpu_events(rings, pid, cpu);
    }
    if (fd < 0)
        return errno;
    if (!map_ring_of_event(rings, fd, cpu, rings->cpu_count <= MOST_CPUS_WITH_LARGE ? RING_BYTES : SMALL_RING_BYTES,
                           false))
        return errno;
    if (is_dump_too_large(rings)) {
        remove_last_ring(rings);
        rings->dump_bytes = rings->dump_bytes > LEAST_DUMP_BYTES ? rings->dump_bytes / 2 : 0;
        return open_cpu_events(rings, pid, cpu);
    }
    if (rings->has_stack_events_and_name_rings && !rings->is_user_only)
        add_switch_stack_event(rings, pid, cpu, fd);
    return rings->has_stack_events_and_name_rings && !add_name_ring(rings, pid, cpu) ? errno : 0;
}

static size_t count_cpus(void)
{
    long count = sysconf(_SC_NPROCESSORS_CONF);
    return count > 0 ? (size_t)count : 1;
}

bool tp_perf_rings_has_many_cpus(void)
{
    return count_cpus() > MOST_CPUS_WITH_ALL;
}

int tp_perf_rings_open(struct tp_perf_rings *rings, pid_t pid, unsigned rate_hz, bool is_attached, struct tp_error *err)
{
    size_t count = count_cpus();
    *rings = (struct tp_perf_rings){.rings = calloc(count * 2, sizeof *rings->rings),
                                    .copy = malloc(RECORD_BYTES),
                                    .dump_bytes = TP_PERF_REGISTER_MASK ? DUMP_BYTES : 0,
                                    .rate_hz = rate_hz,
                                    .cpu_count = count,
                                    .has_stack_events_and_name_rings = pid < 0 || count <= MOST_CPUS_WITH_ALL,
                                    .is_attached = is_attached || pid < 0,
                                    .is_whole = pid < 0};
    if (!rings->rings || !rings->copy)
        return tp_error_set(err, TP_ENOMEM, 0, "out of memory");
    for (int cpu = 0; cpu < (int)count; cpu++) {
        int error = open_cpu_events(rings, pid, cpu);
        if (error && error != ENODEV) /* ENODEV means that the CPU is offline */
            return tp_error_set(err, error == ESRCH ? TP_ENOTFOUND : TP_EUNSUPPORTED, 0,
                                "the kernel refuses events (perf_event_open: %s): %s", strerror(error),
                                tp_event_rights_advice(error, tp_event_paranoid_level()));
    }
    return rings->count ? TP_OK : tp_error_set(err, TP_EUNSUPPORTED, 0, "the kernel has no events for any CPU");
}

/* ---- further threads ---- */

/* Opens an event of thread `tid` whose records go into the ring of an existing event. */
static int open_redirected_event(struct tp_perf_rings *rings, struct perf_event_attr *attr, pid_t tid,
                                 const struct tp_perf_ring *ring)
{
    int fd = make_room_for_event(rings) ? open_kernel_event(attr, tid, ring->cpu) : -1;
    if (fd < 0)
        return errno;
    if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) != 0) {
        int error = errno;
        close(fd);
        return error;
    }
    rings->other_fds[rings->other_count++] = fd;
    return 0;
}

int tp_perf_rings_add_thread(struct tp_perf_rings *rings, pid_t tid)
{
    int error = 0;
    for (size_t i = 0; i < rings->count && !error; i++) {
        const struct tp_perf_ring *ring = &rings->rings[i];
        struct perf_event_attr attr = ring->is_name_ring ? name_attr(rings) : sample_attr(rings);
        error = open_redirected_event(rings, &attr, tid, ring);
        if (!error && !ring->is_name_ring && rings->has_stack_events_and_name_rings && !rings->is_user_only)
            add_switch_stack_event(rings, tid, ring->cpu, ring->fd);
    }
    return error;
}

/* ---- closing ---- */

void tp_perf_rings_close(struct tp_perf_rings *rings)
{
    for (size_t i = 0; i < rings->stack_event_count; i++)
        close(rings->stack_fds[i]);
    for (size_t i = 0; i < rings->other_count; i++)
        close(rings->other_fds[i]);
    while (rings->count)
        remove_last_ring(rings);
    rings->stack_event_count = rings->other_count = 0;
}

void tp_perf_rings_release(struct tp_perf_rings *rings)
{
    tp_perf_rings_close(rings);
    free(rings->rings);
    free(rings->stack_fds);
    free(rings->stack_ids);
    free(rings->other_fds);
    free(rings->copy);
    *rings = (struct tp_perf_rings){0};
}

/* ---- reading ---- */

/* Returns the record at position `tail` as contiguous memory, copied if the record wraps around the end of the ring. */
static const struct perf_event_header *record_at(const struct tp_perf_rings *rings, const struct tp_perf_ring *ring,
                                                 uint64_t tail)
{
    const char *data = ring->map + memory_page_bytes();
    size_t at = tail & (ring->bytes - 1), room = ring->bytes - at;
    const struct perf_event_header *head = (const void *)(data + at); /* the 8-byte header of a record never wraps
                                                                       * around, because records consist of 8-byte
                                                                       * words */
    if (head->size <= room)
        return head;
    memcpy(rings->copy, data + at, room);
    memcpy((char *)rings->copy + room, data, head->size - room);
    return rings->copy;
}

static uint64_t ring_head(const struct tp_perf_ring *ring)
{
    const struct perf_event_mmap_page *page = (const void *)ring->map;
    return __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
}

/* Calls `take` for the records from `tail` up to `head`. Returns the position after the last one. */
static uint64_t walk_records(struct tp_perf_rings *rings, const struct tp_perf_ring *ring, uint64_t head,
                             bool are_forks, void (*take)(void *context, const struct perf_event_header *head),
                             void *context)
{
    uint64_t tail = ((const struct perf_event_mmap_page *)(const void *)ring->map)->data_tail;
    while (tail < head) {
        const struct perf_event_header *record = record_at(rings, ring, tail);
        if (record->size < sizeof *record)
            break;
        tail += record->size;
        if (are_forks ? record->type == PERF_RECORD_FORK : !ring->is_name_ring)
            take(context, record);
    }
    return tail;
}

void tp_perf_rings_scan(struct tp_perf_rings *rings, void (*take)(void *context, const struct perf_event_header *head),
                        void *context)
{
    for (size_t i = 0; i < rings->count; i++)
        rings->rings[i].limit = ring_head(&rings->rings[i]);
    for (size_t i = 0; i < rings->count; i++)
        if (!rings->rings[i].is_name_ring)
            walk_records(rings, &rings->rings[i], ring_head(&rings->rings[i]), true, take, context);
}

void tp_perf_rings_read(struct tp_perf_rings *rings, void (*take)(void *context, const struct perf_event_header *head),
                        void *context)
{
    for (size_t i = 0; i < rings->count; i++) {
        struct tp_perf_ring *ring = &rings->rings[i];
        struct perf_event_mmap_page *page = (void *)ring->map;
        uint64_t tail =
            walk_records(rings, ring, rings->is_whole ? ring->limit : ring_head(ring), false, take, context);
        __atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
    }
}

bool tp_perf_rings_is_switch_event(const struct tp_perf_rings *rings, uint64_t event_id)
{
    for (size_t i = 0; i < rings->stack_event_count; i++)
        if (rings->stack_ids[i] == event_id)
            return true;
    return false;
}

/* Stops recording stacks at context switches for all threads when the number of these stacks in an interval reaches
 * WINDOW_STACKS. Resumes after the interval. Disabling an event also disables all its inherited copies. */
void tp_perf_rings_limit_stacks(struct tp_perf_rings *rings, uint64_t count, int64_t now_ns)
{
    bool is_over = now_ns - rings->window_ns > WINDOW_NS;
    rings->switch_stacks_in_interval += count;
    bool was_off = rings->are_switch_stacks_off;
    rings->are_switch_stacks_off = was_off ? !is_over : rings->switch_stacks_in_interval > WINDOW_STACKS;
    rings->limited_interval_count += !was_off && rings->are_switch_stacks_off;
    for (size_t i = 0; i < rings->stack_event_count && was_off != rings->are_switch_stacks_off; i++)
        ioctl(rings->stack_fds[i], rings->are_switch_stacks_off ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE, 0);
    if (is_over) {
        rings->window_ns = now_ns;
        rings->switch_stacks_in_interval = 0;
    }
}

/* Pauses the name rings while many threads start and exit, because every start and exit wakes the recorder through
 * these rings. A wake-up costs as much as a short thread: without a pause, 20,000 short threads took 1.9 times their
 * processor time. */
void tp_perf_rings_pause_names(struct tp_perf_rings *rings, uint64_t count, int64_t now_ns)
{
    /* limits of the number of records per WINDOW_NS: above MANY, the name rings pause; below FEW, they resume */
    enum { MANY = 40, FEW = 10 };
    rings->thread_records += count;
    bool is_over = now_ns - rings->name_interval_ns > WINDOW_NS, was_silent = rings->are_name_rings_paused;
    if (rings->thread_records > MANY || (is_over && rings->thread_records < FEW))
        rings->are_name_rings_paused = rings->thread_records > MANY;
    for (size_t i = 0; i < rings->count && was_silent != rings->are_name_rings_paused; i++)
        if (rings->rings[i].is_name_ring)
            ioctl(rings->rings[i].fd, PERF_EVENT_IOC_PAUSE_OUTPUT, rings->are_name_rings_paused);
    if (is_over) {
        rings->name_interval_ns = now_ns;
        rings->thread_records = 0;
    }
}

void tp_perf_rings_end_stacks(struct tp_perf_rings *rings)
{
    for (size_t i = 0; i < rings->stack_event_count && !rings->are_switch_stacks_off; i++)
        ioctl(rings->stack_fds[i], PERF_EVENT_IOC_DISABLE, 0);
    rings->are_switch_stacks_off = true;
}

int tp_perf_open_thread_event(pid_t tid)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .size = sizeof attr, .exclude_kernel = 1};
    return open_kernel_event(&attr, tid, -1);
}
