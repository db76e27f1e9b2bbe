/* Writes the tables of a thread for the Firefox Profiler: see firefox_parts.h. */
#include "webreport/export/stacks/firefox_parts.h"

#include <inttypes.h>
#include <stdio.h>

#include "writer/base/saturate.h"

void tp_firefox_write_milliseconds(struct tp_firefox *f, int64_t ns)
{
    char text[48];
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    int n = snprintf(text, sizeof text, "%s%" PRIu64 ".%06" PRIu64, ns < 0 ? "-" : "", size / 1000000, size % 1000000);
    tp_json_raw(&f->json, (struct tp_str){text, (size_t)n});
}

void tp_firefox_write_time(struct tp_firefox *f, int64_t at_ns)
{
    tp_firefox_write_milliseconds(f, tp_sat_sub(at_ns, f->begin_ns));
}

void tp_firefox_write_constant(struct tp_firefox *f, const char *key, uint32_t count, const char *value)
{
    tp_json_key(&f->json, key);
    tp_json_array(&f->json);
    for (uint32_t i = 0; i < count; i++)
        tp_json_raw(&f->json, tp_str_of(value));
    tp_json_array_end(&f->json);
}

void tp_firefox_begin_table(struct tp_firefox *f, const char *key, uint32_t count)
{
    tp_json_key(&f->json, key);
    tp_json_object(&f->json);
    tp_json_member_int(&f->json, "length", count);
}

void tp_firefox_write_stack_row(struct tp_firefox *f, uint32_t row)
{
    if (row == TP_NO_ID)
        tp_json_null(&f->json);
    else
        tp_json_int(&f->json, row);
}

/* ---- functions, frames, stacks ---- */

void tp_firefox_tables_init(struct tp_firefox *f)
{
    tp_strings_init(&f->tables.texts, f->arena, 0);
    tp_keys_init(&f->tables.functions, f->arena, 3);
    tp_keys_init(&f->tables.frames, f->arena, 2);
    tp_keys_init(&f->tables.stacks, f->arena, 2);
}

uint32_t tp_firefox_add_frame(struct tp_firefox *f, uint32_t caller, const struct tp_firefox_frame *frame)
{
    struct tp_firefox_tables *tables = &f->tables;
    uint32_t name = tp_strings_add(&tables->texts, frame->name);
    uint32_t file = frame->file.len ? tp_strings_add(&tables->texts, frame->file) : TP_NO_ID;
    uint32_t function = tp_keys_add(&tables->functions, (uint32_t[]){name, file, frame->category});
    return tp_keys_pair(&tables->stacks, caller, tp_keys_pair(&tables->frames, function, frame->line));
}

static const uint32_t *function_at(const struct tp_firefox *f, uint32_t row)
{
    return tp_keys_get(&f->tables.functions, row);
}

static int64_t function_name(const struct tp_firefox *f, uint32_t row)
{
    return function_at(f, row)[0];
}

static int64_t function_file(const struct tp_firefox *f, uint32_t row)
{
    uint32_t file = function_at(f, row)[1];
    return file == TP_NO_ID ? TP_NULL_INT : (int64_t)file;
}

static int64_t frame_function(const struct tp_firefox *f, uint32_t row)
{
    return tp_keys_get(&f->tables.frames, row)[0];
}

static int64_t frame_line(const struct tp_firefox *f, uint32_t row)
{
    uint32_t line = tp_keys_get(&f->tables.frames, row)[1];
    return line ? (int64_t)line : TP_NULL_INT;
}

static int64_t frame_category(const struct tp_firefox *f, uint32_t row)
{
    return function_at(f, (uint32_t)frame_function(f, row))[2];
}

static int64_t stack_prefix(const struct tp_firefox *f, uint32_t row)
{
    uint32_t prefix = tp_keys_get(&f->tables.stacks, row)[0];
    return prefix == TP_NO_ID ? TP_NULL_INT : (int64_t)prefix;
}

static int64_t stack_frame(const struct tp_firefox *f, uint32_t row)
{
    return tp_keys_get(&f->tables.stacks, row)[1];
}

static int64_t stack_category(const struct tp_firefox *f, uint32_t row)
{
    return frame_category(f, (uint32_t)stack_frame(f, row));
}

/* Writes a column. of: function that returns the value of each row; TP_NULL_INT becomes null. */
static void write_column(struct tp_firefox *f, const char *key, uint32_t count,
                         int64_t (*of)(const struct tp_firefox *f, uint32_t row))
{
    tp_json_key(&f->json, key);
    tp_json_array(&f->json);
    for (uint32_t i = 0; i < count; i++) {
        int64_t value = of(f, i);
        if (value == TP_NULL_INT)
            tp_json_null(&f->json);
        else
            tp_json_int(&f->json, value);
    }
    tp_json_array_end(&f->json);
}

static void write_stacks_and_frames(struct tp_firefox *f)
{
    uint32_t frames = tp_keys_count(&f->tables.frames), stacks = tp_keys_count(&f->tables.stacks);
    tp_firefox_begin_table(f, "stackTable", stacks);
    write_column(f, "prefix", stacks, stack_prefix);
    write_column(f, "frame", stacks, stack_frame);
    write_column(f, "category", stacks, stack_category);
    tp_firefox_write_constant(f, "subcategory", stacks, "0");
    tp_json_object_end(&f->json);
    tp_firefox_begin_table(f, "frameTable", frames);
    tp_firefox_write_constant(f, "address", frames, "-1");
    tp_firefox_write_constant(f, "inlineDepth", frames, "0");
    write_column(f, "category", frames, frame_category);
    tp_firefox_write_constant(f, "subcategory", frames, "0");
    write_column(f, "func", frames, frame_function);
    write_column(f, "line", frames, frame_line);
    static const char *const nulls[] = {"nativeSymbol", "innerWindowID", "implementation", "column", "optimizations"};
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        tp_firefox_write_constant(f, nulls[i], frames, "null");
    tp_json_object_end(&f->json);
}

static void write_texts(struct tp_firefox *f)
{
    tp_json_key(&f->json, "stringArray");
    tp_json_array(&f->json);
    for (uint32_t i = 0; i < f->tables.texts.count; i++)
        tp_json_str(&f->json, tp_strings_get(&f->tables.texts, i));
    tp_json_array_end(&f->json);
}

void tp_firefox_write_tables(struct tp_firefox *f)
{
    struct tp_json *json = &f->json;
    uint32_t functions = tp_keys_count(&f->tables.functions);
    write_stacks_and_frames(f);
    tp_firefox_begin_table(f, "funcTable", functions);
    write_column(f, "name", functions, function_name);
    write_column(f, "fileName", functions, function_file);
    tp_firefox_write_constant(f, "isJS", functions, "false");
    tp_firefox_write_constant(f, "relevantForJS", functions, "false");
    tp_firefox_write_constant(f, "resource", functions, "-1");
    tp_firefox_write_constant(f, "lineNumber", functions, "null");
    tp_firefox_write_constant(f, "columnNumber", functions, "null");
    tp_json_object_end(json);
    tp_json_key(json, "resourceTable");
    tp_json_raw(json, TP_STR("{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],\"type\":[]}"));
    tp_json_key(json, "nativeSymbols");
    tp_json_raw(json, TP_STR("{\"length\":0,\"address\":[],\"functionSize\":[],\"libIndex\":[],\"name\":[]}"));
    write_texts(f);
}
