# tests/cli/cases/5_device.sh: --device: accepted values, messages without a device, and equal results on a
# device.
#
# tests/plugin/fake_plugin.c provides the devices.

fake=$(dirname "$VOLTERRA")/tests/plugin/fake_plugin.so

# on DEVICE FAULTS STATUS ARGUMENTS...: the program with the fake plugin, as expect
on()
{
    local device=$1 faults=$2
    shift 2
    [ -e "$fake" ] || skip "there is no $fake"
    VOLT_CUDA_PLUGIN=$fake VOLT_FAKE_DEVICE=$faults expect "$@" --device "$device"
}

# n rows of a system with memory, to u.csv and y.csv
system_for_device()
{
    awk -v n="$1" "$uniform"'BEGIN {
        seeded(11)
        print "u" >"u.csv"; print "y" >"y.csv"
        for (t = 0; t < n; t++) {
            u = uniform() - 0.5
            y = 0.5 * before + 0.8 * u - 0.6 * last * u
            printf "%.12g\n", u >"u.csv"; printf "%.12g\n", y >"y.csv"
            before = y; last = u
        }
    }'
}

device_words()
{
    expect 2 info --device tpu
    err_names "'tpu'" auto cpu gpu gpu:all gpu:1
    expect 2 info --device gpu:x
    expect 2 info --device gpu:0,
    err_names "'gpu:0,'" 16
    expect 2 info --device
    expect 0 info --device cpu --json
    valid_json out "v['device'] == 'cpu'"
    expect 0 info --device auto
}
check "--device: valid and invalid values" device_words

device_absent()
{
    for folder in . "$PWD"; do
        [ ! -e "$fake" ] || cp "$fake" libvolterra_cuda.so
        LD_LIBRARY_PATH=$folder VOLT_CUDA_PLUGIN='' expect 1 info --device gpu
        err_names libvolterra_cuda.so /
    done
    VOLT_CUDA_PLUGIN=./libvolterra_cuda.so expect 1 info --device gpu
    err_names VOLT_CUDA_PLUGIN "'./libvolterra_cuda.so'"
    VOLT_CUDA_PLUGIN=/nowhere/x.so expect 1 info --device gpu
    err_has 'VOLT_CUDA_PLUGIN names /nowhere/x.so'
    echo 'no shared object' >text.so
    VOLT_CUDA_PLUGIN=$PWD/text.so expect 1 info --device gpu
    err_names plugin
    VOLT_CUDA_PLUGIN=$PWD/text.so expect 0 info --json
    valid_json out "'the plugin cannot be loaded' in v['no_gpu'] and v['device'] == 'auto'"
    on gpu interface=99 1 info
    err_names 99
    on gpu driver 1 info
    err_names driver
    on gpu devices=0 1 info
    err_names device
    on gpu open 1 info
    err_names gpu:0
    on gpu:0,5 '' 1 info
    err_names gpu:5 2
}
check "no device: the message names the reason" device_absent

# A plugin in the folder of the library is loaded, unless the library was loaded by a relative name.
device_beside()
{
    library=$(ldd "$VOLTERRA" | awk '/libvolterra\.so/ { print $3 }')
    [ -n "$library" ] || skip "the library is part of the program"
    [ -e "$fake" ] || skip "there is no $fake"
    mkdir lib
    cp "$library" lib
    cp "$fake" lib/libvolterra_cuda.so
    LD_LIBRARY_PATH=$PWD/lib expect 0 info --device gpu --json
    valid_json out "v['device'] == 'gpu:0' and v['plugin'].endswith('/lib/libvolterra_cuda.so)')"
    LD_LIBRARY_PATH=lib expect 1 info --device gpu
    err_names lib/libvolterra.so
}
check "a plugin in the folder of the library is loaded" device_beside

device_listed()
{
    on gpu:1 memory=5e8 0 info --json
    valid_json out "v['device'] == 'gpu:1' and len(v['gpus']) == 2 and v['gpus'][0]['name'] == 'Fake 0' \
        and v['gpus'][1]['available'] == 500000000 and v['plugin'].startswith('fake 1.2.3 (/')"
    on gpu names 0 info --json # names without an end fill their arrays of 128 and 64 characters
    valid_json out "[g['name'] for g in v['gpus']] == 2 * [127 * 'n'] and v['gpus'][0]['driver'] == 63 * 'd'"
    on gpu '' 0 info
    out_has '^GPU +gpu:1: Fake 1, 1.9 GiB of memory, 953.7 MiB available, driver 1.0$'
    [ "$sanitized" = no ] || skip "the plan of what fits runs the same code"
    on gpu seconds=1e-3,memory=1e9 0 plan --n 20000 --d 3 --verbose
    out_has '^memory on the GPU +3.0 GiB of 953.7 MiB$'
    out_has '^largest n on the GPU +11179 '
    out_has '^largest n +11179 '
    out_has '^fits +not on the GPU'
    on gpu seconds=1e-3,memory=1e12 0 plan --n 2000 --d 3 --json
    valid_json out "v['on_device'] and v['fits'] and v['device_factor_seconds'] == 5e-4 and v['fit_bytes'] < 8 * 2000 ** 2"
    on auto seconds=1e9 0 plan --n 2000 --d 3
    out_has '^device +CPU$'
}
check "info and plan show the devices" device_listed

device_equal()
{
    [ -e "$fake" ] || skip "there is no $fake"
    system_for_device 90
    common=(--x u.csv --y y.csv)
    for device in cpu gpu; do
        on "$device" '' 0 fit "${common[@]}" --kernel 'volterra:tau_coef=0.4 + 0.5*fir:mu=0.6' --alpha 1e-3 -o $device.m
        on "$device" '' 0 predict $device.m --x u.csv --start reset -o $device.csv
        on "$device" streams=3 0 tune "${common[@]}" --kernel volterra --draws 6 --seed 3 --race none --json -o $device.best
        cp out $device.json
        on "$device" '' 0 predict $device.best --x u.csv --start reset -o $device.best.csv
        on "$device" '' 0 compare "${common[@]}" --kernel volterra rbf --draws 3 --seed 5 --json
        cp out $device.compare
    done
    near cpu.csv gpu.csv 1e-9
    near cpu.best.csv gpu.best.csv 1e-6
    for kind in json compare; do # the same winners
        for device in cpu gpu; do
            grep -oE '"kernel": "[^"]*"' $device.$kind >$device.kernels
        done
        [ -s cpu.kernels ] || fail "$kind says nothing"
        same cpu.kernels gpu.kernels
    done
}
check "fit, predict, tune and compare on a device equal the CPU" device_equal

# tests/plugin/far_plugin.c provides devices that compute like a GPU.
device_several()
{
    far=$(dirname "$VOLTERRA")/tests/plugin/far_plugin.so
    [ -e "$far" ] || skip "there is no $far"
    system_for_device 700
    common=(--x u.csv --y y.csv --alpha 1e-2 --landmarks 20)
    for solver in nystrom pcg; do
        for device in cpu gpu:all gpu:1,1,0; do
            VOLT_CUDA_PLUGIN=$far expect 0 fit "${common[@]}" --solver $solver --tolerance 1e-9 --device $device -o $device.m --json
            named=$device
            [ $device != gpu:all ] || named=gpu:0,1
            [ $device = cpu ] || valid_json out "v['device'] == '$named'"
            expect 0 predict $device.m --x u.csv --start reset -o $device.csv
            near cpu.csv $device.csv 1e-7
        done
    done
}
check "landmark and pcg fits on several devices equal the CPU" device_several

# Operations that devices do not support run on the CPU, with one warning.
device_elsewhere()
{
    system_for_device 60
    on gpu '' 0 fit --x u.csv --y y.csv --loss huber:delta=0.1 --alpha 1e-2 -o there.m
    err_names loss squares CPU
    lines_of err 1
    on cpu '' 0 fit --x u.csv --y y.csv --loss huber:delta=0.1 --alpha 1e-2 -o here.m
    no_err
    system_for_device 4200 # fewer rows are stored
    on gpu '' 0 fit --x u.csv --y y.csv --kernel esn:size=5 --alpha 1e-2 -o states.m
    err_names Gram CPU
}
check "operations without device support are reported" device_elsewhere

device_fails()
{
    [ -e "$fake" ] || skip "there is no $fake"
    system_for_device 90
    common=(--x u.csv --y y.csv)
    echo before >m
    on gpu lost=5 1 fit "${common[@]}" --alpha 1e-3 -o m
    err_names device
    on gpu alloc=1 1 fit "${common[@]}" --alpha 1e-3 -o m
    err_names device 90
    on gpu memory=30000 1 fit "${common[@]}" --alpha 1e-3 -o m
    err_names 90 rows 60
    on gpu lost=1200 1 tune "${common[@]}" --kernel volterra --draws 60 --race none --threads 1 --log trials.jsonl -o m
    err_names device
    [ "$(cat m)" = before ] || fail "the model was touched"
    nothing_left
    # Finished trials are in the log.
    on gpu "" 0 tune "${common[@]}" --kernel volterra --draws 60 --race none --threads 1 --log trials.jsonl --resume --json -o m
    valid_json out "0 < v['resumed'] < 60 and v['draws'] == 60"
    on cpu '' 0 fit "${common[@]}" --alpha 1e-3 -o model
    echo before >forecast.csv
    on gpu lost=2 1 predict model --x u.csv -o forecast.csv
    err_names device
    [ "$(cat forecast.csv)" = before ] || fail "the forecast was touched"
}
check "a failing device ends the command with one message" device_fails
