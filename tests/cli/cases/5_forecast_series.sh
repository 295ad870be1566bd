# tests/cli/cases/5_forecast_series.sh: a series in, the next values out; and fits of several horizons.

bench_series=$here/../../bench/series

# A report with more lines than the 40 that it once had room for: a season, naive kept for some of many outputs,
# all baselines, and a note.
fit_long_report()
{
    expect 0 fit --x "$bench_series/elec_equip.csv" --ahead 1..24 -o m.safetensors
    no_err
    out_has '^outputs +24$'
    out_has '^note +autoregression does better'
    out_has '^can continue +no'
    expect 0 fit --x "$bench_series/elec_equip.csv" --ahead 1..24 -o m.safetensors --json
    valid_json out "v['q'] == 24 and len(v['alphas']) == 24 and len(v['baselines']) == 4"
}
check "fit reports many horizons, however long the report" fit_long_report
