/* A part of tracepress.h, which includes it: tasks as objects of C++, for work that is suspended and goes on elsewhere,
 * such as coroutines. Programs include tracepress.h.
 *
 * A range of a thread ends the range that was begun last on that thread. A coroutine may be suspended while one of its
 * ranges is open, and be resumed by another thread: its end would close what others have begun there. So a
 * TRACEPRESS_SCOPE never lives across co_await, co_yield or another way to be suspended; between two of them, in a
 * block of its own, it is as good as anywhere. What lives longer is a task: its ends are matched by name and id,
 * whatever the threads have open.
 *
 *     job serve(connection c)
 *     {
 *         TRACEPRESS_TASK(task, "request");                              // until the coroutine is over
 *         auto query = TRACEPRESS_AWAIT(task, "read", c.read());         // co_await, as a part of the task
 *         {
 *             TRACEPRESS_SCOPE("parse");                                 // nothing is awaited here
 *             ...
 *         }
 *         TRACEPRESS_AWAIT(task, "write", c.write(answer));
 *     }
 *
 * The report shows "request", "read" and "write" as tasks: how many, p50, p95, p99, the longest, most at once. Parts
 * have their task's id, so timelines show them on its row.
 *
 * C++11 and later; TRACEPRESS_AWAIT needs C++20. Nothing is thrown. A task and its parts are used by one thread at a
 * time, whichever: as a coroutine is. While nothing is recorded, each begin and end is one load and a branch. A task
 * that begins while nothing is recorded has no span; its parts have, from the moment on that something is. One whose
 * coroutine is destroyed while it is suspended ends there; one that is left suspended for ever is told as not ended. */
#ifndef TRACEPRESS_TASK_H
#define TRACEPRESS_TASK_H

#include "tracepress.h"

#ifdef __cplusplus

/* A task from here until the object's end, of an id that no other has. */
class tracepress_task
{
  public:
    /* runs: a name for what runs between its waits, each run a task of that name with its id; 0: they are not told. */
    explicit tracepress_task(tracepress_name name, tracepress_name runs = 0)
        : id_(0), name_(name), runs_(runs), has_begun_(false), is_running_(false)
    {
        has_begun_ = begin(name_);
        run();
    }
    ~tracepress_task()
    {
        rest();
        if (has_begun_)
            tracepress_async_end(name_, id_);
    }
    tracepress_task(const tracepress_task &) = delete;
    tracepress_task &operator=(const tracepress_task &) = delete;

  private:
    friend class tracepress_part;
    friend class tracepress_wait;
    bool begin(tracepress_name name)
    {
        if (!TRACEPRESS_IS_ON_)
            return false;
        if (id_ == 0)
            id_ = tracepress_async_id();
        tracepress_async_begin(name, id_);
        return true;
    }
    void run()
    {
        is_running_ = runs_ != 0 && begin(runs_);
    }
    void rest()
    {
        if (is_running_)
            tracepress_async_end(runs_, id_);
        is_running_ = false;
    }
    uint64_t id_; /* 0: nothing of it was recorded yet */
    tracepress_name name_, runs_;
    bool has_begun_, is_running_;
};

/* A part of a task, until the object's end. It ends before its task does; parts of one task nest. */
class tracepress_part
{
  public:
    tracepress_part(tracepress_task &task, tracepress_name name)
        : task_(task), name_(name), has_begun_(task.begin(name))
    {
    }
    ~tracepress_part()
    {
        if (has_begun_)
            tracepress_async_end(name_, task_.id_);
    }
    tracepress_part(const tracepress_part &) = delete;
    tracepress_part &operator=(const tracepress_part &) = delete;

  private:
    tracepress_task &task_;
    tracepress_name name_;
    bool has_begun_;
};

/* A part in which the task waits for something: it does not run until the object's end. */
class tracepress_wait
{
  public:
    tracepress_wait(tracepress_task &task, tracepress_name name) : pause_(task), part_(task, name)
    {
    }

  private:
    struct pause {
        explicit pause(tracepress_task &of) : task(of)
        {
            task.rest();
        }
        ~pause()
        {
            task.run();
        }
        pause(const pause &) = delete;
        pause &operator=(const pause &) = delete;
        tracepress_task &task;
    };
    pause pause_; /* around the part: the task runs again when the part is over */
    tracepress_part part_;
};

/* The texts below are literals: the number of each is looked up once. */

/* An expression: the number of a name. */
#define TRACEPRESS_NAME_(text)                                                                                         \
    ([]() -> tracepress_name {                                                                                         \
        static const tracepress_name name = tracepress_intern(text);                                                   \
        return name;                                                                                                   \
    }())

/* A variable `task`: a task until the end of the block. */
#define TRACEPRESS_TASK(task, text) tracepress_task task(TRACEPRESS_NAME_(text))

/* The same, and each of its runs between two waits is a task "... runs": p99 and longest say who keeps a thread. */
#define TRACEPRESS_TASK_RUNS(task, text) tracepress_task task(TRACEPRESS_NAME_(text), TRACEPRESS_NAME_(text " runs"))

/* A part of the task until the end of the block, whatever is awaited in it. */
#define TRACEPRESS_PART(task, text)                                                                                    \
    tracepress_part TRACEPRESS_JOIN(tracepress_part_, __COUNTER__)(task, TRACEPRESS_NAME_(text))

/* A part in which the task waits, likewise: for what is awaited otherwise, such as co_yield or a function that blocks.
 */
#define TRACEPRESS_WAITS(task, text)                                                                                   \
    tracepress_wait TRACEPRESS_JOIN(tracepress_wait_, __COUNTER__)(task, TRACEPRESS_NAME_(text))

/* co_await operation, as a part of the task in which it waits. An expression: it is what co_await gives. Ended by an
 * exception of the operation, too. */
#define TRACEPRESS_AWAIT(task, text, operation)                                                                        \
    (static_cast<void>(tracepress_wait(task, TRACEPRESS_NAME_(text))), co_await (operation))

#endif

#endif
