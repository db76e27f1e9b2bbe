/* Tests dumps of the Flight Recorder: their reading, and the decision who holds up a job. The cases write small dumps
 * in JSON, as torch._C._distributed_c10d._dump_fr_trace_json of PyTorch 2.13 does. */
#include "webreport/document/words/flight_words.h"

#include <stdio.h>

#include "tests/unit/one_arena.h"

#include "writer/base/json_out.h"
#include "writer/base/limits.h"

/* ---- reading ---- */

static struct tp_arena dump_arena, scratch;
static struct tp_error err;

static int read_text(struct tp_flight_dump *dump, const char *text, size_t size)
{
    tp_arena_release(&dump_arena);
    tp_arena_release(&scratch);
    tp_arena_init(&dump_arena, 0);
    tp_arena_init(&scratch, 0);
    err = (struct tp_error){0};
    return tp_flight_read_bytes(dump, &dump_arena, &scratch, (struct tp_str){text, size}, &err);
}

#define READ(dump, literal) read_text(dump, literal, sizeof literal - 1)

static void check_refusal(const char *text, size_t size, enum tp_flight_refusal why, const char *part)
{
    struct tp_flight_dump dump;
    assert_true(read_text(&dump, text, size) < 0);
    assert_int_equal(dump.refusal, why);
    if (!strstr(err.text, part))
        fail_msg("'%s' does not contain '%s'", err.text, part);
}
#define REFUSED(literal, why, part) check_refusal(literal, sizeof literal - 1, why, part)

static const struct tp_flight_call *call_at(const struct tp_flight_dump *dump, size_t index)
{
    assert_true(index < dump->calls.count);
    return TP_AT(&dump->calls, struct tp_flight_call, index);
}

static void assert_text(const struct tp_flight_dump *dump, uint32_t id, const char *wanted)
{
    struct tp_str text = tp_strings_get(&dump->texts, id);
    assert_int_equal(text.len, strlen(wanted));
    assert_memory_equal(text.ptr, wanted, text.len);
}

static void members_of_an_entry_become_a_call(void **state)
{
    struct tp_flight_dump dump;
    GUARD;
    assert_int_equal(
        READ(&dump,
             "{\"version\":\"2.10\", \"pg_config\":{\"0\":{\"name\":\"0\",\"desc\":\"dp\",\"ranks\":\"[0, 1]\"}},"
             "\"pg_status\":{\"3\":{\"last_enqueued_collective\":\"7\"}},\"entries\":[{\"record_id\":5,"
             "\"pg_id\":3,\"process_group\":[\"0\",\"dp\"],\"collective_seq_id\":7,\"p2p_seq_id\":2,"
             "\"profiling_name\":\"nccl:all_reduce\",\"input_sizes\":[[2,3],[]],\"output_sizes\":[[4]],"
             "\"input_dtypes\":[\"Float\",\"Half\"],\"state\":\"started\",\"retired\":true,"
             "\"time_created_ns\":9,\"duration_ms\":1.5,\"frames\":[{\"name\":\"f\\u0041\","
             "\"filename\":\"/x/a.py\",\"line\":3}]}]}"),
        TP_OK);
    const struct tp_flight_call *call = call_at(&dump, 0);
    assert_int_equal(call->record_id, 5);
    assert_int_equal(call->sequence, 7);
    assert_int_equal(call->input_elements, 7); /* 2 x 3, and 1 for a tensor without dimensions */
    assert_int_equal(call->output_elements, 4);
    assert_true(call->is_retired && !call->is_p2p && call->has_inputs);
    assert_true(call->duration_ms == 1.5);
    assert_text(&dump, call->op, "all_reduce");
    assert_text(&dump, call->backend, "nccl");
    assert_text(&dump, call->state, "started");
    assert_int_equal(tp_flight_frame_count(&dump.stacks, call->stack), 1);
    assert_text(&dump, tp_flight_frame_at(&dump.stacks, call->stack, 0).name, "fA");
    assert_int_equal(dump.groups.count, 1);
    assert_int_equal(TP_AT(&dump.progress, struct tp_flight_progress, 0)->last_enqueued, 7);
    assert_true(dump.leaves_calls_out);
}

static void members_of_other_types_have_defaults(void **state)
{
    struct tp_flight_dump dump;
    GUARD;
    assert_int_equal(READ(&dump,
                          "{\"entries\":[7,{\"record_id\":\"1\",\"collective_seq_id\":1.5,\"process_group\":[1,2],"
                          "\"input_sizes\":\"x\",\"frames\":3,\"state\":4,\"retired\":1,\"profiling_name\":null},{}],"
                          "\"version\":\"1.5\",\"pg_config\":[],\"pg_status\":{}}"),
                     TP_OK);
    assert_int_equal(dump.calls.count, 2);
    const struct tp_flight_call *call = call_at(&dump, 0);
    assert_int_equal(call->record_id, -1);
    assert_int_equal(call->sequence, -1);
    assert_int_equal(call->input_elements, 0);
    assert_false(call->is_retired || call->has_inputs);
    assert_text(&dump, call->state, "scheduled");
    assert_text(&dump, call->group, "");
    assert_false(dump.leaves_calls_out);
}

static void sends_and_receives_have_peers(void **state)
{
    struct tp_flight_dump dump;
    GUARD;
    assert_int_equal(READ(&dump,
                          "{\"version\":\"2.1\",\"entries\":[{\"record_id\":0,\"profiling_name\":\"nccl:send 1->12\","
                          "\"p2p_seq_id\":4},{\"record_id\":1,\"profiling_name\":\"nccl:recv 3<-2\"},"
                          "{\"record_id\":2,\"profiling_name\":\"nccl:send 1->\"},"
                          "{\"record_id\":3,\"profiling_name\":\"barrier\"}]}"),
                     TP_OK);
    assert_int_equal(call_at(&dump, 0)->source, 1);
    assert_int_equal(call_at(&dump, 0)->target, 12);
    assert_int_equal(call_at(&dump, 0)->sequence, 4);
    assert_true(call_at(&dump, 0)->is_p2p);
    assert_text(&dump, call_at(&dump, 0)->op, "send");
    assert_int_equal(call_at(&dump, 1)->source, 2);
    assert_int_equal(call_at(&dump, 1)->target, 3);
    assert_int_equal(call_at(&dump, 2)->source, -1);
    assert_text(&dump, call_at(&dump, 2)->op, "send 1->");
    assert_text(&dump, call_at(&dump, 3)->op, "barrier");
}

static void calls_are_in_the_order_of_their_records(void **state)
{
    struct tp_flight_dump dump;
    GUARD;
    assert_int_equal(
        READ(&dump, " {\"version\":\"2.1\",\"entries\":[{\"record_id\":9},{\"record_id\":2},{\"record_id\":4}]}\n"),
        TP_OK);
    assert_int_equal(call_at(&dump, 0)->record_id, 2);
    assert_int_equal(call_at(&dump, 2)->record_id, 9);
}

static void sizes_stop_at_the_largest_integer(void **state)
{
    struct tp_flight_dump dump;
    GUARD;
    assert_int_equal(READ(&dump, "{\"version\":\"2.1\",\"entries\":[{\"input_sizes\":[[4611686018427387904,4],[1]]}]}"),
                     TP_OK);
    assert_int_equal(call_at(&dump, 0)->input_elements, INT64_MAX);
}

static void a_pickle_has_the_calls_of_its_json(void **state)
{
    struct tp_flight_dump dump;
    GUARD;
    assert_int_equal(READ(&dump,
                          "\x80\x02}(X\x07\x00\x00\x00versionX\x03\x00\x00\x00"
                          "2.1X\x07\x00\x00\x00"
                          "entries](}(X\x09\x00\x00\x00record_idK\x03X\x0d\x00\x00\x00process_groupX\x01\x00\x00\x00"
                          "0X\x02\x00\x00\x00tp\x86X\x06\x00\x00\x00isp2p?K\x01X\x06\x00\x00\x00is_p2p\x88ueu."),
                     TP_OK);
    assert_int_equal(dump.calls.count, 1);
    assert_int_equal(call_at(&dump, 0)->record_id, 3);
    assert_true(call_at(&dump, 0)->is_p2p);
    assert_text(&dump, call_at(&dump, 0)->description, "tp");
    assert_false(dump.is_json);
}

static void files_that_are_no_dumps_are_refused(void **state)
{
    GUARD;
    REFUSED("", TP_FLIGHT_EMPTY, "empty");
    REFUSED("hello", TP_FLIGHT_NO_PICKLE, "no pickle");
    REFUSED("\x80\x02}.", TP_FLIGHT_NO_DUMP, "no dump of the Flight Recorder");
    REFUSED("\x80\x02}X\x07\x00\x00\x00version", TP_FLIGHT_TRUNCATED, "only in part");
    REFUSED("\x80\x02}X\xff\xff\xff\x7f", TP_FLIGHT_LONG_TEXT, "2147483647");
    REFUSED("\x80\x02"
            "cposix\nsystem\n(X\x02\x00\x00\x00lstR.",
            TP_FLIGHT_CODE, "posix.system");
    REFUSED("\x80\x04\x8c\x05posix\x8c\x06system\x93.", TP_FLIGHT_CODE, "posix.system");
    REFUSED("\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01.", TP_FLIGHT_NUMBER, "64 bits");
    REFUSED("{\"version\":\"2.10\",\"entries\":[", TP_FLIGHT_TRUNCATED, "ends at byte 29");
    REFUSED("{\"version\":\"2.10\",\"entries\":{}}", TP_FLIGHT_NO_DUMP, "list of entries");
    REFUSED("{\"entries\":[]}", TP_FLIGHT_NO_DUMP, "version");
    REFUSED("{\"version\" 1}", TP_FLIGHT_NO_JSON, "byte 11");
    REFUSED("{\"version\":\"3.0\"}", TP_FLIGHT_VERSION, "version 3.0");
    REFUSED("{\"version\":2.0}", TP_FLIGHT_VERSION, "version");
}

static void a_pickle_whose_values_repeat_without_end_is_refused(void **state)
{
    static char text[4000];
    struct tp_flight_dump dump;
    size_t size = 0;
    GUARD;
#define ADD(literal) memcpy(text + size, literal, sizeof literal - 1), size += sizeof literal - 1
    /* a list of 1,000 numbers is the shape of all tensors of 1,000 entries, which are one dict */
    ADD("\x80\x02}(X\x07\x00\x00\x00versionX\x03\x00\x00\x00"
        "2.1X\x07\x00\x00\x00"
        "entries](");
    ADD("}X\x0b\x00\x00\x00input_sizes](](");
    for (unsigned i = 0; i < 60; i++)
        ADD("K\x01");
    ADD("eq\x01");
    for (unsigned i = 0; i < 600; i++)
        ADD("h\x01");
    ADD("esq\x02");
    for (unsigned i = 0; i < 1000; i++)
        ADD("h\x02");
    ADD("eu.");
#undef ADD
    assert_true(size < sizeof text);
    assert_true(read_text(&dump, text, size) < 0);
    assert_int_equal(dump.refusal, TP_FLIGHT_REPEATED);
}

static void a_list_that_contains_itself_is_read(void **state)
{
    struct tp_flight_dump dump;
    GUARD;
    assert_int_equal(READ(&dump, "\x80\x02}(X\x07\x00\x00\x00versionX\x03\x00\x00\x00"
                                 "2.1X\x07\x00\x00\x00"
                                 "entries]q\x01(}X\x0b\x00\x00\x00input_sizes]q\x02h\x02"
                                 "as}X\x06\x00\x00\x00"
                                 "framesh\x01"
                                 "sh\x01"
                                 "eu."),
                     TP_OK);
    assert_int_equal(dump.calls.count, 2);
}

static void rank_is_the_last_number_of_the_name(void **state)
{
    static const struct {
        const char *name;
        int64_t rank;
    } cases[] = {{"nccl_trace_rank_7", 7},
                 {"nccl_trace_rank_container-node07_40", 40},
                 {"rank_3.json", 3},
                 {"rank_3.json.gz", 3},
                 {"dump12.pkl", 12},
                 {"5", 5},
                 {"rank_1.pickle", 1},
                 {"nccl_trace_rank_", -1},
                 {"rank_3.txt", -1},
                 {"rank_65535", 65535},
                 {"rank_65536", TP_MAX_FLIGHT_RANKS},
                 {"rank_99999999999999999999", TP_MAX_FLIGHT_RANKS}};
    GUARD;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(tp_flight_rank_of_file(tp_str_of(cases[i].name)), cases[i].rank);
}

/* ---- the decision ---- */

static struct tp_flight_job job;
static struct tp_flight_result result;

/* A call of a rank, as the cases write it. */
struct made_call {
    const char *group, *op;
    int sequence, elements;
    const char *state; /* "completed", "started", "scheduled"; NULL: the recorder is that of gloo, and the call waits */
    const char *type;  /* NULL: Float */
};

/* Adds a rank with calls, up to one without an operation. first: record_id of the first call. */
static void add_rank(uint32_t rank, const struct made_call *calls, int first)
{
    static char text[8192];
    struct tp_flight_dump dump;
    int size = snprintf(
        text, sizeof text,
        "{\"version\":\"2.10\",\"pg_config\":{\"w\":{\"name\":\"w\",\"desc\":\"world\",\"ranks\":\"[0, 1, 2]\"},"
        "\"a\":{\"name\":\"a\",\"desc\":\"pair\",\"ranks\":\"[0, 1]\"}},\"entries\":[");
    for (int i = 0; calls[i].op; i++)
        size += snprintf(
            text + size, sizeof text - (size_t)size,
            "%s{\"record_id\":%d,\"process_group\":[\"%s\",\"%s\"],\"profiling_name\":\"%s:%s\","
            "\"collective_seq_id\":%d,\"p2p_seq_id\":%d,\"input_sizes\":[[%d]],\"input_dtypes\":[\"%s\"],\"state\":\"%"
            "s\","
            "\"retired\":%s,\"time_created_ns\":%d,\"frames\":[{\"name\":\"step\",\"filename\":\"/job/train.py\","
            "\"line\":%d}]}",
            i ? "," : "", first + i, calls[i].group, *calls[i].group == 'w' ? "world" : "pair",
            calls[i].state ? "nccl" : "gloo", calls[i].op, calls[i].sequence, calls[i].sequence, calls[i].elements,
            calls[i].type ? calls[i].type : "Float", calls[i].state ? calls[i].state : "scheduled",
            calls[i].state && strcmp(calls[i].state, "completed") == 0 ? "true" : "false", 1000 + 10 * i + (int)rank,
            10 + calls[i].sequence);
    size += snprintf(text + size, sizeof text - (size_t)size, "]}");
    assert_int_equal(read_text(&dump, text, (size_t)size), TP_OK);
    tp_flight_job_add(&job, TP_STR("rank"), rank, &dump);
}
#define ADD(rank, ...) add_rank(rank, (const struct made_call[]){__VA_ARGS__, {0}}, 0)
#define DONE(group, sequence)                                                                                          \
    {                                                                                                                  \
        group, "all_reduce", sequence, 8, "completed", NULL                                                            \
    }
#define WAITS(group, sequence)                                                                                         \
    {                                                                                                                  \
        group, "all_reduce", sequence, 8, "started", NULL                                                              \
    }

static void decide(void)
{
    tp_flight_job_finish(&job);
    tp_flight_analyse(&result, &job);
    tp_fill_flight_texts(&result);
}

static void assert_headline(const char *wanted)
{
    if (result.headline.len != strlen(wanted) || memcmp(result.headline.ptr, wanted, result.headline.len) != 0)
        fail_msg("%.*s", (int)result.headline.len, result.headline.ptr);
}

static void a_rank_that_never_entered_a_call_is_the_culprit(void **state)
{
    GUARD;
    tp_flight_job_init(&job, &arena);
    ADD(0, DONE("w", 1), WAITS("w", 2));
    ADD(1, DONE("w", 1), WAITS("w", 2));
    ADD(2, DONE("w", 1));
    decide();
    assert_int_equal(result.verdict, TP_FLIGHT_HANG);
    assert_int_equal(result.culprits[0].rank, 2);
    assert_int_equal(result.culprits[0].held_up_count, 2);
    assert_headline(
        "Rank 2 never entered all_reduce #2 of world (w); ranks 0, 1 wait in it, at train.py:12 (step). Its last "
        "call was all_reduce #1 (done) at train.py:11 (step).");
}

static void a_rank_that_waits_for_another_is_no_culprit(void **state)
{
    GUARD;
    tp_flight_job_init(&job, &arena);
    ADD(0, DONE("w", 1), WAITS("a", 1)); /* waits for rank 1 */
    ADD(1, DONE("w", 1), WAITS("w", 2)); /* waits for rank 2, and also for rank 0, which is in another call */
    ADD(2, DONE("w", 1));
    decide();
    assert_int_equal(result.culprit_total, 1);
    assert_int_equal(result.culprits[0].rank, 2);
    assert_int_equal(result.waiting.count, 2);
}

static void two_ranks_in_other_calls_wait_for_each_other(void **state)
{
    GUARD;
    tp_flight_job_init(&job, &arena);
    ADD(0, WAITS("a", 1));
    ADD(1, WAITS("w", 1));
    ADD(2, WAITS("w", 1));
    decide();
    assert_int_equal(result.culprit_total, 0);
    assert_int_equal(result.circle_total, 2);
    assert_int_equal(result.likely, 0); /* two ranks wait in the call that rank 0 is missing from */
}

static void the_smaller_side_of_a_mismatch_is_wrong(void **state)
{
    GUARD;
    tp_flight_job_init(&job, &arena);
    ADD(0, {"w", "all_reduce", 1, 8, "started", NULL});
    ADD(1, {"w", "all_reduce", 1, 16, "started", NULL});
    ADD(2, {"w", "all_reduce", 1, 8, "started", NULL});
    decide();
    assert_int_equal(result.mismatch_total, 1);
    assert_int_equal(result.mismatches[0].culprits.count, 1);
    assert_int_equal(result.mismatches[0].culprits.items[0], 1);
    assert_headline(
        "Rank 1 called all_reduce of 16 elements Float at train.py:11 (step) where ranks 0, 2 called all_reduce of 8 "
        "elements Float at train.py:11 (step): call 1 of world (w).");
}

static void two_equal_sides_are_undecided(void **state)
{
    GUARD;
    tp_flight_job_init(&job, &arena);
    ADD(0, {"a", "all_reduce", 1, 8, "started", NULL});
    ADD(1, {"a", "all_reduce", 1, 8, "started", "Half"});
    ADD(2, DONE("w", 1));
    decide();
    assert_true(result.mismatches[0].is_undecided);
    assert_int_equal(result.mismatches[0].culprits.count, 0);
    assert_true(tp_str_equal(result.mismatches[0].kinds[0], TP_STR("dtype_mismatch")));
}

static void a_call_that_was_left_out_is_named(void **state)
{
    GUARD;
    tp_flight_job_init(&job, &arena);
    for (uint32_t rank = 0; rank < 2; rank++)
        ADD(rank, {"w", "broadcast", 1, 8, "started", NULL}, {"w", "all_reduce", 2, 4, "scheduled", NULL});
    ADD(2, {"w", "all_reduce", 1, 4, "started", NULL});
    decide();
    assert_int_equal(result.mismatches[0].shift, TP_FLIGHT_LEFT_OUT);
}

static void a_ring_that_lost_the_group_hides_the_rank(void **state)
{
    GUARD;
    tp_flight_job_init(&job, &arena);
    ADD(0, WAITS("a", 2));
    add_rank(1, (const struct made_call[]){DONE("w", 9), {0}}, 40);
    ADD(2, DONE("w", 9));
    decide();
    assert_int_equal(result.overwritten_count, 1);
    assert_int_equal(result.culprits[0].why, TP_FLIGHT_WHY_UNSURE);
    assert_int_equal(result.open[0].why, TP_FLIGHT_WHY_UNSURE);
}

static void a_rank_without_a_dump_is_named(void **state)
{
    GUARD;
    tp_flight_job_init(&job, &arena);
    ADD(0, WAITS("w", 1));
    ADD(1, WAITS("w", 1));
    tp_flight_job_add_failed(&job, TP_STR("rank_2"), 2, TP_STR("truncated"), TP_STR(""));
    decide();
    assert_int_equal(result.culprits[0].why, TP_FLIGHT_WHY_NO_DUMP);
    assert_int_equal(result.no_dump.count, 1);
    assert_int_equal(result.exit_code, 1);
}

static void dumps_that_are_missing_are_unknown_if_nothing_waits(void **state)
{
    GUARD;
    tp_flight_job_init(&job, &arena);
    ADD(0, DONE("w", 1));
    decide();
    assert_int_equal(result.verdict, TP_FLIGHT_UNKNOWN);
    assert_int_equal(result.exit_code, 6);
    assert_int_equal(result.no_dump.count, 2);
}

static void all_ranks_inside_a_call_blame_no_rank(void **state)
{
    GUARD;
    tp_flight_job_init(&job, &arena);
    for (uint32_t rank = 0; rank < 3; rank++)
        ADD(rank, WAITS("w", 1));
    decide();
    assert_int_equal(result.culprit_total, 0);
    assert_int_equal(result.open[0].why, TP_FLIGHT_WHY_STUCK_INSIDE);
}

static void a_gpu_that_has_not_begun_a_call_is_behind(void **state)
{
    GUARD;
    tp_flight_job_init(&job, &arena);
    ADD(0, WAITS("w", 1));
    ADD(1, {"w", "all_reduce", 1, 8, "scheduled", NULL});
    ADD(2, WAITS("w", 1));
    decide();
    assert_int_equal(result.culprits[0].rank, 1);
    assert_int_equal(result.culprits[0].why, TP_FLIGHT_WHY_GPU_BEHIND);
}

static void a_receive_waits_for_its_send(void **state)
{
    GUARD;
    tp_flight_job_init(&job, &arena);
    ADD(0, {"a", "recv 0<-1", 1, 8, "started", NULL});
    ADD(1, DONE("w", 1));
    ADD(2, DONE("w", 1));
    decide();
    assert_int_equal(result.culprits[0].rank, 1);
    assert_headline(
        "Rank 1 never called send 1->0 of pair (a); rank 0 waits in recv, at train.py:11 (step). Its last call was "
        "all_reduce #1 (done) at train.py:11 (step).");
}

static void ended_calls_are_healthy(void **state)
{
    GUARD;
    tp_flight_job_init(&job, &arena);
    for (uint32_t rank = 0; rank < 3; rank++)
        ADD(rank, DONE("w", 1), DONE("w", 2));
    decide();
    assert_int_equal(result.verdict, TP_FLIGHT_HEALTHY);
    assert_headline("No rank waits: all 3 ranks finished every call that the recorder holds.");
}

static int end_all(void **state)
{
    tp_arena_release(&dump_arena);
    tp_arena_release(&scratch);
    return end(state);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, end_all)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        CASE(members_of_an_entry_become_a_call),
        CASE(members_of_other_types_have_defaults),
        CASE(sends_and_receives_have_peers),
        CASE(calls_are_in_the_order_of_their_records),
        CASE(sizes_stop_at_the_largest_integer),
        CASE(a_pickle_has_the_calls_of_its_json),
        CASE(files_that_are_no_dumps_are_refused),
        CASE(a_pickle_whose_values_repeat_without_end_is_refused),
        CASE(a_list_that_contains_itself_is_read),
        CASE(rank_is_the_last_number_of_the_name),
        CASE(a_rank_that_never_entered_a_call_is_the_culprit),
        CASE(a_rank_that_waits_for_another_is_no_culprit),
        CASE(two_ranks_in_other_calls_wait_for_each_other),
        CASE(the_smaller_side_of_a_mismatch_is_wrong),
        CASE(two_equal_sides_are_undecided),
        CASE(a_call_that_was_left_out_is_named),
        CASE(a_ring_that_lost_the_group_hides_the_rank),
        CASE(a_rank_without_a_dump_is_named),
        CASE(dumps_that_are_missing_are_unknown_if_nothing_waits),
        CASE(all_ranks_inside_a_call_blame_no_rank),
        CASE(a_gpu_that_has_not_begun_a_call_is_behind),
        CASE(a_receive_waits_for_its_send),
        CASE(ended_calls_are_healthy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
