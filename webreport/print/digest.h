/* The digest for pull requests and agents: Markdown of at most TP_MAX_MARKDOWN_BYTES, most useful first.
 *
 * Verdict, step split, quality flags, findings with stable ids and evidence, heaviest kernels and operators. Text of a
 * trace is escaped, so it can neither format, link nor mention. Lines are left out whole when room runs out, and that
 * is said. */
#ifndef TP_WEBREPORT_PRINT_DIGEST_H
#define TP_WEBREPORT_PRINT_DIGEST_H

#include "webreport/print/report_page.h"

struct tp_markdown {
    struct tp_buf out;
    size_t profile_count, done_count, left_out;
    bool redact;
};

/* profile_count: how many profiles will come, failed ones included; they share the room. */
void tp_markdown_init(struct tp_markdown *markdown, bool redact, size_t profile_count);

/* Appends one profile. Returns 0 or TP_ENOMEM. */
int tp_markdown_add_profile(struct tp_markdown *markdown, const struct tp_profile *profile, struct tp_error *err);

/* Appends a line on an input that could not be used. */
int tp_markdown_add_failed(struct tp_markdown *markdown, struct tp_str file, const char *why, struct tp_error *err);

/* Ends the text and returns it; it belongs to the digest. */
struct tp_str tp_markdown_finish(struct tp_markdown *markdown);

/* Accepts a zeroed digest. */
void tp_markdown_release(struct tp_markdown *markdown);

#endif
