//! What experiments share.

use std::error::Error;
use std::fs;

/// CPU time of this process outside the kernel (Linux), which other processes hardly change.
pub(crate) fn user_seconds() -> Result<f64, Box<dyn Error>> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit(')').next().unwrap_or("");
    let ticks: f64 =
        fields.split_whitespace().nth(11).ok_or("no time in /proc/self/stat")?.parse()?;
    Ok(ticks / TICKS_PER_SECOND)
}
