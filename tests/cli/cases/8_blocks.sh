# tests/cli/cases/8_blocks.sh: long files are processed in blocks; pipes are read once.

# As a whole where rows with holes may be dropped, otherwise in pieces of 65,536 rows.
pieces()
{
    expect 0 simulate lorenz --length 66000 -o long.npy
    expect 0 fit --x long.npy --rows :60 --alpha 1e-4 -o m.safetensors
    for words in "-o F.npy" "--start reset --rows -65800: -o F.npy" "--index --interval 0.8 -o F.csv"; do
        file=${words##*F.}
        # shellcheck disable=SC2086 # words are words
        expect 0 predict m.safetensors --x long.npy --quiet ${words/F./pieces.}
        # shellcheck disable=SC2086
        expect 0 predict m.safetensors --x long.npy --quiet --missing drop ${words/F./whole.}
        cmp "pieces.$file" "whole.$file" || fail "pieces differ from the whole: $words"
    done
    expect 0 predict m.safetensors --x long.npy:1,2,3 --rows :65600
    [ "$(wc -l <out)" = 65601 ] || fail "standard output has $(wc -l <out) lines"
    err_names 65600 input rows
    expect 1 predict m.safetensors --x long.npy --beyond error -o pieces.csv
    err_names row 60 norm
    # A hole in the last piece: its row is named, and the old file stays.
    printf '\000\000\000\000\000\000\370\177' | dd of=long.npy bs=1 seek=$((128 + 8 * 3 * 65999)) conv=notrunc 2>dd.log ||
        fail "$(cat dd.log)"
    cp pieces.csv old.csv
    expect 1 predict m.safetensors --x long.npy -o pieces.csv
    err_names long.npy row 66000 column "'1'"
    cmp pieces.csv old.csv || fail "the old file is gone"
    expect 0 predict m.safetensors --x long.npy --rows :65999 --quiet -o pieces.csv
    expect 2 predict m.safetensors --x long.npy --rows 5:66001
    err_names 5:66001 66000 rows
    truncate -s 1000000 long.npy
    expect 1 predict m.safetensors --x long.npy
    err_has 'truncated'
}
check "long NPY files are forecast in pieces" pieces

pipes()
{
    series 40 >x.csv
    mkfifo pipe pipe.csv
    expect 0 fit --x x.csv --alpha 1e-3 -o file.safetensors --fitted file.csv
    for name in pipe pipe.csv; do
        cat x.csv >"$name" &
        expect 0 fit --x "$name" --alpha 1e-3 -o m.safetensors --fitted piped.csv
        wait
        cmp file.csv piped.csv || fail "a pipe is read otherwise than a file"
    done
    # A file that ends within a row.
    head -c $(($(wc -c <x.csv) - 4)) x.csv | sed '$s/,[^,]*$//' >cut.csv
    if grep -q , x.csv; then
        expect 1 fit --x cut.csv -o m.safetensors
        err_names line 41
    fi
}
check "a pipe is read once" pipes
