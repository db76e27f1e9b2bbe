/* Tests reading Python frames from memory. The test builds interpreters in its own memory and reads them like those of
 * another process. Reading hostile interpreters must end. */
#include "collector/outside/python/python_frames.h"

#include <string.h>
#include <unistd.h>

#include "collector/outside/python/python_code.h"
#include "collector/outside/stacks/mixed_stacks.h"
#include "tests/unit/one_arena.h"

/* Offsets in an interpreter of Python 3.11. The test fills only the members that the reader uses. */
enum { INTERPRETERS = 40, THREADS = 16, NEXT_THREAD = 8, NATIVE_ID = 160, CFRAME = 56, HELD = 8 };

struct object {
    uint64_t words[64];
};

static struct object runtime, interpreter, threads[3], held, frames_made[4], code_made, name_made, file_made,
    lines_made;

static void write_word(struct object *object, size_t at, uint64_t value)
{
    memcpy((char *)object->words + at, &value, sizeof value);
}

static uint64_t object_address(const struct object *object)
{
    return (uint64_t)(uintptr_t)object->words;
}

static void write_text_object(struct object *object, const char *text)
{
    write_word(object, 16, strlen(text));
    /* flags of a compact ASCII string with one byte per character; the upper bits are unrelated */
    write_word(object, 32, 0xabcdef00u | 1 << 2 | 1 << 5 | 1 << 6);
    memcpy((char *)object->words + 48, text, strlen(text));
}

static void write_frame_object(int number, const struct object *outer, uint64_t byte, bool is_entry)
{
    struct object *frame = &frames_made[number];
    write_word(frame, 32, object_address(&code_made));
    write_word(frame, 48, outer ? object_address(outer) : 0);
    write_word(frame, 56, object_address(&code_made) + 184 + byte);
    ((char *)frame->words)[68] = is_entry;
}

static void make_interpreter(void)
{
    static const uint8_t table[] = {0x80 | 13 << 3 | 1, 2, 0x80 | 10 << 3 | 1, 0, 0, 0x80 | 13 << 3 | 0, 5};
    memset(threads, 0, sizeof threads);
    write_word(&runtime, INTERPRETERS, object_address(&interpreter));
    write_word(&interpreter, THREADS, object_address(&threads[0]));
    write_word(&threads[0], NEXT_THREAD, object_address(&threads[1]));
    write_word(&threads[0], NATIVE_ID, 70);
    write_word(&threads[1], NATIVE_ID, 71);
    write_word(&threads[1], CFRAME, object_address(&held));
    write_word(&held, HELD, object_address(&frames_made[0]));
    write_frame_object(0, &frames_made[1], 0, false);
    write_frame_object(1, &frames_made[2], 6, true);
    write_frame_object(2, NULL, 9, true);
    write_word(&code_made, 112, object_address(&file_made));
    write_word(&code_made, 128, object_address(&name_made));
    write_word(&code_made, 136, object_address(&lines_made));
    write_word(&code_made, 72, 100);
    write_text_object(&name_made, "a;b");
    write_text_object(&file_made, "/x/y.py");
    write_word(&lines_made, 16, sizeof table);
    memcpy((char *)lines_made.words + 32, table, sizeof table);
}

static struct tp_other_memory memory_of_this_process(uint32_t reads)
{
    return (struct tp_other_memory){.pid = (uint32_t)getpid(), .remaining_read_count = reads};
}

static struct tp_python_frame found[TP_PYTHON_FRAMES];

static int check_frame_texts(void *unused, struct tp_error *err)
{
    static const char *const wanted[] = {"/x/y.py(101): a,b", "/x/y.py(101): a,b", "/x/y.py(99): a,b"};
    const struct tp_python_layout *layout = tp_python_layout_of_version(11);
    struct tp_other_memory memory = memory_of_this_process(100);
    struct tp_strings texts;
    struct tp_python_code code;
    (void)unused, (void)err;
    tp_strings_init(&texts, &arena, 0);
    tp_python_code_init(&code, &arena, &texts);
    uint64_t thread = tp_python_find_thread(&memory, layout, object_address(&runtime), 71);
    assert_true(thread == object_address(&threads[1]));
    assert_int_equal(tp_python_read_frames(found, &memory, layout, thread, 71), 3);
    for (int i = 0; i < 3; i++) {
        uint32_t text = tp_python_code_text(&code, &memory, layout, found[i].code, found[i].object, found[i].place);
        assert_true(tp_str_equal(tp_strings_get(&texts, text), tp_str_of(wanted[i])));
    }
    assert_true(!found[0].is_entry && found[1].is_entry && found[2].is_entry);
    write_text_object(&name_made, "other"); /* another function is now at the same address */
    write_word(&code_made, 128, object_address(&file_made));
    assert_int_equal(tp_python_read_frames(found, &memory, layout, thread, 71), 3);
    uint32_t text = tp_python_code_text(&code, &memory, layout, found[0].code, found[0].object, found[0].place);
    assert_true(tp_str_equal(tp_strings_get(&texts, text), TP_STR("/x/y.py(101): /x/y.py")));
    write_word(&code_made, 128, object_address(&runtime)); /* the file name is not a string object */
    write_word(&runtime, 16, INT64_MAX);
    assert_int_equal(tp_python_read_frames(found, &memory, layout, thread, 71), 3);
    text = tp_python_code_text(&code, &memory, layout, found[0].code, found[0].object, found[0].place);
    assert_true(text == TP_NO_ID);
    tp_python_code_release(&code);
    return 0;
}

static void frames_name_file_line_and_function(void **state)
{
    (void)state;
    make_interpreter();
    assert_int_equal(tp_arena_run(&arena, check_frame_texts, NULL, NULL), 0);
}

static void hostile_memory_stops_reading(void **state)
{
    const struct tp_python_layout *layout = tp_python_layout_of_version(11);
    struct tp_other_memory memory = memory_of_this_process(2500);
    (void)state;
    make_interpreter();
    uint64_t thread = object_address(&threads[1]);
    write_frame_object(2, &frames_made[0], 0, false); /* makes the frames circular: the outer frame of the last frame is
                                                       * the first one */
    assert_int_equal(tp_python_read_frames(found, &memory, layout, thread, 71), TP_PYTHON_FRAMES);
    write_word(&frames_made[2], 48, 4096); /* the outer frame has an invalid address */
    assert_int_equal(tp_python_read_frames(found, &memory, layout, thread, 71), -1);
    /* the state belongs to thread 71, not to thread 99 */
    assert_int_equal(tp_python_read_frames(found, &memory, layout, thread, 99), -1);
    assert_int_equal(tp_python_read_frames(found, &memory, layout, UINT64_MAX - 7, 71), -1);
    /* the list of threads is circular, and so is the list of interpreters */
    write_word(&threads[1], NEXT_THREAD, object_address(&threads[0]));
    write_word(&interpreter, 0, object_address(&interpreter));
    assert_true(tp_python_find_thread(&memory, layout, object_address(&runtime), 99) == 0);
    assert_int_equal(memory.remaining_read_count, 0);
    assert_false(memory.is_refused);
}

static void lines_follow_the_table_of_each_version(void **state)
{
    static const uint8_t pairs[] = {4, 1, 6, 255, 2, 128, 2, 3};
    static const uint8_t cut[] = {0x80 | 14 << 3, 0xff, 0xff, 0xff};
    (void)state;
    assert_int_equal(tp_python_find_line(9, 10, pairs, sizeof pairs, 0), 10);
    assert_int_equal(tp_python_find_line(9, 10, pairs, sizeof pairs, 4), 11);
    assert_int_equal(tp_python_find_line(9, 10, pairs, sizeof pairs, 11), 10);
    assert_int_equal(tp_python_find_line(10, 10, pairs, sizeof pairs, 0), 11);
    assert_int_equal(tp_python_find_line(10, 10, pairs, sizeof pairs, 4), 10);
    assert_int_equal(tp_python_find_line(10, 10, pairs, sizeof pairs, 11), 10);
    assert_int_equal(tp_python_find_line(10, 10, pairs, sizeof pairs, 13), 13);
    for (size_t n = 0; n <= sizeof cut; n++)
        tp_python_find_line(12, 1, cut, n, 1 << 20);
    assert_int_equal(tp_python_find_line(12, 7, cut, 0, 0), 7);
}

static void published_layout_must_be_plausible(void **state)
{
    uint64_t words[TP_PYTHON_DESCRIBED_WORDS];
    struct tp_python_layout layout;
    (void)state;
    for (size_t i = 0; i < TP_PYTHON_DESCRIBED_WORDS; i++)
        words[i] = 48;
    words[3] = words[6] = words[22] = words[31] = words[39] = words[74] = words[77] = 200; /* sets the sizes of the
                                                                                            * structs */
    memcpy(words, "xdebugpy", 8);
    words[1] = 0x030e00f0;
    words[2] = 0;
    words[36] = 70;
    assert_true(tp_python_layout_read_words(&layout, words, 14));
    assert_int_equal(layout.frame_owner, 70);
    assert_int_equal(layout.text_non_ascii, 64);
    assert_int_equal(layout.native_id, 48);
    assert_false(tp_python_layout_read_words(&layout, words, 13)); /* the words describe version 3.14, not 3.13 */
    words[36] = 4000;
    assert_false(tp_python_layout_read_words(&layout, words, 14));
    words[36] = UINT64_MAX;
    assert_false(tp_python_layout_read_words(&layout, words, 14));
    words[36] = 70;
    words[2] = 1; /* a build without the global interpreter lock */
    assert_false(tp_python_layout_read_words(&layout, words, 14));
    words[2] = 0;
    words[0]++;
    assert_false(tp_python_layout_read_words(&layout, words, 14));
    assert_null(tp_python_layout_of_version(8));
}

/* Makes a native stack with one frame per letter, innermost first: "n" is a native function at 0x10, "L" the
 * interpreter loop, "?" unknown. Returns its node. */
static uint32_t make_native_stack(struct tp_code_places *places, uint32_t file, const char *text)
{
    uint32_t node = 0;
    for (size_t i = strlen(text); i-- > 0;)
        node = text[i] == '?' ? tp_code_add_node(places, node, TP_CODE_UNKNOWN, 0)
                              : tp_code_add_node(places, node, file, text[i] == 'L' ? 0x105 : (uint64_t)text[i]);
    return node;
}

/* Makes a Python stack with one frame per letter. A capital letter is an entry frame. Returns its node. */
static uint32_t make_python_stack(struct tp_code_places *places, const char *text)
{
    uint32_t node = 0;
    for (size_t i = strlen(text); i-- > 0;)
        node = tp_code_add_python_node(places, node, (uint32_t)text[i] | 32, text[i] < 'a');
    return node;
}

static const char *stack_text(const struct tp_code_places *places, uint32_t node)
{
    static char text[64];
    size_t n = 0;
    for (; node && n < sizeof text - 2; node = tp_code_node_at(places, node)->outer) {
        const struct tp_code_frame *frame = tp_code_frame_at(places, node);
        if (frame->file == TP_CODE_PYTHON)
            text[n++] = '.';
        text[n++] = frame->file == TP_CODE_PYTHON    ? (char)tp_code_python_text(frame)
                    : frame->file == TP_CODE_UNKNOWN ? '?'
                    : frame->address == 0x105        ? 'L'
                                                     : (char)frame->address;
    }
    text[n] = '\0';
    return text;
}

static int check_merged_stacks(void *unused, struct tp_error *err)
{
    static const struct {
        const char *native, *python, *wanted;
        bool is_aligned;
    } rows[] = {
        {"xLyLz", "abCdE", "x.a.b.cy.d.ez", true},
        {"xLy", "abC", "x.a.b.cy", true},
        {"xLy", "abCdE", "x.a.b.c.d.e", false},
        {"x?", "aB", "x.a.b", false},
        {"L?", "aB", ".a.b", true},
        {"x", "", "x", true},
        {"xLLy", "AB", "x.a.by", true},
        {"xy?", "A", "xy.a", false},
    };
    struct tp_code_places places;
    (void)unused, (void)err;
    tp_code_places_init(&places, &arena);
    uint32_t file = tp_code_file_number(&places, TP_STR("/no/such/python"));
    TP_AT(&places.files, struct tp_code_file, file)->loop = 0x100;
    TP_AT(&places.files, struct tp_code_file, file)->loop_bytes = 0x10;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool is_aligned;
        uint32_t node = tp_mixed_stack_merge(&places, make_native_stack(&places, file, rows[i].native),
                                             make_python_stack(&places, rows[i].python), &is_aligned);
        assert_string_equal(stack_text(&places, node), rows[i].wanted);
        assert_int_equal(is_aligned, rows[i].is_aligned);
    }
    return 0;
}

static void interpreter_loops_are_replaced_by_frames(void **state)
{
    (void)state;
    assert_int_equal(tp_arena_run(&arena, check_merged_stacks, NULL, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(frames_name_file_line_and_function, begin, end),
        cmocka_unit_test(hostile_memory_stops_reading),
        cmocka_unit_test(lines_follow_the_table_of_each_version),
        cmocka_unit_test(published_layout_must_be_plausible),
        cmocka_unit_test_setup_teardown(interpreter_loops_are_replaced_by_frames, begin, end),
    };
    return cmocka_run_group_tests_name("python frames", tests, NULL, NULL);
}
