"""Parsers of Spantree and that of PyPI ufal.udpipe (UDPipe 1) on the same sentences with gold tags: speed from CoNLL-U to CoNLL-U.

    python benchsuite/parse/peers.py SPANTREE TREEBANK MODEL ...

SPANTREE is the program, TREEBANK has train.conllu and dev.conllu, and the models are of that treebank. UDPipe's speed does not
depend on what its weights are, so its parser is trained for one iteration on an eighth of the treebank. All programs parse the
development set COPIES times over, on one core, in turn, and the best of ROUNDS counts. Times are of the processor, without
the loading of models; for Spantree, what a file of one sentence takes is subtracted.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time

import ufal.udpipe as udpipe

COPIES = 4
ROUNDS = 10


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def sentences(path, every):
    reader, error = udpipe.InputFormat.newConlluInputFormat(), udpipe.ProcessingError()
    reader.setText(read(path))
    kept, sentence, number = udpipe.Sentences(), udpipe.Sentence(), 0
    while reader.nextSentence(sentence, error):
        if number % every == 0:
            kept.push_back(sentence)
        sentence, number = udpipe.Sentence(), number + 1
    if error.occurred():
        raise RuntimeError(error.message)
    return kept


def udpipe_parser(treebank, folder):
    train, dev = (sentences(f"{treebank}/{part}.conllu", 8) for part in ("train", "dev"))
    none, error, path = udpipe.Trainer.NONE, udpipe.ProcessingError(), f"{folder}/udpipe.model"
    model = udpipe.Trainer.train("morphodita_parsito", train, dev, none, none, "iterations=1", error)
    if error.occurred():
        raise RuntimeError(error.message)
    with open(path, "wb") as file:
        file.write(model)
    loaded = udpipe.Model.load(path)
    return udpipe.Pipeline(loaded, "conllu", udpipe.Pipeline.NONE, udpipe.Pipeline.DEFAULT, "conllu"), loaded


def time_udpipe(pipeline, text):
    start, error = time.process_time(), udpipe.ProcessingError()
    pipeline.process(text, error)
    if error.occurred():
        raise RuntimeError(error.message)
    return time.process_time() - start


def time_spantree(program, model, source, out):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [program, "parse", "--threads", "1", "--model", model, source, "--out", out]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(program, treebank, *models):
    with tempfile.TemporaryDirectory() as folder:
        source, text = f"{folder}/dev.conllu", COPIES * read(f"{treebank}/dev.conllu")
        with open(source, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        single = f"{folder}/single.conllu"
        with open(single, "w", encoding="utf-8", newline="") as file:
            file.write(text[: text.index("\n\n") + 2])
        words = sum(line.split("\t", 1)[0].isdigit() for line in text.splitlines())
        pipeline, _model = udpipe_parser(treebank, folder)
        peer, ours = [], {model: ([], []) for model in models}
        for _ in range(ROUNDS):
            peer.append(time_udpipe(pipeline, text))
            for model, (whole, start) in ours.items():
                whole.append(time_spantree(program, model, source, f"{folder}/parsed.conllu"))
                start.append(time_spantree(program, model, single, f"{folder}/parsed.conllu"))
    print("| parser | words per second | times UDPipe |\n|---|--:|--:|")
    print(f"| UDPipe | {words / min(peer):,.0f} | 1.0 |")
    for model, (whole, start) in ours.items():
        seconds = min(whole) - min(start)
        print(f"| {os.path.basename(model)} | {words / seconds:,.0f} | {min(peer) / seconds:.1f} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
