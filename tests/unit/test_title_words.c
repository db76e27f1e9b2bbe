/* Tests the titles of findings: their form for every rule and audience, and their arguments. */
#include "webreport/document/words/title_words.h"

#include "one_arena.h"

#include <string.h>

#include "webreport/document/words/detail_words.h"
#include "writer/text/marked_text.h"

enum { MOST_WORDS = 14, AUDIENCES = TP_FOR_SERVING + 1 };

/* a use and a producer for each audience */
static const struct {
    enum tp_producer producer;
    enum tp_program_use_kind use;
} audiences[AUDIENCES] = {[TP_FOR_TRAINING] = {TP_PRODUCER_TORCH, TP_USE_TRAINING},
                          [TP_FOR_NATIVE] = {TP_PRODUCER_TRACEPRESS, TP_USE_NATIVE},
                          [TP_FOR_MPI] = {TP_PRODUCER_MPI, TP_USE_MPI},
                          [TP_FOR_INFERENCE] = {TP_PRODUCER_TORCH, TP_USE_INFERENCE},
                          [TP_FOR_SERVING] = {TP_PRODUCER_TORCH, TP_USE_SERVING}};

static const char *const verbs[] = {
    "Avoid",       "Batch",   "Bind",    "Call",    "Capture",  "Check",  "Checkpoint", "Clear",  "Collect", "Combine",
    "Communicate", "Compare", "Compile", "Compute", "Convert",  "Copy",   "Decode",     "Drop",   "Fill",    "Find",
    "Free",        "Fuse",    "Gather",  "Give",    "Join",     "Keep",   "Launch",     "Let",    "Load",    "Make",
    "Merge",       "Move",    "Overlap", "Pad",     "Prefetch", "Read",   "Record",     "Reduce", "Remove",  "Replace",
    "Run",         "Send",    "Serve",   "Shorten", "Skip",     "Speed",  "Split",      "Spread", "Stack",   "Start",
    "Stop",        "Switch",  "Trace",   "Try",     "Tune",     "Update", "Use",        "Warm",   "Write"};

/* words of PyTorch that titles for other programs must not contain */
static const char *const torch_words[] = {"torch",    "num_workers", "DistributedDataParallel",
                                          "tensor",   "pin_memory",  "zero_grad",
                                          "autocast", "module",      "CUDA graph",
                                          "GPU",      "epoch"};

static unsigned count_words(const char *text)
{
    unsigned count = 0;
    for (; *text; text++)
        count += *text != ' ' && (text[1] == ' ' || !text[1]);
    return count;
}

static void assert_imperative(const char *title)
{
    size_t length = strcspn(title, " "), backticks = 0;
    bool is_verb = false;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        is_verb |= strlen(verbs[i]) == length && strncmp(verbs[i], title, length) == 0;
    for (const char *at = title; *at; at++)
        backticks += *at == '`';
    if (!is_verb)
        fail_msg("the first word is not a known verb: %s", title);
    if (count_words(title) > MOST_WORDS)
        fail_msg("%u words: %s", count_words(title), title);
    if (backticks % 2 || title[strlen(title) - 1] == '.')
        fail_msg("code is not closed, or the title ends with a period: %s", title);
}

static void assert_title(const char *title, unsigned audience)
{
    assert_imperative(title);
    for (size_t i = 0; i < sizeof torch_words / sizeof *torch_words; i++)
        if ((audience == TP_FOR_NATIVE || audience == TP_FOR_MPI) && strstr(title, torch_words[i]))
            fail_msg("a word of PyTorch in a title for other programs: %s", title);
}

static void each_rule_has_an_imperative_title(void **state)
{
    GUARD;
    for (unsigned i = 0; i < TP_RULE_COUNT; i++) {
        const struct tp_rule *rule = tp_rule_at(i);
        for (unsigned n = 0; n < AUDIENCES; n++)
            assert_title(tp_rule_words_for_use(rule, audiences[n].producer, audiences[n].use).title, n);
        assert_int_equal(rule->replayed.title != NULL, rule->replayed.advice != NULL);
        assert_int_equal(rule->compiled.title != NULL, rule->compiled.advice != NULL);
        if (rule->replayed.title)
            assert_imperative(rule->replayed.title);
        if (rule->compiled.title)
            assert_imperative(rule->compiled.title);
    }
}

#define LINE TP_OF_TEXT(TP_STR("/home/user/project/src/modeling_owlv2.py(1421): forward_of_the_model"))
#define FRAME TP_OF_TEXT(TP_STR("/home/user/project/src/preprocess.py(31): prepare_all_images"))
#define SHAPES TP_OF_TEXT(TP_STR("32768x12288 by 12288x49152"))
#define CALL TP_OF_TEXT(TP_STR("hipExtHostAllocWithFlags"))

/* the rule of each title, and arguments as long as in real traces */
static const struct {
    enum tp_rule_id rule;
    struct tp_title title;
} samples[TP_TITLE_COUNT] = {
    [TP_TITLE_OF_RULE] = {TP_RULE_A1, {.id = TP_TITLE_OF_RULE}},
    [TP_TITLE_REPEATED_LAUNCHES] = {TP_RULE_A2, {TP_TITLE_REPEATED_LAUNCHES, {TP_OF_NUMBER(12345)}}},
    [TP_TITLE_WAIT] = {TP_RULE_A4, {TP_TITLE_WAIT, {LINE, TP_OF_NS(18123456)}}},
    [TP_TITLE_VALUE_READ] = {TP_RULE_A5, {TP_TITLE_VALUE_READ, {LINE}}},
    [TP_TITLE_DATA_SIZE] = {TP_RULE_A6, {TP_TITLE_DATA_SIZE, {TP_OF_TEXT(TP_STR("unique_consecutive")), LINE}}},
    [TP_TITLE_ALLOCATION] = {TP_RULE_A12, {TP_TITLE_ALLOCATION, {CALL}}},
    [TP_TITLE_HOST_CODE] = {TP_RULE_A13, {TP_TITLE_HOST_CODE, {FRAME}}},
    [TP_TITLE_SMALL_COPIES] = {TP_RULE_B5, {TP_TITLE_SMALL_COPIES, {TP_OF_NUMBER(2120)}}},
    [TP_TITLE_SLOW_PRODUCT] = {TP_RULE_C17, {TP_TITLE_SLOW_PRODUCT, {SHAPES, TP_OF_REAL(457.3), TP_OF_REAL(1583.2)}}},
    [TP_TITLE_LAYOUT] = {TP_RULE_C20, {TP_TITLE_LAYOUT, {TP_OF_NS(12600000)}}},
    [TP_TITLE_GROWTH] = {TP_RULE_D4, {TP_TITLE_GROWTH, {TP_OF_BYTES(46 << 20)}}},
    [TP_TITLE_OVERLAP] = {TP_RULE_E1, {TP_TITLE_OVERLAP, {TP_OF_PERCENT(62.4), TP_OF_PERCENT(12.9)}}},
    [TP_TITLE_COMMUNICATE_LESS] = {TP_RULE_E1, {.id = TP_TITLE_COMMUNICATE_LESS}},
    [TP_TITLE_COLLECTIVES] = {TP_RULE_E4,
                              {TP_TITLE_COLLECTIVES, {TP_OF_NUMBER(4040), TP_OF_TEXT(TP_STR("reduce_scatter"))}}},
    [TP_TITLE_COLLECTIVES_OF_WRAPPER] = {TP_RULE_E4,
                                         {TP_TITLE_COLLECTIVES_OF_WRAPPER,
                                          {TP_OF_NUMBER(404), TP_OF_TEXT(TP_STR("all_reduce"))}}},
    [TP_TITLE_OPTIMIZER] = {TP_RULE_C6, {TP_TITLE_OPTIMIZER, {TP_OF_TEXT(TP_STR("AdamW"))}}},
    [TP_TITLE_LOOP] = {TP_RULE_H2, {TP_TITLE_LOOP, {LINE}}},
    [TP_TITLE_UPDATES] = {TP_RULE_H3, {TP_TITLE_UPDATES, {LINE}}},
    [TP_TITLE_COMPILATION] = {TP_RULE_H9, {TP_TITLE_COMPILATION, {TP_OF_NS(4100000000)}}},
    [TP_TITLE_PYTHON_CODE] = {TP_RULE_H6, {TP_TITLE_PYTHON_CODE, {FRAME}}},
    [TP_TITLE_LOADING_IN_PROCESS] = {TP_RULE_H1, {.id = TP_TITLE_LOADING_IN_PROCESS}},
    [TP_TITLE_SLOW_WORKERS] = {TP_RULE_H1, {.id = TP_TITLE_SLOW_WORKERS}},
    [TP_TITLE_RECORDED_CAPTURE] = {TP_RULE_R2, {.id = TP_TITLE_RECORDED_CAPTURE}},
    [TP_TITLE_STRAGGLER] = {TP_RULE_E3, {TP_TITLE_STRAGGLER, {TP_OF_TEXT(TP_STR("rank-3")), TP_OF_NS(19000000)}}},
};

/* Returns a finding of a rule with these arguments, as the rules make it. */
static struct tp_finding filled_finding(enum tp_rule_id rule, struct tp_title title, unsigned audience)
{
    const struct tp_rule *row = tp_rule_at(rule);
    struct tp_rule_words words = tp_rule_words(row, audiences[audience].producer);
    struct tp_finding finding = {.rule = row, .title = words.title, .title_facts = title};
    finding.shown_title = tp_rule_words_for_use(row, audiences[audience].producer, audiences[audience].use).title;
    struct tp_titled_program program = {audiences[audience].producer, audiences[audience].use, NULL};
    tp_fill_finding_title(&finding, &program, &arena);
    return finding;
}

static void titles_with_arguments_are_imperative(void **state)
{
    GUARD;
    for (unsigned id = 0; id < TP_TITLE_COUNT; id++)
        for (unsigned n = 0; n < AUDIENCES; n++) {
            assert_int_equal(samples[id].title.id, id);
            struct tp_finding finding = filled_finding(samples[id].rule, samples[id].title, n);
            assert_title(finding.title, n);
            assert_title(finding.shown_title, n);
        }
}

static const char *title_for(enum tp_title_id id, unsigned audience)
{
    return filled_finding(samples[id].rule, samples[id].title, audience).shown_title;
}

static void arguments_are_short_names(void **state)
{
    GUARD;
    assert_string_equal(title_for(TP_TITLE_WAIT, TP_FOR_TRAINING),
                        "Remove the wait in `modeling_owlv2.py:1421`: the GPU is empty for 18.1 ms after it");
    assert_string_equal(title_for(TP_TITLE_HOST_CODE, TP_FOR_TRAINING),
                        "Run `prepare_all_images()` in a worker process, or on the GPU");
    assert_string_equal(title_for(TP_TITLE_OVERLAP, TP_FOR_TRAINING),
                        "Overlap communication with backward: at most 12.9 of 62.4 % can be hidden");
    assert_string_equal(title_for(TP_TITLE_OPTIMIZER, TP_FOR_TRAINING),
                        "Update all parameters together: `AdamW(foreach=True)`");
    struct tp_title code = {TP_TITLE_HOST_CODE, {TP_OF_TEXT(TP_STR("src/a.py(7): <lambda>"))}};
    assert_string_equal(filled_finding(TP_RULE_A13, code, TP_FOR_TRAINING).title,
                        "Run `a.py:7` in a worker process, or on the GPU");
    code.arguments[0].text = TP_STR("vllm/v1/engine.py(7): run");
    assert_string_equal(filled_finding(TP_RULE_A13, code, TP_FOR_TRAINING).title,
                        "Run `vllm/\xe2\x80\xa6/engine.py:7` in a worker process, or on the GPU");
    code.arguments[0].text = TP_STR("an annotation with a name that is far too long for a title");
    assert_string_equal(filled_finding(TP_RULE_A13, code, TP_FOR_TRAINING).title,
                        "Run `an annotation with a name that is far too long f\xe2\x80\xa6` in a worker process, or on "
                        "the GPU");
}

static void titles_fit_their_audience(void **state)
{
    GUARD;
    struct tp_finding served = filled_finding(TP_RULE_A13, samples[TP_TITLE_HOST_CODE].title, TP_FOR_SERVING);
    assert_string_equal(served.title, "Run `prepare_all_images()` in a worker process, or on the GPU");
    assert_string_equal(served.shown_title, "Move `prepare_all_images()` to another thread: the GPU waits for it");
    assert_string_equal(title_for(TP_TITLE_WAIT, TP_FOR_SERVING), tp_rule_A4.serving.title);
    assert_string_equal(title_for(TP_TITLE_HOST_CODE, TP_FOR_MPI),
                        "Shorten `prepare_all_images()`, or run it on another thread");
    assert_string_equal(title_for(TP_TITLE_OVERLAP, TP_FOR_MPI), tp_rule_E1.mpi.title);
    assert_string_equal(title_for(TP_TITLE_COMPILATION, TP_FOR_NATIVE), tp_rule_H9.native.title);
}

static const char *title_for_devices(enum tp_rule_id rule, struct tp_title title, const char *devices)
{
    struct tp_finding finding = {.rule = tp_rule_at(rule), .title = tp_rule_at(rule)->title, .title_facts = title};
    finding.shown_title = finding.title;
    tp_fill_finding_title(&finding, &(struct tp_titled_program){TP_PRODUCER_TORCH, TP_USE_TRAINING, devices}, &arena);
    return finding.shown_title;
}

static void titles_use_the_word_for_the_devices(void **state)
{
    GUARD;
    struct tp_title none = {.id = TP_TITLE_OF_RULE}, launches = samples[TP_TITLE_REPEATED_LAUNCHES].title;
    assert_string_equal(title_for_devices(TP_RULE_C14, none, "NPU"),
                        "Speed up the NPU's own work: faster CPU code would save little");
    assert_string_equal(title_for_devices(TP_RULE_C14, none, "Device"),
                        "Speed up the device's own work: faster CPU code would save little");
    assert_string_equal(title_for_devices(TP_RULE_A2, launches, "XPU"),
                        "Capture the 12,345 launches that repeat in every step as a graph");
    /* names of the trace keep their words */
    struct tp_title code = {TP_TITLE_HOST_CODE, {TP_OF_TEXT(TP_STR("src/a.py(7): on_GPU"))}};
    assert_string_equal(title_for_devices(TP_RULE_A13, code, "NPU"),
                        "Run `on_GPU()` in a worker process, or on the NPU");
}

static void unknown_arguments_give_the_title_of_the_rule(void **state)
{
    GUARD;
    struct tp_title unknown = {TP_TITLE_WAIT, {TP_OF_TEXT(TP_STR("")), TP_OF_NS(1000)}};
    assert_string_equal(filled_finding(TP_RULE_A4, unknown, TP_FOR_TRAINING).title, tp_rule_A4.title);
}

static void programs_that_follow_the_advice_get_another_title(void **state)
{
    GUARD;
    struct tp_finding finding = {.rule = &tp_rule_A4,
                                 .title = tp_rule_A4.title,
                                 .shown_title = tp_rule_A1.compiled.title,
                                 .title_facts = samples[TP_TITLE_WAIT].title,
                                 .is_partly_followed = true};
    tp_fill_finding_title(&finding, &(struct tp_titled_program){TP_PRODUCER_TORCH, TP_USE_TRAINING, "GPU"}, &arena);
    assert_string_equal(finding.shown_title, tp_rule_A1.compiled.title);
    assert_non_null(strstr(finding.title, "modeling_owlv2.py:1421"));
}

static void names_of_a_trace_cannot_open_code(void **state)
{
    GUARD;
    struct tp_title hostile = {TP_TITLE_VALUE_READ, {TP_OF_TEXT(TP_STR("a` **b\002.py(7): \001step"))}};
    struct tp_finding finding = filled_finding(TP_RULE_A5, hostile, TP_FOR_TRAINING);
    struct tp_marked_walk walk = {.rest = finding.marked_title};
    struct tp_marked_run run;
    assert_true(tp_marked_next_run(&walk, &run) && !run.is_code);
    assert_true(tp_marked_next_run(&walk, &run) && run.is_code);
    assert_int_equal(run.text.len, strlen("a` **b.py:7"));
    assert_memory_equal(run.text.ptr, "a` **b.py:7", run.text.len);
    assert_true(tp_marked_next_run(&walk, &run) && !run.is_code && !run.is_bold);
    assert_false(tp_marked_next_run(&walk, &run));
}

/* ---- evidence ---- */

static void evidence_is_one_short_sentence(void **state)
{
    enum { MOST = 25 };
    GUARD;
    for (unsigned id = TP_DETAIL_OTHER_DEVICE; id < TP_DETAIL_COUNT; id++) {
        /* an argument that each form can print: a percentage has two words, as a line of code has */
        const struct tp_detail_argument sample = {
            .type = TP_ARGUMENT_PERCENT, .text = TP_STR("name"), .number = 1234, .real = 12.34};
        struct tp_detail detail = {.id = id};
        for (unsigned i = 0; i < TP_DETAIL_ARGUMENTS; i++)
            detail.arguments[i] = sample;
        if (id >= TP_DETAIL_COLLECTIVES && id <= TP_DETAIL_LARGE_COLLECTIVES_OF_WRAPPER)
            detail.arguments[1] = (struct tp_detail_argument)TP_OF_TEXT(TP_STR("all_reduce"));
        for (unsigned n = 0; n < 2; n++) {
            struct tp_model model = {.producer = n ? TP_PRODUCER_OTHER : TP_PRODUCER_TORCH};
            struct tp_str text = tp_detail_text(&detail, &model, &arena);
            const char *sentence = tp_arena_copy(&arena, text.ptr, text.len);
            if (count_words(sentence) > MOST || strstr(sentence, ". ") || sentence[text.len - 1] != '.')
                fail_msg("not one sentence of at most %d words: %s", MOST, sentence);
        }
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(each_rule_has_an_imperative_title),
                                       TEST(titles_with_arguments_are_imperative),
                                       TEST(arguments_are_short_names),
                                       TEST(titles_fit_their_audience),
                                       TEST(titles_use_the_word_for_the_devices),
                                       TEST(unknown_arguments_give_the_title_of_the_rule),
                                       TEST(programs_that_follow_the_advice_get_another_title),
                                       TEST(names_of_a_trace_cannot_open_code),
                                       TEST(evidence_is_one_short_sentence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
