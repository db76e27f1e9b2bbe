/* The colors of causes in pages. A color means a cause, and only a cause (templates/report.css). */
#ifndef TP_WEBREPORT_DOCUMENT_LOOKS_H
#define TP_WEBREPORT_DOCUMENT_LOOKS_H

#include "webreport/measure/answer/answer.h"
#include "webreport/measure/program/program_parts.h"

enum tp_look {
    TP_LOOK_HOST,   /* host code or input, for which the device waits */
    TP_LOOK_LAUNCH, /* launches; threads that are ready without a CPU */
    TP_LOOK_GPU,    /* work, the largest kind */
    TP_LOOK_GPU2,   /* work, the second kind */
    TP_LOOK_GPU3,   /* other work */
    TP_LOOK_COMM,   /* communication, locks */
    TP_LOOK_COMM2,  /* transfer */
    TP_LOOK_COPY,   /* copies, disks */
    TP_LOOK_NONE,   /* waits without cost; unchanged time */
    TP_LOOK_HATCH,  /* not judged */
    TP_LOOKS
};

/* Returns the name of a color in class names: "host", "launch", "gpu" .. Static. */
const char *tp_look_name(enum tp_look look);

/* Returns the color of a part of the step time. shade: for work, 0, 1 or 2 by the order of its kinds. */
enum tp_look tp_look_of_part(enum tp_answer_part_kind part, unsigned shade);

/* Returns the color of a part of the wall time (enum in webreport/measure/program/program_parts.h). */
enum tp_look tp_program_part_look(unsigned part);

#endif
