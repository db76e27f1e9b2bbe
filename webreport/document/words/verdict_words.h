/* Declares parts of headlines for which the readers of a stored headline search. */
#ifndef TP_WEBREPORT_DOCUMENT_WORDS_VERDICT_WORDS_H
#define TP_WEBREPORT_DOCUMENT_WORDS_VERDICT_WORDS_H

/* words in a headline that precede the line of code that ran for most of the longest gap */
#define TP_HEADLINE_AT ", most of it at "
#define TP_HEADLINE_RAN " (the host ran "

#endif
