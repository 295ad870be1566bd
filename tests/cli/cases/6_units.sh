# tests/cli/cases/6_units.sh: data times 2^k give the same results times 2^k.

# unit_of K: the first 260 rows of narma10 times 2^K, in unit.csv.
unit_of()
{
    expect 0 simulate narma10 --length 260 --seed 1 -o plain.csv
    python3 - "$1" <<'END'
import sys
rows = open("plain.csv").read().split()
with open("unit.csv", "w") as out:
    print(rows[0], file=out)
    for row in rows[1:]:
        print(*(repr(float(x) * 2.0 ** int(sys.argv[1])) for x in row.split(",")), sep=",", file=out)
END
}

# Squares of such numbers overflow or underflow: R2 and alpha must equal those of unscaled data, and errors must
# be in the unit of the data.
units()
{
    command -v python3 >/dev/null || return 0
    for k in 0 -560 560; do
        unit_of "$k"
        expect 0 fit --x unit.csv:u --y unit.csv:y --rows :220 -o model --json
        cp out "fit$k"
        expect 0 predict model --x unit.csv:u --rows 220: -o pred.csv
        expect 0 score --truth unit.csv:y --truth-rows 220: --pred pred.csv --json
        cp out "score$k"
        expect 0 tune --x unit.csv:u --y unit.csv:y --rows :220 --draws 2 --json
        cp out "tune$k"
        expect 0 forecast unit.csv:y --steps 2 --json
        cp out "forecast$k"
    done
    python3 - >verdict <<'END'
import json

def flat(value, path=""):
    if isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from flat(inner, f"{path}.{key}")
    else:
        yield path, value

# a mean square is no double; the likelihood moves with the unit; times depend on the machine
skipped = ("mse", "log_likelihood", "seconds", "blas_seconds", "command")
for command in ("fit", "score", "tune", "forecast"):
    plain = dict(flat(json.load(open(f"{command}0"))))
    for k in (-560, 560):
        other = dict(flat(json.load(open(f"{command}{k}"))))
        for path, value in plain.items():
            if path.rsplit(".", 1)[-1] in skipped or not isinstance(value, (int, float)):
                continue
            found = other.get(path)
            same = isinstance(found, (int, float)) and any(
                abs(found - value * unit) <= 1e-9 * abs(value * unit) for unit in (1.0, 2.0**k))
            if not same:
                print(f"{command} times 2^{k}: {path} is {found}, and was {value}")
END
    [ ! -s verdict ] || fail "$(head -3 verdict)"
}
check "units: data times 2^k" units
