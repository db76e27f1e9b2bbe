/* Declares fixed words of headlines. Functions that read a stored headline search for these words. */
#ifndef TP_WEBREPORT_DOCUMENT_WORDS_VERDICT_WORDS_H
#define TP_WEBREPORT_DOCUMENT_WORDS_VERDICT_WORDS_H

/* words in a headline that precede the source line that ran for most of the longest gap */
#define TP_HEADLINE_AT ", most of it at "
#define TP_HEADLINE_RAN " (the host ran "

#endif
