# tests/cli/cases/9_expressions.sh: sums, products and filters of kernels in the program.

# everywhere KERNEL: the model on its own rows, row by row, and in its own loop
everywhere()
{
    rm -f moment
    expect 0 fit --x x.csv --rows :51 --kernel "$1" --alpha 1e-4 --fitted fitted.csv -o m.safetensors
    no_err
    expect 0 predict m.safetensors --x x.csv --rows :50 --start reset -o again.csv
    near fitted.csv again.csv 1e-7
    { sed -n 1p x.csv; tail -n +52 x.csv; } >rest.csv
    for start in continue reset; do
        expect 0 predict m.safetensors --x x.csv --rows 50: --start $start -o batch.csv
        expect 0 stream m.safetensors --start $start --header <rest.csv
        near batch.csv out 1e-7
    done
    # A resumed stream keeps the state of the filters.
    head -n 5 rest.csv >first.csv
    { sed -n 1p rest.csv; tail -n +6 rest.csv; } >second.csv
    expect 0 stream m.safetensors --header --state moment <first.csv
    mv out both
    expect 0 stream m.safetensors --header --state moment <second.csv
    tail -n +2 out >>both
    expect 0 predict m.safetensors --x x.csv --rows 50: -o batch.csv
    near batch.csv both 1e-7
    expect 0 predict m.safetensors --x x.csv --rows 50:51 -o one.csv
    expect 0 continue m.safetensors --steps 1
    near one.csv out 1e-9
}

expressions_everywhere()
{
    series 60 >x.csv
    everywhere '2*fir:mu=0.8 + memory'
    everywhere 'fir:corr=0.5,pole=0.3'
    everywhere 'fading:pole=0.7,pair=0.8,angle=0.2*rbf:window=3 + 0.5*linear'
}
check "expressions: fit, predict, stream, continue" expressions_everywhere

# K of the sum is the sum of the Ks.
gram_of_a_sum()
{
    series 20 >x.csv
    expect 0 gram --x x.csv --kernel '3*rbf:gamma=0.5 + linear*fir:mu=0.5' -o sum.csv
    expect 0 gram --x x.csv --kernel rbf:gamma=0.5 -o a.csv
    expect 0 gram --x x.csv --kernel linear -o b.csv
    expect 0 gram --x x.csv --kernel fir:mu=0.5 -o c.csv
    paste -d, a.csv b.csv c.csv | awk -F, '{
        n = NF / 3
        for (j = 1; j <= n; j++)
            printf "%s%.17g", (j > 1 ? "," : ""), 3 * $j + $(n + j) * $(2 * n + j)
        printf "\n"
    }' >expected.csv
    near expected.csv sum.csv 1e-10
}
check "gram of an expression" gram_of_a_sum

searches_of_expressions()
{
    series 60 >x.csv
    expect 0 tune --x x.csv --kernel 'fir:corr=? + ?*memory:gamma=1,pole=?' --draws 4 --folds 2 --seed 3 --alpha log:1e-6..1 \
        --range 2.mu=uniform:0.1..0.2 --log t.jsonl -o best.safetensors
    out_has '^best kernel +fir:mu=[0-9.e-]+,corr=-?[0-9.e-]+ \+ [0-9.e-]+\*memory:gamma=1,rho=[0-9.e-]+,mu=0\.1[0-9]*,pole=-?[0-9.e-]+$'
    expect 0 predict best.safetensors --x x.csv --rows 55: -o f.csv
    expect 0 tune --x x.csv --kernel 'fir:corr=? + ?*memory:gamma=1,pole=?' --draws 4 --folds 2 --seed 3 --alpha log:1e-6..1 \
        --range 2.mu=uniform:0.1..0.2 --log t.jsonl --resume
    expect 0 compare --x x.csv --kernel fir 'fir + memory:pole=?' --draws 3 --folds 2
}
check "tune and compare: parameters marked ?, ranges by factor number" searches_of_expressions

# refused KERNEL SENTENCE
refused()
{
    for command in gram fit; do
        expect 2 $command --x x.csv --kernel "$1" -o never
        err_has "$2"
        [ ! -e never ] || fail "$command with '$1' wrote something"
    done
}

bad_expressions()
{
    series 20 >x.csv
    refused 'rbf:pole=1' 'kernel rbf: pole=1 lies outside \(-1, 1\)'
    refused 'linear + rbf:angle=0.2' 'factor 2: kernel rbf: angle=0\.2 requires pair'
    refused '0*rbf + linear' 'the weight 0 of a term must be positive and finite'
    refused 'rbf + -2*linear' 'the weight -2 of a term must be positive and finite'
    refused 'rbf:gamma=?' 'kernel rbf: gamma=\?'
    refused '?*rbf + linear' 'a weight of \?'
    refused 'rbf + rbf:3.gamma=1' 'factor 2: kernel rbf has no parameter "3\.gamma"'
    refused "$(printf 'linear+%.0s' {1..999})linear" 'has 6999 characters, but may have 2047 at most'
    refused "$(printf 'linear+%.0s' {1..16})linear" 'more than 16 factors'
    refused '(rbf + linear)*fir' 'factor 1: .*kernel "\(rbf"'
    refused 'rbf + * linear' 'a factor is missing before "\* linear"'
    refused 'gak:window=3,centre=yes + rbf' 'factor 1: kernel gak is centred'
    expect 2 tune --x x.csv --kernel 'rbf + linear' --range 3.gamma=log:1..2 --draws 2
    err_names '"3.gamma"' 1 2
    expect 2 tune --x x.csv --kernel 'rbf:gama=?' --draws 2
    err_names rbf '"gama"' '"gamma"'
}
check "invalid expressions" bad_expressions

help_on_expressions()
{
    expect 0 help kernels
    out_has '^  2\*fir:mu=0\.8 \+ memory:pole=0\.7\*rbf$'
    for word in pole=P pair=R,angle=A 2.weight '\?\*memory:pole=\?'; do
        out_has "$word"
    done
    # The example is one.
    series 20 >x.csv
    expect 0 gram --x x.csv --kernel "$(grep -E '^  2\*fir' out)" -o K.csv
}
check "help kernels explains expressions, and its example works" help_on_expressions
