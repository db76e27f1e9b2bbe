/* Executes the opcodes of a pickle on a stack of values: see pickle.h and pickle_machine.h. */
#include <string.h>

#include "webreport/trace/pickle/pickle_machine.h"
#include "writer/base/limits.h"
#include "writer/base/utf8.h"

enum { OPCODE_BYTES = 16, MEMO_BATCH = 1 << 16, DONE = 1 };

/* Element of the memo that no opcode has written. No value has these bits. */
#define NO_VALUE ((tp_pickle_value)~0ull)

static int refuse_at(struct tp_pickle_machine *machine, const char *before, const char *after)
{
    return tp_pickle_refuse(machine, TP_PICKLE_MALFORMED, machine->opcode_at, "%sbyte %llu%s", before,
                            (unsigned long long)machine->opcode_at, after);
}

static int refuse_missing_operand(struct tp_pickle_machine *machine)
{
    return refuse_at(machine, "", " takes a value that is not there");
}

/* ---- stack ---- */

static tp_pickle_value *stack_at(const struct tp_pickle_machine *machine, size_t index)
{
    return TP_AT(&machine->stack, tp_pickle_value, index);
}

static tp_pickle_value *top(const struct tp_pickle_machine *machine)
{
    return stack_at(machine, machine->stack.count - 1);
}

static int push(struct tp_pickle_machine *machine, tp_pickle_value value)
{
    if (machine->stack.count >= TP_MAX_PICKLE_STACK)
        return tp_error_set(machine->err, TP_ELIMIT, machine->opcode_at, "the pickle has more than %u open values",
                            TP_MAX_PICKLE_STACK);
    *(tp_pickle_value *)tp_vec_push(&machine->stack) = value;
    return TP_OK;
}

static int push_node(struct tp_pickle_machine *machine, const void *node, enum tp_pickle_tag tag)
{
    return push(machine, (uint64_t)(uintptr_t)node | tag);
}

/* Removes the last mark. Returns false if no mark exists, or if the stack has become shorter than it. */
static bool pop_mark(struct tp_pickle_machine *machine, size_t *from)
{
    if (machine->marks.count == 0)
        return false;
    *from = *TP_AT(&machine->marks, uint32_t, --machine->marks.count);
    return *from <= machine->stack.count;
}

/* ---- numbers ---- */

static uint64_t little_endian(const char *bytes, unsigned count)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < count; i++)
        value |= (uint64_t)(unsigned char)bytes[i] << (8 * i);
    return value;
}

static int push_int(struct tp_pickle_machine *machine, int64_t value)
{
    const int64_t limit = 1ll << 60;
    if (value >= -limit && value < limit)
        return push(machine, (uint64_t)value << TP_PICKLE_TAG_BITS | TP_PICKLE_INT);
    struct tp_pickle_big *big = tp_arena_alloc(machine->pickle->arena, sizeof *big);
    big->bits = (uint64_t)value;
    return push_node(machine, big, TP_PICKLE_BIG);
}

static int push_double(struct tp_pickle_machine *machine, const char *bytes)
{
    uint64_t bits = 0;
    double *real = tp_arena_alloc(machine->pickle->arena, sizeof *real);
    for (unsigned i = 0; i < 8; i++)
        bits = bits << 8 | (unsigned char)bytes[i];
    memcpy(real, &bits, sizeof *real);
    return push_node(machine, real, TP_PICKLE_REAL);
}

/* Reads the bytes of LONG1 or LONG4. length: number of bytes, as the file gives it. */
static int push_long(struct tp_pickle_machine *machine, int64_t length)
{
    char bytes[9] = {0};
    if (length < 0 || length > (int64_t)sizeof bytes)
        return tp_pickle_refuse(machine, TP_PICKLE_NUMBER, machine->opcode_at,
                                "a number of %lld bytes stands at byte %llu; sizes and addresses have at most 8",
                                (long long)length, (unsigned long long)machine->opcode_at);
    int status = tp_pickle_need(machine, (uint64_t)length);
    if (status <= 0)
        return status < 0 ? status : tp_pickle_refuse_end(machine, true);
    memcpy(bytes, machine->at, (size_t)length);
    machine->at += length;
    bool is_negative = length && (unsigned char)bytes[length - 1] >= 0x80;
    for (int64_t i = length; is_negative && i < (int64_t)sizeof bytes; i++)
        bytes[i] = (char)0xFF;
    uint64_t bits = little_endian(bytes, 8);
    unsigned char sign = (unsigned char)bytes[8];
    bool fits = sign == 0 || (sign == 0xFF && bits >> 63);
    if (!fits)
        return tp_pickle_refuse(machine, TP_PICKLE_NUMBER, machine->opcode_at,
                                "a number at byte %llu does not fit into 64 bits",
                                (unsigned long long)machine->opcode_at);
    if (sign == 0xFF || bits >> 63 == 0)
        return push_int(machine, (int64_t)bits);
    struct tp_pickle_big *big = tp_arena_alloc(machine->pickle->arena, sizeof *big);
    *big = (struct tp_pickle_big){.bits = bits, .is_unsigned = true};
    return push_node(machine, big, TP_PICKLE_BIG);
}

/* ---- texts ---- */

/* Returns the text with each ill-formed part replaced by U+FFFD, as Python's "replace" does. */
static struct tp_str replace_ill_formed(struct tp_arena *arena, struct tp_str text)
{
    char *out = tp_arena_alloc(arena, text.len * 3 + 1);
    size_t size = 0;
    for (size_t at = 0; at < text.len;) {
        int length = tp_utf8_length(text.ptr + at, text.len - at);
        if (length > 0)
            memcpy(out + size, text.ptr + at, (size_t)length);
        else
            memcpy(out + size, "\xEF\xBF\xBD", 3);
        size += length > 0 ? (size_t)length : 3;
        at += (size_t)(length > 0 ? length : -length);
    }
    return (struct tp_str){out, size};
}

/* Refuses a text of `length` bytes, which is too long; or the file as cut if it has fewer bytes. */
static int refuse_long_text(struct tp_pickle_machine *machine, uint64_t length)
{
    uint64_t left = length;
    int status = 1;
    while (machine->checks_cut_texts && left > (uint64_t)(machine->end - machine->at) && status > 0) {
        left -= (uint64_t)(machine->end - machine->at);
        machine->at = machine->end;
        status = tp_pickle_need(machine, 1);
    }
    if (status < 0)
        return status;
    return status == 0 ? tp_pickle_refuse_end(machine, true)
                       : tp_pickle_refuse(machine, TP_PICKLE_LONG_TEXT, machine->opcode_at,
                                          "a text of %llu bytes stands at byte %llu; the limit is %u",
                                          (unsigned long long)length, (unsigned long long)machine->opcode_at,
                                          (unsigned)machine->max_text_size);
}

static int push_text(struct tp_pickle_machine *machine, uint64_t length)
{
    size_t rest;
    if (length > machine->max_text_size)
        return refuse_long_text(machine, length);
    int status = tp_pickle_need(machine, length);
    if (status <= 0)
        return status < 0 ? status : tp_pickle_refuse_end(machine, true);
    struct tp_str text = {machine->at, (size_t)length};
    bool is_valid = tp_utf8_is_valid(text.ptr, text.len, &rest) && rest == 0;
    uint32_t id =
        tp_strings_add(machine->pickle->texts, is_valid ? text : replace_ill_formed(machine->pickle->arena, text));
    machine->at += length;
    machine->recent_texts[0] = machine->recent_texts[1];
    machine->recent_texts[1] = id;
    return push(machine, (uint64_t)id << TP_PICKLE_TAG_BITS | TP_PICKLE_TEXT);
}

/* ---- memo ---- */

static int write_memo(struct tp_pickle_machine *machine, uint64_t number)
{
    if (machine->stack.count == 0)
        return refuse_missing_operand(machine);
    /* a pickler numbers its values one by one, so a number above the offset in the file is an error */
    if (number > machine->opcode_at || number > TP_MAX_PICKLE_MEMO)
        return refuse_at(machine, "", " numbers a value out of order");
    while (machine->memo.count <= number)
        *(tp_pickle_value *)tp_vec_push(&machine->memo) = NO_VALUE;
    tp_pickle_value *item = TP_AT(&machine->memo, tp_pickle_value, number);
    machine->memo_count += *item == NO_VALUE;
    *item = *top(machine);
    return TP_OK;
}

static inline int push_memo(struct tp_pickle_machine *machine, uint64_t number)
{
    if (number >= machine->memo.count || *TP_AT(&machine->memo, tp_pickle_value, number) == NO_VALUE)
        return refuse_at(machine, "", " refers to a value that was not written");
    return push(machine, *TP_AT(&machine->memo, tp_pickle_value, number));
}

/* ---- containers ---- */

static int append(struct tp_pickle_machine *machine, size_t list_index, size_t from, size_t count)
{
    tp_pickle_value target = *stack_at(machine, list_index);
    if (tp_pickle_tag(target) != TP_PICKLE_LIST)
        return refuse_at(machine, "", " appends to something that is no list");
    struct tp_pickle_list *list = tp_pickle_node(target);
    if (count) {
        struct tp_pickle_part *part = tp_pickle_add_part(machine, stack_at(machine, from), (uint32_t)count);
        if (!list->first) {
            list->first = part;
        } else {
            struct tp_pickle_link *link = tp_arena_alloc(machine->pickle->arena, sizeof *link);
            link->part = part;
            if (list->last)
                list->last->next = link;
            else
                list->others = link;
            list->last = link;
        }
    }
    list->count += count;
    machine->stack.count = from;
    return TP_OK;
}

static int append_marked(struct tp_pickle_machine *machine)
{
    size_t from;
    if (!pop_mark(machine, &from))
        return refuse_missing_operand(machine);
    if (from == 0)
        return refuse_at(machine, "", " appends to something that is no list");
    return append(machine, from - 1, from, machine->stack.count - from);
}

static int append_one(struct tp_pickle_machine *machine)
{
    if (machine->stack.count == 0)
        return refuse_missing_operand(machine);
    if (machine->stack.count == 1)
        return refuse_at(machine, "", " appends to something that is no list");
    return append(machine, machine->stack.count - 2, machine->stack.count - 1, 1);
}

/* Adds the pairs (key, value) from the stack index `from` on to the dict before them. */
static int add_members(struct tp_pickle_machine *machine, size_t from, const char *no_dict)
{
    size_t count = (machine->stack.count - from) / 2;
    if (from == 0 || tp_pickle_tag(*stack_at(machine, from - 1)) != TP_PICKLE_DICT)
        return refuse_at(machine, "", no_dict);
    if ((machine->stack.count - from) & 1)
        return refuse_at(machine, "", " sets a key without a value");
    const tp_pickle_value *pairs = stack_at(machine, from);
    for (size_t i = 0; i < count; i++)
        if (tp_pickle_tag(pairs[2 * i]) != TP_PICKLE_TEXT)
            return refuse_at(machine, "a key at ", " is no text");
    struct tp_pickle_dict *dict = tp_pickle_node(*stack_at(machine, from - 1));
    if (count) {
        struct tp_pickle_row *row = tp_arena_alloc(machine->pickle->arena, sizeof *row + count * sizeof *row->values);
        row->shape = tp_pickle_add_shape(machine, pairs, (uint32_t)count);
        row->previous = dict->row;
        for (size_t i = 0; i < count; i++)
            row->values[i] = pairs[2 * i + 1];
        dict->row = row;
    }
    machine->stack.count = from;
    return TP_OK;
}

static int set_marked(struct tp_pickle_machine *machine)
{
    size_t from;
    if (!pop_mark(machine, &from))
        return refuse_missing_operand(machine);
    return add_members(machine, from, " sets items of something that is no dict");
}

static int set_one(struct tp_pickle_machine *machine)
{
    if (machine->stack.count < 3)
        return refuse_missing_operand(machine);
    return add_members(machine, machine->stack.count - 2, " sets an item of something that is no dict");
}

/* Replaces the values from the stack index `from` on by one tuple. */
static int make_tuple(struct tp_pickle_machine *machine, size_t from)
{
    static const tp_pickle_value nothing;
    size_t count = machine->stack.count - from;
    struct tp_pickle_part *tuple =
        tp_pickle_add_part(machine, count ? stack_at(machine, from) : &nothing, (uint32_t)count);
    machine->stack.count = from;
    return push_node(machine, tuple, TP_PICKLE_TUPLE);
}

static int make_short_tuple(struct tp_pickle_machine *machine, size_t count)
{
    return machine->stack.count < count ? refuse_missing_operand(machine)
                                        : make_tuple(machine, machine->stack.count - count);
}

static int make_marked_tuple(struct tp_pickle_machine *machine)
{
    size_t from;
    return pop_mark(machine, &from) ? make_tuple(machine, from) : refuse_missing_operand(machine);
}

static int push_mark(struct tp_pickle_machine *machine)
{
    *(uint32_t *)tp_vec_push(&machine->marks) = (uint32_t)machine->stack.count;
    return machine->marks.count > TP_MAX_PICKLE_STACK
               ? tp_error_set(machine->err, TP_ELIMIT, machine->opcode_at, "the pickle has more than %u open lists",
                              TP_MAX_PICKLE_STACK)
               : TP_OK;
}

/* ---- opcodes ---- */

/* Number of operand bytes of each opcode that has a fixed number of them. */
static const unsigned char operand_bytes[256] = {
    ['h'] = 1, ['j'] = 4,  ['K'] = 1, ['M'] = 2, ['J'] = 4, [0x8A] = 1, [0x8B] = 4, [0x8C] = 1,
    ['X'] = 4, [0x8D] = 8, ['G'] = 8, ['q'] = 1, ['r'] = 4, [0x95] = 8, [0x80] = 1,
};

static int begin_protocol(struct tp_pickle_machine *machine, unsigned protocol)
{
    if (machine->opcode_at)
        return refuse_at(machine, "a second pickle begins at ", "");
    machine->pickle->protocol = protocol;
    return protocol < 2 || protocol > 5
               ? tp_pickle_refuse(machine, TP_PICKLE_PROTOCOL, 0,
                                  "pickle protocol %u is not known; torch writes 2 (C++), 4 and 5", protocol)
               : TP_OK;
}

static int stop(struct tp_pickle_machine *machine)
{
    if (machine->stack.count != 1 || machine->marks.count)
        return tp_pickle_refuse(machine, TP_PICKLE_MALFORMED, machine->opcode_at,
                                "the pickle ends at byte %llu with %zu values open",
                                (unsigned long long)machine->opcode_at, machine->stack.count);
    machine->pickle->root = *top(machine);
    return DONE;
}

/* Executes an opcode that makes a value from operands in the file. */
static int push_operand(struct tp_pickle_machine *machine, const char *operand)
{
    switch (machine->opcode) {
    case 'K':
        return push_int(machine, (int64_t)little_endian(operand, 1));
    case 'M':
        return push_int(machine, (int64_t)little_endian(operand, 2));
    case 'J':
        return push_int(machine, (int32_t)little_endian(operand, 4));
    case 0x8A:
        return push_long(machine, (int64_t)little_endian(operand, 1));
    case 0x8B:
        return push_long(machine, (int32_t)little_endian(operand, 4));
    case 0x8C:
        return push_text(machine, little_endian(operand, 1));
    case 'X':
        return push_text(machine, little_endian(operand, 4));
    case 0x8D:
        return push_text(machine, little_endian(operand, 8));
    case 'G':
        return push_double(machine, operand);
    case 'N':
        return push(machine, tp_pickle_const(TP_PICKLE_NONE));
    case 0x88:
        return push(machine, tp_pickle_const(TP_PICKLE_TRUE));
    case 0x89:
        return push(machine, tp_pickle_const(TP_PICKLE_FALSE));
    case 0x80:
        return begin_protocol(machine, (unsigned char)operand[0]);
    case 0x95: /* FRAME: the length of a frame, which readers may ignore */
        return TP_OK;
    default:
        return tp_pickle_refuse_opcode(machine);
    }
}

/* Executes an opcode that makes or fills a container, and passes all other opcodes on. */
static int execute_other(struct tp_pickle_machine *machine, const char *operand)
{
    struct tp_arena *arena = machine->pickle->arena;
    switch (machine->opcode) {
    case '}':
        return push_node(machine, tp_arena_alloc(arena, sizeof(struct tp_pickle_dict)), TP_PICKLE_DICT);
    case ']':
        return push_node(machine, tp_arena_alloc(arena, sizeof(struct tp_pickle_list)), TP_PICKLE_LIST);
    case ')':
        return make_tuple(machine, machine->stack.count);
    case 'e':
        return append_marked(machine);
    case 'a':
        return append_one(machine);
    case 's':
        return set_one(machine);
    case 't':
        return make_marked_tuple(machine);
    case 0x85:
        return make_short_tuple(machine, 1);
    case 0x86:
        return make_short_tuple(machine, 2);
    case 0x87:
        return make_short_tuple(machine, 3);
    case 'q':
        return write_memo(machine, little_endian(operand, 1));
    case 'r':
        return write_memo(machine, little_endian(operand, 4));
    case '.':
        return stop(machine);
    default:
        return push_operand(machine, operand);
    }
}

/* Executes the opcodes of which a snapshot has most, and passes all other opcodes on. */
static inline int execute(struct tp_pickle_machine *machine, const char *operand)
{
    switch (machine->opcode) {
    case 'h': /* BINGET */
        return push_memo(machine, (unsigned char)operand[0]);
    case 'j': /* LONG_BINGET */
        return push_memo(machine, little_endian(operand, 4));
    case 0x94: /* MEMOIZE */
        return write_memo(machine, machine->memo_count);
    case '(':
        return push_mark(machine);
    case 'u':
        return set_marked(machine);
    default:
        return execute_other(machine, operand);
    }
}

static int run(struct tp_pickle_machine *machine)
{
    int code = TP_OK;
    while (code == TP_OK) {
        int status = machine->end - machine->at < OPCODE_BYTES ? tp_pickle_need(machine, OPCODE_BYTES) : 1;
        if (status < 0)
            return status;
        if (machine->at == machine->end)
            return tp_pickle_refuse_end(machine, false);
        machine->opcode_at = tp_pickle_offset(machine);
        machine->opcode = (unsigned char)*machine->at++;
        const char *operand = machine->at;
        unsigned size = operand_bytes[machine->opcode];
        if (size > (size_t)(machine->end - machine->at))
            return tp_pickle_refuse_end(machine, true);
        machine->at += size;
        code = execute(machine, operand);
    }
    return code < 0 ? code : TP_OK;
}

/* Checks that only NUL bytes follow the pickle, up to the end of the input. */
static int check_rest(struct tp_pickle_machine *machine)
{
    uint64_t end = tp_pickle_offset(machine);
    bool has_rest = false;
    int status = 1;
    while (status > 0) {
        for (; machine->at < machine->end; machine->at++)
            has_rest |= *machine->at != 0;
        status = tp_pickle_need(machine, 1);
    }
    if (status < 0)
        return status;
    uint64_t rest = tp_pickle_offset(machine) - end;
    return has_rest ? tp_pickle_refuse(machine, TP_PICKLE_TRAILING, end,
                                       "%llu bytes follow the end of the pickle at byte %llu", (unsigned long long)rest,
                                       (unsigned long long)end)
                    : TP_OK;
}

int tp_pickle_read(struct tp_pickle *pickle, const struct tp_pickle_input *input, struct tp_error *err)
{
    struct tp_arena *arena = pickle->arena;
    struct tp_pickle_machine machine = {.pickle = pickle,
                                        .feed = input->feed,
                                        .at = input->at,
                                        .end = input->end,
                                        .max_text_size =
                                            input->max_text_size ? input->max_text_size : TP_MAX_PICKLE_TEXT_BYTES,
                                        .files = input->files ? input->files : "memory snapshots",
                                        .checks_cut_texts = !input->max_text_size,
                                        .bytes_per_byte = input->bytes_per_byte,
                                        .stack = TP_VEC(arena, tp_pickle_value),
                                        .marks = TP_VEC(arena, uint32_t),
                                        .memo = TP_VEC(arena, tp_pickle_value),
                                        .recent_texts = {TP_NO_ID, TP_NO_ID},
                                        .err = err};
    pickle->shapes = TP_VEC(arena, struct tp_pickle_shape *);
    int status = tp_pickle_need(&machine, OPCODE_BYTES);
    if (status < 0)
        return status;
    if (machine.end - machine.at < 2 || (unsigned char)*machine.at != 0x80)
        return tp_pickle_refuse_start(&machine);
    int code = run(&machine);
    return code < 0 || input->may_have_rest ? code : check_rest(&machine);
}
