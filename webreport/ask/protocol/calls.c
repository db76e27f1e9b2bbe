/* Runs calls of tools on a thread of their own: see calls.h. */
#include "webreport/ask/protocol/calls.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "writer/base/json_out.h"

void tp_lines_out_write(struct tp_lines_out *out, struct tp_str text)
{
    pthread_mutex_lock(&out->lock);
    for (size_t at = 0; at <= text.len && !atomic_load(&out->is_closed);) {
        ssize_t n = at < text.len ? write(out->fd, text.ptr + at, text.len - at) : write(out->fd, "\n", 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            atomic_store(&out->is_closed, true);
        at += n > 0 ? (size_t)n : 0;
    }
    pthread_mutex_unlock(&out->lock);
}

/* Writes the answer of a call: as an object for programs, and the same as text for people and older clients. */
static void write_answer(struct tp_lines_out *out, struct tp_str id, struct tp_str answer, bool is_error)
{
    struct tp_buf line;
    struct tp_json json;
    tp_buf_init(&line, 0);
    tp_json_init(&json, &line);
    tp_json_object(&json);
    tp_json_member_text(&json, "jsonrpc", "2.0");
    tp_json_key(&json, "id");
    tp_json_raw(&json, id);
    tp_json_key(&json, "result");
    tp_json_object(&json);
    tp_json_key(&json, "content");
    tp_json_array(&json);
    tp_json_object(&json);
    tp_json_member_text(&json, "type", "text");
    tp_json_member_str(&json, "text", answer);
    tp_json_object_end(&json);
    tp_json_array_end(&json);
    tp_json_key(&json, "structuredContent");
    tp_json_raw(&json, answer);
    tp_json_member_bool(&json, "isError", is_error);
    tp_json_object_end(&json);
    tp_json_object_end(&json);
    if (!line.failed)
        tp_lines_out_write(out, (struct tp_str){line.data, line.size});
    tp_buf_release(&line);
}

/* Returns whether the client cancelled the call that runs. */
static bool is_cancelled(struct tp_calls *calls)
{
    pthread_mutex_lock(&calls->lock);
    bool is_cancelled = calls->items[calls->first].is_cancelled;
    pthread_mutex_unlock(&calls->lock);
    return is_cancelled;
}

static void run(struct tp_calls *calls, const struct tp_waiting_call *call)
{
    struct tp_buf answer;
    tp_buf_init(&answer, 0);
    enum tp_ask_code code = tp_ask_run(calls->ask, call->tool, tp_str_of(call->arguments), &answer, NULL);
    if (!answer.failed && !is_cancelled(calls))
        write_answer(calls->out, tp_str_of(call->id), (struct tp_str){answer.data, answer.size},
                     code != TP_ASK_ANSWERED);
    tp_buf_release(&answer);
}

static void *run_calls(void *context)
{
    struct tp_calls *calls = context;
    pthread_mutex_lock(&calls->lock);
    for (;;) {
        while (calls->count == 0 && !calls->is_ended)
            pthread_cond_wait(&calls->changed, &calls->lock);
        if (calls->count == 0)
            break;
        struct tp_waiting_call *call = &calls->items[calls->first];
        calls->is_running = true;
        bool is_wanted = !call->is_cancelled && !atomic_load(&calls->out->is_closed);
        pthread_mutex_unlock(&calls->lock);
        if (is_wanted)
            run(calls, call);
        pthread_mutex_lock(&calls->lock);
        calls->is_running = false;
        tp_ask_cancel(calls->ask, false);
        free(call->id);
        free(call->arguments);
        *call = (struct tp_waiting_call){0};
        calls->first = (calls->first + 1) % TP_MAX_ASK_WAITING;
        calls->count--;
        pthread_cond_broadcast(&calls->changed);
    }
    pthread_mutex_unlock(&calls->lock);
    return NULL;
}

int tp_calls_start(struct tp_calls *calls, struct tp_ask *ask, struct tp_lines_out *out, struct tp_error *err)
{
    *calls = (struct tp_calls){.ask = ask, .out = out};
    pthread_mutex_init(&calls->lock, NULL);
    pthread_cond_init(&calls->changed, NULL);
    if (pthread_create(&calls->thread, NULL, run_calls, calls) != 0)
        return tp_error_set(err, TP_ENOMEM, 0, "no thread can be started");
    return TP_OK;
}

static char *copy_text(struct tp_str text)
{
    char *copy = malloc(text.len + 1);
    if (copy) {
        memcpy(copy, text.ptr, text.len);
        copy[text.len] = '\0';
    }
    return copy;
}

bool tp_calls_add(struct tp_calls *calls, const struct tp_tool *tool, struct tp_str id, struct tp_str arguments)
{
    struct tp_waiting_call call = {.tool = tool, .id = copy_text(id), .arguments = copy_text(arguments)};
    if (!call.id || !call.arguments) {
        free(call.id);
        free(call.arguments);
        return false;
    }
    pthread_mutex_lock(&calls->lock);
    while (calls->count == TP_MAX_ASK_WAITING)
        pthread_cond_wait(&calls->changed, &calls->lock);
    calls->items[(calls->first + calls->count) % TP_MAX_ASK_WAITING] = call;
    calls->count++;
    pthread_cond_broadcast(&calls->changed);
    pthread_mutex_unlock(&calls->lock);
    return true;
}

/* Cancels the call at this position of the ring. The lock must be held. */
static void cancel(struct tp_calls *calls, unsigned position)
{
    calls->items[(calls->first + position) % TP_MAX_ASK_WAITING].is_cancelled = true;
    if (position == 0 && calls->is_running)
        tp_ask_cancel(calls->ask, true);
}

void tp_calls_cancel(struct tp_calls *calls, struct tp_str id)
{
    pthread_mutex_lock(&calls->lock);
    for (unsigned i = 0; i < calls->count; i++)
        if (tp_str_equal(id, tp_str_of(calls->items[(calls->first + i) % TP_MAX_ASK_WAITING].id)))
            cancel(calls, i);
    pthread_mutex_unlock(&calls->lock);
}

void tp_calls_finish(struct tp_calls *calls, bool is_hurried)
{
    pthread_mutex_lock(&calls->lock);
    for (unsigned i = 0; is_hurried && i < calls->count; i++)
        cancel(calls, i);
    calls->is_ended = true;
    pthread_cond_broadcast(&calls->changed);
    pthread_mutex_unlock(&calls->lock);
    pthread_join(calls->thread, NULL);
    pthread_cond_destroy(&calls->changed);
    pthread_mutex_destroy(&calls->lock);
}
