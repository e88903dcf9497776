//! Answers against enumeration and gradients against finite differences, on sentences short enough to list all trees.

use spantree_decode::RootMode;
use spantree_decode::brute_force::TreeSpace;
use spantree_decode::cube::Update;
use spantree_learn::{
    CostMode, Factored, FactoredMira, KBest, LogLinear, Rng, State, Structured, epoch,
};
use spantree_treebank::Sentence;

use super::*;
use crate::feature::Columns;
use crate::graph::TemplateTexts;
use crate::graph::{Decoder, Filters, Grandchildren, LabelSet};
use crate::train::Cost;

const DECODERS: [Decoder; 2] = [Decoder::Eisner, Decoder::Mst];

fn space(decoder: Decoder) -> TreeSpace {
    TreeSpace { mode: RootMode::One, projective: decoder == Decoder::Eisner }
}

/// Four tags that occur in every order, so that the filters let most arcs and several labels pass.
fn sentences() -> Vec<Sentence> {
    let tags = ["NOUN", "VERB", "ADP", "NOUN"];
    let trees =
        [[2, 0, 4, 2], [2, 0, 2, 3], [0, 4, 2, 1], [3, 3, 0, 3], [4, 1, 1, 0], [0, 1, 2, 3]];
    let labels = ["root", "obj", "obl", "nmod:x"];
    let word = |tree: &[u32; 4], shift: usize, place: usize| {
        let label = (tree[place] as usize + place + shift) % 3 + 1;
        let label = if tree[place] == 0 { 0 } else { label };
        (["a", "b", "c", "d"][place], tags[place], tree[place], labels[label])
    };
    let sentence = |(tree, shift)| {
        Sentence::from_words(&std::array::from_fn::<_, 4, _>(|place| word(tree, shift, place)))
    };
    [0, 1]
        .into_iter()
        .flat_map(|shift| trees.iter().map(move |tree| (tree, shift)))
        .map(sentence)
        .collect()
}

fn problem(decoder: Decoder, joint: bool, order: u32) -> (TreeProblem, Vec<Example>) {
    problem_with(decoder, joint, order, Grandchildren::All)
}

fn problem_with(
    decoder: Decoder,
    joint: bool,
    order: u32,
    grandchildren: Grandchildren,
) -> (TreeProblem, Vec<Example>) {
    let train = sentences();
    let columns = Columns { lemma: false, xpos: false, feats: false, guide: false };
    let mut texts = TemplateTexts::for_columns(columns, order, grandchildren, decoder).unwrap();
    if !joint {
        texts.label.clear();
    }
    let labels = LabelSet::from_treebank(&train);
    let filters = Filters::from_treebank(&train, &labels);
    let engine = Engine::new(&texts, labels, filters, decoder, Default::default()).unwrap();
    let cost = Cost { relations: [("obl".to_owned(), 1.75)].into(), ..Cost::default() };
    let costs = WordCosts::new(&cost, &engine.labels, joint).unwrap();
    let mut examples: Vec<_> = train.iter().map(|sent| Example::new(&engine, sent, true)).collect();
    let config = TrainConfig { max_bits: 13, max_label_bits: 12, ..TrainConfig::default() };
    let problem = TreeProblem::new(engine, costs, &examples, &config);
    // Partial copies: one without two heads, one without a head and with a label less.
    for free in [&[0, 2][..], &[3]] {
        let mut partial = examples[0].clone();
        free.iter().for_each(|&word| partial.heads[word] = FREE_HEAD);
        partial.labels[free[0]] = FREE_LABEL;
        partial.labels[1] = if free.len() == 1 { FREE_LABEL } else { partial.labels[1] };
        examples.push(partial);
    }
    (problem, examples)
}

/// Random weights where training may put some.
fn weights(problem: &TreeProblem, rng: &mut Rng) -> Vec<f32> {
    let arcs = 1 << problem.arc_bits;
    let labels = arcs + (1 << problem.label_bits);
    let supported = |id: usize| match id {
        id if id < arcs => problem.arc_support.contains(id as u32),
        id if id < labels => problem.label_support.contains((id - arcs) as u32),
        id => problem.parts.as_ref().is_some_and(|parts| parts.supports((id - labels) as u32)),
    };
    let mut weight = |id| if supported(id) { rng.uniform() as f32 - 0.5 } else { 0.0 };
    (0..problem.weights()).map(&mut weight).collect()
}

fn agrees(example: &Example, tree: &Heads) -> bool {
    let words = example.heads.iter().zip(tree.as_slice());
    words.into_iter().all(|(&gold, &head)| gold == FREE_HEAD || gold == head)
}

/// Every tree with every labelling, save arcs that the filter rules out.
fn answers(problem: &TreeProblem, example: &Example, scores: &ArcScores) -> Vec<LabelledTree> {
    let tags = example.atoms.tags();
    let mut answers = Vec::new();
    for heads in space(problem.engine.decoder).trees(example.heads.len()) {
        if scores.tree_score(&heads) < -500.0 {
            continue;
        }
        let mut labellings = vec![Vec::new()];
        for (head, child) in heads.arcs() {
            let filter = &problem.engine.scorer.label_filter;
            let allowed = filter.allowed(tags[head], tags[child], head > child);
            let extend = |labels: &Vec<u16>| {
                let labels = labels.clone();
                allowed.iter().map(move |&label| [&labels[..], &[label]].concat())
            };
            labellings = labellings.iter().flat_map(extend).collect();
        }
        let answer = |labels| LabelledTree { heads: heads.clone(), labels };
        answers.extend(labellings.into_iter().map(answer));
    }
    answers
}

/// How far an example is from its margin: for the answer of cost-augmented decoding, and at most for any answer.
fn violations(problem: &TreeProblem, example: &Example, w: &[f32]) -> (f64, f64) {
    let (mut scratch, mut guess) = (TreeScratch::default(), LabelledTree::default());
    problem.decode(w, example, CostMode::Plain, &mut scratch, &mut guess);
    let scores = scratch.score.scores.clone();
    problem.decode(w, example, CostMode::Augmented, &mut scratch, &mut guess);
    let mut violation = |answer: &LabelledTree| {
        let mut delta = SparseVector::new();
        problem.difference(example, answer, &mut scratch, &mut delta);
        f64::from(problem.loss(example, answer)) - delta.dot(w)
    };
    let found = violation(&guess);
    let all = answers(problem, example, &scores);
    assert!(all.len() > 50, "{}", all.len());
    (found, all.iter().map(&mut violation).fold(f64::NEG_INFINITY, f64::max))
}

#[test]
fn costly_decoding_finds_the_worst_violation_of_all_answers() {
    let mut rng = Rng::new(5);
    let exact = [
        (Decoder::Eisner, 1, Grandchildren::All),
        (Decoder::Mst, 1, Grandchildren::All),
        (Decoder::Eisner, 2, Grandchildren::All),
        (Decoder::Eisner, 2, Grandchildren::Outermost),
        (Decoder::Eisner, 3, Grandchildren::All),
        (Decoder::Eisner, 3, Grandchildren::Outermost),
        // All trees of four words are 1-endpoint-crossing.
        (Decoder::OneEndpointCrossing, 2, Grandchildren::All),
        (Decoder::OneEndpointCrossing, 3, Grandchildren::All),
    ];
    for (decoder, order, grandchildren) in exact {
        let (problem, examples) = problem_with(decoder, true, order, grandchildren);
        for example in &examples {
            let w = weights(&problem, &mut rng);
            let (found, worst) = violations(&problem, example, &w);
            assert!((found - worst).abs() < 1e-4, "{decoder}, {order}: {found} {worst}");
        }
    }
}

#[test]
fn rewiring_mostly_finds_the_worst_violation() {
    let mut rng = Rng::new(5);
    let (problem, examples) = problem(Decoder::Mst, true, 2);
    let mut missed = 0;
    for example in &examples {
        let w = weights(&problem, &mut rng);
        let (found, worst) = violations(&problem, example, &w);
        assert!(found < worst + 1e-4, "{found} {worst}");
        missed += usize::from(found < worst - 1e-4);
    }
    assert!(missed * 4 <= examples.len(), "{missed} of {}", examples.len());
}

#[test]
fn k_best_lists_the_trees_in_order_with_their_best_labels() {
    let mut rng = Rng::new(6);
    for decoder in DECODERS {
        let (problem, examples) = problem(decoder, true, 1);
        let (mut scratch, mut guesses) = (TreeScratch::default(), Vec::new());
        for example in &examples {
            let w = weights(&problem, &mut rng);
            problem.k_best(&w, example, 4, &mut scratch, &mut guesses);
            let expected = space(decoder).ranked(&scratch.score.scores);
            for (guess, (tree, _)) in guesses.iter().zip(&expected) {
                assert_eq!(guess.heads, *tree);
                let best = tree.arcs().map(|(head, child)| scratch.score.best_label(head, child));
                assert_eq!(guess.labels, best.collect::<Vec<_>>());
            }
            assert_eq!(guesses.len(), expected.len().min(4));
        }
    }
}

#[test]
fn missing_heads_are_completed_by_the_best_tree_that_agrees() {
    let mut rng = Rng::new(7);
    for decoder in DECODERS {
        let (problem, examples) = problem(decoder, true, 1);
        for example in examples.iter().filter(|example| !example.is_complete()) {
            let w = weights(&problem, &mut rng);
            let (mut scratch, mut guess) = (TreeScratch::default(), LabelledTree::default());
            problem.decode(&w, example, CostMode::Plain, &mut scratch, &mut guess);
            let best = space(decoder).ranked(&scratch.score.scores);
            let best = best.into_iter().find(|(tree, _)| agrees(example, tree)).unwrap().0;
            let (heads, labels) = scratch.gold(example);
            assert_eq!(heads, best.as_slice());
            let given = example.labels.iter().zip(labels);
            assert!(
                given.into_iter().all(|(&given, &label)| given == FREE_LABEL || given == label)
            );
        }
    }
}

#[test]
fn likelihoods_are_those_of_all_trees_that_agree() {
    let mut rng = Rng::new(8);
    for decoder in DECODERS {
        let (problem, examples) = problem(decoder, false, 1);
        let mut scratch = TreeScratch::default();
        for example in &examples {
            let w = weights(&problem, &mut rng);
            let mut gradient = SparseVector::new();
            let found = problem.log_likelihood(&w, example, &mut scratch, &mut gradient);
            let trees = space(decoder).ranked(&scratch.score.scores);
            let sum = |wanted: &dyn Fn(&Heads) -> bool| -> f64 {
                trees.iter().filter(|(tree, _)| wanted(tree)).map(|(_, score)| score.exp()).sum()
            };
            let expected = (sum(&|tree| agrees(example, tree)) / sum(&|_| true)).ln();
            assert!((found - expected).abs() < 1e-5, "{decoder}: {found} {expected}");
        }
    }
}

#[test]
fn gradients_are_finite_differences() {
    let mut rng = Rng::new(9);
    for decoder in DECODERS {
        let (problem, examples) = problem(decoder, false, 1);
        let mut scratch = TreeScratch::default();
        for example in [&examples[0], &examples[1], &examples[12], &examples[13]] {
            let mut w = weights(&problem, &mut rng);
            let mut gradient = SparseVector::new();
            problem.log_likelihood(&w, example, &mut scratch, &mut gradient);
            gradient.compact();
            let mut dense = vec![0.0; w.len()];
            gradient.entries().for_each(|(id, value)| dense[id as usize] = value);
            let ids = (0..1 << problem.arc_bits).filter(|&id| problem.arc_support.contains(id));
            for id in ids.map(|id| id as usize) {
                let mut value = |change: f32| {
                    let before = w[id];
                    w[id] += change;
                    let mut unused = SparseVector::new();
                    let value = problem.log_likelihood(&w, example, &mut scratch, &mut unused);
                    w[id] = before;
                    value
                };
                let slope = (value(0.02) - value(-0.02)) / 0.04;
                assert!((slope - f64::from(dense[id])).abs() < 2e-3, "{slope} {}", dense[id]);
            }
        }
    }
}

/// Problems with parts of all kinds.
fn part_problems() -> impl Iterator<Item = (TreeProblem, Vec<Example>)> {
    let orders = [
        (2, Grandchildren::All),
        (2, Grandchildren::Outermost),
        (3, Grandchildren::All),
        (3, Grandchildren::Outermost),
    ];
    orders.into_iter().map(|(order, which)| problem_with(Decoder::Eisner, true, order, which))
}

#[test]
fn likelihoods_of_parts_have_costs_and_all_trees() {
    let mut rng = Rng::new(10);
    for (problem, examples) in part_problems() {
        let mut scratch = TreeScratch::default();
        for example in &examples {
            let w = weights(&problem, &mut rng);
            let mut gradient = SparseVector::new();
            let found = problem.log_likelihood(&w, example, &mut scratch, &mut gradient);
            let (heads, labels) = scratch.gold(example);
            let gold = LabelledTree { heads: Heads::from(heads.to_vec()), labels: labels.to_vec() };
            let mut worst = LabelledTree::default();
            problem.decode(&w, example, CostMode::Augmented, &mut scratch, &mut worst);
            let scores = &scratch.parts.scores;
            let trees = space(Decoder::Eisner).trees(example.heads.len());
            let total: f64 = trees.map(|tree| scores.tree_score(&tree).exp()).sum();
            // The features of gold and worst answer differ by what their scores differ in, but for the cost.
            let mut difference = SparseVector::new();
            problem.difference(example, &worst, &mut scratch, &mut difference);
            let ahead: f32 = difference.entries().map(|(id, value)| w[id as usize] * value).sum();
            let best = scratch.parts.scores.tree_score(&worst.heads);
            let lost = problem.loss(example, &worst);
            let expected = f64::from(ahead - lost) + best - total.ln();
            assert!((found - expected).abs() < 1e-3, "{found} {expected} {gold:?}");
        }
    }
}

#[test]
fn gradients_of_parts_are_finite_differences() {
    let mut rng = Rng::new(11);
    let mut compared = 0;
    for (problem, examples) in part_problems() {
        let mut scratch = TreeScratch::default();
        for example in [&examples[0], &examples[5]] {
            let mut w = weights(&problem, &mut rng);
            let mut gradient = SparseVector::new();
            problem.log_likelihood(&w, example, &mut scratch, &mut gradient);
            gradient.compact();
            let slopes: Vec<_> = gradient.entries().step_by(5).collect();
            for (id, found) in slopes {
                // Scores have a bend where the best label of an arc changes.
                let mut labels = Vec::new();
                let mut value = |change: f32| {
                    let before = w[id as usize];
                    w[id as usize] += change;
                    let mut unused = SparseVector::new();
                    let value = problem.log_likelihood(&w, example, &mut scratch, &mut unused);
                    w[id as usize] = before;
                    let best = scratch.score.best_labels().to_vec();
                    labels.push((best, scratch.costly_labels.clone()));
                    value
                };
                let slope = (value(0.02) - value(-0.02)) / 0.04;
                if labels[0] == labels[1] {
                    assert!((slope - f64::from(found)).abs() < 1e-2, "{id}: {slope} {found}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn a_gold_tree_outside_the_space_has_no_likelihood() {
    for (problem, mut examples) in
        [problem(Decoder::Mst, false, 1), problem(Decoder::Eisner, true, 2)]
    {
        examples[0].heads = vec![0, 0, 2, 2];
        let w = vec![0.0; problem.weights()];
        let mut gradient = SparseVector::new();
        let found =
            problem.log_likelihood(&w, &examples[0], &mut TreeScratch::default(), &mut gradient);
        assert_eq!((found, gradient.is_empty()), (f64::NEG_INFINITY, true));
    }
}

#[test]
fn factored_constraints_give_every_tree_its_margin() {
    for decoder in DECODERS {
        let (problem, examples) = problem(decoder, false, 1);
        for example in [&examples[0], &examples[12]] {
            let learner = FactoredMira { tolerance: 1e-4, sweeps: 2000 };
            let mut state = State::new(problem.weights());
            let mut scratch = Default::default();
            let examples = std::slice::from_ref(example);
            epoch(&learner, &problem, examples, &[0], &mut state, &mut scratch, &|_| ());
            let (w, mut scratch) = (state.weights(), TreeScratch::default());
            problem.score(w, example, &mut scratch);
            let ranked = space(decoder).ranked(&scratch.score.scores);
            let gold_arcs = |tree: &Heads| -> f64 {
                let words = example.heads.iter().enumerate().filter(|gold| *gold.1 != FREE_HEAD);
                let score =
                    |head: usize, word: usize| f64::from(scratch.score.scores.score(head, word));
                words
                    .map(|(i, &gold)| score(gold as usize, i + 1) - score(tree.head(i + 1), i + 1))
                    .sum()
            };
            for (tree, _) in ranked {
                let labels = example.labels.clone();
                let cost = problem.loss(example, &LabelledTree { heads: tree.clone(), labels });
                assert!(gold_arcs(&tree) >= f64::from(cost) - 0.01, "{tree:?}");
            }
            let count = problem.constraints(example, &mut scratch);
            assert_eq!(count, 20);
        }
    }
}

/// Every update of the learner is one: gold is behind, by as much as the features and the costs say.
#[test]
fn cube_pruning_learns_from_violations() {
    let (problem, examples) = problem(Decoder::Cube, true, 3);
    let mut rng = Rng::new(7);
    let mut updates = 0;
    for update in [Update::Whole, Update::Node, Update::Frontier].into_iter().cycle().take(6) {
        let cube = CubeProblem { trees: &problem, update };
        let w = weights(&problem, &mut rng);
        for (example, cost) in
            examples.iter().flat_map(|e| [(e, CostMode::Plain), (e, CostMode::Augmented)])
        {
            let (mut scratch, mut guess) = Default::default();
            cube.decode(&w, example, cost, &mut scratch, &mut guess);
            let mut delta = SparseVector::new();
            cube.difference(example, &guess, &mut scratch, &mut delta);
            let loss = match cost {
                CostMode::Augmented => f64::from(cube.loss(example, &guess)),
                CostMode::Plain => 0.0,
            };
            assert!(guess.amount >= 0.0);
            assert!((loss - delta.dot(&w) - guess.amount).abs() < 1e-3, "{guess:?}");
            updates += usize::from(guess.amount > 0.0);
        }
    }
    assert!(updates > 50, "{updates}");
}
