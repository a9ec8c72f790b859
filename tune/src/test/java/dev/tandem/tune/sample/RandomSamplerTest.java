package dev.tandem.tune.sample;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.core.Seed;
import dev.tandem.testkit.TestSeed;
import dev.tandem.tune.space.ChoiceDomain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.trial.Direction;
import dev.tandem.tune.trial.History;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RandomSamplerTest extends SamplerContract {

  @Override
  protected Sampler sampler() {
    return new RandomSampler();
  }

  @Test
  void anotherParameterChangesNoDraw() {
    Seed seed = TestSeed.of(getClass());
    List<Parameter> more = new ArrayList<>(SPACE.parameters());
    more.addFirst(new Parameter("first", new ChoiceDomain(List.of("x", "y"))));
    History none = new History(Direction.MINIMIZE, List.of(), List.of());
    for (long trial = 0; trial < 50; trial++) {
      assertEquals(
          sampler().suggest(SPACE, none, seed, trial).orElseThrow().value("lr"),
          sampler().suggest(new Space(more), none, seed, trial).orElseThrow().value("lr"));
    }
  }
}
