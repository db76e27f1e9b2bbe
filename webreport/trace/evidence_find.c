/* Builds the evidence of a trace: see evidence.h. Compares redundant data of a file: the recorder's numbers, links,
 * correlations and totals.
 *
 * Each rule was tested on complete traces of torch 1.9 to 2.15, which break no rule. In small traces some rules fail by
 * chance. These rules report a loss only if more than one event in 200 breaks them. */
#include "webreport/trace/evidence.h"

#include <string.h>

#include "webreport/trace/json/value.h"
#include "webreport/trace/kinds.h"
#include "webreport/trace/trace.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

enum { CHANCE = 200, ID_BLOCK = 512, LARGEST_SPREAD = 256 };

/* ---- sets of integers ---- */

/* A set of integers in a range, one bit per integer. */
struct bits {
    int64_t first, last; /* bounds of the range; first > last if the set is empty or the range is too large */
    uint64_t *words;
};

static bool is_number_in_set(const struct bits *set, int64_t number)
{
    if (number < set->first || number > set->last)
        return false;
    uint64_t at = (uint64_t)number - (uint64_t)set->first;
    return set->words[at / 64] >> (at % 64) & 1;
}

/* Adds a number to the set. Returns true if the set contained it before. */
static bool add_number_to_set(struct bits *set, int64_t number)
{
    uint64_t at = (uint64_t)number - (uint64_t)set->first, mask = UINT64_C(1) << (at % 64);
    bool was_set = set->words[at / 64] & mask;
    set->words[at / 64] |= mask;
    return was_set;
}

/* Makes an empty set for numbers from first to last. Returns false if the range is too large in relation to `count`,
 * the number of numbers to add. */
static bool make_number_set(struct bits *set, int64_t first, int64_t last, uint64_t count, struct tp_arena *scratch)
{
    uint64_t range = (uint64_t)last - (uint64_t)first;
    *set = (struct bits){.first = 0, .last = -1};
    if (first > last || range / LARGEST_SPREAD > count + ID_BLOCK)
        return false;
    *set = (struct bits){first, last, tp_arena_array(scratch, range / 64 + 1, sizeof(uint64_t))};
    return true;
}

/* ---- evidence about events of the host ---- */

/* Counts missing ids of operators and annotations. The recorder takes ids from one counter, of which each thread
 * reserves blocks. So in a complete file ids are missing only at the end of a block. Returns 0 if the ids have
 * another form. */
static int64_t count_missing_ids(const struct tp_trace *trace, struct tp_arena *scratch)
{
    int64_t first = INT64_MAX, last = INT64_MIN, missing = 0, gap = 0;
    struct bits ids;
    for (uint32_t i = 0; i < trace->host_count; i++) {
        int64_t id = trace->hosts[i].external_id;
        if (id <= 0) /* true for TP_NULL_INT as well */
            return 0;
        first = id < first ? id : first;
        last = id > last ? id : last;
    }
    if (!make_number_set(&ids, first, last, trace->host_count, scratch))
        return 0;
    for (uint32_t i = 0; i < trace->host_count; i++)
        if (add_number_to_set(&ids, trace->hosts[i].external_id))
            return 0;
    for (int64_t id = first; id <= last; id++) {
        bool is_there = is_number_in_set(&ids, id);
        missing += is_there && id % ID_BLOCK != 1 ? gap : 0;
        gap = is_there ? 0 : gap + 1;
    }
    return missing;
}

/* Returns the kinds of all events as a set of bits: bit k for kind k. */
static unsigned find_event_kinds(const struct tp_trace *trace)
{
    unsigned kinds = 0;
    for (uint32_t i = 0; i < trace->event_count; i++)
        kinds |= 1u << trace->events[i].kind;
    return kinds;
}

/* Returns true if the file has no operator but has data that torch writes only with operators: forward-backward links,
 * or calls with an operator's id. Also returns true for a file with a "trace_id" and annotations in which only one
 * event has a number. */
static bool lacks_operators(const struct tp_trace *trace, unsigned kinds)
{
    if (kinds & 1u << TP_KIND_OPERATOR)
        return false;
    for (uint32_t i = 0; i < trace->launch_count; i++)
        if (trace->launches[i].external_id > 0)
            return true;
    bool is_signed = trace->reading.numbered_events == 1 && tp_trace_header(trace, "trace_id").ptr;
    return trace->flow_count || (is_signed && kinds & 1u << TP_KIND_ANNOTATION);
}

/* ---- evidence about launches and device operations ---- */

enum call { CALL_UNSEEN, CALL_OTHER, CALL_LAUNCH, CALL_CAPTURE };

static enum call kind_of_call_by_name(struct tp_str name)
{
    if (tp_str_find(name, "LaunchKernel") >= 0 || tp_str_find(name, "LaunchCooperativeKernel") >= 0 ||
        tp_str_find(name, "MemcpyAsync") >= 0)
        return CALL_LAUNCH;
    return tp_str_find(name, "StreamBeginCapture") >= 0 ? CALL_CAPTURE : CALL_OTHER;
}

/* Fills *set with the correlations of all device operations if of_devices is true, otherwise with the correlations of
 * all calls. Returns false if the numbers do not fit into a set. */
static bool collect_correlations(struct bits *set, const struct tp_trace *trace, bool of_devices,
                                 struct tp_arena *scratch)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    uint32_t count = of_devices ? trace->device_count : trace->launch_count;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < count; i++) {
            int64_t id = of_devices ? trace->devices[i].correlation : trace->launches[i].correlation;
            if (id <= 0)
                continue;
            first = id < first ? id : first;
            last = id > last ? id : last;
            if (pass)
                add_number_to_set(set, id);
        }
        if (!pass && !make_number_set(set, first, last, count, scratch))
            return first > last;
    }
    return true;
}

/* Start times, ns, of the first and the last call that has a device operation. */
struct matched_calls {
    int64_t first_ns, last_ns;
};

static struct matched_calls match_calls_with_operations(const struct tp_trace *trace, const struct bits *devices)
{
    struct matched_calls matched_calls = {INT64_MAX, INT64_MIN};
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *e = &trace->events[i];
        if (e->kind != TP_KIND_RUNTIME || e->detail == TP_NO_ID ||
            !is_number_in_set(devices, trace->launches[e->detail].correlation))
            continue;
        matched_calls.first_ns = e->ts_ns < matched_calls.first_ns ? e->ts_ns : matched_calls.first_ns;
        matched_calls.last_ns = e->ts_ns > matched_calls.last_ns ? e->ts_ns : matched_calls.last_ns;
    }
    return matched_calls;
}

/* Counts launches without a kernel. Returns 0 if a stream is captured, because captured launches run later or never.
 * Also returns 0 if few launches lack a kernel and all of them are before the first or after the last launch with a
 * kernel, because their kernels may be outside the recording. */
static int64_t count_unmatched_launches(const struct tp_trace *trace, struct tp_arena *scratch)
{
    uint8_t *calls = tp_arena_array(scratch, trace->names.count + 1u, sizeof *calls);
    struct bits devices;
    int64_t launches = 0, alone = 0, between = 0;
    if (!collect_correlations(&devices, trace, true, scratch))
        return 0;
    struct matched_calls matched_calls = match_calls_with_operations(trace, &devices);
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *e = &trace->events[i];
        if (e->kind != TP_KIND_RUNTIME || e->detail == TP_NO_ID)
            continue;
        if (calls[e->name] == CALL_UNSEEN)
            calls[e->name] = (uint8_t)kind_of_call_by_name(tp_trace_event_name(trace, e));
        int64_t correlation = trace->launches[e->detail].correlation;
        if (calls[e->name] == CALL_CAPTURE)
            return 0;
        if (calls[e->name] != CALL_LAUNCH || correlation <= 0)
            continue;
        launches++;
        bool is_alone = !is_number_in_set(&devices, correlation);
        alone += is_alone;
        between += is_alone && e->ts_ns > matched_calls.first_ns && e->ts_ns < matched_calls.last_ns;
    }
    return between || alone * CHANCE > launches ? alone : 0;
}

/* Returns the start time of the first call, ns; INT64_MAX if there is no call. */
static int64_t start_of_first_call_ns(const struct tp_trace *trace)
{
    int64_t first_ns = INT64_MAX;
    for (uint32_t i = 0; i < trace->event_count; i++)
        if (trace->events[i].kind == TP_KIND_RUNTIME && trace->events[i].ts_ns < first_ns)
            first_ns = trace->events[i].ts_ns;
    return first_ns;
}

/* Counts device operations without a launch, in files without links. Ignores an operation that has no operator and
 * starts before the first call, because its launch was before the recording. Returns 0 if few operations lack their
 * launch. */
static int64_t count_unmatched_kernels(const struct tp_trace *trace, struct tp_arena *scratch)
{
    struct bits calls;
    int64_t linked = 0, alone = 0, first_ns;
    if (trace->reading.device_link_ends || !collect_correlations(&calls, trace, false, scratch))
        return 0;
    first_ns = start_of_first_call_ns(trace);
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct tp_event *e = &trace->events[i];
        if (!tp_kind_is_device(e->kind) || e->detail == TP_NO_ID || trace->devices[e->detail].correlation <= 0)
            continue;
        bool is_earlier = trace->devices[e->detail].external_id <= 0 && e->ts_ns < first_ns;
        linked++;
        alone += !is_earlier && !is_number_in_set(&calls, trace->devices[e->detail].correlation);
    }
    return alone * CHANCE > linked ? alone : 0;
}

/* Counts missing ends of links. Each call or device operation with a correlation is one end of a link. A call that
 * launches is the start, any other event is an end. Some writers of 2021 start one link for each device operation, even
 * if one graph launch starts several. */
static int64_t count_missing_link_ends(const struct tp_trace *trace)
{
    const struct tp_reading *r = &trace->reading;
    uint64_t starts = r->device_link_starts;
    if (trace->launch_count && starts > trace->launch_count)
        starts = trace->launch_count;
    uint64_t ends = starts + r->device_link_ends;
    return ends > r->correlated_events ? (int64_t)(ends - r->correlated_events) : 0;
}

/* ---- evidence about memory ---- */

static int compare_by_device_and_time(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_memory *records = context, *a = &records[x], *b = &records[y];
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->ts_ns != b->ts_ns)
        return a->ts_ns < b->ts_ns ? -1 : 1;
    return (x > y) - (x < y);
}

/* Counts records whose memory total does not follow from the previous total and the bytes of the record. Returns 0
 * for up to 5 %, because threads that allocate simultaneously cause such totals even in complete traces. */
static int64_t count_wrong_memory_totals(const struct tp_trace *trace, struct tp_arena *scratch)
{
    enum { USUAL_PERCENT = 5 };
    if (!trace->memory_rare)
        return 0;
    uint32_t *rows = tp_arena_array(scratch, trace->memory_count, sizeof *rows);
    int64_t broken = 0, count = 0;
    for (uint32_t i = 0; i < trace->memory_count; i++)
        if (tp_memory_rare(trace, &trace->memory[i])->total_allocated != TP_NULL_INT)
            rows[count++] = i;
    tp_sort_rows(rows, (size_t)count, compare_by_device_and_time, trace->memory, scratch);
    for (int64_t i = 1; i < count; i++) {
        const struct tp_memory *a = &trace->memory[rows[i - 1]], *b = &trace->memory[rows[i]];
        bool is_same = a->device == b->device;
        uint64_t before = (uint64_t)tp_memory_rare(trace, a)->total_allocated;
        broken += is_same && before + (uint64_t)b->bytes != (uint64_t)tp_memory_rare(trace, b)->total_allocated;
    }
    tp_arena_free_item(scratch, rows, trace->memory_count * sizeof *rows);
    return broken * 100 > count * USUAL_PERCENT ? broken : 0;
}

/* ---- evidence of the whole trace ---- */

static int64_t read_header_count(const struct tp_trace *trace, const char *key)
{
    int64_t count = tp_value_int(tp_trace_header(trace, key));
    return count > 0 ? count : 0;
}

/* Counts events whose category seems damaged. A category that occurs more than twice is accepted as a new word of the
 * writer. */
static uint64_t count_misspelled_cats(const struct tp_trace *trace)
{
    enum { MOST_ALIKE = 2 }; /* more equal categories are a new word, because damage rarely repeats a text */
    const struct tp_reading *r = &trace->reading;
    uint64_t count = r->misspelled_cats;
    for (unsigned i = 0; i < TP_UNKNOWN_CATEGORIES; i++) {
        const struct tp_unknown_category *unread = &r->unknown_categories[i];
        bool is_own = unread->count > MOST_ALIKE &&
                      tp_cat_meaning_by_name(tp_strings_get(&trace->cats, unread->cat)).is_misspelled;
        count -= is_own ? unread->count : 0;
    }
    return count;
}

/* Counts the few times that have more or fewer than three decimals while nearly all have three. Returns 0 for many
 * such times, because then a tool has rewritten all numbers. */
static uint64_t count_times_with_unexpected_decimals(const struct tp_reading *r)
{
    enum { MOST = 2, ONE_IN = 20 };
    return r->times_with_unexpected_decimals <= MOST && r->times_with_unexpected_decimals * ONE_IN < r->with_decimals
               ? r->times_with_unexpected_decimals
               : 0;
}

static int64_t count_unusual_texts(const struct tp_trace *trace)
{
    const struct tp_reading *r = &trace->reading;
    static const enum tp_notice odd[] = {TP_NOTICE_EVENT_REPAIRED, TP_NOTICE_CONTROL, TP_NOTICE_TRAILING_COMMA,
                                         TP_NOTICE_DUPLICATE_KEY};
    uint64_t count = r->unknown_or_duplicate_keys + r->misnamed_memory_records + count_misspelled_cats(trace) -
                     r->torch_error_repairs;
    /* Ascend's profiler writes no categories; there, the process determines the kind of an event */
    if (!r->read_without_cat)
        count += r->skipped_without_cat;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        count += r->notices[odd[i]];
    return (int64_t)count;
}

/* Counts events with a number ("Ev Idx") that another event has too. Such a file has more events than numbers, or the
 * sum of its numbers differs from the expected sum. */
static int64_t count_duplicate_numbers(const struct tp_reading *r)
{
    uint64_t numbers = r->numbered_events ? (uint64_t)r->highest_recorder_number + 1 : 0;
    if (r->numbered_events != numbers)
        return r->numbered_events > numbers ? (int64_t)(r->numbered_events - numbers) : 0;
    uint64_t sum = numbers % 2 ? (numbers - 1) / 2 * numbers : numbers / 2 * (numbers - 1);
    return numbers && r->recorder_number_sum != sum;
}

static void fill_file_evidence(struct tp_input_evidence *e, const struct tp_trace *trace)
{
    const struct tp_reading *r = &trace->reading;
    bool is_cut = r->notices[TP_NOTICE_GZIP_TRUNCATED] || r->notices[TP_NOTICE_GZIP_CORRUPT];
    e->crc = !r->is_gzip                           ? TP_CRC_ABSENT
             : r->notices[TP_NOTICE_GZIP_CHECKSUM] ? TP_CRC_BAD
             : is_cut                              ? TP_CRC_UNREAD
                                                   : TP_CRC_OK;
    e->eof = is_cut || r->is_truncated || !r->has_end ? TP_EOF_CUT
             : r->notices[TP_NOTICE_TRAILING_DATA]    ? TP_EOF_PADDED
                                                      : TP_EOF_CLEAN;
    e->clock = r->notices[TP_NOTICE_TIME_OUTLIER] || r->notices[TP_NOTICE_TIME_RANGE] ||
                       r->notices[TP_NOTICE_NEGATIVE_DURATION]
                   ? TP_CLOCK_JUMP
               : r->cut_operations.count ? TP_CLOCK_IMPOSSIBLE
                                         : TP_CLOCK_OK;
    e->file_bytes = (int64_t)r->file_bytes;
    e->repaired = (int64_t)r->notices[TP_NOTICE_EVENT_REPAIRED];
    e->lost[TP_LOST_BROKEN] = (int64_t)(r->notices[TP_NOTICE_EVENT_SKIPPED] + r->notices[TP_NOTICE_EVENT_TOO_LONG]);
    e->event_count = (int64_t)r->element_count;
    for (int i = 0; i < TP_SKIP_COUNT; i++)
        e->lost[TP_LOST_UNKNOWN] +=
            /* an unknown category may be newer than this program, so its events do not count as lost */
            i == TP_SKIP_UNKNOWN_CATEGORY ? 0 : (int64_t)r->skipped[i];
    e->lost[TP_LOST_UNKNOWN] += (int64_t)r->missing_dur;
    e->lost[TP_LOST_TEXT] = count_unusual_texts(trace);
    e->lost[TP_LOST_DUPLICATES] = (int64_t)r->duplicate_events + count_duplicate_numbers(r);
    if (r->numbered_events && r->highest_recorder_number >= (int64_t)r->numbered_events)
        e->lost[TP_LOST_NUMBERS] = r->highest_recorder_number + 1 - (int64_t)r->numbered_events;
    e->lost[TP_LOST_LINK_ENDS] = count_missing_link_ends(trace);
    e->lost[TP_LOST_BY_RECORDER] = read_header_count(trace, "tracepress_dropped");
}

/* Returns how the recording ended. A recording of torch's profiler always ends with an end mark. */
static enum tp_recorder find_recorder_end(const struct tp_trace *trace)
{
    if (tp_str_equal(tp_trace_header(trace, "tracepress_end"), TP_STR("\"killed\"")))
        return TP_RECORDER_KILLED;
    return tp_strings_find(&trace->names, TP_STR("Record Window End")) != TP_NO_ID ? TP_RECORDER_ENDED
                                                                                   : TP_RECORDER_NO_END;
}

/* Returns true if the recorder recorded stacks, according to the options in the metadata. Files of torch 1.13 have
 * no options; there, stacks on operators show that frames were recorded. Such files have numbered events and no base
 * time. */
static bool has_recorded_stacks(const struct tp_trace *trace)
{
    /* our recorder writes stacks of C code only on ranges, samples and memory records */
    if (tp_trace_header(trace, "tracepress_recorder").ptr)
        return trace->options & TP_OPTION_WITH_STACK && trace->host_count && !trace->stack_texts.count;
    if (trace->options & TP_OPTION_WITH_STACK)
        return true;
    for (uint32_t i = 0; trace->reading.numbered_events && !trace->base_time_ns && i < trace->host_count; i++)
        if (trace->hosts[i].stack != TP_NO_ID)
            return true;
    return false;
}

/* Returns true if the metadata is incomplete. torch's profiler writes the version of its format, and also the devices
 * if there are device operations. Returns false for files with very little metadata, because they are tests or filtered
 * files. */
static bool lacks_metadata(const struct tp_trace *trace)
{
    static const char *const keys[] = {"displayTimeUnit", "baseTimeNanoseconds", "trace_id",    "record_shapes",
                                       "with_stack",      "profile_memory",      "with_modules"};
    unsigned count = tp_trace_header(trace, "traceName").ptr ? 2 : 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        count += tp_trace_header(trace, keys[i]).ptr != NULL;
    bool has_version = tp_trace_header(trace, "schemaVersion").ptr;
    bool is_ours = tp_trace_header(trace, "tracepress_recorder").ptr;
    bool lacks_version = trace->reading.has_window_end && !has_version;
    return !is_ours && count >= 2 && (lacks_version || (trace->device_count && !trace->has_gpu_list));
}

/* Applies the rules about the contents of files of torch's profiler, whose format our recorder uses too. */
static void fill_content_evidence(struct tp_input_evidence *e, const struct tp_trace *trace, unsigned kinds,
                                  struct tp_arena *scratch)
{
    const struct tp_reading *r = &trace->reading;
    e->recorder = find_recorder_end(trace);
    if (!trace->reading.numbered_events) {
        e->lost[TP_LOST_IDS] = count_missing_ids(trace, scratch);
        e->lost[TP_LOST_MEMORY] = count_wrong_memory_totals(trace, scratch);
    }
    e->lost[TP_LOST_OPERATORS] = lacks_operators(trace, kinds);
    e->lost[TP_LOST_DEVICE] =
        count_unmatched_launches(trace, scratch) + read_header_count(trace, "tracepress_gpu_dropped");
    e->lost[TP_LOST_LAUNCH] = count_unmatched_kernels(trace, scratch);
    if (!e->lost[TP_LOST_LAUNCH])
        e->lost[TP_LOST_LAUNCH] = (int64_t)r->unlaunched_devices;
    e->lost[TP_LOST_MEMORY] += (int64_t)r->unexplained_memory_totals;
    e->lost[TP_LOST_CONFLICTS] = (int64_t)r->conflicts;
    e->lost[TP_LOST_ARGUMENTS] = (int64_t)r->events_lacking_member;
    e->lost[TP_LOST_TEXT] += (int64_t)(r->damaged_name_events + count_times_with_unexpected_decimals(r));
    e->lost[TP_LOST_UNKNOWN] += (int64_t)r->nameless;
    e->lost[TP_LOST_METADATA] = lacks_metadata(trace);
    e->lost[TP_LOST_FRAMES] = !(e->present & TP_NEED_FRAMES) && has_recorded_stacks(trace);
    /* The recorder numbers memory records after operators and before frames. If the numbers of frames follow those
     * of operators without a gap, no memory record was lost (torch_2.13_multithread.full). */
    bool has_no_room = trace->reading.numbered_events && e->present & TP_NEED_FRAMES;
    e->lost[TP_LOST_MEMORY_RECORDS] =
        trace->options & TP_OPTION_PROFILE_MEMORY && !(e->present & TP_NEED_MEMORY) && !has_no_room;
}

/* Finds the kinds of data that the file has or lacks, by rules that are valid for every format. */
static void find_present_data_kinds(struct tp_input_evidence *e, const struct tp_trace *trace, unsigned kinds)
{
    const unsigned frames = 1u << TP_KIND_FRAME | 1u << TP_KIND_MODULE;
    e->present = (kinds & 1u << TP_KIND_OPERATOR ? TP_NEED_HOST : 0u) |
                 (kinds & 1u << TP_KIND_ANNOTATION ? TP_PRESENT_ANNOTATIONS : 0u) |
                 (trace->device_count ? TP_NEED_DEVICE : 0u) | (trace->launch_count ? TP_NEED_RUNTIME : 0u) |
                 (trace->memory_count ? TP_NEED_MEMORY : 0u) | (kinds & frames ? TP_NEED_FRAMES : 0u);
    e->requested = (trace->options & TP_OPTION_PROFILE_MEMORY ? TP_NEED_MEMORY : 0u) |
                   (trace->options & TP_OPTION_WITH_STACK ? TP_NEED_FRAMES : 0u);
    if (trace->has_gpu_list && !trace->gpu_count && !trace->device_count && !trace->launch_count)
        e->absent = TP_NEED_DEVICE | TP_NEED_RUNTIME;
    e->lost[TP_LOST_ALL] = !e->present && !trace->sample_count && !trace->counter_count && !trace->tensor_count;
}

/* Counts the rows that the reader dropped, by the numbers that they affect. */
static void fill_dropped_rows(struct tp_input_evidence *e, const struct tp_input_facts *facts)
{
    static const struct {
        unsigned need;
        enum tp_lost lost;
    } kinds[] = {{TP_NEED_HOST, TP_LOST_HOST_ROWS},
                 {TP_NEED_DEVICE, TP_LOST_DEVICE_ROWS},
                 {TP_NEED_RUNTIME, TP_LOST_RUNTIME_ROWS}};
    const unsigned others = ~(unsigned)(TP_NEED_HOST | TP_NEED_DEVICE | TP_NEED_RUNTIME);
    for (uint32_t i = 0; i < facts->dropped_count; i++) {
        const struct tp_dropped_rows *rows = &facts->dropped[i];
        int64_t count = rows->count < INT64_MAX ? (int64_t)rows->count : INT64_MAX;
        if (rows->needs & others)
            e->lost[TP_LOST_ROWS] = tp_sat_add(e->lost[TP_LOST_ROWS], count);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !(rows->needs & others); k++)
            if (rows->needs & kinds[k].need)
                e->lost[kinds[k].lost] = tp_sat_add(e->lost[kinds[k].lost], count);
    }
}

bool tp_evidence_has_known_writer(const struct tp_trace *trace)
{
    if (trace->input.producer.ptr && !trace->input.is_of_torch_profiler)
        return false;
    bool has_head = trace->has_gpu_list && tp_trace_header(trace, "schemaVersion").ptr;
    return has_head || trace->reading.numbered_events || trace->reading.has_window_end;
}

void tp_evidence_build(struct tp_input_evidence *evidence, const struct tp_trace *trace, struct tp_arena *scratch)
{
    unsigned kinds = find_event_kinds(trace);
    memset(evidence, 0, sizeof *evidence);
    evidence->is_known = true;
    fill_file_evidence(evidence, trace);
    find_present_data_kinds(evidence, trace, kinds);
    evidence->producer = trace->input.producer;
    evidence->unknown = trace->input.unknown;
    fill_dropped_rows(evidence, &trace->input);
    if (tp_evidence_has_known_writer(trace))
        fill_content_evidence(evidence, trace, kinds, scratch);
}
