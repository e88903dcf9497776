"""Trains on a treebank with default settings and fails when LAS on its development set is below a floor.

Usage: accuracy.py PROGRAM TREEBANK FLOOR PREDICTED_FLOOR, where TREEBANK has train.conllu and dev.conllu; the second floor is for
tags and lemmas that the model predicts.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

program, treebank, floors = sys.argv[1], Path(sys.argv[2]), [float(floor) for floor in sys.argv[3:5]]
train, dev = treebank / "train.conllu", treebank / "dev.conllu"


def run(*arguments):
    return subprocess.run([program, *map(str, arguments)], check=True, stdout=subprocess.PIPE).stdout


def las(*options):
    run("parse", "--model", model, *options, dev, "--out", parsed)
    report = json.loads(run("eval", dev, parsed, "--json"))
    scores = {metric["name"]: metric for metric in report["systems"][0]["metrics"]}
    return 100 * scores["LAS"]["f1"]


with tempfile.TemporaryDirectory() as folder:
    model, parsed = Path(folder, "model.spantree"), Path(folder, "parsed.conllu")
    run("train", "--data", train, "--dev", dev, "--out", model)
    found = [las(), las("--retag")]

for tags, score, floor in zip(["given", "predicted"], found, floors):
    print(f"{treebank.name}, {tags} tags: LAS {score:.2f}, at least {floor:.2f} wanted")
sys.exit(any(score < floor for score, floor in zip(found, floors)))
