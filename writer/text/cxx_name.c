/* Prints C++ names: see cxx_name.h. A declarator surrounds its name ("void (*)(int)"), so each type is printed in two
 * parts, to the left and to the right of the name. */
#include "writer/text/cxx_name.h"

enum { MAX_STEPS = 1 << 17, ALL = -1 };

struct show {
    struct tp_vec *text; /* bytes of the printed text */
    int32_t place;       /* index of the pack element that is printed; ALL: every element is printed */
    uint32_t steps;
    bool is_wrong;
};

static void print_part_before_name(struct show *show, const struct tp_cxx_node *node);
static void print_part_after_name(struct show *show, const struct tp_cxx_node *node);

static void append_part(struct show *show, struct tp_str part)
{
    if (show->is_wrong || show->text->count + part.len > TP_CXX_LONGEST) {
        show->is_wrong = true;
        return;
    }
    size_t at = show->text->count;
    if (at + part.len > show->text->capacity)
        tp_vec_grow(show->text, at + part.len);
    memcpy(TP_AT(show->text, char, at), part.ptr, part.len);
    show->text->count = at + part.len;
}

static void append_text(struct show *show, const char *text)
{
    append_part(show, tp_str_of(text));
}

static char last_letter(const struct show *show)
{
    return show->text->count ? *TP_AT(show->text, char, show->text->count - 1) : '\0';
}

static void print_node(struct show *show, const struct tp_cxx_node *node)
{
    print_part_before_name(show, node);
    print_part_after_name(show, node);
}

/* Prints a list, with commas between the items. Leaves out items that print nothing. */
static void print_list(struct show *show, const struct tp_cxx_node *list)
{
    bool is_first = true;
    for (const struct tp_cxx_node *cell = list; cell && cell->left && !show->is_wrong; cell = cell->right) {
        size_t before = show->text->count;
        if (!is_first)
            append_text(show, ", ");
        size_t start = show->text->count;
        print_node(show, cell->left);
        if (show->text->count == start)
            show->text->count = before;
        else
            is_first = false;
    }
}

static void print_arguments(struct show *show, const struct tp_cxx_node *list)
{
    append_text(show, "(");
    print_list(show, list);
    append_text(show, ")");
}

/* ---- packs ---- */

/* Returns the first pack in the node, whose length determines how often an expansion repeats the node. NULL: no
 * pack. */
static const struct tp_cxx_node *find_expanded_pack(struct show *show, const struct tp_cxx_node *node)
{
    for (; node && node->kind != TP_CXX_PACK && node->kind != TP_CXX_EXPANSION; node = node->right) {
        if (show->is_wrong || ++show->steps > MAX_STEPS) {
            show->is_wrong = true;
            return NULL;
        }
        const struct tp_cxx_node *found = find_expanded_pack(show, node->left);
        found = found ? found : find_expanded_pack(show, node->third);
        if (found)
            return found;
    }
    return node && node->kind == TP_CXX_PACK ? node : NULL;
}

static void print_pack(struct show *show, const struct tp_cxx_node *pack)
{
    int32_t place = show->place;
    const struct tp_cxx_node *cell = pack->left;
    show->place = ALL;
    if (place == ALL) {
        print_list(show, cell);
    } else {
        for (; cell && place > 0; place--)
            cell = cell->right;
        if (cell && cell->left)
            print_node(show, cell->left);
    }
    show->place = place;
}

static void print_expansion(struct show *show, const struct tp_cxx_node *node)
{
    const struct tp_cxx_node *pack = find_expanded_pack(show, node->left);
    int32_t before = show->place, place = 0;
    if (!pack) {
        print_node(show, node->left);
        append_text(show, "...");
        return;
    }
    for (const struct tp_cxx_node *cell = pack->left; cell && cell->left && !show->is_wrong; cell = cell->right) {
        if (place)
            append_text(show, ", ");
        show->place = place++;
        print_node(show, node->left);
    }
    show->place = before;
}

/* ---- types ---- */

static bool is_function_or_array(const struct tp_cxx_node *node)
{
    return node->kind == TP_CXX_FUNCTION || node->kind == TP_CXX_ARRAY;
}

static void print_pointer(struct show *show, const struct tp_cxx_node *node)
{
    print_part_before_name(show, node->left);
    if (node->left->kind == TP_CXX_ARRAY)
        append_text(show, " ");
    if (is_function_or_array(node->left))
        append_text(show, "(");
    if (node->kind == TP_CXX_MEMBER) {
        if (!is_function_or_array(node->left))
            append_text(show, " ");
        print_node(show, node->right);
        append_text(show, "::*");
    } else {
        append_part(show, node->text);
    }
}

static void print_encoding(struct show *show, const struct tp_cxx_node *node, bool has_return)
{
    if (has_return && node->third) {
        print_part_before_name(show, node->third);
        append_text(show, " ");
    }
    print_node(show, node->left);
    print_arguments(show, node->right);
    append_part(show, node->text);
    if (has_return && node->third)
        print_part_after_name(show, node->third);
}

static void print_template(struct show *show, const struct tp_cxx_node *node)
{
    print_node(show, node->left);
    if (last_letter(show) == '<')
        append_text(show, " "); /* a space separates operator< from its template arguments */
    append_text(show, "<");
    print_list(show, node->right);
    if (last_letter(show) == '>')
        append_text(show, " ");
    append_text(show, ">");
}

static void print_operand(struct show *show, const struct tp_cxx_node *node)
{
    bool is_plain =
        node->kind == TP_CXX_NESTED ||
        (node->kind == TP_CXX_TEXT && node->depth == 0 && node->text.len && !tp_is_digit(node->text.ptr[0]) &&
         !tp_str_equal(node->text, TP_STR("true")) && !tp_str_equal(node->text, TP_STR("false")));
    if (!is_plain)
        append_text(show, "(");
    print_node(show, node);
    if (!is_plain)
        append_text(show, ")");
}

/* Prints a node that has no part to the right of its name. */
static void print_name(struct show *show, const struct tp_cxx_node *node)
{
    switch (node->kind) {
    case TP_CXX_NESTED:
        print_node(show, node->left);
        append_text(show, "::");
        print_node(show, node->right);
        break;
    case TP_CXX_LOCAL:
        if (node->left->kind == TP_CXX_ENCODING)
            print_encoding(show, node->left, false);
        else
            print_node(show, node->left);
        append_text(show, "::");
        print_node(show, node->right);
        break;
    case TP_CXX_LAMBDA:
        append_text(show, "{lambda");
        print_arguments(show, node->right);
        append_text(show, "#");
        append_part(show, node->text);
        append_text(show, "}");
        break;
    case TP_CXX_CAST:
        append_text(show, "(");
        print_node(show, node->left);
        append_text(show, ")");
        append_part(show, node->text);
        break;
    case TP_CXX_CONVERSION:
        append_text(show, "operator ");
        print_node(show, node->left);
        break;
    case TP_CXX_UNARY:
        append_part(show, node->text);
        print_operand(show, node->left);
        break;
    case TP_CXX_BINARY:
        append_text(show, tp_str_equal(node->text, TP_STR(">")) ? "(" : "");
        print_operand(show, node->left);
        append_part(show, node->text);
        print_operand(show, node->right);
        append_text(show, tp_str_equal(node->text, TP_STR(">")) ? ")" : "");
        break;
    default:
        append_part(show, node->text);
    }
}

static void print_part_before_name(struct show *show, const struct tp_cxx_node *node)
{
    if (show->is_wrong || ++show->steps > MAX_STEPS) {
        show->is_wrong = true;
        return;
    }
    switch (node->kind) {
    case TP_CXX_TEMPLATE:
        print_template(show, node);
        break;
    case TP_CXX_PACK:
        print_pack(show, node);
        break;
    case TP_CXX_EXPANSION:
        print_expansion(show, node);
        break;
    case TP_CXX_CELL:
        print_list(show, node);
        break;
    case TP_CXX_QUALIFIED:
        print_part_before_name(show, node->left);
        append_part(show, node->text);
        break;
    case TP_CXX_POINTER:
    case TP_CXX_MEMBER:
        print_pointer(show, node);
        break;
    case TP_CXX_FUNCTION:
        print_part_before_name(show, node->left);
        append_text(show, " ");
        break;
    case TP_CXX_ARRAY:
        print_part_before_name(show, node->left);
        break;
    case TP_CXX_ENCODING:
        print_encoding(show, node, true);
        break;
    default:
        print_name(show, node);
    }
}

static void print_part_after_name(struct show *show, const struct tp_cxx_node *node)
{
    if (show->is_wrong || ++show->steps > MAX_STEPS) {
        show->is_wrong = true;
        return;
    }
    switch (node->kind) {
    case TP_CXX_QUALIFIED:
        print_part_after_name(show, node->left);
        break;
    case TP_CXX_POINTER:
    case TP_CXX_MEMBER:
        if (is_function_or_array(node->left))
            append_text(show, ")");
        print_part_after_name(show, node->left);
        break;
    case TP_CXX_FUNCTION:
        print_arguments(show, node->right);
        append_part(show, node->text);
        print_part_after_name(show, node->left);
        break;
    case TP_CXX_ARRAY:
        append_text(show, " [");
        append_part(show, node->text);
        append_text(show, "]");
        print_part_after_name(show, node->left);
        break;
    default:
        break;
    }
}

bool tp_cxx_print_node(const struct tp_cxx_node *node, struct tp_vec *text)
{
    struct show show = {.text = text, .place = ALL};
    print_node(&show, node);
    return !show.is_wrong;
}
