/* Delivers the CPU samples in an export of Nsight Systems: see nsys.h.
 *
 * A row of COMPOSITE_EVENTS is a sample, and the rows of SAMPLING_CALLCHAINS with its id are the frames of its stack.
 * The frames of a sample follow each other in the files of nsys; other files are read a second time, with all frames in
 * memory. The time between two samples is not in the file, so samples are only counted (docs/definitions.md,
 * section 7). */
#include "webreport/trace/inputs/sqlite/nsys.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"
#include "writer/base/utf8.h"

enum { ID, START, TIMESTAMP, THREAD, CYCLES, SYMBOL, MODULE, UNRESOLVED, DEPTH, COLUMNS };
static const char *const columns[COLUMNS] = {[ID] = "id",
                                             [START] = "start",
                                             [TIMESTAMP] = "timestamp",
                                             [THREAD] = "globalTid",
                                             [CYCLES] = "cpuCycles",
                                             [SYMBOL] = "symbol",
                                             [MODULE] = "module",
                                             [UNRESOLVED] = "unresolved",
                                             [DEPTH] = "stackDepth"};
#define BIT(column) (UINT64_C(1) << (column))

/* Values of `samples` for ids that are no sample of this process. */
enum { OTHER_PROCESS = UINT32_MAX - 1 };

/* A sample before its delivery. */
struct found {
    int64_t id, ts_ns, global_tid;
    bool has_id, has_cycles;
};

/* A frame of a sample. */
struct frame {
    int64_t depth;         /* 0: innermost */
    uint32_t sample, text; /* sample: index in the samples of the sink; text: id in texts */
};

struct samples {
    struct tp_nsys *nsys;
    struct tp_vec found;         /* elements: struct found */
    struct tp_id_map sample_ids; /* id of a sample: index in the samples of the sink, or OTHER_PROCESS */
    struct tp_strings symbols;   /* texts of symbols and modules that are not in StringIds */
    struct tp_strings texts;     /* texts of frames */
    struct tp_keys frames;       /* keys: symbol, module, whether the symbol is known */
    struct tp_vec text_of_frame; /* id in texts of each key in frames; elements: uint32_t */
    struct tp_keys nodes;        /* keys: node of the caller, id in texts */
    struct tp_vec stack_of_node; /* stack of each node, id in stacks; TP_NO_ID: not made yet; elements: uint32_t */
    struct tp_vec chain;         /* frames of the current sample, or of all samples; elements: struct frame */
    bool *has_stack;             /* for each sample of the sink: true if its frames were read */
    bool is_scattered;           /* true if the frames of a sample do not follow each other */
    bool has_cycles;             /* true if a sample has a number of cycles */
    uint64_t stack_bytes;
    uint64_t bad_samples, bad_frames, orphans, cut_frames, cut_stacks;
};

/* ---- samples ---- */

static int read_sample(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct samples *s = context;
    struct found found = {0};
    (void)err;
    found.has_id = tp_database_int(row, ID, &found.id);
    bool has_thread = tp_database_int(row, THREAD, &found.global_tid);
    if (has_thread && tp_nsys_pid(found.global_tid) != s->nsys->pid) {
        if (found.has_id)
            *tp_id_map_find_or_add(&s->sample_ids, (uint64_t)found.id) = OTHER_PROCESS;
        return TP_OK;
    }
    bool has_time = tp_database_int(row, START, &found.ts_ns) || tp_database_int(row, TIMESTAMP, &found.ts_ns);
    if (!has_thread || !has_time || found.ts_ns < -TP_MAX_TIME_NS || found.ts_ns > TP_MAX_TIME_NS) {
        s->bad_samples++;
        return TP_OK;
    }
    found.has_cycles = tp_database_int_or(row, CYCLES, 0) > 0;
    s->has_cycles |= found.has_cycles;
    *(struct found *)tp_vec_push(&s->found) = found;
    return TP_OK;
}

/* Delivers the samples without their stacks. If the file has numbers of cycles, a row without cycles is the stack at a
 * switch of the scheduler, and no sample of a running thread. */
static void deliver_samples(struct samples *s)
{
    struct tp_sink *sink = s->nsys->sink;
    for (size_t i = 0; i < s->found.count; i++) {
        const struct found *found = TP_AT(&s->found, struct found, i);
        bool is_switch = s->has_cycles && !found->has_cycles;
        s->nsys->switch_stacks += is_switch;
        if (found->has_id)
            *tp_id_map_find_or_add(&s->sample_ids, (uint64_t)found->id) =
                is_switch ? OTHER_PROCESS : (uint32_t)sink->samples.count;
        if (!is_switch)
            tp_sink_add_sample(sink, &(struct tp_sample){.ts_ns = found->ts_ns - s->nsys->shift_ns,
                                                         .stack = TP_NO_ID,
                                                         .thread = tp_nsys_thread(s->nsys, found->global_tid)});
    }
}

/* ---- frames ---- */

/* Returns the text of a column, and a number for it in *number. */
static struct tp_str numbered_text(struct samples *s, const struct tp_database_row *row, unsigned column,
                                   uint32_t *number)
{
    const uint32_t own_texts = UINT32_C(1) << 31;
    struct tp_str text = tp_nsys_text(s->nsys, row, column, number);
    if (*number == TP_NO_ID && text.len)
        *number = own_texts | tp_strings_add(&s->symbols, text);
    return text;
}

/* Returns the name of a module without its folder and brackets; empty if it is unknown. */
static struct tp_str module_name(struct tp_str path)
{
    for (size_t i = path.len; i-- > 0;)
        if (path.ptr[i] == '/' || path.ptr[i] == '\\') {
            path = (struct tp_str){path.ptr + i + 1, path.len - i - 1};
            break;
        }
    if (tp_str_starts(path, "[") && tp_str_ends(path, "]"))
        path = (struct tp_str){path.ptr + 1, path.len - 2};
    return tp_str_equal(path, TP_STR("Unknown")) ? TP_STR("") : path;
}

/* Writes a name, in which ";" would end the frame. */
static void write_name(struct tp_buf *out, struct tp_str name)
{
    size_t size = tp_utf8_fitting_bytes(name.ptr, name.len, TP_MAX_SYMBOL_BYTES);
    for (size_t i = 0; i < size; i++) {
        char c = name.ptr[i];
        tp_buf_putc(out, c == ';' ? ',' : c);
    }
}

/* Returns the id in texts of a frame: "symbol [module]" or "[unknown in module]". */
static uint32_t make_frame_text(struct samples *s, struct tp_str symbol, struct tp_str module, bool is_known)
{
    struct tp_buf *out = &s->nsys->events->text;
    tp_buf_clear(out);
    module = module_name(module);
    if (is_known)
        write_name(out, symbol);
    tp_buf_puts(out, !is_known ? "[unknown" : module.len ? " [" : "");
    tp_buf_puts(out, !is_known && module.len ? " in " : "");
    write_name(out, module);
    tp_buf_puts(out, !is_known || module.len ? "]" : "");
    return tp_strings_add(&s->texts, tp_row_events_buffer_text(s->nsys->events));
}

static uint32_t text_of_row(struct samples *s, const struct tp_database_row *row)
{
    uint32_t key[3];
    struct tp_str symbol = numbered_text(s, row, SYMBOL, &key[0]), module = numbered_text(s, row, MODULE, &key[1]);
    bool is_known = symbol.len && !tp_database_int_or(row, UNRESOLVED, 0) && !tp_str_starts(symbol, "0x") &&
                    !tp_str_equal(symbol, TP_STR("[Unknown]"));
    key[2] = is_known;
    if (!is_known)
        key[0] = TP_NO_ID;
    uint32_t id = tp_keys_add(&s->frames, key);
    if (id == s->text_of_frame.count) {
        uint32_t text = make_frame_text(s, symbol, module, is_known);
        *(uint32_t *)tp_vec_push(&s->text_of_frame) = text;
    }
    return *TP_AT(&s->text_of_frame, uint32_t, id);
}

/* ---- stacks ---- */

static int compare_frames(const void *x, const void *y, const void *context)
{
    const struct frame *a = x, *b = y;
    (void)context;
    if (a->sample != b->sample)
        return a->sample < b->sample ? -1 : 1;
    return (a->depth > b->depth) - (a->depth < b->depth);
}

/* Removes frames with the depth of an earlier one, and all frames after TP_MAX_SAMPLE_FRAMES. */
static size_t drop_surplus_frames(struct samples *s, struct frame *frames, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept && frames[kept - 1].depth == frames[i].depth)
            s->bad_frames++;
        else if (kept == TP_MAX_SAMPLE_FRAMES)
            s->cut_frames++;
        else
            frames[kept++] = frames[i];
    }
    return kept;
}

/* Returns the stack of frames that are sorted by depth, id in stacks; TP_NO_ID if the texts exceed their limit. */
static uint32_t intern_stack(struct samples *s, const struct frame *frames, size_t count)
{
    struct tp_buf *out = &s->nsys->events->text;
    uint32_t node = TP_NO_ID;
    for (size_t i = count; i-- > 0;)
        node = tp_keys_pair(&s->nodes, node, frames[i].text);
    while (s->stack_of_node.count < tp_keys_count(&s->nodes))
        *(uint32_t *)tp_vec_push(&s->stack_of_node) = TP_NO_ID;
    uint32_t *stack = TP_AT(&s->stack_of_node, uint32_t, node);
    if (*stack != TP_NO_ID)
        return *stack;
    tp_buf_clear(out);
    for (size_t i = 0; i < count; i++) {
        struct tp_str text = tp_strings_get(&s->texts, frames[i].text);
        tp_buf_puts(out, i ? ";" : "");
        tp_buf_add(out, text.ptr, text.len);
    }
    struct tp_str text = tp_row_events_buffer_text(s->nsys->events);
    if (s->stack_bytes + text.len > TP_MAX_SAMPLE_STACKS_BYTES || text.len > TP_MAX_EVENT_BYTES) {
        s->cut_stacks++;
        return TP_NO_ID;
    }
    s->stack_bytes += text.len;
    return *stack = tp_sink_intern_text(s->nsys->sink, &s->nsys->sink->stacks, text);
}

/* Gives a sample the stack of its frames, in the order of the file. */
static void set_stack(struct samples *s, struct frame *frames, size_t count)
{
    if (!count)
        return;
    uint32_t sample = frames[0].sample;
    tp_merge_sort(s->nsys->scratch, frames, count, sizeof *frames, compare_frames, NULL);
    count = drop_surplus_frames(s, frames, count);
    s->has_stack[sample] = true;
    TP_AT(&s->nsys->sink->samples, struct tp_sample, sample)->stack = intern_stack(s, frames, count);
}

/* Adds a frame to the chain. Without `is_scattered`, the chain has the frames of one sample only. */
static int read_frame(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct samples *s = context;
    const struct frame *first = s->chain.data;
    struct frame frame;
    int64_t id;
    (void)err;
    uint32_t sample = tp_database_int(row, ID, &id) ? tp_id_map_get(&s->sample_ids, (uint64_t)id) : TP_NO_ID;
    s->orphans += sample == TP_NO_ID;
    if (sample >= OTHER_PROCESS)
        return TP_OK;
    if (!tp_database_int(row, DEPTH, &frame.depth) || frame.depth < 0) {
        s->bad_frames++;
        return TP_OK;
    }
    if (!s->is_scattered && s->chain.count && first->sample != sample) {
        set_stack(s, s->chain.data, s->chain.count);
        s->chain.count = 0;
    }
    if (!s->is_scattered && s->has_stack[sample]) {
        s->is_scattered = true;
        return 1;
    }
    if (s->chain.count >= TP_MAX_SCATTERED_FRAMES) {
        s->cut_frames++;
        return TP_OK;
    }
    frame.sample = sample;
    frame.text = text_of_row(s, row);
    *(struct frame *)tp_vec_push(&s->chain) = frame;
    return TP_OK;
}

/* Gives all samples their stacks, after the frames were read in any order. */
static void set_scattered_stacks(struct samples *s)
{
    struct frame *frames = s->chain.data;
    tp_merge_sort(s->nsys->scratch, frames, s->chain.count, sizeof *frames, compare_frames, NULL);
    for (size_t i = 0, end; i < s->chain.count; i = end) {
        for (end = i + 1; end < s->chain.count && frames[end].sample == frames[i].sample;)
            end++;
        set_stack(s, frames + i, end - i);
    }
}

static int read_stacks(struct samples *s, struct tp_error *err)
{
    const struct tp_database_shape shape = {"SAMPLING_CALLCHAINS", columns,
                                            BIT(ID) | BIT(SYMBOL) | BIT(MODULE) | BIT(UNRESOLVED) | BIT(DEPTH)};
    s->has_stack = tp_arena_array(s->nsys->scratch, s->nsys->sink->samples.count + 1, sizeof *s->has_stack);
    int code = tp_database_scan(s->nsys->db, &shape, read_frame, s, err);
    if (code == TP_OK && s->is_scattered) {
        s->chain.count = 0;
        s->bad_frames = s->orphans = s->cut_frames = s->cut_stacks = 0;
        code = tp_database_scan(s->nsys->db, &shape, read_frame, s, err);
    }
    if (code == TP_OK && s->is_scattered)
        set_scattered_stacks(s);
    else if (code == TP_OK)
        set_stack(s, s->chain.data, s->chain.count);
    return code;
}

/* ---- all samples ---- */

static void report_dropped(const struct samples *s)
{
    const struct {
        const char *what;
        uint64_t count;
    } rows[] = {{"CPU samples without a time or thread", s->bad_samples},
                {"frames of CPU samples", s->bad_frames},
                {"frames without a CPU sample", s->orphans},
                {"frames of CPU samples beyond the limit", s->cut_frames},
                {"stacks of CPU samples beyond the limit", s->cut_stacks}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].count)
            tp_sink_count_dropped(s->nsys->sink, rows[i].what, rows[i].count, 0);
}

int tp_nsys_read_samples(struct tp_nsys *nsys, struct tp_error *err)
{
    struct tp_arena *scratch = nsys->scratch;
    struct samples s = {.nsys = nsys,
                        .found = TP_VEC(scratch, struct found),
                        .text_of_frame = TP_VEC(scratch, uint32_t),
                        .stack_of_node = TP_VEC(scratch, uint32_t),
                        .chain = TP_VEC(scratch, struct frame)};
    const struct tp_database_shape shape = {TP_NSYS_SAMPLE_TABLE, columns,
                                            BIT(ID) | BIT(START) | BIT(TIMESTAMP) | BIT(THREAD) | BIT(CYCLES)};
    if (!tp_database_has(nsys->db, TP_NSYS_SAMPLE_TABLE))
        return TP_OK;
    tp_id_map_init(&s.sample_ids, scratch);
    tp_strings_init(&s.symbols, scratch, 0);
    tp_strings_init(&s.texts, scratch, 0);
    tp_keys_init(&s.frames, scratch, 3);
    tp_keys_init(&s.nodes, scratch, 2);
    int code = tp_database_scan(nsys->db, &shape, read_sample, &s, err);
    if (code < 0)
        return code;
    deliver_samples(&s);
    nsys->sink->trace->input.has_untimed_samples = nsys->sink->samples.count > 0;
    code = read_stacks(&s, err);
    report_dropped(&s);
    return code;
}
