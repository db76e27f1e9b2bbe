/* Tests how the trace shows NVTX and ITT calls. The calls use the entry points of these libraries, are recorded, and
 * are converted to a trace. */
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "collector/sources.h"
#include "tests/fake/itt_part.h"
#include "tests/fake/nvtx_part.h"
#include "tests/unit/recorded_slice.h"

int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t));
void __itt_api_init(struct itt_global *global, int groups);

static int start_recording_marks(void **state)
{
    (void)state;
    __itt_api_init(&itt_global, -1);
    return begin_text_recording() == 0 && InitializeInjectionNvtx2(nvtx_get_table) == 1 ? 0 : -1;
}

static bool is_slice_inside(const struct slice *outer, const struct slice *inner)
{
    return outer->tid == inner->tid && outer->start_ns <= inner->start_ns &&
           outer->start_ns + outer->dur_ns >= inner->start_ns + inner->dur_ns;
}

static long long current_tid(void)
{
    return (long long)syscall(SYS_gettid);
}

static struct nvtx_attributes make_attributes(const char *message)
{
    return (struct nvtx_attributes){
        .version = 3, .size = sizeof(struct nvtx_attributes), .message_type = 1, .message.ascii = message};
}

/* Waits 1000 ns. Two calls without a wait between them can have equal times in the trace, whose unit is a nanosecond,
 * because the time stamp counter may advance by only one tick between the calls. */
static void wait_for_later_time(void)
{
    for (int64_t start = tracepress_now(); tracepress_now() < start + 1000;)
        ;
}

/* ---- NVTX ---- */

static void pushes_nest_and_return_their_depth(void **state)
{
    (void)state;
    assert_int_equal(nvtxRangePushA("outer"), 0);
    assert_int_equal(nvtxRangePushW(L"inner \u00e4\U0001F600"), 1);
    assert_int_equal(nvtxRangePop(), 1);
    assert_int_equal(nvtxRangePop(), 0);
    assert_true(nvtxRangePop() < 0);
    nvtxMarkA("moment");
    tracepress_stop();
    struct slice outer = find_event("outer", 0), inner = find_event("inner \u00e4\U0001F600", 0);
    struct slice moment = find_event("moment", 0);
    assert_int_equal(outer.kind, 'X');
    assert_true(is_slice_inside(&outer, &inner));
    assert_int_equal(outer.tid, current_tid());
    assert_int_equal(moment.kind, 'i');
    assert_false(has_line_text(&outer, "finished"));
}

static void attributes_become_arguments(void **state)
{
    (void)state;
    void *domain = nvtxDomainCreateA("my domain"), *registered = nvtxDomainRegisterStringW(domain, L"registered");
    struct nvtx_attributes a = {.version = 3,
                                .size = sizeof a,
                                .category = 5,
                                .color_type = 1,
                                .color = 0xFF00FF10,
                                .payload_type = 3,
                                .payload.real = 2.5,
                                .message_type = 3,
                                .message.registered = registered};
    nvtxDomainRangePushEx(domain, &a);
    nvtxDomainNameCategoryA(domain, 5, "input"); /* names category 5 after its first use */
    nvtxNameCategoryA(5, "another domain's");
    nvtxDomainRangePop(domain);
    a = make_attributes("plain");
    a.payload_type = 1;
    a.payload.u64 = UINT64_MAX;
    a.category = 6;
    nvtxDomainMarkEx(domain, &a);
    a.payload_type = 5;
    a.payload.i32 = -7;
    nvtxMarkEx(&a);
    nvtxMarkEx(NULL);
    a.size = 8;
    nvtxMarkEx(&a);
    nvtxDomainDestroy(domain);
    tracepress_stop();
    struct slice range = find_event("registered", 0), mark = find_event("plain", 0), other = find_event("plain", 1);
    assert_true(has_line_text(&range, "\"domain\":\"my domain\",\"category\":\"input\",\"payload\":2.5,"
                                      "\"color\":\"#FF00FF10\""));
    assert_true(has_line_text(&mark, "\"domain\":\"my domain\",\"category\":6,\"payload\":18446744073709551615}"));
    assert_true(has_line_text(&other, "\"category\":6,\"payload\":-7}"));
    assert_int_equal(find_event("", 1).kind, 'i');
}

static void *finish_on_other_thread(void *id)
{
    nvtxRangeEnd(*(const uint64_t *)id);
    return NULL;
}

static void started_ranges_share_rows_without_overlap(void **state)
{
    pthread_t thread;
    (void)state;
    uint64_t first = nvtxRangeStartA("first"), second = nvtxRangeStartA("second");
    wait_for_later_time(); /* otherwise the first two ranges may share a row */
    nvtxRangeEnd(first);
    uint64_t third = nvtxRangeStartA("third");
    pthread_create(&thread, NULL, finish_on_other_thread, &second);
    pthread_join(thread, NULL);
    nvtxRangeEnd(third);
    nvtxRangeEnd(third + 1000);
    nvtxRangeStartA("never ended");
    tracepress_stop();
    struct slice a = find_event("first", 0), b = find_event("second", 0), c = find_event("third", 0);
    struct slice d = find_event("never ended", 0);
    assert_true(first && second && third && first != second && second != third);
    assert_true(a.tid != b.tid && a.tid == c.tid && c.start_ns >= a.start_ns + a.dur_ns);
    assert_true(b.start_ns + b.dur_ns > c.start_ns && b.start_ns < a.start_ns + a.dur_ns);
    assert_true(is_row_named(a.tid, "NVTX ranges") && is_row_named(b.tid, "NVTX ranges (2)"));
    assert_true(has_line_text(&d, "\"finished\":false") && !has_line_text(&b, "finished"));
}

static void ranges_of_domains_may_cross(void **state)
{
    (void)state;
    void *one = nvtxDomainCreateA("one"), *two = nvtxDomainCreateA("two");
    struct nvtx_attributes a = make_attributes("of one"), b = make_attributes("of two"),
                           c = make_attributes("left open");
    tracepress_begin_text("scope");
    nvtxDomainRangePushEx(one, &a);
    nvtxDomainRangePushEx(two, &b);
    wait_for_later_time();
    assert_int_equal(nvtxDomainRangePop(one), 0);
    nvtxDomainRangePushEx(one, &c);
    tracepress_end(); /* the program ends its own range while NVTX ranges are open */
    wait_for_later_time();
    assert_int_equal(nvtxDomainRangePop(two), 0);
    nvtxRangePushA("last");
    nvtxRangePop();
    tracepress_stop();
    struct slice scope = find_event("scope", 0), x = find_event("of one", 0), y = find_event("of two", 0);
    struct slice open = find_event("left open", 0), last = find_event("last", 0);
    assert_true(scope.dur_ns > 0 && x.dur_ns > 0 && y.dur_ns > 0 && open.dur_ns > 0);
    assert_int_equal(scope.tid, current_tid());
    assert_true(is_row_named(x.tid, "NVTX ranges: one") && is_row_named(y.tid, "NVTX ranges: two"));
    assert_true(x.start_ns + x.dur_ns > y.start_ns && y.start_ns + y.dur_ns > scope.start_ns + scope.dur_ns);
    assert_true(has_line_text(&open, "\"finished\":false"));
    assert_int_equal(last.tid, current_tid());
}

static void threads_get_their_names(void **state)
{
    (void)state;
    struct nvtx_resource named = {3, sizeof named, 1 << 16 | 3, 12345, 1, "nobody"};
    nvtxNameOsThreadA((uint32_t)current_tid(), "first name");
    nvtxNameOsThreadW((uint32_t)current_tid(), L"the reader");
    assert_non_null(nvtxDomainResourceCreate(NULL, &named));
    nvtxMarkA("here");
    tracepress_stop();
    char row[100];
    snprintf(row, sizeof row, "thread %lld (the reader)", current_tid());
    assert_true(is_row_named(current_tid(), row));
}

static void hostile_texts_stay_valid_json(void **state)
{
    static char large[1 << 20];
    static const wchar_t bad[] = {(wchar_t)0x110000, (wchar_t)0xD800, (wchar_t)-1, 'x', 0};
    (void)state;
    memset(large, 'L', sizeof large - 1);
    assert_int_equal(nvtxRangePushA(large), 0);
    assert_int_equal(nvtxRangePushA(NULL), 1);
    assert_int_equal(nvtxRangePushW(NULL), 2);
    nvtxRangePushA("\xFF\xFE\"\\\n</script>");
    nvtxRangePushW(bad);
    nvtxDomainCreateA(NULL);
    nvtxDomainRegisterStringA(NULL, large);
    nvtxDomainMarkEx((void *)(uintptr_t)0x123456789ABCull, NULL);
    struct nvtx_attributes a = make_attributes(NULL);
    nvtxMarkEx(&a);
    a.message_type = 77;
    a.payload_type = 99;
    nvtxMarkEx(&a);
    for (int i = 0; i < 5; i++)
        nvtxRangePop();
    tracepress_stop();
    assert_int_equal(find_event("\uFFFD\uFFFD\\\"\\\\\\n</script>", 0).kind, 'X');
    assert_int_equal(find_event("\uFFFD\uFFFD\uFFFDx", 0).kind, 'X');
    large[TP_NAME_BYTES] = '\0';
    assert_non_null(strstr(text, large));
    large[TP_NAME_BYTES] = 'L';
    large[TP_NAME_BYTES + 1] = '\0';
    assert_null(strstr(text, large));
}

static void domains_beyond_the_maximum_are_ignored(void **state)
{
    (void)state;
    void *domains[20];
    char name[32];
    struct nvtx_attributes a = make_attributes("many");
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "domain %d", i);
        domains[i] = nvtxDomainCreateA(name);
        int depth = nvtxDomainRangePushEx(domains[i], &a);
        assert_true(depth == 0 || depth == -2);
    }
    for (int i = 19; i >= 0; i--)
        nvtxDomainRangePop(domains[i]);
    tracepress_stop();
    for (int i = 1; i < 20; i++) {
        struct slice outer = find_event("many", i - 1), inner = find_event("many", i);
        assert_true(is_slice_inside(&outer, &inner));
    }
}

/* ---- ITT ---- */

static void tasks_nest_within_their_domain(void **state)
{
    const struct itt_id id = {1, 2, 0};
    double loss = 0.25;
    int counts[] = {1, -2, 3};
    (void)state;
    struct itt_domain *domain = itt_domain_create("net");
    struct itt_string *step = itt_string_handle_create("step"), *key = itt_string_handle_create("loss");
    assert_ptr_equal(domain, itt_domain_create("net"));
    assert_ptr_equal(step, itt_string_handle_create("step"));
    assert_true(domain->flags && strcmp(step->strA, "step") == 0);
    itt_task_begin(domain, id, itt_null, step);
    itt_task_begin(&itt_early_domain, itt_null, itt_null, &itt_early_string);
    itt_metadata_add(&itt_early_domain, itt_null, itt_string_handle_create("counts"), 4, 3, counts);
    itt_task_end(&itt_early_domain);
    itt_metadata_add(domain, id, key, 7, 1, &loss);
    itt_metadata_add(domain, id, key, 8, 1, &loss); /* adds the same key again */
    itt_metadata_add(domain, id, itt_string_handle_create("domain"), 2, 0, NULL);
    itt_metadata_str_add(domain, itt_null, itt_string_handle_create("note"), "quick brown", 5);
    itt_task_end(domain);
    itt_task_end(domain);
    itt_marker(domain, itt_null, itt_string_handle_create("here"), 1);
    itt_task_begin_fn(domain, itt_null, itt_null, NULL);
    void *function = dlsym(RTLD_DEFAULT, "malloc");
    itt_task_begin_fn(domain, itt_null, itt_null, function);
    itt_task_begin(domain, itt_null, itt_null, NULL);
    tracepress_stop();
    struct slice outer = find_event("step", 0), inner = find_event("early task", 0);
    assert_true(is_slice_inside(&outer, &inner));
    assert_true(has_line_text(&outer, "\"domain\":\"net\",\"loss\":0.25,\"metadata domain\":[],\"note\":\"quick\""));
    assert_true(has_line_text(&inner, "\"domain\":\"early\",\"counts\":[1,-2,3]"));
    assert_int_equal(find_event("here", 0).kind, 'i');
    /* under sanitizers, which replace malloc, the function's name can be missing */
    assert_true(strstr(text, "malloc\",") || strstr(text, "+0x"));
    assert_null(itt_unheard_of);
}

static void overlapping_frames_and_tasks_get_rows(void **state)
{
    struct itt_id a = {1, 1, 0}, b = {2, 1, 0};
    int batch = 8;
    (void)state;
    struct itt_domain *domain = itt_domain_create("video");
    struct itt_string *load = itt_string_handle_create("load");
    unsigned long long before = itt_get_timestamp();
    itt_frame_begin_v3(domain, NULL);
    itt_task_begin_overlapped(domain, a, itt_null, load);
    itt_task_begin_overlapped(domain, b, itt_null, load);
    itt_metadata_add(domain, a, itt_string_handle_create("batch"), 4, 1, &batch);
    wait_for_later_time();
    itt_task_end_overlapped(domain, a);
    itt_task_end_overlapped(domain, b);
    itt_frame_end_v3(domain, NULL);
    itt_frame_submit_v3(domain, &a, before, itt_get_timestamp());
    itt_frame_submit_v3(domain, &a, 0, UINT64_MAX);
    itt_region_begin(domain, a, itt_null, itt_string_handle_create("region"));
    itt_region_end(domain, a);
    int event = itt_event_create("event", 5), moment = itt_event_create("moment of old", 6);
    itt_event_start(event);
    itt_event_start(moment);
    itt_event_end(event);
    itt_pause();
    tracepress_stop();
    struct slice first = find_event("load", 0), second = find_event("load", 1), frame = find_event("video", 0);
    assert_true(first.tid != second.tid && is_row_named(first.tid, "ITT tasks: video"));
    assert_true(has_line_text(&first, "\"batch\":8") && !has_line_text(&second, "batch"));
    assert_true(is_row_named(frame.tid, "ITT frames: video") && frame.dur_ns >= first.dur_ns);
    assert_true(find_event("video", 1).dur_ns > 0 && find_event("video", 2).dur_ns == 0);
    assert_true(find_event("region", 0).kind == 'X' && find_event("event", 0).kind == 'X');
    assert_true(find_event("moment", 0).kind == 'i' && find_event("ITT pause", 0).kind == 'i');
}

static void counters_are_curves(void **state)
{
    double real = 1.5;
    int early = -3;
    unsigned long long many = 10;
    (void)state;
    struct itt_counter *queue = itt_counter_create("queue", "io");
    struct itt_counter *rate = itt_counter_create_typed("rate", NULL, 8);
    itt_counter_inc(queue);
    itt_counter_set_value(queue, &many);
    itt_counter_dec_delta(queue, 4);
    itt_counter_set_value(rate, &real);
    itt_counter_set_value(&itt_early_counter, &early);
    itt_counter_inc_delta_v3(itt_domain_create("io"), itt_string_handle_create("bytes"), 512);
    itt_counter_inc_delta_v3(itt_domain_create("io"), itt_string_handle_create("bytes"), 512);
    itt_counter_inc(NULL);
    tracepress_stop();
    const struct {
        const char *name, *value;
        int nth;
    } wanted[] = {{"io: queue", "{\"value\":1.0}", 0},
                  {"io: queue", "{\"value\":10.0}", 1},
                  {"io: queue", "{\"value\":6.0}", 2},
                  {"rate", "{\"value\":1.5}", 0},
                  {"early: early counter", "{\"value\":-3.0}", 0},
                  {"io: bytes", "{\"value\":1024.0}", 1}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct slice counter = find_event(wanted[i].name, wanted[i].nth);
        if (counter.kind != 'C' || !has_line_text(&counter, wanted[i].value))
            fail_msg("%s: %s", wanted[i].name, counter.line);
    }
}

/* Each name gets one handle, even if many threads create it simultaneously. */
enum { THREADS = 4, NAMES = 3000 };

static struct itt_string *handles[THREADS][NAMES];

static void *make_handles_on_thread(void *given)
{
    int self = (int)(intptr_t)given;
    char name[32];
    struct itt_domain *domain = itt_domain_create("threads");
    itt_thread_set_name("maker");
    for (int i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "name %d", i);
        handles[self][i] = itt_string_handle_create(name);
        itt_task_begin(domain, itt_null, itt_null, handles[self][i]);
        itt_task_end(domain);
    }
    return NULL;
}

static void handles_are_the_same_on_all_threads(void **state)
{
    pthread_t threads[THREADS];
    (void)state;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, make_handles_on_thread, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < NAMES; i++)
        for (int t = 1; t < THREADS; t++)
            assert_true(handles[t][i] && handles[t][i] == handles[0][i]);
}

/* ---- random calls ---- */

#ifdef __SANITIZE_ADDRESS__
enum { CALLS = 5000 };
#else
enum { CALLS = 20000 };
#endif
enum { DOMAINS_USED = 6, KEYS = 5 };

static unsigned seed;

static unsigned random_below(unsigned count)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % count;
}

static void call_random_function(void *const *nvtx, struct itt_domain *const *itt)
{
    static uint64_t started[KEYS];
    struct nvtx_attributes a = make_attributes("random");
    unsigned n = random_below(DOMAINS_USED), key = random_below(KEYS);
    struct itt_id id = {key, 1, 0};
    switch (random_below(14)) {
    case 0:
    case 1:
        nvtxDomainRangePushEx(nvtx[n], &a);
        break;
    case 2:
    case 3:
        nvtxDomainRangePop(nvtx[n]);
        break;
    case 4:
        tracepress_begin_text("own");
        break;
    case 5:
        tracepress_end();
        break;
    case 6:
        tracepress_step();
        break;
    case 7:
        itt_task_begin(itt[n], random_below(2) ? id : itt_null, itt_null, itt_string_handle_create("task"));
        break;
    case 8:
        itt_task_end(itt[n]);
        break;
    case 9:
        started[key] = nvtxDomainRangeStartEx(nvtx[n], &a);
        break;
    case 10:
        nvtxRangeEnd(started[key]);
        break;
    case 11:
        itt_task_begin_overlapped(itt[n], id, itt_null, itt_string_handle_create("overlapped"));
        break;
    case 12:
        itt_task_end_overlapped(itt[n], id);
        break;
    default:
        itt_metadata_str_add(itt[n], random_below(2) ? id : itt_null, itt_string_handle_create("fact"), "text", 0);
    }
}

struct row_range {
    long long tid, start_ns, end_ns;
};

static int compare_by_row(const void *x, const void *y)
{
    const struct row_range *a = x, *b = y;
    if (a->tid != b->tid)
        return a->tid < b->tid ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->end_ns < b->end_ns) - (a->end_ns > b->end_ns);
}

static size_t read_ranges(struct row_range *ranges, size_t most)
{
    size_t count = 0;
    for (const char *line = text; (line = strstr(line, "{\"ph\":\"X\",\"cat\":\"user_annotation\"")); line++) {
        const char *tid = strstr(line, "\"tid\":");
        assert_true(tid && count < most);
        ranges[count].tid = strtoll(tid + 6, NULL, 10);
        ranges[count].start_ns = read_time_ns(line, "\"ts\":");
        ranges[count].end_ns = ranges[count].start_ns + read_time_ns(line, "\"dur\":");
        count++;
    }
    return count;
}

static void random_calls_never_cross(void **state)
{
    static struct row_range ranges[CALLS], open[CALLS];
    void *nvtx[DOMAINS_USED] = {NULL};
    struct itt_domain *itt[DOMAINS_USED];
    char name[32];
    size_t depth = 0;
    (void)state;
    for (int i = 0; i < DOMAINS_USED; i++) {
        snprintf(name, sizeof name, "domain %d", i);
        itt[i] = itt_domain_create(name);
        nvtx[i] = i ? nvtxDomainCreateA(name) : NULL;
    }
    seed = (unsigned)time(NULL);
    print_message("seed %u\n", seed);
    for (int i = 0; i < CALLS; i++)
        call_random_function(nvtx, itt);
    tracepress_stop();
    size_t count = read_ranges(ranges, CALLS);
    assert_true(count > CALLS / 4);
    qsort(ranges, count, sizeof *ranges, compare_by_row);
    for (size_t i = 0; i < count; i++) {
        while (depth && (open[depth - 1].tid != ranges[i].tid || open[depth - 1].end_ns <= ranges[i].start_ns))
            depth--;
        assert_true(!depth || ranges[i].end_ns <= open[depth - 1].end_ns);
        open[depth++] = ranges[i];
    }
}

static void unknown_functions_are_not_bound(void **state)
{
    struct itt_global stranger = itt_global;
    struct itt_api row = {"__itt_task_end", (void **)(void *)&itt_unheard_of, NULL, NULL, 1};
    (void)state;
    stranger.magic[3] ^= 1;
    stranger.api_list = &row;
    __itt_api_init(&stranger, -1);
    __itt_api_init(NULL, -1);
    assert_null(itt_unheard_of);
    assert_int_equal(InitializeInjectionNvtx2(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pushes_nest_and_return_their_depth, start_recording_marks, end_text_recording),
        cmocka_unit_test_setup_teardown(attributes_become_arguments, start_recording_marks, end_text_recording),
        cmocka_unit_test_setup_teardown(started_ranges_share_rows_without_overlap, start_recording_marks,
                                        end_text_recording),
        cmocka_unit_test_setup_teardown(ranges_of_domains_may_cross, start_recording_marks, end_text_recording),
        cmocka_unit_test_setup_teardown(threads_get_their_names, start_recording_marks, end_text_recording),
        cmocka_unit_test_setup_teardown(hostile_texts_stay_valid_json, start_recording_marks, end_text_recording),
        cmocka_unit_test_setup_teardown(domains_beyond_the_maximum_are_ignored, start_recording_marks,
                                        end_text_recording),
        cmocka_unit_test_setup_teardown(tasks_nest_within_their_domain, start_recording_marks, end_text_recording),
        cmocka_unit_test_setup_teardown(overlapping_frames_and_tasks_get_rows, start_recording_marks,
                                        end_text_recording),
        cmocka_unit_test_setup_teardown(counters_are_curves, start_recording_marks, end_text_recording),
        cmocka_unit_test_setup_teardown(handles_are_the_same_on_all_threads, start_recording_marks, end_text_recording),
        cmocka_unit_test_setup_teardown(random_calls_never_cross, start_recording_marks, end_text_recording),
        cmocka_unit_test_setup_teardown(unknown_functions_are_not_bound, start_recording_marks, end_text_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
