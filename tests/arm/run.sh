#!/usr/bin/env bash
# tests/arm/run.sh: exported models on a Cortex-M4 (QEMU): the same outputs as a stream, and their size.
#
#   tests/arm/run.sh        (or make test-arm, after make build)
#
# Needs arm-none-eabi-gcc with newlib and qemu-system-arm (Debian: gcc-arm-none-eabi, libnewlib-arm-none-eabi,
# qemu-system-arm). Without them the tests are skipped. The results are TAP lines.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

for program in arm-none-eabi-gcc qemu-system-arm; do
    if ! command -v "$program" >/dev/null; then
        echo "ok 1 - exported models on a Cortex-M4 # SKIP $program is not installed"
        echo 1..1
        exit 0
    fi
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
EXPORT_FOLDER=$folder build/tests/unit/test_export >/dev/null 2>&1
failed=0 number=0

# run PRECISION: compile the cases of tests/unit/export/test_export.c for the processor and run them
run()
{
    local precision=$1 log=$folder/$1.log
    (cd "$folder/$precision" &&
        arm-none-eabi-gcc -std=c99 -Wall -Wextra -pedantic -Werror -O2 -mcpu=cortex-m4 -mthumb -mfloat-abi=hard \
            -mfpu=fpv4-sp-d16 --specs=rdimon.specs -T "$OLDPWD/tests/arm/cortex_m4.ld" "$OLDPWD/tests/arm/cortex_m4.c" \
            ./*.c -lm -o run.elf &&
        timeout 120 qemu-system-arm -M mps2-an386 -nographic -monitor none -serial none \
            -semihosting-config enable=on,target=native -kernel run.elf) >"$log" 2>&1
    local status=$?
    number=$((number + 1))
    if [ $status -eq 0 ] && grep -q '^0 of [0-9]* cases differ' "$log"; then
        echo "ok $number - $precision precision on a Cortex-M4"
    else
        failed=1
        sed 's/^/# /' "$log" | tail -n 20
        echo "not ok $number - $precision precision on a Cortex-M4"
    fi
}

run double
run single
echo "1..$number"
exit $failed
