/* Filters calls of operators. See operator_filter.h. */
#include "webreport/measure/torch_tables/operator_filter.h"

#include <string.h>

#include "webreport/trace/json/value.h"

enum { MAX_PATTERN = 256 };

/* Names of types that people use, and their spellings in torch's traces. */
static const struct {
    const char *name, *spellings[2];
} dtypes[] = {
    {"float32", {"float", "Float"}},
    {"float64", {"double", "Double"}},
    {"float16", {"c10::Half", "Half"}},
    {"bfloat16", {"c10::BFloat16", "BFloat16"}},
    {"float8_e4m3fn", {"c10::Float8_e4m3fn", "Float8_e4m3fn"}},
    {"float8_e5m2", {"c10::Float8_e5m2", "Float8_e5m2"}},
    {"int8", {"signed char", "Char"}},
    {"uint8", {"unsigned char", "Byte"}},
    {"int16", {"short", "short int"}},
    {"int32", {"int", "Int"}},
    {"int64", {"long", "long int"}},
    {"bool", {"bool", "Bool"}},
    {"complex64", {"c10::complex<float>", "ComplexFloat"}},
    {"complex128", {"c10::complex<double>", "ComplexDouble"}},
};

const char *tp_operator_pattern_error(const char *pattern)
{
    regex_t compiled;
    if (strlen(pattern) > MAX_PATTERN)
        return "longer than 256 bytes";
    for (const char *at = pattern; *at; at++) {
        if (*at == '{' || (*at == '\\' && at[1] >= '1' && at[1] <= '9'))
            return "bounds ({..}) and back-references are not supported";
        at += *at == '\\' && at[1];
    }
    if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return "no extended regular expression";
    regfree(&compiled);
    return NULL;
}

static bool matches_types(const struct tp_operator_filter *filter, struct tp_str name)
{
    for (size_t i = 0; i < filter->type_count; i++) {
        struct tp_str type = tp_str_of(filter->types[i]), last = name;
        ptrdiff_t colons = tp_str_find(name, "::");
        if (colons >= 0)
            last = (struct tp_str){name.ptr + colons + 2, name.len - (size_t)colons - 2};
        if (tp_str_equal(name, type) || tp_str_equal(last, type))
            return true;
    }
    return filter->type_count == 0;
}

bool tp_operator_filter_accepts_name(const struct tp_operator_filter *filter, const regex_t *compiled,
                                     struct tp_str name)
{
    /* rm_eo gives the end of the name explicitly, because a name can contain NUL */
    regmatch_t part = {.rm_so = 0, .rm_eo = (regoff_t)name.len};
    if (!matches_types(filter, name))
        return false;
    return !compiled || regexec(compiled, name.ptr, 1, &part, REG_STARTEND) == 0;
}

/* Returns whether an item of "Input type" is the wanted type. The item includes its quotes. */
static bool matches_dtype(struct tp_str item, struct tp_str wanted)
{
    if (item.len < 2 || item.ptr[0] != '"')
        return false;
    struct tp_str spelling = {item.ptr + 1, item.len - 2};
    if (tp_str_equal(spelling, wanted))
        return true;
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (tp_str_equal(wanted, tp_str_of(dtypes[i].name)))
            return tp_str_equal(spelling, tp_str_of(dtypes[i].spellings[0])) ||
                   tp_str_equal(spelling, tp_str_of(dtypes[i].spellings[1]));
    return false;
}

bool tp_operator_filter_accepts_inputs(const struct tp_operator_filter *filter, struct tp_str types)
{
    struct tp_str item;
    if (!filter->input_dtype)
        return true;
    for (size_t at = 0; tp_value_next(types, &at, NULL, &item);)
        if (matches_dtype(item, tp_str_of(filter->input_dtype)))
            return true;
    return false;
}
