/* Tests walks over the stacks of a thread: where a segment ends, and the folded text of each stack (section 6 of
 * docs/definitions.md). The expected texts follow from the events of each test. */
#include "webreport/model/build.h"
#include "webreport/model/stack_walk.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/made_trace.h"

struct made {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_stack_tree tree;
    struct tp_buf out;
};

static void make_model_of_events(struct made *m, const char *events)
{
    memset(m, 0, sizeof *m);
    make_model(&m->arena, &m->trace, &m->order, &m->model, "", events);
    tp_stack_tree_init(&m->tree, &m->arena);
}

static void release_made(struct made *m)
{
    tp_buf_release(&m->out);
    tp_arena_release(&m->arena);
}

#define EVENT(tid, cat, name, ts, dur, args)                                                                           \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":1,\"tid\":" #tid ",\"ts\":" #ts ",\"dur\":" #dur  \
    ",\"args\":{" args "}}"
#define FRAME(name, ts, dur) EVENT(1, "python_function", name, ts, dur, "")
#define OP(name, ts, dur) EVENT(1, "cpu_op", name, ts, dur, "")
#define NOTE(name, ts, dur) EVENT(1, "user_annotation", name, ts, dur, "")

/* Prints a line for each segment: time in us, tag, depth of the stack, folded stack. */
static void print_segment(void *context, const struct tp_stack_segment *s)
{
    struct made *m = context;
    struct tp_str text = tp_fold_text(&m->model, s->fold);
    tp_buf_printf(&m->out, "%d-%d #%u depth %u %s %.*s\n", (int)(s->a / 1000), (int)(s->b / 1000), s->tag,
                  TP_AT(&m->tree.nodes, struct tp_stack_node, s->node)->depth,
                  tp_stack_kind_text((enum tp_stack_kind)s->fold.kind), (int)text.len, text.ptr);
}

static struct tp_stack_walk make_walk(struct made *m)
{
    return (struct tp_stack_walk){
        .model = &m->model, .arena = &m->arena, .tree = &m->tree, .visit = print_segment, .context = m};
}

static void assert_segments(struct made *m, const char *expected)
{
    assert_string_equal(m->out.data, expected);
}

static void segment_ends_where_the_stack_changes(void **state)
{
    (void)state;
    struct made m;
    make_model_of_events(&m, OP("aten::outer", 10, 30) "," OP("aten::inner", 20, 10));
    struct tp_stack_walk walk = make_walk(&m);
    struct tp_stack_slice slices[] = {{0, 25000, 7}, {28000, 50000, 8}};
    tp_stack_walk(&walk, 0, slices, 2);
    assert_segments(&m, "0-10 #7 depth 0 none [no host event]\n"
                        "10-20 #7 depth 1 operator aten::outer\n"
                        "20-25 #7 depth 2 operator aten::outer\n"
                        "28-30 #8 depth 2 operator aten::outer\n"
                        "30-40 #8 depth 1 operator aten::outer\n"
                        "40-50 #8 depth 0 none [no host event]\n");
    release_made(&m);
}

static void overlapping_event_stays_on_the_stack(void **state)
{
    (void)state;
    struct made m;
    make_model_of_events(&m, OP("aten::first", 0, 20) "," OP("aten::late", 10, 20));
    struct tp_stack_walk walk = make_walk(&m);
    tp_stack_walk(&walk, 0, (struct tp_stack_slice[]){{0, 40000, 0}}, 1);
    assert_segments(&m, "0-10 #0 depth 1 operator aten::first\n"
                        "10-20 #0 depth 2 operator aten::first\n"
                        "20-30 #0 depth 1 operator aten::late\n"
                        "30-40 #0 depth 0 none [no host event]\n");
    release_made(&m);
}

static void a_stack_folds_to_line_annotation_operator_call_frame(void **state)
{
    (void)state;
    struct made m;
    make_model_of_events(
        &m, FRAME("<built-in function len>", 0, 100) "," NOTE("ProfilerStep#3", 10, 80) "," /* from 0 us on, a frame
                                                                                             * runs */
        /* from 20 us on, a runtime call runs */
        EVENT(1, "cuda_runtime", "cudaLaunchKernel", 20, 5, "") ","
        /* from 30 us on, an operator runs */
        OP("aten::mm", 30, 30) "," EVENT(1, "cuda_runtime", "cudaLaunchKernel", 32, 2, "") ","
        /* from 40 us on, an annotation is open */
        NOTE("region", 40, 10) "," FRAME("run.py(7): main", 45, 5) "," FRAME("torch/nn/modules/module.py(1): call", 46,
                                                                             2));
    struct tp_stack_walk walk = make_walk(&m);
    struct tp_stack_slice slices[] = {{5000, 6000, 0},   {12000, 13000, 1}, {21000, 22000, 2},
                                      {32000, 33000, 3}, {41000, 42000, 4}, {46000, 47000, 5}};
    tp_stack_walk(&walk, 0, slices, 6);
    assert_segments(&m, "5-6 #0 depth 1 frame <built-in function len>\n"
                        "12-13 #1 depth 2 frame <built-in function len>\n"
                        "21-22 #2 depth 3 runtime cudaLaunchKernel\n"
                        "32-33 #3 depth 4 operator aten::mm\n"
                        "41-42 #4 depth 4 annotation region\n"
                        "46-47 #5 depth 6 line run.py(7): main\n");
    release_made(&m);
}

static void profiler_step_alone_is_no_host_event(void **state)
{
    (void)state;
    struct made m;
    make_model_of_events(&m, NOTE("ProfilerStep#3", 0, 10));
    struct tp_stack_walk walk = make_walk(&m);
    tp_stack_walk(&walk, 0, (struct tp_stack_slice[]){{0, 10000, 0}}, 1);
    tp_stack_walk(&walk, TP_NO_ID, (struct tp_stack_slice[]){{0, 10000, 1}}, 1);
    assert_segments(&m, "0-10 #0 depth 1 none [no host event]\n0-10 #1 depth 0 none [no host event]\n");
    release_made(&m);
}

static void idle_time_belongs_to_next_launch_thread(void **state)
{
    (void)state;
    struct made m;
    make_model_of_events(
        &m,
        OP("aten::one", 0, 100) "," EVENT(1, "cuda_runtime", "cudaLaunchKernel", 1, 1, "\"correlation\":1") "," EVENT(
            1, "kernel", "k1", 10, 10,
            "\"device\":0,\"correlation\":1") "," EVENT(2, "cpu_op", "aten::two", 0, 100,
                                                        "") "," EVENT(2, "cuda_runtime", "cudaLaunchKernel", 30, 5,
                                                                      "\"correlation\":2") "," EVENT(1, "kernel", "k2",
                                                                                                     40, 10,
                                                                                                     "\"device\":0,"
                                                                                                     "\"correlation\":"
                                                                                                     "2") "," EVENT(1,
                                                                                                                    "cu"
                                                                                                                    "da"
                                                                                                                    "_r"
                                                                                                                    "un"
                                                                                                                    "ti"
                                                                                                                    "m"
                                                                                                                    "e",
                                                                                                                    "cu"
                                                                                                                    "da"
                                                                                                                    "La"
                                                                                                                    "un"
                                                                                                                    "ch"
                                                                                                                    "Ke"
                                                                                                                    "rn"
                                                                                                                    "e"
                                                                                                                    "l",
                                                                                                                    60,
                                                                                                                    5,
                                                                                                                    "\""
                                                                                                                    "co"
                                                                                                                    "rr"
                                                                                                                    "el"
                                                                                                                    "at"
                                                                                                                    "io"
                                                                                                                    "n"
                                                                                                                    "\""
                                                                                                                    ":"
                                                                                                                    "3") "," EVENT(1,
                                                                                                                                   "kernel",
                                                                                                                                   "k3",
                                                                                                                                   70,
                                                                                                                                   10,
                                                                                                                                   "\"device\":0,\"correlation\":3"));
    struct tp_stack_walk walk = make_walk(&m);
    tp_stack_walk_idle(&walk, &m.model.gpus[0], 0, m.model.gpus[0].idle_count);
    assert_segments(&m, "0-1 #0 depth 1 operator aten::one\n"
                        "1-2 #1 depth 2 operator aten::one\n"
                        "2-10 #2 depth 1 operator aten::one\n"
                        "50-60 #6 depth 1 operator aten::one\n"
                        "60-65 #7 depth 2 operator aten::one\n"
                        "65-70 #8 depth 1 operator aten::one\n"
                        "20-30 #3 depth 1 operator aten::two\n"
                        "30-35 #4 depth 2 operator aten::two\n"
                        "35-40 #5 depth 1 operator aten::two\n");
    release_made(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segment_ends_where_the_stack_changes),
        cmocka_unit_test(overlapping_event_stays_on_the_stack),
        cmocka_unit_test(a_stack_folds_to_line_annotation_operator_call_frame),
        cmocka_unit_test(profiler_step_alone_is_no_host_event),
        cmocka_unit_test(idle_time_belongs_to_next_launch_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
