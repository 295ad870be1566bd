# tests/cli/cases/2_options.sh: invalid options.

unknown_option()
{
    expect 2 fit --kern volterra
    err_names --kern --kernel
    expect 2 fit --wash-out=3
    err_names --washout
    expect 2 fit -x x.csv
    err_names --x
    expect 2 fit -k volterra
    err_names --kernel
    expect 2 fit -z volterra
    err_names volterra
    expect 2 score --zzzzzzzz
    err_has 'volterra score --help'
    expect 2 info --treads 2
    err_names --threads
    expect 2 tune --gp 2
    err_names --gap
    expect 2 predict --model m.safetensors
    err_names MODEL
}
check "unknown option: the nearest one is named" unknown_option

# The last common option: none is lost after the options of the command.
common_options()
{
    local command
    for command in $all_commands; do
        expect 2 "$command" --quiet=yes
        err_names --quiet
    done
}
check "every command has the common options" common_options

missing_value()
{
    expect 2 fit --x
    err_names --x
    expect 2 fit --x --y y.csv
    err_names --x
    expect 2 simulate lorenz -o
    err_names -o
    expect 2 fit --x= -o m
    err_names --x
    expect 2 predict m.safetensors --x x.csv --start
    err_has 'continue\|reset'
}
check "option without a value" missing_value

missing_option()
{
    expect 2 fit
    err_names --x X
    expect 2 fit --x x.csv
    err_names MODEL
    expect 2 simulate
    err_names SYSTEM
    expect 2 predict
    err_names MODEL
    expect 2 predict m.safetensors
    err_names --x X
    expect 2 continue m.safetensors
    err_names --steps H
    expect 2 score --truth y.csv
    err_names --pred P
    expect 2 plan --n 10
    err_names --d D
    expect 2 gram
    expect 2 stream
}
check "missing required option" missing_option

wrong_value()
{
    series 30 >x.csv
    expect 2 simulate lorenz --length ten
    err_has "^volterra simulate: --length .*\(got 'ten'\)"
    expect 2 simulate lorenz --length 0
    err_names --length 1 0
    expect 2 simulate lorenz --length 2.5
    expect 2 simulate lorenz --length 1e40
    expect 2 simulate lorenz --step nan
    expect 2 simulate lorenz --seed -1
    err_has "--seed .*\(got '-1'\)"
    expect 2 simulate lorenz --seed 18446744073709551616
    expect 2 simulate lorenz --start 1,2,x
    expect 2 simulate lorenz --start 1,2
    err_names 3
    expect 2 simulate lorenz --start 1,,2
    expect 2 simulate lorenz --method euler
    err_names --method rk4 "'euler'"
    expect 2 fit --x x.csv -o m --alpha -1
    err_names --alpha -1
    expect 2 fit --x x.csv -o m --alpha inf
    err_names --alpha
    expect 2 fit --x x.csv -o m --alpha little
    err_names --alpha "'little'"
    expect 2 fit --x x.csv -o m --missing interpolat
    err_names interpolate
    expect 2 fit --x x.csv -o m --threads 0
    expect 2 fit --x x.csv -o m --rows 5
    err_has 'START:STOP'
    expect 2 fit --x x.csv -o m --rows 5:x
    expect 2 fit --x x.csv -o m --rows 9:3
    err_names 30 rows
    expect 2 fit --x x.csv -o m --rows 0:31
    err_names 30 rows
    expect 2 fit --x x.csv -o m --rows -31:
    absent m
}
check "invalid value or value out of range" wrong_value

surplus()
{
    expect 2 info m.safetensors surplus
    err_has "unexpected argument 'surplus'"
    expect 2 compare series.csv
    err_has "--x series.csv"
    expect 2 simulate lorenz narma10
    expect 2 fit x.csv
    err_names "'x.csv'" --x x.csv
    expect 2 anomaly x.csv
    err_names --train --x x.csv
    expect 2 anomaly --train a.ts b.ts
    err_names "'b.ts'" 'anomaly --help'
    expect 2 plan x.csv
    err_names "'x.csv'" 'plan --help'
    expect 2 continue m.safetensors 100
    err_names --steps 100
    expect 2 fit --quiet=yes
    err_names --quiet
    expect 2 fit --alpha 1 --alpha=2
    err_names --alpha
}
check "too many arguments, an option given twice" surplus

both_forms()
{
    expect 0 simulate lorenz --length 5
    cp out first
    expect 0 simulate --length=5 lorenz
    same first out
    expect 0 simulate --length=5 -- lorenz
    same first out
    expect 0 simulate lorenz --length 5 -olorenz.csv
    same first lorenz.csv
    expect 0 simulate lorenz --length 5 --output=other.csv
    same first other.csv
}
check "--option value and --option=value, anywhere" both_forms
