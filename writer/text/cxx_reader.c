/* Reads letters, nodes and lists of a C++ name: see cxx_reader.h. */
#include "writer/text/cxx_reader.h"

enum { MAX_DEPTH = 128, MAX_NODE_DEPTH = 400, MAX_PARTS = 1 << 14 };

/* ---- letters ---- */

bool tp_cxx_skip_letters_and_blanks(struct tp_cxx_reader *r, const char *letters)
{
    size_t size = strlen(letters);
    if (r->is_wrong || (size_t)(r->end - r->at) < size || memcmp(r->at, letters, size) != 0)
        return false;
    r->at += size;
    return true;
}

const struct tp_cxx_node *tp_cxx_mark_wrong(struct tp_cxx_reader *r)
{
    static const struct tp_cxx_node nothing = {.kind = TP_CXX_TEXT, .text = {"", 0}};
    r->is_wrong = true;
    return &nothing;
}

/* Enters a nested part of the name. Returns false if the nesting is too deep. */
bool tp_cxx_enter_nested_part(struct tp_cxx_reader *r)
{
    if (++r->depth > MAX_DEPTH)
        r->is_wrong = true;
    return !r->is_wrong;
}

struct tp_str tp_cxx_read_digits(struct tp_cxx_reader *r)
{
    const char *begin = r->at;
    while (tp_is_digit(tp_cxx_peek(r)))
        r->at++;
    return (struct tp_str){begin, (size_t)(r->at - begin)};
}

/* Returns the value of at most six digits, or UINT32_MAX for more digits. */
uint32_t tp_cxx_parse_number(struct tp_str digits)
{
    uint32_t value = 0;
    for (size_t i = 0; i < digits.len && i < 6; i++)
        value = value * 10 + (uint32_t)(digits.ptr[i] - '0');
    return digits.len > 6 ? UINT32_MAX : value;
}

/* Reads [number in base 36] "_". A "_" without a number has the value 0; the value of a number is one higher than the
 * number. */
uint32_t tp_cxx_read_base36(struct tp_cxx_reader *r)
{
    uint32_t value = 0;
    if (tp_cxx_skip_prefix(r, "_"))
        return 0;
    while (!r->is_wrong && !tp_cxx_skip_prefix(r, "_")) {
        char c = tp_cxx_peek(r);
        uint32_t digit = tp_is_digit(c) ? (uint32_t)(c - '0') : c >= 'A' && c <= 'Z' ? (uint32_t)(c - 'A' + 10) : 36;
        r->is_wrong |= digit == 36 || value > MAX_PARTS;
        value = value * 36 + digit;
        r->at += !r->is_wrong;
    }
    return value + 1;
}

/* ---- parts ---- */

static uint32_t node_depth(const struct tp_cxx_node *node)
{
    return node ? node->depth + 1 : 0;
}

const struct tp_cxx_node *tp_cxx_new_part(struct tp_cxx_reader *r, enum tp_cxx_kind kind, struct tp_cxx_node of)
{
    uint32_t depth = node_depth(of.left);
    depth = node_depth(of.right) > depth ? node_depth(of.right) : depth;
    depth = node_depth(of.third) > depth ? node_depth(of.third) : depth;
    if (r->is_wrong || depth > MAX_NODE_DEPTH || ++r->parts > MAX_PARTS)
        return tp_cxx_mark_wrong(r);
    struct tp_cxx_node *node = tp_arena_alloc(r->arena, sizeof *node);
    *node = of;
    node->kind = kind;
    node->depth = depth;
    return node;
}

const struct tp_cxx_node *tp_cxx_new_text_part(struct tp_cxx_reader *r, const char *text)
{
    return TP_CXX_PART(r, TP_CXX_TEXT, .text = tp_str_of(text));
}

/* Adds an item to a list. A list is printed by iteration, so its length does not add to the depth. */
void tp_cxx_list_add(struct tp_cxx_reader *r, struct tp_cxx_list *list, const struct tp_cxx_node *item)
{
    if (r->is_wrong || ++r->parts > MAX_PARTS) {
        r->is_wrong = true;
        return;
    }
    struct tp_cxx_node *cell = tp_arena_alloc(r->arena, sizeof *cell);
    *cell = (struct tp_cxx_node){.kind = TP_CXX_CELL, .left = item};
    if (list->last)
        list->last->right = cell;
    else
        list->first = cell;
    list->last = cell;
    if (list->first->depth < item->depth + 1)
        list->first->depth = item->depth + 1;
}

const struct tp_cxx_node *tp_cxx_list_end(struct tp_cxx_reader *r, const struct tp_cxx_list *list)
{
    return list->first ? list->first : TP_CXX_PART(r, TP_CXX_CELL, .left = NULL);
}

const struct tp_cxx_node *tp_cxx_store_for_substitution(struct tp_cxx_reader *r, const struct tp_cxx_node *node)
{
    if (!r->is_wrong)
        *(const struct tp_cxx_node **)tp_vec_push(&r->substitution_parts) = node;
    return node;
}

/* ---- operators and built-in types ---- */

struct operator_name {
    char code[3];
    const char *text;
};

static const struct operator_name OPERATORS[] = {
    {"aN", "&="},   {"aS", "="},      {"aa", "&&"},      {"an", "&"},         {"cl", "()"},  {"cm", ","},  {"co", "~"},
    {"dV", "/="},   {"de", "*"},      {"dv", "/"},       {"eO", "^="},        {"eo", "^"},   {"eq", "=="}, {"ge", ">="},
    {"gt", ">"},    {"ix", "[]"},     {"lS", "<<="},     {"le", "<="},        {"ls", "<<"},  {"lt", "<"},  {"mI", "-="},
    {"mL", "*="},   {"mi", "-"},      {"ml", "*"},       {"mm", "--"},        {"ne", "!="},  {"ng", "-"},  {"nt", "!"},
    {"nw", " new"}, {"na", " new[]"}, {"dl", " delete"}, {"da", " delete[]"}, {"oR", "|="},  {"oo", "||"}, {"or", "|"},
    {"pL", "+="},   {"pl", "+"},      {"pm", "->*"},     {"pp", "++"},        {"ps", "+"},   {"pt", "->"}, {"qu", "?"},
    {"rM", "%="},   {"rS", ">>="},    {"rm", "%"},       {"rs", ">>"},        {"ss", "<=>"}, {"ad", "&"},
};

const char *tp_cxx_operator_text(const struct tp_cxx_reader *r)
{
    for (size_t i = 0; r->end - r->at >= 2 && i < sizeof OPERATORS / sizeof *OPERATORS; i++)
        if (memcmp(r->at, OPERATORS[i].code, 2) == 0)
            return OPERATORS[i].text;
    return NULL;
}

const struct tp_cxx_node *tp_cxx_read_builtin(struct tp_cxx_reader *r)
{
    static const char *const names[][2] = {{"v", "void"},
                                           {"w", "wchar_t"},
                                           {"b", "bool"},
                                           {"c", "char"},
                                           {"a", "signed char"},
                                           {"h", "unsigned char"},
                                           {"s", "short"},
                                           {"t", "unsigned short"},
                                           {"i", "int"},
                                           {"j", "unsigned int"},
                                           {"l", "long"},
                                           {"m", "unsigned long"},
                                           {"x", "long long"},
                                           {"y", "unsigned long long"},
                                           {"n", "__int128"},
                                           {"o", "unsigned __int128"},
                                           {"f", "float"},
                                           {"d", "double"},
                                           {"e", "long double"},
                                           {"g", "__float128"},
                                           {"z", "..."},
                                           {"Dn", "decltype(nullptr)"},
                                           {"Di", "char32_t"},
                                           {"Ds", "char16_t"},
                                           {"Du", "char8_t"},
                                           {"Da", "auto"},
                                           {"Dc", "decltype(auto)"},
                                           {"Dh", "half"},
                                           {"DF16b", "std::bfloat16_t"},
                                           {"DF16_", "_Float16"},
                                           {"DF32_", "_Float32"},
                                           {"DF64_", "_Float64"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tp_cxx_skip_prefix(r, names[i][0]))
            return tp_cxx_new_text_part(r, names[i][1]);
    return NULL;
}
