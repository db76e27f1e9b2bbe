/* Tests that the declared kind of a range has priority over its name, and that each program gets advice in its own
 * words. No rule and no sentence mentions Python or PyTorch to other programs (sections 2, 9, 13 and 15 of
 * docs/definitions.md). */
#include <stdio.h>
#include <string.h>

#include "tests/unit/made_trace.h"
#include "webreport/document/words/words.h"
#include "webreport/measure/audience/phrases.h"
#include "webreport/measure/result/advice.h"
#include "webreport/measure/rules/rule_words.h"

#define EVENT(cat, name, ts, dur, args)                                                                                \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" #ts ",\"dur\":" #dur         \
    ",\"args\":{" args "}}"
#define RANGE(name, ts, dur, kind) EVENT("user_annotation", name, ts, dur, "\"kind\":\"" kind "\"")
#define STEP(n, ts, dur) EVENT("user_annotation", "ProfilerStep#" #n, ts, dur, "")
#define NATIVE "\"tracepress_recorder\":\"native\","
#define LOADER "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"

struct made {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_advice advice;
};

static void make_document(struct made *m, const char *header, const char *events)
{
    make_model(&m->arena, &m->trace, &m->order, &m->model, header, events);
    tp_advice_build(&m->advice, &m->model, NULL, &m->arena);
    tp_fill_advice_texts(&m->advice, &m->model, &m->arena);
}

static void assert_headline(const struct made *m, const char *expected)
{
    char text[1024];
    struct tp_str headline = m->advice.verdict.headline;
    snprintf(text, sizeof text, "%.*s", (int)headline.len, headline.ptr);
    assert_string_equal(text, expected);
}

static const struct tp_finding *find_finding_by_id(const struct made *m, const char *id)
{
    const struct tp_recommendations *found = &m->advice.recommendations;
    for (uint32_t i = 0; i < found->finding_count; i++)
        if (strcmp(found->findings[i].rule->id, id) == 0)
            return &found->findings[i];
    return NULL;
}

/* ---- words ---- */

static const char *const python_words[] = {
    "python",
    "pytorch",
    "torch",
    "num_workers",
    "pin_memory",
    "foreach",
    "dataloader",
    "data loader",
    "data-loader",
    "loader",
    ".item()",
    "prof.",
    "autocast",
    "non_blocking",
    "persistent_workers",
    "zero_grad",
    "empty_cache",
    "no_sync",
    "inference_mode",
    "profile_memory",
    "with_stack",
    "with_modules",
    "DistributedDataParallel",
    "ProfilerActivity",
    "=True",
    "set_to_none",
    "nn.Module",
    "aten::",
    "contiguous",
};

static void assert_no_python_words(const char *who, const char *text)
{
    for (size_t i = 0; text && i < sizeof python_words / sizeof *python_words; i++)
        if (strcasestr(text, python_words[i]))
            fail_msg("%s: \"%s\" in \"%s\"", who, python_words[i], text);
}

static void rules_do_not_mention_python_to_other_programs(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TP_RULE_COUNT; i++)
        for (unsigned p = TP_PRODUCER_TORCH; p < TP_PRODUCER_COUNT; p++) {
            struct tp_rule_words words = tp_rule_words(tp_rule_at(i), (enum tp_producer)p);
            assert_true(*words.title && *words.advice);
            if (tp_uses_torch_words((enum tp_producer)p))
                assert_true(words.title == tp_rule_at(i)->title && words.advice == tp_rule_at(i)->advice &&
                            words.doc_url == tp_rule_at(i)->doc_url);
            if (tp_uses_torch_words((enum tp_producer)p))
                continue;
            assert_no_python_words(tp_rule_at(i)->id, words.title);
            assert_no_python_words(tp_rule_at(i)->id, words.advice);
            assert_no_python_words(tp_rule_at(i)->id, words.doc_url);
        }
    for (unsigned phrase = 0; phrase < TP_PHRASE_COUNT; phrase++)
        for (unsigned p = TP_PRODUCER_TORCH + 1; p < TP_PRODUCER_COUNT; p++)
            assert_no_python_words("phrase", tp_phrase((enum tp_phrase)phrase, (enum tp_producer)p));
}

/* Words that apply only to training. */
static const char *const training_words[] = {"training", "optimizer",     "backward", "gradient",
                                             "loss",     "learning rate", "epoch",    "DistributedDataParallel"};

/* Returns whether the rule fires only for training traces. Such rules may use the words of training. */
static bool is_training_rule(const char *id)
{
    static const char *const ids[] = {"C6", "C7", "C19", "E8", "H3", "H11", "H15", "R5"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (strcmp(ids[i], id) == 0)
            return true;
    return false;
}

static void programs_without_training_read_no_training_words(void **state)
{
    (void)state;
    static const enum tp_program_use_kind kinds[] = {TP_USE_SERVING, TP_USE_DIFFUSION, TP_USE_INFERENCE, TP_USE_CPU};
    for (unsigned i = 0; i < TP_RULE_COUNT; i++)
        for (unsigned k = 0; k < sizeof kinds / sizeof *kinds && !is_training_rule(tp_rule_at(i)->id); k++) {
            struct tp_rule_words words = tp_rule_words_for_use(tp_rule_at(i), TP_PRODUCER_TORCH, kinds[k]);
            for (size_t w = 0; w < sizeof training_words / sizeof *training_words; w++)
                if (strcasestr(words.title, training_words[w]) || strcasestr(words.advice, training_words[w]))
                    fail_msg("%s: \"%s\" in \"%s: %s\"", tp_rule_at(i)->id, training_words[w], words.title,
                             words.advice);
        }
}

static void training_and_c_programs_keep_their_words(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TP_RULE_COUNT; i++) {
        struct tp_rule_words own = tp_rule_words_for_use(tp_rule_at(i), TP_PRODUCER_TRACEPRESS, TP_USE_SERVING);
        assert_true(tp_rule_words_for_use(tp_rule_at(i), TP_PRODUCER_TORCH, TP_USE_TRAINING).advice ==
                    tp_rule_at(i)->advice);
        assert_true(own.advice == tp_rule_words(tp_rule_at(i), TP_PRODUCER_TRACEPRESS).advice);
    }
}

static void texts_of_a_rule_are_found_by_id(void **state)
{
    (void)state;
    assert_string_equal(tp_rule_words_by_id(TP_STR("B2"), TP_PRODUCER_TRACEPRESS).title,
                        "Read the input in the background, on another thread");
    assert_null(tp_rule_words_by_id(TP_STR("Z9"), TP_PRODUCER_TORCH).title);
    assert_non_null(strstr(tp_rule_words_by_id(TP_STR("H8"), TP_PRODUCER_MPI).advice, "MPI_Wait"));
}

/* ---- producers ---- */

static void assert_producer(const char *header, const char *events, enum tp_producer expected)
{
    struct made m;
    make_document(&m, header, events);
    assert_string_equal(tp_producer_text(m.model.producer), tp_producer_text(expected));
    tp_arena_release(&m.arena);
}

static void producer_is_recognized(void **state)
{
    (void)state;
    assert_producer("", EVENT("user_annotation", "solve", 0, 10, ""),
                    TP_PRODUCER_TORCH); /* this file is a plain list of
                                         * events, without a header */
    assert_producer("\"schemaVersion\":1,\"deviceProperties\":[],", RANGE("solve", 0, 10, "compute"),
                    TP_PRODUCER_TORCH);
    assert_producer("", RANGE("solve", 0, 10, "compute"), TP_PRODUCER_OTHER);
    assert_producer("\"otherData\":{},", EVENT("user_annotation", "solve", 0, 10, ""), TP_PRODUCER_OTHER);
    assert_producer("\"otherData\":{},", EVENT("cpu_op", "aten::mm", 0, 10, ""), TP_PRODUCER_TORCH);
    assert_producer(NATIVE, EVENT("cpu_op", "aten::mm", 0, 10, ""), TP_PRODUCER_TRACEPRESS);
    assert_producer(NATIVE, EVENT("user_annotation", "mpi:allreduce", 0, 10, ""), TP_PRODUCER_MPI);
    assert_producer(NATIVE, EVENT("python_function", "train.py(3): main", 0, 10, ""), TP_PRODUCER_TORCH);
    assert_producer(NATIVE, EVENT("python_function", "nn.Module: Mesh", 0, 10, "\"Python module id\":0"),
                    TP_PRODUCER_TRACEPRESS);
    assert_producer("", EVENT("python_function", "nn.Module: Net_0", 0, 10, "\"Python module id\":0"),
                    TP_PRODUCER_TORCH);
}

/* ---- kinds ---- */

#define FOUR(n)                                                                                                        \
    STEP(n, n##000000, 1000000)                                                                                        \
    "," RANGE("read batch", n##000000, 250000, "input") "," RANGE("solve", n##250000, 600000, "compute") "," RANGE(    \
        "exchange", n##850000, 80000, "communication") "," RANGE("lock", n##930000, 50000, "wait")

static void input_of_a_quarter_decides_the_verdict(void **state)
{
    (void)state;
    struct made m;
    make_document(&m, NATIVE, FOUR(1) "," FOUR(2) "," FOUR(3));
    const struct tp_trace_verdict *v = &m.advice.verdict;
    assert_int_equal(v->class, TP_CLASS_INPUT_BOUND);
    assert_int_equal(v->cause_ns[TP_TIME_INPUT], 3 * 250000000ll);
    assert_int_equal(v->cause_ns[TP_TIME_COMMUNICATION], 3 * 80000000ll);
    assert_int_equal(v->cause_ns[TP_TIME_SYNC], 3 * 50000000ll);
    assert_int_equal(v->cause_ns[TP_TIME_OPERATORS], 3 * 600000000ll);
    assert_int_equal(v->cause_ns[TP_TIME_BETWEEN], 3 * 20000000ll);
    assert_headline(&m, "Waiting for input takes 25.0 % of the step time. No device was recorded.");
    const struct tp_finding *h1 = find_finding_by_id(&m, "H1");
    assert_non_null(h1);
    assert_true(h1->share_percent == 25 && h1->ceiling_us_per_step == 250000);
    assert_int_equal(h1->detail.len, 0);
    for (uint32_t i = 0; i < m.advice.recommendations.finding_count; i++) {
        const struct tp_finding *f = &m.advice.recommendations.findings[i];
        assert_no_python_words(f->rule->id, f->title);
        assert_no_python_words(f->rule->id, f->advice);
        assert_null(f->doc_url);
    }
    const enum tp_time_category roles[] = {TP_CATEGORY_DATALOADER, TP_CATEGORY_CPU_EXEC, TP_CATEGORY_COMMUNICATION,
                                           TP_CATEGORY_RUNTIME};
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        assert_true(m.model.has_category[roles[i]]);
    tp_arena_release(&m.arena);
}

static void declared_kind_of_a_range_overrides_its_name(void **state)
{
    (void)state;
    struct made m;
    make_document(
        &m, NATIVE,
        STEP(1, 0, 1000) "," RANGE(LOADER, 0, 600, "compute") "," RANGE("nccl:all_reduce", 600, 300, "input"));
    assert_int_equal(m.advice.verdict.cause_ns[TP_TIME_INPUT], 300000);
    assert_int_equal(m.advice.verdict.cause_ns[TP_TIME_OPERATORS], 600000);
    assert_int_equal(m.advice.verdict.cause_ns[TP_TIME_COMMUNICATION], 0);
    assert_int_equal(m.model.collectives.count, 0);
    tp_arena_release(&m.arena);
}

static void unknown_kind_is_ignored(void **state)
{
    (void)state;
    struct made m;
    make_document(&m, "",
                  STEP(1, 0, 1000) "," RANGE(LOADER, 0, 600, "Input") "," EVENT("cpu_op", "aten::mm", 600, 300,
                                                                                "\"kind\":\"input\""));
    assert_int_equal(m.trace.reading.declared_kind_bits, 0);
    assert_int_equal(m.advice.verdict.cause_ns[TP_TIME_INPUT], 600000); /* the range was recognized by its name */
    tp_arena_release(&m.arena);
}

/* Tests that a range of kind sync and the waiting call inside it are included only once. */
static void wait_inside_sync_range_is_included_once(void **state)
{
    (void)state;
    struct made m;
    make_document(
        &m, "",
        STEP(1, 0, 1000) "," EVENT("kernel", "k", 10, 50, "\"device\":0,\"correlation\":1") "," EVENT(
            "cuda_runtime", "cudaLaunchKernel", 5, 2,
            "\"correlation\":1") "," RANGE("drain", 20, 60,
                                           "sync") "," EVENT("cuda_runtime", "cudaDeviceSynchronize", 22, 50,
                                                             "") "," RANGE("barrier", 100, 60,
                                                                           "sync") "," RANGE("lock", 200, 60, "wait"));
    assert_int_equal(m.model.wait_count, 2);
    assert_true(
        tp_str_equal(tp_trace_event_name(&m.trace, &m.trace.events[m.model.waits[1].event]), TP_STR("barrier")));
    assert_int_equal(m.model.waits[1].kind, TP_RANGE_SYNC);
    tp_arena_release(&m.arena);
}

/* ---- devices that the program itself reports ---- */

#define ENGINE "\"deviceProperties\":[{\"id\":3,\"name\":\"FFT engine\"}],"
#define WORK(ts, dur, kind)                                                                                            \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"butterfly\",\"pid\":3,\"tid\":0,\"ts\":" #ts ",\"dur\":" #dur         \
    ",\"args\":{\"device\":3,\"stream\":0,\"kind\":\"" kind "\"}}"

static void reported_device_has_its_name_and_kinds(void **state)
{
    (void)state;
    struct made m;
    make_document(&m, NATIVE ENGINE,
                  STEP(1, 0, 1000) "," RANGE("read", 0, 250, "input") "," WORK(250, 300, "compute") "," WORK(
                      550, 100, "communication") "," RANGE("lock", 700, 50, "wait") "," WORK(800, 200, "compute"));
    const struct tp_trace_verdict *v = &m.advice.verdict;
    assert_true(m.model.gpus[0].is_own);
    assert_int_equal(v->cause_ns[TP_TIME_COMPUTE], 500000);
    assert_int_equal(v->cause_ns[TP_TIME_COMMUNICATION], 100000);
    assert_int_equal(v->cause_ns[TP_TIME_INPUT], 250000);
    assert_int_equal(v->cause_ns[TP_TIME_SYNC], 50000);
    assert_int_equal(v->cause_ns[TP_TIME_UNKNOWN], 100000);
    assert_int_equal(v->cause_ns[TP_TIME_OUTSIDE], 0);
    assert_headline(
        &m,
        "FFT engine waits for input data for 25.0 % of the step time and computes for 50.0 %. In addition, FFT engine "
        "runs communication that no kernel hides for 10.0 % of the step time.");
    assert_non_null(find_finding_by_id(&m, "B1"));
    assert_true(find_finding_by_id(&m, "B1")->share_percent == 25);
    tp_arena_release(&m.arena);
}

/* Tests that words in braces become those of the producer, and that other braces stay. */
static void words_in_braces_are_those_of_the_producer(void **state)
{
    (void)state;
    struct tp_arena arena;
    tp_arena_init(&arena, 0);
    const char *text = "{Operators}: {an operator} or {annotation} on the {GPU}, {unknown}, {";
    struct tp_speech others = {.producer = TP_PRODUCER_TRACEPRESS, .devices = "Device"};
    assert_string_equal(tp_speech_text((struct tp_speech){0}, text, &arena),
                        "Operators: an operator or annotation on the GPU, {unknown}, {");
    assert_string_equal(tp_speech_text(others, text, &arena), "Calls: a call or range on the device, {unknown}, {");
    assert_string_equal(tp_speech_text(others, "{GPU} busy", &arena), "Device busy");
    assert_null(tp_speech_text(others, NULL, &arena));
    tp_arena_release(&arena);
}

/* Tests that a process does not become a device because it has the pid of a device. Sentences use the device's name,
 * which comes from its labels. */
static void npu_is_named_npu(void **state)
{
    (void)state;
    struct made m;
    make_document(
        &m, "",
        "{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":41234,\"tid\":0,\"args\":{\"labels\":\"NPU\"}}," STEP(
            1, 0,
            100) ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":41234,\"tid\":7,\"ts\":10,\"dur\":50}");
    assert_int_equal(m.model.gpus[0].id, 0);
    assert_true(tp_str_equal(tp_device_title(&m.model, 0, &m.arena), TP_STR("NPU 0")));
    assert_string_equal(tp_words_for_trace(&m.model, "Idle {GPU}, busy {GPU}", &m.arena), "Idle NPU, busy NPU");
    tp_arena_release(&m.arena);
}

/* Tests that a device with known properties, or one that a call launches on, is a GPU. */
static void known_device_is_a_gpu(void **state)
{
    (void)state;
    struct made m;
    make_document(&m, "\"deviceProperties\":[{\"id\":3,\"name\":\"H200\",\"numSms\":132}],",
                  STEP(1, 0, 100) "," WORK(10, 30, "compute"));
    assert_false(m.model.gpus[0].is_own);
    assert_true(tp_str_equal(tp_device_title(&m.model, 3, &m.arena), TP_STR("GPU 3")));
    assert_string_equal(tp_devices_word(&m.model), "GPU");
    tp_arena_release(&m.arena);
    make_document(&m, ENGINE,
                  EVENT("cuda_runtime", "cudaLaunchKernel", 5, 2,
                        "\"correlation\":1") "," EVENT("kernel", "k", 10, 50, "\"device\":3,\"correlation\":1"));
    assert_false(m.model.gpus[0].is_own);
    tp_arena_release(&m.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_do_not_mention_python_to_other_programs),
        cmocka_unit_test(programs_without_training_read_no_training_words),
        cmocka_unit_test(training_and_c_programs_keep_their_words),
        cmocka_unit_test(texts_of_a_rule_are_found_by_id),
        cmocka_unit_test(producer_is_recognized),
        cmocka_unit_test(input_of_a_quarter_decides_the_verdict),
        cmocka_unit_test(declared_kind_of_a_range_overrides_its_name),
        cmocka_unit_test(unknown_kind_is_ignored),
        cmocka_unit_test(wait_inside_sync_range_is_included_once),
        cmocka_unit_test(reported_device_has_its_name_and_kinds),
        cmocka_unit_test(npu_is_named_npu),
        cmocka_unit_test(words_in_braces_are_those_of_the_producer),
        cmocka_unit_test(known_device_is_a_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
