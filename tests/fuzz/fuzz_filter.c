/* Parses arbitrary bytes as the options of `export --to chrome` (steps, times, threads, categories) and applies them to
 * a small trace. */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/export/filter.h"
#include "webreport/model/build.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void abort_unless(bool good)
{
    if (!good)
        abort();
}

static const char trace_text[] =
    "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#3\",\"pid\":1,\"tid\":1,"
    "\"ts\":1,\"dur\":5},{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":\"main\",\"ts\":2,\"dur\":"
    "1}]}";

static void apply_filter(const struct tp_filter *filter, struct tp_arena *arena)
{
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_filter_trace kept;
    struct tp_trace_options options = {.single_thread = true};
    abort_unless(tp_trace_read_bytes(&trace, arena, trace_text, sizeof trace_text - 1, &options, NULL) == 0);
    tp_order_build(&order, &trace, arena);
    tp_model_build(&model, &trace, &order, arena);
    if (tp_filter_apply(&kept, filter, &model, 1000, NULL) == TP_OK)
        abort_unless(!tp_filter_keeps_time(&kept, 1, 2) || kept.from_ns < 2);
    tp_filter_keeps_category(filter, TP_STR("cpu_op"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *rest = text;
    struct tp_filter filter;
    struct tp_error err = {0};
    struct tp_arena arena;
    abort_unless(text != NULL);
    memcpy(text, data, size);
    text[size] = 0;
    const char *steps = strsep(&rest, "\n"), *from = strsep(&rest, "\n"), *until = strsep(&rest, "\n");
    const char *thread = strsep(&rest, "\n"), *category = strsep(&rest, "\n");
    struct tp_filter_options options = {.steps = *steps ? steps : NULL,
                                        .from = from && *from ? from : NULL,
                                        .until = until && *until ? until : NULL,
                                        .threads = &thread,
                                        .thread_count = thread != NULL,
                                        .categories = &category,
                                        .category_count = category != NULL};
    int code = tp_filter_parse(&filter, &options, &err);
    abort_unless(code == 0 || (code == TP_EUSAGE && err.text[0]));
    tp_arena_init(&arena, 0);
    if (code == 0 && setjmp(arena.guard) == 0)
        apply_filter(&filter, &arena);
    tp_arena_release(&arena);
    free(text);
    return 0;
}
