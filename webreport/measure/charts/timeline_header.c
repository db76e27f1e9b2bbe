/* Writes the JSON header of the timeline's data. templates/README.md describes its members; tables of fields produce
 * them. */
#include <string.h>

#include "webreport/measure/charts/timeline_load.h"
#include "webreport/measure/charts/timeline_pack.h"
#include "writer/base/fields.h"
#include "writer/base/saturate.h"

enum { VERSION = 3, MAX_BANDS = 5000, FEW_BANDS = 100, MAX_STEP_NAME_BYTES = 100 };

/* Members of the JSON header. Times are multiples of unit_ns, except members whose name has another unit. */
struct header {
    const struct tp_timeline *timeline;
    int64_t first_ns, range, end, cover_width, typical_step;
    int64_t section_bytes[TP_PACK_SECTION_COUNT + 1]; /* the last entry is the size of the device load */
    uint32_t version, unit_ns, section_count, argument_count, cover_buckets, load_buckets;
    uint32_t gpu_count, lane_count, step_count;
    const struct tp_band *band;
    const struct tp_timeline_gpu *gpus;
    const struct tp_lane *lanes;
};

#define F struct tp_timeline_gpu
static const struct tp_json_field gpu_fields[] = {
    {"id", TP_PLAIN(F, id)},
    {"sm", TP_PLAIN(F, has_sm_efficiency)},
    {"queue", TP_PLAIN(F, queue_depth)},
    {"title", TP_PLAIN(F, title)},
};
#undef F
static const struct tp_fields gpu = TP_FIELDS("A device of the timeline", gpu_fields);

#define F struct tp_lane
static const struct tp_json_field lane_fields[] = {
    {"title", TP_PLAIN(F, title)},          {"device", TP_PLAIN(F, is_device)}, {"rank", TP_PLAIN(F, rank)},
    {"slices", TP_PLAIN(F, shown_count)},   {"rows", TP_PLAIN(F, row_count)},   {"covers", TP_PLAIN(F, cover_count)},
    {"moments", TP_PLAIN(F, moment_count)},
};
#undef F
static const struct tp_fields lane = TP_FIELDS("A lane of the timeline", lane_fields);

/* Sets *item to the next cell of a step: name, start, duration, 1 if the step is analysed. record->index: index of the
 * step. Returns false after the last cell. */
static bool next_step_cell(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct header *header = record->at;
    const struct tp_step *step = &header->timeline->model->steps[record->index];
    uint64_t start_ns = (uint64_t)step->start_ns - (uint64_t)header->timeline->start_ns;
    uint64_t dur_ns = (uint64_t)step->end_ns - (uint64_t)step->start_ns;
    switch ((*cursor)++) {
    case 0:
        item->value = tp_json_value_str(step->name.len < MAX_STEP_NAME_BYTES ? step->name : TP_STR("step"));
        return true;
    case 1:
        item->value = tp_json_value_int((int64_t)(start_ns / header->unit_ns));
        return true;
    case 2:
        item->value = tp_json_value_int((int64_t)(dur_ns / header->unit_ns));
        return true;
    case 3:
        item->value = tp_json_value_int(tp_step_is_used(step));
        return true;
    default:
        return false;
    }
}

static bool next_step(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct header *header = record->at;
    struct tp_record step = {.at = header, .index = *cursor};
    item->value = tp_json_value_list(next_step_cell, step);
    return (*cursor)++ < header->step_count;
}

/* Sets *item to the next cell of a part of the band: start, counted from the end of the part before, length, color and
 * text. record->index: index of the part. Returns false after the last cell. */
static bool next_part_cell(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct header *header = record->at;
    const struct tp_band_part *part = &header->band->parts[record->index];
    int64_t before_ns = record->index ? part[-1].end_ns : header->timeline->start_ns;
    int64_t before = tp_sat_sub(before_ns, header->timeline->start_ns) / header->unit_ns;
    int64_t start = tp_sat_sub(part->start_ns, header->timeline->start_ns) / header->unit_ns;
    int64_t end = tp_sat_sub(part->end_ns, header->timeline->start_ns) / header->unit_ns;
    switch ((*cursor)++) {
    case 0:
        item->value = tp_json_value_int(start - before);
        return true;
    case 1:
        item->value = tp_json_value_int(end - start);
        return true;
    case 2:
        item->value = tp_json_value_int(part->color);
        return true;
    case 3:
        item->value = tp_json_value_str(part->text);
        return true;
    default:
        return false;
    }
}

static bool next_part(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct header *header = record->at;
    struct tp_record part = {.at = header, .index = *cursor};
    item->value = tp_json_value_list(next_part_cell, part);
    return (*cursor)++ < header->band->count;
}

#define F struct header
static const struct tp_json_field header_fields[] = {
    {"version", TP_PLAIN(F, version)},
    {"unit_ns", TP_PLAIN(F, unit_ns)},
    {"first", TP_PLAIN(F, first_ns)},
    {"range", TP_PLAIN(F, range)},
    {"end", TP_PLAIN(F, end)},
    {"sections", TP_ARRAY(F, section_bytes, section_count)},
    {"captions", TP_PLAIN(F, argument_count)},
    {"cover_buckets", TP_PLAIN(F, cover_buckets)},
    {"cover_width", TP_PLAIN(F, cover_width)},
    {"load_buckets", TP_PLAIN(F, load_buckets)},
    {"gpus", TP_RECORDS(F, gpus, gpu_count, &gpu)},
    {"lanes", TP_RECORDS(F, lanes, lane_count, &lane)},
    {"steps", TP_LIST(next_step, NULL)},
    {"typical_step", TP_PLAIN(F, typical_step)},
    {"path", TP_LIST(next_part, NULL)},
};
#undef F
static const struct tp_fields fields = TP_FIELDS("The header of the timeline", header_fields);

static struct header make_header(const struct tp_pack *pack, const struct tp_timeline *timeline, size_t load_bytes)
{
    uint32_t most_steps = pack->folds_short_steps ? FEW_BANDS : MAX_BANDS, steps = timeline->model->step_count;
    struct header header = {
        .timeline = timeline,
        .band = &pack->options->band,
        .version = VERSION,
        .unit_ns = pack->unit_ns,
        .first_ns = tp_sat_sub(timeline->model->first_ns, timeline->start_ns),
        .range = (int64_t)(timeline->drawn_range_ns / pack->unit_ns),
        .end = (int64_t)(pack->end_ns / pack->unit_ns),
        .section_count = TP_PACK_SECTION_COUNT + 1,
        .argument_count = pack->argument_count,
        .cover_buckets = TP_PACK_COVER_BUCKETS,
        .cover_width = (int64_t)(pack->end_ns / TP_PACK_COVER_BUCKETS + 1),
        .load_buckets = TP_LOAD_BUCKETS,
        .gpus = timeline->gpus,
        .gpu_count = timeline->gpu_count,
        .lanes = timeline->lanes,
        .lane_count = timeline->lane_count,
        .step_count = steps < most_steps ? steps : most_steps,
        .typical_step = timeline->typical_step == TP_NO_ID ? -1 : (int64_t)timeline->typical_step,
    };
    for (int i = 0; i < TP_PACK_SECTION_COUNT; i++)
        header.section_bytes[i] = (int64_t)pack->sections[i].size;
    header.section_bytes[TP_PACK_SECTION_COUNT] = (int64_t)load_bytes;
    return header;
}

size_t tp_pack_write_header(char *room, size_t room_bytes, const struct tp_pack *pack,
                            const struct tp_timeline *timeline, size_t load_bytes)
{
    struct header header = make_header(pack, timeline, load_bytes);
    struct tp_buf text;
    tp_buf_init(&text, room_bytes);
    tp_fields_text(&fields, &header, NULL, &text);
    size_t size = text.failed ? 0 : text.size;
    bool is_out_of_memory = text.failed == TP_ENOMEM;
    if (size)
        memcpy(room, text.data, size);
    tp_buf_release(&text); /* the text must be freed here, because tp_arena_fail jumps to the guard of the arena */
    if (is_out_of_memory)
        tp_arena_fail(pack->arena, TP_ENOMEM);
    return size;
}
