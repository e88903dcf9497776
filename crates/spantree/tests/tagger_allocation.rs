//! A warm tagger and a warm lemmatiser allocate nothing.
//!
//! One test in a binary of its own: the counter belongs to the whole process.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use spantree::lemma::{LemmaOptions, LemmatiserTrainer};
use spantree::tag::{TagOptions, TaggerConfig, TaggerTrainer};
use spantree::treebank::{Generator, GeneratorConfig, Sentence};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on unchanged to the system's allocator.
#[allow(unsafe_code, reason = "the only way to observe allocations")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn warm_workers_allocate_nothing() {
    let data = |seed, count: usize| -> Vec<Sentence> {
        let config = GeneratorConfig { seed, ..GeneratorConfig::default() };
        Generator::new(config).take(count).collect()
    };
    let train = data(1, 100);
    let config = TaggerConfig { epochs: 1, ..TaggerConfig::default() };
    let tagger = TaggerTrainer::new(config).train(&train, &[], &mut |_| ()).unwrap();
    let lemmatiser = LemmatiserTrainer::default().train(&train, &[], &mut |_, _| ()).unwrap();
    let (mut tags, mut lemmas) = (tagger.worker(), lemmatiser.worker());
    let options = TagOptions { confidence: true, ..TagOptions::default() };
    let mut run = |sentences: &mut [Sentence]| {
        for sent in sentences {
            tags.tag(sent, &options);
            lemmas.lemmatise(sent, &LemmaOptions::default());
        }
    };
    // A changed column is appended to its sentence, so these have grown once and have room for the columns again.
    let mut sentences = data(2, 60);
    let fresh = sentences.clone();
    run(&mut sentences);
    sentences.iter_mut().zip(&fresh).for_each(|(sent, fresh)| {
        sent.clear();
        fresh.words().for_each(|word| {
            sent.push_word(word.form());
        });
    });
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    run(&mut sentences);
    assert_eq!(ALLOCATIONS.load(Ordering::Relaxed) - before, 0);
}
