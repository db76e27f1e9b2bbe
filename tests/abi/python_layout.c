/* Compares the collector's table of struct layouts with the layout of the Python whose headers this file includes. Exit
 * code 0: they are equal; 1: they differ, and a line names the member. If this version of Python exports its own
 * layout, the program links the Python library and reads the layout from it. */
#define Py_BUILD_CORE 1
#include <Python.h>

#include <frameobject.h>
#include <stddef.h>
#include <stdio.h>
#if PY_VERSION_HEX >= 0x030b0000
#include <internal/pycore_frame.h>
#endif
#include <internal/pycore_interp.h>
#include <internal/pycore_runtime.h>

#include "collector/outside/python/python_layouts.h"

#define P(type, member) ((int32_t)offsetof(type, member))
#if PY_VERSION_HEX >= 0x030d0000
#define FRAME(old, newer, newest) P(_PyInterpreterFrame, newest)
#elif PY_VERSION_HEX >= 0x030b0000
#define FRAME(old, newer, newest) P(_PyInterpreterFrame, newer)
#else
#define FRAME(old, newer, newest) P(PyFrameObject, old)
#endif

static const struct tp_python_layout theirs = {
    .minor = PY_MINOR_VERSION,
    .first_interpreter = P(_PyRuntimeState, interpreters.head),
    .next_interpreter = P(PyInterpreterState, next),
#if PY_VERSION_HEX >= 0x030b0000
    .first_thread = P(PyInterpreterState, threads.head),
    .native_id = P(PyThreadState, native_thread_id),
    .frame_owner = P(_PyInterpreterFrame, owner),
    .code_name = P(PyCodeObject, co_qualname),
    .code_bytes = P(PyCodeObject, co_code_adaptive),
#else
    .first_thread = P(PyInterpreterState, tstate_head),
    .native_id = TP_PYTHON_ABSENT,
    .frame_owner = TP_PYTHON_ABSENT,
    .code_name = P(PyCodeObject, co_name),
    .code_bytes = TP_PYTHON_ABSENT,
#endif
    .next_thread = P(PyThreadState, next),
    .thread_id = P(PyThreadState, thread_id),
#if PY_VERSION_HEX >= 0x030d0000
    .thread_frame = P(PyThreadState, current_frame),
    .inner_frame = TP_PYTHON_ABSENT,
#elif PY_VERSION_HEX >= 0x030b0000
    .thread_frame = P(PyThreadState, cframe),
    .inner_frame = P(_PyCFrame, current_frame),
#else
    .thread_frame = P(PyThreadState, frame),
    .inner_frame = TP_PYTHON_ABSENT,
#endif
    .frame_code = FRAME(f_code, f_code, f_executable),
    .frame_outer = FRAME(f_back, previous, previous),
    .frame_instruction = FRAME(f_lasti, prev_instr, instr_ptr),
    .code_file = P(PyCodeObject, co_filename),
#if PY_VERSION_HEX >= 0x030a0000
    .code_lines = P(PyCodeObject, co_linetable),
#else
    .code_lines = P(PyCodeObject, co_lnotab),
#endif
    .code_first_line = P(PyCodeObject, co_firstlineno),
    .text_state = P(PyASCIIObject, state),
    .text_size = P(PyASCIIObject, length),
    .text_ascii = sizeof(PyASCIIObject),
    .text_non_ascii = sizeof(PyCompactUnicodeObject),
    .bytes_size = P(PyVarObject, ob_size),
    .bytes_at = P(PyBytesObject, ob_sval),
};

static const struct tp_python_layout *layout_by_python_headers(void)
{
#if PY_VERSION_HEX >= 0x030d0000
    static struct tp_python_layout described;
    uint64_t words[TP_PYTHON_DESCRIBED_WORDS];
    memcpy(words, &_PyRuntime, sizeof words);
    return tp_python_layout_read_words(&described, words, PY_MINOR_VERSION) ? &described : NULL;
#else
    return tp_python_layout_of_version(PY_MINOR_VERSION);
#endif
}

int main(void)
{
    const int32_t *a = (const int32_t *)layout_by_python_headers(), *b = (const int32_t *)&theirs;
    if (!a)
        return 1;
    for (size_t i = 0; i < sizeof theirs / sizeof *a; i++)
        if (a[i] != b[i]) {
            printf("member %zu is %d, and theirs %d\n", i, a[i], b[i]);
            return 1;
        }
    return 0;
}
