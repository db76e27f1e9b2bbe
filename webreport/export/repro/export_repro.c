/* Writes a Python script that calls one operator with its recorded arguments.
 *
 * The script consists of a head, the recorded data as literals, and the file templates/repro.py, which is the same for
 * every call. A text of the trace appears only inside of a string literal, in which every character except printable
 * ASCII is an escape. Numbers of the trace appear only in lists of integers. */
#include <inttypes.h>
#include <stdio.h>

#include "webreport/export/repro/recorded_call.h"
#include "webreport/export/whole_file.h"
#include "writer/base/buf.h"
#include "writer/base/utf8.h"
#include "writer/text/assets.h"
#include "writer/text/format.h"

/* ---- Python literals ---- */

/* Writes a text as a Python string literal. */
static void put_text(struct tp_buf *out, struct tp_str text)
{
    tp_buf_putc(out, '"');
    for (size_t i = 0; i < text.len;) {
        int size = tp_utf8_length(text.ptr + i, text.len - i);
        unsigned char c = (unsigned char)text.ptr[i];
        if (size <= 0)
            tp_buf_printf(out, "\\ufffd");
        else if (size > 1)
            tp_buf_printf(out, "\\U%08x", (unsigned)tp_utf8_get(text.ptr + i, size));
        else if (c < 0x20 || c >= 0x7F || c == '"' || c == '\\')
            tp_buf_printf(out, "\\x%02x", c);
        else
            tp_buf_putc(out, (char)c);
        i += size > 0 ? (size_t)size : 1;
    }
    tp_buf_putc(out, '"');
}

static void put_text_member(struct tp_buf *out, const char *name, struct tp_str text)
{
    tp_buf_printf(out, "%s = ", name);
    put_text(out, text);
    tp_buf_putc(out, '\n');
}

static void put_list(struct tp_buf *out, struct tp_str list)
{
    if (list.ptr)
        tp_buf_add(out, list.ptr, list.len);
    else
        tp_buf_printf(out, "None");
}

static void put_arguments(struct tp_buf *out, const struct tp_recorded_call *call)
{
    tp_buf_printf(out, "ARGUMENTS = [\n");
    for (uint32_t i = 0; i < call->argument_count; i++) {
        const struct tp_recorded_argument *argument = &call->arguments[i];
        tp_buf_printf(out, "    {\"type\": ");
        put_text(out, argument->type);
        tp_buf_printf(out, ", \"shape\": ");
        put_list(out, argument->shape);
        tp_buf_printf(out, ", \"strides\": ");
        put_list(out, argument->strides);
        tp_buf_printf(out, ", \"value\": ");
        if (argument->value.ptr)
            put_text(out, argument->value);
        else
            tp_buf_printf(out, "None");
        tp_buf_printf(out, "},\n");
    }
    tp_buf_printf(out, "]\n");
}

/* ---- the head ---- */

static bool is_list_of_tensors(const struct tp_recorded_argument *argument)
{
    return tp_str_equal(argument->type, TP_STR("TensorList")) ||
           (argument->shape.len > 1 && argument->shape.ptr[1] == '[');
}

static bool is_value(const struct tp_recorded_argument *argument)
{
    return tp_str_equal(argument->type, TP_STR("Scalar")) || tp_str_equal(argument->type, TP_STR("ScalarList"));
}

/* Writes a comment for each part of an argument that the trace lacks. */
static void put_missing_parts(struct tp_buf *out, uint32_t number, const struct tp_recorded_argument *argument)
{
    bool is_tensor = argument->shape.len > 2 || (argument->type.len && !is_value(argument));
    if (is_list_of_tensors(argument))
        tp_buf_printf(out, "# not recorded: argument %u, a list of tensors: %s\n", (unsigned)number,
                      argument->shape.len > 2 ? "the types; float32 is used"
                                              : "the shapes; the script passes an empty list or refuses the call");
    else if (is_tensor && !argument->type.len)
        tp_buf_printf(out, "# not recorded: argument %u, a tensor: the type; float32 is used\n", (unsigned)number);
    else if (!is_tensor && !argument->value.len)
        tp_buf_printf(
            out,
            "# not recorded: argument %u: the value; the script passes the default, None, 1 or False, or refuses\n",
            (unsigned)number);
}

static void put_head(struct tp_buf *out, const struct tp_recorded_call *call)
{
    tp_buf_printf(out,
                  "#!/usr/bin/env python3\n"
                  "# Calls one operator as a trace recorded it, and measures the call.\n"
                  "# tracepress export --to repro wrote this script. It needs torch; --help shows its options.\n"
                  "#\n"
                  "# recorded: the operator, and the shapes and types of its arguments%s%s\n",
                  call->has_strides ? ", their strides" : "", call->has_values ? ", numbers and lists of numbers" : "");
    tp_buf_printf(out, "# not recorded: the values of tensors; real numbers are random from 0 to 1, others are 0\n");
    if (!call->has_strides)
        tp_buf_printf(out, "# not recorded: strides; all tensors are contiguous\n");
    if (!call->has_values)
        tp_buf_printf(out, "# not recorded: numbers and lists of numbers\n");
    for (uint32_t i = 0; i < call->argument_count; i++)
        put_missing_parts(out, i, &call->arguments[i]);
    tp_buf_printf(out, "# The script prints what it assumes in place of these values.\n\n");
}

static void put_data(struct tp_buf *out, const struct tp_export *export, const struct tp_recorded_call *call)
{
    const struct tp_model *model = export->profile->model;
    const struct tp_event *event = &model->trace->events[call->event];
    struct tp_str line = tp_event_line(model, call->event);
    char time[128];
    int n = snprintf(time, sizeof time, "host %" PRId64 ".%03d us, device %" PRId64 ".%03d us", event->dur_ns / 1000,
                     (int)(event->dur_ns % 1000), call->device_ns / 1000, (int)(call->device_ns % 1000));
    put_text_member(out, "OPERATOR", call->name);
    tp_buf_printf(out, "EVENT_ID = %u\n", (unsigned)call->event);
    put_text_member(out, "WORKER", export->profile->worker);
    put_text_member(out, "CALLED_AT", line);
    put_text_member(out, "RECORDED_TIME", (struct tp_str){time, (size_t)n});
    tp_buf_printf(out, "RECORDED_ON_DEVICE = %s\n", call->device_ns ? "True" : "False");
    put_arguments(out, call);
}

/* ---- the file ---- */

struct script {
    const struct tp_export *export;
    const struct tp_recorded_call *call;
    struct tp_buf text;
};

static int write_script(void *context, struct tp_error *err)
{
    struct script *script = context;
    struct tp_assets assets;
    struct tp_str code;
    put_head(&script->text, script->call);
    put_data(&script->text, script->export, script->call);
    tp_assets_init(&assets, script->export->arena, NULL);
    int found = tp_assets_get(&assets, TP_STR("repro.py"), &code, err);
    if (found < 0)
        return found;
    tp_buf_add(&script->text, code.ptr, code.len);
    return script->text.failed ? tp_error_set(err, script->text.failed, 0, "out of memory") : TP_OK;
}

int tp_export_repro(const struct tp_export *export, struct tp_error *err)
{
    struct tp_recorded_call call;
    struct script script = {.export = export, .call = &call};
    const struct tp_export_job *job = export->job;
    if (job && job->file && job->written_count)
        return tp_error_set(err, TP_EUSAGE, 0,
                            "-o names one file, but several traces have the operator; name a folder");
    int code = tp_recorded_call_find(&call, export, err);
    if (code < 0)
        return code;
    tp_buf_init(&script.text, 0);
    code = tp_arena_run(export->arena, write_script, &script, err);
    if (code == TP_OK) {
        struct tp_str bytes = {script.text.data, script.text.size};
        code = job && job->file ? tp_export_named_file(export, job->file, bytes, err)
                                : tp_export_whole_file(export, "repro.py", bytes, err);
    }
    tp_buf_release(&script.text);
    tp_arena_fail_with_stored_code(export->arena);
    return code;
}
