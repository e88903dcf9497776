//! The synthetic language can be learnt, and only from words and context: a first-order model that picks the best head of each
//! word gets almost everything right, one that knows the most frequent head of each tag does not.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use spantree_treebank::{Generator, GeneratorConfig, Sentence};

fn treebank(seed: u64, count: usize) -> Vec<Sentence> {
    Generator::new(GeneratorConfig { seed, ..GeneratorConfig::default() }).take(count).collect()
}

/// Share of words with the right head and label.
fn labelled_accuracy(
    sentences: &[Sentence],
    mut parse: impl FnMut(&Sentence, u32) -> (u32, String),
) -> f64 {
    let (mut right, mut all) = (0, 0);
    for sent in sentences {
        for word in 1..=sent.len() as u32 {
            let gold = (sent.word(word).head().unwrap(), sent.word(word).deprel().to_owned());
            right += usize::from(parse(sent, word) == gold);
            all += 1;
        }
    }
    right as f64 / all as f64
}

/// The most frequent distance to the head, and label, of each tag.
fn most_frequent_heads(train: &[Sentence]) -> HashMap<String, (i64, String)> {
    let mut counts: HashMap<String, HashMap<(i64, String), usize>> = HashMap::new();
    for sent in train {
        for (word, token) in (1i64..).zip(sent.words()) {
            let head = token.head().unwrap();
            let distance = if head == 0 { 0 } else { i64::from(head) - word };
            let arc = (distance, token.deprel().to_owned());
            *counts.entry(token.upos().to_owned()).or_default().entry(arc).or_default() += 1;
        }
    }
    let best = |arcs: HashMap<(i64, String), usize>| {
        arcs.into_iter().max_by_key(|(arc, count)| (*count, arc.clone())).unwrap().0
    };
    counts.into_iter().map(|(tag, arcs)| (tag, best(arcs))).collect()
}

const TABLE: usize = 1 << 20;

/// A perceptron over hashed features.
struct Perceptron(Vec<f32>);

impl Perceptron {
    fn score(&self, features: &[usize]) -> f32 {
        features.iter().map(|&feature| self.0[feature]).sum()
    }

    fn update(&mut self, features: &[usize], step: f32) {
        for &feature in features {
            self.0[feature] += step;
        }
    }

    /// The best of the candidates, the first of equals.
    fn best(&self, candidates: &[Vec<usize>]) -> usize {
        let scores: Vec<_> = candidates.iter().map(|features| self.score(features)).collect();
        (0..scores.len())
            .fold(0, |best, next| if scores[next] > scores[best] { next } else { best })
    }

    fn learn(&mut self, candidates: &[Vec<usize>], gold: usize) {
        let guess = self.best(candidates);
        if guess != gold {
            self.update(&candidates[gold], 1.0);
            self.update(&candidates[guess], -1.0);
        }
    }
}

fn id(parts: impl Hash) -> usize {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish() as usize % TABLE
}

fn tag(sent: &Sentence, vertex: u32) -> &str {
    if (1..=sent.len() as u32).contains(&vertex) { sent.word(vertex).upos() } else { "ROOT" }
}

fn lemma(sent: &Sentence, vertex: u32) -> &str {
    if (1..=sent.len() as u32).contains(&vertex) { sent.word(vertex).lemma() } else { "ROOT" }
}

fn xpos(sent: &Sentence, vertex: u32) -> &str {
    if vertex == 0 { "ROOT" } else { sent.word(vertex).xpos() }
}

/// What a first-order model sees of an arc: its ends, their neighbours, direction and distance, and the verbs between.
fn arc_features(sent: &Sentence, head: u32, child: u32) -> Vec<usize> {
    let (low, high) = (head.min(child), head.max(child));
    let between = |wanted| (low + 1..high).filter(|&word| tag(sent, word) == wanted).count().min(2);
    let verbs = between("VERB");
    let place = (head < child, (high - low).min(6), verbs);
    let tags = (xpos(sent, head), xpos(sent, child));
    vec![
        id((0, tags, place)),
        id((1, tags, head < child, verbs, between("CCONJ"), between("PUNCT"), between("SCONJ"))),
        id((2, tag(sent, head), lemma(sent, child), head < child, verbs)),
        id((3, lemma(sent, head), tag(sent, child), head < child)),
        id((4, lemma(sent, head), lemma(sent, child))),
        id((5, tags, tag(sent, child.wrapping_sub(1)), tag(sent, child + 1), place)),
        id((6, tags, tag(sent, head.wrapping_sub(1)), tag(sent, head + 1), place)),
        id((7, tags, between("NOUN"), between("ADP"), verbs, head < child)),
        id((
            8,
            tags,
            lemma(sent, child.wrapping_sub(1)),
            lemma(sent, child.wrapping_sub(2)),
            verbs,
        )),
    ]
}

fn label_features(sent: &Sentence, head: u32, child: u32, label: &str) -> Vec<usize> {
    let before = (lemma(sent, child.wrapping_sub(1)), lemma(sent, child.wrapping_sub(2)));
    vec![
        id((10, xpos(sent, head), xpos(sent, child), head < child, label)),
        id((11, lemma(sent, head), before, label)),
        id((12, tag(sent, head), before, label)),
        id((13, tag(sent, head), lemma(sent, child), label)),
    ]
}

#[test]
fn words_and_context_are_needed_and_enough() {
    let (train, dev) = (treebank(1, 1000), treebank(2, 200));
    let frequent = most_frequent_heads(&train);
    let baseline = labelled_accuracy(&dev, |sent, word| {
        let fallback = (0, "root".to_owned());
        let (distance, label) = frequent.get(sent.word(word).upos()).unwrap_or(&fallback);
        let head = if *distance == 0 { 0 } else { i64::from(word) + distance };
        (u32::try_from(head).unwrap_or(0), label.clone())
    });

    let mut labels: Vec<_> =
        train.iter().flat_map(Sentence::words).map(|word| word.deprel()).collect();
    labels.sort_unstable();
    labels.dedup();
    let arcs = |sent: &Sentence, child: u32| -> Vec<Vec<usize>> {
        (0..=sent.len() as u32).map(|head| arc_features(sent, head, child)).collect()
    };
    let labellings = |sent: &Sentence, head, child| -> Vec<Vec<usize>> {
        labels.iter().map(|label| label_features(sent, head, child, label)).collect()
    };
    let mut model = Perceptron(vec![0.0; TABLE]);
    for _ in 0..4 {
        for sent in &train {
            for (child, token) in (1..).zip(sent.words()) {
                let head = token.head().unwrap();
                model.learn(&arcs(sent, child), head as usize);
                let label = labels.iter().position(|&label| label == token.deprel()).unwrap();
                model.learn(&labellings(sent, head, child), label);
            }
        }
    }
    let learnt = labelled_accuracy(&dev, |sent, child| {
        let head = model.best(&arcs(sent, child)) as u32;
        (head, labels[model.best(&labellings(sent, head, child))].to_owned())
    });
    println!("baseline {baseline:.3}, learnt {learnt:.3}");
    assert!(baseline < 0.65, "{baseline}");
    assert!(learnt > 0.9, "{learnt}");
}
