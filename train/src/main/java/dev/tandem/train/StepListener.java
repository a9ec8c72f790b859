package dev.tandem.train;

import dev.tandem.core.TensorView;
import dev.tandem.nn.GradientListener;
import dev.tandem.train.Phases.Phase;
import java.util.function.LongSupplier;

/**
 * Notified of the passes of a step: counts their time and the answers that are right, and hands the
 * gradients over.
 *
 * @param phases in the forward pass
 * @param early whether gradients are wanted while the backward pass goes on
 */
record StepListener(Phases phases, Answers answers, boolean early, GradientListener gradients)
    implements GradientListener {

  /** Gets what was right. */
  interface Answers {

    void add(int shard, long correct);
  }

  @Override
  public void ready(int shard, int parameter, TensorView gradient) {
    gradients.ready(shard, parameter, gradient);
  }

  @Override
  public void backwardBegins() {
    phases.enter(Phase.BACKWARD);
  }

  @Override
  public void answered(int shard, LongSupplier correct) {
    answers.add(shard, correct.getAsLong());
  }
}
