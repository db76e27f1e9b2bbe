/* Records host memory of any program, by intercepting the malloc family, which C++ new and delete use too.
 *
 * The size of a block is malloc_usable_size. Blocks are counted from the first call of the process on, so that a block
 * from before our constructor is counted before it is freed. A block of `memory=SIZE` (default 64 KiB) or more gets a
 * record for its allocation and a record for its release. Smaller blocks are added up per thread. Their sum becomes a
 * record without an address when it has changed by 0.4 % of the peak. So the curve and its peak are exact to 1 %, and
 * the trace stays small. A program that never uses 1 MiB leaves no such records. The program may use any allocator
 * whose functions are all in one library. If the functions are in several libraries, the size of a block is unknown,
 * and nothing is counted. In Python, each arena of small objects is treated as a block too. */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/hook.h"
#include "collector/session.h"
#include "collector/source/host_arenas.h"
#include "collector/sources.h"
#include "collector/unwind.h"

enum { LEAST_GRANULE = 8 << 10, LARGEST_GRANULE = 64 << 10, LEAST_MOVE = 8 << 10, FIRST_TOTAL = 1 << 20 };

enum state {
    STATE_COUNTING, /* memory is counted; it is not yet known whether it is also recorded */
    STATE_RECORDING,
    STATE_OFF
};

static int state;                       /* current state, one of enum state */
static uint64_t large_bytes = 64 << 10; /* size from which a block gets records of its own, bytes */
static int64_t total, peak;             /* total: bytes in use over all threads; peak: highest total so far, bytes */
static int64_t small_total, small_recorded; /* bytes in small blocks: current value, and value in the last record */
static uint64_t call_count;

/* Changes of the totals by this thread that are not yet added to them. */
static _Thread_local struct {
    int64_t sum;
    uint64_t calls;
    uint32_t granule; /* when the change reaches this size in bytes, it is added to the totals; 0: the thread is new */
    bool is_ending;
} mine __attribute__((tls_model("initial-exec")));

/* ---- the original allocation functions ---- */

static struct {
    void *(*malloc)(size_t);
    void (*free)(void *);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
    size_t (*usable)(void *);
} next;

static const struct {
    const char *name;
    void *slot;
} functions[] = {{"malloc_usable_size", &next.usable},
                 {"free", &next.free},
                 {"calloc", &next.calloc},
                 {"realloc", &next.realloc},
                 {"posix_memalign", &next.posix_memalign},
                 {"aligned_alloc", &next.aligned_alloc},
                 {"memalign", &next.memalign},
                 {"valloc", &next.valloc},
                 {"pvalloc", &next.pvalloc},
                 {"malloc", &next.malloc}};

/* Memory for allocations while the functions are being looked up, because some loaders allocate memory then. This
 * memory is never freed. */
static struct {
    char bytes[16 << 10] __attribute__((aligned(64)));
    size_t used;
} early;

static bool is_early_memory_block(const void *block)
{
    return (uintptr_t)block - (uintptr_t)early.bytes < sizeof early.bytes;
}

/* Returns a zeroed block for an allocation during the lookup of the functions, or NULL. The size of the block is stored
 * 64 bytes before it. */
static void *allocate_early_block(size_t size)
{
    size_t need = (size + 127) / 64 * 64;
    size_t at = size < sizeof early.bytes ? __atomic_fetch_add(&early.used, need, __ATOMIC_RELAXED) : sizeof early;
    if (at + need > sizeof early.bytes)
        return NULL;
    memcpy(early.bytes + at, &size, sizeof size);
    return early.bytes + at + 64;
}

enum { PARTS = 5 };

/* Addresses of the allocator's functions. owner: for each function, the number of its library in the loader's list; 0:
 * not found yet. */
struct owners {
    uintptr_t address[PARTS];
    unsigned owner[PARTS], library_count;
};

static int find_libraries_with_malloc(struct dl_phdr_info *info, size_t size, void *context)
{
    struct owners *owners = context;
    (void)size;
    owners->library_count++;
    for (unsigned k = 0; k < info->dlpi_phnum; k++)
        for (unsigned i = 0; i < PARTS && info->dlpi_phdr[k].p_type == PT_LOAD; i++)
            if (owners->address[i] - (info->dlpi_addr + info->dlpi_phdr[k].p_vaddr) < info->dlpi_phdr[k].p_memsz)
                owners->owner[i] = owners->library_count;
    return 0;
}

/* Returns whether all functions of the allocator are in one library, so that malloc_usable_size of this library knows
 * all blocks. Compares only segments, because dladdr would read all symbols of the C library, five times in each
 * process. */
static bool are_functions_in_one_library(void)
{
    struct owners owners = {.address = {(uintptr_t)next.malloc, (uintptr_t)next.free, (uintptr_t)next.realloc,
                                        (uintptr_t)next.calloc, (uintptr_t)next.usable}};
    dl_iterate_phdr(find_libraries_with_malloc, &owners);
    bool is_one = owners.owner[0] != 0;
    for (unsigned i = 1; i < PARTS; i++)
        is_one = is_one && owners.owner[i] == owners.owner[0];
    return is_one;
}

/* Finds the original functions. malloc is the last one, because are_originals_found tests it. Returns false if the
 * lookup itself called this function. */
static bool find_functions(void)
{
    static _Thread_local bool is_finding __attribute__((tls_model("initial-exec")));
    if (is_finding)
        return false;
    is_finding = true;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = tp_hook_find_next_function(functions[i].name, NULL, NULL);
        memcpy(functions[i].slot, &found, sizeof found);
    }
    if (!are_functions_in_one_library())
        __atomic_store_n(&state, STATE_OFF, __ATOMIC_RELAXED);
    is_finding = false;
    return true;
}

static inline bool are_originals_found(void)
{
    return __builtin_expect(next.malloc != NULL, 1) || find_functions();
}

static inline bool is_counting_allocations(void)
{
    return __builtin_expect(__atomic_load_n(&state, __ATOMIC_RELAXED) != STATE_OFF, 1);
}

/* ---- stacks ----
 *
 * memory=stacks records the stack of each allocation. A stack costs tens of microseconds, so at most 1/32 of the time
 * is spent on stacks. Allocations beyond this limit get no stack. */

static struct {
    bool is_wanted;
    uint64_t began;           /* time at which the source started, ticks of tp_clock_now */
    uint64_t spent;           /* time spent on stacks, ticks of tp_clock_now */
    uint64_t count, left_out; /* count: number of allocations; left_out: number of allocations that got no stack */
} stacks;

static void write_stack_record(void)
{
    enum { FREE = 64, PART = 32 };
    uint64_t begin = tp_clock_now(), spent = __atomic_load_n(&stacks.spent, __ATOMIC_RELAXED);
    if (__atomic_fetch_add(&stacks.count, 1, __ATOMIC_RELAXED) >= FREE && spent * PART > begin - stacks.began) {
        __atomic_fetch_add(&stacks.left_out, 1, __ATOMIC_RELAXED);
        return;
    }
    if (!tp_record_stack_without_wait())
        __atomic_fetch_add(&stacks.left_out, 1, __ATOMIC_RELAXED);
    if (tp_stack_has_found_unknown())
        tp_session_request_modules();
    __atomic_fetch_add(&stacks.spent, tp_clock_now() - begin, __ATOMIC_RELAXED);
}

static void start_stack_capture(void)
{
    if (!tp_stack_prepare()) {
        tp_session_print_message(TP_SEVERITY_DETAIL, "no stacks of memory are recorded",
                                 "libunwind is not installed (Debian: libunwind8)");
        return;
    }
    tp_session_list_modules();
    stacks.began = tp_clock_now();
    stacks.is_wanted = true;
}

/* ---- records ---- */

static void record(uint64_t address, int64_t bytes, int64_t now)
{
    const struct tp_spool_memory note = {
        .address = address, .bytes = bytes, .total_allocated = now > 0 ? now : 0, .device_id = -1};
    const uint32_t slots = sizeof note / TP_SPOOL_SLOT;
    struct tp_spool_record *record = tp_record_reserve_slots(slots);
    if (!record)
        return;
    memcpy(record + 1, &note, sizeof note);
    tp_record_finish(record, 0, TP_SPOOL_MEMORY_NOTE, slots, 0);
}

static bool is_recording_allocations(void)
{
    return __atomic_load_n(&state, __ATOMIC_RELAXED) == STATE_RECORDING && tp_cursor.inside == 0;
}

static int64_t add_total(int64_t bytes)
{
    int64_t now = __atomic_add_fetch(&total, bytes, __ATOMIC_RELAXED), most = __atomic_load_n(&peak, __ATOMIC_RELAXED);
    while (now > most && !__atomic_compare_exchange_n(&peak, &most, now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return now;
}

/* Records the total of the small blocks if it has changed enough since its last record. is_due: true records even the
 * smallest change. now: bytes in use over all threads. */
static void write_small_block_total(int64_t now, bool is_due)
{
    int64_t recorded = __atomic_load_n(&small_recorded, __ATOMIC_RELAXED);
    int64_t sum = __atomic_load_n(&small_total, __ATOMIC_RELAXED), move = sum - recorded;
    int64_t far = __atomic_load_n(&peak, __ATOMIC_RELAXED) >> 8;
    far = is_due ? 1 : far > LEAST_MOVE ? far : LEAST_MOVE;
    if (now < FIRST_TOTAL && recorded == 0)
        return;
    if ((move >= far || -move >= far) &&
        __atomic_compare_exchange_n(&small_recorded, &recorded, sum, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        record((uint64_t)INT64_MIN, move, now); /* INT64_MIN, because a total of many blocks has no address */
}

/* Adds this thread's change to the totals, and chooses how large the next change may become. */
static void add_change_to_totals(void)
{
    int64_t sum = mine.sum, now = add_total(sum), granule = now >> 10;
    mine.sum = 0;
    mine.granule = (uint32_t)(granule < LEAST_GRANULE     ? LEAST_GRANULE
                              : granule > LARGEST_GRANULE ? LARGEST_GRANULE
                                                          : granule);
    mine.granule = mine.is_ending ? 1 : mine.granule;
    __atomic_add_fetch(&call_count, mine.calls, __ATOMIC_RELAXED);
    __atomic_add_fetch(&small_total, sum, __ATOMIC_RELAXED);
    mine.calls = 0;
    if (!is_recording_allocations())
        return;
    int why = tp_hook_enter_recorder();
    write_small_block_total(now, false);
    tp_hook_leave_recorder(why);
}

static pthread_key_t at_thread_end;
static bool has_key;

static void end_thread(void *unused)
{
    (void)unused;
    mine.is_ending = true;
    add_change_to_totals();
}

static __attribute__((noinline)) void write_large_block_change(const void *block, int64_t bytes)
{
    int64_t now = add_total(bytes);
    if (!is_recording_allocations())
        return;
    int why = tp_hook_enter_recorder();
    if (bytes > 0 && stacks.is_wanted)
        write_stack_record();
    record((uint64_t)(uintptr_t)block, bytes, now);
    tp_hook_leave_recorder(why);
}

static __attribute__((noinline)) void write_small_block_changes(void)
{
    if (mine.granule == 0 && has_key && tp_cursor.inside == 0) {
        int why = tp_hook_enter_recorder();
        pthread_setspecific(at_thread_end, &mine);
        tp_hook_leave_recorder(why);
    }
    add_change_to_totals();
}

static inline void add_to_allocation_counts(const void *block, int64_t bytes)
{
    if (__builtin_expect((uint64_t)(bytes < 0 ? -bytes : bytes) >= large_bytes, 0)) {
        write_large_block_change(block, bytes);
        return;
    }
    mine.sum += bytes;
    if (__builtin_expect((uint64_t)(mine.sum < 0 ? -mine.sum : mine.sum) >= mine.granule, 0))
        write_small_block_changes();
}

static inline void *count_new_block(void *block)
{
    if (block && is_counting_allocations()) {
        mine.calls++;
        add_to_allocation_counts(block, (int64_t)next.usable(block));
    }
    return block;
}

static void record_arena_change(const void *arena, int64_t bytes)
{
    if (!is_counting_allocations())
        return;
    mine.calls += bytes > 0;
    add_to_allocation_counts(arena, bytes);
}

/* ---- allocation functions that the program calls ---- */

#define EXPORT __attribute__((visibility("default")))

EXPORT void *malloc(size_t size)
{
    return are_originals_found() ? count_new_block(next.malloc(size)) : allocate_early_block(size);
}

EXPORT void free(void *block)
{
    if (!block || is_early_memory_block(block) || !are_originals_found())
        return;
    if (is_counting_allocations())
        add_to_allocation_counts(block, -(int64_t)next.usable(block));
    next.free(block);
}

EXPORT void *calloc(size_t count, size_t size)
{
    if (are_originals_found())
        return count_new_block(next.calloc(count, size));
    return size && count > sizeof early / size ? NULL : allocate_early_block(count * size);
}

EXPORT void *realloc(void *block, size_t size)
{
    /* copies a block from the array `early`, which is never freed, to a new block */
    if (!are_originals_found() || is_early_memory_block(block)) {
        size_t old = 0;
        void *moved = malloc(size);
        if (block && moved) {
            memcpy(&old, (char *)block - 64, sizeof old);
            memcpy(moved, block, old < size ? old : size);
        }
        return moved;
    }
    if (!is_counting_allocations())
        return next.realloc(block, size);
    int64_t before = block ? (int64_t)next.usable(block) : 0;
    uintptr_t old = (uintptr_t)block; /* old address as a number, because realloc may have freed the block */
    void *moved = next.realloc(block, size);
    if (before && (moved || size == 0))
        add_to_allocation_counts((const void *)old, -before); // NOLINT(performance-no-int-to-ptr)
    return count_new_block(moved);
}

EXPORT void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, bytes);
}

EXPORT int posix_memalign(void **out, size_t alignment, size_t size)
{
    int code = are_originals_found() && next.posix_memalign ? next.posix_memalign(out, alignment, size) : ENOMEM;
    if (code == 0)
        count_new_block(*out);
    return code;
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    return are_originals_found() && next.aligned_alloc ? count_new_block(next.aligned_alloc(alignment, size)) : NULL;
}

EXPORT void *memalign(size_t alignment, size_t size)
{
    return are_originals_found() && next.memalign ? count_new_block(next.memalign(alignment, size)) : NULL;
}

EXPORT void *valloc(size_t size)
{
    return are_originals_found() && next.valloc ? count_new_block(next.valloc(size)) : NULL;
}

EXPORT void *pvalloc(size_t size)
{
    return are_originals_found() && next.pvalloc ? count_new_block(next.pvalloc(size)) : NULL;
}

/* ---- the source ---- */

static const char *probe_source(const struct tp_source_host *host)
{
    (void)host;
    if (!are_originals_found() || !are_functions_in_one_library())
        return "the program's allocator does not report the size of a block";
    return NULL;
}

static void disable_memory_source(void)
{
    __atomic_store_n(&state, STATE_OFF, __ATOMIC_RELAXED);
}

/* Starts the source. In a Python program the source needs a size in its setting. PyTorch itself reports memory, by
 * tensors instead of blocks. */
static bool start_source(const struct tp_source_host *host, const char *setting)
{
    (void)host;
    if (!*setting && dlsym(RTLD_DEFAULT, "Py_AddPendingCall")) {
        disable_memory_source();
        return false;
    }
    large_bytes = tp_hook_read_setting(setting, true, 64 << 10);
    large_bytes = large_bytes ? large_bytes : 1;
    if (strstr(setting, "stacks"))
        start_stack_capture();
    tp_arenas_report_changes(record_arena_change);
    has_key = pthread_key_create(&at_thread_end, end_thread) == 0;
    mine.granule = 0; /* 0 as in a new thread, so that this thread registers a function for its exit */
    __atomic_store_n(&state, STATE_RECORDING, __ATOMIC_RELAXED);
    return true;
}

static void stop_source(void)
{
    char json[240];
    add_change_to_totals();
    int why = tp_hook_enter_recorder();
    int64_t now = __atomic_load_n(&total, __ATOMIC_RELAXED);
    if (__atomic_load_n(&peak, __ATOMIC_RELAXED) >= FIRST_TOTAL) {
        write_small_block_total(now, true);
        snprintf(json, sizeof json,
                 "{\"peak_bytes\":%lld,\"end_bytes\":%lld,\"allocation_count\":%llu,\"without_stack\":%llu}",
                 (long long)__atomic_load_n(&peak, __ATOMIC_RELAXED), (long long)now,
                 (unsigned long long)__atomic_load_n(&call_count, __ATOMIC_RELAXED),
                 (unsigned long long)__atomic_load_n(&stacks.left_out, __ATOMIC_RELAXED));
        tracepress_metadata_json("host_memory", json);
    }
    disable_memory_source();
    tp_hook_leave_recorder(why);
}

/* Resets the totals in a child process after fork. The child contains the parent's memory too, but its recording starts
 * from zero. */
static void in_child(void)
{
    __atomic_store_n(&small_recorded, 0, __ATOMIC_RELAXED);
}

const struct tp_source tp_source_memory = {
    .name = "memory",
    .what = "host memory: malloc and its family, C++ new and delete; memory=SIZE: also blocks from SIZE on; "
            "memory=stacks: also their stacks",
    .is_default = true,
    .probe = probe_source,
    .start = start_source,
    .refuse = disable_memory_source,
    .stop = stop_source,
    .in_child = in_child,
};
