/* Demangles names of C++ functions: see demangle_cxx.h. The grammar in comments is that of the Itanium C++ ABI, section
 * 5.1. */
#include "writer/text/demangle_cxx.h"

#include "writer/text/cxx_reader.h"

enum { LONGEST = 8192 };

static const struct tp_cxx_node *read_type(struct tp_cxx_reader *r);
static const struct tp_cxx_node *read_name(struct tp_cxx_reader *r, struct tp_cxx_named *named);
static const struct tp_cxx_node *read_encoding(struct tp_cxx_reader *r);
static const struct tp_cxx_node *read_arguments(struct tp_cxx_reader *r, bool tags);
static const struct tp_cxx_node *read_expression(struct tp_cxx_reader *r);

/* ---- names ---- */

/* Reads <source-name> ::= length bytes */
static const struct tp_cxx_node *read_source_name(struct tp_cxx_reader *r)
{
    uint32_t length = tp_cxx_parse_number(tp_cxx_read_digits(r));
    if (r->is_wrong || length == 0 || length > (size_t)(r->end - r->at))
        return tp_cxx_mark_wrong(r);
    struct tp_str text = {r->at, length};
    r->at += length;
    if (text.len >= 10 && memcmp(text.ptr, "_GLOBAL_", 8) == 0 && strchr("_.$", text.ptr[8]) && text.ptr[9] == 'N')
        text = TP_STR("(anonymous namespace)");
    return TP_CXX_PART(r, TP_CXX_TEXT, .text = text);
}

static const struct tp_cxx_node *read_operator(struct tp_cxx_reader *r, struct tp_cxx_named *named)
{
    const char *text = tp_cxx_operator_text(r);
    if (tp_cxx_skip_prefix(r, "cv")) {
        named->has_no_value = true;
        return TP_CXX_PART(r, TP_CXX_CONVERSION, .left = read_type(r));
    }
    if (!text)
        return tp_cxx_mark_wrong(r);
    r->at += 2;
    char *whole = tp_arena_alloc(r->arena, strlen(text) + 9);
    memcpy(whole, "operator", 8);
    memcpy(whole + 8, text, strlen(text));
    return tp_cxx_new_text_part(r, whole);
}

static bool is_at_end_letter(const struct tp_cxx_reader *r)
{
    return tp_cxx_peek(r) == 'E';
}

static bool is_at_encoding_end(const struct tp_cxx_reader *r)
{
    return r->at >= r->end || *r->at == 'E' || *r->at == '.';
}

/* Reads <type>+ up to the position where `is_end` is true. "v" alone means no types. */
static const struct tp_cxx_node *read_types(struct tp_cxx_reader *r, bool (*is_end)(const struct tp_cxx_reader *r))
{
    struct tp_cxx_list list = {NULL, NULL};
    const char *begin = r->at;
    if (tp_cxx_skip_prefix(r, "v") && is_end(r))
        return tp_cxx_list_end(r, &list);
    r->at = begin;
    while (!r->is_wrong && !is_end(r)) {
        r->is_wrong |= r->at >= r->end;
        tp_cxx_list_add(r, &list, read_type(r));
    }
    return tp_cxx_list_end(r, &list);
}

/* Reads [number] "_". "_" means the first item, "0_" the second. */
static struct tp_str read_ordinal_number(struct tp_cxx_reader *r)
{
    struct tp_str digits = tp_cxx_read_digits(r);
    uint32_t number = digits.len ? tp_cxx_parse_number(digits) + 2 : 1;
    char *text = tp_arena_alloc(r->arena, 12), *at = text + 11;
    r->is_wrong |= digits.len > 6 || !tp_cxx_skip_prefix(r, "_");
    for (; number; number /= 10)
        *--at = (char)('0' + number % 10);
    return (struct tp_str){at, (size_t)(text + 11 - at)};
}

/* Reads <unnamed-type-name> ::= "Ut" [number] "_" | "Ul" type+ "E" [number] "_" */
static const struct tp_cxx_node *read_unnamed_type_name(struct tp_cxx_reader *r)
{
    if (tp_cxx_skip_prefix(r, "Ut")) {
        struct tp_str number = read_ordinal_number(r);
        char *text = tp_arena_alloc(r->arena, number.len + 16);
        memcpy(text, "{unnamed type#", 14);
        memcpy(text + 14, number.ptr, number.len);
        text[14 + number.len] = '}';
        return tp_cxx_new_text_part(r, text);
    }
    if (!tp_cxx_skip_prefix(r, "Ul"))
        return tp_cxx_mark_wrong(r);
    bool was_in_lambda = r->is_in_lambda;
    r->is_in_lambda = true;
    const struct tp_cxx_node *types = read_types(r, is_at_end_letter);
    r->is_in_lambda = was_in_lambda;
    r->is_wrong |= !tp_cxx_skip_prefix(r, "E");
    return TP_CXX_PART(r, TP_CXX_LAMBDA, .right = types, .text = read_ordinal_number(r));
}

/* Reads an <unqualified-name>. Names with ABI tags are not supported. */
static const struct tp_cxx_node *read_unqualified_name(struct tp_cxx_reader *r, struct tp_cxx_named *named)
{
    const struct tp_cxx_node *name;
    tp_cxx_skip_prefix(r, "L"); /* "L" means that the name is local to one file */
    if (tp_is_digit(tp_cxx_peek(r)))
        name = read_source_name(r);
    else if (tp_cxx_peek(r) == 'U')
        name = read_unnamed_type_name(r);
    else
        name = read_operator(r, named);
    return tp_cxx_peek(r) == 'B' ? tp_cxx_mark_wrong(r) : name;
}

/* Reads <template-param> ::= "T" [number] "_" */
static const struct tp_cxx_node *read_parameter(struct tp_cxx_reader *r)
{
    if (!tp_cxx_skip_prefix(r, "T"))
        return tp_cxx_mark_wrong(r);
    struct tp_str digits = tp_cxx_read_digits(r); /* the digits are decimal, unlike in S_ */
    uint32_t number = digits.len ? tp_cxx_parse_number(digits) : 0;
    number += digits.len && number < UINT32_MAX;
    r->is_wrong |= !tp_cxx_skip_prefix(r, "_");
    if (!r->is_wrong && number < r->arguments.count)
        return *TP_AT(&r->arguments, const struct tp_cxx_node *, number);
    if (!r->is_in_lambda || number > 98)
        return tp_cxx_mark_wrong(r);
    char *text = tp_arena_alloc(r->arena, 8);
    memcpy(text, "auto:", 5);
    size_t at = 5;
    if (number + 1 >= 10)
        text[at++] = (char)('0' + (number + 1) / 10);
    text[at] = (char)('0' + (number + 1) % 10);
    return tp_cxx_new_text_part(r, text);
}

/* Reads a <substitution> that refers to an earlier part of the name, but not "St". */
static const struct tp_cxx_node *read_substitution(struct tp_cxx_reader *r)
{
    static const char *const known[][2] = {{"Sa", "allocator"}, {"Sb", "basic_string"}, {"Ss", "string"},
                                           {"Si", "istream"},   {"So", "ostream"},      {"Sd", "iostream"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (tp_cxx_skip_prefix(r, known[i][0]))
            return TP_CXX_PART(r, TP_CXX_NESTED, .left = tp_cxx_new_text_part(r, "std"),
                               .right = tp_cxx_new_text_part(r, known[i][1]));
    if (!tp_cxx_skip_prefix(r, "S"))
        return tp_cxx_mark_wrong(r);
    uint32_t number = tp_cxx_read_base36(r);
    if (r->is_wrong || number >= r->substitution_parts.count)
        return tp_cxx_mark_wrong(r);
    return *TP_AT(&r->substitution_parts, const struct tp_cxx_node *, number);
}

/* Returns the last word of a name, for constructors and destructors. */
static const struct tp_cxx_node *last_name_word(const struct tp_cxx_node *name)
{
    while (name->kind == TP_CXX_NESTED || name->kind == TP_CXX_TEMPLATE)
        name = name->kind == TP_CXX_NESTED ? name->right : name->left;
    return name;
}

/* Reads a component that follows `prefix` in a nested name. */
static const struct tp_cxx_node *read_name_component(struct tp_cxx_reader *r, const struct tp_cxx_node *prefix,
                                                     struct tp_cxx_named *named)
{
    bool is_destructor = tp_cxx_peek(r) == 'D';
    const struct tp_cxx_node *word;
    if (prefix && r->end - r->at >= 2 && (tp_cxx_peek(r) == 'C' || is_destructor) && r->at[1] >= '0' &&
        r->at[1] <= '5') {
        r->at += 2;
        word = last_name_word(prefix);
        named->has_no_value = true;
        if (is_destructor)
            word = TP_CXX_PART(r, TP_CXX_NESTED, .left = prefix,
                               .right = TP_CXX_PART(r, TP_CXX_UNARY, .text = TP_STR("~"), .left = word));
        return is_destructor ? word : TP_CXX_PART(r, TP_CXX_NESTED, .left = prefix, .right = word);
    }
    word = read_unqualified_name(r, named);
    return prefix ? TP_CXX_PART(r, TP_CXX_NESTED, .left = prefix, .right = word) : word;
}

static struct tp_str read_qualifiers(struct tp_cxx_reader *r)
{
    static const char *const texts[] = {
        "",          " const",          " volatile",          " const volatile",
        " restrict", " const restrict", " volatile restrict", " const volatile restrict"};
    unsigned is_restrict = tp_cxx_skip_prefix(r, "r"), is_volatile = tp_cxx_skip_prefix(r, "V"),
             is_const = tp_cxx_skip_prefix(r, "K");
    return tp_str_of(texts[is_const + 2 * is_volatile + 4 * is_restrict]);
}

/* Reads <nested-name> ::= "N" [quals] ["R" | "O"] prefix.. "E" */
static const struct tp_cxx_node *read_nested_name(struct tp_cxx_reader *r, struct tp_cxx_named *named)
{
    const struct tp_cxx_node *name = NULL;
    named->quals = read_qualifiers(r);
    if (tp_cxx_skip_prefix(r, "R"))
        named->quals = named->quals.len ? TP_STR(" const &") : TP_STR(" &");
    else if (tp_cxx_skip_prefix(r, "O"))
        named->quals = named->quals.len ? TP_STR(" const &&") : TP_STR(" &&");
    bool is_new = false;
    while (!r->is_wrong && !tp_cxx_skip_prefix(r, "E")) {
        bool is_arguments = tp_cxx_peek(r) == 'I';
        is_new = true;
        if (!name && tp_cxx_skip_prefix(r, "St")) {
            name = tp_cxx_new_text_part(r, "std");
            continue;
        }
        if (!name && tp_cxx_peek(r) == 'S') {
            name = read_substitution(r);
            is_new = false;
            continue;
        }
        if (!name && tp_cxx_peek(r) == 'T')
            name = read_parameter(r);
        else if (is_arguments && name)
            name = TP_CXX_PART(r, TP_CXX_TEMPLATE, .left = name, .right = read_arguments(r, named->tags));
        else
            name = read_name_component(r, name, named);
        named->is_template = is_arguments;
        tp_cxx_store_for_substitution(r, name);
    }
    if (!name || !is_new || r->is_wrong)
        return tp_cxx_mark_wrong(r);
    r->substitution_parts.count -= r->substitution_parts.count > 0; /* removes the whole name from the stored parts,
                                                                     * because the caller stores it if it is a type */
    return name;
}

/* Reads <local-name> ::= "Z" encoding "E" (entity | "s") [discriminator] */
static const struct tp_cxx_node *read_local_name(struct tp_cxx_reader *r, struct tp_cxx_named *named)
{
    const struct tp_cxx_node *function = read_encoding(r), *entity;
    r->is_wrong |= !tp_cxx_skip_prefix(r, "E");
    if (tp_cxx_skip_prefix(r, "s")) {
        entity = tp_cxx_new_text_part(r, "string literal");
    } else {
        if (tp_cxx_skip_prefix(r, "d")) {
            tp_cxx_read_digits(r);
            r->is_wrong |= !tp_cxx_skip_prefix(r, "_");
        }
        entity = read_name(r, named);
    }
    if (tp_cxx_skip_prefix(r, "__")) {
        tp_cxx_read_digits(r);
        r->is_wrong |= !tp_cxx_skip_prefix(r, "_");
    } else if (tp_cxx_skip_prefix(r, "_")) {
        r->is_wrong |= !tp_is_digit(tp_cxx_peek(r));
        r->at += !r->is_wrong;
    }
    return TP_CXX_PART(r, TP_CXX_LOCAL, .left = function, .right = entity);
}

/* Reads a <name>. */
static const struct tp_cxx_node *read_name(struct tp_cxx_reader *r, struct tp_cxx_named *named)
{
    const struct tp_cxx_node *name;
    if (!tp_cxx_enter_nested_part(r))
        return tp_cxx_mark_wrong(r);
    bool is_known = tp_cxx_peek(r) == 'S' && r->end - r->at >= 2 && r->at[1] != 't';
    if (tp_cxx_skip_prefix(r, "N")) {
        name = read_nested_name(r, named);
    } else if (tp_cxx_skip_prefix(r, "Z")) {
        name = read_local_name(r, named);
    } else {
        if (is_known)
            name = read_substitution(r);
        else if (tp_cxx_skip_prefix(r, "St"))
            name = TP_CXX_PART(r, TP_CXX_NESTED, .left = tp_cxx_new_text_part(r, "std"),
                               .right = read_unqualified_name(r, named));
        else
            name = read_unqualified_name(r, named);
        r->is_wrong |= is_known && tp_cxx_peek(r) != 'I';
        if (tp_cxx_peek(r) == 'I') {
            if (!is_known)
                tp_cxx_store_for_substitution(r, name);
            name = TP_CXX_PART(r, TP_CXX_TEMPLATE, .left = name, .right = read_arguments(r, named->tags));
            named->is_template = true;
        }
    }
    r->depth--;
    return name;
}

/* Reads <encoding> ::= name [return type] type.. */
static const struct tp_cxx_node *read_encoding(struct tp_cxx_reader *r)
{
    struct tp_cxx_named named = {.tags = true, .quals = {"", 0}};
    struct tp_vec before = r->arguments;
    if (!tp_cxx_enter_nested_part(r))
        return tp_cxx_mark_wrong(r);
    r->arguments = TP_VEC(r->arena, const struct tp_cxx_node *);
    const struct tp_cxx_node *name = read_name(r, &named);
    if (!r->is_wrong && !is_at_encoding_end(r)) {
        const struct tp_cxx_node *returned = named.is_template && !named.has_no_value ? read_type(r) : NULL;
        r->is_wrong |= is_at_encoding_end(r);
        const struct tp_cxx_node *types = read_types(r, is_at_encoding_end);
        name = TP_CXX_PART(r, TP_CXX_ENCODING, .left = name, .right = types, .third = returned, .text = named.quals);
    }
    r->arguments = before;
    r->depth--;
    return name;
}

/* ---- template arguments ---- */

static void add_list_argument(struct tp_cxx_reader *r, struct tp_cxx_list *list, bool tags);

/* Reads <template-args> ::= "I" argument.. "E". tags: T_ refers to these arguments. */
static const struct tp_cxx_node *read_arguments(struct tp_cxx_reader *r, bool tags)
{
    struct tp_cxx_list list = {NULL, NULL};
    if (!tp_cxx_enter_nested_part(r) || !tp_cxx_skip_prefix(r, "I"))
        return tp_cxx_mark_wrong(r);
    if (tags)
        r->arguments = TP_VEC(r->arena, const struct tp_cxx_node *);
    while (!r->is_wrong && !tp_cxx_skip_prefix(r, "E"))
        add_list_argument(r, &list, tags);
    r->depth--;
    return tp_cxx_list_end(r, &list);
}

/* Reads "L" type value "E" | "L" "_Z" encoding "E" */
static const struct tp_cxx_node *read_literal(struct tp_cxx_reader *r)
{
    static const char *const endings[][2] = {{"i", ""}, {"j", "u"}, {"l", "l"}, {"m", "ul"}, {"x", "ll"}, {"y", "ull"}};
    const char *ending = NULL;
    const struct tp_cxx_node *value;
    if (tp_cxx_skip_prefix(r, "_Z")) {
        value = read_encoding(r);
        r->is_wrong |= !tp_cxx_skip_prefix(r, "E");
        return value;
    }
    if (tp_cxx_skip_prefix(r, "b0E") || tp_cxx_skip_prefix(r, "b1E"))
        return tp_cxx_new_text_part(r, r->at[-2] == '1' ? "true" : "false");
    for (size_t i = 0; i < sizeof endings / sizeof *endings && !ending; i++)
        if (tp_cxx_skip_prefix(r, endings[i][0]))
            ending = endings[i][1];
    const struct tp_cxx_node *type = ending ? NULL : read_type(r);
    const char *sign = tp_cxx_skip_prefix(r, "n") ? "-" : "";
    struct tp_str digits = tp_cxx_read_digits(r);
    if (r->is_wrong || !digits.len || !tp_cxx_skip_prefix(r, "E"))
        return tp_cxx_mark_wrong(r); /* floating point and strings are not supported */
    size_t before = strlen(sign), after = ending ? strlen(ending) : 0;
    char *text = tp_arena_alloc(r->arena, before + digits.len + after + 1);
    memcpy(text, sign, before);
    memcpy(text + before, digits.ptr, digits.len);
    memcpy(text + before + digits.len, ending ? ending : "", after);
    return type ? TP_CXX_PART(r, TP_CXX_CAST, .left = type, .text = tp_str_of(text)) : tp_cxx_new_text_part(r, text);
}

static const struct tp_cxx_node *read_argument(struct tp_cxx_reader *r)
{
    const struct tp_cxx_node *argument;
    if (tp_cxx_skip_prefix(r, "Tn")) /* after "Tn", the type of the argument precedes the argument */
        read_type(r);
    else
        tp_cxx_skip_prefix(r, "Ty");
    if (tp_cxx_skip_prefix(r, "L"))
        return read_literal(r);
    if (tp_cxx_skip_prefix(r, "X")) {
        argument = read_expression(r);
        r->is_wrong |= !tp_cxx_skip_prefix(r, "E");
        return argument;
    }
    if (tp_cxx_skip_prefix(r, "J")) {
        struct tp_cxx_list list = {NULL, NULL};
        while (!r->is_wrong && !tp_cxx_skip_prefix(r, "E"))
            add_list_argument(r, &list, false);
        return TP_CXX_PART(r, TP_CXX_PACK, .left = tp_cxx_list_end(r, &list));
    }
    return read_type(r);
}

static void add_list_argument(struct tp_cxx_reader *r, struct tp_cxx_list *list, bool tags)
{
    if (!tp_cxx_enter_nested_part(r))
        return;
    const struct tp_cxx_node *argument = read_argument(r);
    tp_cxx_list_add(r, list, argument);
    if (tags && !r->is_wrong)
        *(const struct tp_cxx_node **)tp_vec_push(&r->arguments) = argument;
    r->depth--;
}

/* Reads an <expression> of a kind that occurs in arguments of kernels: operators on literals, parameters and
 * addresses. */
static const struct tp_cxx_node *read_expression(struct tp_cxx_reader *r)
{
    static const char UNARY[] = "ad nt ng ps co de ";
    const struct tp_cxx_node *result = NULL;
    const char *text = tp_cxx_operator_text(r);
    if (!tp_cxx_enter_nested_part(r))
        return tp_cxx_mark_wrong(r);
    if (tp_cxx_skip_prefix(r, "L")) {
        result = read_literal(r);
    } else if (tp_cxx_peek(r) == 'T') {
        result = read_parameter(r);
    } else if (tp_cxx_skip_prefix(r, "sr")) {
        struct tp_cxx_named named = {.quals = {"", 0}};
        const struct tp_cxx_node *type = read_type(r), *name = read_unqualified_name(r, &named);
        result = TP_CXX_PART(r, TP_CXX_NESTED, .left = type, .right = name);
        if (tp_cxx_peek(r) == 'I')
            result = TP_CXX_PART(r, TP_CXX_TEMPLATE, .left = result, .right = read_arguments(r, false));
    } else if (text && *text != ' ' && strcmp(text, "()") != 0) {
        struct tp_str code = {r->at, 2};
        bool is_unary = tp_str_find(TP_STR(UNARY), (char[]){code.ptr[0], code.ptr[1], ' ', 0}) >= 0;
        r->at += 2;
        result = read_expression(r);
        result = is_unary ? TP_CXX_PART(r, TP_CXX_UNARY, .text = tp_str_of(text), .left = result)
                          : TP_CXX_PART(r, TP_CXX_BINARY, .text = tp_str_of(text), .left = result,
                                        .right = read_expression(r));
    }
    r->depth--;
    return result ? result : tp_cxx_mark_wrong(r);
}

/* ---- types ---- */

/* Reads a pointer or reference, such as "P" type. A reference to a reference becomes one reference. */
static const struct tp_cxx_node *read_pointer(struct tp_cxx_reader *r, const char *mark)
{
    const struct tp_cxx_node *to = read_type(r);
    if (*mark == '&' && to->kind == TP_CXX_POINTER && *to->text.ptr == '&')
        return to->text.len == 1 || !mark[1] ? TP_CXX_PART(r, TP_CXX_POINTER, .text = TP_STR("&"), .left = to->left)
                                             : to;
    return TP_CXX_PART(r, TP_CXX_POINTER, .text = tp_str_of(mark), .left = to);
}

/* <function-type> ::= ["Do"] "F" ["Y"] return type, type.. ["R" | "O"] "E" */
static bool is_at_function_end(const struct tp_cxx_reader *r)
{
    return tp_cxx_peek(r) == 'E' ||
           ((tp_cxx_peek(r) == 'R' || tp_cxx_peek(r) == 'O') && r->end - r->at >= 2 && r->at[1] == 'E');
}

static const struct tp_cxx_node *read_function(struct tp_cxx_reader *r, struct tp_str quals)
{
    tp_cxx_skip_prefix(r, "Y");
    const struct tp_cxx_node *returned = read_type(r), *types = read_types(r, is_at_function_end);
    if (tp_cxx_skip_prefix(r, "R"))
        quals = quals.len ? TP_STR(" const &") : TP_STR(" &");
    else if (tp_cxx_skip_prefix(r, "O"))
        quals = quals.len ? TP_STR(" const &&") : TP_STR(" &&");
    r->is_wrong |= !tp_cxx_skip_prefix(r, "E");
    return TP_CXX_PART(r, TP_CXX_FUNCTION, .left = returned, .right = types, .text = quals);
}

/* Reads qualifiers and a type. The qualifiers of a function are printed after its parameters. */
static const struct tp_cxx_node *read_qualified_type(struct tp_cxx_reader *r)
{
    struct tp_str quals = read_qualifiers(r);
    if (tp_cxx_skip_prefix(r, "F"))
        return read_function(r, quals);
    const struct tp_cxx_node *type = read_type(r);
    /* true if the type already has the qualifiers, because T_ contains them */
    bool is_said = type->kind == TP_CXX_QUALIFIED && tp_str_equal(type->text, quals);
    return is_said ? type : TP_CXX_PART(r, TP_CXX_QUALIFIED, .text = quals, .left = type);
}

static const struct tp_cxx_node *read_array(struct tp_cxx_reader *r)
{
    struct tp_str count = tp_cxx_read_digits(r);
    r->is_wrong |= !tp_cxx_skip_prefix(r, "_");
    return TP_CXX_PART(r, TP_CXX_ARRAY, .text = count, .left = read_type(r));
}

/* Reads <class-enum-type>, <substitution> and <template-param> with their template arguments. */
static const struct tp_cxx_node *read_named_type(struct tp_cxx_reader *r)
{
    struct tp_cxx_named named = {.quals = {"", 0}};
    const struct tp_cxx_node *type;
    bool is_parameter = tp_cxx_peek(r) == 'T',
         is_again = tp_cxx_peek(r) == 'S' && r->end - r->at >= 2 && r->at[1] != 't';
    if (!is_parameter && !is_again)
        return tp_cxx_store_for_substitution(r, read_name(r, &named));
    type = is_parameter ? read_parameter(r) : read_substitution(r);
    if (is_parameter)
        tp_cxx_store_for_substitution(r, type);
    if (tp_cxx_peek(r) == 'I')
        type = tp_cxx_store_for_substitution(
            r, TP_CXX_PART(r, TP_CXX_TEMPLATE, .left = type, .right = read_arguments(r, false)));
    return type;
}

static const struct tp_cxx_node *read_other_type(struct tp_cxx_reader *r)
{
    const struct tp_cxx_node *type;
    switch (tp_cxx_peek(r)) {
    case 'r':
    case 'V':
    case 'K':
        return tp_cxx_store_for_substitution(r, read_qualified_type(r));
    case 'M':
        r->at++;
        type = read_type(r);
        return tp_cxx_store_for_substitution(r, TP_CXX_PART(r, TP_CXX_MEMBER, .right = type, .left = read_type(r)));
    case 'A':
        r->at++;
        return tp_cxx_store_for_substitution(r, read_array(r));
    case 'u':
        r->at++;
        return tp_cxx_store_for_substitution(r, read_source_name(r));
    default:
        return read_named_type(r);
    }
}

static const struct tp_cxx_node *read_type(struct tp_cxx_reader *r)
{
    static const char *const marks[][2] = {{"P", "*"}, {"R", "&"}, {"O", "&&"}};
    if (!tp_cxx_enter_nested_part(r))
        return tp_cxx_mark_wrong(r);
    const struct tp_cxx_node *type = tp_cxx_read_builtin(r);
    for (size_t i = 0; i < sizeof marks / sizeof *marks && !type; i++)
        if (tp_cxx_skip_prefix(r, marks[i][0]))
            type = tp_cxx_store_for_substitution(r, read_pointer(r, marks[i][1]));
    if (!type && tp_cxx_skip_prefix(r, "Dp"))
        type = tp_cxx_store_for_substitution(r, TP_CXX_PART(r, TP_CXX_EXPANSION, .left = read_type(r)));
    if (!type && (tp_cxx_skip_prefix(r, "DoF") || tp_cxx_skip_prefix(r, "F")))
        type = tp_cxx_store_for_substitution(r, read_function(r, TP_STR("")));
    if (!type && tp_cxx_skip_prefix(r, "Dv")) {
        tp_cxx_read_digits(r);
        r->is_wrong |= !tp_cxx_skip_prefix(r, "_");
        type = tp_cxx_store_for_substitution(
            r, TP_CXX_PART(r, TP_CXX_QUALIFIED, .text = TP_STR(" __vector"), .left = read_type(r)));
    }
    if (!type)
        type = read_other_type(r);
    r->depth--;
    return type;
}

/* ---- whole names ---- */

/* Reads "." letters {"." digits}, a suffix that a compiler or a runtime appended to the name. */
static bool read_clone_suffixes(struct tp_cxx_reader *r, struct tp_vec *text)
{
    while (!r->is_wrong && r->at < r->end) {
        const char *begin = r->at;
        r->is_wrong |= !tp_cxx_skip_prefix(r, ".");
        while (tp_cxx_peek(r) == '_' || (tp_cxx_peek(r) >= 'a' && tp_cxx_peek(r) <= 'z') ||
               (tp_cxx_peek(r) >= '0' && tp_cxx_peek(r) <= '9'))
            r->at++;
        while (r->end - r->at >= 2 && *r->at == '.' && tp_is_digit(r->at[1])) {
            r->at++;
            tp_cxx_read_digits(r);
        }
        struct tp_str clone = {begin, (size_t)(r->at - begin)};
        r->is_wrong |= clone.len < 2;
        size_t at = text->count, size = clone.len + 9;
        tp_vec_grow(text, at + size);
        text->count = at + size;
        memcpy(TP_AT(text, char, at), " [clone ", 8);
        memcpy(TP_AT(text, char, at + 8), clone.ptr, clone.len);
        *TP_AT(text, char, at + size - 1) = ']';
    }
    return !r->is_wrong;
}

bool tp_demangle_cxx(struct tp_str name, struct tp_str *text, struct tp_arena *arena)
{
    struct tp_cxx_reader r = {.at = name.ptr, .end = name.ptr + name.len, .arena = arena};
    struct tp_vec plain = TP_VEC(arena, char);
    if (name.len > LONGEST || !tp_cxx_skip_prefix(&r, "_Z"))
        return false;
    r.substitution_parts = TP_VEC(arena, const struct tp_cxx_node *);
    const struct tp_cxx_node *root = read_encoding(&r);
    if (r.is_wrong || (r.at < r.end && *r.at != '.') || !tp_cxx_print_node(root, &plain) ||
        !read_clone_suffixes(&r, &plain))
        return false;
    if (plain.count == 0 || plain.count > TP_CXX_LONGEST)
        return false;
    *text = (struct tp_str){plain.data, plain.count};
    return true;
}
