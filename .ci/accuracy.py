"""Trains on a treebank with default settings and fails when LAS on its development set is below a floor.

Usage: accuracy.py PROGRAM TREEBANK FLOOR, where TREEBANK has train.conllu and dev.conllu.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

program, treebank, floor = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3])
train, dev = treebank / "train.conllu", treebank / "dev.conllu"


def run(*arguments):
    return subprocess.run([program, *map(str, arguments)], check=True, stdout=subprocess.PIPE).stdout


with tempfile.TemporaryDirectory() as folder:
    model, parsed = Path(folder, "model.spantree"), Path(folder, "parsed.conllu")
    run("train", "--data", train, "--dev", dev, "--out", model)
    run("parse", "--model", model, dev, "--out", parsed)
    report = json.loads(run("eval", dev, parsed, "--json"))

scores = {metric["name"]: metric for metric in report["systems"][0]["metrics"]}
las = 100 * scores["LAS"]["f1"]
print(f"{treebank.name}: LAS {las:.2f}, at least {floor:.2f} wanted")
sys.exit(las < floor)
