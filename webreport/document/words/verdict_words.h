/* Parts of a headline that readers of a stored headline search for. */
#ifndef TP_WEBREPORT_DOCUMENT_WORDS_VERDICT_WORDS_H
#define TP_WEBREPORT_DOCUMENT_WORDS_VERDICT_WORDS_H

/* Words in a headline before the line of code that ran for most of the longest gap. */
#define TP_HEADLINE_AT ", most of it at "
#define TP_HEADLINE_RAN " (the host ran "

#endif
