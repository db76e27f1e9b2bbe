/* Appends to the sections of the timeline's data, and gives names their numbers. Implements a part of
 * timeline_pack.h. */
#include "webreport/measure/charts/timeline_pack.h"

#include "webreport/model/marks.h"
#include "writer/base/limits.h"
#include "writer/base/utf8.h"

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
 * sequence. */
static struct tp_str shorten_name_for_page(const struct tp_pack *pack, uint32_t id, enum tp_slice_class class)
{
    struct tp_str name = tp_strings_get(&pack->timeline->model->trace->names, id);
    uint64_t marks = pack->timeline->model->marks[id];
    bool is_collective = marks & TP_MARK_COMM_KERNEL && !(marks & TP_MARK_HOST_COMM);
    bool is_kernel = class == TP_SLICE_KERNEL || class == TP_SLICE_MEMCPY || class == TP_SLICE_MEMSET ||
                     (class == TP_SLICE_COMMUNICATION && is_collective);
    if (pack->options->show)
        return (is_kernel ? pack->options->show_kernel : pack->options->show)(pack->options->context, name);
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

void tp_pack_add_name(struct tp_pack *pack, struct tp_str name, uint8_t class)
{
    tp_pack_reserve_bytes(pack, TP_PACK_NAME_CLASSES, 1);
    tp_pack_add_text(pack, TP_PACK_NAME_SIZES, TP_PACK_NAME_BYTES, name);
    struct tp_pack_column *classes = &pack->sections[TP_PACK_NAME_CLASSES];
    classes->data[classes->size++] = class;
    pack->name_count++;
}

uint32_t tp_pack_name_number(struct tp_pack *pack, uint32_t id, enum tp_slice_class class)
{
    uint32_t number = pack->name_number[id];
    if (number || pack->name_count > TP_PACK_MAX_NAMES)
        return number;
    if (pack->class_by_name[id])
        class = tp_pack_class_of_name(pack, id);
    struct tp_str name = shorten_name_for_page(pack, id, class);
    if (pack->sections[TP_PACK_NAME_BYTES].size + name.len > pack->max_name_bytes)
        return 0;
    number = pack->name_count;
    tp_pack_add_name(pack, name, (uint8_t) class);
    return pack->name_number[id] = number;
}

enum tp_slice_class tp_pack_class_of_name(const struct tp_pack *pack, uint32_t name)
{
    return (enum tp_slice_class)((pack->class_by_name[name] & TP_PACK_CLASS_BITS) - 1);
}
