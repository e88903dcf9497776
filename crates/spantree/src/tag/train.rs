//! Training a tagger.

use std::sync::Arc;

use spantree_learn::{
    Learner, PassiveAggressive, Perceptron, Rate, State, StochasticGradient, epoch, epoch_order,
    jackknife,
};
use spantree_treebank::Sentence;

use super::atoms::{Atoms, of_form};
use super::lattice::Candidates;
use super::lexicon::{Lexicon, LexiconBuilder};
use super::problem::{Example, TagProblem};
use super::space::Space;
use super::tagger::{Header, Tagger};
use super::tagset::{COLUMNS, Tag, TagSet};
use super::template::{TEMPLATES, features};
use crate::model::{Container, ModelError, Sections};
use crate::rows::{Rows, RowsBuilder};

const FOLDS: usize = 10;

fn env(name: &str, default: f64) -> f64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

pub fn train(train: &[Sentence], dev: &[Sentence]) -> Result<Tagger, ModelError> {
    let start = std::time::Instant::now();
    let tagset = TagSet::from_treebank(train);
    let numbers = tagset.numbers();
    let gold: Vec<Vec<Tag>> = train
        .iter()
        .map(|s| s.words().map(|w| numbers[&COLUMNS.map(|c| w.get(c))]).collect())
        .collect();
    let lexicon_of = |wanted: &dyn Fn(usize) -> bool| -> Result<(Sections, Container), ModelError> {
        let mut builder = LexiconBuilder::default();
        for (i, sent) in train.iter().enumerate().filter(|(i, _)| wanted(*i)) {
            sent.words().zip(&gold[i]).for_each(|(w, &t)| builder.count(w.form(), t));
        }
        let mut sections = Sections::default();
        builder.write("lexicon", &mut sections);
        let mut again = Sections::default();
        builder.write("lexicon", &mut again);
        Ok((sections, again.into_container("lexicon", &"")?))
    };
    let mut atoms: Vec<Vec<Atoms>> = vec![Vec::new(); train.len()];
    let mut examples: Vec<Example> = vec![Example::default(); train.len()];
    let mut lower = String::new();
    let (mut total, mut covered, mut sum) = (0, 0, 0);
    for fold in jackknife(train.len(), FOLDS.min(train.len())).unwrap() {
        let held = fold.held_out.clone();
        let (_, container) = lexicon_of(&|i| !held.contains(&i))?;
        let lexicon = Lexicon::new(Rows::from_container(&container, "lexicon", tagset.len())?);
        let mut found = Vec::new();
        for i in fold.held_out.clone() {
            for (word, &right) in train[i].words().zip(&gold[i]) {
                let mut a = of_form(word.form(), &mut lower);
                lexicon.look_up(&tagset, word.form(), &mut a, &mut found);
                total += 1;
                sum += found.len();
                if !found.contains(&right) {
                    found.push(right);
                } else {
                    covered += 1;
                }
                examples[i].candidates.push(found.iter().copied());
                atoms[i].push(a);
            }
            examples[i].gold = gold[i].clone();
        }
    }
    eprintln!("{:.1}s tags {} parts {} covered {:.2}% candidates {:.2}", start.elapsed().as_secs_f64(), tagset.len(), tagset.part_count(), 100.0 * covered as f64 / total as f64, sum as f64 / total as f64);
    let flat: Vec<Tag> = gold.iter().flatten().copied().collect();
    let mut keys: Vec<Vec<u64>> = vec![Vec::new(); TEMPLATES.len()];
    for a in &atoms {
        for word in 0..a.len() {
            let mut n = 0;
            features(a, word, |key| {
                keys[n].push(key);
                n += 1;
            });
        }
    }
    let mut space = Space::new();
    let min = env("MIN", 2.0) as usize;
    let columns: Vec<Vec<u32>> = keys
        .iter()
        .zip(TEMPLATES)
        .map(|(k, t)| space.add_template(&tagset, k, &flat, if t.len() > 1 { min } else { 1 }))
        .collect();
    drop(keys);
    let mut token = 0;
    for example in &mut examples {
        for _ in 0..example.gold.len() {
            example.features.extend(columns.iter().map(|c| c[token]));
            token += 1;
        }
    }
    drop(columns);
    space.add_steps(&tagset, gold.iter().map(|g| &g[..]));
    eprintln!("{:.1}s rows {} weights {}", start.elapsed().as_secs_f64(), space.rows(), space.weights());
    let problem = TagProblem { tagset: &tagset, space: &space };
    let mut state = State::new(space.weights());
    let mut best: Option<(f64, Tagger)> = None;
    let learner = std::env::var("LEARNER").unwrap_or("pa".into());
    for number in 0..env("EPOCHS", 10.0) as u64 {
        let order = epoch_order(examples.len(), 1, number);
        fn run<'a, L: Learner<TagProblem<'a>>>(l: &L, p: &TagProblem<'a>, e: &[Example], o: &[u32], s: &mut State) -> f64 {
            epoch(l, p, e, o, s, &mut L::Scratch::default(), &|_| ()).loss
        }
        let loss = match learner.as_str() {
            "pa" => run(&PassiveAggressive::cost_augmented(env("C", 0.05)), &problem, &examples, &order, &mut state),
            "perceptron" => run(&Perceptron, &problem, &examples, &order, &mut state),
            _ => run(&StochasticGradient { step: env("STEP", 0.1) as f32, rate: Rate::Adaptive, l2: env("L2", 0.0) as f32 }, &problem, &examples, &order, &mut state),
        };
        let w = state.average();
        let largest = w.iter().fold(0f32, |a, b| a.max(b.abs()));
        let scale = largest / 32767.0;
        let prune = (env("PRUNE", 0.0) as f32 * largest).max(scale);
        let mut builder = RowsBuilder::default();
        let mut kept = 0;
        for row in 1..space.rows() as u32 {
            let pairs: Vec<_> = space.row(row).filter(|&(_, id)| w[id].abs() >= prune).map(|(part, id)| (part, (w[id] / scale).round() as i16)).collect();
            kept += pairs.len();
            builder.push(space.key(row), pairs);
        }
        let (mut sections, _) = lexicon_of(&|_| true)?;
        builder.write("weights", &mut sections);
        let header = Header { tags: tagset.tags().to_vec(), scale, inverse_temperature: 1.0 };
        let container = sections.into_container("new", &header)?;
        let size = container.size();
        let tagger = Tagger::new(Arc::new(container), header, "")?;
        let s = std::time::Instant::now();
        let acc = evaluate(&tagger, dev);
        let words: usize = dev.iter().map(Sentence::len).sum();
        eprintln!("epoch {number} {:.1}s loss {loss:.0} upos {:.2} xpos {:.2} feats {:.2} all {:.2} kept {kept} size {:.1} MB speed {:.0}", start.elapsed().as_secs_f64(), acc[0], acc[1], acc[2], acc[3], size as f64 / 1e6, words as f64 / s.elapsed().as_secs_f64());
        if best.as_ref().is_none_or(|b| acc[3] > b.0) {
            best = Some((acc[3], tagger));
        }
    }
    Ok(best.unwrap().1)
}

pub fn evaluate(tagger: &Tagger, dev: &[Sentence]) -> [f64; 4] {
    let mut worker = tagger.worker();
    let mut counts = [0; 4];
    let mut words = 0;
    for gold in dev {
        let mut guess = gold.clone();
        worker.tag(&mut guess);
        for (g, h) in gold.words().zip(guess.words()) {
            words += 1;
            let right = COLUMNS.map(|c| g.get(c) == h.get(c));
            for i in 0..3 {
                counts[i] += usize::from(right[i]);
            }
            counts[3] += usize::from(right == [true; 3]);
        }
    }
    counts.map(|c| 100.0 * c as f64 / words as f64)
}
