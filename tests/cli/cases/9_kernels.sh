# tests/cli/cases/9_kernels.sh: every kernel in every command, and collections of series.

data=$here/data
positive_kernels="volterra linear rbf rbf:window=5 poly:window=3 fading memory recurrent recurrent:activation=relu,leak=0.3 fir fir:mu=0.7 gak:window=5 gak:path=rows \
    esn:size=20 sas:size=15,norm=0.8 esn:size=10,activation=identity,degree=2 gak:window=4,centre=yes sig:window=4,augment=time sig:path=rows,level=3 sig:window=4,features=linear,scale=2 \
    sig:path=rows,features=rbf,gamma=0.3"
indefinite_kernels="sigpde:window=4,static=rbf sigpde:path=rows"

# ---- documents ----------------------------------------------------------------------------------

documents()
{
    local root=$here/../.. kernels
    expect 0 help kernels
    kernels=$(grep -E '^[a-z]+$' out)
    [ "$(wc -w <<<"$kernels")" -ge 11 ] || fail "the help has only: $kernels"
    for kernel in $kernels; do
        grep -qF "\`$kernel\`" "$root/docs/math.md" || fail "docs/math.md does not name $kernel"
        grep -qE "^\.(It )?Cm $kernel(:|\$)" "$root/docs/man/volterra.1.in" || fail "the manual page has no $kernel"
    done
}
check "the documents name every kernel" documents

# The page adds the kernel cauchy: every file that contains it, but for recorded results, must be named on the page.
page_on_kernels()
{
    local root=$here/../.. page file name
    page=$root/docs/adding_a_kernel.md
    for file in $(cd "$root" && grep -rlw cauchy README.md CHANGELOG.md bench cli docs examples include python src tests |
        grep -vE '^tests/fuzz/corpus/|^tests/cli/data/figures/|__pycache__|^docs/adding_a_kernel.md$'); do
        name=${file#docs/}
        grep -qF -e "$file" -e "($name)" "$page" || fail "docs/adding_a_kernel.md does not name $file"
    done
    # Every file that the page names exists.
    grep -oE '`(src|tests|docs|bench|examples|include)/[a-z0-9_/.]+\.(c|h|py|sh|md|1)`' "$page" | tr -d '`' | sort -u >named
    [ "$(wc -l <named)" -ge 30 ] || fail "only $(wc -l <named) files are named"
    while read -r file; do
        [ -e "$root/$file" ] || fail "docs/adding_a_kernel.md names $file, which is not there"
    done <named
}
check "docs/adding_a_kernel.md names every list of kernels" page_on_kernels

# ---- one sequence -------------------------------------------------------------------------------

# same_everywhere KERNEL: fit on 50 rows, then run every command with the model
same_everywhere()
{
    expect 0 fit --x x.csv --rows :51 --kernel "$1" --alpha 1e-4 --fitted fitted.csv --verbose -o m.safetensors
    cp err fit-says
    out_has "^kernel +${1%%:*}(:|\$)"
    out_has '^R2 in sample'
    grep -qE '^[a-z ]+ +(0|-?nan|inf)( |$)' <(grep -vE '^washout' out) && fail "$1: a fact that is none: $(cat out)"

    # Predictions of the training rows equal the fitted values.
    expect 0 predict m.safetensors --x x.csv --rows :50 --start reset -o again.csv
    near fitted.csv again.csv 1e-7
    # Row by row and all at once give the same result, with either initial state.
    expect 0 predict m.safetensors --x x.csv --rows 50: -o batch.csv
    { sed -n 1p x.csv; tail -n +52 x.csv; } >rest.csv
    expect 0 stream m.safetensors --header <rest.csv
    near batch.csv out 1e-7
    expect 0 predict m.safetensors --x x.csv --rows 50: --start reset -o batch.csv
    expect 0 stream m.safetensors --start reset --header <rest.csv
    near batch.csv out 1e-7
    # The first step of the free run equals the prediction from the last training target.
    expect 0 predict m.safetensors --x x.csv --rows 50:51 -o one.csv
    expect 0 continue m.safetensors --steps 1
    near one.csv out 1e-9
}

every_kernel()
{
    series 60 >x.csv
    for kernel in $positive_kernels; do
        same_everywhere "$kernel"
        [ ! -s fit-says ] || fail "$kernel: $(cat fit-says)"
    done
}
check "every kernel: fit, predict, stream, continue" every_kernel

indefinite()
{
    series 60 >x.csv
    for kernel in $indefinite_kernels; do
        same_everywhere "$kernel"
        grep -qE '^volterra: warning: kernel sigpde need not be positive' fit-says || fail "$kernel does not warn"
        expect 0 gram --x x.csv --kernel "$kernel" --quiet -o K.npy
        no_err
    done
    expect 0 gram --x x.csv --kernel sigmoid -o K.npy
    err_names warning sigmoid
    lines_of err 1
    # No alpha near rounding makes this matrix definite; the error message reports it.
    expect 1 fit --x x.csv --kernel sigmoid --alpha 1e-9 -o m2.safetensors
    err_names sigmoid
    absent m2.safetensors
    expect 0 fit --x x.csv --kernel sigmoid --alpha 100 -o m2.safetensors
    err_names warning sigmoid
}
check "kernels that need not be positive definite cause a warning" indefinite

summary_facts()
{
    series 60 >x.csv
    expect 0 fit --x x.csv --kernel rbf:window=5 --verbose -o m.safetensors
    grep -qE '^(tau|lambda|contraction|memory length)' out && fail "a static kernel has $(cat out)"
    expect 0 fit --x x.csv --kernel rbf:window=5 -o m.safetensors --json
    valid_json out "not {'tau', 'lambda', 'lambda_bound', 'contraction', 'horizon'} & set(v) and v['r2'] > 0.9"
    expect 0 fit --x x.csv --kernel memory:mu=0.8,rho=0.4 --verbose -o m.safetensors
    out_has '^contraction rate +0\.8$'
    out_has '^memory length +[0-9]+ '
    grep -qE '^(tau|lambda)' out && fail "memory has $(cat out)"
    expect 0 fit --x x.csv --kernel fading:rho=0 --verbose -o m.safetensors
    grep -qE '^(contraction|memory length)' out && fail "fading without a past has $(cat out)"
    expect 0 fit --x x.csv --kernel volterra:lift=rbf --verbose -o m.safetensors
    grep -q '^tau' out && fail "lift=rbf has $(cat out)"
    out_has '^lambda +0\.9$'
}
check "the summary of fit describes the kernel" summary_facts

# stacked WINDOW: the last WINDOW rows of x.csv side by side, zeros before the first, without a header
stacked()
{
    awk -F, -v w="$1" 'NR == 1 { d = NF; next }
        { n = NR - 1; for (k = 1; k <= d; k++) x[n, k] = $k
          for (s = n - w + 1; s <= n; s++) for (k = 1; k <= d; k++)
              printf "%s%s", s < 1 ? 0 : x[s, k], s == n && k == d ? "\n" : "," }' x.csv
}

windows()
{
    series 30 3 >x.csv
    stacked 4 >windows.csv
    for parameters in linear rbf:gamma=0.3 poly:degree=2,gamma=0.5 sigmoid:gamma=0.1,coef0=0.2; do
        case $parameters in *:*) windowed=$parameters,window=4 ;; *) windowed=$parameters:window=4 ;; esac
        expect 0 gram --x x.csv --kernel "$windowed" -o K.csv
        expect 0 gram --x windows.csv --kernel "$parameters" -o stacked.csv
        # Entries are at most (0.5 * 24 + 1)^2 = 169 and sums of 12 products: rounding is below 1e-12.
        near K.csv stacked.csv 1e-12
        expect 0 gram --x x.csv --rows :20 --y x.csv --y-rows 5: --kernel "$windowed" -o cross.csv
        lines_of cross.csv 20
    done
}
check "gram of a windowed kernel equals that of stacked windows" windows

known_values()
{
    # x = (1, 0), gamma = 0.5: D = 0, 1 off the diagonal, the second diagonal entry 0 again; before the
    # first row both pasts are zero. memory adds mu times the entry before, which starts at 1 / (1 - mu).
    printf '1\n0\n' >x.csv
    expect 0 gram --x x.csv --kernel linear
    printf '1,0\n0,0\n' >known.csv
    near out known.csv 0
    expect 0 gram --x x.csv --kernel rbf:gamma=0.5
    awk 'BEGIN { e = exp(-0.5); printf "1,%.17g\n%.17g,1\n", e, e }' >known.csv
    near out known.csv 4e-16
    # D[0][1] = |1 - 0|^2 + rho D[-1][0], and D[-1][0] = |0 - 1|^2 = 1, so exp(-0.5 * 1.5).
    expect 0 gram --x x.csv --kernel fading:gamma=0.5,rho=0.5
    awk 'BEGIN { e = exp(-0.75); printf "1,%.17g\n%.17g,1\n", e, e }' >known.csv
    near out known.csv 4e-16
    # K[-1][0] = exp(-0.5 * 1) + 0.5 * 2, K[0][1] = exp(-0.75) + 0.5 K[-1][0].
    expect 0 gram --x x.csv --kernel memory:gamma=0.5,rho=0.5,mu=0.5
    awk 'BEGIN { e = exp(-0.75) + 0.5 * (exp(-0.5) + 1); printf "2,%.17g\n%.17g,2\n", e, e }' >known.csv
    near out known.csv 1e-15
}
check "gram: values of the new kernels known by hand" known_values

wrong_kernels()
{
    series 20 >x.csv
    for command in gram "fit -o m.safetensors"; do
        expect 2 $command --x x.csv --kernel gak
        err_names gak window=W path=rows
        expect 2 $command --x x.csv --kernel sig:level=3
        err_names sig window=W path=rows
        expect 2 $command --x x.csv --kernel gak:window=0
        err_names window=0 1
        expect 2 $command --x x.csv --kernel rbf:window=2.5
        err_has 'window=2\.5'
        expect 2 $command --x x.csv --kernel gak:window=3,path=rows
        err_names window path=rows
        expect 2 $command --x x.csv --kernel gak:sgma=2,window=3
        err_names '"sigma"'
        expect 2 $command --x x.csv --kernel rbf:gama=2
        err_names '"gamma"'
        expect 2 $command --x x.csv --kernel sig:level=3,order=4,window=3
        err_names order=4 level=3
        expect 2 $command --x x.csv --kernel sig:scale=2,window=3
        err_names features=rbf features=linear
        expect 2 $command --x x.csv --kernel sig:gamma=2,features=linear,window=3
        err_has 'gamma requires features=rbf'
        expect 2 $command --x x.csv --kernel gak:centre=maybe,window=3
        err_names centre=maybe
        expect 2 $command --x x.csv --kernel sigpde:dyadic=9,window=3
        err_has 'dyadic=9'
        expect 2 $command --x x.csv --kernel memory:mu=1
        err_names mu=1 1
        expect 2 $command --x x.csv --kernel volterra:window=3
        err_names volterra '"window"'
        no_out
    done
    absent m.safetensors
}
check "kernels: invalid parameters, status 2" wrong_kernels

# ---- collections --------------------------------------------------------------------------------

collection_formats()
{
    for kernel in volterra:tau=0.5,lambda=0.5 fading memory fir:corr=0.3 esn:size=9 sas:size=7 gak:sigma=0.5 sig \
        sigpde:dyadic=2; do
        # The same series in two formats each, and one ball for all: sas has its parameters from there.
        expect 0 gram --collection "$data/gestures.ts" --radius 1 --kernel $kernel -o ts.csv
        expect 0 gram --collection "$data/gestures_long.csv" --radius 1 --kernel $kernel -o long.csv
        same ts.csv long.csv
        lines_of ts.csv 3
        expect 0 gram --collection - --radius 1 --kernel $kernel <"$data/gestures_long.csv"
        same ts.csv out
        expect 0 gram --collection "$data/gestures.npy" --radius 1 --kernel $kernel -o npy.csv
        lines_of npy.csv 2
        # The first series of the one is the second of the other: rows are A, columns B.
        expect 0 gram --collection "$data/gestures.ts" --with "$data/gestures.npy" --radius 1 --kernel $kernel -o cross.csv
        lines_of cross.csv 3
        near <(cut -d, -f1 cross.csv) <(cut -d, -f2 ts.csv) 1e-14
        near <(sed -n 2p cross.csv) <(sed -n 1p npy.csv) 1e-14
    done
}
check "gram --collection: .ts, .npy and CSV, and --with" collection_formats

# Two series of gestures.ts as sequences of their own, of 4 and 3 rows.
two_sequences()
{
    awk -F, '$1 == "a" { print $2 "," $3 }' "$data/gestures_long.csv" >a.csv
    awk -F, '$1 == "b" { print $2 "," $3 }' "$data/gestures_long.csv" >b.csv
}

collection_values()
{
    two_sequences
    # Final states: the last entry of the Gram matrix of two sequences, each after a zero past.
    for kernel in volterra:tau=0.5,lambda=0.5 volterra:lift=rbf,lambda=0.8 fading memory fir:corr=0.3 esn:size=9 \
        esn:size=5,degree=2; do
        expect 0 gram --collection "$data/gestures.ts" --kernel $kernel -o K.csv
        expect 0 gram --x a.csv --y b.csv --kernel $kernel
        near <(tail -n 1 out | cut -d, -f3) <(sed -n 1p K.csv | cut -d, -f2) 1e-14
        expect 0 gram --x a.csv --kernel $kernel
        near <(tail -n 1 out | cut -d, -f4) <(sed -n 1p K.csv | cut -d, -f1) 1e-14
    done
    # Paths: a window as long as the sequence.
    for kernel in gak:sigma=0.5 sig:level=3 sigpde:dyadic=1; do
        expect 0 gram --collection "$data/gestures.npy" --kernel $kernel -o K.csv
        printf '0.3,0.1\n0.8,0\n0.2,-0.2\n' >first.csv
        printf -- '-0.5,0\n0.02,0.01\n0.01,0.4\n' >second.csv
        expect 0 gram --x first.csv --y second.csv --kernel $kernel,window=3
        near <(tail -n 1 out | cut -d, -f3) <(sed -n 1p K.csv | cut -d, -f2) 1e-14
    done
    # One step: volterra 1 + lambda^2 kappa / (1 - lambda^2), kappa = 1/(1 - 0.25 * 0.5); the paths are points.
    printf 'series,u\n1,1\n2,0.5\n' >points.csv
    expect 0 gram --collection points.csv --kernel volterra:tau=0.5,lambda=0.5
    awk -F, 'NR == 1 { gap = $2 - (1 + 0.25 / 0.875 / 0.75); exit !(gap * gap < 1e-30) }' out || fail "K is $(cat out)"
    for kernel in sig sigpde; do
        expect 0 gram --collection points.csv --kernel $kernel
        printf '1,1\n1,1\n' >ones.csv
        near out ones.csv 0
    done
}
check "gram --collection: values, against those of sequences" collection_values

collection_summary()
{
    cp "$data/gestures.ts" train.ts
    cp "$data/gestures.npy" test.npy
    expect 0 gram --collection test.npy --with train.ts --kernel gak:sigma=0.5 -o K.npy
    no_err
    out_has '^K.npy +2 x 3 values of gak:sigma=0.5'
    out_has '^test.npy +2 series of 2 channels, 3 steps$'
    out_has '^train.ts +3 series of 2 channels, 3\.\.5 steps$'
    out_has '^time +[0-9.]+ [a-z]+$'
    expect 0 gram --collection test.npy --with train.ts --kernel gak -o K.npy --json
    valid_json out "v['rows'] == 2 and v['columns'] == 3 and v['channels'] == 2 and v['row_shortest'] == 3 \
        and v['column_shortest'] == 3 and v['column_longest'] == 5 and 'row_labels' not in v \
        and v['column_labels'] == ['wave', 'wave', 'still'] and v['seconds'] >= 0 and v['output'] == 'K.npy'"
    expect 0 gram --collection train.ts --kernel gak --json
    valid_json out "len(v['rows']) == 3 and all(abs(v['rows'][i][i] - 1) < 1e-15 for i in range(3))"
    expect 0 gram --collection train.ts --kernel sigpde -o K.npy
    err_names warning sigpde
    lines_of err 1
}
check "gram --collection: summary, JSON, labels, warnings" collection_summary

collection_wrong()
{
    cp "$data/gestures.ts" train.ts
    series 10 >x.csv
    expect 2 gram --collection train.ts --x x.csv
    err_names --x --collection
    expect 2 gram --x x.csv --with train.ts
    err_names --with --x
    expect 2 gram --collection train.ts --missing drop
    expect 2 gram --with train.ts
    err_names --collection A
    expect 2 gram --collection - --with - <train.ts
    expect 2 gram --collection train.ts -o train.ts
    err_names input
    for kernel in linear rbf poly sigmoid; do
        expect 2 gram --collection train.ts --kernel $kernel
        err_has "kernel $kernel compares rows, not series: .*volterra, .*gak"
    done
    expect 2 gram --collection train.ts --kernel gak:window=3
    err_names window
    expect 2 gram --collection train.ts --kernel sig:path=rows
    expect 2 gram --collection train.ts --kernel volterra:tau=2,lambda=0.1
    err_has 'tau = 2'
    no_out
}
check "gram --collection: invalid options and kernels" collection_wrong

collection_damaged()
{
    cp "$data/gestures.ts" train.ts
    expect 1 gram --collection no-such.ts
    err_names no-such.ts No
    expect 1 gram --collection train.ts --with no-such.npy
    err_names no-such.npy No
    series 10 >x.csv
    expect 1 gram --collection x.csv
    err_has "no column 'series'"
    # One dimension less in the second series; its dimensions of different lengths; a text; a hole; no label.
    sed 's/:0.1,0.0,-0.2:/:/' train.ts >bad.ts
    expect 1 gram --collection bad.ts
    err_names bad.ts line 11 1 2
    sed 's/0.3,0.8,0.2:/0.3,0.8:/' train.ts >bad.ts
    expect 1 gram --collection bad.ts
    err_has 'bad.ts: line 11'
    sed 's/0.8/high/' train.ts >bad.ts
    expect 1 gram --collection bad.ts
    err_names bad.ts line 11 1 2 "'high'"
    sed 's/0.8/?/' train.ts >bad.ts
    expect 1 gram --collection bad.ts
    err_has 'bad.ts: line 11.*missing'
    sed 's/:still$//' train.ts >bad.ts
    expect 1 gram --collection bad.ts
    sed '/@data/,$d' train.ts >bad.ts
    expect 1 gram --collection bad.ts
    # A file cut in the middle of a number or of a header.
    head -c 180 "$data/gestures.npy" >cut.npy
    expect 1 gram --collection cut.npy
    err_has 'cut.npy'
    head -c 40 "$data/gestures.npy" >cut.npy
    expect 1 gram --collection cut.npy
    head -c 2000 /dev/urandom >noise.ts
    expect 1 gram --collection noise.ts
    printf 'series,u\n1,1\n2,\n' >hole.csv
    expect 1 gram --collection hole.csv
    err_has 'hole.csv.*line 3'
    # Collections that do not fit together.
    printf 'series,u\n1,1\n2,0.5\n' >thin.csv
    expect 1 gram --collection train.ts --with thin.csv
    err_names train.ts 2 channels thin.csv 1
    no_out
}
check "gram --collection: files that are missing, damaged, unequal" collection_damaged
