#!/usr/bin/env python3
"""examples/data/make_turns.py: write a collection of series, points that go round to the left or to the right.

    python3 make_turns.py train > turns_train.ts
    python3 make_turns.py test > turns_test.ts

A series has 20 to 35 steps of two channels, the position. Start, speed and size of a turn are random, and the
speed changes on the way; the class is the sense of rotation. Python's standard library only.
"""

import math
import random
import sys

SERIES = {"train": 24, "test": 16}
NOISE = 0.05


def turn(rng, sense):
    steps = rng.randint(20, 35)
    size = rng.uniform(0.8, 1.2)
    angle = rng.uniform(0, 2 * math.pi)
    path = []
    for _ in range(steps):
        x = size * math.cos(angle) + rng.gauss(0, NOISE)
        y = size * math.sin(angle) + rng.gauss(0, NOISE)
        path.append((x, y))
        angle += sense * rng.uniform(0.5, 1.5) * 2 * math.pi / 27
    return path


def main():
    part = sys.argv[1]
    rng = random.Random(f"turns {part}")
    print("@problemName Turns")
    print("@timeStamps false")
    print("@missing false")
    print("@univariate false")
    print("@dimensions 2")
    print("@equalLength false")
    print("@classLabel true left right")
    print("@data")
    for i in range(SERIES[part]):
        path = turn(rng, 1 if i % 2 == 0 else -1)
        channels = [",".join(f"{point[c]:.3f}" for point in path) for c in range(2)]
        print(":".join(channels + ["left" if i % 2 == 0 else "right"]))


main()
