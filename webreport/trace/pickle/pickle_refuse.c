/* Words the reasons why a pickle is refused: see pickle_machine.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "webreport/trace/pickle/pickle_machine.h"
#include "writer/base/buf.h"

int tp_pickle_refuse(struct tp_pickle_machine *machine, enum tp_pickle_refusal why, uint64_t offset, const char *format,
                     ...)
{
    char text[sizeof machine->err->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    machine->pickle->refusal = why;
    return tp_error_set(machine->err, why == TP_PICKLE_TRUNCATED ? TP_ETRUNCATED : TP_EFORMAT, offset, "%s", text);
}

int tp_pickle_refuse_end(struct tp_pickle_machine *machine, bool in_value)
{
    uint64_t size = tp_feed_offset(machine->feed, machine->end);
    return tp_pickle_refuse(machine, TP_PICKLE_TRUNCATED, size,
                            "the file ends at byte %llu %s: it was written only in part", (unsigned long long)size,
                            in_value ? "inside of a value" : "without the end of the pickle");
}

/* Appends bytes as Python prints them in a text: printable ASCII unchanged, and all other bytes as \xNN. */
static void add_escaped(struct tp_buf *out, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == '\n' || c == '\r' || c == '\t')
            tp_buf_printf(out, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
        else if (c == '\\' || c == '\'')
            tp_buf_printf(out, "\\%c", c);
        else if (c < ' ' || c > '~')
            tp_buf_printf(out, "\\x%02x", c);
        else
            tp_buf_printf(out, "%c", c);
    }
}

int tp_pickle_refuse_start(struct tp_pickle_machine *machine)
{
    size_t size = (size_t)(machine->end - machine->at);
    struct tp_buf shown;
    if (size < 2)
        return tp_pickle_refuse(machine, TP_PICKLE_EMPTY, 0, size ? "the file has only one byte" : "the file is empty");
    tp_buf_init(&shown, 0);
    add_escaped(&shown, machine->at, size < 4 ? size : 4);
    int code = tp_pickle_refuse(machine, TP_PICKLE_NO_PICKLE, 0,
                                "this is no pickle of protocol 2 or later (it begins with '%s')",
                                shown.failed ? "" : shown.data);
    tp_buf_release(&shown);
    return code;
}

/* ---- opcodes ---- */

/* Opcodes outside the subset, with their names in pickletools. runs_code: the opcode loads, calls or changes Python
 * objects. */
static const struct {
    unsigned char opcode;
    bool runs_code;
    const char *name;
} names[] = {
    {'R', true, "REDUCE"},       {'c', true, "GLOBAL"},        {0x93, true, "STACK_GLOBAL"},
    {'b', true, "BUILD"},        {'i', true, "INST"},          {'o', true, "OBJ"},
    {0x81, true, "NEWOBJ"},      {0x92, true, "NEWOBJ_EX"},    {0x82, true, "EXT1"},
    {0x83, true, "EXT2"},        {0x84, true, "EXT4"},         {'P', true, "PERSID"},
    {'Q', true, "BINPERSID"},    {0x97, false, "NEXT_BUFFER"}, {0x98, false, "READONLY_BUFFER"},
    {0x96, false, "BYTEARRAY8"}, {'B', false, "BINBYTES"},     {'C', false, "SHORT_BINBYTES"},
    {0x8E, false, "BINBYTES8"},  {'T', false, "BINSTRING"},    {'U', false, "SHORT_BINSTRING"},
    {'S', false, "STRING"},      {'V', false, "UNICODE"},      {'I', false, "INT"},
    {'L', false, "LONG"},        {'F', false, "FLOAT"},        {'p', false, "PUT"},
    {'g', false, "GET"},         {0x8F, false, "EMPTY_SET"},   {0x90, false, "ADDITEMS"},
    {0x91, false, "FROZENSET"},  {'0', false, "POP"},          {'1', false, "POP_MARK"},
    {'2', false, "DUP"},         {'l', false, "LIST"},         {'d', false, "DICT"},
};

/* Appends the name "module.function" that GLOBAL or STACK_GLOBAL requests. Appends nothing if the name is unusual. */
static void add_requested_name(struct tp_pickle_machine *machine, struct tp_buf *out)
{
    enum { LONGEST = 400 };
    const struct tp_strings *texts = machine->pickle->texts;
    if (machine->opcode == 0x93 && machine->recent_texts[0] != TP_NO_ID) {
        struct tp_str module = tp_strings_get(texts, machine->recent_texts[0]);
        struct tp_str function = tp_strings_get(texts, machine->recent_texts[1]);
        add_escaped(out, module.ptr, module.len);
        tp_buf_printf(out, ".");
        add_escaped(out, function.ptr, function.len);
    }
    if (machine->opcode != 'c' || tp_pickle_need(machine, LONGEST) < 0)
        return;
    size_t left = (size_t)(machine->end - machine->at);
    const char *module_end = memchr(machine->at, '\n', left < LONGEST ? left : LONGEST);
    size_t used = module_end ? (size_t)(module_end - machine->at) + 1 : left;
    const char *function_end =
        used < left ? memchr(machine->at + used, '\n', left < LONGEST ? left - used : LONGEST - used) : NULL;
    if (!function_end)
        return;
    add_escaped(out, machine->at, used - 1);
    tp_buf_printf(out, ".");
    add_escaped(out, machine->at + used, (size_t)(function_end - machine->at) - used);
}

static int refuse_code(struct tp_pickle_machine *machine, const char *name)
{
    enum { SHOWN = 80 };
    struct tp_buf requested;
    tp_buf_init(&requested, 0);
    add_requested_name(machine, &requested);
    bool has_name = requested.size && !requested.failed;
    int code = tp_pickle_refuse(machine, TP_PICKLE_CODE, machine->opcode_at,
                                "the pickle asks to load or call %s%.*s%s (byte %llu, opcode %s); %s "
                                "have no code, and none is run",
                                has_name ? "'" : "", SHOWN, has_name ? requested.data : "Python objects",
                                has_name ? "'" : "", (unsigned long long)machine->opcode_at, name, machine->files);
    tp_buf_release(&requested);
    return code;
}

int tp_pickle_refuse_opcode(struct tp_pickle_machine *machine)
{
    char number[8];
    const char *name = number;
    bool runs_code = false;
    snprintf(number, sizeof number, "0x%02x", machine->opcode);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].opcode == machine->opcode) {
            name = names[i].name;
            runs_code = names[i].runs_code;
        }
    return runs_code ? refuse_code(machine, name)
                     : tp_pickle_refuse(machine, TP_PICKLE_OPCODE, machine->opcode_at,
                                        "opcode %s at byte %llu does not occur in %s", name,
                                        (unsigned long long)machine->opcode_at, machine->files);
}
