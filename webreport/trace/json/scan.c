/* Scans events: see scan.h. The frequent loops process 16 bytes per step with SSE2, otherwise one byte. */
#include "webreport/trace/json/scan.h"

#include "webreport/trace/json/profiler_args.h"
#include "writer/base/limits.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Returns the first a or b at or after p. If none exists, the result may be up to 15 bytes after `end`. */
static inline const char *find_either_char(const char *p, const char *end, char a, char b)
{
#ifdef __SSE2__
    const __m128i first = _mm_set1_epi8(a), second = _mm_set1_epi8(b);
    for (; p < end; p += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)p);
        int mask = _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(x, first), _mm_cmpeq_epi8(x, second)));
        if (mask)
            return p + __builtin_ctz((unsigned)mask);
    }
    return p;
#else
    while (p < end && *p != a && *p != b)
        p++;
    return p;
#endif
}

/* Returns the quote that ends a string; NULL if the window ends before. p: position after the opening quote. */
static inline const char *find_string_end(const char *p, const char *end)
{
    for (;;) {
        p = find_either_char(p, end, '"', '\\');
        if (p >= end)
            return NULL;
        if (*p == '"')
            return p;
        p += 2;
    }
}

const char *tp_scan_find_string_end(const char *at, const char *end)
{
    return find_string_end(at, end);
}

const char *tp_scan_skip_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    return at;
}

/* Works like tp_scan_skip_space, with a fast path for no blank or one blank. */
static inline const char *skip_space(const char *p, const char *end)
{
    if ((unsigned char)*p > ' ')
        return p;
    if (*p == ' ' && (unsigned char)p[1] > ' ')
        return p + 1;
    return tp_scan_skip_space(p, end);
}

/* Returns true if the object at p begins with a key of events and is not the value of a member. from: start of the
 * readable text before p. */
static bool does_event_begin_at(const char *from, const char *p, const char *end)
{
    static const char *const keys[] = {"ph", "cat", "name", "pid", "tid", "ts", "dur", "id", "args", "s", "bp"};
    const char *before = p - 1, *key = tp_scan_skip_space(p + 1, end);
    while (before >= from && (unsigned char)*before <= ' ')
        before--;
    if ((before >= from && *before == ':') || key >= end || *key != '"')
        return false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t n = strlen(keys[i]);
        if ((size_t)(end - key) > n + 2 && memcmp(key + 1, keys[i], n) == 0 && key[n + 1] == '"') {
            const char *colon = tp_scan_skip_space(key + n + 2, end);
            return colon < end && *colon == ':';
        }
    }
    return false;
}

/* ---- strings with unescaped quotes ---- */

/* Returns true if a key of at most 64 bytes without line break, and its colon, are at p. */
static bool is_key_at(const char *p, const char *end)
{
    if (p >= end || *p != '"')
        return false;
    const char *stop = end - p > 66 ? p + 66 : end;
    for (p++; p < stop && *p != '"'; p++)
        if (*p == '\n' || *p == ':')
            return false;
    if (p >= stop)
        return false;
    p = tp_scan_skip_space(p + 1, end);
    return p < end && *p == ':';
}

/* Returns true if the quote at p can end a string value: the text after the quote can follow a value. */
static bool may_quote_end_string(const char *p, const char *end)
{
    const char *next = tp_scan_skip_space(p + 1, end);
    if (next >= end)
        return true;
    if (*next == ',')
        return is_key_at(tp_scan_skip_space(next + 1, end), end);
    if (*next != '}')
        return false;
    next = tp_scan_skip_space(next + 1, end);
    return next >= end || *next == ',' || *next == '}' || *next == ']';
}

/* Returns true for a key with several words that recorders write. Names in programs never have such a key in quotes. */
static bool is_recorder_key(const char *from, const char *to)
{
    struct tp_str key = {from, (size_t)(to - from)};
    return tp_str_find(key, " ") > 0 && tp_scan_is_profiler_arg(key);
}

/* Finds the quote that ends a string with unescaped quotes. Returns TP_SCAN_BAD if another event begins before it. */
static enum tp_scan_status find_end_of_unescaped_string(struct tp_scan *scan, const char *p, const char **close)
{
    const char *from = p, *end = scan->end, *quote = NULL; /* quote: the last quote that was treated as text */
    for (; p < end; p++) {
        if (*p == '"' && may_quote_end_string(p, end)) {
            *close = p;
            return TP_SCAN_OK;
        }
        scan->inner_quote_count += *p == '"';
        scan->inner_key_count += *p == '"' && p + 1 < end && p[1] == ':';
        if (*p == '"') {
            scan->recorder_key_count += quote && p + 1 < end && p[1] == ':' && is_recorder_key(quote + 1, p);
            quote = p;
        }
        if (*p == '{' && does_event_begin_at(from, p, end))
            return TP_SCAN_BAD;
    }
    return TP_SCAN_MORE;
}

/* ---- skipping of values ---- */

static inline enum tp_scan_status stop(struct tp_scan *scan, const char *at, enum tp_scan_status status)
{
    scan->at = at;
    return status;
}

static inline bool is_bracket(char c)
{
    return c == '[' || c == ']' || c == '{' || c == '}';
}

/* Returns the next quote or bracket at or after p. */
static inline const char *find_quote_or_bracket(const char *p, const char *end)
{
#ifdef __SSE2__
    /* the codes of [ ] are 5B 5D, those of { } are 7B 7D; clearing bit 5 makes both pairs [ ] */
    const __m128i fold = _mm_set1_epi8((char)0xDF), open = _mm_set1_epi8('['), close = _mm_set1_epi8(']');
    const __m128i quote = _mm_set1_epi8('"');
    for (; p < end; p += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)p), folded = _mm_and_si128(x, fold);
        __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(x, quote),
                                   _mm_or_si128(_mm_cmpeq_epi8(folded, open), _mm_cmpeq_epi8(folded, close)));
        int mask = _mm_movemask_epi8(hit);
        if (mask)
            return p + __builtin_ctz((unsigned)mask);
    }
    return p;
#else
    while (p < end && *p != '"' && !is_bracket(*p))
        p++;
    return p;
#endif
}

/* Skips an array or object of any depth. Counts brackets outside of strings, without recursion. */
static enum tp_scan_status skip_container(struct tp_scan *scan, struct tp_spans *notes)
{
    const char *p = scan->at, *end = scan->end;
    size_t depth = 0;
    for (;;) {
        p = find_quote_or_bracket(p, end);
        if (p >= end)
            return stop(scan, p, TP_SCAN_MORE);
        if (*p == '"') {
            p = find_string_end(p + 1, end);
            if (!p)
                return TP_SCAN_MORE;
        } else if (*p == '[' || *p == '{') {
            depth++;
            notes->is_nested_too_deep |= depth > TP_MAX_DEPTH;
        } else if (--depth == 0) {
            return stop(scan, p + 1, TP_SCAN_OK);
        }
        p++;
    }
}

static inline bool is_word_end(char c)
{
    return c == ',' || c == '}' || c == ']' || (unsigned char)c <= ' ';
}

/* Skips a number or literal. Sets has_bare_word in *notes for other words (inf, nan, NaN, Infinity, N/A). */
static inline enum tp_scan_status skip_word(struct tp_scan *scan, struct tp_spans *notes)
{
    const char *p = scan->at;
    char c = *p == '-' ? p[1] : *p;
    if ((unsigned char)(c - '0') > 9) {
        const char *q = p;
        while (q < scan->end && !is_word_end(*q) && *q != '"' && *q != '[' && *q != '{' && *q != ':')
            q++;
        size_t n = (size_t)(q - p);
        bool is_literal =
            (n == 4 && (!memcmp(p, "true", 4) || !memcmp(p, "null", 4))) || (n == 5 && !memcmp(p, "false", 5));
        if (q < scan->end && (n == 0 || !is_word_end(*q)))
            return stop(scan, q, TP_SCAN_BAD);
        notes->has_bare_word |= !is_literal;
        return stop(scan, q, q < scan->end ? TP_SCAN_OK : TP_SCAN_MORE);
    }
    for (p++; !is_word_end(*p); p++)
        if (*p == '"' || *p == ':' || *p == '{' || *p == '[')
            return stop(scan, p, TP_SCAN_BAD);
    return stop(scan, p, p < scan->end ? TP_SCAN_OK : TP_SCAN_MORE);
}

static inline enum tp_scan_status skip_string(struct tp_scan *scan)
{
    const char *close = NULL;
    if (scan->is_lenient) {
        enum tp_scan_status status = find_end_of_unescaped_string(scan, scan->at + 1, &close);
        if (status != TP_SCAN_OK)
            return status;
    } else {
        close = find_string_end(scan->at + 1, scan->end);
        if (!close)
            return TP_SCAN_MORE;
    }
    return stop(scan, close + 1, TP_SCAN_OK);
}

static inline enum tp_scan_status skip_value(struct tp_scan *scan, struct tp_str *value, struct tp_spans *notes)
{
    const char *from = scan->at;
    enum tp_scan_status status;
    if (*from == '"')
        status = skip_string(scan);
    else if (*from == '[' || *from == '{')
        status = skip_container(scan, notes);
    else
        status = skip_word(scan, notes);
    *value = (struct tp_str){from, (size_t)(scan->at - from)};
    return status;
}

enum tp_scan_status tp_scan_value(struct tp_scan *scan, struct tp_str *value, struct tp_spans *notes)
{
    return skip_value(scan, value, notes);
}

/* ---- keys of events and arguments ---- */

struct key {
    const char *text;
    uint8_t len, field;
};

#define KEY(text, field)                                                                                               \
    {                                                                                                                  \
        text, sizeof(text) - 1, field                                                                                  \
    }

static const struct key arg_keys[] = {
    KEY("External id", TP_ARG_EXTERNAL_ID),
    KEY("cpu ns", TP_ARG_CPU_NS),
    KEY("Ev Idx", TP_ARG_EVENT_NUMBER),
    KEY("Profiler Event Index", TP_ARG_EVENT_NUMBER), /* key of torch 1.13 */
    KEY("external id", TP_ARG_EXTERNAL_ID_OLD),
    KEY("correlation", TP_ARG_CORRELATION),
    KEY("finished", TP_ARG_FINISHED),
    KEY("Input Dims", TP_ARG_INPUT_DIMS),
    KEY("Input dims", TP_ARG_INPUT_DIMS_OLD),
    KEY("Input type", TP_ARG_INPUT_TYPE),
    KEY("Concrete Inputs", TP_ARG_CONCRETE_INPUTS),
    KEY("Call stack", TP_ARG_CALL_STACK),
    KEY("Sequence number", TP_ARG_SEQUENCE),
    KEY("Fwd thread id", TP_ARG_FORWARD_THREAD),
    KEY("Python module id", TP_ARG_MODULE_ID),
    KEY("device", TP_ARG_DEVICE),
    KEY("stream", TP_ARG_STREAM),
    KEY("bytes", TP_ARG_BYTES),
    KEY("grid", TP_ARG_GRID),
    KEY("block", TP_ARG_BLOCK),
    KEY("registers per thread", TP_ARG_REGISTERS),
    KEY("shared memory", TP_ARG_SHARED_MEMORY),
    KEY("blocks per SM", TP_ARG_BLOCKS_PER_SM),
    KEY("est. achieved occupancy %", TP_ARG_OCCUPANCY),
    KEY("graph id", TP_ARG_GRAPH_ID),
    KEY("memory bandwidth (GB/s)", TP_ARG_BANDWIDTH),
    KEY("Collective name", TP_ARG_COLLECTIVE),
    KEY("dtype", TP_ARG_DTYPE),
    KEY("In msg nelems", TP_ARG_IN_COUNT),
    KEY("Out msg nelems", TP_ARG_OUT_COUNT),
    KEY("Group size", TP_ARG_GROUP_SIZE),
    KEY("Process Group Name", TP_ARG_GROUP_NAME),
    KEY("Process Group Description", TP_ARG_GROUP_DESCRIPTION),
    KEY("Process Group Ranks", TP_ARG_GROUP_RANKS),
    KEY("Src Rank", TP_ARG_PEER), /* for a receive; the value is a rank */
    KEY("Dst Rank", TP_ARG_PEER), /* for a send; the value is a rank */
    KEY("Seq", TP_ARG_COMM_SEQUENCE),
    KEY("Bytes", TP_ARG_MEMORY_BYTES),
    KEY("Addr", TP_ARG_ADDRESS),
    KEY("Total Allocated", TP_ARG_TOTAL_ALLOCATED),
    KEY("Total Reserved", TP_ARG_TOTAL_RESERVED),
    KEY("Device Type", TP_ARG_DEVICE_TYPE),
    KEY("Device Id", TP_ARG_DEVICE_ID),
    KEY("copy kind", TP_ARG_COPY_KIND),
    KEY("src kind", TP_ARG_SOURCE_KIND),
    KEY("dst kind", TP_ARG_TARGET_KIND),
    KEY("memory kind", TP_ARG_MEMORY_KIND),
    KEY("original_stream", TP_ARG_ORIGINAL_STREAM),
    KEY("channel_type", TP_ARG_CHANNEL_TYPE),
    KEY("cuda_sync_kind", TP_ARG_SYNC_KIND),
    KEY("wait_on_stream", TP_ARG_WAIT_STREAM),
    KEY("wait_on_cuda_event_record_corr_id", TP_ARG_WAIT_RECORD),
    KEY("Task Type", TP_ARG_TASK_TYPE),
    KEY("name", TP_ARG_NAME),
    KEY("labels", TP_ARG_LABELS),
    KEY("kind", TP_ARG_KIND),
    KEY("value", TP_ARG_VALUE),
    KEY("shape", TP_ARG_SHAPE),
    KEY("step", TP_ARG_STEP),
    KEY("file", TP_ARG_FILE),
    KEY("values", TP_ARG_VALUES),
    KEY("count", TP_ARG_COUNT),
    KEY("min", TP_ARG_MIN),
    KEY("max", TP_ARG_MAX),
    KEY("mean", TP_ARG_MEAN),
    KEY("std", TP_ARG_STD),
    KEY("l2", TP_ARG_L2),
    KEY("zeros", TP_ARG_ZEROS),
    KEY("nans", TP_ARG_NANS),
    KEY("infs", TP_ARG_INFS),
    KEY("recording", TP_ARG_RECORDING),
    KEY("sort_index", TP_ARG_SORT_INDEX),
};

enum { KEY_SLOTS = 256 };

/* Returns the first slot in which to search for a key. The hash spreads the known keys well. */
static inline unsigned key_slot(const char *key, size_t len)
{
    unsigned first = (unsigned char)key[0], last = (unsigned char)key[len - 1], middle = (unsigned char)key[len / 2];
    return (unsigned)(len * 29 + first * 5 + last * 3 + middle * 11) & (KEY_SLOTS - 1);
}

void tp_scan_init(struct tp_scan *scan)
{
    memset(scan, 0, sizeof *scan);
    for (size_t i = 0; i < sizeof arg_keys / sizeof *arg_keys; i++) {
        unsigned slot = key_slot(arg_keys[i].text, arg_keys[i].len);
        while (scan->key_hash_slots[slot])
            slot = (slot + 1) & (KEY_SLOTS - 1);
        scan->key_hash_slots[slot] = (uint8_t)(i + 1);
    }
}

int tp_scan_argument_field(const struct tp_scan *scan, struct tp_str key)
{
    if (key.len == 0) /* torch's CUPTI backend gives the value of a counter an empty key */
        return TP_ARG_VALUE;
    for (unsigned slot = key_slot(key.ptr, key.len); scan->key_hash_slots[slot]; slot = (slot + 1) & (KEY_SLOTS - 1)) {
        const struct key *known = &arg_keys[scan->key_hash_slots[slot] - 1];
        if (known->len == key.len && memcmp(known->text, key.ptr, key.len) == 0)
            return known->field;
    }
    return -1;
}

static inline int event_field_of_key(const char *key, size_t len)
{
    switch (len) {
    case 2:
        if (key[0] == 'p')
            return key[1] == 'h' ? TP_FIELD_PH : -1;
        if (key[0] == 't')
            return key[1] == 's' ? TP_FIELD_TS : -1;
        return key[0] == 'i' && key[1] == 'd' ? TP_FIELD_ID : -1;
    case 3:
        if (key[1] == 'i' && key[2] == 'd')
            return key[0] == 'p' ? TP_FIELD_PID : key[0] == 't' ? TP_FIELD_TID : -1;
        return !memcmp(key, "cat", 3) ? TP_FIELD_CAT : !memcmp(key, "dur", 3) ? TP_FIELD_DUR : -1;
    case 4:
        return !memcmp(key, "name", 4) ? TP_FIELD_NAME : !memcmp(key, "args", 4) ? TP_FIELD_ARGS : -1;
    default:
        return -1;
    }
}

/* ---- scanning of objects ---- */

/* Reads `"key" :` at scan->at and moves scan->at to the value. Sets *key to the text between the quotes. */
static inline enum tp_scan_status scan_key(struct tp_scan *scan, struct tp_str *key)
{
    const char *p = scan->at, *end = scan->end;
    if (p >= end)
        return TP_SCAN_MORE;
    if (*p != '"')
        return TP_SCAN_BAD;
    const char *close = find_string_end(p + 1, end);
    if (!close)
        return TP_SCAN_MORE;
    *key = (struct tp_str){p + 1, (size_t)(close - p - 1)};
    p = skip_space(close + 1, end);
    if (p >= end)
        return stop(scan, p, TP_SCAN_MORE);
    if (*p != ':')
        return stop(scan, p, TP_SCAN_BAD);
    p = skip_space(p + 1, end);
    return stop(scan, p, p < end ? TP_SCAN_OK : TP_SCAN_MORE);
}

/* Reads the text between two members. Returns 1 if another member follows. Returns 0 at the end of the object, with
 * scan->at after it. Otherwise returns a negative tp_scan_status. */
static inline int scan_next_member(struct tp_scan *scan)
{
    const char *p = skip_space(scan->at, scan->end);
    scan->at = p;
    if (p >= scan->end)
        return -TP_SCAN_MORE;
    if (*p == '}') {
        scan->at = p + 1;
        return 0;
    }
    if (*p != ',')
        return -TP_SCAN_BAD;
    scan->at = p = skip_space(p + 1, scan->end);
    if (p < scan->end && *p == '}') { /* accepts a comma before the '}' */
        scan->at = p + 1;
        return 0;
    }
    return 1;
}

/* Reads the '{' of an object. Returns 1 if a member follows, 0 if the object is empty, or a negative tp_scan_status. */
static inline int scan_object_start(struct tp_scan *scan)
{
    scan->at = skip_space(scan->at + 1, scan->end);
    if (scan->at >= scan->end)
        return -TP_SCAN_MORE;
    if (*scan->at != '}')
        return 1;
    scan->at++;
    return 0;
}

/* Returns true for a key of events that some writers use but that has no field in enum tp_field. */
static bool is_other_key(struct tp_str key)
{
    static const struct key keys[] = {KEY("s", 0),   KEY("bp", 0),   KEY("sf", 0),    KEY("tts", 0),   KEY("id2", 0),
                                      KEY("esf", 0), KEY("tdur", 0), KEY("args", 0),  KEY("scope", 0), KEY("cname", 0),
                                      KEY("v", 0),   KEY("ns", 0),   KEY("stack", 0), KEY("estack", 0)};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].len == key.len && memcmp(keys[i].text, key.ptr, key.len) == 0)
            return true;
    return false;
}

/* Returns true if a key of at least 9 bytes differs in one letter from a key that recorders write. */
static bool is_misspelled(struct tp_str key)
{
    enum { LEAST_LENGTH = 9 };
    for (size_t i = 0; key.len >= LEAST_LENGTH && i < sizeof arg_keys / sizeof *arg_keys; i++) {
        size_t changed = 0;
        for (size_t k = 0; k < key.len && arg_keys[i].len == key.len && changed < 2; k++)
            changed += (key.ptr[k] | 32) != (arg_keys[i].text[k] | 32);
        if (arg_keys[i].len == key.len && changed == 1)
            return true;
    }
    return false;
}

/* Returns true if the event already has a value for this field. Ignores two fields that several keys can set. */
static inline bool has_occurred_before(const struct tp_spans *spans, int field)
{
    const uint64_t shared = 1ull << TP_ARG_PEER | 1ull << TP_ARG_GROUP_RANKS;
    return field >= 0 && spans->has & ~shared & 1ull << field;
}

static inline void append_step_to_trail(struct tp_scan *scan, struct tp_str value, int field)
{
    if (scan->trail && scan->trail->count < TP_SCAN_TRAIL)
        scan->trail->steps[scan->trail->count++] = (struct tp_scan_step){value, field};
}

static enum tp_scan_status scan_args(struct tp_scan *scan, struct tp_spans *spans)
{
    int more = scan_object_start(scan);
    while (more > 0) {
        struct tp_str key, value;
        enum tp_scan_status status = scan_key(scan, &key);
        if (status != TP_SCAN_OK)
            return status;
        status = skip_value(scan, &value, spans);
        if (status != TP_SCAN_OK)
            return status;
        int field = tp_scan_argument_field(scan, key);
        append_step_to_trail(scan, value, field);
        spans->has_own_args = spans->has_own_args || !tp_scan_is_profiler_arg(key);
        spans->has_odd_key |= has_occurred_before(spans, field) || (field < 0 && is_misspelled(key));
        if (field >= 0) {
            spans->field[field] = value;
            spans->has |= 1ull << field;
        }
        more = scan_next_member(scan);
    }
    return more == 0 ? TP_SCAN_OK : (enum tp_scan_status) - more;
}

bool tp_scan_member(struct tp_scan *scan, struct tp_str *key, struct tp_str *value)
{
    struct tp_spans notes; /* sets only the two members that skip_value needs, because the struct is large */
    notes.has_bare_word = notes.is_nested_too_deep = false;
    if (scan->at >= scan->end)
        return false;
    int more = *scan->at == '{' ? scan_object_start(scan) : scan_next_member(scan);
    return more > 0 && scan_key(scan, key) == TP_SCAN_OK && skip_value(scan, value, &notes) == TP_SCAN_OK;
}

enum tp_scan_status tp_scan_event(struct tp_scan *scan, struct tp_spans *spans)
{
    spans->has = spans->known = 0;
    spans->has_bare_word = spans->is_nested_too_deep = spans->has_own_args = spans->has_odd_key = false;
    int more = scan_object_start(scan);
    while (more > 0) {
        struct tp_str key, value;
        enum tp_scan_status status = scan_key(scan, &key);
        if (status != TP_SCAN_OK)
            return status;
        int field = event_field_of_key(key.ptr, key.len);
        spans->has_odd_key |= has_occurred_before(spans, field) || (field < 0 && !is_other_key(key));
        if (field == TP_FIELD_ARGS) { /* if there are several members "args", only the last is used */
            if (scan->trail && tp_spans_has(spans, TP_FIELD_ARGS))
                scan->trail->count = TP_SCAN_TRAIL;
            spans->has &= (1ull << TP_FIELD_ARGS) - 1;
            spans->has_own_args = false;
            value = (struct tp_str){scan->at, 0};
            if (*scan->at == '{') {
                status = scan_args(scan, spans);
            } else {
                status = skip_value(scan, &value, spans);
                field = -1;
            }
            if (scan->trail && field < 0) /* an event whose "args" is not an object is not learned */
                scan->trail->count = TP_SCAN_TRAIL;
        } else {
            status = skip_value(scan, &value, spans);
            append_step_to_trail(scan, value, field);
        }
        if (status != TP_SCAN_OK)
            return status;
        if (field >= 0) {
            spans->field[field] = value;
            spans->has |= 1ull << field;
        }
        more = scan_next_member(scan);
    }
    return more == 0 ? TP_SCAN_OK : (enum tp_scan_status) - more;
}

const char *tp_scan_find_next_event(const char *at, const char *end)
{
    const char *from = at;
    for (; at < end && (at = memchr(at, '{', (size_t)(end - at))); at++)
        if (does_event_begin_at(from, at, end))
            return at;
    return NULL;
}

bool tp_scan_is_member_start(const char *at, const char *end)
{
    return is_key_at(at, end);
}
