/* Finds functions by address: see symbol_table.h. */
#include "writer/spool/symbol_table.h"

enum { MAX_SECTION = (1 << 24) - 1 };

static bool is_code(const GElf_Sym *symbol, const char *name, GElf_Word section)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    return name && *name && section != SHN_UNDEF && section != SHN_ABS &&
           (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE);
}

static uint32_t symbol_strength(const GElf_Sym *symbol)
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

/* Compares the names of one address. A search finds the last of them, so the name with the strongest binding comes
 * last; of several such names, the first in the file comes last. */
static int compare_by_strength(const void *left, const void *right, const void *context)
{
    const struct tp_function_symbol *symbols = context;
    const struct tp_function_symbol *x = &symbols[((const struct tp_span *)left)->item];
    const struct tp_function_symbol *y = &symbols[((const struct tp_span *)right)->item];
    if (x->binding != y->binding)
        return x->binding < y->binding ? -1 : 1;
    return x->number > y->number ? -1 : x->number < y->number;
}

void tp_symbol_table_read(struct tp_symbol_table *table, Dwfl_Module *file, struct tp_arena *arena)
{
    const struct tp_libdw *dw = tp_libdw();
    int count = dw ? dw->dwfl_module_getsymtab(file) : 0;
    struct tp_vec symbols = TP_VEC(arena, struct tp_function_symbol), functions = TP_VEC(arena, struct tp_span),
                  labels = TP_VEC(arena, struct tp_span);
    for (int i = 1; i < count; i++) { /* begins at 1, because the first symbol is always empty */
        GElf_Sym symbol;
        GElf_Addr start;
        GElf_Word section = SHN_UNDEF;
        const char *name = dw->dwfl_module_getsym_info(file, i, &symbol, &start, &section, NULL, NULL);
        if (!is_code(&symbol, name, section))
            continue;
        uint64_t size = symbol.st_size ? symbol.st_size : 1;
        *(struct tp_span *)tp_vec_push(symbol.st_size ? &functions : &labels) =
            (struct tp_span){.start = start,
                             .end = size < UINT64_MAX - start ? start + size : UINT64_MAX,
                             .item = (uint32_t)symbols.count};
        *(struct tp_function_symbol *)tp_vec_push(&symbols) =
            (struct tp_function_symbol){.start = start,
                                        .number = (uint32_t)i,
                                        .section = section < MAX_SECTION ? section : MAX_SECTION,
                                        .binding = symbol_strength(&symbol),
                                        .has_size = symbol.st_size > 0};
    }
    *table = (struct tp_symbol_table){.file = file,
                                      .symbols = symbols.data,
                                      .functions = tp_spans_sort(&functions, compare_by_strength, symbols.data),
                                      .labels = tp_spans_sort(&labels, compare_by_strength, symbols.data)};
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
    uint64_t reach;
    const struct tp_span *function = tp_spans_find(table->functions, address, &reach);
    if (function)
        return &table->symbols[function->item];
    size_t begun = tp_spans_count_begun(table->labels, address);
    const struct tp_function_symbol *label = begun ? &table->symbols[table->labels.items[begun - 1].item] : NULL;
    return label && label->start >= reach && is_in_section(table, address, label->section) ? label : NULL;
}

const char *tp_symbol_table_name(const struct tp_symbol_table *table, const struct tp_function_symbol *symbol)
{
    GElf_Sym unused;
    GElf_Addr address;
    const char *name =
        tp_libdw()->dwfl_module_getsym_info(table->file, (int)symbol->number, &unused, &address, NULL, NULL, NULL);
    return name && *name ? name : NULL;
}
