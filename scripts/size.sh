#!/usr/bin/env bash
# scripts/size.sh: the size of the tree beside its budget (scripts/size_budget.txt). Called by `make lint`.
#
#   scripts/size.sh            print the table; fails when a number exceeds its budget
#   scripts/size.sh --lower    print the table, and replace each budget above the number by the number
#   scripts/size.sh --frames   print the largest number of frames from main to the function with the kernel's loop in `fit`,
#                              both included. Builds the program with -O0 in build-frames; needs gdb
#
# What counts (files known to git, and new files that git does not ignore):
#   code lines            lines of *.c and *.h without blanks, comments and #include
#   Python, hand-written  all lines of python/volterra without _core/_generated.py; tests and tutorials do not count
#   bindings ... web      all lines without r/man, which roxygen2 writes, and the licences in web/licenses
#   C tests               all lines of *.c and *.h in tests
#   public functions      lines of include/ that begin with VOLT_API
#   struct definitions    lines that open a struct or typedef struct; a table with a type of its own does not count
set -euo pipefail
cd "$(dirname "$0")/.."

mode=${1:-}
case $mode in '' | --lower | --frames) ;; *) echo "usage: scripts/size.sh [--lower|--frames]" >&2; exit 2 ;; esac
budgets=scripts/size_budget.txt
exceeded=0

# The files of the tree whose path matches the pattern, and does not match the second one.
files() # PATTERN [WITHOUT]
{
    git ls-files --cached --others --exclude-standard --deduplicate | grep -E "$1" | grep -vE "${2:-^$}" |
        while read -r file; do [ ! -e "$file" ] || echo "$file"; done
}

text() { files "$@" | xargs cat; }
code='^(src|cli)/.*\.[ch]$'

# Without comments; strings stay.
without_comments()
{
    python3 -c 'import re, sys
token = r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\x27(?:\\.|[^\x27\\\n])*\x27"""
print(re.sub(token, lambda m: " " if m[0][0] == "/" else m[0], sys.stdin.read(), flags=re.S))'
}

frames()
{
    local folder=build-frames
    mkdir -p "$folder"
    { cmake -B "$folder" -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O0 -g1" &&
        cmake --build "$folder" --parallel "${JOBS:-$(nproc)}" --target volterra_cli; } >"$folder/log" 2>&1 || return 1
    seq 200 | awk 'BEGIN { print "x,y" } { print sin($1 / 5) "," sin($1 / 5) * sin($1 / 7) }' >"$folder/rows.csv"
    printf '%s\n' 'set breakpoint pending on' 'break step_geometric' \
        commands silent backtrace continue end run >"$folder/walk.gdb"
    OMP_NUM_THREADS=1 gdb -batch -nx -x "$folder/walk.gdb" --args "$folder/volterra" fit --x "$folder/rows.csv:x" \
        --y "$folder/rows.csv:y" --kernel volterra --alpha 1e-3 -o "$folder/model.safetensors" 2>>"$folder/log" |
        sed -n 's/^#\([0-9]*\) .*/\1/p' | sort -n | tail -n 1 | awk '{ frames = $1 + 1 } END { print frames + 0; exit !frames }'
}

show() # NAME NUMBER
{
    local budget
    budget=$(sed -n "s/^\([0-9]*\)\t$1$/\1/p" "$budgets")
    printf '%-38s %8d  budget %8s\n' "$1" "$2" "${budget:-none}"
    [ "$2" -le "${budget:--1}" ] || { echo "size: $1: $2 exceeds the budget ${budget:-none}" >&2; exceeded=1; }
    [ "$mode" != --lower ] || [ "$2" -ge "${budget:-0}" ] || sed -i "s/^[0-9]*\t$1$/$2\t$1/" "$budgets"
}
if [ "$mode" = --frames ]; then
    number=$(frames) || { tail build-frames/log >&2; exit 1; }
    show "frames of fit" "$number"
    exit "$exceeded"
fi
show "src and cli, code lines" "$(text "$code" | grep -vE '^ *# *include' | without_comments | grep -c '[^[:space:]]')"
show "src and cli, all lines" "$(text '^(src|cli)/' | wc -l)"
show "Python, hand-written, all lines" "$(text '^python/volterra/.*\.py$' '/_generated\.py$' | wc -l)"
show "bindings, r, matlab and web, all lines" "$(text '^(bindings|r|matlab|web)/' '^(r/man|web/licenses)/' | wc -l)"
show "C tests, all lines" "$(text '^tests/.*\.[ch]$' | wc -l)"
show "tracked files" "$(files . | wc -l)"
show "files of src and cli" "$(files '^(src|cli)/' | wc -l)"
show "public functions" "$(text '^include/.*\.h$' | grep -c '^VOLT_API')"
show "struct definitions of src and cli" "$(text "$code" | grep -cE '^ *(typedef )?struct( \w+)? \{')"
exit "$exceeded"
