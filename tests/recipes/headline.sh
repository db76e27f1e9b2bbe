# Changes the words of a headline. Changes at most 1 file outside of tests.
sed -i 's/"%s computes for "/"%s works for "/' webreport/document/words/answer_words.c
