/* Converts time stamps of packets: see clocks.h. Fields are those of Perfetto's message ClockSnapshot. */
#include "webreport/trace/inputs/perfetto/clocks.h"

#include "webreport/trace/inputs/perfetto/wire.h"

enum { CLOCK_MONOTONIC_RAW = 5, MAX_CLOCKS = 64 };

void tp_clocks_init(struct tp_clocks *clocks, struct tp_arena *arena)
{
    *clocks =
        (struct tp_clocks){.known = UINT64_C(1) << TP_CLOCK_BOOTTIME, .global = TP_VEC(arena, struct tp_own_clock)};
}

/* One clock of a snapshot. */
struct reading {
    uint64_t id, timestamp, is_incremental, unit_ns;
};

static bool read_clock(struct tp_str message, struct reading *reading)
{
    *reading = (struct reading){.unit_ns = 1};
    const struct tp_wire_number wanted[] = {
        {1, &reading->id}, {2, &reading->timestamp}, {3, &reading->is_incremental}, {4, &reading->unit_ns}};
    return tp_wire_read_numbers(message, wanted, sizeof wanted / sizeof *wanted);
}

/* Returns the list that has the clocks of a kind: those of the sequence, or those of the producer. */
static struct tp_vec *clocks_of(struct tp_clocks *clocks, struct tp_sequence *sequence, uint64_t id)
{
    return id < TP_CLOCK_FIRST_GLOBAL ? &sequence->clocks : &clocks->global;
}

static struct tp_own_clock *find_clock(const struct tp_vec *clocks, uint64_t id)
{
    for (size_t i = 0; i < clocks->count; i++)
        if (TP_AT(clocks, struct tp_own_clock, i)->id == id)
            return TP_AT(clocks, struct tp_own_clock, i);
    return NULL;
}

/* Finds the time of a reading on the clock BOOTTIME from earlier snapshots. Returns how well it is known: 3 for
 * BOOTTIME itself, 2 for a clock with an earlier snapshot, 1 for a monotonic clock, which is taken for BOOTTIME, and 0
 * for other clocks. */
static int find_time(struct tp_clocks *clocks, struct tp_sequence *sequence, const struct reading *reading,
                     uint64_t *ns)
{
    *ns = reading->timestamp * reading->unit_ns;
    if (reading->id == TP_CLOCK_BOOTTIME)
        return 3;
    if (reading->id >= TP_CLOCK_FIRST_OWN) {
        const struct tp_own_clock *own = find_clock(clocks_of(clocks, sequence, reading->id), reading->id);
        bool is_known = own && own->has_base && !own->is_incremental;
        *ns = is_known ? own->base_ns + reading->timestamp * own->unit_ns : 0;
        return is_known ? 2 : 0;
    }
    *ns = reading->timestamp - clocks->offsets[reading->id];
    if (clocks->known >> reading->id & 1)
        return 2;
    return reading->id == TP_CLOCK_MONOTONIC || reading->id == CLOCK_MONOTONIC_RAW;
}

/* Finds the time of a snapshot on the clock BOOTTIME, from the clock of the snapshot that is known best. */
static bool find_reference(struct tp_clocks *clocks, struct tp_sequence *sequence, struct tp_str message,
                           bool *has_reference, uint64_t *reference)
{
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    struct reading reading;
    int best = 0;
    *reference = 0;
    while (tp_wire_next(&wire, &field)) {
        uint64_t ns;
        if (!tp_wire_is(&field, 1, TP_WIRE_BYTES))
            continue;
        if (!read_clock(field.bytes, &reading))
            return false;
        int quality = find_time(clocks, sequence, &reading, &ns);
        if (quality <= best)
            continue;
        best = quality;
        *reference = ns;
    }
    *has_reference = best > 0;
    return !wire.is_broken;
}

/* Sets a clock of the sequence or of the producer. Ignores further clocks of a list that has MAX_CLOCKS clocks. */
static void set_own_clock(struct tp_vec *clocks, const struct reading *reading, bool has_reference, uint64_t reference)
{
    struct tp_own_clock *clock = find_clock(clocks, reading->id);
    if (!clock && clocks->count < MAX_CLOCKS)
        clock = tp_vec_push(clocks);
    if (!clock)
        return;
    uint64_t shown = reading->timestamp * reading->unit_ns;
    *clock = (struct tp_own_clock){.id = reading->id, .unit_ns = reading->unit_ns, .has_base = has_reference};
    clock->is_incremental = reading->is_incremental != 0;
    clock->base_ns = (has_reference ? reference : shown) - (clock->is_incremental ? 0 : shown);
}

bool tp_clocks_read_snapshot(struct tp_clocks *clocks, struct tp_sequence *sequence, struct tp_str message)
{
    struct tp_wire wire = tp_wire_of(message);
    struct tp_wire_field field;
    struct reading reading;
    bool has_reference;
    uint64_t reference;
    if (!find_reference(clocks, sequence, message, &has_reference, &reference))
        return false;
    if (has_reference && !clocks->has_snapshot) {
        clocks->has_snapshot = true;
        clocks->first_snapshot_ns = (int64_t)reference;
    }
    while (tp_wire_next(&wire, &field)) {
        if (!tp_wire_is(&field, 1, TP_WIRE_BYTES) || !read_clock(field.bytes, &reading))
            continue;
        if (reading.id >= TP_CLOCK_FIRST_OWN) {
            set_own_clock(clocks_of(clocks, sequence, reading.id), &reading, has_reference, reference);
        } else if (has_reference && !(clocks->known >> reading.id & 1)) {
            clocks->known |= UINT64_C(1) << reading.id;
            clocks->offsets[reading.id] = reading.timestamp - reference;
        }
    }
    return true;
}

bool tp_clocks_convert(struct tp_clocks *clocks, struct tp_sequence *sequence, uint64_t clock, uint64_t timestamp,
                       int64_t *ns)
{
    if (clock == 0 || clock == TP_CLOCK_BOOTTIME) {
        *ns = (int64_t)timestamp;
        return true;
    }
    if (clock < TP_CLOCK_FIRST_OWN) {
        *ns = (int64_t)(timestamp - clocks->offsets[clock]);
        return clocks->known >> clock & 1;
    }
    struct tp_own_clock *own = find_clock(clocks_of(clocks, sequence, clock), clock);
    if (!own)
        return false;
    own->sum_ns = own->is_incremental ? own->sum_ns + timestamp * own->unit_ns : timestamp * own->unit_ns;
    *ns = (int64_t)(own->base_ns + own->sum_ns);
    return true;
}

int64_t tp_clocks_realtime_offset(const struct tp_clocks *clocks)
{
    return clocks->known >> TP_CLOCK_REALTIME & 1 ? (int64_t)clocks->offsets[TP_CLOCK_REALTIME] : 0;
}
