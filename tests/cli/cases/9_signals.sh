# tests/cli/cases/9_signals.sh: Ctrl-C, and progress on a terminal.

# A fit that takes several seconds on any machine: 8000 rows on one thread.
interrupt_fit()
{
    series 8000 3 >x.csv
    echo old >m.safetensors
    "$VOLTERRA" fit --x x.csv --threads 1 -o m.safetensors >out 2>err &
    local job=$! status
    until_it_minds $job
    sleep 0.6 # most often the matrix is being filled then
    kill -INT $job 2>/dev/null || fail "the fit was over too soon"
    wait $job
    status=$?
    [ "$status" -eq 130 ] || fail "status $status, not 130"
    one_line fit
    err_has 'interrupted'
    no_out
    [ "$(cat m.safetensors)" = old ] || fail "the old file is gone"
    nothing_left
}
check "Ctrl-C during fit: status 130, old file kept" interrupt_fit

interrupt_stream()
{
    small_model
    mkfifo question answer
    "$VOLTERRA" stream model.safetensors <question >answer 2>err &
    local job=$! reply status
    exec 3>question 4<answer
    echo 0.1,0.2 >&3
    read -r -t 30 reply <&4 || fail "no answer"
    kill -INT $job
    wait $job
    status=$?
    exec 3>&- 4<&-
    [ "$status" -eq 130 ] || fail "status $status, not 130"
    err_has 'interrupted'
}
check "Ctrl-C during stream" interrupt_stream

interrupt_simulation()
{
    "$VOLTERRA" simulate lorenz --length 3000000 --method accurate -o big.csv >out 2>err &
    local job=$! status
    until_it_minds $job
    sleep 0.4
    kill -INT $job 2>/dev/null || fail "the simulation was over too soon"
    wait $job
    status=$?
    [ "$status" -eq 130 ] || fail "status $status, not 130"
    absent big.csv
    nothing_left
}
check "Ctrl-C during simulate" interrupt_simulation

# No data arrive, so that the program ends in the signal handler.
interrupt_reading()
{
    mkfifo rows.csv
    "$VOLTERRA" fit --x rows.csv -o m.safetensors >out 2>err &
    local job=$! status
    until_it_minds $job
    kill -INT $job
    wait $job
    status=$?
    [ "$status" -eq 130 ] || fail "status $status, not 130"
    one_line fit
    err_has 'interrupted'
    [ "$(tr -d '\0' <err | wc -c)" -eq "$(wc -c <err)" ] || fail "standard error has a null byte"
    absent m.safetensors
}
check "Ctrl-C while waiting for data" interrupt_reading

# shows_bar COMMAND ARGUMENTS...: a command of several seconds draws its bar on a terminal; it is interrupted then
shows_bar()
{
    command -v script >/dev/null || skip "there is no script(1) to make a terminal"
    script -qec true /dev/null >/dev/null 2>&1 </dev/null || skip "script(1) can not make a terminal here"
    script -qec "echo \$\$ >job; exec '$VOLTERRA' $*" typescript >shown </dev/null &
    local terminal=$! bar="$1 \[[#-]{30}\] +[0-9]+% "
    while kill -0 $terminal 2>/dev/null; do
        tr '\r' '\n' <shown | grep -qE "$bar" && break
        sleep 0.1
    done
    kill -INT "$(cat job)" 2>/dev/null
    wait
    tr '\r' '\n' <shown | grep -qE "$bar" || fail "no bar on the terminal: $(head -c 300 shown)"
}

fit_bar()
{
    series 8000 3 >x.csv
    shows_bar fit --x x.csv --threads 1 -o m
    absent m
}
check "progress: a bar on a terminal" fit_bar

# 800,000 rows in pieces of 65,536
pieces_bar()
{
    expect 0 simulate lorenz --length 800000 -o long.npy
    expect 0 fit --x long.npy --rows :1500 --alpha 1e-4 -o m.safetensors
    shows_bar predict m.safetensors --x long.npy --threads 1 -o p.npy
    absent p.npy
    nothing_left
}
check "progress: a bar while a long NPY file is forecast" pieces_bar

# interrupt_writing SIGNAL STATUS FILE: stop a matrix of 3000 x 3000 numbers on its way to FILE. The signal comes when the
# temporary file is there, and most of the numbers are still to be written.
interrupt_writing()
{
    local signal=$1 wanted=$2 file=$3 job status i
    series 3000 1 >x.csv
    echo old >"$file"
    "$VOLTERRA" gram --x x.csv --kernel linear -o "$file" >out 2>err &
    job=$!
    for ((i = 0; i < 3000; i++)); do
        [ -z "$(find . -name '.volterra-*' -size +0)" ] || break
        sleep 0.01
    done
    kill -"$signal" $job 2>/dev/null || fail "the file was written too soon"
    wait $job
    status=$?
    [ "$status" -eq "$wanted" ] || fail "$file: status $status, not $wanted"
    one_line gram
    err_has 'interrupted'
    [ "$(head -c 4 "$file")" = old ] || fail "$file: the old file is gone"
    nothing_left
}
interrupt_csv() { interrupt_writing INT 130 g.csv; }
terminate_csv() { interrupt_writing TERM 143 g.csv; }
check "Ctrl-C during writing: status 130, old file kept" interrupt_csv
check "SIGTERM during writing: status 143, old file kept" terminate_csv
