#!/usr/bin/env bash
# tests/faults/run.sh: behaviour of the program when memory runs out, or a system call or LAPACK fails, in any library in it.
#
#   VOLTERRA=path/to/volterra tests/faults/run.sh [--every [--part I/N]] [--only memory|calls] [PATTERN]
#
# Runs each command below once undisturbed, then with its k-th allocation failing, and with its k-th and all later
# ones failing; then with its k-th call of each family of `kinds` failing (failing.c). A run passes when it ends with
# status 0, the results and the files of the undisturbed run, or with another status and a sentence, every file whole or
# absent, and standard output whole or empty; where a call failed, an older file under the name of an output is still
# there, and what was begun (a log, a checkpoint, a state) leads to the undisturbed result when the command is given again.
# A signal, a hang, or a temporary file left behind is a fault, except where exceptions.txt says that the fault lies
# in another library. Prints TAP, one test a command and mode. PATTERN (a regular expression) chooses commands.
#
# With --every every k is tried (`make faults`), with --part I/N every N-th of them from the I-th on, with VOLT_FAULT_THIN=T only
# each T-th allocation (and a tenth of those of identify). Otherwise a sample, with another offset for each command: about
# VOLT_FAULT_RUNS runs each (default 12) of memory, and two thirds of that of calls for some commands. OMP_NUM_THREADS
# (default 1) is left to the caller; with more threads the k-th allocation is not the same one each time.
set -u
export LC_ALL=C OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
here=$(cd "$(dirname "$0")" && pwd)
VOLTERRA=${VOLTERRA:-$here/../../build/volterra}
case $VOLTERRA in /*) ;; *) VOLTERRA=$PWD/$VOLTERRA ;; esac
preload=$(dirname "$VOLTERRA")/tests/faults/failing.so
every=no only='' part=1 parts=1
while :; do
    case ${1-} in
        --every) every=yes ;;
        --part) part=${2%/*} parts=${2#*/}; shift ;;
        --only) only=$2; shift ;;
        *) break ;;
    esac
    shift
done
pattern=${1:-.}
runs=${VOLT_FAULT_RUNS:-12}
seconds_each=60 # turns a hang into a fault

if ! getconf GNU_LIBC_VERSION >/dev/null 2>&1; then
    printf 'ok 1 - faults # SKIP failing.c needs glibc\n1..1\n'
    exit 0
fi
for needed in "$VOLTERRA" "$preload"; do
    if [ ! -x "$needed" ]; then
        printf 'not ok 1 - there is no %s\n1..1\n' "$needed"
        exit 1
    fi
done
scratch=$(mktemp -d "${TMPDIR:-/tmp}/volterra-faults-XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
sed -E '/^#/d; s/  .*//' "$here/exceptions.txt" >exceptions

# ---- data ---------------------------------------------------------------------------------------
awk 'BEGIN { print "u,y"; for (t = 0; t < 60; t++) printf "%.12g,%.12g\n", sin(0.3 * t), cos(0.5 * t) + 0.1 * sin(t * t) }' >x.csv
awk 'BEGIN {
    print "a,b,c"
    for (t = 0; t < 40; t++) printf "%.12g,%.12g,%.12g\n", 1 + sin(t) ^ 2, 1.5 + cos(3 * t) ^ 2, 2 + sin(7 * t) ^ 2
}' >losses.csv
"$VOLTERRA" fit --x x.csv:u --y x.csv:y --alpha 1e-4 -o model.safetensors >/dev/null || exit 1
"$VOLTERRA" tune --x x.csv:u --y x.csv:y --kernel rbf --draws 3 --folds 2 --log whole.log >/dev/null || exit 1
"$VOLTERRA" fit --x x.csv --alpha 1e-4 -o closed.safetensors >/dev/null || exit 1

# A sum of kernels behind filters.
sum='2*fir:corr=0.3 + memory:pole=0.5*rbf'
"$VOLTERRA" fit --x x.csv --kernel "$sum" --alpha 1e-4 -o sum.safetensors >/dev/null || exit 1

# A stored factor.
"$VOLTERRA" fit --x x.csv:u --y x.csv:y --alpha 1e-4 --keep-factor -o kept.safetensors >/dev/null || exit 1

# Output feedback.
"$VOLTERRA" fit --x x.csv:u --y x.csv:y --kernel fading --alpha 1e-2 --feedback -o fed.safetensors >/dev/null || exit 1

# Classes with weights.
awk 'BEGIN { print "u,label,w"; for (t = 0; t < 40; t++) printf "%.12g,%s,%d\n", sin(t), substr("abc", 1 + t % 3, 1), 1 + t % 4 }' >labels.csv

# Rows with times, and a model with a calendar.
awk 'BEGIN { print "day,time,v"; for (t = 0; t < 40; t++) printf "%d/1/2020,%d:00,%.12g\n", 13 + int(t / 24), t % 24, sin(t) }' >dated.csv
"$VOLTERRA" fit --x dated.csv --rows :30 --calendar hour --alpha 1e-2 -o dated.safetensors >/dev/null || exit 1

# Many series, one with a cell that is not a number.
awk 'BEGIN {
    print "unique_id,ds,y"
    for (s = 0; s < 2; s++)
        for (t = 0; t < 24; t++) printf "s%d,%d,%s\n", s, 1990 + t, s == 1 && t == 5 ? "x" : sin(0.7 * t + s)
}' >many.csv

# Lines of a stream: a header of its own, rows, a hole and garbage. The answers are all different.
{ printf 'date,z,u\n'; awk 'BEGIN { for (t = 0; t < 6; t++) printf "2020-01-0%d,NA,%s\n", t + 1, t == 3 ? "" : sin(t) }'; } >lines

# Rows to learn, one of them without a target.
awk 'BEGIN { for (t = 0; t < 4; t++) printf "%.12g,%s\n", sin(t), t == 2 ? "" : cos(t) }' >pairs

# Rows after which the state is replaced, and some more.
awk 'BEGIN { for (t = 0; t < 10010; t++) printf "%.4f,%.4f\n", sin(t), cos(t * t) }' >many_pairs

"$VOLTERRA" stream model.safetensors --interval 0.5 --state tracked_before <pairs >/dev/null 2>&1 || exit 1

# ---- one run ------------------------------------------------------------------------------------

# disturbed FAULT K ON COMMAND...: run in ./run, with the K-th call of FAULT failing; leaves status, out, err, says
disturbed()
{
    local k=$2 on=$3
    fault=$1
    shift 3
    rm -rf run says
    mkdir run
    [ -z "$setup" ] || "$setup"
    [ "$planted" = no ] || plant
    # The braces suppress the shell's message about a killed program.
    {
        (cd run && exec timeout --kill-after=5 "$seconds_each" env LD_PRELOAD="$preload" VOLT_FAIL="$fault" VOLT_FAIL_AT="$k" \
            ${on:+VOLT_FAIL_ON=1} VOLT_FAIL_SAYS="$scratch/says" "$VOLTERRA" "$@" >../out 2>../err <"$input")
    } 2>/dev/null
    status=$?
}

# Check with another program whether this system supports intercepting calls.
shows_calls()
{
    local as=(env LD_PRELOAD="$preload" VOLT_FAIL=write:EIO VOLT_FAIL_SAYS="$scratch/says")
    [ "$("${as[@]}" VOLT_FAIL_AT=0 cat x.csv)" = "$(cat x.csv)" ] && grep -q '^write [1-9]' says &&
        [ -z "$("${as[@]}" VOLT_FAIL_AT=1 cat x.csv)" ]
}
calls_shown=no
! shows_calls 2>/dev/null || calls_shown=yes

# count_of FAMILY: calls in the run that was counted last
count_of() { sed -n "s/^$1 //p" counts; }

# An older file under the name of every output: logs and the like are not replaced.
echo 'the one before' >old
outputs() { (cd should && find . -type f \( -name '*.csv' -o -name '*.tex' -o -name '*.c' -o -name '*.h' -o -name '*.safetensors' -o -name '*.json' -o -name '*.mat' \)); }
plant()
{
    local file
    for file in $(outputs); do
        [ -e "run/$file" ] || cp old "run/$file"
    done
}

# Times differ from run to run, and so does what is aligned with them.
# shellcheck disable=SC2016 # a dollar of LaTeX
timeless()
{
    sed -E 's/"([a-z_]*seconds)": ?[-+.0-9e]+/"\1": T/g; s/"(flops)": ?[-+.0-9e]+/"\1": N/; s/[0-9.]+ (us|ms|s)\b/T/g
        s/(",[0-9]+,[0-9]+,)[-+.0-9e]+,"/\1T,"/; s/& [0-9.]+ & \$O/\& T \& $O/
        s/[0-9.]+ +O\(/T O(/; s/ +/ /g' "$1"
}

# The files in ./run, each with its contents; a page has times throughout, so that its ends stand for it.
contents()
{
    local file
    for file in $(find run -type f | sort); do
        # If stat fails, the lock could belong to another process and is kept. The next command takes it over.
        [[ ${fault:-} != stat* || $file != *.lock || -s $file ]] || continue
        echo "== $file"
        case $file in
            *.html) head -c 15 "$file"; tail -c 8 "$file" ;;
            *.csv | *.tex | *.log | *.jsonl | *.json) timeless "$file" ;;
            *) cksum <"$file" ;;
        esac
    done
}

# whole_table FILE SHOULD: as it should be, or, of a comparison, which keeps the kernels that are done, with a row for
# every kernel and the same beginning; LaTeX also with the same end
whole_table()
{
    [ "$(timeless "$1")" != "$(timeless "$2")" ] || return 0
    [ "$keeps_rows" = yes ] && [ "$(rows_of "$1")" = "$(rows_of "$2")" ]
}
rows_of()
{
    head -n 1 "$1"
    grep -oE '^"?(Linear|RBF)\b' "$1" | sort -u
    case $1 in *.tex) tail -n 1 "$1" ;; esac
}

# whole_moment FILE [OPTION...]: an interrupted stream saves its state, and another one resumes from it
whole_moment()
{
    cp "$1" moment && "$VOLTERRA" stream model.safetensors "${@:2}" --state moment </dev/null >/dev/null 2>&1
}

# judged_lines LOG: those that should be there; a failed factorisation fails its draw, with a line in the log
judged_lines() { timeless "$1" | if [ "$fault" = lapack ]; then grep -v '"failure":"'; else cat; fi; }

# whole_files: each file in ./run is as it should be, or absent, or a log of lines that should be there
whole_files()
{
    local file
    if [ "$planted" = yes ]; then
        for file in $(outputs); do
            [ -e "run/$file" ] || return 1
        done
    fi
    for file in run/*; do
        [ -f "$file" ] || continue
        if [ "$planted" = yes ] && cmp -s old "$file"; then
            continue
        fi
        case $file in
            *.log) ! judged_lines "$file" | grep -qvxFf <(timeless "should/${file##*/}") || return 1 ;;
            *.html) [ "$(tail -c 8 "$file")" = '</html>' ] || return 1 ;;
            */moment) whole_moment "$file" || return 1 ;;
            */pupil) whole_moment "$file" --learn || return 1 ;;
            */checkpoint) ;; # see goes_on
            */tracked) whole_moment "$file" --interval 0.5 || return 1 ;;
            *.csv | *.tex) whole_table "$file" "should/${file##*/}" || return 1 ;;
            *) cmp -s "$file" "should/${file##*/}" || return 1 ;;
        esac
    done
    return 0
}

# whole_output: nothing, or what there is to say without what failed: a JSON text that ends, or lines that are right. A longer
# output may end early where the message says that it could not be written.
whole_output()
{
    [ -s out ] || return 0
    ! grep -q 'cannot write to standard output' err || return 0
    case $wanted_out in
        '{'*) [ "$(head -c 1 out)" = '{' ] && [ "$(tail -n 1 out | tail -c 2)" = '}' ] ;;
        *) ! timeless out | grep -qvxFf <(echo "$wanted_out") || whole_table out wanted_text ;;
    esac
}

# fault_of COMMAND...: one line on what is wrong with the run, nothing when it is as it should be
fault_of()
{
    local left
    if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
        echo "did not end within $seconds_each s"
    elif [ "$status" -ge 126 ]; then
        echo "status $status: $(head -n 1 err)"
    elif [ "$status" -eq 0 ] && [ "$fault" = lapack ]; then
        # A matrix that is not positive definite costs a draw, or is made a little more definite.
        ! grep -qiw nan out || echo "status 0, and an output with nan"
    elif [ "$status" -eq 0 ]; then
        [ "$(timeless out)" = "$wanted_out" ] || echo "status 0, and another output"
        [ "$(contents)" = "$wanted_files" ] || echo "status 0, and other files"
    else
        if [ ! -s err ] || grep -qvE '^volterra [a-z]+: .' err; then
            echo "status $status and no sentence, but: $(head -c 300 err | tr '\n' '|')"
        elif grep -qF '(null)' err; then
            echo "the sentence says (null): $(cat err)"
        elif grep -qF Success err || { [ "$planted" = yes ] && [ "$(wc -l <err)" -gt $((wanted_lines + 1)) ]; }; then
            echo "no one sentence that says why: $(tr '\n' '|' <err)"
        fi
        whole_output || echo "status $status, and half of the output"
        whole_files || echo "status $status, and a file that is not whole"
    fi
    left=$(find run -name '.volterra-*')
    [ -z "$left" ] || echo "left behind: $left"
    if [ -n "$again" ] && [ "$status" -ne 0 ] && { [ "$planted" = yes ] || [ "$every" = yes ]; }; then
        goes_on "$@" || echo "given again: $(tr '\n' '|' <again)"
    fi
}

# goes_on COMMAND...: run again without faults; the result must equal that of the undisturbed run
goes_on()
{
    (cd run && "$again" "$@") >again 2>&1 || return 1
    echo "other files" >>again
    [ "$(contents)" = "$wanted_files" ]
}

# is_excepted: did the allocation that failed belong to a library that cannot bear it? Wrong results are never excused.
is_excepted()
{
    [ "$status" -ne 0 ] && cat says err | grep -qEf exceptions
}

# site_of FILE: the function of another library that asked for memory, and the one that it worked for
site_of()
{
    tr ' ' '\n' <"$1" | grep -vE '^libc[.]' | awk '!/!0x/ || NR == 1 { print; if (++n == 2) exit }' | paste -sd ' '
}

# ---- one command --------------------------------------------------------------------------------
count=0 failed=0 total=0 excepted=0 setup='' keeps_rows=no input=/dev/null planted=no
again='' # what goes on with a run that failed
calls=no # system calls and LAPACK fail as well in a sample
thin=${VOLT_FAULT_THIN:-1} # of --every: each thin-th allocation
pass_over=0 # percent of the allocations from which no sample is taken
modes=('' yes)
kinds=(open:EMFILE open:EIO read:EIO read:EINTR read:short write:ENOSPC write:EIO write:EINTR write:short sync:EIO
    rename:EIO close:EIO truncate:EIO stat:EIO lock:ENOLCK seek:EIO list:EIO folder:ENOSPC lapack)

# verdict NAME FAULTS
verdict()
{
    if [ "$2" -eq 0 ]; then
        echo "ok $count - $1"
    else
        echo "not ok $count - $1: $2 faults"
        failed=$((failed + 1))
    fi
}

# one_run FAULT K ON COMMAND...: 1 where it shows a fault, which is printed
one_run()
{
    local said
    disturbed "$@"
    total=$((total + 1))
    echo "${1%%:*} $4" >>tally
    said=$(fault_of "${@:4}")
    [ -n "$said" ] || return 0
    if is_excepted; then
        excepted=$((excepted + 1))
        site_of says >>sites
        return 0
    fi
    printf '# %s %d%s: %s\n#   at %s\n' "$1" "$2" "${3:+ and all later}" "$said" "$(cat says 2>/dev/null)"
    return 1
}

# trial NAME COMMAND...
trial()
{
    local name=$1
    shift
    [[ $name =~ $pattern ]] || return 0
    disturbed memory 0 '' "$@"
    if [ "$status" -ne 0 ]; then
        count=$((count + 1)) failed=$((failed + 1))
        echo "not ok $count - $name undisturbed: status $status: $(cat err)"
        return
    fi
    mv says counts
    wanted_out=$(timeless out) wanted_files=$(contents) wanted_lines=$(wc -l <err)
    mv out wanted_text
    rm -rf should
    mv run should
    [ "$only" = calls ] || try_memory "$name" "$@"
    [ "$only" = memory ] || [ "$calls" = never ] || { [ "$calls" = no ] && [ "$every" = no ]; } || try_calls "$name" "$@"
}

try_memory()
{
    local name=$1 on last first step from k faults
    shift
    last=$(count_of memory)
    if [ "$last" -eq 0 ]; then
        count=$((count + 1)) failed=$((failed + 1))
        echo "not ok $count - $name: $preload does not see its allocations"
        return
    fi
    for on in "${modes[@]}"; do
        count=$((count + 1)) faults=0
        first=$((last * pass_over / 100))
        step=$(((last - first) / runs + 1))
        from=$((1 + first + count * 7 % step))
        [ "$every" = no ] || from=$(((part - 1) * thin + 1)) step=$((parts * thin))
        for ((k = from; k <= last; k += step)); do
            one_run memory "$k" "$on" "$@" || faults=$((faults + 1))
        done
        verdict "$name, ${on:+memory out from }one of $last allocations${on:+ on}" "$faults"
    done
}

try_calls()
{
    local name=$1 kind k i last step from faults=0 pairs=()
    shift
    count=$((count + 1)) planted=yes
    if [ "$calls_shown" = no ]; then
        echo "ok $count - $name # SKIP this system does not show system calls"
        planted=no
        return
    fi
    disturbed open 0 '' "$@"
    mv says counts
    if [ "$status" -ne 0 ] || [ "$(contents)" != "$wanted_files" ]; then
        verdict "$name over older files: status $status: $(cat err)" 1
    else
        for kind in "${kinds[@]}"; do
            last=$(count_of "${kind%%:*}")
            for ((k = 1; k <= last; k++)); do
                pairs+=("$kind $k")
            done
        done
        step=$((3 * ${#pairs[@]} / (2 * runs) + 1))
        from=$((count * 7 % step))
        [ "$every" = no ] || from=$((part - 1)) step=$parts
        for ((i = from; i < ${#pairs[@]}; i += step)); do
            one_run "${pairs[i]% *}" "${pairs[i]#* }" '' "$@" || faults=$((faults + 1))
        done
        verdict "$name, one of ${#pairs[@]} calls fails" "$faults"
    fi
    planted=no
}

# Counts of runs, also of a part that is stopped by SIGTERM.
summary()
{
    [ ! -s tally ] || sort tally | uniq -c | sed 's/^/# /'
    echo "# $total runs, $excepted of them with faults of other libraries"
    [ ! -s sites ] || sort sites | uniq -c | sed 's/^/# /'
    echo "1..$count"
}
trap 'echo "not ok - stopped in command $count"; summary; exit 143' TERM

own=(--x ../x.csv:u --y ../x.csv:y)
take_whole_log() { cp whole.log run/t.log; }
take_log() { head -n 2 whole.log >run/t.log; }
take_moment() { cp tracked_before run/tracked; }
give_again() { "$VOLTERRA" "$@"; }
give_with_resume() { "$VOLTERRA" "$@" --resume; }
# The rows that the state does not have yet.
give_rest()
{
    local done=0
    [ ! -e pupil ] || done=$(grep -ao '"rows":"[0-9]*"' pupil | grep -o '[0-9]*')
    tail -n +$((done + 1)) ../many_pairs | "$VOLTERRA" "$@"
}

for json in '' --json; do
    calls=yes
    [ -z "$json" ] || calls=no
    trial "fit $json" fit "${own[@]}" --alpha 1e-4 --fitted fitted.csv -o m.safetensors $json
    trial "forecast $json" forecast ../dated.csv --steps 2 --calendar hour --plot none -o f.csv $json
    calls=no
    trial "forecast of several $json" forecast ../x.csv --steps 2 --season 12 --plot none -o f.csv $json
    trial "predict $json" predict ../model.safetensors --x ../x.csv:u -o f.csv $json
    trial "predict to standard output $json" predict ../model.safetensors --x ../x.csv:u $json
    trial "fit --calendar $json" fit --x ../dated.csv --calendar hour,weekday --alpha 1e-2 -o m.safetensors $json
    trial "predict with times $json" predict ../dated.safetensors --x ../dated.csv --rows 29: --index -o f.csv $json
    input=$scratch/lines
    trial "stream $json" stream ../model.safetensors --missing hold --state moment $json
    input=$scratch/pairs
    trial "stream --learn $json" stream ../model.safetensors --learn --window 5 --state pupil $json
    input=/dev/null
    calls=never # a program that is started inherits the calls that stop, and not who answers them
    trial "explain $json" explain ../model.safetensors --lags 3 --along ../x.csv:u -o e --csv --report $json
    calls=no
    trial "continue $json" continue ../closed.safetensors --steps 5 $json
    again=give_with_resume
    trial "tune $json" tune "${own[@]}" --kernel volterra --draws 3 --folds 2 --log t.log -o m.safetensors $json
    again=give_again setup=take_log
    trial "tune --resume $json" tune "${own[@]}" --kernel rbf --draws 3 --folds 2 --log t.log --resume $json
    again='' setup=''
    trial "tune of a series $json" tune --x ../x.csv:u --ahead 2 --draws 2 --folds 2 -o m.safetensors $json
    setup=take_whole_log again=give_again
    trial "tune --resume alone $json" tune "${own[@]}" --kernel rbf --folds 2 --log t.log --resume $json
    again='' setup=''
    keeps_rows=yes
    trial "compare $json" compare "${own[@]}" --kernel linear rbf --draws 2 --folds 2 --csv t.csv --latex t.tex $json
    keeps_rows=no
    trial "mcs $json" mcs ../losses.csv --reps 200 $json
    trial "capacity $json" capacity --rows 30 --degree 2 --delay 2 --washout 3 $json
done
trial "capacity of states" capacity --kernel esn:size=5 --rows 30 --degree 2 --delay 2 --washout 3
trial "fit of a sum" fit "${own[@]}" --kernel "$sum" --alpha 1e-4 -o m.safetensors
trial "predict with a sum" predict ../sum.safetensors --x ../x.csv -o f.csv
trial "continue with a sum" continue ../sum.safetensors --steps 5
trial "tune of a sum" tune "${own[@]}" --kernel 'fir + ?*rbf:pole=?' --draws 2 --folds 2 --log t.log -o m.safetensors
trial "fit --feedback" fit "${own[@]}" --kernel fading --alpha 1e-2 --feedback -o m.safetensors
trial "predict --known" predict ../fed.safetensors --x ../x.csv:u --start reset --known ../x.csv:y --warm-up 9 -o f.csv
trial "tune --feedback" tune "${own[@]}" --kernel fading --feedback --draws 2 --folds 2 --log t.log -o m.safetensors
if [ -e "$(dirname "$VOLTERRA")/tests/plugin/fake_plugin.so" ]; then
    VOLT_CUDA_PLUGIN=$(dirname "$VOLTERRA")/tests/plugin/fake_plugin.so
    export VOLT_CUDA_PLUGIN
    trial "fit on a device" fit "${own[@]}" --alpha 1e-4 --device gpu -o m.safetensors
    trial "tune on a device" tune "${own[@]}" --kernel volterra --draws 3 --folds 2 --device gpu --log t.log -o m.safetensors
    unset VOLT_CUDA_PLUGIN
fi
trial "fit --loss" fit "${own[@]}" --loss quantile:q=0.1/0.9 --alpha 1e-2 -o m.safetensors
trial "fit --loss of classes" fit --x ../labels.csv:u --y ../labels.csv:label --loss multinomial --alpha 0.1 -o m.safetensors
trial "tune --loss" tune "${own[@]}" --loss quantile:q=0.1/0.9 --alpha log:0.01..1 --draws 2 --folds 2 --log t.log -o m.safetensors
trial "tune --loss of classes" tune --x ../labels.csv:u --y ../labels.csv:label --loss multinomial --weights ../labels.csv:w \
    --alpha log:0.1..1 --draws 2 --folds 2 --json
trial "tune --solver nystrom" tune "${own[@]}" --kernel memory --draws 2 --solver nystrom --landmarks 10 -o m.safetensors
trial "fit --solver pcg" fit "${own[@]}" --alpha 1e-4 --solver pcg --landmarks 10 -o m.safetensors
trial "fit --solver nystrom" fit "${own[@]}" --alpha 1e-4 --solver nystrom --landmarks 40 -o m.safetensors
trial "fit --keep-factor" fit "${own[@]}" --alpha 1e-4 --keep-factor -o m.safetensors
trial "predict --interval --std" predict ../kept.safetensors --x ../x.csv:u --interval 0.5,0.9 --std -o f.csv
trial "explain with a factor" explain ../kept.safetensors --lags 3 --no-shares -o e --csv
trial "continue --paths" continue ../closed.safetensors --steps 3 --paths 4 --interval 0.5 -o f.csv
input=$scratch/pairs
trial "stream --interval" stream ../model.safetensors --interval 0.5 --state tracked
input=/dev/null
printf '@univariate true\n@classLabel true a b\n@data\n1,2,1:a\n2,1,1:a\n0,3,3:b\n1,3,2:b\n' >"$scratch/classes.ts"
calls=yes
trial "classify" classify --train ../classes.ts --test ../classes.ts --kernel rbf:gamma=1 --scale none --input level --splits 1 -o p.csv --json
calls=no
trial "anomaly of series" anomaly --train "$here/../../examples/data/turns_train.ts" --normal left --alpha 0.01 -o s.csv
trial "anomaly of rows" anomaly --x ../x.csv:u --train-rows 20 --window 10 --json
trial "gram of a sum" gram --x ../x.csv --kernel "$sum" -o K.csv
calls=yes
trial "curve" curve "${own[@]}" --kernel rbf --points 2 -o t.csv
trial "export" export ../model.safetensors -o m.c --precision single --landmarks 10 --json
calls=no
if [ "$every" = yes ]; then # their allocations are like those above, which are sampled
    trial "curve of a system" curve --system narma10 --length 60 --kernel linear rbf --points 2 --repeat 2 --json
    trial "export as JSON" export ../sum.safetensors --format json -o m.json
    trial "export with intervals" export ../fed.safetensors --interval 0.5 -o m.c
    trial "fit --landmarks auto" fit "${own[@]}" --alpha 1e-4 --solver nystrom --landmarks auto -o m.safetensors
    trial "forecast of many" forecast ../many.csv --steps 2 --season none -o f.csv --json
    thin=$((10 * thin)) # 15,000 allocations
    trial "identify" identify ../x.csv --x u --y y --draws 1 -o m.safetensors --json
    thin=$((thin / 10))
fi
keeps_rows=yes
trial "compare on a series" compare --x ../x.csv:u --ahead 2 --kernel rbf --draws 2 --folds 2
calls=never
trial "compare --report" compare "${own[@]}" --kernel linear rbf --draws 2 --folds 2 --report r.html
calls=no

# Resumed commands. Their failing allocations are like those above and are sampled there.
[ "$every" = yes ] || modes=()
again=give_again calls=yes
trial "fit --checkpoint" fit "${own[@]}" --alpha 1e-4 --solver pcg --landmarks 40 --checkpoint checkpoint --checkpoint-every 0.000001s -o m.safetensors
again=give_with_resume
trial "compare --log" compare "${own[@]}" --kernel linear rbf --draws 2 --folds 2 --log logs --csv t.csv
keeps_rows=no input=$scratch/many_pairs again=give_rest
trial "stream --state" stream ../model.safetensors --learn --window 5 --state pupil
again='' setup=take_moment
trial "stream from a state" stream ../model.safetensors --interval 0.5 --state tracked
setup='' input=/dev/null calls=no

modes=('') # once memory is out for good HDF5 dies at the latest when it is closed
pass_over=85 runs=$((5 * runs)) # HDF5 begins with 2000 allocations for itself; then it walks through the file
tar -xf "$here/../fuzz/corpus/mat.tar" -C "$scratch" v73.mat
trial "gram of a MATLAB file" gram --x ../v73.mat --kernel linear -o K.mat

summary
[ "$failed" -eq 0 ]
