/* gen_trace: writes a synthetic PyTorch training trace of any size in Kineto's layout. The same options give the same
 * bytes.
 *
 * The simulated program has a data loader, a copy to the device, linear layers forward and backward on two threads,
 * gradients averaged over the ranks, a loss that the host reads, and an optimizer. Host and device clocks are
 * simulated: a kernel starts when it has been launched and its stream is free. Idle gaps, waits and overlaps are
 * therefore consistent. Eras: 2021 (capital categories, integer microseconds, "stream 7"), 2024 (nanoseconds, metadata
 * last), 2026 (metadata first, one field per line, call stacks). This program shares no code with tracepress. Tests and
 * `make bench` read the traces that it writes. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/bench/gen.h"

static const char *const cat_names[2][CATS] = {
    {"Operator", "Operator", "python_function", "Runtime", "Kernel", "Memcpy", "cuda_sync", "User"},
    {"cpu_op", "user_annotation", "python_function", "cuda_runtime", "kernel", "gpu_memcpy", "cuda_sync",
     "gpu_user_annotation"},
};

static void print_line(struct gen *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void print_line(struct gen *g, const char *format, ...)
{
    char small[2048], *text = small;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n >= (int)sizeof small) {
        text = malloc((size_t)n + 1);
        if (!text)
            gen_exit_with_error("no memory");
        va_start(args, format);
        vsnprintf(text, (size_t)n + 1, format, args);
        va_end(args);
    }
    if (n < 0 || (n && gzwrite(g->file, text, (unsigned)n) != n))
        gen_exit_with_error("cannot write");
    if (text != small)
        free(text);
}

/* Starts the object of an event. The separator between events depends on the era. */
static void open_event(struct gen *g)
{
    print_line(g, g->written++ ? ",\n  {\n    " : "\n  {\n    ");
}

/* Returns a time as microseconds in the style of the era. */
static const char *format_us(const struct gen *g, int64_t ns, char text[32])
{
    if (g->opt.era == 2021)
        snprintf(text, 32, "%" PRId64, ns / 1000);
    else
        snprintf(text, 32, "%" PRId64 ".%03d", ns / 1000, (int)(ns % 1000));
    return text;
}

static const char *format_tid(const struct gen *g, int row, char text[32])
{
    int number = row >= COMPUTE ? gen_stream_of[row] : gen_pid(g, row) + (row == AUTOGRAD ? 20 : 0);
    const char *quote = g->opt.era == 2021 ? "\"" : "", *word = row >= COMPUTE && *quote ? "stream " : "";
    snprintf(text, 32, "%s%s%d%s", quote, word, number, quote);
    return text;
}

static void write_record(struct gen *g, const struct record *r)
{
    char at[32], length[32], thread[32];
    const char *gap = g->opt.era == 2026 ? ",\n    " : ", ";
    const char *cat = cat_names[g->opt.era != 2021][r->cat];
    bool is_old = g->opt.era == 2021, is_device = r->row >= COMPUTE || r->cat == RUNTIME;
    format_us(g, r->ts, at);
    format_us(g, is_old ? r->end / 1000 * 1000 - r->ts / 1000 * 1000 : r->end - r->ts, length);
    format_tid(g, r->row, thread);
    open_event(g);
    if (r->ph == 's' || r->ph == 'f') {
        const char *kind = is_device ? (is_old ? "async" : "ac2g") : (is_old ? "forward_backward" : "fwdbwd");
        const char *name = is_device ? (is_old ? "launch" : "ac2g") : (is_old ? "fwd_bwd" : "fwdbwd");
        print_line(g,
                   "\"ph\": \"%c\", \"id\": %" PRIu64
                   ", \"pid\": %d, \"tid\": %s, \"ts\": %s,\n    \"cat\": \"%s\", \"name\": \"%s\"%s\n  }",
                   r->ph, r->flow, gen_pid(g, r->row), thread, at, kind, name, r->ph == 'f' ? ", \"bp\": \"e\"" : "");
        return;
    }
    if (r->ph == 'i')
        print_line(g, "\"ph\": \"i\"%s\"s\": \"t\"%s\"name\": \"%s\"%s\"pid\": %d%s\"tid\": %s,\n    \"ts\": %s",
                   is_old ? ", " : ", \"cat\": \"cpu_instant_event\", ", gap, g->text + r->name, gap,
                   gen_pid(g, r->row), gap, thread, at);
    else
        print_line(
            g,
            "\"ph\": \"X\"%s\"cat\": \"%s\"%s\"name\": \"%s\"%s\"pid\": %d%s\"tid\": %s,\n    \"ts\": %s%s\"dur\": %s",
            gap, cat, gap, g->text + r->name, gap, gen_pid(g, r->row), gap, thread, at, gap, length);
    print_line(g, ",\n    \"args\": {\n      %s\n    }\n  }", g->text + r->args);
}

static void print_row_metadata(struct gen *g, int row, const char *what, const char *key, const char *value)
{
    char thread[32];
    open_event(g);
    print_line(
        g, "\"ph\": \"M\", \"name\": \"%s\", \"pid\": %d, \"tid\": %s,\n    \"ts\": 0, \"args\": {\"%s\": \"%s\"}\n  }",
        what, gen_pid(g, row), row >= 0 ? format_tid(g, row, thread) : "0", key, value);
}

static void print_all_metadata(struct gen *g)
{
    static const char *const names[ROWS] = {"thread 4000 (python)", "thread 4020 (pt_autograd_0)", "stream 7 ",
                                            "stream 20 ", "stream 22 "};
    print_row_metadata(g, MAIN, "process_name", "name", "python");
    print_row_metadata(g, MAIN, "process_labels", "labels", "CPU");
    print_row_metadata(g, COMPUTE, "process_labels", "labels", "GPU 0");
    for (int row = 0; row < ROWS; row++)
        print_row_metadata(g, row, "thread_name", "name", names[row]);
}

static void print_header(struct gen *g)
{
    print_line(
        g,
        "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n      \"id\": %d, \"name\": \"%s\", "
        "\"totalGlobalMem\": 42297524224,\n"
        "      \"computeMajor\": 8, \"computeMinor\": 0,\n      \"maxThreadsPerBlock\": 1024, "
        "\"maxThreadsPerMultiprocessor\": 2048,\n"
        "      \"regsPerBlock\": 65536, \"warpSize\": 32,\n      \"sharedMemPerBlock\": 49152, \"numSms\": 108\n    "
        "}\n  ],\n",
        gen_pid(g, COMPUTE), g->opt.hostile ? "<b>GPU\\\"&" : "NVIDIA A100-SXM4-40GB");
    if (g->opt.ranks > 1)
        print_line(g, "  \"distributedInfo\": {\"backend\": \"nccl\", \"rank\": %d, \"world_size\": %d},\n",
                   g->opt.rank, g->opt.ranks);
    if (g->opt.era != 2021)
        print_line(g, "  \"record_shapes\": 1, \"profile_memory\": 1, \"with_stack\": 1, \"with_modules\": 1,\n");
    if (g->opt.era == 2026)
        print_line(g, "  \"host_name\": \"node-0\",\n  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": "
                      "1790857026000000000,\n");
    print_line(g, "  \"traceEvents\": [");
}

static void print_trailer(struct gen *g, int64_t start)
{
    char at[32], length[32], last[32];
    format_us(g, start, at);
    format_us(g, g->now[MAIN] - start, length);
    format_us(g, g->now[MAIN], last);
    open_event(g);
    print_line(
        g,
        "\"ph\": \"X\", \"cat\": \"Trace\", \"ts\": %s, \"dur\": %s,\n    \"pid\": \"Spans\", \"tid\": \"PyTorch "
        "Profiler\",\n"
        "    \"name\": \"PyTorch Profiler (0)\",\n    \"args\": {\n      \"Op count\": 0\n    }\n  }",
        at, length);
    open_event(g);
    print_line(
        g,
        "\"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n    \"pid\": \"\", \"tid\": \"\", \"ts\": "
        "%s\n  }\n  ]",
        last);
    if (g->opt.era == 2024)
        print_line(g, ",\n  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": 1712192328000000000");
    print_line(g, ",\n  \"traceName\": \"trace.pt.trace.json\"\n}\n");
}

static void write_trace(struct gen *g)
{
    int64_t start = g->opt.era == 2021 ? 1623142623460016000 : 4458676522690655;
    for (int row = 0; row < ROWS; row++)
        g->now[row] = start;
    g->random = g->opt.seed * 0x9E3779B97F4A7C15ull + (uint64_t)g->opt.rank + 1;
    print_header(g);
    if (g->opt.era == 2026)
        print_all_metadata(g);
    for (int step = 3; (int64_t)g->written < g->opt.events; step++) {
        g->count = g->text_size = 0;
        gen_train_step(g, step);
        for (size_t i = 0; i < g->count; i++)
            write_record(g, &g->records[i]);
    }
    if (g->opt.era != 2026)
        print_all_metadata(g);
    print_trailer(g, start);
}

static void print_usage(void)
{
    gen_exit_with_error(
        "usage: gen_trace [--events N] [--era 2021|2024|2026] [--seed N] [--layers N] [--rank R --ranks N] [--graphs] "
        "[--hostile] "
        "[-o FILE[.gz]]");
}

static void parse_options(struct options *opt, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(name, "--graphs") || !strcmp(name, "--hostile")) {
            *(name[2] == 'g' ? &opt->graphs : &opt->hostile) = true;
            continue;
        }
        if (!strcmp(name, "--events"))
            opt->events = atoll(value);
        else if (!strcmp(name, "--seed"))
            opt->seed = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--era"))
            opt->era = atoi(value);
        else if (!strcmp(name, "--rank"))
            opt->rank = atoi(value);
        else if (!strcmp(name, "--ranks"))
            opt->ranks = atoi(value);
        else if (!strcmp(name, "--layers"))
            opt->layers = atoi(value);
        else if (!strcmp(name, "-o"))
            opt->out = value;
        else
            print_usage();
        i++;
    }
    if (opt->layers < 1 || opt->layers > 256 || (opt->era != 2021 && opt->era != 2024 && opt->era != 2026))
        print_usage();
}

int main(int argc, char **argv)
{
    struct gen g = {.opt = {.events = 10000, .seed = 1, .era = 2024, .ranks = 1, .layers = 24}};
    parse_options(&g.opt, argc, argv);
    size_t length = g.opt.out ? strlen(g.opt.out) : 0;
    const char *mode = length > 3 && !strcmp(g.opt.out + length - 3, ".gz") ? "wb6" : "wbT";
    g.file = g.opt.out ? gzopen(g.opt.out, mode) : gzdopen(dup(1), mode);
    if (!g.file)
        gen_exit_with_error("cannot open the output");
    gzbuffer(g.file, 1 << 18);
    write_trace(&g);
    if (gzclose(g.file) != Z_OK)
        gen_exit_with_error("cannot write");
    free(g.records);
    free(g.text);
    return 0;
}
