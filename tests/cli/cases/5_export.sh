# tests/cli/cases/5_export.sh: models as C source and JSON. tests/unit/export/test_export.c compares the numbers of every kind of model.

# A model of 40 rows, with feedback, and a program that runs the exported one on the inputs of standard input.
one_model()
{
    awk 'BEGIN { print "u,y"; for (t = 0; t < 60; t++) { u = sin(t * t); y = 0.5 * y + u + 0.3 * u * u; print u "," y } }' >rows.csv
    expect 0 fit --x rows.csv:u --y rows.csv:y --kernel fading --alpha 0.01 --feedback --rows :40 -o model.safetensors
    cat >run.c <<'END'
#include <stdio.h>
#include "pump.h"
int main(void)
{
    static pump_state state;
    double x[PUMP_INPUTS], y[PUMP_OUTPUTS], low[PUMP_OUTPUTS], high[PUMP_OUTPUTS];
    pump_continue(&state);
    while (scanf("%lf", x) == 1) {
        pump_step(&state, x, y);
        pump_interval(0, y, low, high);
        printf("%.17g,%.17g,%.17g\n", y[0], low[0], high[0]);
    }
    return 0;
}
END
}

export_equals_stream()
{
    one_model
    expect 0 export model.safetensors --interval 0.8 -o pump.c
    out_has 'pump.h'
    out_has '40'
    tail -n 20 rows.csv | cut -d, -f1 >inputs
    sed 's/$/,NA/' inputs >lines
    expect 0 stream model.safetensors --interval 0.8 <lines
    cp out answers
    command -v gcc >/dev/null || skip "there is no gcc"
    gcc -std=c99 -Wall -Wextra -pedantic -Werror pump.c run.c -lm -o run || fail "the code does not compile"
    ./run <inputs >found
    lines_of found 20
    # 40 rows, coefficients up to 100: about 40 * 100 eps, fed back over 20 rows
    paste -d, found answers | awk -F, '{ for (i = 1; i <= 3; i++) { d = $i - $(i + 3); if (d * d > 1e-20) exit 1 } }' ||
        fail "the outputs differ: $(paste -d, found answers | head -n 3)"
}
check "exported code predicts as stream does" export_equals_stream

export_reports()
{
    one_model
    expect 0 export model.safetensors --precision single --landmarks 12 --name tiny -o code.c --json
    out_has '"precision": "single"'
    out_has '"landmark_error"'
    out_has '"state_bytes"'
    grep -q 'int tiny_step(tiny_state \*state, const float \*x, float \*y);' code.h || fail "no step in single precision"
    grep -q 'double' code.c code.h && fail "single precision has doubles: $(grep -m 1 double code.c code.h)"
    expect 0 export model.safetensors --format json -o code.json
    python3 -c 'import json; part = json.load(open("code.json"))["parts"][0]; assert len(part["rows"]) == 40 and "feedback" in part' ||
        fail "the JSON is wrong"
}
check "export writes single precision, landmarks and JSON" export_reports

# Names of columns may have any characters: comments and JSON keep them without ending.
export_names()
{
    awk 'BEGIN { print "\"a*/b \"\"c\\\",y"; for (t = 0; t < 30; t++) print sin(t * t) "," cos(t * t) }' >odd.csv
    expect 0 fit --x 'odd.csv:a*' --y odd.csv:y --kernel fading --alpha 0.01 -o odd.safetensors
    expect 0 export odd.safetensors -o odd.c
    expect 0 export odd.safetensors --format json -o odd.json
    python3 -c 'import json; print(json.load(open("odd.json"))["input_names"][0])' >name
    grep -qF 'a*/b "c\' name || fail "the name is $(cat name)"
    command -v gcc >/dev/null || skip "there is no gcc"
    gcc -std=c99 -Wall -Wextra -pedantic -Werror -fsyntax-only odd.c || fail "the code does not compile"
}
check "export of a model with odd names" export_names

# refused STATUS TERM ARGUMENT...: the export fails with this status, and names the term
refused()
{
    local wanted=$1 term=$2
    shift 2
    expect "$wanted" "$@"
    err_names "$term"
}

export_refuses()
{
    one_model
    refused 1 'nothing.safetensors' export nothing.safetensors -o code.c
    refused 2 '-o' export model.safetensors
    refused 2 '.c' export model.safetensors -o code.txt
    refused 2 'precision' export model.safetensors --precision half -o code.c
    refused 2 'format' export model.safetensors --format cobol -o code.c
    refused 2 'precision' export model.safetensors --format json --precision single -o code.json
    refused 2 'name' export model.safetensors --format json --name tiny -o code.json
    refused 2 'landmarks' export model.safetensors --landmarks 0 -o code.c
    refused 2 '41' export model.safetensors --landmarks 41 -o code.c
    refused 2 'interval' export model.safetensors --interval 1.5 -o code.c
    refused 2 'name' export model.safetensors --name 2x -o code.c
    refused 1 'nowhere' export model.safetensors -o nowhere/code.c
    refused 2 'model.safetensors' export model.safetensors --format json -o model.safetensors
    mkdir code.h
    refused 1 'code.h' export model.safetensors -o code.c
    expect 0 fit --x rows.csv:u --y rows.csv:y --kernel gak:window=4 --alpha 0.01 -o gak.safetensors
    refused 2 'gak' export gak.safetensors -o gak.c
    [ ! -e code.c ] && [ ! -e gak.c ] || fail "files were written"
}
check "export refuses wrong options, files and models" export_refuses
