/* What a program is before it runs: where it is found, and whether a library can be preloaded into it. */
#include "collector/launch/program.h"

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- ELF bytes ---- */

#if defined(__aarch64__)
enum { OURS = EM_AARCH64, THEIRS = EM_X86_64 };
#else
enum { OURS = EM_X86_64, THEIRS = EM_AARCH64 };
#endif

/* A program that names `loader`, or none. Returns its size; one byte more is NUL. */
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

static void a_dynamic_program_takes_a_library(void **state)
{
    unsigned char bytes[512];
    (void)state;
    assert_null(tp_program_check_elf(bytes, make_elf(bytes, "/lib64/ld-linux-x86-64.so.2")));
}

static void other_programs_take_none(void **state)
{
    unsigned char bytes[512];
    (void)state;
    assert_string_equal(tp_program_check_elf(bytes, make_elf(bytes, NULL)), "it is statically linked");
    assert_non_null(strstr(tp_program_check_elf(bytes, make_elf(bytes, "/lib/ld-musl-x86_64.so.1")), "musl"));
    unsigned long size = make_elf(bytes, "/lib64/ld.so");
    ((Elf64_Ehdr *)(void *)bytes)->e_machine = THEIRS;
    assert_string_equal(tp_program_check_elf(bytes, size), "it was built for another processor");
    bytes[EI_CLASS] = ELFCLASS32;
    assert_string_equal(tp_program_check_elf(bytes, size), "it is a 32-bit program");
}

static void damaged_programs_are_left_to_exec(void **state)
{
    unsigned char bytes[512];
    (void)state;
    unsigned long size = make_elf(bytes, "/lib64/ld.so");
    for (unsigned long n = 1; n < size; n++) { /* cut anywhere: no byte behind the end is looked at */
        unsigned char *cut = malloc(n);
        assert_non_null(cut);
        memcpy(cut, bytes, n);
        tp_program_check_elf(cut, n);
        free(cut);
    }
    Elf64_Phdr *loader = (Elf64_Phdr *)(void *)(bytes + sizeof(Elf64_Ehdr)) + 1;
    loader->p_filesz = UINT64_MAX;
    assert_null(tp_program_check_elf(bytes, size));
    loader->p_offset = UINT64_MAX;
    assert_null(tp_program_check_elf(bytes, size));
    ((Elf64_Ehdr *)(void *)bytes)->e_phoff = UINT64_MAX - 8;
    assert_null(tp_program_check_elf(bytes, size));
    ((Elf64_Ehdr *)(void *)bytes)->e_phoff = 64;
    ((Elf64_Ehdr *)(void *)bytes)->e_phnum = 60000; /* further than what was read: unknown is not static */
    assert_null(tp_program_check_elf(bytes, size));
}

/* ---- files ---- */

static char folder[64], path_before[8192];

static int enter(void **state)
{
    const char *path = getenv("PATH");
    (void)state;
    strcpy(folder, "/tmp/tracepress-program-XXXXXX");
    snprintf(path_before, sizeof path_before, "%s", path ? path : "");
    bool is_there = mkdtemp(folder) && chdir(folder) == 0 && mkdir("first", 0700) == 0 && mkdir("second", 0700) == 0;
    return is_there ? 0 : -1;
}

static int leave(void **state)
{
    static const char *const names[] = {"first/tool", "second/tool", "first", "second", "script", "loop", "plain"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        remove(names[i]);
    setenv("PATH", path_before, 1);
    return chdir("/") == 0 ? rmdir(folder) : -1;
}

static void put(const char *name, const char *text, mode_t mode)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(name, mode), 0);
}

static void path_is_searched_as_exec_does(void **state)
{
    static struct tp_program program;
    (void)state;
    setenv("PATH", "first:second", 1);
    tp_program_find(&program, "tool");
    assert_int_equal(program.error, ENOENT);
    put("first/tool", "echo", 0600); /* may not be run: the search goes on */
    tp_program_find(&program, "tool");
    assert_int_equal(program.error, EACCES);
    assert_string_equal(program.path, "first/tool");
    put("second/tool", "echo", 0700);
    tp_program_find(&program, "tool");
    assert_int_equal(program.error, 0);
    assert_string_equal(program.path, "second/tool");
    tp_program_find(&program, "");
    assert_int_equal(program.error, ENOENT);
    setenv("PATH", "second:", 1); /* an empty entry is the folder one is in */
    put("plain", "echo", 0700);
    tp_program_find(&program, "plain");
    assert_int_equal(program.error, 0);
    assert_string_equal(program.path, "plain");
}

static void a_name_with_a_slash_is_a_path(void **state)
{
    static struct tp_program program;
    static char longest[5000];
    (void)state;
    tp_program_find(&program, "./first");
    assert_int_equal(program.error, EACCES);
    tp_program_find(&program, "./none");
    assert_int_equal(program.error, ENOENT);
    memset(longest, '/', sizeof longest - 1);
    tp_program_find(&program, longest);
    assert_int_equal(program.error, ENOENT);
}

static void the_interpreter_of_a_script_is_looked_at(void **state)
{
    static struct tp_program program;
    (void)state;
    put("script", "#! /bin/sh -e\n", 0700);
    tp_program_find(&program, "./script");
    assert_int_equal(program.error, 0);
    assert_false(program.is_elf);
    assert_null(program.why_plain);
    put("loop", "#!./loop\n", 0700); /* exec refuses it, we come to an end */
    tp_program_find(&program, "./loop");
    assert_null(program.why_plain);
    tp_program_find(&program, "/bin/sh");
    assert_true(program.is_elf);
}

static void rights_of_others_take_no_library(void **state)
{
    static struct tp_program program;
    (void)state;
    put("plain", ELFMAG "some bytes", 0700);
    if (getuid() != 0 || chown("plain", 65534, (gid_t)-1) != 0)
        skip();
    assert_int_equal(chmod("plain", 04711), 0);
    tp_program_find(&program, "./plain");
    assert_non_null(strstr(program.why_plain, "setuid"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dynamic_program_takes_a_library),
        cmocka_unit_test(other_programs_take_none),
        cmocka_unit_test(damaged_programs_are_left_to_exec),
        cmocka_unit_test_setup_teardown(path_is_searched_as_exec_does, enter, leave),
        cmocka_unit_test_setup_teardown(a_name_with_a_slash_is_a_path, enter, leave),
        cmocka_unit_test_setup_teardown(the_interpreter_of_a_script_is_looked_at, enter, leave),
        cmocka_unit_test_setup_teardown(rights_of_others_take_no_library, enter, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
