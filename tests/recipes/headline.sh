# Changes the words of a headline. Changes at most 1 file outside of tests.
grep -rl 'runs communication that no kernel hides' webreport templates | xargs sed -i 's/runs communication that no kernel hides/communicates while nothing computes/'
