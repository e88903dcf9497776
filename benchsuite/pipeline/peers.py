"""Whole pipelines of Spantree and of PyPI ufal.udpipe (UDPipe 1), trained on the same files: accuracy and speed.

    python benchsuite/pipeline/peers.py SPANTREE TREEBANKS OUT NAME ...

SPANTREE is the program, TREEBANKS/NAME has train.conllu and dev.conllu, and OUT is what benchsuite/pipeline/run wrote:
NAME.spantree and NAME.txt. OUT/NAME.udpipe is used if it is there, else UDPipe is trained with its default settings, which
takes hours. The analyses are scored by the official script, udeval of PyPI udtools, which must stand beside the interpreter.
Speed is processor time from raw text to CoNLL-U on one core, both tools in turn, the best of ROUNDS; Spantree's includes the
start of its process and the loading of the model, UDPipe's does not.
"""

import os
import resource
import subprocess
import sys
import time

import ufal.udpipe as udpipe

METRICS = ["Sentences", "Tokens", "Words", "UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS"]
ROUNDS = 3


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def checked(error):
    if error.occurred():
        raise RuntimeError(error.message)


def udpipe_sentences(path):
    reader, error = udpipe.InputFormat.newConlluInputFormat(), udpipe.ProcessingError()
    reader.setText(read(path))
    sentences, sentence = udpipe.Sentences(), udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        sentences.push_back(sentence)
        sentence = udpipe.Sentence()
    checked(error)
    return sentences


def udpipe_model(path, treebank):
    """The model in a file, trained first if there is none."""
    if not os.path.exists(path):
        train, dev = (udpipe_sentences(f"{treebank}/{part}.conllu") for part in ("train", "dev"))
        error, default = udpipe.ProcessingError(), udpipe.Trainer.DEFAULT
        model = udpipe.Trainer.train("morphodita_parsito", train, dev, default, default, default, error)
        checked(error)
        with open(path, "wb") as file:
            file.write(model)
    return udpipe.Model.load(path)


def run_udpipe(model, source, form, tagger):
    """The analysis of a text, and the processor time."""
    default, error = udpipe.Pipeline.DEFAULT, udpipe.ProcessingError()
    pipeline = udpipe.Pipeline(model, form, tagger, default, "conllu")
    text = read(source)
    start = time.process_time()
    result = pipeline.process(text, error)
    seconds = time.process_time() - start
    checked(error)
    return result, seconds


def run_spantree(program, model, source, *options):
    """The same with Spantree."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [program, "parse", "--model", model, *options, source]
    result = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return result, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def scores(gold, system):
    """F1 by metric, by the official script."""
    script = os.path.join(os.path.dirname(sys.executable), "udeval")
    command = [script, "--verbose", "--no-enhanced", "--multiple-roots-okay", gold, system]
    output = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
    rows = [[cell.strip() for cell in line.split("|")] for line in output.splitlines() if "|" in line]
    return {row[0]: row[3] for row in rows[1:]}


def words(conllu):
    return sum(line.split("\t", 1)[0].isdigit() for line in conllu.splitlines())


def compare(program, treebank, out, name):
    gold, base = f"{treebank}/dev.conllu", f"{out}/{name}"
    ours, peer = f"{base}.spantree", udpipe_model(f"{base}.udpipe", treebank)
    default, none = udpipe.Pipeline.DEFAULT, udpipe.Pipeline.NONE
    settings = [
        ("raw text", f"{base}.txt", "tokenize", default, ["--input", "text"]),
        ("tokens", gold, "conllu", default, ["--retag"]),
        ("morphology", gold, "conllu", none, []),
    ]
    speeds = []
    for given, source, form, tagger, options in settings:
        for tool in ("UDPipe", "Spantree"):
            rounds = ROUNDS if given == "raw text" else 1
            if tool == "UDPipe":
                runs = [run_udpipe(peer, source, form, tagger) for _ in range(rounds)]
            else:
                runs = [run_spantree(program, ours, source, *options) for _ in range(rounds)]
            result, seconds = min(runs, key=lambda run: run[1])
            path = f"{base}.{tool.lower()}.conllu"
            write(path, result)
            found = scores(gold, path)
            print(f"| {name} | {given} | {tool} |", " | ".join(found.get(metric, "") for metric in METRICS), "|")
            if given == "raw text":
                speeds.append(words(result) / seconds)
    return f"| {name} | {speeds[0]:.0f} | {speeds[1]:.0f} | {speeds[1] / speeds[0]:.1f} |"


def main():
    program, treebanks, out, *names = sys.argv[1:]
    print("| treebank | given | tool |", " | ".join(METRICS), "|")
    print("|---|---|---|" + "--:|" * len(METRICS))
    speeds = [compare(program, f"{treebanks}/{name}", out, name) for name in names]
    print("\n| treebank | UDPipe, words/s | Spantree, words/s | ratio |\n|---|--:|--:|--:|")
    print("\n".join(speeds))


if __name__ == "__main__":
    main()
