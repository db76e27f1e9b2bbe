/* Decodes payloads by their schemas: see nvtx_payload.h. */
#include "collector/source/nvtx_payload.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "collector/tracepress.h"

enum { MAX_SCHEMAS = 1024, MAX_FIELDS = 256, MAX_PAYLOADS = 16, NAME_BYTES = 256, PAGE = 4096 };
/* upper half of the numbers that this recorder assigns to schemas */
enum { FIRST_NUMBER = 1 };

/* Ways to read a field. */
enum kind { KIND_NONE, KIND_SIGNED, KIND_UNSIGNED, KIND_REAL, KIND_TEXT, KIND_POINTED, KIND_REGISTERED };

struct type {
    uint8_t kind, size;
};

/* Entry types, by NVTX's number. Fields of missing types are ignored, because their size is unknown. */
static const struct type types[] = {
    [TP_NVTX_CHAR] = {KIND_SIGNED, 1},
    [2] = {KIND_UNSIGNED, 1},
    [3] = {KIND_SIGNED, sizeof(short)},
    [4] = {KIND_UNSIGNED, sizeof(short)},
    [5] = {KIND_SIGNED, sizeof(int)},
    [6] = {KIND_UNSIGNED, sizeof(int)},
    [7] = {KIND_SIGNED, sizeof(long)},
    [8] = {KIND_UNSIGNED, sizeof(long)},
    [9] = {KIND_SIGNED, sizeof(long long)},
    [10] = {KIND_UNSIGNED, sizeof(long long)},
    [11] = {KIND_SIGNED, 1},
    [12] = {KIND_UNSIGNED, 1},
    [13] = {KIND_SIGNED, 2},
    [14] = {KIND_UNSIGNED, 2},
    [15] = {KIND_SIGNED, 4},
    [16] = {KIND_UNSIGNED, 4},
    [17] = {KIND_SIGNED, 8},
    [18] = {KIND_UNSIGNED, 8},
    [19] = {KIND_REAL, sizeof(float)},
    [20] = {KIND_REAL, sizeof(double)},
    [22] = {KIND_UNSIGNED, sizeof(size_t)},
    [23] = {KIND_UNSIGNED, sizeof(void *)},
    [24] = {KIND_UNSIGNED, sizeof(wchar_t)},
    [TP_NVTX_CHAR8] = {KIND_UNSIGNED, 1},
    [26] = {KIND_UNSIGNED, 2},
    [27] = {KIND_UNSIGNED, 4},
    [32] = {KIND_UNSIGNED, 1},
    [43] = {KIND_REAL, 4},
    [44] = {KIND_REAL, 8},
    [68] = {KIND_UNSIGNED, 4}, /* entry type 68; types 68 to 72 are category, colour, scope, process and thread */
    [69] = {KIND_UNSIGNED, 4},
    [70] = {KIND_UNSIGNED, 8},
    [71] = {KIND_UNSIGNED, 4},
    [72] = {KIND_UNSIGNED, 8},
    [73] = {KIND_UNSIGNED, 4},
    [74] = {KIND_UNSIGNED, 8},
    [TP_NVTX_TEXT] = {KIND_POINTED, sizeof(char *)},
    [TP_NVTX_TEXT_UTF8] = {KIND_POINTED, sizeof(char *)},
    [TP_NVTX_REGISTERED] = {KIND_REGISTERED, sizeof(void *)},
};

struct field {
    char name[64];
    uint32_t number; /* number of the field's name */
    struct type type;
    bool is_message, is_hidden;
    /* offset: position in the payload, bytes; count: number of elements, or bytes of a text */
    uint32_t offset, count;
    int32_t length_field; /* index of the field that contains the number of elements; -1: the number is `count` */
};

struct schema {
    uint64_t number;
    /* name: number of the schema's name; size: bytes of the whole payload, 0 if unknown */
    uint32_t name, size, field_count;
    struct field fields[];
};

static struct schema *_Atomic schemas[MAX_SCHEMAS];
static atomic_uint schema_count;

static struct schema *find_schema(uint64_t number)
{
    uint32_t count = atomic_load_explicit(&schema_count, memory_order_relaxed);
    uint64_t index = number - ((uint64_t)FIRST_NUMBER << 32);
    if (index < MAX_SCHEMAS)
        return atomic_load_explicit(&schemas[index], memory_order_acquire);
    for (uint32_t i = count < MAX_SCHEMAS ? count : MAX_SCHEMAS; i-- > 0;) {
        struct schema *schema = atomic_load_explicit(&schemas[i], memory_order_acquire);
        if (schema && schema->number == number)
            return schema;
    }
    return NULL;
}

/* ---- schemas ---- */

struct layout {
    struct schema *schema; /* schema that is being built, with room for MAX_FIELDS fields */
    uint32_t end, alignment;
    int32_t field_of_entry[MAX_FIELDS]; /* index of the field that belongs to entry i; -1: the entry has no field */
};

static struct type entry_type(const struct tp_nvtx_entry *entry)
{
    bool is_text = entry->type == TP_NVTX_TEXT || entry->type == TP_NVTX_TEXT_UTF8;
    if (is_text && entry->detail && !(entry->flags & (TP_NVTX_ELSEWHERE | TP_NVTX_ARRAY)))
        return (struct type){KIND_TEXT, 1}; /* the characters of the text are inside the payload */
    if ((entry->type == TP_NVTX_CHAR || entry->type == TP_NVTX_CHAR8 || is_text) &&
        (entry->flags & TP_NVTX_ARRAY) == TP_NVTX_ARRAY_FIXED)
        return (struct type){KIND_TEXT, 1};
    return entry->type < sizeof types / sizeof *types ? types[entry->type] : (struct type){KIND_NONE, 0};
}

static void name_field(struct field *field, const char *outer, const char *name)
{
    snprintf(field->name, sizeof field->name, "%.30s%s%.30s", outer, *outer ? "." : "", name ? name : "payload");
    field->number = tp_mark_intern(field->name);
}

static uint32_t field_offset(struct layout *layout, const struct tp_nvtx_entry *entry, uint32_t size)
{
    uint32_t alignment = layout->alignment && layout->alignment < size ? layout->alignment : size;
    alignment = alignment && alignment <= 8 ? alignment : 1;
    uint32_t natural = (layout->end + alignment - 1) / alignment * alignment;
    return entry->offset && entry->offset < UINT16_MAX ? (uint32_t)entry->offset : natural;
}

/* Adds the fields of the nested schema that an entry of this schema refers to. */
static void add_fields_of_nested_schema(struct layout *layout, const struct tp_nvtx_entry *entry)
{
    const struct schema *inner = find_schema(entry->type);
    struct schema *schema = layout->schema;
    uint32_t offset = field_offset(layout, entry, 8), first = schema->field_count;
    if (!inner || entry->flags & (TP_NVTX_ELSEWHERE | TP_NVTX_ARRAY))
        return;
    for (uint32_t i = 0; i < inner->field_count && schema->field_count < MAX_FIELDS; i++) {
        struct field *field = &schema->fields[schema->field_count++];
        *field = inner->fields[i];
        name_field(field, entry->name ? entry->name : "", inner->fields[i].name);
        field->offset += offset;
        field->length_field += field->length_field >= 0 ? (int32_t)first : 0;
    }
    layout->end = offset + inner->size;
}

static void add_entry(struct layout *layout, const struct tp_nvtx_entry *entry, size_t number)
{
    struct type type = entry_type(entry);
    uint64_t way = entry->flags & TP_NVTX_ARRAY;
    uint64_t count = way == TP_NVTX_ARRAY_FIXED || type.kind == KIND_TEXT ? entry->detail : 1;
    layout->field_of_entry[number] = -1;
    if (entry->type >= TP_NVTX_FIRST_SCHEMA) {
        add_fields_of_nested_schema(layout, entry);
        return;
    }
    uint32_t offset = field_offset(layout, entry, type.size);
    int32_t length_field =
        way == TP_NVTX_ARRAY_BY_ENTRY && entry->detail < number ? layout->field_of_entry[entry->detail] : -1;
    bool is_odd = type.kind == KIND_NONE || count == 0 || count > UINT16_MAX ||
                  (entry->flags & TP_NVTX_ELSEWHERE && type.kind != KIND_POINTED) ||
                  (way && way != TP_NVTX_ARRAY_FIXED && length_field < 0);
    if (is_odd || layout->schema->field_count == MAX_FIELDS)
        return;
    layout->end = offset + (uint32_t)count * type.size;
    layout->field_of_entry[number] = (int32_t)layout->schema->field_count;
    struct field *field = &layout->schema->fields[layout->schema->field_count++];
    *field = (struct field){.type = type,
                            .is_message = (entry->flags & TP_NVTX_IS_MESSAGE) != 0,
                            .is_hidden = (entry->flags & TP_NVTX_HIDDEN) != 0,
                            .offset = offset,
                            .count = (uint32_t)count,
                            .length_field = length_field};
    name_field(field, "", entry->name);
}

uint64_t tp_nvtx_schema_add(const struct tp_nvtx_schema *given)
{
    const uint64_t needed = TP_NVTX_HAS_ENTRIES | TP_NVTX_HAS_COUNT;
    struct layout layout = {.alignment = 0};
    if (!given || (given->fields & needed) != needed || !given->entries || given->type < 1 || given->type > 2)
        return 0; /* schemas with other layouts, such as unions, are not supported */
    struct schema *schema = calloc(1, sizeof *schema + MAX_FIELDS * sizeof *schema->fields);
    if (!schema)
        return 0;
    layout.schema = schema;
    layout.alignment = given->fields & TP_NVTX_HAS_ALIGNMENT ? (uint32_t)(given->alignment & 0xff) : 0;
    for (size_t i = 0; i < given->entry_count && i < MAX_FIELDS; i++)
        add_entry(&layout, &given->entries[i], i);
    bool has_size = given->fields & TP_NVTX_HAS_SIZE && given->static_size && given->static_size < UINT32_MAX;
    schema->size = has_size ? (uint32_t)given->static_size : layout.end;
    schema->name = given->fields & TP_NVTX_HAS_NAME && given->name ? tp_mark_intern(given->name) : 0;
    uint32_t index = atomic_fetch_add(&schema_count, 1);
    bool is_own = given->fields & TP_NVTX_HAS_NUMBER && given->number >= TP_NVTX_FIRST_SCHEMA &&
                  given->number >> 32 < FIRST_NUMBER;
    if (index >= MAX_SCHEMAS) {
        free(schema);
        return 0;
    }
    schema->number = is_own ? given->number : ((uint64_t)FIRST_NUMBER << 32) + index;
    struct schema *fitted = realloc(schema, sizeof *schema + schema->field_count * sizeof *schema->fields);
    atomic_store_explicit(&schemas[index], fitted ? fitted : schema, memory_order_release);
    return find_schema(((uint64_t)FIRST_NUMBER << 32) + index)->number;
}

/* ---- values ---- */

/* Copies a text of the program from `address`, which may not be mapped, because the program may declare a number as a
 * text. Returns the length of the text. */
static size_t read_program_text(char *to, size_t size, uint64_t address)
{
    uint64_t rest = PAGE - address % PAGE;
    size_t first = rest < size ? (size_t)rest : size;
    struct iovec local = {to, size};
    // NOLINTBEGIN(performance-no-int-to-ptr): an address that the program passed as a number
    struct iovec remote[] = {{(void *)(uintptr_t)address, first}, {(void *)(uintptr_t)(address + first), size - first}};
    // NOLINTEND(performance-no-int-to-ptr)
    ssize_t n = address ? process_vm_readv(getpid(), &local, 1, remote, size > first ? 2 : 1, 0) : 0;
    return n > 0 ? strnlen(to, (size_t)n) : 0;
}

/* Returns element `i` of a field as 8 bytes: an integer of 64 bits, or a double. */
static uint64_t read_element_as_64_bits(const struct field *field, const char *bytes, size_t i)
{
    const char *at = bytes + field->offset + i * field->type.size;
    uint64_t bits = 0;
    float small;
    double real;
    /* copies into the low bytes, because all supported systems are little-endian */
    memcpy(&bits, at, field->type.size);
    if (field->type.kind == KIND_REAL && field->type.size == sizeof small) {
        memcpy(&small, at, sizeof small);
        real = small;
        memcpy(&bits, &real, sizeof bits);
    } else if (field->type.kind == KIND_SIGNED && field->type.size < sizeof bits) {
        unsigned shift = 64 - 8u * field->type.size;
        bits = (uint64_t)((int64_t)(bits << shift) >> shift);
    }
    return bits;
}

/* Returns the number of elements of a field, or 0 if the field is not inside the payload. */
static size_t element_count(const struct schema *schema, const struct field *field,
                            const struct tp_nvtx_payload *payload)
{
    size_t count = field->count;
    if (field->length_field >= 0) {
        const struct field *by = &schema->fields[field->length_field];
        bool is_there = by->offset < payload->size && by->type.size <= payload->size - by->offset;
        count = is_there ? (size_t)read_element_as_64_bits(by, payload->bytes, 0) : 0;
    }
    size_t room = field->offset < payload->size ? payload->size - field->offset : 0;
    if (field->type.kind == KIND_TEXT)
        return count < room ? count : room;
    return field->type.size && count <= room / field->type.size ? count : 0;
}

/* Reads the text of a field. Returns false if the field is not a text. */
static bool read_field_text(struct tp_mark_text *text, const struct field *field, const char *bytes, size_t count,
                            char *room)
{
    if (field->type.kind == KIND_REGISTERED) {
        *text = tp_mark_number((uint32_t)read_element_as_64_bits(field, bytes, 0) & ~TP_SPOOL_ITT);
    } else if (field->type.kind == KIND_POINTED) {
        size_t n = read_program_text(room, NAME_BYTES, read_element_as_64_bits(field, bytes, 0));
        *text = (struct tp_mark_text){TP_SPOOL_NO_NAME, (uint32_t)n, room};
    } else if (field->type.kind == KIND_TEXT) {
        size_t most = count < TP_NAME_BYTES ? count : TP_NAME_BYTES;
        *text = (struct tp_mark_text){TP_SPOOL_NO_NAME, (uint32_t)strnlen(bytes + field->offset, most),
                                      bytes + field->offset};
    } else {
        return false;
    }
    return true;
}

static void put_field(const struct field *field, struct tp_spool_fact_head head, const char *bytes, size_t count)
{
    static const uint8_t types_by_kind[] = {
        [KIND_SIGNED] = TP_SPOOL_SIGNED, [KIND_UNSIGNED] = TP_SPOOL_UNSIGNED, [KIND_REAL] = TP_SPOOL_REAL};
    uint64_t values[TP_MARK_VALUES];
    char room[NAME_BYTES];
    struct tp_mark_text text;
    if (read_field_text(&text, field, bytes, count, room)) {
        const char *named = text.number == TP_SPOOL_NO_NAME ? text.bytes : tp_mark_name_of_number(text.number);
        head.type = TP_SPOOL_TEXT;
        tp_mark_write_text_fact(field->number, &head, named, text.number == TP_SPOOL_NO_NAME ? text.size : SIZE_MAX);
        return;
    }
    head.count = (uint16_t)(count < TP_MARK_VALUES ? count : TP_MARK_VALUES);
    head.type = types_by_kind[field->type.kind];
    for (size_t i = 0; i < head.count; i++)
        values[i] = read_element_as_64_bits(field, bytes, i);
    tp_mark_write_values(field->number, &head, values);
}

/* Returns the schema of a payload, and sets the size of the payload if it is unknown. Returns NULL if the payload has
 * no bytes or no known schema. */
static const struct schema *resolve_schema(struct tp_nvtx_payload *payload)
{
    const struct schema *schema = payload->bytes ? find_schema(payload->schema) : NULL;
    if (schema && payload->size == SIZE_MAX)
        payload->size = schema->size;
    return schema;
}

static bool is_recording(void)
{
    return __atomic_load_n(&tracepress_recording_, __ATOMIC_RELAXED) != 0;
}

void tp_nvtx_payload_put_facts(uint32_t domain, uint64_t key, const struct tp_nvtx_payload *payloads, size_t count)
{
    const struct tp_spool_fact_head head = {.key = key, .domain = domain};
    for (size_t p = 0; payloads && is_recording() && p < count && p < MAX_PAYLOADS; p++) {
        struct tp_nvtx_payload payload = payloads[p];
        const struct schema *schema = resolve_schema(&payload);
        for (uint32_t i = 0; schema && i < schema->field_count; i++) {
            const struct field *field = &schema->fields[i];
            size_t elements = field->is_message || field->is_hidden ? 0 : element_count(schema, field, &payload);
            if (elements)
                put_field(field, head, payload.bytes, elements);
        }
    }
}

struct tp_mark_text tp_nvtx_payload_message(const struct tp_nvtx_payload *payloads, size_t count,
                                            struct tp_nvtx_text *room)
{
    struct tp_mark_text text = tp_mark_number(0);
    for (size_t p = 0; payloads && is_recording() && p < count && p < MAX_PAYLOADS; p++) {
        struct tp_nvtx_payload payload = payloads[p];
        const struct schema *schema = resolve_schema(&payload);
        for (uint32_t i = 0; schema && i < schema->field_count; i++) {
            const struct field *field = &schema->fields[i];
            size_t elements = field->is_message ? element_count(schema, field, &payload) : 0;
            if (elements && read_field_text(&text, field, payload.bytes, elements, room->bytes))
                return text;
        }
        if (text.number == 0 && schema)
            text = tp_mark_number(schema->name);
    }
    return text;
}

/* Returns the first element of a field as the value of a counter. */
static double first_element_value(const struct field *field, const char *bytes)
{
    uint64_t bits = read_element_as_64_bits(field, bytes, 0);
    double real;
    memcpy(&real, &bits, sizeof real);
    return field->type.kind == KIND_REAL     ? real
           : field->type.kind == KIND_SIGNED ? (double)(int64_t)bits
                                             : (double)bits;
}

void tp_nvtx_payload_put_sample(const char *name, uint32_t number, const struct tp_nvtx_payload *value)
{
    char text[NAME_BYTES];
    struct tp_nvtx_payload payload = *value;
    const struct type plain = payload.schema < sizeof types / sizeof *types ? types[payload.schema] : types[0];
    const struct schema *schema = is_recording() ? resolve_schema(&payload) : NULL;
    if (!schema && plain.kind && plain.kind <= KIND_REAL && payload.bytes && payload.size >= plain.size)
        tracepress_counter(number, first_element_value(&(struct field){.type = plain}, payload.bytes));
    for (uint32_t i = 0; schema && i < schema->field_count; i++) {
        const struct field *field = &schema->fields[i];
        if (field->type.kind > KIND_REAL || element_count(schema, field, &payload) == 0)
            continue;
        snprintf(text, sizeof text, "%.180s.%s", name, field->name);
        tracepress_counter(tracepress_intern(text), first_element_value(field, payload.bytes));
    }
}
