# tests/cli/cases/8_files.sh: output files are complete or absent; a damaged model is rejected.

no_directory()
{
    series 20 >x.csv
    expect 1 fit --x x.csv -o no/such/m.safetensors
    err_has 'no/such'
    expect 1 fit --x x.csv -o m.safetensors --fitted no/such/y.csv
    err_has 'no/such'
    absent m.safetensors
    small_model
    expect 1 predict model.safetensors --x x.csv -o no/such/y.csv
    expect 1 continue model.safetensors --steps 3 -o no/such/y.csv
    expect 1 gram --x x.csv -o no/such/K.npy
    expect 1 fit --x x.csv -o x.csv/m.safetensors
    err_has 'not a directory|Not a directory'
}
check "output in a directory that does not exist" no_directory

no_permission()
{
    series 20 >x.csv
    mkdir closed
    chmod a-w closed
    expect_bound 1 fit --x x.csv -o closed/m.safetensors
    err_names Permission
    : >shut.csv
    chmod a-r shut.csv
    expect_bound 1 fit --x shut.csv -o m.safetensors
    err_has 'shut.csv.*Permission denied'
    # A protected file is not replaced, and the error is reported before the computation.
    echo old >kept
    chmod a-w kept
    expect_bound 1 fit --x nofile.csv -o kept
    err_names Permission
    ln -s closed/y.csv link.csv
    expect_bound 1 fit --x nofile.csv -o m.safetensors --fitted link.csv
    err_has 'link.csv.*Permission denied'
    [ "$(cat kept)" = old ] || fail "a protected file was written"
}
check "output in a directory without permission" no_permission

file_size_limit()
{
    # The old model, a forecast and a matrix are byte-identical after a full-disk error.
    [[ ${VOLT_SUITE:-} != coverage:* ]] || skip "the counters of a counted program are files too"
    small_model
    cp model.safetensors old-model
    expect 0 predict model.safetensors --x x.csv -o y.csv
    cp y.csv old-y
    series 400 >long.csv
    limited() { (ulimit -f 1 && expect 1 "$@") || exit 1; }
    limited fit --x long.csv -o model.safetensors
    err_has 'model.safetensors.*(File too large|limit)'
    same model.safetensors old-model
    limited predict model.safetensors --x long.csv -o y.csv
    err_has 'y.csv.*(File too large|limit)'
    same y.csv old-y
    limited gram --x x.csv -o K.npy
    absent K.npy
    limited gram --x x.csv -o K.mat
    absent K.mat
    nothing_left
}
check "a file size limit during save: the old file survives" file_size_limit

full_output()
{
    [ -c /dev/full ] || skip "there is no /dev/full"
    "$VOLTERRA" info >/dev/full 2>err
    [ $? -eq 1 ] || fail "info on a full disk does not fail"
    one_line info
    err_names No
    "$VOLTERRA" simulate lorenz >/dev/full 2>err
    [ $? -eq 1 ] || fail "simulate on a full disk does not fail"
    one_line simulate
    small_model
    "$VOLTERRA" stream model.safetensors <x.csv >/dev/full 2>err
    [ $? -eq 1 ] || fail "stream on a full disk does not fail"
    one_line stream
    "$VOLTERRA" help >&- 2>err
    [ $? -eq 1 ] || fail "help without standard output does not fail"
    one_line help
    "$VOLTERRA" stream model.safetensors <&- >out 2>err
    [ $? -eq 1 ] || fail "stream without standard input does not fail"
    one_line stream
}
check "standard output that cannot be written, standard input that cannot be read" full_output

closed_pipe()
{
    "$VOLTERRA" simulate lorenz --length 50000 2>err | head -n 2 >first
    lines_of first 2
    no_err
}
check "a pipe that closes early causes no message" closed_pipe

overwrite()
{
    small_model
    echo old >y.csv
    chmod 640 y.csv
    expect 0 predict model.safetensors --x x.csv -o y.csv
    lines_of y.csv 61
    ln -s y.csv link.csv
    expect 0 continue model.safetensors --steps 3 -o link.csv
    [ -L link.csv ] || fail "the link was replaced by a file"
    lines_of y.csv 4
    expect 0 continue model.safetensors --steps 3 -o /dev/null
    [ -c /dev/null ] || fail "/dev/null is no device any more"
    nothing_left
}
check "-o overwrites" overwrite

# refuse_model FILE WHAT: loading must fail with one line
refuse_model()
{
    "$VOLTERRA" continue "$1" --steps 1 >out 2>err
    status=$?
    [ "$status" -eq 1 ] || fail "$2: status $status"
    [ "$(wc -l <err)" -eq 1 ] || fail "$2: $(wc -l <err) lines on standard error"
}

truncated_model()
{
    small_model
    local size i
    size=$(wc -c <model.safetensors)
    for ((i = 0; i < 64; i++)); do
        head -c $((size * i / 64)) model.safetensors >cut.safetensors
        refuse_model cut.safetensors "cut at $i/64"
    done
    head -c $((size - 1)) model.safetensors >cut.safetensors
    refuse_model cut.safetensors "cut by one byte"
    { cat model.safetensors; printf x; } >cut.safetensors
    refuse_model cut.safetensors "one byte too long"
    expect 0 continue model.safetensors --steps 1
}
check "a model cut at every 1/64 of its length" truncated_model

# Flip bits in the 8 bytes of the length, all over the header and all over the tensors.
flipped_model()
{
    small_model
    local size header flips=200 i at byte bit
    [ "$sanitized" = no ] || flips=60
    size=$(wc -c <model.safetensors)
    header=$(od -An -tu8 -N8 model.safetensors | tr -d ' ')
    for ((i = 0; i < flips; i++)); do
        case $((i % 4)) in
            0) at=$((i / 4 % 8)) ;;
            1) at=$((8 + (i * 7919) % header)) ;;
            *) at=$(((i * 104729 + i * size / flips) % size)) ;;
        esac
        bit=$(((i * 5 + i / 8) % 8))
        byte=$(od -An -tu1 -j "$at" -N 1 model.safetensors | tr -d ' ')
        cp model.safetensors flipped.safetensors
        printf "\\x$(printf %02x $((byte ^ (1 << bit))))" |
            dd of=flipped.safetensors bs=1 seek="$at" conv=notrunc status=none
        refuse_model flipped.safetensors "bit $bit of byte $at flipped"
    done
}
check "a model with bits flipped anywhere" flipped_model

# Two names of one file: a file that is there, one that is not there yet, links, links to nothing.
one_file_two_names()
{
    series 40 >x.csv
    echo old >there.svg
    ln -s there.svg link.svg
    ln there.svg second.svg
    mkdir folder
    ln -s ../missing.svg folder/dangling.svg
    ln -s folder alias
    local tune="tune --x nofile.csv --kernel linear --draws 1" pair
    for pair in "new.svg ./new.svg" "new.svg $PWD/new.svg" "there.svg $PWD/there.svg" "there.svg link.svg" "there.svg second.svg" "missing.svg folder/dangling.svg" \
        "folder/new.svg alias/new.svg" "folder/new.svg folder/../folder//new.svg"; do
        set -- $pair
        expect 2 $tune --log "$1" --plot "$2"
        err_names --plot --log "$2" "$1"
        expect 2 $tune --log "$2" -o "$1"
        expect 2 $tune --plot "$2" -o "$1"
        expect 2 fit --x nofile.csv --fitted "$1" -o "$2"
        expect 2 compare --x nofile.csv --csv "$1" --latex "$2"
        expect 2 compare --x nofile.csv --report "$1" --csv "$2"
    done
    expect 2 $tune --log a.svg --plot ./a.svg -o "$PWD/a.svg"
    absent a.svg
    absent missing.svg
    [ "$(cat there.svg)" = old ] || fail "there.svg was written"
    # Equal names in two folders are different files; a device cannot be overwritten.
    expect 0 fit --x x.csv --kernel linear -o new --fitted folder/new
    expect 0 compare --x x.csv --kernel linear --draws 1 --csv /dev/null --latex /dev/null
    : >bekk.json
    expect 2 bekk simulate bekk.json -o ./bekk.json
    err_names bekk.json input
}
check "two outputs that are one file under two names" one_file_two_names

# Every output of every command is checked before an input is read: its folder, and that it is none of the inputs.
outputs_are_checked_first()
{
    local line
    while read -r line; do
        expect 1 ${line//OUT/no/such/out}
        err_names no/such
    done <<'END'
forecast absent.csv -o OUT.csv
forecast absent.csv -o f.csv --plot OUT.svg
forecast absent.csv --backtest 2 -o OUT.csv
identify absent.csv --x u --y y -o OUT
identify absent.csv --x u --y y -o m --report OUT.html
compare --x absent.csv --kernel linear --report OUT.html
compare --x absent.csv --kernel linear --csv OUT.csv
compare --x absent.csv --kernel linear --latex OUT.tex
curve --x absent.csv --kernel linear -o OUT.csv
curve --x absent.csv --kernel linear --plot OUT.svg
simulate lorenz -o OUT.csv
fit --x absent.csv -o OUT
fit --x absent.csv -o m --fitted OUT.csv
tune --x absent.csv --kernel linear --draws 2 -o OUT
tune --x absent.csv --kernel linear --draws 2 --log OUT
tune --x absent.csv --kernel linear --draws 2 --plot OUT.svg
combine absent another -o OUT
predict absent --x absent.csv -o OUT.csv
predict absent --x absent.csv -o p.csv --plot OUT.svg
continue absent --steps 2 -o OUT.csv
stream absent --state OUT
export absent -o OUT.c
export absent -o OUT.json --format json
explain absent -o OUT
explain absent --forgetting --along absent.csv -o OUT
classify --train absent.ts --test absent.ts -o OUT.csv
anomaly --train absent.ts -o OUT.csv
anomaly --x absent.csv -o OUT.csv
gram --x absent.csv -o OUT.csv
gram --x absent.csv --spectrum -o s.csv --plot OUT.svg
gram --collection absent.csv -o OUT.csv
score --truth absent.csv --pred absent.csv --plot OUT.svg
capacity --kernel esn:size=4 --plot OUT.svg
bekk fit absent.csv -o OUT.json
bekk simulate --preset sp500-d5 -o OUT.csv
END
    # The input is a file of any kind, and is not changed.
    echo text >in.c
    echo text >in.h
    cp in.c in.csv
    while read -r line; do
        expect 2 $line
        err_names in.
        [ "$(cat in.c in.h in.csv)" = "$(printf 'text\ntext\ntext')" ] || fail "an input was changed: $line"
    done <<'END'
forecast in.csv -o in.csv
forecast in.csv -o f.csv --plot in.csv
forecast absent.csv --x a --future in.csv -o in.csv
forecast in.csv --backtest 2 -o in.csv
identify in.csv --x u --y y -o in.csv
identify absent.csv --test in.csv --x u --y y -o in.csv
compare --x in.csv --kernel linear --csv in.csv
compare --x absent.csv --y in.csv --kernel linear --latex in.csv
curve --x in.csv --kernel linear -o in.csv
fit --x in.csv -o in.csv
fit --x absent.csv --y in.csv -o in.csv
fit --x absent.csv --series in.csv -o m --fitted in.csv
fit --x absent.csv --weights in.csv -o in.csv
tune --x in.csv --kernel linear --draws 2 -o in.csv
tune --x absent.csv --y in.csv --kernel linear --draws 2 --log in.csv
tune --x absent.csv --candidates in.csv -o in.csv
combine in.csv absent -o in.csv
combine absent in.csv -o in.csv
predict in.csv --x absent.csv -o in.csv
predict absent --x in.csv -o in.csv
predict absent --x absent.csv --series in.csv -o in.csv
predict absent --x absent.csv --known in.csv -o p.csv --plot in.csv
continue in.csv --steps 2 -o in.csv
continue absent --steps 2 --after in.csv -o in.csv
stream in.csv --state in.csv
export in.c -o in.c
export in.h -o in.c
export in.csv --format json -o in.csv
classify --train in.csv -o in.csv
classify --train absent.ts --test in.csv -o in.csv
anomaly --train in.csv -o in.csv
anomaly --train absent.ts --test in.csv -o in.csv
anomaly --x in.csv -o in.csv
anomaly --x absent.csv --labels in.csv -o in.csv
gram --x in.csv -o in.csv
gram --x absent.csv --y in.csv -o in.csv
gram --x in.csv --spectrum -o s.csv --plot in.csv
gram --collection in.csv -o in.csv
gram --collection absent.csv --with in.csv -o in.csv
score --truth in.csv --pred absent.csv --plot in.csv
score --truth absent.csv --pred in.csv --plot in.csv
bekk fit in.csv -o in.csv
END
    expect 2 stream absent --state s.xlsx
    expect 2 fit --x absent.csv -o m.xls
}
check "outputs are checked before inputs are read" outputs_are_checked_first

plot_is_written_like_the_rest()
{
    small_model
    mkdir folder
    local tune="tune --x x.csv --kernel linear --draws 2 --plot"
    echo old >picture.svg
    chmod 640 picture.svg
    ln -s ../picture.svg folder/link.svg
    expect 0 $tune folder/link.svg
    [ -L folder/link.svg ] || fail "the link was replaced by a file"
    grep -q '</svg>' picture.svg || fail "the picture is not in the file that the link names"
    [ "$(stat -c %a picture.svg)" = 640 ] || fail "the mode is $(stat -c %a picture.svg)"
    expect 0 $tune new.svg
    [ "$(stat -c %a new.svg)" = "$(stat -c %a x.csv)" ] || fail "a new picture has the mode $(stat -c %a new.svg)"
    expect 0 $tune -
    cmp -s out new.svg || fail "the picture is not on standard output, or differs from that of the same run"
    echo kept >kept.svg
    chmod a-w kept.svg
    expect_bound 1 $tune kept.svg
    err_has 'kept.svg: Permission denied'
    [ "$(cat kept.svg)" = kept ] || fail "a protected picture was replaced"
    nothing_left
}
check "--plot: links, modes and protected files as for every output" plot_is_written_like_the_rest
