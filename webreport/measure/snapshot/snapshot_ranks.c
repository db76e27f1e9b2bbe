/* Lists several memory snapshots, which are usually the ranks of a job: see snapshot_result.h. */
#include "webreport/measure/snapshot/snapshot_result.h"

#include <string.h>

/* ---- the rank in a file name ---- */

int64_t tp_snapshot_rank_of_file(struct tp_str file)
{
    static const char word[] = "rank";
    enum { MOST_DIGITS = 9 };
    int64_t rank = TP_NULL_INT, named = TP_NULL_INT;
    for (size_t i = 0; i < file.len;) {
        int64_t number = 0;
        size_t first = i;
        while (i < file.len && tp_is_digit(file.ptr[i]) && i - first < MOST_DIGITS)
            number = number * 10 + (file.ptr[i++] - '0');
        if (i == first) {
            i++;
            continue;
        }
        rank = number;
        size_t end = first && strchr("-_", file.ptr[first - 1]) ? first - 1 : first;
        if (end >= sizeof word - 1 && memcmp(file.ptr + end - (sizeof word - 1), word, sizeof word - 1) == 0)
            named = number;
    }
    return named != TP_NULL_INT ? named : rank;
}

/* ---- rows ---- */

static void fill_row(struct tp_snapshot_rank *row, const struct tp_snapshot_result *result,
                     const struct tp_snapshot_device *device)
{
    const struct tp_snapshot_oom *oom = device->oom_count ? &device->ooms[device->oom_count - 1] : NULL;
    const struct tp_live_table *lines = &(oom ? &oom->live_by : &device->peak.live_by)->by[TP_LIVE_LINE];
    *row = (struct tp_snapshot_rank){.result = result,
                                     .device = device,
                                     .file = result->file,
                                     .rank = result->rank,
                                     .device_number = device->device,
                                     .peak_bytes = device->peak.at.allocated_bytes,
                                     .reserved_bytes = device->peak_reserved.reserved_bytes,
                                     .oom_kind = oom ? tp_oom_kind_text(oom->kind) : NULL,
                                     .line = TP_STR("")};
    for (uint64_t i = 0; i < lines->row_count && !row->line.len; i++)
        if (lines->rows[i].name.len) {
            row->line = lines->rows[i].name;
            row->line_bytes = lines->rows[i].bytes;
        }
}

struct tp_snapshot_rank *tp_snapshot_ranks_list(const struct tp_snapshot_result *results, size_t result_count,
                                                size_t *count, struct tp_arena *arena)
{
    size_t most = 0;
    for (size_t i = 0; i < result_count; i++)
        most += results[i].device_count;
    struct tp_snapshot_rank *rows = tp_arena_array(arena, most, sizeof *rows);
    *count = 0;
    for (size_t i = 0; i < result_count; i++)
        for (uint64_t k = 0; k < results[i].device_count; k++)
            fill_row(&rows[(*count)++], &results[i], &results[i].devices[k]);
    return rows;
}

/* ---- JSON ---- */

#define F struct tp_snapshot_rank
static const struct tp_json_field rank_rows[] = {
    {"rank", TP_PLAIN(F, rank),
     TP_DEFINITION("number after the last \"rank\" of the file name, or its last number; null: none")},
    {"file", TP_PLAIN(F, file), TP_DEFINITION("name of the file")},
    {"device", TP_PLAIN(F, device_number), TP_DEFINITION("number of the device")},
    {"peak_bytes", TP_PLAIN(F, peak_bytes), TP_DEFINITION("largest allocated bytes")},
    {"reserved_bytes", TP_PLAIN(F, reserved_bytes), TP_DEFINITION("largest reserved bytes")},
    {"oom", TP_PLAIN(F, oom_kind), TP_DEFINITION("kind of the last out-of-memory event; null: none")},
    {"line", TP_PLAIN(F, line),
     TP_DEFINITION("line with the most live bytes at the last out-of-memory event, otherwise at the peak")},
    {"line_bytes", TP_PLAIN(F, line_bytes), TP_DEFINITION("live bytes of this line")},
};
const struct tp_fields tp_snapshot_rank_fields = TP_FIELDS("A rank with a memory snapshot", rank_rows);
#undef F
