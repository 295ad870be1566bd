#!/usr/bin/env bash
# bench/gpu/sysid.sh: the measured systems, with searches and fits on a GPU.
#
#   bench/gpu/sysid.sh VOLTERRA DATA OUT [DEVICE]
#
# VOLTERRA is the program, DATA the folder with wiener_hammerstein.csv and silverbox_snls80mv.csv, OUT a folder for logs,
# models and figures, DEVICE gpu unless it is given. For each system: an adaptive search of kernel, alpha and feedback weight on
# a segment of the training part. For its result and for the preset (python/volterra/benchmarks/data), alpha is chosen again on
# a longer segment. The better of the two is fitted on all training rows and simulates the tests. All choices
# are made on training rows. Within 8 minutes on one H200 with 16 cores.
#
#   SEARCH_SECONDS   of each search (100)      ALPHA_SECONDS   of each grid of alphas (40)
#   SCALE            all row counts are divided by it, to try the script (1)
#   ONLY             wh or silverbox (both)
set -u
[ $# -ge 3 ] || { sed -n '2,16s/^# \{0,1\}//p' "$0" >&2; exit 2; }
volterra=$1 data=$2 out=$3 device=${4:-gpu}
search_seconds=${SEARCH_SECONDS:-100} alpha_seconds=${ALPHA_SECONDS:-40} scale=${SCALE:-1}
mkdir -p "$out"
begun=$(date +%s)

say() { echo "[$(($(date +%s) - begun)) s] $*" | tee -a "$out/summary.txt"; }
field() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["best"].get(sys.argv[2], 0))' "$1" "$2"; }
rmse_mv() { python3 -c 'import json, sys; print("%.4f" % (1000 * json.load(open(sys.argv[1]))["rmse"]))' "$1"; }

# step NAME SECONDS ARGUMENTS...: one call of the program, its JSON in OUT/NAME.json
step()
{
    local name=$1 limit=$2
    shift 2
    timeout "$limit" "$volterra" "$@" --device "$device" --json >"$out/$name.json" 2>"$out/$name.err" && return
    say "$name ended with $?: $(tail -n 1 "$out/$name.err")"
    return 1
}

# score NAME TRUTH TRUTH_ROWS PREDICTED PREDICTED_ROWS: in mV
score()
{
    "$volterra" score --truth "$2" --pred "$4" --truth-rows "$3" --pred-rows "$5" --json >"$out/$1.json" 2>"$out/$1.err" &&
        say "$1: $(rmse_mv "$out/$1.json") mV"
}

# rows FIRST COUNT: as --rows takes them, the count divided by SCALE
rows() { echo "$1:$(($1 + 300 + $2 / scale))"; }

# alphas ALPHA: ALPHA times 1/30 to 3, but not below least_alpha
alphas()
{
    awk -v a="$1" -v least="$least_alpha" 'BEGIN { low = a / 30 < least ? least : a / 30; print low ".." (3 * a > low ? 3 * a : 10 * low) }'
}

# longer NAME FIRST TRAIN ROWS KERNEL ALPHA WEIGHT: alpha again on a longer stretch
longer()
{
    local feedback=()
    [ ${#fed[@]} -eq 0 ] || feedback=(--feedback --feedback-weight "$7")
    step "$1" $((alpha_seconds + 60)) tune "${files[@]}" --rows "$(rows "$2" "$4")" --washout 300 --kernel "$5" \
        --range "alpha=log:$(alphas "$6")" --grid 8 --budget "${alpha_seconds}s" --folds 1 \
        --min-train $((300 + $3 / scale)) --score mse --race none "${feedback[@]}" &&
        say "$1: alpha $(field "$out/$1.json" alpha), mean squared error $(field "$out/$1.json" score) of the later rows"
}

# identify NAME FIRST SEARCH_TRAIN SEARCH_ROWS LONGER_TRAIN LONGER_ROWS FIT_ROWS KERNEL OPTIONS...; `preset` is its rival
identify()
{
    local name=$1 first=$2 train=$3 searched=$4 longer_train=$5 longer_rows=$6 fitted=$7 kernel=$8 winner=$1-longer
    shift 8
    step "$name-search" $((search_seconds + 60)) tune "${files[@]}" --rows "$(rows "$first" "$searched")" --washout 300 \
        --kernel "$kernel" --search adaptive --budget "${search_seconds}s" --folds 2 --min-train $((300 + train / scale)) \
        --score mse --race fast --seed 1 "${fed[@]}" --log "$out/$name-search.jsonl" "$@" || return 1
    local found=("$(field "$out/$name-search.json" kernel)" "$(field "$out/$name-search.json" alpha)"
        "$(field "$out/$name-search.json" feedback)")
    say "$name: ${found[0]}, alpha ${found[1]}, feedback ${found[2]} ($(wc -l <"$out/$name-search.jsonl") draws)"
    longer "$name-longer" "$first" "$longer_train" "$longer_rows" "${found[@]}" || return 1
    if longer "$name-preset" "$first" "$longer_train" "$longer_rows" "${preset[@]}" &&
        awk -v a="$(field "$out/$name-preset.json" score)" -v b="$(field "$out/$name-longer.json" score)" 'BEGIN { exit !(a < b) }'; then
        winner=$name-preset found=("${preset[@]}")
    fi
    local feedback=()
    [ ${#fed[@]} -eq 0 ] || feedback=(--feedback --feedback-weight "${found[2]}")
    step "$name-fit" 120 fit "${files[@]}" --rows "$(rows "$first" "$fitted")" --washout 300 --kernel "${found[0]}" \
        --alpha "$(field "$out/$winner.json" alpha)" "${feedback[@]}" -o "$out/$name.safetensors" || return 1
    say "$name: $winner won on training rows, and is fitted on $((fitted / scale)) rows"
}

# ---- Wiener-Hammerstein: training rows 5200 to 105,200, the test behind them ---------------------
file=$data/wiener_hammerstein.csv
files=(--x "$file:uBenchMark" --y "$file:yBenchMark")
fed=()
least_alpha=0
preset=('memory:gamma=14.15,rho=0.01727,mu=0.8208,pole=0.72577,pair=0.8527,angle=0.17091 + 7.353*fir:mu=0.9072,corr=0.2975' 3.5e-5 0)
if [ "${ONLY:-wh}" = wh ] && identify wh 28000 6000 10000 40000 50000 70000 'memory:pole=?,pair=?,angle=? + ?*fir:corr=?' \
    --range alpha=log:1e-6..1e-3 1.gamma=log:3..60 1.rho=log:0.003..0.3 1.mu=uniform:0.6..0.95 1.pole=uniform:0.6..0.85 \
    1.pair=uniform:0.75..0.92 1.angle=uniform:0.1..0.25 2.weight=log:1..50 2.mu=uniform:0.8..0.97 2.corr=uniform:0.1..0.6; then
    step wh-test 120 predict "$out/wh.safetensors" --x "$file:uBenchMark" --rows 105200:184000 --start reset --beyond allow \
        -o "$out/wh-test.csv" && score wh "$file:yBenchMark" 105250:184000 "$out/wh-test.csv" 50:78800
fi

# ---- Silverbox: training rows 40,650 to 105,712, two tests, outputs fed back ---------------------
file=$data/silverbox_snls80mv.csv
files=(--x "$file:V1" --y "$file:V2")
fed=(--feedback)
least_alpha=1e-7 # with so many rows smaller ones have no Cholesky factor
preset=('fading:gamma=0.25645,rho=0.27281 + 100000*fir:mu=0.11402,corr=0.072815' 2.5e-7 3.6538)
if [ "${ONLY:-silverbox}" = silverbox ] && identify silverbox 67000 8000 16000 28000 38000 38000 'fading + ?*fir:corr=?' \
    --range alpha=log:1e-8..1e-5 1.gamma=log:0.05..2 1.rho=uniform:0.05..0.6 2.weight=log:1e4..1e6 2.mu=uniform:0.02..0.5 \
    2.corr=uniform:0.01..0.4 feedback=log:1..10; then
    for test in multisine:105712:127400:105762:21688 arrow:100:40575:150:40475; do
        IFS=: read -r name first end scored count <<<"$test"
        step "silverbox-$name-test" 120 predict "$out/silverbox.safetensors" --x "$file:V1" --rows "$first:$end" --start reset \
            --beyond allow --known "$file:V2" --warm-up 50 -o "$out/silverbox-$name.csv" &&
            score "silverbox-$name" "$file:V2" "$scored:$end" "$out/silverbox-$name.csv" "50:$count"
    done
fi
say "done"
