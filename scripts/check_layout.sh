#!/usr/bin/env bash
# scripts/check_layout.sh: the rules of the tree that a compiler does not check.
#
#   1. The program and the examples include public headers only; the program also text/text.h, which is compiled into it.
#   2. Every C file opens with its own path.
#   3. Every document is a page of the site (docs/site/index.md), by name or by a pattern.
set -euo pipefail
cd "$(dirname "$0")/.."

faults=0
fault()
{
    echo "$*" >&2
    faults=$((faults + 1))
}

quoted_includes() { grep -nE '^ *# *include *"' "$1" | sed -E 's/^([0-9]+):[^"]*"([^"]*)".*/\1 \2/'; }

# ---- 1: public headers --------------------------------------------------------------------------
while read -r file; do
    folder=${file%%/*}
    while read -r line path; do
        case $path in
            volterra.h | volterra/*) ;;
            text/text.h) [ "$folder" = cli ] || fault "$file:$line: $path is not a public header" ;;
            *) [ -e "$folder/${path#"$folder"/}" ] || fault "$file:$line: $path is not a public header" ;;
        esac
    done < <(quoted_includes "$file")
done < <(find cli examples -name '*.[ch]')

# ---- 2: files -----------------------------------------------------------------------------------
while read -r file; do
    [ -e "$file" ] || continue
    expected="/* ${file#include/}:"
    [[ "$(head -n 1 "$file")" == "$expected"* ]] || fault "$file: does not open with '$expected purpose'"
done < <(git ls-files --cached --others --exclude-standard -- '*.c' '*.h')

# ---- 3: the site --------------------------------------------------------------------------------
pages=$(awk '/^```\{toctree\}/, /^```$/' docs/site/index.md | sed -E 's/^.*<(.*)>$/\1/')
while read -r document; do
    page=${document#docs/}
    page=${page%.md}
    listed=no
    while read -r pattern; do
        # shellcheck disable=SC2053 # a pattern
        [[ "$page" != $pattern ]] || listed=yes
    done <<<"$pages"
    [ "$listed" = yes ] || fault "$document: not in a toctree of docs/site/index.md"
done < <(find docs -name '*.md' -not -path 'docs/site/*')

[ "$faults" -eq 0 ] || { echo "check_layout: $faults faults" >&2; exit 1; }
