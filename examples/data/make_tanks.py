#!/usr/bin/env python3
"""examples/data/make_tanks.py: write tanks.csv, two water tanks in a row.

A pump fills the upper tank, which drains into the lower one, which drains away; water that would run over
the rim of a tank is lost. Outflow grows with the square root of the level (Torricelli), so the level of the
lower tank is a nonlinear function of what the pump did during the last minutes. One row every 4 seconds:

    upper' = 0.10 pump - 0.08 sqrt(upper)
    lower' = 0.08 sqrt(upper) - 0.07 sqrt(lower)          0 <= upper, lower <= 10

The pump changes every 20 to 100 seconds; the measured level has noise with standard deviation 0.02.
Standard library only, and the same file every time: python3 make_tanks.py > tanks.csv
"""
import datetime
import random

ROWS, STEP, SUBSTEPS, RIM = 1600, 4.0, 20, 10.0

draw = random.Random(7)
upper, lower, pump, rows_left = 2.0, 2.0, 1.0, 0
clock = datetime.datetime(2024, 3, 1, 8, 0, 0)

print("time,pump,level")
for row in range(ROWS):
    if rows_left == 0:
        pump, rows_left = round(draw.uniform(0.2, 3.0), 2), draw.randint(5, 25)
    rows_left -= 1
    for _ in range(SUBSTEPS):
        h = STEP / SUBSTEPS
        between = 0.08 * upper**0.5
        upper = min(max(upper + h * (0.10 * pump - between), 0.0), RIM)
        lower = min(max(lower + h * (between - 0.07 * lower**0.5), 0.0), RIM)
    print(f"{clock:%Y-%m-%d %H:%M:%S},{pump:.2f},{lower + draw.gauss(0, 0.02):.3f}")
    clock += datetime.timedelta(seconds=STEP)
