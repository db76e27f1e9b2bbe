/* Names kinds of data that inputs cannot show: see input_facts.h. */
#include "webreport/trace/input_facts.h"

#include <stddef.h>

#define CANNOT "the input cannot show "

/* One row for each bit of enum tp_unknown, in the order of the bits. The end of `sentence` is the text of the data.
 * `words`: other names of the same data in files, separated by commas. */
static const struct {
    const char *name, *sentence, *words;
} rows[] = {
    {"kernels", CANNOT "kernels", ""},
    {"graph_kernels", CANNOT "kernels of CUDA graphs", ""},
    {"copies", CANNOT "copies", ""},
    {"copy_direction", CANNOT "directions of copies", "direction of copies"},
    {"copy_memory_kind", CANNOT "memory kinds of copies", "memory kind of copies"},
    {"copy_bytes", CANNOT "bytes of copies", ""},
    {"sets", CANNOT "memory sets", ""},
    {"runtime_calls", CANNOT "calls of the runtime", "runtime calls"},
    {"operators", CANNOT "operators", ""},
    {"shapes", CANNOT "shapes of operators", "input shapes"},
    {"dtypes", CANNOT "data types of operators", "input types"},
    {"stacks", CANNOT "Python stacks", ""},
    {"allocator", CANNOT "records of the memory allocator", "allocator records"},
    {"occupancy", CANNOT "occupancy of kernels", ""},
    {"grid", CANNOT "grids and blocks of kernels", "grid and block"},
    {"device_properties", CANNOT "properties of the device", "device properties,device_name,sm_count"},
    {"ranks", CANNOT "ranks", "ranks (distributedInfo)"},
    {"steps", CANNOT "steps", ""},
    {"forward_links", CANNOT "links between forward and backward operators", ""},
};
_Static_assert(sizeof rows / sizeof *rows == TP_UNKNOWN_KINDS, "each kind of data needs a row");

static const char *const no_kind = "";

static unsigned number_of_bit(enum tp_unknown unknown)
{
    unsigned number = 0;
    while (number < TP_UNKNOWN_KINDS && (unsigned)unknown != 1u << number)
        number++;
    return number;
}

const char *tp_unknown_text(enum tp_unknown unknown)
{
    unsigned number = number_of_bit(unknown);
    return number < TP_UNKNOWN_KINDS ? rows[number].sentence + sizeof CANNOT - 1 : no_kind;
}

const char *tp_unknown_sentence(uint32_t unknown)
{
    unsigned number = 0;
    while (number < TP_UNKNOWN_KINDS && !(unknown >> number & 1))
        number++;
    return number < TP_UNKNOWN_KINDS ? rows[number].sentence : no_kind;
}

const char *tp_unknown_name(enum tp_unknown unknown)
{
    unsigned number = number_of_bit(unknown);
    return number < TP_UNKNOWN_KINDS ? rows[number].name : no_kind;
}

/* Returns whether a list of texts, separated by commas, contains a word. */
static bool is_listed_word(const char *list, struct tp_str word)
{
    struct tp_str rest = tp_str_of(list);
    while (rest.len) {
        ptrdiff_t comma = tp_str_find(rest, ",");
        size_t size = comma < 0 ? rest.len : (size_t)comma;
        if (tp_str_equal((struct tp_str){rest.ptr, size}, word))
            return true;
        size += size < rest.len;
        rest = (struct tp_str){rest.ptr + size, rest.len - size};
    }
    return false;
}

uint32_t tp_unknown_by_word(struct tp_str word)
{
    if (tp_str_equal(word, TP_STR("device activity")))
        return TP_UNKNOWN_KERNELS | TP_UNKNOWN_COPIES | TP_UNKNOWN_SETS;
    for (unsigned i = 0; i < TP_UNKNOWN_KINDS; i++)
        if (tp_str_equal(word, tp_str_of(rows[i].name)) ||
            tp_str_equal(word, tp_str_of(rows[i].sentence + sizeof CANNOT - 1)) || is_listed_word(rows[i].words, word))
            return UINT32_C(1) << i;
    return 0;
}
