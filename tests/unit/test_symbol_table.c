/* Functions by address: against libdw's own search, on real files; and the rule on tables made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <dlfcn.h>

#include "writer/spool/symbol_table.h"

static void of_those_that_contain_it_the_last_is_found(void **state)
{
    /* outer [10, 100), inner [20, 30), alias of it, behind both [100, 110); by start, of equal ones the best last */
    static const struct tp_function_symbol symbols[] = {{.start = 10, .end = 100, .number = 1},
                                                        {.start = 20, .end = 30, .beyond = 1, .number = 2},
                                                        {.start = 20, .end = 30, .beyond = 1, .number = 3},
                                                        {.start = 40, .end = 50, .beyond = 1, .number = 4},
                                                        {.start = 100, .end = 110, .number = 5}};
    static const struct {
        uint64_t address;
        uint32_t number;
    } cases[] = {{9, 0},  {10, 1}, {19, 1},  {20, 3},  {29, 3},  {30, 1},        {45, 4},
                 {50, 1}, {99, 1}, {100, 5}, {109, 5}, {110, 0}, {UINT64_MAX, 0}};
    const struct tp_symbol_table table = {.symbols = symbols, .count = 5}, empty = {0};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct tp_function_symbol *found = tp_symbol_table_find(&table, cases[i].address);
        assert_int_equal(found ? found->number : 0, cases[i].number);
    }
    assert_null(tp_symbol_table_find(&empty, 10));
}

static int no_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **path, Elf **elf)
{
    (void)module, (void)data, (void)name, (void)base, (void)path, (void)elf;
    return -1;
}

// NOLINTNEXTLINE(readability-function-size): the library says which parameters
static int no_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                         const char *link, GElf_Word crc, char **path)
{
    (void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)path;
    return -1;
}

typedef const char *(*search)(Dwfl_Module *, GElf_Addr, GElf_Off *, GElf_Sym *, GElf_Word *, Elf **, Dwarf_Addr *);

/* Every function's first, middle and last byte, and what lies between: libdw names the same function. */
static uint32_t compare(const struct tp_symbol_table *table, Dwfl_Module *module, search by_libdw)
{
    uint32_t same = 0;
    for (size_t i = 0; i < table->count; i += 1 + table->count / 300)
        for (int part = 0; part < 4; part++) {
            uint64_t start = table->symbols[i].start, size = table->symbols[i].end - start;
            uint64_t address = part == 3 ? start + size : start + (size ? size - 1 : 0) * (uint64_t)part / 2;
            const struct tp_function_symbol *found = tp_symbol_table_find(table, address);
            GElf_Off offset;
            GElf_Sym symbol;
            const char *theirs = by_libdw(module, address, &offset, &symbol, NULL, NULL, NULL);
            bool is_code = theirs && GELF_ST_TYPE(symbol.st_info) != STT_OBJECT;
            if (!is_code || symbol.st_size == 0)
                continue;
            assert_non_null(found);
            assert_int_equal(found->start, address - offset);
            assert_non_null(tp_symbol_table_name(table, found));
            same++;
        }
    return same;
}

static void real_files_have_the_names_that_libdw_gives(void **state)
{
    static Dwfl_Callbacks callbacks = {.find_elf = no_file, .find_debuginfo = no_debug_file};
    const char *const paths[] = {"/proc/self/exe", "/lib/x86_64-linux-gnu/libc.so.6",
                                 "/lib/x86_64-linux-gnu/libm.so.6"};
    const struct tp_libdw *dw = tp_libdw();
    struct tp_arena arena;
    struct tp_symbol_table table;
    search by_libdw = NULL;
    uint32_t compared = 0;
    (void)state;
    if (!dw)
        skip();
    void *library = dlopen("libdw.so.1", RTLD_LAZY);
    *(void **)&by_libdw = dlsym(library, "dwfl_module_addrinfo");
    callbacks.section_address = dw->dwfl_offline_section_address;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        Dwfl *session = dw->dwfl_begin(&callbacks);
        dw->dwfl_report_begin(session);
        Dwfl_Module *module = dw->dwfl_report_elf(session, paths[i], paths[i], -1, 0x40000000, true);
        dw->dwfl_report_end(session, NULL, NULL);
        tp_arena_init(&arena, 0);
        if (setjmp(arena.guard))
            fail();
        if (module) {
            tp_symbol_table_read(&table, module, &arena);
            compared += compare(&table, module, by_libdw);
        }
        tp_arena_release(&arena);
        dw->dwfl_end(session);
    }
    dlclose(library);
    assert_true(compared > 100);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_those_that_contain_it_the_last_is_found),
        cmocka_unit_test(real_files_have_the_names_that_libdw_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
