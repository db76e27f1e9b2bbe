/* Finds out whether a library can be preloaded into a program: see preload_fit.h.
 *
 * Symbols are looked up by DT_GNU_HASH, as the dynamic loader does: a few small reads for each name, however large the
 * program is. */
#include "writer/base/preload_fit.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "writer/base/path.h"

enum { HEAD_BYTES = 4096, MOST_ENTRIES = 512, MOST_SCRIPTS = 4, MOST_CHAIN = 256, NAME_BYTES = 64 };

const char tp_preload_static[] = "it is statically linked";

#if defined(__x86_64__)
static const unsigned our_machine = EM_X86_64;
#elif defined(__aarch64__)
static const unsigned our_machine = EM_AARCH64;
#else
static const unsigned our_machine = EM_NONE;
#endif

/* ---- the dynamic loader ---- */

/* Fills *part with program header `number`. Returns false if `bytes` does not contain the header. */
static bool read_program_header(Elf64_Phdr *part, unsigned number, const unsigned char *bytes, unsigned long size)
{
    Elf64_Ehdr head;
    memcpy(&head, bytes, sizeof head);
    unsigned long at = head.e_phoff + (unsigned long)number * sizeof *part;
    if (number >= head.e_phnum || head.e_phoff > size || at + sizeof *part > size)
        return false;
    memcpy(part, bytes + at, sizeof *part);
    return true;
}

/* Returns the path of the program's dynamic loader; NULL if the program has none, and "" if `bytes` does not contain
 * the path. */
static const char *find_loader(const unsigned char *bytes, unsigned long size)
{
    Elf64_Ehdr head;
    memcpy(&head, bytes, sizeof head);
    for (unsigned i = 0; i < head.e_phnum; i++) {
        Elf64_Phdr part;
        if (!read_program_header(&part, i, bytes, size))
            return "";
        if (part.p_type != PT_INTERP)
            continue;
        bool is_here = part.p_filesz > 0 && part.p_offset < size && part.p_filesz <= size - part.p_offset &&
                       bytes[part.p_offset + part.p_filesz - 1] == '\0';
        return is_here ? (const char *)bytes + part.p_offset : "";
    }
    return NULL;
}

const char *tp_preload_check_elf(const unsigned char *bytes, unsigned long size)
{
    Elf64_Ehdr head;
    if (size < sizeof head)
        return NULL;
    memcpy(&head, bytes, sizeof head);
    if (bytes[EI_CLASS] != ELFCLASS64)
        return "it is a 32-bit program";
    if (our_machine != EM_NONE && head.e_machine != our_machine)
        return "it was built for another processor";
    const char *loader = find_loader(bytes, size);
    if (!loader)
        return tp_preload_static;
    return strstr(loader, "ld-musl") ? "it was built for another C library (musl)" : NULL;
}

/* ---- sanitizers ---- */

static const struct sanitizer {
    const char *library, *clang_library, *symbol; /* library, clang_library: start of the runtime's file name from gcc
                                                     and from clang; symbol: a function in both */
    const char *why;
} sanitizers[] = {
    {"libasan.so", "libclang_rt.asan", "__asan_init", "it is built with AddressSanitizer"},
    {"libtsan.so", "libclang_rt.tsan", "__tsan_init", "it is built with ThreadSanitizer"},
    {"liblsan.so", "libclang_rt.lsan", "__lsan_init", "it is built with LeakSanitizer"},
    {"libhwasan.so", "libclang_rt.hwasan", "__hwasan_init", "it is built with HWAddressSanitizer"},
    {"libmsan.so", "libclang_rt.msan", "__msan_init", "it is built with MemorySanitizer"},
    {"libdfsan.so", "libclang_rt.dfsan", "__dfsan_init", "it is built with DataFlowSanitizer"},
    {"libnsan.so", "libclang_rt.nsan", "__nsan_init", "it is built with NumericalStabilitySanitizer"},
    {"librtsan.so", "libclang_rt.rtsan", "__rtsan_init", "it is built with RealtimeSanitizer"},
    {"libmemprof.so", "libclang_rt.memprof", "__memprof_init", "it is built with a memory profiler (memprof)"},
};

enum { SANITIZERS = sizeof sanitizers / sizeof *sanitizers };

/* Data from the dynamic section. All positions are offsets in the file; 0: missing. */
struct dynamic {
    int fd;
    const unsigned char *bytes; /* first bytes of the file */
    unsigned long size;
    uint64_t strings, symbols, hash;
    uint32_t bucket_count, first_symbol, bloom_count, bloom_shift;
    /* true: the section has DT_PREINIT_ARRAY, functions that run before all constructors */
    bool has_early_functions;
};

/* Returns the file offset of the byte that is loaded at `address`; 0 if no segment contains the address. */
static uint64_t file_offset(const struct dynamic *d, uint64_t address)
{
    Elf64_Phdr part;
    for (unsigned i = 0; read_program_header(&part, i, d->bytes, d->size); i++)
        if (part.p_type == PT_LOAD && address >= part.p_vaddr && address - part.p_vaddr < part.p_filesz)
            return address - part.p_vaddr + part.p_offset;
    return 0;
}

/* Reads the name at offset `at` of the string table; "" if it cannot be read. A long name is cut. */
static void read_name(char name[NAME_BYTES], const struct dynamic *d, uint64_t at)
{
    ssize_t n = d->strings ? pread(d->fd, name, NAME_BYTES - 1, (off_t)(d->strings + at)) : -1;
    name[n > 0 ? n : 0] = '\0';
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static const char *refusal_by_library(const struct dynamic *d, uint64_t name_at)
{
    char path[NAME_BYTES];
    read_name(path, d, name_at);
    const char *name = tp_path_base(path);
    for (int i = 0; i < SANITIZERS; i++)
        if (begins_with(name, sanitizers[i].library) || begins_with(name, sanitizers[i].clang_library))
            return sanitizers[i].why;
    return NULL;
}

static uint32_t gnu_hash(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

static bool read_32_bit_word(const struct dynamic *d, uint64_t at, uint32_t *word)
{
    return pread(d->fd, word, sizeof *word, (off_t)at) == (ssize_t)sizeof *word;
}

static bool is_symbol_named(const struct dynamic *d, uint32_t number, const char *name)
{
    Elf64_Sym symbol;
    char found[NAME_BYTES];
    if (pread(d->fd, &symbol, sizeof symbol, (off_t)(d->symbols + (uint64_t)number * sizeof symbol)) !=
        (ssize_t)sizeof symbol)
        return false;
    read_name(found, d, symbol.st_name);
    return strcmp(found, name) == 0;
}

/* Returns whether the program defines a symbol `name`. */
static bool is_name_defined(const struct dynamic *d, const char *name)
{
    const uint32_t hash = gnu_hash(name);
    const uint64_t blooms = d->hash + 4 * sizeof(uint32_t), buckets = blooms + (uint64_t)d->bloom_count * 8,
                   chains = buckets + (uint64_t)d->bucket_count * 4;
    uint64_t bloom = 0, wanted = 1ull << (hash % 64) | 1ull << ((hash >> (d->bloom_shift % 32)) % 64);
    uint32_t number = 0, other = 0;
    if (!d->bloom_count || !d->bucket_count ||
        pread(d->fd, &bloom, sizeof bloom, (off_t)(blooms + hash / 64 % d->bloom_count * 8)) != (ssize_t)sizeof bloom ||
        (bloom & wanted) != wanted || !read_32_bit_word(d, buckets + (uint64_t)(hash % d->bucket_count) * 4, &number) ||
        number < d->first_symbol)
        return false;
    for (int i = 0; i < MOST_CHAIN; i++, number++) {
        if (!read_32_bit_word(d, chains + (uint64_t)(number - d->first_symbol) * 4, &other))
            return false;
        if ((other | 1) == (hash | 1) && is_symbol_named(d, number, name))
            return true;
        if (other & 1)
            return false;
    }
    return false;
}

/* Returns the reason against preloading if the program itself contains a sanitizer runtime, otherwise NULL. gcc hides
 * the names of a static runtime. A program with such a runtime is known from functions that run before all
 * constructors, together with its own malloc and calloc. */
static const char *find_sanitizer_refusal(struct dynamic *d)
{
    uint32_t head[4] = {0};
    if (!d->hash || !d->symbols || pread(d->fd, head, sizeof head, (off_t)d->hash) != (ssize_t)sizeof head)
        return NULL;
    d->bucket_count = head[0];
    d->first_symbol = head[1];
    d->bloom_count = head[2];
    d->bloom_shift = head[3];
    for (int i = 0; i < SANITIZERS; i++)
        if (is_name_defined(d, sanitizers[i].symbol))
            return sanitizers[i].why;
    return d->has_early_functions && is_name_defined(d, "malloc") && is_name_defined(d, "calloc")
               ? "it is built with a sanitizer"
               : NULL;
}

/* Stores the data of one entry of the dynamic section. */
static void store_dynamic_entry(struct dynamic *d, const Elf64_Dyn *entry)
{
    if (entry->d_tag == DT_STRTAB)
        d->strings = file_offset(d, entry->d_un.d_ptr);
    else if (entry->d_tag == DT_SYMTAB)
        d->symbols = file_offset(d, entry->d_un.d_ptr);
    else if (entry->d_tag == DT_GNU_HASH)
        d->hash = file_offset(d, entry->d_un.d_ptr);
    else if (entry->d_tag == DT_PREINIT_ARRAY)
        d->has_early_functions = true;
}

/* Reads up to 64 entries of the dynamic section, beginning with entry `number`. Returns the number of entries read; 0
 * at the end. */
static size_t read_entries(const struct dynamic *d, const Elf64_Phdr *part, size_t number, Elf64_Dyn entries[64])
{
    size_t most = part->p_filesz / sizeof *entries, wanted = number < most ? most - number : 0, count = 0;
    if (most > MOST_ENTRIES || !wanted)
        return 0;
    ssize_t n = pread(d->fd, entries, (wanted < 64 ? wanted : 64) * sizeof *entries,
                      (off_t)(part->p_offset + number * sizeof *entries));
    size_t read = n > 0 ? (size_t)n / sizeof *entries : 0;
    while (count < read && entries[count].d_tag != DT_NULL)
        count++;
    return count;
}

const char *tp_preload_check_sanitizer(int fd, const unsigned char *bytes, unsigned long size)
{
    struct dynamic d = {.fd = fd, .bytes = bytes, .size = size};
    Elf64_Dyn entries[64];
    Elf64_Phdr part = {0};
    const char *why = NULL;
    bool is_found = false;
    size_t count;
    for (unsigned i = 0; size >= sizeof(Elf64_Ehdr) && !is_found && read_program_header(&part, i, bytes, size); i++)
        is_found = part.p_type == PT_DYNAMIC;
    for (size_t at = 0; is_found && (count = read_entries(&d, &part, at, entries)) > 0; at += count)
        for (size_t i = 0; i < count; i++)
            store_dynamic_entry(&d, &entries[i]);
    for (size_t at = 0; is_found && !why && (count = read_entries(&d, &part, at, entries)) > 0; at += count)
        for (size_t i = 0; i < count && !why; i++)
            if (entries[i].d_tag == DT_NEEDED)
                why = refusal_by_library(&d, entries[i].d_un.d_val);
    return why || !is_found ? why : find_sanitizer_refusal(&d);
}

/* ---- files of programs ---- */

int tp_preload_open(int folder, const char *path)
{
    return openat(folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* Checks the beginning of the file `fd`. Returns the reason against preloading, or NULL. *next: for a script, a
 * descriptor of its interpreter; otherwise -1. */
static const char *check_start_of_file(int fd, int *next)
{
    unsigned char bytes[HEAD_BYTES + 1];
    ssize_t n = pread(fd, bytes, HEAD_BYTES, 0);
    *next = -1;
    if (n < 4)
        return NULL;
    bytes[n] = '\0';
    if (memcmp(bytes, ELFMAG, SELFMAG) == 0) {
        const char *why = tp_preload_check_elf(bytes, (unsigned long)n);
        return why ? why : tp_preload_check_sanitizer(fd, bytes, (unsigned long)n);
    }
    if (bytes[0] == '#' && bytes[1] == '!') {
        char *interpreter = (char *)bytes + 2 + strspn((char *)bytes + 2, " \t");
        interpreter[strcspn(interpreter, " \t\r\n")] = '\0';
        *next = tp_preload_open(AT_FDCWD, interpreter);
    }
    return NULL;
}

const char *tp_preload_refusal(int fd)
{
    int next;
    const char *why = check_start_of_file(fd, &next);
    for (int i = 0; i < MOST_SCRIPTS && next >= 0; i++) {
        int script = next;
        why = check_start_of_file(script, &next);
        close(script);
    }
    if (next >= 0)
        close(next);
    return why;
}
