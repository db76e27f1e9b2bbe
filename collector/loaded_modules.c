/* Lists loaded programs and libraries: see loaded_modules.h. */
#include "collector/loaded_modules.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collector/recorder_thread.h"
#include "writer/base/mapped.h"

enum { MAX_MODULES = 4096 };
/* States of `loader`. MAY_ASK: the loader's list of modules can be read. UNTRIED: this process was forked and has not
 * tested whether the list can be read. TRYING: a thread is testing this. */
enum { MAY_ASK, UNTRIED, TRYING };

static struct tp_module *modules[MAX_MODULES]; /* never freed, because samplers read them while the list grows */
static _Atomic uint32_t module_count;
static _Atomic bool is_updating;
static _Atomic int loader;
/* counts of modules that the loader had loaded and unloaded at the last update */
static unsigned long long seen_adds, seen_subs;

uint32_t tp_modules_count(void)
{
    return atomic_load(&module_count);
}

struct tp_module *tp_modules_get(uint32_t index)
{
    return modules[index];
}

struct tp_module *tp_modules_find(uint64_t address)
{
    for (uint32_t i = tp_modules_count(); i-- > 0;)
        if (address >= modules[i]->start && address < modules[i]->end && !modules[i]->is_gone)
            return modules[i];
    return NULL;
}

/* ---- the list ---- */

static void store_segments(struct tp_module *m, const struct dl_phdr_info *info)
{
    m->start = UINT64_MAX;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_GNU_EH_FRAME)
            m->unwind_table = start;
        if (p->p_type != PT_LOAD || m->segment_count == TP_MODULE_SEGMENTS)
            continue;
        m->segments[m->segment_count++] = (struct tp_module_segment){start, start + p->p_filesz, p->p_offset};
        m->start = start < m->start ? start : m->start;
        m->end = start + p->p_memsz > m->end ? start + p->p_memsz : m->end;
    }
}

/* Returns zeroed memory for modules and their paths, or NULL. The memory is never freed. It is mapped, because the
 * recorder's threads must not call the program's allocator. The caller has set `is_updating`. */
static void *map_zeroed_memory(size_t size)
{
    enum { PIECE_BYTES = 64 << 10 };
    static char *piece;
    static size_t left;
    size = (size + 15) & ~(size_t)15;
    if (size > left) {
        void *fresh = size <= PIECE_BYTES
                          ? mmap(NULL, PIECE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                          : MAP_FAILED;
        if (fresh == MAP_FAILED)
            return NULL;
        piece = fresh;
        left = PIECE_BYTES;
    }
    void *taken = piece;
    piece += size;
    left -= size;
    return taken;
}

static const char *module_path(const struct dl_phdr_info *info, uint32_t index, char program[PATH_MAX])
{
    if (info->dlpi_name && *info->dlpi_name)
        return info->dlpi_name;
    ssize_t n = index == 0 ? readlink("/proc/self/exe", program, PATH_MAX - 1) : -1;
    program[n > 0 ? n : 0] = '\0';
    return program;
}

static bool is_known(const struct tp_module *m, const char *path)
{
    const struct tp_module *known = tp_modules_find(m->start);
    return known && known->start == m->start && known->end == m->end && strcmp(known->path, path) == 0;
}

static bool add_module(const struct tp_module *m, const char *path)
{
    uint32_t count = tp_modules_count();
    size_t size = strlen(path) + 1;
    struct tp_module *copy = map_zeroed_memory(sizeof *copy + size);
    if (!copy)
        return false;
    *copy = *m;
    copy->path = memcpy(copy + 1, path, size);
    for (uint32_t i = 0; i < count; i++)
        if (modules[i]->start < m->end && m->start < modules[i]->end)
            modules[i]->is_gone = true;
    modules[count] = copy;
    atomic_store(&module_count, count + 1);
    return true;
}

struct visit {
    uint32_t index;
    bool is_changed;
};

/* Adds one module. Runs under the loader's lock, so it must not take a lock of the recorder. */
static int add_reported_module(struct dl_phdr_info *info, size_t size, void *context)
{
    struct visit *visit = context;
    uint32_t count = tp_modules_count();
    char program[PATH_MAX];
    (void)size;
    if (visit->index == 0 && count && info->dlpi_adds == seen_adds && info->dlpi_subs == seen_subs)
        return 1;
    seen_adds = info->dlpi_adds;
    seen_subs = info->dlpi_subs;
    struct tp_module m = {.bias = info->dlpi_addr};
    store_segments(&m, info);
    /* the kernel's own module (vDSO) has no file and is never unloaded, so its bytes are read from memory */
    if (info->dlpi_name && strncmp(info->dlpi_name, "linux-", 6) == 0) {
        m.file = (char *)(uintptr_t)m.start; // NOLINT(performance-no-int-to-ptr)
        m.size = m.end - m.start;
        m.was_tried = true;
    }
    const char *path = module_path(info, visit->index, program);
    visit->index++;
    if (m.segment_count && count < MAX_MODULES && !is_known(&m, path) && add_module(&m, path))
        visit->is_changed = true;
    return 0;
}

static int stop_iteration(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)info, (void)size, (void)context;
    return 1;
}

static void *test_loader_lock(void *unused)
{
    dl_iterate_phdr(stop_iteration, NULL);
    atomic_store(&loader, MAY_ASK);
    return unused;
}

bool tp_modules_can_ask_loader(void)
{
    int untried = UNTRIED;
    if (__builtin_expect(atomic_load_explicit(&loader, memory_order_relaxed) == MAY_ASK, 1))
        return true;
    if (atomic_compare_exchange_strong(&loader, &untried, TRYING) &&
        tp_recorder_thread_start(NULL, test_loader_lock, NULL) != 0)
        atomic_store(&loader, UNTRIED);
    return false;
}

bool tp_modules_test_loader(void)
{
    int untried = UNTRIED;
    if (atomic_load(&loader) == MAY_ASK)
        return true;
    if (!atomic_compare_exchange_strong(&loader, &untried, TRYING))
        return false;
    test_loader_lock(NULL);
    return true;
}

bool tp_modules_block_updates(void)
{
    enum { PAUSE_US = 50, PATIENCE_US = 200000 };
    const struct timespec pause = {.tv_nsec = PAUSE_US * 1000};
    for (unsigned waited_us = 0; atomic_exchange(&is_updating, true); waited_us += PAUSE_US) {
        if (waited_us >= PATIENCE_US)
            return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

void tp_modules_unblock_updates(void)
{
    atomic_store(&is_updating, false);
}

bool tp_modules_update(void)
{
    struct visit visit = {0};
    if (atomic_load(&loader) != MAY_ASK || atomic_exchange(&is_updating, true))
        return false;
    dl_iterate_phdr(add_reported_module, &visit);
    atomic_store(&is_updating, false);
    return visit.is_changed;
}

void tp_modules_reset_in_child(void)
{
    atomic_store(&is_updating, false);
    atomic_store(&loader, UNTRIED);
}

/* ---- their files ---- */

static void map_file(struct tp_module *module)
{
    struct stat st;
    module->was_tried = true;
    int fd = *module->path == '/' ? open(module->path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        module->file = bytes == MAP_FAILED ? NULL : bytes;
        module->size = (uint64_t)st.st_size;
        if (module->file)
            tp_mapped_add(module->file, module->size);
    }
    close(fd);
}

const void *tp_module_bytes(struct tp_module *module, uint64_t address, size_t size)
{
    if (!module->was_tried)
        map_file(module);
    for (uint32_t i = 0; module->file && i < module->segment_count; i++) {
        const struct tp_module_segment *s = &module->segments[i];
        if (address < s->start || address >= s->end || s->end - address < size)
            continue;
        uint64_t at = s->offset + (address - s->start);
        return at <= module->size && module->size - at >= size ? module->file + at : NULL;
    }
    return NULL;
}
