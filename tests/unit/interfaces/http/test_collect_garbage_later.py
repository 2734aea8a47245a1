"""The garbage collector of a function, in a process of its own."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import gc
import ragbase.interfaces.http.collect_garbage_later

def count(phase, info):
    global runs
    runs += phase == "start"

class Circle:
    def __init__(self):
        self.itself = self

def drop(circles):
    for _ in range(circles):
        Circle()
    return runs

runs = 0
gc.callbacks.append(count)
print(drop(200_000), drop(150_000), drop(100_000))
"""
"""What it drops is freed by the collector only."""


def test_the_collector_runs_after_the_start_and_then_often() -> None:
    ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    during_the_start, after_it, later = map(int, ran.stdout.split())
    assert during_the_start == 0
    assert after_it >= 1
    assert later - after_it >= 5
