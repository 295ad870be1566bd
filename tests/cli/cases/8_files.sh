# tests/cli/cases/8_files.sh: what is written is whole or not there; a damaged model is refused.

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
    [ "$(id -u)" -ne 0 ] || skip "root may write everywhere"
    series 20 >x.csv
    mkdir closed
    chmod a-w closed
    expect 1 fit --x x.csv -o closed/m.safetensors
    err_has 'closed.*Permission denied'
    : >shut.csv
    chmod a-r shut.csv
    expect 1 fit --x shut.csv -o m.safetensors
    err_has 'shut.csv.*Permission denied'
}
check "output in a directory that is not ours" no_permission

file_size_limit()
{
    # The old model, a forecast and a matrix survive a disk that is full, byte for byte.
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
    err_has 'No space left'
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
}
check "standard output that cannot be written" full_output

closed_pipe()
{
    "$VOLTERRA" simulate lorenz --length 50000 2>err | head -n 2 >first
    lines_of first 2
    no_err
}
check "a pipe that closes early is no error to read about" closed_pipe

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
