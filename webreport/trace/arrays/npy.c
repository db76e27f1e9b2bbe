/* Reads the headers and elements of .npy files: see npy.h. The format is defined in numpy/lib/format.py. */
#include "webreport/trace/arrays/npy.h"

#include <math.h>
#include <string.h>

#include "writer/base/str.h"

/* ---- types of elements ---- */

static double bits_to_half(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double magnitude = exponent == 0    ? fraction * 0x1p-24
                       : exponent == 31 ? (fraction ? NAN : INFINITY)
                                        : ldexp(fraction + 1024, exponent - 25);
    return bits >> 15 ? -magnitude : magnitude;
}

static double bits_to_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static double bits_to_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#define SWAP_8(x) (x)
#define READER(name, bits, number)                                                                                     \
    static void name(const char *from, size_t count, bool is_swapped, double *to)                                      \
    {                                                                                                                  \
        for (size_t i = 0; i < count; i++) {                                                                           \
            uint##bits##_t x;                                                                                          \
            memcpy(&x, from + i * sizeof x, sizeof x);                                                                 \
            x = is_swapped ? SWAP_##bits(x) : x;                                                                       \
            to[i] = (number);                                                                                          \
        }                                                                                                              \
    }
#define SWAP_16 __builtin_bswap16
#define SWAP_32 __builtin_bswap32
#define SWAP_64 __builtin_bswap64
READER(read_float16, 16, bits_to_half(x))
READER(read_bfloat16, 16, bits_to_float((uint32_t)x << 16))
READER(read_float32, 32, bits_to_float(x))
READER(read_float64, 64, bits_to_double(x))
READER(read_int8, 8, (int8_t)x)
READER(read_int16, 16, (int16_t)x)
READER(read_int32, 32, (int32_t)x)
READER(read_int64, 64, (double)(int64_t)x)
READER(read_uint8, 8, x)
READER(read_uint16, 16, x)
READER(read_uint32, 32, x)
READER(read_uint64, 64, (double)x)
READER(read_bool, 8, x != 0)

static const struct {
    const char *name, *descr; /* name of the type; text of the type in a file header, without byte order */
    size_t size;
    void (*read)(const char *from, size_t count, bool is_swapped, double *to);
} types[TP_NPY_TYPE_COUNT] = {
    [TP_NPY_NONE] = {"", "", 0, NULL},
    [TP_NPY_FLOAT16] = {"float16", "f2", 2, read_float16},
    [TP_NPY_BFLOAT16] = {"bfloat16", "", 2, read_bfloat16},
    [TP_NPY_FLOAT32] = {"float32", "f4", 4, read_float32},
    [TP_NPY_FLOAT64] = {"float64", "f8", 8, read_float64},
    [TP_NPY_INT8] = {"int8", "i1", 1, read_int8},
    [TP_NPY_INT16] = {"int16", "i2", 2, read_int16},
    [TP_NPY_INT32] = {"int32", "i4", 4, read_int32},
    [TP_NPY_INT64] = {"int64", "i8", 8, read_int64},
    [TP_NPY_UINT8] = {"uint8", "u1", 1, read_uint8},
    [TP_NPY_UINT16] = {"uint16", "u2", 2, read_uint16},
    [TP_NPY_UINT32] = {"uint32", "u4", 4, read_uint32},
    [TP_NPY_UINT64] = {"uint64", "u8", 8, read_uint64},
    [TP_NPY_BOOL] = {"bool", "b1", 1, read_bool},
};

const char *tp_npy_type_name(enum tp_npy_type type)
{
    return types[type].name;
}

enum tp_npy_type tp_npy_type_by_name(struct tp_str name)
{
    for (unsigned i = TP_NPY_NONE + 1; i < TP_NPY_TYPE_COUNT; i++)
        if (tp_str_equal(name, tp_str_of(types[i].name)))
            return (enum tp_npy_type)i;
    return TP_NPY_NONE;
}

size_t tp_npy_type_size(enum tp_npy_type type)
{
    return types[type].size;
}

bool tp_npy_type_is_wide(enum tp_npy_type type)
{
    return type == TP_NPY_INT64 || type == TP_NPY_UINT64;
}

void tp_npy_decode(const struct tp_npy *npy, const void *from, size_t count, double *values, uint64_t *wide)
{
    bool is_swapped = npy->is_big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    types[npy->type].read(from, count, is_swapped, values);
    if (!wide || !tp_npy_type_is_wide(npy->type))
        return;
    memcpy(wide, from, count * sizeof *wide);
    for (size_t i = 0; i < count && is_swapped; i++)
        wide[i] = __builtin_bswap64(wide[i]);
}

/* ---- header of a file: a Python dict with three members; programs spell the dict differently ---- */

struct text {
    const char *at, *end;
};

static void skip_blanks(struct text *t)
{
    while (t->at < t->end && (*t->at == ' ' || *t->at == '\n' || *t->at == '\t' || *t->at == '\r'))
        t->at++;
}

static bool skip_if_char(struct text *t, char c)
{
    skip_blanks(t);
    if (t->at == t->end || *t->at != c)
        return false;
    t->at++;
    return true;
}

static bool skip_if_word(struct text *t, const char *word)
{
    size_t size = strlen(word);
    skip_blanks(t);
    if ((size_t)(t->end - t->at) < size || memcmp(t->at, word, size) != 0)
        return false;
    t->at += size;
    return true;
}

static bool parse_quoted_text(struct text *t, struct tp_str *out)
{
    char quote = skip_if_char(t, '\'') ? '\'' : skip_if_char(t, '"') ? '"' : '\0';
    const char *close = quote ? memchr(t->at, quote, (size_t)(t->end - t->at)) : NULL;
    if (!close)
        return false;
    *out = (struct tp_str){t->at, (size_t)(close - t->at)};
    t->at = close + 1;
    return true;
}

static bool parse_number(struct text *t, int64_t *out)
{
    const char *start;
    skip_blanks(t);
    *out = 0;
    for (start = t->at; t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++)
        if (__builtin_mul_overflow(*out, 10, out) || __builtin_add_overflow(*out, *t->at - '0', out))
            return false;
    if (t->at == start)
        return false;
    skip_if_char(t, 'L'); /* Python 2 writes an L after a long integer */
    return true;
}

static bool parse_shape(struct text *t, struct tp_npy *npy)
{
    npy->rank = 0;
    if (!skip_if_char(t, '('))
        return false;
    while (!skip_if_char(t, ')')) {
        if (npy->rank == TP_NPY_MAX_DIMS || !parse_number(t, &npy->dims[npy->rank]))
            return false;
        npy->rank++;
        if (!skip_if_char(t, ',') && (t->at == t->end || *t->at != ')'))
            return false;
    }
    return true;
}

/* Skips a list of fields up to and including its closing bracket. */
static bool skip_list(struct text *t)
{
    unsigned depth = 0;
    for (struct tp_str ignored; t->at < t->end;) {
        if (*t->at == '\'' || *t->at == '"') {
            if (!parse_quoted_text(t, &ignored))
                return false;
            continue;
        }
        char c = *t->at++;
        depth += c == '[' || c == '(';
        depth -= c == ']' || c == ')';
        if (depth == 0)
            return true;
    }
    return false;
}

static void set_type_by_description(struct tp_npy *npy, struct tp_str descr)
{
    struct tp_str kind = descr;
    char order = '=';
    for (size_t i = 0; i < descr.len && i + 1 < sizeof npy->descr; i++)
        npy->descr[i] = descr.ptr[i] > ' ' && descr.ptr[i] < 127 ? descr.ptr[i] : '?';
    if (kind.len && memchr("<>|=", kind.ptr[0], 4)) {
        order = kind.ptr[0];
        kind = (struct tp_str){kind.ptr + 1, kind.len - 1};
    }
    npy->is_big_endian = order == '>' || (order == '=' && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    for (enum tp_npy_type i = TP_NPY_NONE + 1; i < TP_NPY_TYPE_COUNT; i++)
        if (kind.len && tp_str_equal(kind, tp_str_of(types[i].descr)))
            npy->type = i;
    if (tp_str_equal(kind, TP_STR("V2"))) /* text that NumPy writes for the bfloat16 type of ml_dtypes */
        npy->type = TP_NPY_BFLOAT16;
}

enum { HAS_DESCR = 1, HAS_ORDER = 2, HAS_SHAPE = 4, HAS_ALL = 7 };

static bool parse_header_member(struct text *t, struct tp_npy *npy, unsigned *has)
{
    struct tp_str key, descr;
    if (!parse_quoted_text(t, &key) || !skip_if_char(t, ':'))
        return false;
    skip_blanks(t);
    if (tp_str_equal(key, TP_STR("shape"))) {
        *has |= HAS_SHAPE;
        return parse_shape(t, npy);
    }
    if (tp_str_equal(key, TP_STR("fortran_order"))) {
        npy->is_fortran = skip_if_word(t, "True");
        *has |= HAS_ORDER;
        return npy->is_fortran || skip_if_word(t, "False");
    }
    if (!tp_str_equal(key, TP_STR("descr")))
        return false;
    *has |= HAS_DESCR;
    if (t->at < t->end && *t->at == '[') {
        memcpy(npy->descr, "fields", sizeof "fields");
        return skip_list(t);
    }
    if (!parse_quoted_text(t, &descr))
        return false;
    set_type_by_description(npy, descr);
    return true;
}

static bool parse_dict(struct text *t, struct tp_npy *npy)
{
    unsigned has = 0;
    if (!skip_if_char(t, '{'))
        return false;
    while (!skip_if_char(t, '}')) {
        if (!parse_header_member(t, npy, &has))
            return false;
        if (!skip_if_char(t, ',') && (t->at == t->end || *t->at != '}'))
            return false;
    }
    return has == HAS_ALL;
}

/* Sets npy->count to the number of elements. Returns false if the elements have more bytes than a file can have. */
static bool count_elements(struct tp_npy *npy)
{
    size_t size = types[npy->type].size ? types[npy->type].size : 1;
    uint64_t count = 1;
    bool is_empty = false;
    for (uint32_t i = 0; i < npy->rank; i++)
        is_empty |= npy->dims[i] == 0;
    for (uint32_t i = 0; i < npy->rank && !is_empty; i++)
        if (__builtin_mul_overflow(count, (uint64_t)npy->dims[i], &count) || count > INT64_MAX / size)
            return false;
    npy->count = is_empty ? 0 : count;
    return true;
}

int tp_npy_parse(struct tp_npy *npy, const void *bytes, size_t size, struct tp_error *err)
{
    const unsigned char *head = bytes;
    memset(npy, 0, sizeof *npy);
    if (size < 10 || memcmp(head, "\x93NUMPY", 6) != 0)
        return tp_error_set(err, TP_EFORMAT, 0, "no .npy file");
    bool is_long = head[6] > 1;
    if (head[6] < 1 || head[6] > 3)
        return tp_error_set(err, TP_EUNSUPPORTED, 6, ".npy version %u", head[6]);
    size_t fixed = is_long ? 12 : 10, length = head[8] | (size_t)head[9] << 8;
    if (is_long && size >= 12)
        length |= (size_t)head[10] << 16 | (size_t)head[11] << 24;
    if (length > TP_NPY_HEAD_BYTES - fixed)
        return tp_error_set(err, TP_ELIMIT, 8, "the header of the .npy file has more than %d bytes", TP_NPY_HEAD_BYTES);
    if (size < fixed + length)
        return tp_error_set(err, TP_ETRUNCATED, size, "the file ends within its header");
    struct text text = {(const char *)head + fixed, (const char *)head + fixed + length};
    npy->data_offset = fixed + length;
    if (!parse_dict(&text, npy))
        return tp_error_set(err, TP_EFORMAT, fixed, "the header of the .npy file is invalid");
    if (!count_elements(npy))
        return tp_error_set(err, TP_ELIMIT, fixed, "the array has more elements than a file can hold");
    if (npy->type == TP_NPY_NONE)
        return tp_error_set(err, TP_EUNSUPPORTED, fixed, "elements of type %s are not compared", npy->descr);
    return TP_OK;
}
