/* Walks stacks of the calling thread, and stacks of other threads from copies: see unwind.h.
 *
 * libunwind treats a copy as another process and asks this code for its memory and registers. Stack memory comes from
 * the copy, and unwind tables come from the files of the modules. So this code never touches memory that may have been
 * unmapped. libunwind is loaded only when stacks are wanted, so that other programs do not need it. */
#include "collector/unwind.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <libunwind.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include "collector/loaded_modules.h"

enum { PAGE = 4096 };

/* ---- the library ---- */

#define TEXT_OF_(name) #name
#define TEXT_OF(name) TEXT_OF_(name)
#if defined(__x86_64__)
#define FAR_LIBRARY "libunwind-x86_64.so.8"
#elif defined(__aarch64__)
#define FAR_LIBRARY "libunwind-aarch64.so.8"
#else
#define FAR_LIBRARY "libunwind-generic.so.8"
#endif

/* Type of a function that libunwind exports for unwinding from copied memory, but does not declare in its header. */
typedef int search_table_function(unw_addr_space_t space, unw_word_t ip, unw_dyn_info_t *table, unw_proc_info_t *info,
                                  int need_unwind_info, void *context);

static struct {
    __typeof__(unw_create_addr_space) *create_space;
    __typeof__(unw_set_caching_policy) *set_caching;
    __typeof__(unw_flush_cache) *flush_cache;
    __typeof__(unw_init_remote) *init_remote;
    __typeof__(unw_get_reg) *get_register;
    __typeof__(unw_step) *step;
    search_table_function *search_table;
    __typeof__(unw_backtrace) *backtrace; /* function that walks the stack of the calling thread */
} unwind;

static pthread_once_t loaded = PTHREAD_ONCE_INIT;
static bool is_there;

/* Returns whether the program has a dynamic loader. libunwind asks the loader for the mapped files. In a statically
 * linked program libunwind would bring its own C library and crash. */
static bool has_loader(void)
{
    return getauxval(AT_BASE) != 0;
}

static void load_library(void)
{
    const struct {
        const char *library, *name;
        void **function;
    } wanted[] = {
        {"libunwind.so.8", "unw_backtrace", (void **)&unwind.backtrace},
        {FAR_LIBRARY, TEXT_OF(unw_create_addr_space), (void **)&unwind.create_space},
        {FAR_LIBRARY, TEXT_OF(unw_set_caching_policy), (void **)&unwind.set_caching},
        {FAR_LIBRARY, TEXT_OF(unw_flush_cache), (void **)&unwind.flush_cache},
        {FAR_LIBRARY, TEXT_OF(unw_init_remote), (void **)&unwind.init_remote},
        {FAR_LIBRARY, TEXT_OF(unw_get_reg), (void **)&unwind.get_register},
        {FAR_LIBRARY, TEXT_OF(unw_step), (void **)&unwind.step},
        {FAR_LIBRARY, TEXT_OF(UNW_OBJ(dwarf_search_unwind_table)), (void **)&unwind.search_table},
    };
    is_there = true;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *library = dlopen(wanted[i].library, RTLD_LAZY | RTLD_LOCAL);
        *wanted[i].function = library ? dlsym(library, wanted[i].name) : NULL;
        is_there = is_there && *wanted[i].function;
    }
}

/* ---- libunwind's memory for each thread ----
 *
 * libunwind unmaps this memory when the thread exits, through a pthread key with a destructor. In a program that
 * confines itself, the system call for unmapping can be forbidden. */

static pthread_key_t kept;
static bool is_kept_known;

/* Uses libunwind for the first time and finds the key that libunwind creates. This is the next free key, unless the
 * program has used libunwind before or another thread creates a key at the same moment. In these two cases the key
 * stays unknown. */
static void find_library_thread_key(void)
{
    void *unused[1];
    bool is_next = pthread_key_create(&kept, NULL) == 0 && pthread_key_delete(kept) == 0;
    unwind.backtrace(unused, 1);
    is_kept_known = is_next && pthread_getspecific(kept) != NULL;
}

/* Deletes libunwind's key, so that its destructor does not run. Then immediately creates a key with the same number.
 * Otherwise other code could get this number, and libunwind would write to the key of that code. */
void tp_stack_replace_library_key(void)
{
    enum { MOST = 64 };
    pthread_key_t others[MOST], again;
    size_t count = 0;
    if (!is_kept_known || pthread_key_delete(kept) != 0)
        return;
    is_kept_known = false;
    while (count < MOST && pthread_key_create(&again, NULL) == 0 && again != kept)
        others[count++] = again;
    while (count > 0)
        pthread_key_delete(others[--count]);
}

static unw_addr_space_t address_space(void);

/* Makes both parts of libunwind open their pipes at high numbers. Each part opens a pipe at its first use, at the
 * lowest free numbers, and keeps it open. The program could then get unexpected numbers for its own files, or replace
 * the pipe. Therefore this function occupies the low numbers meanwhile. */
static void make_library_open_its_pipes(void)
{
    enum { LOW = 200, MANY = 1024 };
    struct rlimit limit;
    int taken[LOW], count = 0;
    bool has_room = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= MANY;
    int fd = has_room ? eventfd(0, EFD_CLOEXEC) : -1;
    while (fd >= 0 && fd < LOW && count < LOW) {
        taken[count++] = fd;
        fd = fcntl(taken[0], F_DUPFD_CLOEXEC, 0);
    }
    if (fd >= 0)
        close(fd);
    if (has_loader())
        find_library_thread_key();
    address_space();
    while (count > 0)
        close(taken[--count]);
}

static void load_and_use_library_once(void)
{
    load_library();
    if (is_there)
        make_library_open_its_pipes();
}

bool tp_stack_prepare(void)
{
    pthread_once(&loaded, load_and_use_library_once);
    return is_there;
}

const char *tp_stack_walk_refusal_text(void)
{
    if (!has_loader())
        return "the program is linked statically (link it dynamically with libtracepress.a or libtracepress.so)";
    return tp_stack_prepare() ? NULL : "libunwind is not installed (Debian: libunwind8)";
}

/* Returns the address at which a frame continues. On arm64, libunwind reports the byte before this address, which is
 * inside the call. */
static uint64_t return_address(const void *frame)
{
#if defined(__aarch64__)
    enum { INSTRUCTION = 4 };
    return ((uint64_t)(uintptr_t)frame + INSTRUCTION - 1) / INSTRUCTION * INSTRUCTION;
#else
    return (uint64_t)(uintptr_t)frame;
#endif
}

uint32_t tp_stack_walk_this_thread(const void *from, uint64_t *frames, uint32_t max)
{
    /* maximum number of frames between this function and `from` */
    enum { OURS = 8 };
    void *all[TP_MAX_FRAMES + OURS];
    int first = 0, count = is_there && has_loader()
                               ? unwind.backtrace(all, (int)(max < TP_MAX_FRAMES ? max : TP_MAX_FRAMES) + OURS)
                               : 0;
    while (first < count && return_address(all[first]) != (uint64_t)(uintptr_t)from)
        first++;
    uint32_t n = first < count ? (uint32_t)(count - first) : 0;
    n = n < max ? n : max;
    for (uint32_t i = 0; i < n; i++)
        frames[i] = return_address(all[first + (int)i]);
    return n;
}

/* ---- copying ---- */

static uint64_t copy_registers(uint64_t *to, const ucontext_t *context)
{
#if defined(__x86_64__)
    static const uint8_t order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
                                    REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    for (unsigned i = 0; i < sizeof order; i++)
        to[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
    return to[UNW_X86_64_RSP];
#elif defined(__aarch64__)
    for (unsigned i = 0; i < 31; i++)
        to[i] = context->uc_mcontext.regs[i];
    to[31] = context->uc_mcontext.sp;
    to[32] = context->uc_mcontext.pc;
    return to[31];
#else
    (void)to, (void)context;
    return 0;
#endif
}

/* Fills the copy. The kernel copies page by page, so that a missing page ends the copy without a fault. */
void tp_stack_copy_context(struct tp_stack_copy *copy, const ucontext_t *context)
{
    struct iovec from[TP_STACK_COPY_BYTES / PAGE + 1], to = {copy->bytes, sizeof copy->bytes};
    unsigned long parts = 0;
    copy->start = copy_registers(copy->registers, context);
    copy->size = 0;
    if (!copy->start)
        return;
    for (uint64_t at = copy->start, end = at + sizeof copy->bytes; at < end; parts++) {
        uint64_t next = (at / PAGE + 1) * PAGE;
        next = next < end ? next : end;
        from[parts] = (struct iovec){(void *)(uintptr_t)at, next - at}; // NOLINT(performance-no-int-to-ptr)
        at = next;
    }
    ssize_t n = process_vm_readv(getpid(), &to, 1, from, parts, 0);
    copy->size = n > 0 ? (uint32_t)n : 0;
}

/* ---- callbacks of libunwind ---- */

static int read_memory(unw_addr_space_t space, unw_word_t address, unw_word_t *value, int is_write, void *context)
{
    const struct tp_stack_copy *copy = context;
    (void)space;
    if (is_write)
        return -UNW_EINVAL;
    if (address >= copy->start && address - copy->start + sizeof *value <= copy->size) {
        memcpy(value, copy->bytes + (address - copy->start), sizeof *value);
        return 0;
    }
    struct tp_module *module = tp_modules_find(address);
    const void *bytes = module ? tp_module_bytes(module, address, sizeof *value) : NULL;
    if (!bytes)
        return -UNW_EINVAL;
    memcpy(value, bytes, sizeof *value);
    return 0;
}

static int read_register(unw_addr_space_t space, unw_regnum_t number, unw_word_t *value, int is_write, void *context)
{
    const struct tp_stack_copy *copy = context;
    (void)space;
    if (is_write || number < 0 || number >= TP_STACK_REGISTERS)
        return -UNW_EBADREG;
    *value = copy->registers[number];
    return 0;
}

/* The binary search table of .eh_frame_hdr, in the only form that linkers write. If a module has another form, the
 * stack ends there. */
struct eh_frame_header {
    uint8_t version, frame_encoding, count_encoding, table_encoding;
    int32_t frame;
    uint32_t count;
};

enum { PCREL_SDATA4 = 0x1b, UDATA4 = 0x03, DATAREL_SDATA4 = 0x3b };

static int find_procedure(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *info, int need, void *context)
{
    struct tp_module *module = tp_modules_find(ip);
    struct eh_frame_header header;
    const void *bytes =
        module && module->unwind_table ? tp_module_bytes(module, module->unwind_table, sizeof header) : NULL;
    if (!bytes)
        return -UNW_ENOINFO;
    memcpy(&header, bytes, sizeof header);
    if (header.version != 1 || header.frame_encoding != PCREL_SDATA4 || header.count_encoding != UDATA4 ||
        header.table_encoding != DATAREL_SDATA4 || header.count > UINT32_MAX / 8)
        return -UNW_ENOINFO;
    unw_dyn_info_t table = {.start_ip = module->start,
                            .end_ip = module->end,
                            .format = UNW_INFO_FORMAT_REMOTE_TABLE,
                            .u.rti = {.segbase = module->unwind_table,
                                      .table_data = module->unwind_table + sizeof header,
                                      .table_len = header.count * 8u / sizeof(unw_word_t)}};
    return unwind.search_table(space, ip, &table, info, need, context);
}

static void ignore_info(unw_addr_space_t space, unw_proc_info_t *info, void *context)
{
    (void)space, (void)info, (void)context;
}

static int find_no_procedure_list(unw_addr_space_t space, unw_word_t *value, void *context)
{
    (void)space, (void)value, (void)context;
    return -UNW_ENOINFO;
}

static int read_no_float_register(unw_addr_space_t space, unw_regnum_t number, unw_fpreg_t *value, int is_write,
                                  void *context)
{
    (void)space, (void)number, (void)value, (void)is_write, (void)context;
    return -UNW_EBADREG;
}

static unw_addr_space_t address_space(void)
{
    static unw_addr_space_t space;
    static unw_accessors_t accessors = {.find_proc_info = find_procedure,
                                        .put_unwind_info = ignore_info,
                                        .get_dyn_info_list_addr = find_no_procedure_list,
                                        .access_mem = read_memory,
                                        .access_reg = read_register,
                                        .access_fpreg = read_no_float_register};
    if (!space && is_there) {
        space = unwind.create_space(&accessors, 0);
        if (space)
            unwind.set_caching(space, UNW_CACHE_GLOBAL);
    }
    return space;
}

/* Set while a thread unwinds; only one thread at a time may unwind. A fork waits until the flag is clear (recorder.h,
 * tp_record_pause_stacks). */
static atomic_flag is_unwinding = ATOMIC_FLAG_INIT;

/* Waits until this thread may unwind. Returns false if the thread that unwinds does not finish, for example because a
 * handler has jumped out of malloc. */
static bool wait_for_turn(void)
{
    enum { PATIENCE = 10000 };
    int tries = 0;
    while (atomic_flag_test_and_set(&is_unwinding)) {
        if (++tries == PATIENCE)
            return false;
        sched_yield();
    }
    return true;
}

void tp_stack_clear_code_cache(void)
{
    if (!wait_for_turn())
        return;
    if (address_space())
        unwind.flush_cache(address_space(), 0, 0);
    atomic_flag_clear(&is_unwinding);
}

static uint32_t unwind_copy(const struct tp_stack_copy *copy, uint64_t *frames, uint32_t max)
{
    unw_cursor_t cursor;
    uint32_t n = 0;
    if (!address_space() || unwind.init_remote(&cursor, address_space(), (void *)(uintptr_t)copy) != 0)
        return 0;
    do {
        unw_word_t ip = 0;
        if (unwind.get_register(&cursor, UNW_REG_IP, &ip) != 0 || ip == 0)
            break;
        frames[n++] = ip;
    } while (n < max && unwind.step(&cursor) > 0);
    return n;
}

uint32_t tp_stack_unwind(const struct tp_stack_copy *copy, uint64_t *frames, uint32_t max)
{
    if (!wait_for_turn())
        return 0;
    uint32_t count = unwind_copy(copy, frames, max);
    atomic_flag_clear(&is_unwinding);
    return count;
}

static _Atomic bool has_met_unknown;

bool tp_stack_has_found_unknown(void)
{
    return atomic_exchange(&has_met_unknown, false);
}

/* Returns the index of the first frame outside of our own code. */
static uint32_t first_frame_outside_recorder(const uint64_t *frames, uint32_t count)
{
    const struct tp_module *own = tp_modules_find((uint64_t)(uintptr_t)&first_frame_outside_recorder);
    uint32_t first = 0;
    while (own && first < count && tp_modules_find(frames[first] - 1) == own)
        first++;
    return first;
}

/* Copies this thread's stack. The call of getcontext() needs its own function, because it may return twice. */
static __attribute__((noinline)) bool copy_stack_of_this_thread(struct tp_stack_copy *copy)
{
    ucontext_t here;
    if (getcontext(&here) != 0)
        return false;
    tp_stack_copy_context(copy, &here);
    return true;
}

uint32_t tp_stack_walk_without_wait(uint64_t *frames, uint32_t max)
{
    enum { OURS = 8 };
    static struct tp_stack_copy copy; /* buffer for the stack of the thread that is unwinding */
    uint64_t all[TP_MAX_FRAMES + OURS];
    if (!is_there || atomic_flag_test_and_set(&is_unwinding))
        return 0;
    uint32_t most = (max < TP_MAX_FRAMES ? max : TP_MAX_FRAMES) + OURS;
    uint32_t count = copy_stack_of_this_thread(&copy) ? unwind_copy(&copy, all, most) : 0;
    atomic_flag_clear(&is_unwinding);
    if (count && !tp_modules_find(all[count - 1] - 1))
        atomic_store(&has_met_unknown, true);
    uint32_t first = first_frame_outside_recorder(all, count), n = count - first;
    n = n < max ? n : max;
    memcpy(frames, all + first, n * sizeof *frames);
    return n;
}
