/* Functions by address: see symbol_table.h. */
#include "writer/spool/symbol_table.h"

#include "writer/base/sort.h"

enum { MAX_SECTION = (1 << 24) - 1 };

static bool is_code(const GElf_Sym *symbol, const char *name, GElf_Word section)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    return name && *name && section != SHN_UNDEF && section != SHN_ABS &&
           (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

static uint32_t strength_of(const GElf_Sym *symbol)
{
    switch (GELF_ST_BIND(symbol->st_info)) {
    case STB_GLOBAL:
        return 3;
    case STB_WEAK:
        return 2;
    case STB_LOCAL:
        return 1;
    default:
        return 0;
    }
}

/* What is to be found first of two that begin at one address comes last: see symbol_table.h. */
static int by_start(const void *left, const void *right, const void *context)
{
    const struct tp_function_symbol *x = left, *y = right;
    (void)context;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end) /* one without a size has the lowest end, and is asked last */
        return x->end == x->start ? -1 : y->end == y->start || x->end < y->end ? 1 : -1;
    if (x->binding != y->binding)
        return x->binding < y->binding ? -1 : 1;
    return x->number > y->number ? -1 : x->number < y->number;
}

void tp_symbol_table_read(struct tp_symbol_table *table, Dwfl_Module *file, struct tp_arena *arena)
{
    const struct tp_libdw *dw = tp_libdw();
    int count = dw ? dw->dwfl_module_getsymtab(file) : 0;
    struct tp_vec symbols = TP_VEC(arena, struct tp_function_symbol);
    *table = (struct tp_symbol_table){.file = file};
    for (int i = 1; i < count; i++) { /* the first says nothing */
        GElf_Sym symbol;
        GElf_Addr address;
        GElf_Word section = SHN_UNDEF;
        const char *name = dw->dwfl_module_getsym_info(file, i, &symbol, &address, &section, NULL, NULL);
        if (!is_code(&symbol, name, section))
            continue;
        *(struct tp_function_symbol *)tp_vec_push(&symbols) = (struct tp_function_symbol){
            .start = address,
            .end = symbol.st_size < UINT64_MAX - address ? address + symbol.st_size : UINT64_MAX,
            .number = (uint32_t)i,
            .section = section < MAX_SECTION ? section : MAX_SECTION,
            .binding = strength_of(&symbol)};
    }
    tp_merge_sort(arena, symbols.data, symbols.count, sizeof(struct tp_function_symbol), by_start, NULL);
    struct tp_function_symbol *sorted = symbols.data;
    for (uint32_t i = 0; i < symbols.count; i++) {
        uint32_t before = i;
        while (before && sorted[before - 1].end <= sorted[i].end)
            before = sorted[before - 1].beyond;
        sorted[i].beyond = before;
    }
    table->symbols = sorted;
    table->count = symbols.count;
}

/* Symbols that begin at an address or before it. */
static size_t begun_at(const struct tp_symbol_table *table, uint64_t address)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->symbols[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_in_section(const struct tp_symbol_table *table, uint64_t address, uint32_t number)
{
    const struct tp_libdw *dw = tp_libdw();
    Dwarf_Addr place = address, bias;
    Elf_Scn *section = dw->dwfl_module_address_section(table->file, &place, &bias);
    return section && dw->elf_ndxscn(section) == number;
}

const struct tp_function_symbol *tp_symbol_table_find(const struct tp_symbol_table *table, uint64_t address)
{
    const struct tp_function_symbol *symbols = table->symbols;
    size_t begun = begun_at(table, address), last = begun;
    uint64_t reach = 0;
    for (; last && symbols[last - 1].end <= address; last = symbols[last - 1].beyond)
        reach = symbols[last - 1].end;
    if (last)
        return &symbols[last - 1];
    for (last = begun; last && symbols[last - 1].end != symbols[last - 1].start; last--)
        if (symbols[last - 1].start < reach)
            return NULL; /* labels before it begin below the end of a function */
    return last && symbols[last - 1].start >= reach && is_in_section(table, address, symbols[last - 1].section)
               ? &symbols[last - 1]
               : NULL;
}

const char *tp_symbol_table_name(const struct tp_symbol_table *table, const struct tp_function_symbol *symbol)
{
    GElf_Sym unused;
    GElf_Addr address;
    const char *name =
        tp_libdw()->dwfl_module_getsym_info(table->file, (int)symbol->number, &unused, &address, NULL, NULL, NULL);
    return name && *name ? name : NULL;
}
