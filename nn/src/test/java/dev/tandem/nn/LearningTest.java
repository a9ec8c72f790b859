package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.nn.models.DigitsNetwork;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class LearningTest {

  @Tag("slow")
  @Test
  void digitsAreLearnt() {
    // A fixed seed: this asks whether learning works, not how lucky a seed is.
    Seed seed = new Seed(7);
    int batch = 32;
    int epochs = 3;
    Batches training = Batches.glyphs(seed.derive("training"), 3_200);
    Batches test = Batches.glyphs(seed.derive("test"), 1_000);
    int steps = training.count() / batch;
    WarmupCosine schedule = new WarmupCosine(0.02, steps / 2, (long) epochs * steps);
    try (Network network = Network.create(Engine.start(1), DigitsNetwork.spec(), seed);
        Optimizer optimizer = new SgdMomentum(network, DigitsNetwork.optimizer())) {
      for (int step = 0; step < epochs * steps; step++) {
        training.part(step % steps * batch, batch).train(network);
        optimizer.step(schedule.rate(step));
      }
      double accuracy = test.evaluate(network).accuracy();
      System.out.println("LearningTest: accuracy " + accuracy);
      assertTrue(accuracy > 0.9, "accuracy " + accuracy);
    }
  }
}
