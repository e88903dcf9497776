//! Every decoder against brute force, on random, tied, sparse and huge scores.

mod proofs {
    mod chain;
    mod constraints;
    mod crossing_sensitive;
    mod cube;
    mod dual;
    mod higher_order;
    mod invariances;
    mod one_endpoint_crossing;
    mod sums;
    mod tables;
    mod trees;
}
