/* Reads events of old producers: see legacy_events.h. Fields are those of Perfetto's messages LegacyEvent,
 * ThreadDescriptor and ProcessDescriptor. */
#include "webreport/trace/inputs/perfetto/legacy_events.h"

bool tp_legacy_read(struct tp_legacy_event *legacy, struct tp_str message)
{
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    *legacy = (struct tp_legacy_event){0};
    while (tp_wire_next(&wire, &field)) {
        uint64_t *const numbers[] = {
            [1] = &legacy->name_iid, [2] = &legacy->phase, [3] = &legacy->duration_us, [6] = &legacy->id,
            [10] = &legacy->id,      [11] = &legacy->id,   [18] = &legacy->pid,        [19] = &legacy->tid};
        if (field.type != TP_WIRE_NUMBER || field.number >= sizeof numbers / sizeof *numbers || !numbers[field.number])
            continue;
        *numbers[field.number] = field.value;
        legacy->is_local |= field.number == 10;
        legacy->has_pid |= field.number == 18;
        legacy->has_tid |= field.number == 19;
    }
    return !wire.is_broken;
}

unsigned tp_legacy_type(const struct tp_legacy_event *legacy)
{
    static const struct {
        const char *phases;
        unsigned type;
    } types[] = {{"BXbS", 1}, {"EeF", 2}, {"IiRnTp", 3}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (legacy->phase && legacy->phase < 128 && strchr(types[i].phases, (int)legacy->phase))
            return types[i].type;
    return 0;
}

bool tp_legacy_read_thread(struct tp_perfetto *p, struct tp_sequence *sequence, struct tp_str message)
{
    uint64_t pid = 0, tid = 0, reference_us = 0;
    const struct tp_wire_number wanted[] = {{1, &pid}, {2, &tid}, {6, &reference_us}};
    if (!tp_wire_read_numbers(message, wanted, 3))
        return false;
    sequence->time_us = reference_us;
    sequence->thread_track = tp_tracks_of_thread(&p->tracks, (int64_t)pid, (int64_t)tid);
    return tp_tracks_read_thread(&p->tracks, sequence->thread_track, message);
}

bool tp_legacy_read_process(struct tp_perfetto *p, struct tp_str message)
{
    uint64_t pid = 0;
    const struct tp_wire_number wanted = {1, &pid};
    return tp_wire_read_numbers(message, &wanted, 1) &&
           tp_tracks_read_process(&p->tracks, tp_tracks_of_process(&p->tracks, (int64_t)pid), message);
}
