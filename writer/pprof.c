/* Builds profiles for pprof: see pprof.h. Each sample is packed immediately, because protobuf parsers merge
 * concatenated messages. */
#include "writer/pprof.h"

#include <string.h>

#include "writer/base/gzip_out.h"
#include "writer/base/keys.h"
#include "writer/proto/pprof.pb-c.h"

struct tp_pprof {
    struct tp_arena *arena;
    struct tp_strings texts; /* all texts of the profile; id 0 is the empty text, as pprof requires */
    struct tp_vec types;     /* types of the values; elements: Tp__PprofValueType */
    /* functions: keys (name id, file id); locations: keys (function id, line) */
    struct tp_keys functions, locations;
    struct tp_vec packed; /* packed messages of type Profile, each with one sample */
    /* program: id of the program's name; first_type: id of the default type's text, or 0 */
    int64_t program, first_type;
};

struct tp_pprof *tp_pprof_new(struct tp_arena *arena, struct tp_str program)
{
    struct tp_pprof *pprof = tp_arena_alloc(arena, sizeof *pprof);
    pprof->arena = arena;
    tp_strings_init(&pprof->texts, arena, 0);
    tp_strings_add(&pprof->texts, TP_STR(""));
    pprof->types = TP_VEC(arena, Tp__PprofValueType);
    tp_keys_init(&pprof->functions, arena, 2);
    tp_keys_init(&pprof->locations, arena, 2);
    pprof->packed = TP_VEC(arena, uint8_t);
    pprof->program = tp_strings_add(&pprof->texts, program);
    return pprof;
}

static int64_t find_or_add_text(struct tp_pprof *pprof, const char *text)
{
    return tp_strings_add(&pprof->texts, tp_str_of(text));
}

void tp_pprof_add_type(struct tp_pprof *pprof, const char *type, const char *unit, bool is_default)
{
    Tp__PprofValueType *value = tp_vec_push(&pprof->types);
    tp__pprof_value_type__init(value);
    value->type = find_or_add_text(pprof, type);
    value->unit = find_or_add_text(pprof, unit);
    if (is_default)
        pprof->first_type = value->type;
}

uint64_t tp_pprof_add_location(struct tp_pprof *pprof, struct tp_str function, struct tp_str file, int64_t line)
{
    uint32_t name = tp_strings_add(&pprof->texts, function), place = tp_strings_add(&pprof->texts, file);
    uint32_t number = tp_keys_pair(&pprof->functions, name, place);
    return 1 + (uint64_t)tp_keys_pair(&pprof->locations, number, (uint32_t)line);
}

/* Appends a packed message. Repeated fields may be distributed over several messages. */
static void append_packed_message(struct tp_pprof *pprof, const ProtobufCMessage *message)
{
    size_t size = protobuf_c_message_get_packed_size(message), at = pprof->packed.count;
    for (size_t i = 0; i < size; i++)
        tp_vec_push(&pprof->packed);
    protobuf_c_message_pack(message, (uint8_t *)pprof->packed.data + at);
}

void tp_pprof_sample(struct tp_pprof *pprof, const struct tp_pprof_sample *given)
{
    enum { MOST_LABELS = 8 };
    Tp__PprofLabel labels[MOST_LABELS], *pointers[MOST_LABELS];
    Tp__PprofSample sample = TP__PPROF_SAMPLE__INIT, *one = &sample;
    Tp__PprofProfile profile = TP__PPROF_PROFILE__INIT;
    for (size_t i = 0; i < given->label_count && i < MOST_LABELS; i++) {
        tp__pprof_label__init(&labels[i]);
        labels[i].key = find_or_add_text(pprof, given->labels[i].key);
        labels[i].str = given->labels[i].text.ptr ? tp_strings_add(&pprof->texts, given->labels[i].text) : 0;
        labels[i].num = given->labels[i].text.ptr ? 0 : given->labels[i].number;
        pointers[i] = &labels[i];
        sample.n_label = i + 1;
    }
    sample.label = pointers;
    sample.n_location_id = given->depth;
    sample.location_id = (uint64_t *)given->locations; /* the cast is safe, because packing only reads the locations */
    sample.n_value = pprof->types.count;
    sample.value = (int64_t *)given->values;
    profile.n_sample = 1;
    profile.sample = &one;
    append_packed_message(pprof, &profile.base);
}

/* ---- the tables ---- */

static void put_functions(struct tp_pprof *pprof)
{
    Tp__PprofFunction function = TP__PPROF_FUNCTION__INIT, *one = &function;
    Tp__PprofProfile profile = TP__PPROF_PROFILE__INIT;
    profile.n_function = 1;
    profile.function = &one;
    for (uint32_t i = 0; i < tp_keys_count(&pprof->functions); i++) {
        const uint32_t *key = tp_keys_get(&pprof->functions, i);
        function.id = i + 1;
        function.name = function.system_name = key[0];
        function.filename = key[1];
        append_packed_message(pprof, &profile.base);
    }
}

static void put_locations(struct tp_pprof *pprof)
{
    Tp__PprofLine line = TP__PPROF_LINE__INIT, *line_pointer = &line;
    Tp__PprofLocation location = TP__PPROF_LOCATION__INIT, *one = &location;
    Tp__PprofProfile profile = TP__PPROF_PROFILE__INIT;
    location.mapping_id = 1;
    location.n_line = 1;
    location.line = &line_pointer;
    profile.n_location = 1;
    profile.location = &one;
    for (uint32_t i = 0; i < tp_keys_count(&pprof->locations); i++) {
        const uint32_t *key = tp_keys_get(&pprof->locations, i);
        location.id = i + 1;
        line.function_id = key[0] + 1;
        line.line = key[1];
        append_packed_message(pprof, &profile.base);
    }
}

/* Writes the profile's only mapping. Its flags make pprof keep the names that the profile already has. */
static void put_mapping(struct tp_pprof *pprof)
{
    Tp__PprofMapping mapping = TP__PPROF_MAPPING__INIT, *one = &mapping;
    Tp__PprofProfile profile = TP__PPROF_PROFILE__INIT;
    mapping.id = 1;
    mapping.filename = pprof->program;
    mapping.has_functions = mapping.has_filenames = mapping.has_line_numbers = mapping.has_inline_frames = true;
    profile.n_mapping = 1;
    profile.mapping = &one;
    append_packed_message(pprof, &profile.base);
}

static void put_texts(struct tp_pprof *pprof)
{
    Tp__PprofProfile profile = TP__PPROF_PROFILE__INIT;
    ProtobufCBinaryData text;
    profile.n_string_table = 1;
    profile.string_table = &text;
    for (uint32_t i = 0; i < pprof->texts.count; i++) {
        struct tp_str shown = tp_strings_get(&pprof->texts, i);
        text = (ProtobufCBinaryData){shown.len, (uint8_t *)shown.ptr};
        append_packed_message(pprof, &profile.base);
    }
}

struct tp_str tp_pprof_finish(struct tp_pprof *pprof, const struct tp_pprof_times *times)
{
    size_t count = pprof->types.count;
    Tp__PprofProfile head = TP__PPROF_PROFILE__INIT;
    Tp__PprofValueType period = TP__PPROF_VALUE_TYPE__INIT;
    Tp__PprofValueType **types = tp_arena_array(pprof->arena, count + 1, sizeof *types);
    period.type = find_or_add_text(pprof, "cpu");
    period.unit = find_or_add_text(pprof, "nanoseconds");
    for (size_t i = 0; i < count; i++)
        types[i] = TP_AT(&pprof->types, Tp__PprofValueType, i);
    head.n_sample_type = count;
    head.sample_type = types;
    head.time_nanos = times->begin_ns;
    head.duration_nanos = times->length_ns;
    head.period_type = &period;
    head.period = times->period_ns;
    head.default_sample_type = pprof->first_type;
    append_packed_message(pprof, &head.base);
    put_mapping(pprof);
    put_functions(pprof);
    put_locations(pprof);
    put_texts(pprof);
    struct tp_str bytes = {pprof->packed.data, pprof->packed.count};
    return tp_gzip_texts(pprof->arena, &bytes, 1);
}
