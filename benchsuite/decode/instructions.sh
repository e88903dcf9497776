#!/bin/sh
# Instructions per call, counted by callgrind: repeatable on a busy machine.
# A run without repeats (start-up, table, first call) is subtracted.
set -eu
cd "$(dirname "$0")/../.."
cargo build --quiet --release -p spantree-decode --example instructions
program="${CARGO_TARGET_DIR:-target}/release/examples/instructions"

count() { # decoder, words, repeats
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" "$2" "$3" 2>&1 |
        awk '/Collected/ { print $4 }'
}

per_call() { # decoder, words, repeats
    with=$(count "$1" "$2" "$3")
    without=$(count "$1" "$2" 0)
    echo $(((with - without) / $3))
}

ratio() { # label, numerator, denominator
    awk -v label="$1" -v a="$2" -v b="$3" 'BEGIN { printf "%-44s %10d / %10d = %.2f\n", label, a, b, a / b }'
}

for words in 10 25 50 100; do
    repeats=$((20000 / (words * words) + 5))
    plain=$(per_call plain "$words" "$repeats")
    eisner=$(per_call eisner "$words" "$repeats")
    ratio "n = $words: Eisner / plain triple loop" "$eisner" "$plain"
done
ratio "n = 25: 10 best / best projective tree" "$(per_call eisner10 25 50)" "$(per_call eisner 25 50)"
ratio "n = 25: 10 best / best tree of all" "$(per_call cle10 25 50)" "$(per_call cle 25 50)"
