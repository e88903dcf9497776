//! The declarative suite: `testdata/decode/*.toml`, described in its README, on every decoder.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use spantree_decode::brute_force::TreeSpace;
use spantree_decode::{
    ArcScores, ArcTable, ChainScores, ChuLiuEdmonds, Eisner, Heads, MatrixTree, Ranked, RootMode,
    TagId, TreeDecoder, TreeDistribution, Viterbi,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Suite {
    #[serde(default)]
    tree: Vec<TreeCase>,
    #[serde(default)]
    chain: Vec<ChainCase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TreeCase {
    name: String,
    #[serde(default)]
    scores: Vec<Vec<f32>>,
    #[serde(default)]
    words: usize,
    #[serde(default)]
    fill: f32,
    #[serde(default)]
    require: Vec<(usize, usize)>,
    #[serde(default)]
    forbid: Vec<(usize, usize)>,
    expect: Vec<Expectation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Space {
    All,
    Projective,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Root {
    One,
    Many,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expectation {
    space: Space,
    root: Root,
    best: Option<f64>,
    heads: Option<Vec<u32>>,
    k_best: Option<Vec<f64>>,
    #[serde(default)]
    complete: bool,
    log_partition: Option<f64>,
    #[serde(default)]
    marginals: Vec<(usize, usize, f64)>,
    trees: Option<usize>,
    #[serde(default)]
    infeasible: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChainCase {
    name: String,
    tags: Vec<Vec<f32>>,
    /// Number of tags, where no row shows it.
    width: Option<usize>,
    #[serde(default)]
    steps: Vec<Vec<f32>>,
    #[serde(default)]
    starts: Vec<f32>,
    #[serde(default)]
    ends: Vec<f32>,
    best: Option<f64>,
    sequence: Option<Vec<TagId>>,
    k_best: Option<Vec<f64>>,
    #[serde(default)]
    complete: bool,
    log_partition: Option<f64>,
    sequences: Option<u128>,
    #[serde(default)]
    infeasible: bool,
}

/// What one decoder says about a case; `None` for questions that it cannot be asked.
#[derive(Default)]
struct Answer {
    decoder: &'static str,
    best: Option<Option<(Heads, f64)>>,
    k_best: Option<Vec<f64>>,
    sums: Option<Option<(f64, ArcTable<f64>)>>,
    trees: Option<usize>,
}

impl TreeCase {
    fn table(&self) -> ArcScores {
        let words = self.scores.first().map_or(self.words, Vec::len);
        let cell = |head: usize, child: usize| {
            self.scores.get(head).map_or(self.fill, |row| row[child - 1])
        };
        let mut scores = ArcScores::from_fn(words, cell);
        self.require.iter().for_each(|&(head, child)| scores.require(head, child));
        self.forbid.iter().for_each(|&(head, child)| scores.forbid(head, child));
        scores
    }
}

fn decoded<D: TreeDecoder>(decoder: &D, scores: &ArcScores, k: usize, answer: &mut Answer) {
    let (mut scratch, mut tree) = (D::Scratch::default(), Heads::default());
    let best = decoder.decode(scores, &mut scratch, &mut tree);
    answer.best = Some(best.map(|score| (tree, score)));
    let mut trees = Ranked::default();
    decoder.k_best(scores, k, &mut scratch, &mut trees);
    answer.k_best = Some(trees.iter().map(|(_, score)| score).collect());
}

fn summed<D: TreeDistribution>(distribution: &D, scores: &ArcScores, answer: &mut Answer) {
    let mut marginals = ArcTable::default();
    let log_z = distribution.marginals(scores, &mut D::Scratch::default(), &mut marginals);
    answer.sums = Some(log_z.map(|log_z| (log_z, marginals)));
}

fn brute_force(space: TreeSpace, scores: &ArcScores, k: usize) -> Answer {
    let ranked = space.ranked(scores);
    Answer {
        decoder: "brute force",
        // Brute force breaks ties by another rule.
        best: None,
        k_best: Some(ranked.iter().take(k).map(|(_, score)| *score).collect()),
        sums: Some(space.log_partition(scores).map(|log_z| (log_z, space.marginals(scores)))),
        trees: Some(ranked.len()),
    }
}

fn answers(expect: &Expectation, scores: &ArcScores) -> Vec<Answer> {
    let mode = match expect.root {
        Root::One => RootMode::One,
        Root::Many => RootMode::Many,
    };
    let listed = expect.k_best.as_ref().map_or(1, Vec::len);
    let k = listed + usize::from(expect.complete);
    match expect.space {
        Space::All => {
            let mut cle = Answer { decoder: "ChuLiuEdmonds", ..Answer::default() };
            decoded(&ChuLiuEdmonds::new(mode), scores, k, &mut cle);
            let mut matrix_tree = Answer { decoder: "MatrixTree", ..Answer::default() };
            summed(&MatrixTree::new(mode), scores, &mut matrix_tree);
            vec![brute_force(TreeSpace { mode, projective: false }, scores, k), cle, matrix_tree]
        }
        Space::Projective => {
            let decoder = Eisner::new(mode);
            let mut eisner = Answer { decoder: "Eisner", ..Answer::default() };
            decoded(&decoder, scores, k, &mut eisner);
            summed(&decoder, scores, &mut eisner);
            eisner.trees = Some(decoder.count(scores, &mut Default::default()) as usize);
            vec![brute_force(TreeSpace { mode, projective: true }, scores, k), eisner]
        }
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

fn check(case: &str, expect: &Expectation, answer: &Answer) {
    let context = format!("{case}: {}", answer.decoder);
    if let Some(best) = &answer.best {
        assert_eq!(best.is_none(), expect.infeasible, "{context}");
        let (tree, score) = best.as_ref().map(|(tree, score)| (tree.as_slice(), *score)).unzip();
        if let (Some(score), Some(expected)) = (score, expect.best) {
            assert!(close(score, expected), "{context}: best {score}, not {expected}");
        }
        if let (Some(tree), Some(expected)) = (tree, &expect.heads) {
            assert_eq!(tree, expected.as_slice(), "{context}");
        }
    }
    if let (Some(list), Some(expected)) = (&answer.k_best, &expect.k_best) {
        let equal = list.iter().zip(expected).all(|(a, b)| close(*a, *b));
        assert!(equal && list.len() == expected.len(), "{context}: {list:?}, not {expected:?}");
    }
    if let Some(sums) = &answer.sums {
        assert_eq!(sums.is_none(), expect.infeasible, "{context}");
        if let Some((log_z, marginals)) = sums {
            let expected = expect.log_partition.unwrap_or(*log_z);
            assert!(close(*log_z, expected), "{context}: {log_z}, not {expected}");
            for &(head, child, expected) in &expect.marginals {
                let found = marginals.get(head, child);
                assert!(
                    close(found, expected),
                    "{context}: {head} → {child} {found}, not {expected}"
                );
            }
        }
    }
    if let (Some(trees), Some(expected)) = (answer.trees, expect.trees) {
        assert_eq!(trees, expected, "{context}");
    }
}

impl ChainCase {
    fn table(&self) -> ChainScores {
        let width = self.tags.first().map_or(self.width.unwrap_or(1), Vec::len);
        let mut scores = ChainScores::new(self.tags.len(), width);
        for tag in 0..width {
            let id = tag as TagId;
            self.starts.get(tag).into_iter().for_each(|&score| scores.set_start(id, score));
            self.ends.get(tag).into_iter().for_each(|&score| scores.set_end(id, score));
            for (to, &score) in self.steps.get(tag).into_iter().flatten().enumerate() {
                scores.set_step(id, to as TagId, score);
            }
            for (position, row) in self.tags.iter().enumerate() {
                scores.set_tag(position, id, row[tag]);
            }
        }
        scores
    }

    fn check(&self) {
        let (scores, name) = (self.table(), &self.name);
        let (mut scratch, mut tags, mut list) = Default::default();
        let best = Viterbi.decode(&scores, &mut scratch, &mut tags);
        assert_eq!(best.is_none(), self.infeasible, "{name}");
        assert_eq!(best, self.best.or(best), "{name}");
        assert_eq!(&tags, self.sequence.as_ref().unwrap_or(&tags), "{name}");
        let log_z = Viterbi.log_partition(&scores, &mut scratch);
        assert_eq!(log_z.is_none(), self.infeasible, "{name}");
        if let (Some(log_z), Some(expected)) = (log_z, self.log_partition) {
            assert!(close(log_z, expected), "{name}: {log_z}, not {expected}");
        }
        let count = Viterbi.count(&scores, &mut scratch);
        assert_eq!(count, self.sequences.unwrap_or(count), "{name}");
        if let Some(expected) = &self.k_best {
            let k = expected.len() + usize::from(self.complete);
            Viterbi.k_best(&scores, k, &mut scratch, &mut list);
            let found: Vec<f64> = list.iter().map(|(_, score)| score).collect();
            assert_eq!(&found, expected, "{name}");
        }
    }
}

#[test]
fn every_case_on_every_decoder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/decode");
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    assert!(!files.is_empty());
    for path in files {
        let suite: Suite = toml::from_str(&fs::read_to_string(&path).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for case in &suite.tree {
            let scores = case.table();
            for expect in &case.expect {
                for answer in answers(expect, &scores) {
                    check(&case.name, expect, &answer);
                }
            }
        }
        suite.chain.iter().for_each(ChainCase::check);
    }
}
