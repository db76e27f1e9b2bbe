/* Demangles names of Rust functions: see demangle_rust.h. The grammar in comments is that of RFC 2603. */
#include "writer/text/demangle_rust.h"

#include <string.h>

#include "writer/text/punycode.h"
#include "writer/text/rust_name.h"

enum { MAX_DEPTH = 200, MAX_STEPS = 1 << 16, MAX_PUNYCODE = 256 };

struct identifier {
    struct tp_str ascii, punycode;
    uint64_t number; /* number that distinguishes identifiers of the same name */
};

static void read_path(struct tp_rust_name *name, bool is_value);
static void read_type(struct tp_rust_name *name);
static void read_const(struct tp_rust_name *name);

/* Enters a nested part. Returns false if the nesting is too deep or there are too many parts. */
static bool enter_nested_part(struct tp_rust_name *name)
{
    if (++name->depth > MAX_DEPTH || ++name->steps > MAX_STEPS)
        name->is_wrong = true;
    return !name->is_wrong;
}

/* Reads {0-9a-zA-Z} "_", a number in base 62. Returns 0 for "_" without digits, otherwise the number plus 1. */
static uint64_t read_base62(struct tp_rust_name *name)
{
    uint64_t number = 0;
    if (tp_rust_skip(name, '_'))
        return 0;
    while (!name->is_wrong && !tp_rust_skip(name, '_')) {
        char c = tp_rust_next(name);
        uint64_t digit = c >= '0' && c <= '9'   ? (uint64_t)(c - '0')
                         : c >= 'a' && c <= 'z' ? (uint64_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'Z' ? (uint64_t)(c - 'A' + 36)
                                                : 62;
        name->is_wrong |= digit == 62 || number > (UINT64_MAX - 62) / 62 - 1;
        number = name->is_wrong ? 0 : number * 62 + digit;
    }
    return number + 1;
}

/* Reads [letter base-62-number]. Returns 0 if the letter is not next, otherwise the number plus 1. */
static uint64_t read_optional_number(struct tp_rust_name *name, char letter)
{
    uint64_t number = tp_rust_skip(name, letter) ? read_base62(name) : UINT64_MAX;
    return number == UINT64_MAX ? 0 : number + 1;
}

/* Reads ["s" number] ["u"] length ["_"] bytes. */
static struct identifier read_identifier(struct tp_rust_name *name, bool has_number)
{
    struct identifier found = {.number = has_number ? read_optional_number(name, 's') : 0};
    bool is_punycode = tp_rust_skip(name, 'u');
    size_t length = tp_rust_read_length(name);
    tp_rust_skip(name, '_');
    name->is_wrong |= length > (size_t)(name->end - name->at);
    if (name->is_wrong)
        return found;
    found.ascii = (struct tp_str){name->at, length};
    name->at += length;
    if (is_punycode) {
        size_t split = length;
        while (split && found.ascii.ptr[split - 1] != '_')
            split--;
        found.punycode = (struct tp_str){found.ascii.ptr + split, length - split};
        found.ascii.len = split ? split - 1 : 0;
        name->is_wrong |= found.punycode.len == 0;
    }
    return found;
}

static void print_punycode(struct tp_rust_name *name, struct identifier id)
{
    uint32_t text[MAX_PUNYCODE];
    size_t count = tp_punycode(text, MAX_PUNYCODE, id.ascii, id.punycode);
    name->is_wrong |= count == 0;
    for (size_t i = 0; i < count; i++)
        tp_rust_print_character(name, text[i]);
}

static void print_identifier(struct tp_rust_name *name, struct identifier id)
{
    if (id.punycode.len)
        print_punycode(name, id);
    else
        tp_rust_print(name, id.ascii);
}

/* ---- lifetimes ---- */

static void print_lifetime(struct tp_rust_name *name, uint64_t number)
{
    if (number > name->lifetimes) {
        name->is_wrong = true;
        return;
    }
    uint64_t depth = name->lifetimes - number;
    tp_rust_print_text(name, "'");
    if (number == 0)
        tp_rust_print_text(name, "_");
    else if (depth < 26)
        tp_rust_print(name, (struct tp_str){(const char[]){(char)('a' + depth)}, 1});
    else {
        tp_rust_print_text(name, "_");
        tp_rust_print_number(name, depth);
    }
}

/* Reads ["G" number] and prints "for<'a, 'b> ". Returns the number of lifetimes that were bound before this binder. */
static uint64_t read_binder(struct tp_rust_name *name)
{
    uint64_t before = name->lifetimes, count = read_optional_number(name, 'G');
    name->is_wrong |= count > TP_RUST_LONGEST;
    if (count && !name->is_wrong) {
        tp_rust_print_text(name, "for<");
        for (uint64_t i = 0; i < count && !name->is_wrong; i++) {
            tp_rust_print_text(name, i ? ", " : "");
            name->lifetimes++;
            print_lifetime(name, 1);
        }
        tp_rust_print_text(name, "> ");
    }
    return before;
}

/* ---- paths ---- */

/* Reads "B" number, a reference to an earlier byte of the name, and prints the part that began at this byte again. */
static void read_back_reference(struct tp_rust_name *name, void (*read)(struct tp_rust_name *name, bool is_value),
                                bool is_value)
{
    const char *here = name->at - 1;
    uint64_t place = read_base62(name);
    name->is_wrong |= place >= (uint64_t)(here - name->begin);
    if (name->is_wrong || name->is_silent)
        return;
    const char *after = name->at;
    name->at = name->begin + place;
    read(name, is_value);
    name->at = after;
}

static void read_generics(struct tp_rust_name *name)
{
    for (bool is_first = true; !name->is_wrong && !tp_rust_skip(name, 'E'); is_first = false) {
        tp_rust_print_text(name, is_first ? "" : ", ");
        if (tp_rust_skip(name, 'L'))
            print_lifetime(name, read_base62(name));
        else if (tp_rust_skip(name, 'K'))
            read_const(name);
        else
            read_type(name);
    }
}

/* Reads a nested path: "N" namespace path identifier. */
static void read_nested(struct tp_rust_name *name, bool is_value)
{
    char space = tp_rust_next(name);
    bool is_special = space >= 'A' && space <= 'Z';
    name->is_wrong |= !is_special && (space < 'a' || space > 'z');
    read_path(name, is_value);
    struct identifier id = read_identifier(name, true);
    bool is_named = id.ascii.len || id.punycode.len;
    if (!is_special) {
        tp_rust_print_text(name, is_named ? "::" : "");
        print_identifier(name, id);
        return;
    }
    tp_rust_print_text(name, "::{");
    if (space == 'C' || space == 'S')
        tp_rust_print_text(name, space == 'C' ? "closure" : "shim");
    else
        tp_rust_print(name, (struct tp_str){&space, 1});
    tp_rust_print_text(name, is_named ? ":" : "");
    print_identifier(name, id);
    tp_rust_print_text(name, "#");
    tp_rust_print_number(name, id.number);
    tp_rust_print_text(name, "}");
}

/* Reads "M" impl-path type, "X" impl-path type path, "Y" type path, and prints "<type>" or "<type as path>". */
static void read_implementation(struct tp_rust_name *name, char kind)
{
    if (kind != 'Y') {
        bool was_silent = name->is_silent;
        name->is_silent = true;
        read_optional_number(name, 's');
        read_path(name, false);
        name->is_silent = was_silent;
    }
    tp_rust_print_text(name, "<");
    read_type(name);
    if (kind != 'M') {
        tp_rust_print_text(name, " as ");
        read_path(name, false);
    }
    tp_rust_print_text(name, ">");
}

/* Reads a path. is_value: generic arguments are printed as "::<...>", as in a call. */
static void read_path(struct tp_rust_name *name, bool is_value)
{
    if (!enter_nested_part(name))
        return;
    char kind = tp_rust_next(name);
    switch (kind) {
    case 'C':
        print_identifier(name, read_identifier(name, true));
        break;
    case 'M':
    case 'X':
    case 'Y':
        read_implementation(name, kind);
        break;
    case 'N':
        read_nested(name, is_value);
        break;
    case 'I':
        read_path(name, is_value);
        tp_rust_print_text(name, is_value ? "::<" : "<");
        read_generics(name);
        tp_rust_print_text(name, ">");
        break;
    case 'B':
        read_back_reference(name, read_path, is_value);
        break;
    default:
        name->is_wrong = true;
    }
    name->depth--;
}

/* ---- types ---- */

static const char *basic_type_name(char letter)
{
    static const char *const types[26] = {"i8",    "bool", "char", "f64", "str",  "f32",  NULL,  "u8", "isize",
                                          "usize", NULL,   "i32",  "u32", "i128", "u128", "_",   NULL, NULL,
                                          "i16",   "u16",  "()",   "...", NULL,   "i64",  "u64", "!"};
    return letter >= 'a' && letter <= 'z' ? types[letter - 'a'] : NULL;
}

/* Reads a function type: [binder] ["U"] ["K" abi] {type} "E" type. */
static void read_function_type(struct tp_rust_name *name)
{
    uint64_t before = read_binder(name);
    tp_rust_print_text(name, tp_rust_skip(name, 'U') ? "unsafe " : "");
    if (tp_rust_skip(name, 'K')) {
        tp_rust_print_text(name, "extern \"");
        if (tp_rust_skip(name, 'C'))
            tp_rust_print_text(name, "C");
        else {
            struct identifier abi = read_identifier(name, false);
            name->is_wrong |= abi.punycode.len > 0;
            for (size_t i = 0; i < abi.ascii.len && !name->is_wrong; i++)
                tp_rust_print(name, abi.ascii.ptr[i] == '_' ? TP_STR("-") : (struct tp_str){abi.ascii.ptr + i, 1});
        }
        tp_rust_print_text(name, "\" ");
    }
    tp_rust_print_text(name, "fn(");
    for (bool is_first = true; !name->is_wrong && !tp_rust_skip(name, 'E'); is_first = false) {
        tp_rust_print_text(name, is_first ? "" : ", ");
        read_type(name);
    }
    tp_rust_print_text(name, ")");
    if (!tp_rust_skip(name, 'u')) {
        tp_rust_print_text(name, " -> ");
        read_type(name);
    }
    name->lifetimes = before;
}

/* Reads a path. If it has generic arguments, does not print the closing ">". Returns whether it has generic
 * arguments. */
static bool read_path_without_closing(struct tp_rust_name *name)
{
    bool is_open = false;
    if (!enter_nested_part(name))
        return false;
    if (tp_rust_skip(name, 'I')) {
        read_path(name, false);
        tp_rust_print_text(name, "<");
        read_generics(name);
        is_open = true;
    } else if (tp_rust_skip(name, 'B')) {
        const char *here = name->at - 1;
        uint64_t place = read_base62(name);
        name->is_wrong |= place >= (uint64_t)(here - name->begin);
        if (!name->is_wrong && !name->is_silent) {
            const char *after = name->at;
            name->at = name->begin + place;
            is_open = read_path_without_closing(name);
            name->at = after;
        }
    } else
        read_path(name, false);
    name->depth--;
    return is_open;
}

/* Reads a trait object: "D" [binder] {path {"p" identifier type}} "E" lifetime. */
static void read_trait_object(struct tp_rust_name *name)
{
    tp_rust_print_text(name, "dyn ");
    uint64_t before = read_binder(name);
    for (bool is_first = true; !name->is_wrong && !tp_rust_skip(name, 'E'); is_first = false) {
        tp_rust_print_text(name, is_first ? "" : " + ");
        bool is_open = read_path_without_closing(name);
        for (; !name->is_wrong && tp_rust_skip(name, 'p'); is_open = true) {
            tp_rust_print_text(name, is_open ? ", " : "<");
            print_identifier(name, read_identifier(name, false));
            tp_rust_print_text(name, " = ");
            read_type(name);
        }
        tp_rust_print_text(name, is_open ? ">" : "");
    }
    name->lifetimes = before;
    name->is_wrong |= !tp_rust_skip(name, 'L');
    uint64_t lifetime = name->is_wrong ? 0 : read_base62(name);
    if (lifetime) {
        tp_rust_print_text(name, " + ");
        print_lifetime(name, lifetime);
    }
}

static void read_reference(struct tp_rust_name *name, bool is_mutable)
{
    uint64_t lifetime = tp_rust_skip(name, 'L') ? read_base62(name) : 0;
    tp_rust_print_text(name, "&");
    if (lifetime) {
        print_lifetime(name, lifetime);
        tp_rust_print_text(name, " ");
    }
    tp_rust_print_text(name, is_mutable ? "mut " : "");
    read_type(name);
}

/* Reads an array or a slice: "A" type const, or "S" type. */
static void read_array(struct tp_rust_name *name, bool has_length)
{
    tp_rust_print_text(name, "[");
    read_type(name);
    if (has_length) {
        tp_rust_print_text(name, "; ");
        read_const(name);
    }
    tp_rust_print_text(name, "]");
}

static void read_tuple(struct tp_rust_name *name)
{
    size_t count = 0;
    tp_rust_print_text(name, "(");
    for (; !name->is_wrong && !tp_rust_skip(name, 'E'); count++) {
        tp_rust_print_text(name, count ? ", " : "");
        read_type(name);
    }
    tp_rust_print_text(name, count == 1 ? ",)" : ")");
}

static void read_pointer(struct tp_rust_name *name, bool is_mutable)
{
    tp_rust_print_text(name, is_mutable ? "*mut " : "*const ");
    read_type(name);
}

static void read_type_reference(struct tp_rust_name *name, bool is_value)
{
    (void)is_value;
    read_type(name);
}

static void read_type(struct tp_rust_name *name)
{
    if (!enter_nested_part(name))
        return;
    char letter = tp_rust_next(name);
    const char *basic = basic_type_name(letter);
    if (basic)
        tp_rust_print_text(name, basic);
    else if (letter == 'A' || letter == 'S')
        read_array(name, letter == 'A');
    else if (letter == 'R' || letter == 'Q')
        read_reference(name, letter == 'Q');
    else if (letter == 'P' || letter == 'O')
        read_pointer(name, letter == 'O');
    else if (letter == 'T')
        read_tuple(name);
    else if (letter == 'F')
        read_function_type(name);
    else if (letter == 'D')
        read_trait_object(name);
    else if (letter == 'B')
        read_back_reference(name, read_type_reference, false);
    else {
        name->at--;
        read_path(name, false);
    }
    name->depth--;
}

/* ---- constants ---- */

/* Reads {0-9a-f} "_" and returns the digits. Sets *value to their value if it fits. */
static struct tp_str read_hexadecimal(struct tp_rust_name *name, uint64_t *value)
{
    struct tp_str digits = {name->at, 0};
    *value = 0;
    while (!name->is_wrong && !tp_rust_skip(name, '_')) {
        char c = tp_rust_next(name);
        name->is_wrong |= !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
        *value = *value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
        digits.len++;
    }
    return digits;
}

static void read_integer(struct tp_rust_name *name)
{
    uint64_t value;
    struct tp_str digits = read_hexadecimal(name, &value);
    name->is_wrong |= digits.len == 0;
    if (digits.len <= 16)
        tp_rust_print_number(name, value);
    else {
        tp_rust_print_text(name, "0x");
        tp_rust_print(name, digits);
    }
}

static void read_letter(struct tp_rust_name *name)
{
    uint64_t value;
    struct tp_str digits = read_hexadecimal(name, &value);
    name->is_wrong |= digits.len == 0 || digits.len > 6 || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000);
    tp_rust_print_text(name, "'");
    if (value == '\t' || value == '\r' || value == '\n')
        tp_rust_print_text(name, value == '\t' ? "\\t" : value == '\r' ? "\\r" : "\\n");
    else if (value < ' ' || value == 0x7F) {
        tp_rust_print_text(name, "\\u{");
        tp_rust_print(name, digits);
        tp_rust_print_text(name, "}");
    } else {
        tp_rust_print_text(name, value == '\'' || value == '\\' ? "\\" : "");
        tp_rust_print_character(name, (uint32_t)value);
    }
    tp_rust_print_text(name, "'");
}

static void read_const_reference(struct tp_rust_name *name, bool is_value)
{
    (void)is_value;
    read_const(name);
}

/* Reads a constant: a type and a value, "p", or a back reference. */
static void read_const(struct tp_rust_name *name)
{
    uint64_t value;
    if (!enter_nested_part(name))
        return;
    char type = tp_rust_next(name);
    if (type == 'B')
        read_back_reference(name, read_const_reference, false);
    else if (type == 'p')
        tp_rust_print_text(name, "_");
    else if (type == 'b') {
        struct tp_str digits = read_hexadecimal(name, &value);
        name->is_wrong |= digits.len == 0 || value > 1;
        tp_rust_print_text(name, value ? "true" : "false");
    } else if (type == 'c')
        read_letter(name);
    else if (strchr("hjmotyailnsx", type) && type) {
        tp_rust_print_text(name, strchr("ailnsx", type) && tp_rust_skip(name, 'n') ? "-" : "");
        read_integer(name);
    } else
        name->is_wrong = true;
    name->depth--;
}

/* ---- whole names ---- */

bool tp_demangle_rust(struct tp_str text_of_name, struct tp_str *text, struct tp_arena *arena)
{
    struct tp_rust_name name = {
        .begin = text_of_name.ptr + 2, .end = text_of_name.ptr + text_of_name.len, .text = TP_VEC(arena, char)};
    bool is_legacy = tp_str_starts(text_of_name, "_ZN");
    if (!is_legacy && !tp_str_starts(text_of_name, "_R"))
        return false;
    name.at = name.begin + is_legacy;
    for (const char *c = name.at; c < name.end; c++)
        if ((unsigned char)*c >= 0x80 || (unsigned char)*c <= ' ')
            return false;
    if (is_legacy)
        tp_rust_read_legacy(&name);
    else {
        if (name.at < name.end && *name.at >= '0' && *name.at <= '9')
            return false; /* the name uses a later version of the mangling */
        read_path(&name, true);
        name.is_silent = true;
        if (!name.is_wrong && name.at < name.end && *name.at >= 'A' && *name.at <= 'Z')
            read_path(&name, false); /* skips the path of the crate in which the generic function was instantiated */
    }
    if (name.is_wrong || (name.at < name.end && *name.at != '.' && *name.at != '$') || name.text.count == 0)
        return false;
    *text = (struct tp_str){name.text.data, name.text.count};
    return true;
}
