#!/usr/bin/env bash
# scripts/check_layout.sh: the rules of the tree that a compiler does not check.
#
#   1. Includes point one way (docs/architecture.md): a folder includes only itself and those below it, and so do
#      the rooms inside src/io, src/kernel, src/gram, src/solve, src/model, src/predict, src/select, src/series and src/data, and those of the program (cli).
#   2. The program and the examples include public headers only; the program also text/text.h, which is compiled into it.
#   3. Every C file opens with its own path.
#   4. Every document is a page of the site (docs/site/index.md), by name or by a pattern.
set -euo pipefail
cd "$(dirname "$0")/.."

# Allowed includes of each folder of src/: itself, text and these, both as src/X/*.h and as volterra/X.h.
may_include()
{
    case $1 in
        text) ;;
        base) ;;
        kernel | io | data | stats) echo base ;;
        gram) echo kernel base ;;
        solve) echo gram kernel base ;;
        loss) echo solve gram kernel base ;;
        model) echo loss solve gram kernel io stats base ;;
        predict) echo model loss solve gram kernel io stats base ;;
        explain) echo model loss solve gram kernel io stats base ;;
        export) echo predict model loss solve gram kernel io stats base ;;
        select) echo predict model loss solve gram kernel io stats base ;;
        series) echo select predict model loss solve gram kernel io stats base ;;
        task) echo select predict model loss solve gram kernel io data stats base ;;
        *) echo "check_layout: folder src/$1 is not in the table of scripts/check_layout.sh" >&2; exit 1 ;;
    esac
}

# Allowed includes of each subfolder within its folder, besides itself. "." denotes the files directly in the
# folder. In kernel and data the subfolders depend on these files; in io, gram and predict these files depend on the subfolders.
may_include_rooms()
{
    case $1 in
        io/file | io/time) ;;
        io/table | io/safetensors) echo file ;;
        io/csv) echo table time file ;;
        io/npy | io/mat) echo table file ;;
        io/series) echo csv npy file ;;
        io/.) echo series csv npy mat safetensors table time file ;;
        kernel/.) ;;
        kernel/kinds) echo . ;;
        gram/engine) ;;
        gram/.) echo engine ;;
        solve/exact) ;;
        solve/choice) echo exact ;;
        solve/.) echo choice exact ;;
        solve/landmark) echo . choice exact ;;
        solve/iterative) echo . landmark exact ;;
        model/.) ;;
        model/file) echo . ;;
        model/fit) echo file . ;;
        predict/interval) ;;
        predict/live) echo interval ;;
        predict/.) echo live interval ;;
        select/candidates | select/folds) ;;
        select/evidence) echo folds ;;
        select/search) echo candidates folds evidence ;;
        series/gram) ;;
        series/classify | series/anomaly) echo gram ;;
        data/.) ;;
        data/ode | data/bekk) echo . ;;
        *) echo "check_layout: src/$1 is not in the table of rooms of scripts/check_layout.sh" >&2; exit 1 ;;
    esac
}

# Allowed includes of each folder of cli/: itself and these.
program_may_include()
{
    case $1 in
        terminal) ;;
        args) echo terminal ;;
        files) echo args terminal ;;
        search) echo files args terminal ;;
        series) echo search files args terminal ;;
        compare) echo search files args terminal ;;
        page) echo compare search files args terminal ;;
        commands) echo page compare series search files args terminal ;;
        main.c | program.[ch]) echo program.h commands page compare series search files args terminal ;;
        *) echo "check_layout: folder cli/$1 is not in the table of scripts/check_layout.sh" >&2; exit 1 ;;
    esac
}

faults=0
fault()
{
    echo "$*" >&2
    faults=$((faults + 1))
}

quoted_includes() { grep -nE '^ *# *include *"' "$1" | sed -E 's/^([0-9]+):[^"]*"([^"]*)".*/\1 \2/'; }

# ---- 1: the library -----------------------------------------------------------------------------
# folder_of HEADER: the folder of src/ whose interface include/volterra/HEADER.h is
folder_of()
{
    case $1 in
        status) echo base ;;
        live) echo predict ;;
        forecast | identify | row_anomaly) echo task ;;
        *) echo "$1" ;;
    esac
}

# check_library FILE FOLDER
check_library()
{
    local file=$1 own=$2 line path target
    while read -r line path; do
        target=${path#volterra/}
        [ "$target" = "$path" ] && target=${path%%/*} || target=$(folder_of "${target%.h}")
        [[ " $own text $(may_include "$own") " == *" $target "* ]] ||
            fault "$file:$line: $own must not include $path"
    done < <(quoted_includes "$file")
}

# room_of PATH: the subfolder ROOM of FOLDER/ROOM/NAME, and "." for FOLDER/NAME
room_of()
{
    local inside=${1#*/}
    [[ "$inside" == */* ]] && echo "${inside%%/*}" || echo .
}

# check_rooms FILE FOLDER: its includes of the same folder
check_rooms()
{
    local file=$1 folder=$2 room allowed line path
    room=$(room_of "${file#src/}")
    allowed=" $room $(may_include_rooms "$folder/$room") "
    while read -r line path; do
        [[ "$path" != "$folder"/* || "$allowed" == *" $(room_of "$path") "* ]] ||
            fault "$file:$line: $folder/$room must not include $path"
    done < <(quoted_includes "$file")
}

has_rooms() { [ -n "$(find "src/$1" -mindepth 2 -name '*.[ch]' -print -quit)" ]; }

for folder in src/*/; do
    folder=$(basename "$folder")
    while read -r file; do
        check_library "$file" "$folder"
        ! has_rooms "$folder" || check_rooms "$file" "$folder"
    done < <(find "src/$folder" -name '*.[ch]')
done
for file in include/volterra/*.h; do
    check_library "$file" "$(folder_of "$(basename "$file" .h)")"
done

# ---- 1: the program -----------------------------------------------------------------------------
while read -r file; do
    own=${file#cli/}
    own=${own%%/*}
    while read -r line path; do
        case $path in volterra.h | volterra/* | text/text.h) continue ;; esac
        [[ " $own $(program_may_include "$own") " == *" ${path%%/*} "* ]] || fault "$file:$line: $own must not include $path"
    done < <(quoted_includes "$file")
done < <(find cli -name '*.[ch]')

# ---- 2: those above it --------------------------------------------------------------------------
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

# ---- 3: files -----------------------------------------------------------------------------------
while read -r file; do
    [ -e "$file" ] || continue
    expected="/* ${file#include/}:"
    [[ "$(head -n 1 "$file")" == "$expected"* ]] || fault "$file: does not open with '$expected purpose'"
done < <(git ls-files --cached --others --exclude-standard -- '*.c' '*.h')

# ---- 4: the site --------------------------------------------------------------------------------
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
