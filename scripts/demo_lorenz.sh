#!/usr/bin/env bash
# scripts/demo_lorenz.sh: learn the Lorenz system from one trajectory, let it run on, and draw both.
#
# The data and the model of docs/first_steps.md, with a longer path: step 0.005, 5000 training points, washout 100.
# Everything goes to build/demo. What `make demo-lorenz` calls; needs build/volterra.
set -euo pipefail
cd "$(dirname "$0")/.."

volterra=$PWD/build/volterra
mkdir -p build/demo
cd build/demo

step=0.005    # time between rows
lyapunov=0.9  # largest Lyapunov exponent of the system
train=5001    # rows to learn from: 5000 pairs of a row and the next one
length=8000   # rows in all
steps=$((length - train))

say() { printf '\n$ %s\n' "${*/#"$volterra"/volterra}"; }
run()
{
    say "$@"
    "$@"
}

run "$volterra" simulate lorenz --length $length -o lorenz.csv
run "$volterra" fit --x lorenz.csv --rows 0:$train --ahead 1 --kernel volterra:tau_coef=0.3,lambda_coef=0.3 \
    --alpha 1e-10 --washout 100 -o lorenz.safetensors
run "$volterra" continue lorenz.safetensors --steps $steps -o path.csv
run "$volterra" score --truth lorenz.csv --truth-rows $train:$length --pred path.csv \
    --lyapunov $lyapunov --dt $step --plot lorenz.svg

echo "picture: build/demo/lorenz.svg"
