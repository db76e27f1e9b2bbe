/* Tests whether a library can be preloaded into a program, from the bytes of its file. */
#include "writer/base/preload_fit.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- bytes of ELF files ---- */

#if defined(__aarch64__)
enum { OURS = EM_AARCH64, THEIRS = EM_X86_64 };
#else
enum { OURS = EM_X86_64, THEIRS = EM_AARCH64 };
#endif

/* Makes a program file, followed by a NUL. loader: its dynamic loader; NULL: none. Returns the size of the file in
 * bytes. */
static unsigned long make_elf(unsigned char bytes[512], const char *loader)
{
    Elf64_Ehdr head = {.e_machine = OURS, .e_phoff = sizeof head, .e_phnum = 2};
    Elf64_Phdr parts[2] = {{.p_type = PT_LOAD}, {.p_type = PT_NULL}};
    memset(bytes, 0, 512);
    memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    if (loader)
        parts[1] = (Elf64_Phdr){.p_type = PT_INTERP, .p_offset = 256, .p_filesz = strlen(loader) + 1};
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, parts, sizeof parts);
    if (loader)
        memcpy(bytes + 256, loader, strlen(loader));
    return 500;
}

static void dynamic_program_can_be_preloaded(void **state)
{
    unsigned char bytes[512];
    (void)state;
    assert_null(tp_preload_check_elf(bytes, make_elf(bytes, "/lib64/ld-linux-x86-64.so.2")));
}

static void other_programs_cannot_be_preloaded(void **state)
{
    unsigned char bytes[512];
    (void)state;
    assert_string_equal(tp_preload_check_elf(bytes, make_elf(bytes, NULL)), "it is statically linked");
    assert_non_null(strstr(tp_preload_check_elf(bytes, make_elf(bytes, "/lib/ld-musl-x86_64.so.1")), "musl"));
    unsigned long size = make_elf(bytes, "/lib64/ld.so");
    ((Elf64_Ehdr *)(void *)bytes)->e_machine = THEIRS;
    assert_string_equal(tp_preload_check_elf(bytes, size), "it was built for another processor");
    bytes[EI_CLASS] = ELFCLASS32;
    assert_string_equal(tp_preload_check_elf(bytes, size), "it is a 32-bit program");
}

static void damaged_programs_are_not_judged(void **state)
{
    unsigned char bytes[512];
    (void)state;
    unsigned long size = make_elf(bytes, "/lib64/ld.so");
    for (unsigned long n = 1; n < size; n++) { /* Checks each length of the file. The check must not read beyond the
                                                * end. */
        unsigned char *cut = malloc(n);
        assert_non_null(cut);
        memcpy(cut, bytes, n);
        tp_preload_check_elf(cut, n);
        free(cut);
    }
    Elf64_Phdr *loader = (Elf64_Phdr *)(void *)(bytes + sizeof(Elf64_Ehdr)) + 1;
    loader->p_filesz = UINT64_MAX;
    assert_null(tp_preload_check_elf(bytes, size));
    loader->p_offset = UINT64_MAX;
    assert_null(tp_preload_check_elf(bytes, size));
    ((Elf64_Ehdr *)(void *)bytes)->e_phoff = UINT64_MAX - 8;
    assert_null(tp_preload_check_elf(bytes, size));
    ((Elf64_Ehdr *)(void *)bytes)->e_phoff = 64;
    /* these headers are beyond the bytes that are read, so the kind of program is unknown */
    ((Elf64_Ehdr *)(void *)bytes)->e_phnum = 60000;
    assert_null(tp_preload_check_elf(bytes, size));
}

/* ---- sanitizers ---- */

enum { STRINGS = 512, SYMBOLS = 768, HASH = 896, DYNAMIC = 1024, FILE_BYTES = 2048, BASE = 0x1000 };

static uint32_t gnu_hash(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

/* Makes a program that needs `library` and defines two symbols in one hash bucket. A NULL symbol is omitted. */
static void make_program(unsigned char bytes[FILE_BYTES], const char *library, const char *symbol, const char *second,
                         bool has_early)
{
    make_elf(bytes, "/lib64/ld-linux-x86-64.so.2");
    memset(bytes + 500, 0, FILE_BYTES - 500);
    Elf64_Ehdr head;
    memcpy(&head, bytes, sizeof head);
    head.e_phnum = 3;
    memcpy(bytes, &head, sizeof head);
    Elf64_Dyn entries[] = {{DT_NEEDED, {1}},
                           {DT_STRTAB, {BASE + STRINGS}},
                           {DT_SYMTAB, {BASE + SYMBOLS}},
                           {DT_GNU_HASH, {BASE + HASH}},
                           {has_early ? DT_PREINIT_ARRAY : DT_INIT, {BASE}},
                           {DT_NULL, {0}}};
    Elf64_Phdr parts[] = {{.p_type = PT_LOAD, .p_vaddr = BASE, .p_filesz = FILE_BYTES},
                          {.p_type = PT_INTERP, .p_offset = 256, .p_filesz = 28},
                          {.p_type = PT_DYNAMIC, .p_offset = DYNAMIC, .p_filesz = sizeof entries}};
    memcpy(bytes + sizeof head, parts, sizeof parts);
    memcpy(bytes + DYNAMIC, entries, sizeof entries);
    const char *names[] = {symbol, second};
    size_t at = STRINGS + 1 + (size_t)sprintf((char *)bytes + STRINGS + 1, "%s", library) + 1;
    uint32_t *hash = (uint32_t *)(void *)(bytes + HASH);
    hash[0] = 1, hash[1] = 1, hash[2] = 1, hash[3] = 6; /* hash table: one bucket, first symbol 1, one bloom word, shift
                                                         * 6 */
    memset(hash + 4, 0xff, 8);
    hash[6] = symbol ? 1 : 0;
    for (int i = 0; i < 2 && names[i]; i++) {
        Elf64_Sym entry = {.st_name = (uint32_t)(at - STRINGS)};
        memcpy(bytes + SYMBOLS + (size_t)(i + 1) * sizeof entry, &entry, sizeof entry);
        at += (size_t)sprintf((char *)bytes + at, "%s", names[i]) + 1;
        hash[7 + i] = (gnu_hash(names[i]) & ~1u) | (i == 1 || !second);
    }
}

static const char *find_refusal(const unsigned char *bytes, size_t size)
{
    int fd = memfd_create("program", 0);
    assert_true(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    const char *why = tp_preload_refusal(fd);
    close(fd);
    return why;
}

static const char *find_refusal_of_made_program(const char *library, const char *symbol, const char *second,
                                                bool has_early)
{
    unsigned char bytes[FILE_BYTES];
    make_program(bytes, library, symbol, second, has_early);
    return find_refusal(bytes, sizeof bytes);
}

static void runtimes_of_sanitizers_are_found(void **state)
{
    (void)state;
    assert_string_equal(find_refusal_of_made_program("libasan.so.8", NULL, NULL, false),
                        "it is built with AddressSanitizer");
    assert_string_equal(find_refusal_of_made_program("/opt/lib/liblsan.so.0", NULL, NULL, false),
                        "it is built with LeakSanitizer");
    assert_string_equal(find_refusal_of_made_program("libclang_rt.tsan-x86_64.so", NULL, NULL, false),
                        "it is built with ThreadSanitizer");
    assert_string_equal(find_refusal_of_made_program("libc.so.6", "__msan_init", NULL, false),
                        "it is built with MemorySanitizer");
    assert_string_equal(find_refusal_of_made_program("libc.so.6", "main", "__hwasan_init", false),
                        "it is built with HWAddressSanitizer");
    assert_string_equal(find_refusal_of_made_program("libc.so.6", "calloc", "malloc", true),
                        "it is built with a sanitizer");
}

static void other_programs_have_no_sanitizer(void **state)
{
    (void)state;
    assert_null(find_refusal_of_made_program("libc.so.6", NULL, NULL, false));
    /* UBSan works with preloaded libraries */
    assert_null(find_refusal_of_made_program("libclang_rt.ubsan_standalone-x86_64.so", NULL, NULL, false));
    assert_null(find_refusal_of_made_program("libasanitary.so.1", "asan_init", NULL, false));
    /* jemalloc defines an allocator but is not a sanitizer */
    assert_null(find_refusal_of_made_program("libjemalloc.so.2", "calloc", "malloc", false));
    assert_null(find_refusal_of_made_program("libc.so.6", "main", NULL, true));
}

static void damaged_programs_have_no_sanitizer(void **state)
{
    unsigned char bytes[FILE_BYTES], whole[FILE_BYTES];
    (void)state;
    make_program(whole, "libc.so.6", "calloc", "malloc", true);
    for (size_t n = 0; n < FILE_BYTES; n += 7)
        find_refusal(whole, n);
    for (size_t i = sizeof(Elf64_Ehdr); i + 8 < FILE_BYTES; i += 4) { /* invalid numbers must neither cause an endless
                                                                       * loop nor reads outside of the file */
        memcpy(bytes, whole, sizeof bytes);
        memset(bytes + i, 0xff, 8);
        find_refusal(bytes, sizeof bytes);
    }
}

static void interpreters_of_scripts_are_checked(void **state)
{
    (void)state;
    static const char loop[] = "#!/proc/self/fd/9\n", shell[] = "#! /bin/sh\n";
    int fd = memfd_create("loop", 0);
    assert_true(fd >= 0 && dup2(fd, 9) == 9 && write(fd, loop, sizeof loop) > 0);
    assert_null(tp_preload_refusal(9));
    close(9);
    close(fd);
    assert_null(find_refusal((const unsigned char *)shell, sizeof shell));
    assert_null(tp_preload_refusal(-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dynamic_program_can_be_preloaded),    cmocka_unit_test(other_programs_cannot_be_preloaded),
        cmocka_unit_test(damaged_programs_are_not_judged),     cmocka_unit_test(runtimes_of_sanitizers_are_found),
        cmocka_unit_test(other_programs_have_no_sanitizer),    cmocka_unit_test(damaged_programs_have_no_sanitizer),
        cmocka_unit_test(interpreters_of_scripts_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
