//! Every decoder against brute force, on random, tied, sparse and huge scores.

mod proofs {
    //chain
    //constraints
    //invariances
    //sums
    mod tables;
    mod trees;
}
