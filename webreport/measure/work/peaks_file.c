/* Implements peaks_file.h: reads measured peaks. */
#include "webreport/measure/work/peaks_file.h"

#include <math.h>
#include <stdlib.h>

#include "webreport/trace/json/clean.h"
#include "webreport/trace/json/value.h"
#include "writer/base/patterns.h"

static const char *const types[TP_PEAK_COUNT] = {[TP_PEAK_FP64] = "fp64",
                                                 [TP_PEAK_FP64_MATRIX] = "fp64_matrix",
                                                 [TP_PEAK_FP32] = "fp32",
                                                 [TP_PEAK_TF32] = "tf32",
                                                 [TP_PEAK_FP32_MATRIX] = "fp32_matrix",
                                                 [TP_PEAK_FP16] = "fp16",
                                                 [TP_PEAK_BF16] = "bf16",
                                                 [TP_PEAK_FP8] = "fp8",
                                                 [TP_PEAK_FP4] = "fp4",
                                                 [TP_PEAK_INT8] = "int8"};

/* the entry that is being read from the file */
struct entry {
    struct tp_peaks_file *file;
    struct tp_peaks *peaks;
    struct tp_arena *arena; /* memory for temporary texts */
    const char *name;       /* name of the file, for error messages */
    struct tp_error *err;
};

static int set_error(const struct entry *e, const char *what, struct tp_str shown)
{
    int size = shown.len < 60 ? (int)shown.len : 60;
    return tp_error_set(e->err, TP_EUSAGE, 0, "%.200s: devices[%u]: %s%.*s", e->name, e->file->count, what, size,
                        shown.ptr ? shown.ptr : "");
}

/* Reads a finite number above zero into *rate. */
static int read_rate(const struct entry *e, struct tp_str item, double *rate)
{
    char digits[40], *end = digits;
    bool is_number = item.len && item.len < sizeof digits && (*item.ptr == '-' || tp_is_digit(*item.ptr));
    if (is_number) {
        memcpy(digits, item.ptr, item.len);
        digits[item.len] = '\0';
        *rate = strtod(digits, &end);
    }
    if (!is_number || *end || !isfinite(*rate) || *rate <= 0 || *rate > 1e12)
        return set_error(e, "a rate is a number above 0, not ", item);
    return TP_OK;
}

static int read_text(const struct entry *e, struct tp_str item, const char **text)
{
    struct tp_peaks_file *file = e->file;
    struct tp_str content = tp_value_starts_with(item, '"') ? tp_value_text(e->arena, item) : (struct tp_str){0};
    if (!content.len || memchr(content.ptr, '\0', content.len))
        return set_error(e, "a text is missing where there is ", item);
    if (content.len + 1 > sizeof file->text - file->used)
        return tp_error_set(e->err, TP_ELIMIT, 0, "%.200s: more than %u bytes of texts", e->name,
                            TP_MAX_PEAK_TEXT_BYTES);
    *text = memcpy(file->text + file->used, content.ptr, content.len);
    file->used += content.len + 1;
    return TP_OK;
}

static int read_types(const struct entry *e, struct tp_str object)
{
    struct tp_str key, item;
    size_t at = 0;
    int code = TP_OK;
    if (!tp_value_starts_with(object, '{'))
        return set_error(e, "dense_tflops is an object such as {\"bf16\": 720}, not ", object);
    while (code == TP_OK && tp_value_next(object, &at, &key, &item)) {
        struct tp_str type = tp_value_text(e->arena, key);
        unsigned i = 0;
        while (i < TP_PEAK_COUNT && !tp_str_equal(type, tp_str_of(types[i])))
            i++;
        code = i < TP_PEAK_COUNT
                   ? read_rate(e, item, &e->peaks->tflops[i])
                   : set_error(e,
                               "types are fp64, fp64_matrix, fp32, fp32_matrix, tf32, fp16, bf16, fp8, fp4, "
                               "int8, not ",
                               type);
    }
    return code;
}

static int read_links(const struct entry *e, struct tp_str object)
{
    struct tp_str key, item;
    size_t at = 0;
    int code = TP_OK;
    if (!tp_value_starts_with(object, '{'))
        return set_error(e, "links_gbs is an object such as {\"nvlink\": 900}, not ", object);
    while (code == TP_OK && tp_value_next(object, &at, &key, &item)) {
        double rate = 0;
        code = read_rate(e, item, &rate);
        if (code == TP_OK && !tp_str_equal(tp_value_text(e->arena, key), TP_STR("pcie")))
            e->peaks->links_gb_s = rate;
    }
    return code;
}

static int read_sizes(const struct entry *e, struct tp_str list)
{
    enum { SIZES = sizeof e->peaks->memory_gib / sizeof *e->peaks->memory_gib };
    struct tp_str item;
    size_t at = 0, count = 0;
    int code = TP_OK;
    if (!tp_value_starts_with(list, '['))
        return set_error(e, "memory_gib is a list such as [40, 80], not ", list);
    while (code == TP_OK && tp_value_next(list, &at, NULL, &item))
        code = count < SIZES ? read_rate(e, item, &e->peaks->memory_gib[count++])
                             : set_error(e, "memory_gib has at most two sizes, not ", list);
    return code;
}

static int read_member(const struct entry *e, struct tp_str key, struct tp_str item)
{
    if (tp_str_equal(key, TP_STR("match")))
        return read_text(e, item, &e->peaks->match);
    if (tp_str_equal(key, TP_STR("device")))
        return read_text(e, item, &e->peaks->device);
    if (tp_str_equal(key, TP_STR("source")))
        return read_text(e, item, &e->peaks->source);
    if (tp_str_equal(key, TP_STR("memory_gbs")))
        return read_rate(e, item, &e->peaks->memory_gb_s);
    if (tp_str_equal(key, TP_STR("dense_tflops")))
        return read_types(e, item);
    if (tp_str_equal(key, TP_STR("links_gbs")))
        return read_links(e, item);
    if (tp_str_equal(key, TP_STR("memory_gib")))
        return read_sizes(e, item);
    return set_error(e, "no member is called ", key);
}

static int read_device(struct entry *e, struct tp_str object)
{
    struct tp_patterns patterns = {0};
    struct tp_str key, item;
    size_t at = 0;
    int code = TP_OK;
    if (e->file->count == TP_MAX_PEAK_ROWS)
        return tp_error_set(e->err, TP_ELIMIT, 0, "%.200s: more than %u devices", e->name, TP_MAX_PEAK_ROWS);
    if (!tp_value_starts_with(object, '{'))
        return set_error(e, "a device is an object, not ", object);
    e->peaks = &e->file->rows[e->file->count];
    *e->peaks = (struct tp_peaks){.is_measured = true};
    while (code == TP_OK && tp_value_next(object, &at, &key, &item))
        code = read_member(e, tp_value_text(e->arena, key), item);
    if (code == TP_OK && (!e->peaks->match || tp_patterns_add(&patterns, 0, e->peaks->match) < 0))
        code = set_error(e, "match must be two letters or more of the device's name, such as \"H100\"; it is ",
                         tp_str_of(e->peaks->match ? e->peaks->match : "missing"));
    e->file->count += code == TP_OK;
    return code;
}

struct reading {
    struct entry entry;
    struct tp_str json;
};

static int read_devices(void *context, struct tp_error *err)
{
    struct reading *r = context;
    struct tp_str devices = tp_value_member(r->json, "devices"), item;
    size_t at = 0;
    int code = TP_OK;
    if (!tp_value_starts_with(devices, '['))
        return tp_error_set(err, TP_EUSAGE, 0, "%.200s: needs \"devices\": [{\"match\": \"H100\", ..}]", r->entry.name);
    while (code == TP_OK && tp_value_next(devices, &at, NULL, &item))
        code = read_device(&r->entry, item);
    return code;
}

int tp_peaks_parse(struct tp_peaks_file *file, const char *name, struct tp_str json, struct tp_error *err)
{
    struct tp_buf compact;
    struct tp_arena arena;
    tp_buf_init(&compact, 0);
    tp_arena_init(&arena, 0);
    *file = (struct tp_peaks_file){0};
    unsigned flags = tp_clean_value(&compact, json);
    struct reading reading = {{.file = file, .arena = &arena, .name = name, .err = err},
                              {compact.data, compact.failed ? 0 : compact.size}};
    int code = compact.failed       ? tp_error_set(err, TP_ENOMEM, 0, "%.200s: out of memory", name)
               : flags || !json.len ? tp_error_set(err, TP_EUSAGE, 0, "%.200s: is no JSON", name)
                                    : tp_arena_run(&arena, read_devices, &reading, err);
    tp_arena_release(&arena);
    tp_buf_release(&compact);
    return code;
}

/* ---- devices ---- */

static bool matches_device(const struct tp_peaks *row, struct tp_str name, int64_t memory_bytes)
{
    struct tp_patterns patterns = {0};
    if (tp_patterns_add(&patterns, 0, row->match) < 0 || tp_patterns_find(&patterns, name) != 0)
        return false;
    return row->memory_gib[0] <= 0 || tp_peaks_have_memory(row, memory_bytes);
}

static double given_or_published(double given, double published)
{
    return given > 0 ? given : published;
}

const struct tp_peaks *tp_peaks_with_user_values(const struct tp_peaks_file *file, struct tp_str name,
                                                 int64_t memory_bytes, struct tp_arena *arena)
{
    const struct tp_peaks *published = tp_peaks_by_name(name, memory_bytes), *given = NULL;
    for (unsigned i = 0; file && i < file->count && !given && name.len; i++)
        if (matches_device(&file->rows[i], name, memory_bytes))
            given = &file->rows[i];
    if (!given)
        return published;
    struct tp_peaks *both = tp_arena_array(arena, 1, sizeof *both);
    *both = published ? *published : (struct tp_peaks){.device = given->match};
    both->is_measured = true;
    both->device = given->device ? given->device : both->device;
    both->source = given->source ? given->source : "measured";
    both->memory_gb_s = given_or_published(given->memory_gb_s, both->memory_gb_s);
    both->links_gb_s = given_or_published(given->links_gb_s, both->links_gb_s);
    for (unsigned i = 0; i < TP_PEAK_COUNT; i++)
        both->tflops[i] = given_or_published(given->tflops[i], both->tflops[i]);
    return both;
}
