//! Reads the input as JSON lines, writes what was read, and reads that again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spantree_treebank::Format;

#[path = "../round_trip.rs"]
mod round_trip;

fuzz_target!(|bytes: &[u8]| round_trip::check(bytes, Format::Json));
