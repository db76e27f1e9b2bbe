/* Names the colors of causes. See looks.h. */
#include "webreport/document/looks.h"

const char *tp_look_name(enum tp_look look)
{
    static const char *const names[TP_LOOKS] = {"host", "launch", "gpu",  "gpu2", "gpu3",
                                                "comm", "comm2",  "copy", "none", "hatch"};
    return names[look];
}

/* Returns the color of a part of the step time. */
static enum tp_look look_of_part(enum tp_answer_part_kind part)
{
    static const enum tp_look looks[TP_ANSWER_KINDS + 1] = {
        [TP_ANSWER_WORK] = TP_LOOK_GPU,           [TP_ANSWER_INPUT] = TP_LOOK_HOST,
        [TP_ANSWER_CODE] = TP_LOOK_HOST,          [TP_ANSWER_LAUNCH] = TP_LOOK_LAUNCH,
        [TP_ANSWER_SYNC] = TP_LOOK_LAUNCH,        [TP_ANSWER_COPY] = TP_LOOK_COPY,
        [TP_ANSWER_COMMUNICATION] = TP_LOOK_COMM, [TP_ANSWER_BETWEEN] = TP_LOOK_LAUNCH,
        [TP_ANSWER_NOT_SHOWN] = TP_LOOK_HATCH,    [TP_ANSWER_KINDS] = TP_LOOK_NONE};
    return looks[part];
}

enum tp_look tp_look_of_part(enum tp_answer_part_kind part, unsigned shade)
{
    enum tp_look look = look_of_part(part);
    return look == TP_LOOK_GPU && shade ? (shade == 1 ? TP_LOOK_GPU2 : TP_LOOK_GPU3) : look;
}

enum tp_look tp_program_part_look(unsigned part)
{
    static const uint8_t looks[TP_WALL_COUNT] = {[TP_WALL_RUNNING] = TP_LOOK_GPU,
                                                 [TP_WALL_READY] = TP_LOOK_LAUNCH,
                                                 [TP_WALL_WAITS + TP_WAIT_DISK] = TP_LOOK_COPY,
                                                 [TP_WALL_WAITS + TP_WAIT_PAGE_FAULT] = TP_LOOK_COPY,
                                                 [TP_WALL_WAITS + TP_WAIT_SOCKET] = TP_LOOK_COMM2,
                                                 [TP_WALL_WAITS + TP_WAIT_TERMINAL] = TP_LOOK_COMM2,
                                                 [TP_WALL_WAITS + TP_WAIT_SLEEP] = TP_LOOK_NONE,
                                                 [TP_WALL_WAITS + TP_WAIT_LOCK] = TP_LOOK_COMM,
                                                 [TP_WALL_WAITS + TP_WAIT_KERNEL_LOCK] = TP_LOOK_COMM,
                                                 [TP_WALL_WAITS + TP_WAIT_FILE] = TP_LOOK_COPY,
                                                 [TP_WALL_WAITS + TP_WAIT_PIPE] = TP_LOOK_COMM2,
                                                 [TP_WALL_WAITS + TP_WAIT_POLL] = TP_LOOK_NONE,
                                                 [TP_WALL_WAITS + TP_WAIT_SIGNAL] = TP_LOOK_NONE,
                                                 [TP_WALL_WAITS + TP_WAIT_STOPPED] = TP_LOOK_NONE,
                                                 [TP_WALL_WAITS + TP_WAIT_CHILD] = TP_LOOK_NONE,
                                                 [TP_WALL_WAITS + TP_WAIT_EXIT] = TP_LOOK_NONE,
                                                 [TP_WALL_WAITS + TP_WAIT_RECORDING] = TP_LOOK_HATCH,
                                                 [TP_WALL_WAITS + TP_WAIT_UNKNOWN] = TP_LOOK_HATCH};
    return (enum tp_look)looks[part];
}
