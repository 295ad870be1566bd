# tests/cli/cases/9_memory.sh: memory limits around the minimum required.

# The address space, in KiB, of the program at rest: a stream that waits for its first row.
address_space_at_rest()
{
    local job pages
    mkfifo rows
    "$VOLTERRA" stream model.safetensors <rows >answer 2>/dev/null &
    job=$!
    exec 3>rows
    echo 0.1,0.2 >&3
    while [ ! -s answer ]; do sleep 0.05; done
    read -r pages _ <"/proc/$job/statm"
    exec 3>&-
    wait $job
    rm rows
    echo $((pages * $(getconf PAGESIZE) / 1024))
}

# within KIB ARGUMENTS...: the program under that limit ends, with a result or with one message
within()
{
    local limit=$1
    shift
    (ulimit -v "$limit" && exec timeout -k 1 60 "$VOLTERRA" "$@") >out 2>err
    status=$?
    case $status in
        0) ended_well=$((ended_well + 1)) ;;
        1) one_line "$@" ;;
        *) fail "status $status within $limit KiB: volterra $*" ;;
    esac
}

# BLAS has buffers of its own, of 32 MiB or more, and waits for ever where it gets none.
ladder()
{
    [ $sanitized = no ] || skip "a sanitized program needs its address space"
    [ -r /proc/self/statm ] || skip "there is no /proc to read the address space from"
    small_model
    series 1200 2 >long.csv
    local rest above
    rest=$(address_space_at_rest)
    ended_well=0
    # 11.5 MB of Gram matrix lie somewhere on the way, and so do two buffers for each of two threads.
    for above in 4 10 16 24 34 46 60 76 94 114 136 160 186 214 244; do
        set -- within $((rest + above * 1024))
        "$@" fit --x long.csv --threads 2 -o m.safetensors
        "$@" predict model.safetensors --x long.csv --threads 2 -o forecast.csv
        "$@" tune --x long.csv --threads 2 --draws 2 --folds 2
        "$@" compare --x long.csv --kernel linear --draws 2 --threads 2
        "$@" gram --x long.csv --kernel sig:level=2,window=3 --threads 2 -o gram.npy
        "$@" fit --x long.csv --threads 12 -o m.safetensors
    done
    nothing_left
    within unlimited fit --x long.csv --threads 2 -o m.safetensors
    [ "$ended_well" -gt 0 ] || fail "nothing ran to its end"
}
check "memory limits: a result or one message, no hang" ladder

# OpenBLAS allocates before main(): the program ends with a message there too.
start_of_program()
{
    [ $sanitized = no ] || skip "a sanitized program needs its address space"
    local limit started=0
    for limit in 100000 130000 160000 200000 260000 300000 340000 600000 4000000; do
        (export OMP_NUM_THREADS=2 && ulimit -v $limit && exec timeout -k 1 20 "$VOLTERRA" --version) >out 2>err
        status=$?
        case $status in
            0) started=$((started + 1)) ;;
            *) [ $status -le 127 ] && [ $status -ne 124 ] && [ "$(wc -l <err)" -le 1 ] || fail "status $status within $limit KiB" ;;
        esac
    done
    [ $started -gt 0 ] || fail "the program did not start within 4 GB"
    [ "$(uname -m)" = x86_64 ] || return 0
    (ulimit -v 160000 && exec timeout -k 1 20 "$VOLTERRA" --version) >out 2>err
    status=$?
    [ $status -eq 0 ] || { [ $status -eq 1 ] && err_has 'ulimit -v' && err_has ' 156 MiB'; } || fail "status $status"
}
check "memory limits: the start of the program" start_of_program
