/* Tasks as C++ objects, for work that is suspended and continues elsewhere, such as coroutines. tracepress.h includes
 * this file; programs include tracepress.h.
 *
 * A range belongs to its thread, and an end closes the range that this thread began last. A coroutine may be suspended
 * inside a range and resumed by another thread. The end would then close a range of other code there. So a
 * TRACEPRESS_SCOPE must not live across co_await, co_yield or any other suspension. Between two suspensions, in its own
 * block, it is safe. Use a task for anything that lives longer: its end is matched by name and id, independent of
 * threads.
 *
 *     job serve(connection c)
 *     {
 *         TRACEPRESS_TASK(task, "request");                              // until the coroutine ends
 *         auto query = TRACEPRESS_AWAIT(task, "read", c.read());         // co_await, as a part of the task
 *         {
 *             TRACEPRESS_SCOPE("parse");                                 // no await in this block
 *             ...
 *         }
 *         TRACEPRESS_AWAIT(task, "write", c.write(answer));
 *     }
 *
 * The report shows "request", "read" and "write" as tasks with their count, p50, p95, p99, maximum and concurrency.
 * Parts carry the id of their task, so timelines show them in its row.
 *
 * Needs C++11; TRACEPRESS_AWAIT needs C++20. Nothing throws. Two threads must not use a task or its parts at the same
 * time; a coroutine obeys this by itself. Without a recording each begin and end costs one load and one branch. A task
 * that begins without a recording is not recorded; its parts are recorded from the moment that a recording starts. If a
 * coroutine is destroyed while suspended, its task ends there. A coroutine that stays suspended for ever is shown as
 * not ended. */
#ifndef TRACEPRESS_TASK_H
#define TRACEPRESS_TASK_H

#include "tracepress.h"

#ifdef __cplusplus

/* A task with a unique id that lasts until the end of the object. */
class tracepress_task
{
  public:
    /* name: from tracepress_intern. runs: name for the times in which the task runs between its waits. Each such time
     * becomes a task of that name with the same id. 0: these times are not recorded. */
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
    uint64_t id_; /* id of the task; 0 until the task or a part of it is recorded */
    tracepress_name name_, runs_;
    bool has_begun_, is_running_;
};

/* A part of a task, which lasts until the end of the object. A part must end before its task does. Parts of one task
 * nest. */
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

/* A part of a task in which the task waits: the task does not run until the end of the object. */
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
    pause pause_; /* declared first, so that the task runs again only after the part has ended */
    tracepress_part part_;
};

/* The texts in the macros below must be literals, because the number of each text is looked up only once. */

/* Evaluates to the number of a name. */
#define TRACEPRESS_NAME_(text)                                                                                         \
    ([]() -> tracepress_name {                                                                                         \
        static const tracepress_name name = tracepress_intern(text);                                                   \
        return name;                                                                                                   \
    }())

/* Defines a variable `task`, which is a task until the end of the block. */
#define TRACEPRESS_TASK(task, text) tracepress_task task(TRACEPRESS_NAME_(text))

/* Defines a task. The times in which the task runs between waits are recorded as tasks "... runs". The p99 and the
 * maximum of these times show which task occupies a thread for long. */
#define TRACEPRESS_TASK_RUNS(task, text) tracepress_task task(TRACEPRESS_NAME_(text), TRACEPRESS_NAME_(text " runs"))

/* Records a part of the task until the end of the block, also across suspensions. */
#define TRACEPRESS_PART(task, text)                                                                                    \
    tracepress_part TRACEPRESS_JOIN(tracepress_part_, __COUNTER__)(task, TRACEPRESS_NAME_(text))

/* Records a part until the end of the block, during which the task waits. Use it for waits without co_await, such as
 * co_yield or a function that blocks. */
#define TRACEPRESS_WAITS(task, text)                                                                                   \
    tracepress_wait TRACEPRESS_JOIN(tracepress_wait_, __COUNTER__)(task, TRACEPRESS_NAME_(text))

/* Evaluates `co_await operation` and records the wait as a part of the task. The result is that of co_await. The part
 * also ends if the operation throws. */
#define TRACEPRESS_AWAIT(task, text, operation)                                                                        \
    (static_cast<void>(tracepress_wait(task, TRACEPRESS_NAME_(text))), co_await (operation))

#endif

#endif
