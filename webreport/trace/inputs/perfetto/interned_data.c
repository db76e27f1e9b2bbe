/* Reads interned data of packets into the tables of a sequence: see interned_data.h. Fields are those of Perfetto's
 * message InternedData and of the messages in it. */
#include "webreport/trace/inputs/perfetto/interned_data.h"

#include "webreport/trace/inputs/perfetto/wire.h"

/* The fields of InternedData with texts. Each message has its iid in field 1. */
static const struct text_field {
    uint32_t number;
    enum tp_interned_table table;
    uint32_t text, other_text; /* fields of the text, the second one if the first is absent; 0: none */
} text_fields[] = {{1, TP_INTERNED_CATEGORIES, 2, 0},       {2, TP_INTERNED_NAMES, 2, 0},
                   {3, TP_INTERNED_ANNOTATION_NAMES, 2, 0}, {24, TP_INTERNED_STAGES, 2, 0},
                   {29, TP_INTERNED_STRINGS, 2, 0},         {1000, TP_INTERNED_KERNELS, 3, 2},
                   {1001, TP_INTERNED_ARGUMENTS, 2, 0}};

enum { FIELD_COUNTERS = 47, FIELD_KERNELS = 1000 };

bool tp_interned_data_read_argument(const struct tp_interned *interned, const struct tp_sequence *sequence,
                                    struct tp_str message, struct tp_str *name, int64_t *value)
{
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    *name = TP_STR("");
    while (tp_wire_next(&wire, &field)) {
        if (tp_wire_is(&field, 1, TP_WIRE_NUMBER))
            *name = tp_interned_text(interned, tp_interned_get(interned, sequence, TP_INTERNED_ARGUMENTS, field.value));
        else if (tp_wire_is(&field, 2, TP_WIRE_BYTES))
            *name = field.bytes;
        else if (tp_wire_is(&field, 3, TP_WIRE_NUMBER) || tp_wire_is(&field, 4, TP_WIRE_NUMBER))
            *value = (int64_t)field.value;
    }
    return !wire.is_broken;
}

/* Reads the architecture and the registers of an InternedComputeKernel, whose name is an interned text. */
static bool read_kernel(struct tp_interned *interned, const struct tp_sequence *sequence, uint32_t text,
                        struct tp_str message)
{
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    while (tp_wire_next(&wire, &field)) {
        struct tp_str name;
        int64_t value = TP_NULL_INT;
        if (tp_wire_is(&field, 4, TP_WIRE_BYTES)) {
            uint32_t arch = tp_interned_add_text(interned, field.bytes);
            tp_interned_details(interned, text)->arch = arch;
        } else if (tp_wire_is(&field, 5, TP_WIRE_BYTES)) {
            if (!tp_interned_data_read_argument(interned, sequence, field.bytes, &name, &value))
                return false;
            if (value != TP_NULL_INT && tp_str_equal(name, TP_STR("registers_per_thread")))
                tp_interned_details(interned, text)->registers = value;
        }
    }
    return !wire.is_broken;
}

static bool read_text(struct tp_interned *interned, struct tp_sequence *sequence, const struct text_field *kind,
                      struct tp_str message)
{
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    struct tp_str text = {NULL, 0}, other = {NULL, 0};
    uint64_t iid = 0;
    while (tp_wire_next(&wire, &field)) {
        if (tp_wire_is(&field, 1, TP_WIRE_NUMBER))
            iid = field.value;
        else if (tp_wire_is(&field, kind->text, TP_WIRE_BYTES))
            text = field.bytes;
        else if (tp_wire_is(&field, kind->other_text, TP_WIRE_BYTES))
            other = field.bytes;
    }
    if (wire.is_broken)
        return false;
    uint32_t id = tp_interned_set(interned, sequence, kind->table, iid, text.len ? text : other);
    return kind->number != FIELD_KERNELS || read_kernel(interned, sequence, id, message);
}

/* Reads the id and the name of one counter. */
static bool read_counter_name(struct tp_interned *interned, const struct tp_sequence *sequence, uint64_t iid,
                              struct tp_str message)
{
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    struct tp_str name = TP_STR("");
    uint64_t counter = 0;
    while (tp_wire_next(&wire, &field)) {
        if (tp_wire_is(&field, 1, TP_WIRE_NUMBER))
            counter = field.value;
        else if (tp_wire_is(&field, 2, TP_WIRE_BYTES))
            name = field.bytes;
    }
    if (wire.is_broken)
        return false;
    tp_interned_set_counter(interned, sequence, iid, counter, name);
    return true;
}

bool tp_interned_data_read_counters(struct tp_interned *interned, const struct tp_sequence *sequence, uint64_t iid,
                                    uint64_t device, struct tp_str message)
{
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    tp_interned_set_device(interned, sequence, iid, (int64_t)device);
    while (tp_wire_next(&wire, &field))
        if (tp_wire_is(&field, 1, TP_WIRE_BYTES) && !read_counter_name(interned, sequence, iid, field.bytes))
            return false;
    return !wire.is_broken;
}

/* Reads an InternedGpuCounterDescriptor: iid, description and device. */
static bool read_counters(struct tp_interned *interned, const struct tp_sequence *sequence, struct tp_str message)
{
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    struct tp_str description = {NULL, 0};
    uint64_t iid = 0, device = 0;
    while (tp_wire_next(&wire, &field)) {
        if (tp_wire_is(&field, 1, TP_WIRE_NUMBER))
            iid = field.value;
        else if (tp_wire_is(&field, 2, TP_WIRE_BYTES))
            description = field.bytes;
        else if (tp_wire_is(&field, 3, TP_WIRE_NUMBER))
            device = field.value;
    }
    return !wire.is_broken && tp_interned_data_read_counters(interned, sequence, iid, device, description);
}

bool tp_interned_data_read(struct tp_interned *interned, struct tp_sequence *sequence, struct tp_str message)
{
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    while (tp_wire_next(&wire, &field)) {
        bool is_good = true;
        for (size_t i = 0; i < sizeof text_fields / sizeof *text_fields; i++)
            if (tp_wire_is(&field, text_fields[i].number, TP_WIRE_BYTES))
                is_good = read_text(interned, sequence, &text_fields[i], field.bytes);
        if (tp_wire_is(&field, FIELD_COUNTERS, TP_WIRE_BYTES))
            is_good = read_counters(interned, sequence, field.bytes);
        if (!is_good)
            return false;
    }
    return !wire.is_broken;
}
