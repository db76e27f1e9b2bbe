/* Tests the search for the function at an address. Real files are compared with libdw, and tables made by hand with a
 * linear search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <dlfcn.h>

#include "writer/spool/symbol_table.h"

static void last_span_with_the_address_is_found(void **state)
{
    /* The addresses [10, 100) contain [20, 30) twice and [40, 50). The addresses [45, 120) begin inside of [10, 100),
     * end outside, and contain [100, 110). */
    static const struct tp_span spans[] = {{100, 110, 0, 6}, {10, 100, 0, 1}, {20, 30, 0, 3},
                                           {45, 120, 0, 5},  {40, 50, 0, 4},  {20, 30, 0, 2}};
    static const struct {
        uint64_t address;
        uint32_t item;
        uint64_t reach;
    } cases[] = {{9, 0, 0},   {10, 1, 0},    {19, 1, 0},    {20, 3, 0},    {29, 3, 0},
                 {30, 1, 0},  {44, 4, 0},    {46, 5, 0},    {50, 5, 50},   {99, 5, 0},
                 {100, 6, 0}, {110, 5, 110}, {119, 5, 110}, {120, 0, 120}, {UINT64_MAX, 0, 120}};
    struct tp_arena arena;
    struct tp_spans empty = {0};
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    struct tp_vec given = TP_VEC(&arena, struct tp_span);
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        *(struct tp_span *)tp_vec_push(&given) = spans[i];
    struct tp_spans ordered = tp_spans_sort(&given, NULL, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t reach;
        const struct tp_span *found = tp_spans_find(ordered, cases[i].address, &reach);
        assert_int_equal(found ? found->item : 0, cases[i].item);
        if (!found)
            assert_int_equal(reach, cases[i].reach);
    }
    assert_null(tp_spans_find(empty, 10, NULL));
    tp_arena_release(&arena);
}

/* Compares each result with a search through all spans. The last span that contains the address is the result. */
static void random_spans_equal_a_linear_search(void **state)
{
    uint64_t drawn = 88172645463325252u;
    (void)state;
    for (int round = 0; round < 200; round++) {
        struct tp_arena arena;
        tp_arena_init(&arena, 0);
        if (setjmp(arena.guard))
            fail();
        struct tp_vec given = TP_VEC(&arena, struct tp_span);
        for (uint32_t i = 0; i < 40; i++) {
            drawn ^= drawn << 13, drawn ^= drawn >> 7, drawn ^= drawn << 17;
            uint64_t start = drawn % 64, size = 1 + (drawn >> 20) % 16;
            *(struct tp_span *)tp_vec_push(&given) = (struct tp_span){start, start + size, 0, i};
        }
        struct tp_spans spans = tp_spans_sort(&given, NULL, NULL);
        for (uint64_t address = 0; address < 90; address++) {
            const struct tp_span *last = NULL;
            for (size_t i = 0; i < spans.count; i++)
                if (spans.items[i].start <= address && address < spans.items[i].end)
                    last = &spans.items[i];
            assert_ptr_equal(tp_spans_find(spans, address, NULL), last);
        }
        tp_arena_release(&arena);
    }
}

static int refuse_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **path, Elf **elf)
{
    (void)module, (void)data, (void)name, (void)base, (void)path, (void)elf;
    return -1;
}

// NOLINTNEXTLINE(readability-function-size): libdw defines the parameters of this callback
static int refuse_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                             const char *link, GElf_Word crc, char **path)
{
    (void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)path;
    return -1;
}

typedef const char *(*search)(Dwfl_Module *, GElf_Addr, GElf_Off *, GElf_Sym *, GElf_Word *, Elf **, Dwarf_Addr *);

/* Checks the first, middle and last byte of each function, and the gaps between functions. Libdw must find the same
 * functions. */
static uint32_t compare_with_libdw(const struct tp_symbol_table *table, Dwfl_Module *module, search by_libdw)
{
    uint32_t same = 0;
    for (size_t i = 0; i < table->functions.count; i += 1 + table->functions.count / 300)
        for (int part = 0; part < 4; part++) {
            uint64_t start = table->functions.items[i].start, size = table->functions.items[i].end - start;
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

static void real_files_have_the_names_of_libdw(void **state)
{
    static Dwfl_Callbacks callbacks = {.find_elf = refuse_file, .find_debuginfo = refuse_debug_file};
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
            compared += compare_with_libdw(&table, module, by_libdw);
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
        cmocka_unit_test(last_span_with_the_address_is_found),
        cmocka_unit_test(random_spans_equal_a_linear_search),
        cmocka_unit_test(real_files_have_the_names_of_libdw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
