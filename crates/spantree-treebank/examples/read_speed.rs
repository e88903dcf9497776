//! Reading speed: `cargo run --release --example read_speed -- FILE …` prints MB/s into the data model, mean of twenty passes.
//!
//! CPU time is measured where the system tells it (Linux), so that other load on the machine does not count; elsewhere it is
//! the time on the clock. `-` reads standard input once. The last line is the peak memory of the process where the system tells it (Linux).

use std::path::Path;
use std::time::Instant;

use spantree_treebank::{Sentence, TreebankReader, file};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut sent = Sentence::new();
    let begin = Instant::now();
    for path in std::env::args().skip(1) {
        let passes = if path == "-" { 1 } else { 20 };
        let (mut words, mut bytes) = (0, 0);
        let start = seconds(begin);
        for _ in 0..passes {
            let mut reader = TreebankReader::open(Path::new(&path), None)?;
            while reader.read(&mut sent)? {
                words += sent.len();
            }
            bytes += reader.bytes();
        }
        let megabytes = bytes as f64 / 1e6;
        let (name, rate) =
            (file::display_name(Path::new(&path)), megabytes / (seconds(begin) - start));
        println!(
            "{name}: {} words, {:.1} MB, {rate:.0} MB/s",
            words / passes,
            megabytes / passes as f64
        );
    }
    if let Some(peak) = peak_memory() {
        println!("peak memory: {peak}");
    }
    Ok(())
}

/// CPU time of this thread, else time since `begin`.
fn seconds(begin: Instant) -> f64 {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = statistics.and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    nanoseconds.map_or_else(|| begin.elapsed().as_secs_f64(), |time| time as f64 / 1e9)
}

fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    Some(status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().to_owned())
}
