/* Decides which data is incomplete, and writes the reasons as text: see evidence.h. */
#include "webreport/trace/evidence.h"

#include <string.h>

#include "webreport/trace/input_facts.h"
#include "writer/text/format.h"

/* Kinds of losses, gravest first. Each row has the needs that the loss makes unsatisfiable, and a text in which "%s"
 * becomes a count, followed by `one` or `many`. Without `one`, the text has no count. */
static const struct {
    enum tp_lost lost;
    unsigned breaks;
    const char *one, *many, *text;
} losses[] = {
    {TP_LOST_BROKEN, TP_NEED_ALL, "event", "events", "%s could not be read"},
    {TP_LOST_UNKNOWN, TP_NEED_ALL, "event lacks", "events lack", "%s a required field, such as name, time or kind"},
    {TP_LOST_TEXT, TP_NEED_ALL, "place of the file contains", "places of the file contain",
     "%s text that no profiler writes"},
    {TP_LOST_DUPLICATES, TP_NEED_ALL, "event is", "events are", "%s in the file twice"},
    {TP_LOST_CONFLICTS, TP_NEED_ALL, "event is", "events are", "%s in conflict with other events of the file"},
    {TP_LOST_ARGUMENTS, TP_NEED_ALL, "event lacks", "events lack",
     "%s an argument that other events of the same kind have"},
    {TP_LOST_ALL, TP_NEED_ALL, "", "", "the file contains no event of the program's work"},
    {TP_LOST_BY_RECORDER, TP_NEED_ALL & ~(unsigned)TP_NEED_DEVICE, "event", "events", "the recorder dropped %s"},
    {TP_LOST_NUMBERS, TP_NEED_ALL & ~(unsigned)TP_NEED_FILE & ~(unsigned)TP_NEED_DEVICE, "host event is",
     "host events are", "the event numbers show that %s missing"},
    {TP_LOST_IDS, TP_NEED_ALL & ~(unsigned)TP_NEED_FILE & ~(unsigned)TP_NEED_DEVICE, "operator is", "operators are",
     "the operator ids show that %s missing"},
    {TP_LOST_ROWS, TP_NEED_ALL, "row", "rows", "the reader dropped %s of the file"},
    {TP_LOST_HOST_ROWS, TP_NEED_ALL & ~(unsigned)TP_NEED_FILE & ~(unsigned)TP_NEED_DEVICE, "row", "rows",
     "the reader dropped %s of the host"},
    {TP_LOST_DEVICE_ROWS, TP_NEED_DEVICE, "row", "rows", "the reader dropped %s of the device"},
    {TP_LOST_RUNTIME_ROWS, TP_NEED_RUNTIME, "row", "rows", "the reader dropped %s of calls of the runtime"},
    {TP_LOST_OPERATORS, TP_NEED_ALL & ~(unsigned)TP_NEED_FILE & ~(unsigned)TP_NEED_DEVICE, "", "",
     "the file contains data of operators, but no operators"},
    {TP_LOST_LINK_ENDS, TP_NEED_DEVICE | TP_NEED_RUNTIME, "missing event", "missing events",
     "links lead to %s of the device or the runtime"},
    {TP_LOST_DEVICE, TP_NEED_DEVICE | TP_NEED_RUNTIME, "device operation is missing, although its launch is",
     "device operations are missing, although their launches are", "%s in the file"},
    {TP_LOST_LAUNCH, TP_NEED_RUNTIME, "launch is missing, although its device operation is",
     "launches are missing, although their device operations are", "%s in the file"},
    {TP_LOST_MEMORY, TP_NEED_MEMORY, "memory record contradicts", "memory records contradict",
     "%s the total of the record before"},
    {TP_LOST_METADATA, TP_NEED_DEVICE, "", "", "the head of the trace lacks the version or the devices"},
    {TP_LOST_MEMORY_RECORDS, TP_NEED_MEMORY, "", "",
     "memory recording was on, but the file contains no memory records"},
    {TP_LOST_FRAMES, TP_NEED_FRAMES, "", "", "stack recording was on, but the file contains no Python functions"},
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
        return e->crc == TP_CRC_UNREAD ? "the gzip file is cut or damaged, and the lost part is unknown"
                                       : "the file is cut, and the lost part is unknown";
    if (e->eof == TP_EOF_PADDED)
        return "the file contains data after the end of the trace";
    return "the recorder's end mark is missing, so the file was cut or filtered";
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
    return e->clock == TP_CLOCK_JUMP         ? "the clock jumps, so some times are far from all others"
           : e->clock == TP_CLOCK_IMPOSSIBLE ? "device operations end after later work of their stream"
                                             : "";
}

const char *tp_evidence_unknown_list(unsigned unknown, struct tp_arena *arena)
{
    const char *list = "";
    for (unsigned kinds = unknown; kinds; kinds &= kinds - 1) {
        const char *text = tp_unknown_text((enum tp_unknown)(kinds & -kinds));
        bool is_last = *list && !(kinds & (kinds - 1));
        list = tp_text_printf(arena, "%s%s%s", list, is_last ? " and " : *list ? ", " : "", text);
    }
    return list;
}

static const struct {
    enum tp_need need;
    const char *text, *things;
} needs[] = {
    {TP_NEED_FILE, "file", "the whole file"},
    {TP_NEED_HOST, "host", "operators or annotations"},
    {TP_NEED_DEVICE, "device", "kernels, copies or memsets"},
    {TP_NEED_RUNTIME, "runtime", "runtime calls"},
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
        [TP_LOST_HOST_ROWS] = "dropped_host_rows",
        [TP_LOST_DEVICE_ROWS] = "dropped_device_rows",
        [TP_LOST_RUNTIME_ROWS] = "dropped_runtime_rows",
        [TP_LOST_ROWS] = "dropped_rows",
    };
    return texts[lost];
}
