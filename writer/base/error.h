/* Defines status codes and the error record that functions pass up a call chain.
 *
 * A fallible function returns 0 or a negative tp_status and takes `struct tp_error *err` last (may be NULL). The
 * function that detects an error fills the record. Callers pass it on unchanged, and the command line adds the file
 * name. */
#ifndef TP_WRITER_BASE_ERROR_H
#define TP_WRITER_BASE_ERROR_H

#include <stdint.h>

enum tp_status {
    TP_OK = 0,
    TP_ENOMEM = -1,
    TP_EIO = -2,
    TP_EFORMAT = -3,
    TP_ETRUNCATED = -4,
    TP_ELIMIT = -5,
    TP_ENOTFOUND = -6,
    TP_EUNSUPPORTED = -7,
    TP_EUSAGE = -8,
};

/* One error: its code, its position (byte offset in the inflated input, 0 if none), and the reason in one line. */
struct tp_error {
    int code;
    uint64_t offset;
    char text[256];
};

/* Fills *err (if not NULL) and returns `code`, so that reporting an error is one statement: return tp_error_set(...).
 * code: a negative tp_status. offset: byte in the input, or 0. format: printf style, cut at 255 bytes. */
int tp_error_set(struct tp_error *err, int code, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
