# Other words in a headline. At most 1 file outside tests.
grep -rl 'runs communication that no kernel hides' webreport templates | xargs sed -i 's/runs communication that no kernel hides/communicates while nothing computes/'
