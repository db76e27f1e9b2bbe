/* Records unmodified PyTorch programs. Runs torch.py, whose text is built in here, inside the program to switch
 * torch.profiler on.
 *
 * A thread of the recorder asks the interpreter to call this code from its main thread (Py_AddPendingCall), between
 * two instructions of the program. The thread repeats this until torch is imported and torch.py has started, and then
 * as often as torch.py requests. Python's functions are looked up in the process, so the build does not need Python,
 * and programs without Python are not affected. */
#include "collector/sources.h"

#include <dlfcn.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "collector/recorder_thread.h"
#include "collector/session.h"
#include "writer/base/environment.h"

enum {
    FILE_INPUT = 257 /* value of Py_file_input in Python.h */,
    FAST_MS = 5,
    SLOW_MS = 50,
    FAST_CALLS = 2000,
    MOST_FAILURES = 20
};

__asm__(".pushsection .rodata\n"
        "tp_torch_py:\n.incbin \"collector/source/torch.py\"\n.byte 0\n"
        ".popsection\n");
extern const char tp_torch_py[];

typedef struct object object; /* type PyObject of Python.h */

/* The functions that this file uses of Python's stable interface, by name. */
static struct {
    int (*Py_IsInitialized)(void);
    int (*Py_AddPendingCall)(int (*)(void *), void *);
    object *(*PyImport_GetModuleDict)(void);
    object *(*PyDict_New)(void);
    object *(*PyDict_GetItemString)(object *, const char *);
    int (*PyDict_SetItemString)(object *, const char *, object *);
    object *(*PyUnicode_FromString)(const char *);
    object *(*PyEval_GetBuiltins)(void);
    object *(*PyRun_StringFlags)(const char *, int, object *, object *, void *);
    object *(*PyObject_CallObject)(object *, object *);
    long (*PyLong_AsLong)(object *);
    object *(*PyErr_Occurred)(void);
    int (*PyErr_ExceptionMatches)(object *);
    void (*PyErr_Clear)(void);
    void (*Py_DecRef)(object *);
    object **PyExc_Exception;
} py;

static const struct {
    const char *name;
    void *slot;
} names[] = {
#define NAME(f)                                                                                                        \
    {                                                                                                                  \
#f, &py.f                                                                                                      \
    }
    NAME(Py_IsInitialized),
    NAME(Py_AddPendingCall),
    NAME(PyImport_GetModuleDict),
    NAME(PyDict_New),
    NAME(PyDict_GetItemString),
    NAME(PyDict_SetItemString),
    NAME(PyUnicode_FromString),
    NAME(PyEval_GetBuiltins),
    NAME(PyRun_StringFlags),
    NAME(PyObject_CallObject),
    NAME(PyLong_AsLong),
    NAME(PyErr_Occurred),
    NAME(PyErr_ExceptionMatches),
    NAME(PyErr_Clear),
    NAME(Py_DecRef),
    NAME(PyExc_Exception),
#undef NAME
};

static const struct tp_source_host *place;
static object *scope;          /* variables of torch.py, NULL before it runs; used only on the main thread */
static unsigned failures;      /* number of failed calls of torch.py's function tick; used only on the main thread */
static _Atomic int next_ms;    /* time until the next call of tick, ms; 0: no further call */
static _Atomic bool is_posted; /* true while a requested call waits in the interpreter's queue */
static _Atomic bool is_over;   /* true after the last call of tick */

/* asker: number of the newest thread that asks the interpreter; an older thread ends when it reads another number.
 * calls: number of requests so far. The semaphore `wake` wakes the thread early. */
static _Atomic unsigned asker, calls;
static sem_t wake;

static const char *probe_source(const struct tp_source_host *host)
{
    (void)host;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *found = dlsym(RTLD_DEFAULT, names[i].name);
        if (!found)
            return "the program is not Python, or its Python does not export its functions";
        memcpy(names[i].slot, &found, sizeof found);
    }
    return NULL;
}

/* Sets a variable of torch.py to a text. Returns 0, or -1 with a Python error set. */
static int set_script_variable(object *names_of, const char *name, const char *text)
{
    object *value = py.PyUnicode_FromString(text ? text : "");
    int code = value ? py.PyDict_SetItemString(names_of, name, value) : -1;
    if (value)
        py.Py_DecRef(value);
    return code;
}

static object *run_script(void)
{
    object *fresh = py.PyDict_New();
    if (!fresh)
        return NULL;
    object *done = NULL;
    if (py.PyDict_SetItemString(fresh, "__builtins__", py.PyEval_GetBuiltins()) == 0 &&
        set_script_variable(fresh, "__name__", "tracepress") == 0 &&
        set_script_variable(fresh, "FOLDER", place->spools) == 0 &&
        set_script_variable(fresh, "SETTINGS", tp_environment("TRACEPRESS_TORCH")) == 0)
        done = py.PyRun_StringFlags(tp_torch_py, FILE_INPUT, fresh, fresh, NULL);
    if (!done) {
        py.Py_DecRef(fresh);
        return NULL;
    }
    py.Py_DecRef(done);
    return fresh;
}

/* Calls the function tick of torch.py once. Returns its result in ms, or -1 with a Python error set. */
static long call_tick_of_script(void)
{
    if (!scope && !py.PyDict_GetItemString(py.PyImport_GetModuleDict(), "torch"))
        return FAST_MS;
    if (!scope && !(scope = run_script()))
        return -1;
    object *tick = py.PyDict_GetItemString(scope, "tick");
    object *answer = tick ? py.PyObject_CallObject(tick, NULL) : NULL;
    long ms = answer ? py.PyLong_AsLong(answer) : -1;
    if (answer)
        py.Py_DecRef(answer);
    return ms;
}

/* Runs torch.py; the interpreter calls this function on the main thread. If torch.py raises an error that is not an
 * Exception (Ctrl-C), the error belongs to the program and is passed on. */
static int on_main_thread(void *unused)
{
    (void)unused;
    long ms = call_tick_of_script();
    atomic_store(&next_ms, ms > 0 ? (int)ms : 0);
    atomic_store(&is_posted, false);
    if (ms >= 0 || !py.PyErr_Occurred())
        return 0;
    if (!py.PyErr_ExceptionMatches(*py.PyExc_Exception)) {
        atomic_store(&next_ms, FAST_MS);
        return -1;
    }
    py.PyErr_Clear();
    /* repeats the call later, because the program may be in the middle of an import */
    if (!scope && ++failures < MOST_FAILURES) {
        atomic_store(&next_ms, SLOW_MS);
        return 0;
    }
    tp_session_print_message(TP_SEVERITY_DETAIL, "PyTorch is not recorded",
                             "torch.profiler could not be switched on, or the program uses it itself");
    return 0;
}

static bool is_polling_wanted(unsigned number)
{
    return atomic_load(&next_ms) && !atomic_load(&is_over) && atomic_load(&asker) == number;
}

static void wait_for_turn(int ms)
{
    enum { MS_PER_S = 1000, NS_PER_MS = 1000000, NS_PER_S = 1000000000 };
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += ms / MS_PER_S;
    until.tv_nsec += (long)(ms % MS_PER_S) * NS_PER_MS;
    until.tv_sec += until.tv_nsec / NS_PER_S;
    until.tv_nsec %= NS_PER_S;
    sem_timedwait(&wake, &until);
}

static void *run_polling_thread(void *context)
{
    unsigned number = (unsigned)(uintptr_t)context;
    for (; is_polling_wanted(number); calls++) {
        int ms = atomic_load(&next_ms);
        /* waits longer if the program has not imported torch after many calls */
        wait_for_turn(calls > FAST_CALLS && ms < SLOW_MS ? SLOW_MS : ms);
        if (!is_polling_wanted(number))
            return NULL;
        if (!py.Py_IsInitialized() || atomic_exchange(&is_posted, true))
            continue;
        if (py.Py_AddPendingCall(on_main_thread, NULL) != 0)
            atomic_store(&is_posted, false); /* the interpreter's queue of calls is full */
    }
    return NULL;
}

static bool start_polling(void)
{
    uintptr_t number = ++asker;
    return tp_recorder_thread_start(NULL, run_polling_thread, (void *)number) == 0; // NOLINT(performance-no-int-to-ptr)
}

static void stop_polling(void)
{
    asker++;
    sem_post(&wake);
}

static void restart_polling(void)
{
    if (atomic_load(&next_ms) && !atomic_load(&is_over))
        start_polling();
}

static bool start_source(const struct tp_source_host *host, const char *setting)
{
    (void)setting;
    place = host;
    atomic_store(&next_ms, FAST_MS);
    sem_init(&wake, 0, 0);
    tp_recorder_threads_register(stop_polling, restart_polling);
    return start_polling();
}

static void stop_source(void)
{
    atomic_store(&is_over, true);
}

/* Continues in a child of fork to wait for the import of torch. If torch is already imported, nothing is recorded in
 * the child, because Kineto's threads do not exist there. */
static void in_child(void)
{
    atomic_store(&is_posted, false);
    sem_init(&wake, 0, 0); /* another thread may have held the semaphore during fork */
    if (atomic_load(&next_ms) != 0 && !scope)
        start_polling();
}

const struct tp_source tp_source_torch = {
    .name = "torch",
    .what = "PyTorch: torch.profiler, switched on inside an unmodified program",
    .is_default = true,
    .probe = probe_source,
    .start = start_source,
    .stop = stop_source,
    .in_child = in_child,
};
