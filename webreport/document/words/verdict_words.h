/* Declares fixed words of headlines. Functions that read a stored headline search for these words. */
#ifndef TP_WEBREPORT_DOCUMENT_WORDS_VERDICT_WORDS_H
#define TP_WEBREPORT_DOCUMENT_WORDS_VERDICT_WORDS_H

/* words in a headline that precede the code that the host ran for most of the longest gap */
#define TP_HEADLINE_CODE " During the longest gap, the host mostly ran "
/* words that precede this code in summaries of earlier versions */
#define TP_HEADLINE_EARLIER_AT ", most of it at "
#define TP_HEADLINE_EARLIER_RAN " (the host ran "

#endif
