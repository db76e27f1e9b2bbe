/* Decides which data is incomplete, and writes the reasons as text: see evidence.h. */
#include "webreport/trace/evidence.h"

#include <string.h>

#include "writer/text/format.h"

/* Kinds of losses, gravest first. Each row has the needs that the loss makes unsatisfiable, and a text in which "%s"
 * becomes a count. */
static const struct {
    enum tp_lost lost;
    unsigned breaks;
    const char *one, *many, *text;
} losses[] = {
    {TP_LOST_BROKEN, TP_NEED_ALL, "event", "events", "%s could not be read"},
    {TP_LOST_UNKNOWN, TP_NEED_ALL, "event", "events", "%s without name, time or kind"},
    {TP_LOST_TEXT, TP_NEED_ALL, "place", "places", "%s with text that no profiler writes"},
    {TP_LOST_DUPLICATES, TP_NEED_ALL, "event", "events", "%s in the file twice"},
    {TP_LOST_CONFLICTS, TP_NEED_ALL, "event", "events", "%s in conflict with other events of the file"},
    {TP_LOST_ARGUMENTS, TP_NEED_ALL, "event", "events", "%s without an argument that others of their kind have"},
    {TP_LOST_ALL, TP_NEED_ALL, "", "", "nothing that a program did is in the file"},
    {TP_LOST_BY_RECORDER, TP_NEED_ALL & ~(unsigned)TP_NEED_DEVICE, "event", "events", "the recorder had to drop %s"},
    {TP_LOST_NUMBERS, TP_NEED_ALL & ~(unsigned)TP_NEED_FILE & ~(unsigned)TP_NEED_DEVICE, "event", "events",
     "%s of the host missing: gaps in the recorder's numbers"},
    {TP_LOST_IDS, TP_NEED_ALL & ~(unsigned)TP_NEED_FILE & ~(unsigned)TP_NEED_DEVICE, "operator", "operators",
     "%s missing: gaps in their ids"},
    {TP_LOST_OPERATORS, TP_NEED_ALL & ~(unsigned)TP_NEED_FILE & ~(unsigned)TP_NEED_DEVICE, "", "",
     "no operator is there, but what belongs to operators is"},
    {TP_LOST_LINK_ENDS, TP_NEED_DEVICE | TP_NEED_RUNTIME, "event", "events",
     "%s of the device or runtime missing: links to them lead nowhere"},
    {TP_LOST_DEVICE, TP_NEED_DEVICE | TP_NEED_RUNTIME, "kernel", "kernels", "%s missing: their launches are there"},
    {TP_LOST_LAUNCH, TP_NEED_RUNTIME, "launch", "launches", "%s missing: their kernels are there"},
    {TP_LOST_MEMORY, TP_NEED_MEMORY, "memory record", "memory records", "%s not following from the one before"},
    {TP_LOST_METADATA, TP_NEED_DEVICE, "", "",
     "the head of the trace is not whole: it lacks its version or the devices"},
    {TP_LOST_MEMORY_RECORDS, TP_NEED_MEMORY, "", "", "memory was recorded, but no record of it is there"},
    {TP_LOST_FRAMES, TP_NEED_FRAMES, "", "", "stacks were recorded, but no Python function is there"},
};
enum { LOSSES = sizeof losses / sizeof *losses };

static unsigned file_unmet_needs(const struct tp_input_evidence *e)
{
    bool is_broken = e->crc == TP_CRC_BAD || e->crc == TP_CRC_UNREAD || e->eof == TP_EOF_CUT ||
                     e->eof == TP_EOF_PADDED || e->recorder == TP_RECORDER_NO_END;
    return is_broken ? TP_NEED_ALL : 0;
}

unsigned tp_evidence_unmet_needs(const struct tp_input_evidence *e)
{
    unsigned broken = file_unmet_needs(e) | (e->clock >= TP_CLOCK_JUMP ? TP_NEED_CLOCK : 0);
    for (unsigned i = 0; i < LOSSES; i++)
        broken |= e->lost[losses[i].lost] ? losses[i].breaks : 0;
    return broken;
}

static const char *file_damage_reason(const struct tp_input_evidence *e)
{
    if (e->crc == TP_CRC_BAD)
        return "the checksum of the gzip is wrong";
    if (e->eof == TP_EOF_CUT)
        return e->crc == TP_CRC_UNREAD ? "the gzip is cut or damaged: what it lost is not known"
                                       : "the file is cut: what it lost is not known";
    if (e->eof == TP_EOF_PADDED)
        return "something follows the end of the trace";
    return "the recorder's end is not in the file: it was cut and closed, or filtered";
}

const char *tp_evidence_reason(const struct tp_input_evidence *e, unsigned needs, struct tp_arena *arena)
{
    if (needs & file_unmet_needs(e))
        return file_damage_reason(e);
    for (unsigned i = 0; i < LOSSES; i++) {
        int64_t count = e->lost[losses[i].lost];
        if (!count || !(needs & losses[i].breaks))
            continue;
        if (!*losses[i].one)
            return losses[i].text;
        const char *some = tp_text_of_counted_noun(arena, count, losses[i].one, losses[i].many);
        const char *rest = strstr(losses[i].text, "%s");
        return tp_text_printf(arena, "%.*s%s%s", (int)(rest - losses[i].text), losses[i].text, some, rest + 2);
    }
    if (!(needs & TP_NEED_CLOCK))
        return "";
    return e->clock == TP_CLOCK_JUMP         ? "the clock jumps: times far from all others"
           : e->clock == TP_CLOCK_IMPOSSIBLE ? "device operations end after later work of their stream"
                                             : "";
}

static const struct {
    enum tp_need need;
    const char *text, *things;
} needs[] = {
    {TP_NEED_FILE, "file", "the whole file"},
    {TP_NEED_HOST, "host", "operators or annotations"},
    {TP_NEED_DEVICE, "device", "kernels, copies or sets"},
    {TP_NEED_RUNTIME, "runtime", "calls of the runtime"},
    {TP_NEED_MEMORY, "memory", "memory records"},
    {TP_NEED_FRAMES, "frames", "Python functions"},
    {TP_NEED_CLOCK, "clock", "a steady clock"},
    {TP_PRESENT_ANNOTATIONS, "annotations", "annotations"},
};

const char *tp_need_data_text(enum tp_need need)
{
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (needs[i].need == need)
            return needs[i].things;
    return "";
}

const char *tp_need_text(enum tp_need need)
{
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (needs[i].need == need)
            return needs[i].text;
    return "";
}

const char *tp_crc_text(enum tp_crc crc)
{
    static const char *const texts[TP_CRC_COUNT] = {"unknown", "ok", "absent", "bad", "unread"};
    return texts[crc];
}

const char *tp_eof_text(enum tp_eof eof)
{
    static const char *const texts[TP_EOF_COUNT] = {"unknown", "clean", "cut", "padded"};
    return texts[eof];
}

const char *tp_recorder_text(enum tp_recorder recorder)
{
    static const char *const texts[TP_RECORDER_COUNT] = {"unknown", "ended", "no_end", "killed"};
    return texts[recorder];
}

const char *tp_clock_text(enum tp_clock clock)
{
    static const char *const texts[TP_CLOCK_COUNT] = {"unknown", "ok", "jump", "impossible"};
    return texts[clock];
}

const char *tp_lost_text(enum tp_lost lost)
{
    static const char *const texts[TP_LOST_COUNT] = {
        [TP_LOST_BROKEN] = "broken_text",
        [TP_LOST_UNKNOWN] = "unknown_events",
        [TP_LOST_TEXT] = "odd_text",
        [TP_LOST_DUPLICATES] = "events_twice",
        [TP_LOST_CONFLICTS] = "conflicts",
        [TP_LOST_ARGUMENTS] = "members",
        [TP_LOST_METADATA] = "head",
        [TP_LOST_NUMBERS] = "host_numbers",
        [TP_LOST_IDS] = "operator_ids",
        [TP_LOST_OPERATORS] = "operators",
        [TP_LOST_LINK_ENDS] = "device_links",
        [TP_LOST_DEVICE] = "kernels_of_launches",
        [TP_LOST_LAUNCH] = "launches_of_kernels",
        [TP_LOST_MEMORY] = "memory_totals",
        [TP_LOST_MEMORY_RECORDS] = "memory_records",
        [TP_LOST_FRAMES] = "frames",
        [TP_LOST_ALL] = "everything",
        [TP_LOST_BY_RECORDER] = "by_recorder",
    };
    return texts[lost];
}
