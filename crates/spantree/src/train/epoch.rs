//! One epoch with the learner that the settings ask for.

use spantree_learn::{
    EpochStats, Learner, PassiveAggressive, Perceptron, State, Structured, epoch, epoch_order,
};

use super::problem::Example;
use super::{TrainConfig, Update};

pub(super) fn one_epoch<P: Structured<Example = Example>>(
    config: &TrainConfig,
    problem: &P,
    examples: &[Example],
    number: u64,
    state: &mut State,
) -> EpochStats {
    fn run<P: Structured<Example = Example>, L: Learner<P>>(
        learner: &L,
        problem: &P,
        examples: &[Example],
        order: &[u32],
        state: &mut State,
    ) -> EpochStats {
        epoch(learner, problem, examples, order, state, &mut L::Scratch::default(), &|_| ())
    }
    let order = epoch_order(examples.len(), config.seed, number);
    match config.update {
        Update::Perceptron => run(&Perceptron, problem, examples, &order, state),
        Update::Mira => run(&PassiveAggressive::mira(), problem, examples, &order, state),
        Update::PassiveAggressive { aggressiveness } => run(
            &PassiveAggressive::cost_augmented(aggressiveness),
            problem,
            examples,
            &order,
            state,
        ),
    }
}
