/* Reads the rest of an open input, and reports its sizes and damage: see source.h. */
#include "webreport/trace/source.h"

static void count_notice(struct tp_source *source, const char *at, enum tp_notice notice)
{
    tp_sink_count_notice(source->sink, notice, tp_feed_offset(source->feed, at));
}

int tp_source_drain(struct tp_source *source)
{
    int status = 1;
    while (status > 0) {
        source->at = source->end;
        status = tp_feed_next_window(source->feed, &source->at, &source->end, source->err);
    }
    return status;
}

void tp_source_store_feed_report(struct tp_source *source, const char *at)
{
    struct tp_feed_report report = tp_feed_result(source->feed);
    struct tp_reading *reading = &source->sink->trace->reading;
    reading->file_bytes = report.file_bytes;
    reading->text_bytes = report.text_bytes;
    reading->is_gzip = report.is_gzip;
    memcpy(reading->file_sha256, report.sha256, sizeof reading->file_sha256);
    if (report.is_cut)
        count_notice(source, at, TP_NOTICE_GZIP_TRUNCATED);
    /* A flipped bit may inflate without an error. A bad checksum together with broken events shows such damage. */
    if (report.is_corrupt || (report.has_bad_checksum && reading->repaired))
        count_notice(source, at, TP_NOTICE_GZIP_CORRUPT);
    if (report.has_bad_checksum)
        count_notice(source, at, TP_NOTICE_GZIP_CHECKSUM);
    if (report.has_trailing_data)
        count_notice(source, at, TP_NOTICE_TRAILING_DATA);
    if (report.has_bad_utf8 && !source->is_binary && !reading->notices[TP_NOTICE_UTF8])
        tp_sink_count_notice(source->sink, TP_NOTICE_UTF8, report.bad_utf8_block_offset);
    if (report.has_control && !source->is_binary && !reading->notices[TP_NOTICE_CONTROL])
        tp_sink_count_notice(source->sink, TP_NOTICE_CONTROL, report.control_block_offset);
    reading->is_truncated |= report.is_cut;
    reading->has_gzip_error = report.is_corrupt || report.has_bad_checksum;
}
