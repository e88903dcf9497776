"""Reading speed of the PyPI packages conllu and udapi: MB/s for each file given.

CPU time is measured, so that other load on the machine does not count against them.
"""

import os
import sys
import time

import conllu
from udapi.block.read.conllu import Conllu
from udapi.core.document import Document


def read_conllu(path):
    with open(path, encoding="utf-8") as lines:
        return sum(1 for sentence in conllu.parse_incr(lines) for token in sentence if isinstance(token["id"], int))


def read_udapi(path):
    document = Document()
    # Real files have cycles.
    Conllu(files=path, fix_cycles=True).apply_on_document(document)
    return sum(len(tree.descendants) for tree in document.trees)


for path in sys.argv[1:]:
    for name, read in [("conllu", read_conllu), ("udapi", read_udapi)]:
        start = time.process_time()
        words = read(path)
        rate = os.path.getsize(path) / (time.process_time() - start) / 1e6
        print(f"{path}: {name}: {words} words, {rate:.2f} MB/s", flush=True)
