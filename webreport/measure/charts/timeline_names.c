/* Appends to the sections of the timeline's data, and gives names their numbers. Implements a part of
 * timeline_pack.h. */
#include "webreport/measure/charts/timeline_pack.h"

#include "webreport/model/marks.h"
#include "writer/base/limits.h"
#include "writer/base/utf8.h"

enum { WORD_BITS = 64 };

/* ---- columns ---- */

void tp_pack_reserve_bytes(struct tp_pack *pack, enum tp_pack_section section, size_t size)
{
    struct tp_pack_column *column = &pack->sections[section];
    if (column->capacity - column->size >= size)
        return;
    size_t capacity = column->capacity + column->capacity / 2 + size + 4096;
    column->data = tp_arena_resize(pack->arena, column->data, column->capacity, capacity);
    column->capacity = capacity;
}

/* ---- names ---- */

/* Returns the name as the page shows it, shortened to about TP_MAX_SHOWN_NAME_BYTES bytes. Never cuts a UTF-8
 * sequence. Sets *full to the full name, or to "" if it is the same. */
static struct tp_str shorten_name_for_page(const struct tp_pack *pack, uint32_t id, enum tp_slice_class class,
                                           struct tp_str *full)
{
    struct tp_str name = tp_strings_get(&pack->timeline->model->trace->names, id);
    *full = TP_STR("");
    uint64_t marks = pack->timeline->model->marks[id];
    bool is_collective = marks & TP_MARK_COMM_KERNEL && !(marks & TP_MARK_HOST_COMM);
    bool is_kernel = class == TP_SLICE_KERNEL || class == TP_SLICE_MEMCPY || class == TP_SLICE_MEMSET ||
                     (class == TP_SLICE_COMMUNICATION && is_collective);
    if (pack->options->show) {
        const void *context = pack->options->context;
        struct tp_str shown = (is_kernel ? pack->options->show_kernel : pack->options->show)(context, name);
        struct tp_str whole = pack->options->show_full(context, name);
        *full = tp_str_equal(shown, whole) ? TP_STR("") : whole;
        return shown;
    }
    name.len = tp_utf8_fitting_bytes(name.ptr, name.len, TP_MAX_SHOWN_NAME_BYTES);
    return name;
}

void tp_pack_add_text(struct tp_pack *pack, enum tp_pack_section sizes, enum tp_pack_section bytes, struct tp_str text)
{
    struct tp_pack_column *column = &pack->sections[bytes];
    tp_pack_reserve_bytes(pack, sizes, TP_PACK_MAX_VARINT);
    tp_pack_reserve_bytes(pack, bytes, text.len);
    tp_pack_add_number(&pack->sections[sizes], text.len);
    if (text.len)
        memcpy(column->data + column->size, text.ptr, text.len);
    column->size += text.len;
}

uint32_t tp_pack_add_argument_text(struct tp_pack *pack, struct tp_str text)
{
    const struct tp_timeline_options *options = pack->options;
    if (options->show_argument)
        text = options->show_argument(options->context, text);
    if (pack->sections[TP_PACK_ARGUMENT_BYTES].size + text.len > pack->max_name_bytes) {
        pack->timeline->arguments_left_out++;
        return 0;
    }
    tp_pack_add_text(pack, TP_PACK_ARGUMENT_SIZES, TP_PACK_ARGUMENT_BYTES, text);
    return ++pack->argument_text_count;
}

void tp_pack_add_name(struct tp_pack *pack, struct tp_str name, struct tp_str full, uint8_t class)
{
    tp_pack_add_text(pack, TP_PACK_FULL_SIZES, TP_PACK_FULL_BYTES, full);
    tp_pack_reserve_bytes(pack, TP_PACK_NAME_CLASSES, 1);
    tp_pack_add_text(pack, TP_PACK_NAME_SIZES, TP_PACK_NAME_BYTES, name);
    struct tp_pack_column *classes = &pack->sections[TP_PACK_NAME_CLASSES];
    classes->data[classes->size++] = class;
    pack->name_count++;
}

/* Gives a name the next number, which is stored in *number. Stores 0 if there is no space for the name. */
static uint32_t number_name(struct tp_pack *pack, uint32_t id, enum tp_slice_class class, uint32_t *number)
{
    if (*number || pack->name_count > TP_PACK_MAX_NAMES)
        return *number;
    struct tp_str full, name = shorten_name_for_page(pack, id, class, &full);
    size_t used = pack->sections[TP_PACK_NAME_BYTES].size + pack->sections[TP_PACK_FULL_BYTES].size;
    if (used + name.len + full.len > pack->max_name_bytes)
        return 0;
    *number = pack->name_count;
    tp_pack_add_name(pack, name, full, (uint8_t) class);
    return *number;
}

uint32_t tp_pack_name_number(struct tp_pack *pack, uint32_t id, enum tp_slice_class class)
{
    if (!pack->name_number[id] && pack->class_by_name[id])
        class = tp_pack_class_of_name(pack, id);
    return number_name(pack, id, class, &pack->name_number[id]);
}

/* ---- waits ---- */

void tp_pack_waits_init(struct tp_pack *pack)
{
    const struct tp_model *model = pack->timeline->model;
    if (!model->wait_count)
        return;
    pack->number_of_waits = tp_arena_array(pack->arena, model->trace->names.count, sizeof *pack->number_of_waits);
    pack->waits = tp_arena_array(pack->arena, model->trace->event_count / WORD_BITS + 1, sizeof *pack->waits);
    for (uint32_t i = 0; i < model->wait_count; i++)
        pack->waits[model->waits[i].event / WORD_BITS] |= 1ull << model->waits[i].event % WORD_BITS;
}

static bool is_wait(const struct tp_pack *pack, const struct tp_event *event)
{
    if (!pack->waits || event->kind != TP_KIND_RUNTIME)
        return false;
    size_t index = (size_t)(event - pack->timeline->model->trace->events);
    return pack->waits[index / WORD_BITS] >> index % WORD_BITS & 1;
}

uint32_t tp_pack_name_number_of_event(struct tp_pack *pack, const struct tp_event *event)
{
    if (is_wait(pack, event))
        return number_name(pack, event->name, TP_SLICE_WAIT, &pack->number_of_waits[event->name]);
    return tp_pack_name_number(pack, event->name, TP_SLICE_CPU);
}

enum tp_slice_class tp_pack_class_of_event(const struct tp_pack *pack, const struct tp_event *event)
{
    return is_wait(pack, event) ? TP_SLICE_WAIT : tp_pack_class_of_name(pack, event->name);
}

enum tp_slice_class tp_pack_class_of_name(const struct tp_pack *pack, uint32_t name)
{
    return (enum tp_slice_class)((pack->class_by_name[name] & TP_PACK_CLASS_BITS) - 1);
}
