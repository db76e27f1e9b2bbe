/* Defines the texts of notices: see trace.h. */
#include "webreport/trace/trace.h"

const char *tp_notice_text(enum tp_notice notice)
{
    static const char *const text[TP_NOTICE_COUNT] = {
        [TP_NOTICE_EVENT_REPAIRED] = "event repaired",
        [TP_NOTICE_EVENT_SKIPPED] = "event skipped",
        [TP_NOTICE_CONTROL] = "control characters",
        [TP_NOTICE_UTF8] = "invalid UTF-8",
        [TP_NOTICE_ESCAPE] = "bad escape",
        [TP_NOTICE_NOT_A_NUMBER] = "not a number",
        [TP_NOTICE_TRAILING_COMMA] = "trailing comma",
        [TP_NOTICE_ENDS_EARLY] = "file ends early",
        [TP_NOTICE_GZIP_TRUNCATED] = "truncated gzip",
        [TP_NOTICE_GZIP_CHECKSUM] = "checksum mismatch",
        [TP_NOTICE_GZIP_CORRUPT] = "corrupt gzip",
        [TP_NOTICE_TRAILING_DATA] = "trailing data",
        [TP_NOTICE_DEPTH] = "nesting too deep",
        [TP_NOTICE_DUPLICATE_KEY] = "duplicate key",
        [TP_NOTICE_NEGATIVE_DURATION] = "negative duration",
        [TP_NOTICE_TIME_RANGE] = "time out of range",
        [TP_NOTICE_ID_RANGE] = "id out of range",
        [TP_NOTICE_NAME_CUT] = "name cut",
        [TP_NOTICE_UNBALANCED] = "unbalanced begin and end events",
        [TP_NOTICE_EVENT_TOO_LONG] = "event too long",
        [TP_NOTICE_HEADER] = "header value skipped",
        [TP_NOTICE_TIME_OUTLIER] = "time outlier",
        [TP_NOTICE_OVERLAP] = "overlapping slices on one stream",
        [TP_NOTICE_NO_STEPS] = "no steps marked",
    };
    return text[notice];
}
