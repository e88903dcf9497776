"""Vectors of words by a BERT-like encoder, written plainly with numpy: the judge of `spantree::encoder`.

    python encoder_vectors.py FOLDER sentences.conllu vectors.f32
    SPANTREE_ENCODER=FOLDER SPANTREE_SENTENCES=sentences.conllu SPANTREE_VECTORS=vectors.f32 \
        cargo test --release -p spantree --features encoder --test encoder -- --ignored

Needs numpy, tokenizers and safetensors from PyPI. Writes the last four layers of each root ([CLS]) and word (mean of its pieces).
"""

import json
import math
import sys

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

folder, sentences, target = sys.argv[1:]
config = json.load(open(f"{folder}/config.json"))
tensors = load_file(f"{folder}/model.safetensors")
tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
tokenizer.no_truncation()
tokenizer.no_padding()
heads, layers = config["num_attention_heads"], config["num_hidden_layers"]
erf = np.vectorize(math.erf)


def linear(x, name):
    return x @ tensors[name + ".weight"].T.astype(np.float64) + tensors[name + ".bias"]


def norm(x, name):
    x = x - x.mean(-1, keepdims=True)
    x = x / np.sqrt((x * x).mean(-1, keepdims=True) + config["layer_norm_eps"])
    return x * tensors[name + ".LayerNorm.weight"] + tensors[name + ".LayerNorm.bias"]


def encode(ids):
    rows = "embeddings.{}_embeddings.weight".format
    x = tensors[rows("word")][ids] + tensors[rows("position")][: len(ids)] + tensors[rows("token_type")][0]
    x = norm(x.astype(np.float64), "embeddings")
    found = []
    for layer in range(layers):
        name = f"encoder.layer.{layer}."
        split = lambda part: linear(x, name + "attention.self." + part).reshape(len(ids), heads, -1).swapaxes(0, 1)
        query, key, value = split("query"), split("key"), split("value")
        scores = query @ key.swapaxes(1, 2) / math.sqrt(query.shape[-1])
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (scores / scores.sum(-1, keepdims=True) @ value).swapaxes(0, 1).reshape(len(ids), -1)
        x = norm(x + linear(mixed, name + "attention.output.dense"), name + "attention.output")
        inner = linear(x, name + "intermediate.dense")
        inner = inner * (1 + erf(inner / math.sqrt(2))) / 2
        x = norm(x + linear(inner, name + "output.dense"), name + "output")
        found.append(x)
    return np.concatenate(found[-4:], axis=1)


with open(target, "wb") as out:
    for block in open(sentences, encoding="utf-8").read().strip().split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        words = [row[1] for row in rows if row[0].isdigit()]
        pieces = [tokenizer.encode(word, add_special_tokens=False).ids or [tokenizer.token_to_id("[UNK]")] for word in words]
        start, end = (tokenizer.token_to_id(name) for name in ("[CLS]", "[SEP]"))
        vectors = encode([start] + sum(pieces, []) + [end])
        out.write(vectors[0].astype("<f4").tobytes())
        place = 1
        for own in pieces:
            out.write(vectors[place : place + len(own)].mean(0).astype("<f4").tobytes())
            place += len(own)
