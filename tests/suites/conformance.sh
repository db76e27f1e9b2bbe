# Runs JSONTestSuite. The strict validator must accept y_ files and refuse n_ files. No file may crash the tolerant
# reader.
. tests/suites/case.sh
folder=$SHARED/data/JSONTestSuite
if [ ! -d "$folder" ]; then
    skip "JSONTestSuite" "no JSONTestSuite next to the project"
    exit 0
fi
for file in "$folder"/test_parsing/*.json "$folder"/test_transform/*.json; do
    name=$(basename "$file" .json)
    wanted "$name" || continue
    said=$("$BUILD/conformance" "$file" 2>&1)
    status=$?
    case $status:$name:$said in
    0:*bytewise*) not_ok "$name" "$said" ;;
    0:y_*:"strict accept"* | 0:n_*:"strict refuse"* | 0:i_*:strict* | 0:[!yni]*:strict* | 0:n[!_]*:strict*) ok "JSON $name" ;;
    *) not_ok "JSON $name" "status $status: $said" ;;
    esac
done
