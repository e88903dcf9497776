//! Validates the input at level 2.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spantree_treebank::validate::{Options, Validator};

fuzz_target!(|bytes: &[u8]| {
    let mut validator = Validator::new(Options::default());
    let read = validator.check(bytes, "input", |finding| assert!(!finding.to_string().is_empty()));
    read.expect("memory can always be read");
});
