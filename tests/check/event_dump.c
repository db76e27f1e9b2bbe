/* event_dump FILE: prints a TensorBoard event file as text, one line per value. If the file is broken, prints the
 * reason and exits with 1. This is an independent reader: it parses framing and protobuf fields without code of
 * tracepress. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
    const unsigned char *p, *end;
};

struct field {
    unsigned number, type;
    uint64_t value;   /* value of a varint, or bits of a fixed-size number */
    struct bytes sub; /* bytes of a length-delimited value */
};

static void report_broken(const char *what)
{
    printf("broken: %s\n", what);
    exit(1);
}

static uint64_t read_little_endian(const unsigned char *p, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)p[i] << 8 * i;
    return value;
}

static uint32_t masked_crc(const unsigned char *p, size_t size)
{
    uint32_t crc = ~0u;
    for (; size; size--) {
        crc ^= *p++;
        for (int i = 0; i < 8; i++)
            crc = crc & 1 ? 0x82F63B78u ^ (crc >> 1) : crc >> 1;
    }
    crc = ~crc;
    return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

static uint64_t read_varint(struct bytes *in)
{
    uint64_t value = 0;
    for (unsigned shift = 0; in->p < in->end && shift < 64; shift += 7) {
        unsigned char c = *in->p++;
        value |= (uint64_t)(c & 127) << shift;
        if (c < 128)
            return value;
    }
    report_broken("a number does not end");
    return 0;
}

static bool next_field(struct bytes *in, struct field *field)
{
    if (in->p == in->end)
        return false;
    uint64_t key = read_varint(in);
    *field = (struct field){.number = (unsigned)(key >> 3), .type = (unsigned)(key & 7)};
    size_t left = (size_t)(in->end - in->p), size = field->type == 1 ? 8 : field->type == 5 ? 4 : 0;
    if (field->type == 0) {
        field->value = read_varint(in);
        return true;
    }
    if (field->type == 2) {
        size = read_varint(in);
        left = (size_t)(in->end - in->p);
    } else if (size == 0) {
        report_broken("a field of unknown type");
    }
    if (size > left)
        report_broken("a field is longer than its message");
    if (field->type == 2)
        field->sub = (struct bytes){in->p, in->p + size};
    else
        field->value = read_little_endian(in->p, (unsigned)size);
    in->p += size;
    return true;
}

static struct bytes find_field(struct bytes message, unsigned number)
{
    struct field field;
    struct bytes found = {NULL, NULL};
    while (next_field(&message, &field))
        if (field.number == number && field.type == 2)
            found = field.sub;
    return found;
}

static double bits_to_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double bits_to_float(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static void print_text(struct bytes text)
{
    for (; text.p < text.end; text.p++)
        if (*text.p == '\n')
            printf("\\n");
        else if (*text.p < ' ' || *text.p > '~')
            printf("\\x%02x", *text.p);
        else
            putchar(*text.p);
}

static void print_value(struct bytes value)
{
    struct bytes metadata = find_field(value, 9), tensor = find_field(value, 8);
    struct field field;
    printf("  ");
    print_text(find_field(value, 1));
    if (metadata.p) {
        printf(" [");
        print_text(find_field(find_field(metadata, 1), 1));
        printf("]");
    }
    while (next_field(&value, &field)) {
        if (field.number == 2 && field.type == 5)
            printf(" = %.6g", bits_to_float(field.value));
        else if (field.number == 5)
            for (struct field part; next_field(&field.sub, &part);)
                part.type == 1 ? (void)printf(" %.6g", bits_to_double(part.value))
                               : (void)printf(" %zu", (size_t)(part.sub.end - part.sub.p) / 8);
    }
    if (tensor.p && find_field(tensor, 8).p) {
        printf(": ");
        print_text(find_field(tensor, 8));
    }
    printf("\n");
}

static void print_call_stack_attribute(struct bytes node)
{
    struct field attribute;
    while (next_field(&node, &attribute)) {
        struct bytes key = attribute.number == 5 ? find_field(attribute.sub, 1) : (struct bytes){NULL, NULL};
        if (key.end - key.p == 9 && memcmp(key.p, "call_site", 9) == 0) {
            printf(" at ");
            print_text(find_field(find_field(attribute.sub, 2), 2));
        }
    }
}

static void print_graph(struct bytes graph)
{
    struct field node;
    while (next_field(&graph, &node)) {
        if (node.number != 1)
            continue;
        struct bytes after = find_field(node.sub, 3);
        printf("  node ");
        print_text(find_field(node.sub, 1));
        printf(" after ");
        print_text(after);
        print_call_stack_attribute(node.sub);
        printf("\n");
    }
}

static void print_memory(struct bytes memory)
{
    struct field part;
    while (next_field(&memory, &part))
        if (part.number == 2)
            printf(" %llu bytes", (unsigned long long)part.value);
}

static void print_step_costs(struct bytes tagged)
{
    struct bytes metadata = find_field(tagged, 2), steps = find_field(metadata, 1);
    struct field device, stats, part;
    printf("  cost ");
    print_text(find_field(tagged, 1));
    printf("\n");
    while (next_field(&steps, &device))
        while (next_field(&device.sub, &stats)) {
            if (stats.number != 2)
                continue;
            printf("    ");
            print_text(find_field(stats.sub, 1));
            while (next_field(&stats.sub, &part))
                if (part.type == 0 && (part.number == 2 || part.number == 5))
                    printf(" %llu", (unsigned long long)part.value);
                else if (part.number == 6)
                    print_memory(part.sub);
            printf("\n");
        }
}

static void print_event(struct bytes event)
{
    struct field field, value;
    double wall = 0;
    long long step = 0;
    struct bytes rest = event;
    while (next_field(&rest, &field)) {
        if (field.number == 1)
            wall = bits_to_double(field.value);
        if (field.number == 2)
            step = (long long)field.value;
    }
    if (!isfinite(wall))
        report_broken("a wall time is not finite");
    printf("%.3f step %lld\n", wall, step);
    while (next_field(&event, &field)) {
        if (field.number == 3) {
            printf("  version ");
            print_text(field.sub);
            printf("\n");
        } else if (field.number == 4) {
            print_graph(field.sub);
        } else if (field.number == 5) {
            while (next_field(&field.sub, &value))
                print_value(value.sub);
        } else if (field.number == 8) {
            print_step_costs(field.sub);
        }
    }
}

int main(int argc, char **argv)
{
    enum { MOST = 300 << 20 };
    unsigned char *data = malloc(MOST);
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    size_t size = file && data ? fread(data, 1, MOST, file) : 0;
    if (!size)
        report_broken("nothing to read");
    for (size_t at = 0; at < size;) {
        if (size - at < 16 || read_little_endian(data + at, 8) > size - at - 16)
            report_broken("a record is cut off");
        size_t length = (size_t)read_little_endian(data + at, 8);
        if (read_little_endian(data + at + 8, 4) != masked_crc(data + at, 8))
            report_broken("checksum of a length");
        if (read_little_endian(data + at + 12 + length, 4) != masked_crc(data + at + 12, length))
            report_broken("checksum of a record");
        print_event((struct bytes){data + at + 12, data + at + 12 + length});
        at += length + 16;
    }
    fclose(file);
    free(data);
    return 0;
}
