/* Decodes texts of NVTX and roctx ranges: see range_text.h. */
#include "webreport/trace/inputs/sqlite/range_text.h"

#include <ctype.h>

#include "webreport/trace/regions.h"
#include "writer/base/limits.h"
#include "writer/base/put.h"
#include "writer/base/table.h"

/* Names of annotations that PyTorch makes itself for collectives. */
static const char *const collectives[] = {"nccl:", "gloo:", "mpi:", "xccl:", NULL};

/* Operators of torch.compile whose names have blanks. */
static const char *const compile_operators[] = {"TorchDynamo",   "Torch-Compiled Region", "## Call ", "Pregraph",
                                                "AOTDispatcher", "CompiledFxGraph",       "Inductor", NULL};

/* Words that programs give to their steps. A prefix "train" or "training", and an "s" at the end, may be added. */
static const char *const step_words[] = {
    "step",       "iteration",        "iter",  "batch",    "microbatch", "minibatch", "mini batch",
    "mini_batch", "mini-batch",       "train", "training", "decode",     "prefill",   "generate",
    "epoch",      "forward_backward", NULL};

/* ---- suffixes of emit_nvtx ---- */

/* A text and the position of the next byte to read. */
struct cursor {
    struct tp_str text;
    size_t at;
};

static bool skip(struct cursor *c, const char *word)
{
    size_t size = strlen(word);
    bool is_there = c->text.len - c->at >= size && memcmp(c->text.ptr + c->at, word, size) == 0;
    c->at += is_there ? size : 0;
    return is_there;
}

/* Reads an integer of at most 18 digits. Returns false if none is there. */
static bool read_integer(struct cursor *c, int64_t *number)
{
    enum { MOST_DIGITS = 18 };
    int64_t value = 0;
    bool is_negative = skip(c, "-");
    size_t first = c->at;
    for (; c->at < c->text.len && tp_is_digit(c->text.ptr[c->at]) && c->at - first < MOST_DIGITS; c->at++)
        value = value * 10 + (c->text.ptr[c->at] - '0');
    *number = is_negative ? -value : value;
    return c->at > first;
}

/* Reads the sizes and the ids of the inputs, which end the text. Returns false if the text does not end in a list. */
static bool read_lists(struct cursor *c, struct tp_range_text *out)
{
    static const char inputs[] = "], input_op_ids = [";
    bool has_sizes = skip(c, ", sizes = ");
    if (!has_sizes && c->at == c->text.len)
        return true;
    if (c->text.ptr[c->text.len - 1] != ']')
        return false;
    if (!has_sizes)
        return skip(c, ", input_op_ids = [");
    if (c->at == c->text.len || c->text.ptr[c->at] != '[')
        return false;
    struct tp_str rest = {c->text.ptr + c->at, c->text.len - c->at};
    ptrdiff_t end = tp_str_find(rest, inputs);
    out->dims = (struct tp_str){rest.ptr, end < 0 ? rest.len : (size_t)end + 1};
    return true;
}

/* Reads all suffixes from position `at` to the end of the text. Returns false if the rest is something else. */
static bool read_suffixes(struct tp_str text, size_t at, struct tp_range_text *out)
{
    struct cursor c = {text, at};
    if (skip(&c, ", seq = ") && !read_integer(&c, &out->sequence))
        return false;
    if (skip(&c, ", op_id = ") && (!read_integer(&c, &out->external_id) || out->external_id < 0))
        return false;
    return read_lists(&c, out);
}

/* Finds the suffixes at the end of a text. Returns false if it has none. */
static bool split_suffixes(struct tp_str text, struct tp_range_text *out)
{
    const char *at = text.ptr, *end = text.ptr + text.len;
    if (text.len > TP_MAX_NAME_BYTES || !text.len)
        return false;
    for (; (at = memchr(at, ',', (size_t)(end - at))) != NULL; at++) {
        struct tp_range_text found = {true, {text.ptr, (size_t)(at - text.ptr)}, TP_NULL_INT, TP_NULL_INT, {NULL, 0}};
        if (end - at > 2 && strchr("soi", at[2]) && read_suffixes(text, (size_t)(at - text.ptr), &found)) {
            found.sequence = found.sequence < 0 ? TP_NULL_INT : found.sequence;
            *out = found;
            return true;
        }
    }
    return false;
}

/* ---- operators and other ranges ---- */

/* Returns true for a name like "aten::mm": words joined by "::", without blanks in the first. */
static bool has_namespace(struct tp_str name)
{
    size_t at = 0;
    while (at < name.len && (tp_is_word_character(name.ptr[at]) || (at && name.ptr[at] == '.')))
        at++;
    bool is_name =
        at && !tp_is_digit(name.ptr[0]) && at + 2 < name.len && name.ptr[at] == ':' && name.ptr[at + 1] == ':';
    return is_name && (isalpha((unsigned char)name.ptr[at + 2]) || name.ptr[at + 2] == '_');
}

bool tp_range_text_are_dims_valid(struct tp_str dims)
{
    return tp_put_is_json(dims, TP_MAX_DEPTH);
}

static bool has_blank_or_number_sign(struct tp_str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] == '#' || isspace((unsigned char)name.ptr[i]))
            return true;
    return false;
}

static bool is_own_annotation_of_torch(struct tp_str name)
{
    const unsigned regions = TP_REGION_PROFILER_STEP | TP_REGION_OPTIMIZER_STEP | TP_REGION_ZERO_GRAD;
    if (tp_str_starts(name, "aten::")) /* spares most operators the comparisons */
        return false;
    return tp_regions_by_name(name) & regions || tp_str_starts_with_one_of(name, collectives);
}

/* Returns true if a name with suffixes is that of a record_function of the program. */
static bool is_record_function(const struct tp_range_text *text)
{
    int64_t number;
    if (tp_str_find(text->name, "::") >= 0 || text->sequence != TP_NULL_INT ||
        tp_str_starts_with_one_of(text->name, compile_operators))
        return false;
    if (text->dims.ptr && tp_range_text_are_dims_valid(text->dims))
        return false;
    return has_blank_or_number_sign(text->name) || tp_range_text_is_step_word(tp_range_text_split(text->name, &number));
}

struct tp_range_text tp_range_text_decode(struct tp_str text)
{
    struct tp_range_text out = {false, text, TP_NULL_INT, TP_NULL_INT, {NULL, 0}};
    if (!split_suffixes(text, &out))
        out.is_operator = has_namespace(text);
    out.is_operator = out.is_operator && !is_own_annotation_of_torch(out.name) && !is_record_function(&out);
    return out;
}

/* ---- names of steps ---- */

struct tp_str tp_range_text_split(struct tp_str name, int64_t *number)
{
    enum { MOST_DIGITS = 11 };
    size_t end = name.len, first;
    *number = TP_NULL_INT;
    end -= end && strchr("])", name.ptr[end - 1]) ? 1 : 0;
    for (first = end; first && tp_is_digit(name.ptr[first - 1]);)
        first--;
    if (first == end || end - first > MOST_DIGITS)
        return name;
    struct cursor digits = {{name.ptr, end}, first};
    read_integer(&digits, number);
    while (first && (isspace((unsigned char)name.ptr[first - 1]) || strchr("_#:=-[(", name.ptr[first - 1])))
        first--;
    struct tp_str text = tp_str_trim((struct tp_str){name.ptr, first});
    return text.len ? text : TP_STR("#");
}

/* Returns true if the text is `word`, without regard to the case of letters. */
static bool is_word(struct tp_str text, const char *word)
{
    return text.len == strlen(word) && tp_str_find_ignore_case(text, word) == 0;
}

bool tp_range_text_is_step_word(struct tp_str name)
{
    static const char *const prefixes[] = {"", "train", "training"};
    for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++) {
        size_t size = strlen(prefixes[p]);
        if (name.len < size || !is_word((struct tp_str){name.ptr, size}, prefixes[p]))
            continue;
        struct tp_str rest = {name.ptr + size, name.len - size};
        size_t mark = size && rest.len && strchr(" _-", *rest.ptr) ? 1 : 0;
        rest = (struct tp_str){rest.ptr + mark, rest.len - mark};
        struct tp_str singular = {rest.ptr, rest.len - (rest.len && (rest.ptr[rest.len - 1] | 0x20) == 's')};
        for (const char *const *word = step_words; *word; word++)
            if (is_word(rest, *word) || is_word(singular, *word))
                return true;
    }
    return false;
}

bool tp_range_text_is_nccl_call(struct tp_str name)
{
    return tp_str_starts(name, "nccl") && name.len > 4 && isupper((unsigned char)name.ptr[4]);
}
