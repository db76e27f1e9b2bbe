/* Counts operators with impossible arguments: see conflicts_parts.h. A wrong digit in a shape results in matrices that
 * cannot be multiplied. A wrong letter in a type results in an unknown type. */
#include "webreport/model/conflicts_parts.h"
#include "webreport/model/operator_shapes.h"
#include "webreport/trace/json/value.h"

/* ---- products of matrices ---- */

/* Operators that multiply two matrices. first: index of the left matrix in the operator's inputs; the right matrix
 * follows. */
static const struct {
    const char *name;
    unsigned first;
} products[] = {{"aten::mm", 0}, {"aten::bmm", 0}, {"aten::addmm", 1}, {"aten::baddbmm", 1}};
enum { PRODUCTS = sizeof products / sizeof *products };

/* Returns true if two matrices cannot be multiplied: the first has another number of columns than the second has rows,
 * or the batch sizes differ. first: index of the first matrix in `dims`. */
static bool are_matrix_sizes_incompatible(struct tp_str dims, unsigned first)
{
    struct tp_shape x = tp_shape_input(dims, first), y = tp_shape_input(dims, first + 1);
    if (!x.is_known || !y.is_known || x.rank < 2 || x.rank > 3 || y.rank != x.rank)
        return false;
    return x.sizes[x.rank - 1] != y.sizes[y.rank - 2] || (x.rank == 3 && x.sizes[0] != y.sizes[0]);
}

static uint64_t count_shape_mismatches(const struct tp_trace *trace)
{
    uint32_t names[PRODUCTS];
    uint64_t misfits = 0, count = 0;
    bool has_some = false;
    for (unsigned k = 0; k < PRODUCTS; k++) {
        names[k] = tp_strings_find(&trace->names, tp_str_of(products[k].name));
        has_some |= names[k] != TP_NO_ID;
    }
    for (uint32_t i = 0; has_some && i < trace->event_count; i++) {
        const struct tp_event *e = &trace->events[i];
        if (e->kind != TP_KIND_OPERATOR || trace->hosts[e->detail].dims == TP_NO_ID)
            continue;
        for (unsigned k = 0; k < PRODUCTS; k++) {
            if (e->name != names[k])
                continue;
            misfits += are_matrix_sizes_incompatible(tp_strings_get(&trace->values, trace->hosts[e->detail].dims),
                                                     products[k].first);
            count++;
        }
    }
    return tp_conflicts_count_if_few(misfits, count);
}

/* ---- element types ---- */

static const char *const types[] = {"float",
                                    "double",
                                    "int",
                                    "long int",
                                    "long",
                                    "unsigned char",
                                    "signed char",
                                    "short",
                                    "short int",
                                    "bool",
                                    "unsigned int",
                                    "unsigned long",
                                    "c10::Half",
                                    "c10::BFloat16",
                                    "c10::complex<float>",
                                    "c10::complex<double>",
                                    "Scalar",
                                    "ScalarList",
                                    "TensorList",
                                    "GenericList",
                                    "Bool",
                                    "Int",
                                    "Double"};
enum { TYPES = sizeof types / sizeof *types };

/* Returns true if the word is not the name of a type, but differs in exactly one letter from such a name. Correct type
 * names differ from each other in digits, or in several letters. */
static bool is_misspelled_type(struct tp_str word)
{
    enum { CASE = 32 }; /* bit for lower case; ignored, because "Bool" and "bool" are both types */
    bool is_found = false;
    for (unsigned k = 0; k < TYPES; k++) {
        unsigned wrong = 0;
        if (word.len != strlen(types[k]))
            continue;
        for (size_t i = 0; i < word.len; i++)
            wrong += (word.ptr[i] | CASE) != (types[k][i] | CASE) && !tp_is_digit(word.ptr[i]);
        if (tp_str_equal(word, tp_str_of(types[k])))
            return false;
        is_found |= wrong == 1;
    }
    return is_found && word.len > 3;
}

static bool has_misspelled_type(struct tp_str json)
{
    struct tp_str item;
    for (size_t at = 0; tp_value_starts_with(json, '[') && tp_value_next(json, &at, NULL, &item);)
        if (item.len > 2 && item.ptr[0] == '"' && is_misspelled_type((struct tp_str){item.ptr + 1, item.len - 2}))
            return true;
    return false;
}

/* Counts distinct lists of types that have a misspelled type. */
static uint64_t count_misspelled_types(const struct tp_trace *trace, struct tp_arena *arena)
{
    bool *is_seen = tp_arena_array(arena, trace->values.count + 1u, sizeof *is_seen);
    uint64_t count = 0;
    for (uint32_t i = 0; i < trace->host_count; i++) {
        uint32_t id = trace->hosts[i].types;
        if (id == TP_NO_ID || is_seen[id])
            continue;
        is_seen[id] = true;
        count += has_misspelled_type(tp_strings_get(&trace->values, id));
    }
    tp_arena_free_item(arena, is_seen, (trace->values.count + 1u) * sizeof *is_seen);
    return count;
}

uint64_t tp_conflicts_count_shapes(const struct tp_trace *trace, struct tp_arena *arena)
{
    return count_shape_mismatches(trace) + count_misspelled_types(trace, arena);
}
