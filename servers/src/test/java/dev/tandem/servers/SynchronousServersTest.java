package dev.tandem.servers;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.topology.Level;
import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.sync.BlockingSynchronizer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** With a staleness of 0 servers give the bits of synchronous training; ranks are threads. */
class SynchronousServersTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int STEPS = 6;

  /** What synchronous training gives: sums in rank order, then the same rule on everything. */
  private static float[] allreduced(int ranks, int elements) throws Exception {
    return Ranks.run(ranks, LIMIT, communicator -> allreduced(communicator, elements)).getFirst();
  }

  private static float[] allreduced(Communicator communicator, int elements) {
    TestModel model = new TestModel(elements);
    BlockingSynchronizer synchronizer = new BlockingSynchronizer(communicator);
    UpdateRule.Part part = new UpdateRule.Part(0, model.parameters, model.slots());
    for (int step = 0; step < STEPS; step++) {
      MemorySegment gradient = model.gradient(communicator.rank(), step);
      synchronizer.submit(new TensorView("all", DType.FLOAT32, Shape.of(elements), gradient), 1);
      synchronizer.await();
      TestModel.rule(elements).apply(part, gradient, TestModel.RATE, 1, 1);
    }
    return model.values();
  }

  private static List<float[]> served(ServerLayout layout, int elements) throws Exception {
    return Ranks.run(
        layout.places().ranks(), LIMIT, communicator -> work(communicator, layout, elements));
  }

  private static float[] work(Communicator communicator, ServerLayout layout, int elements) {
    TestModel model = new TestModel(elements);
    ServerSettings settings = new ServerSettings(layout, 0, TestModel.rule(elements));
    try (ParameterServers servers =
        ParameterServers.start(communicator, settings, model.parameters, model.slots())) {
      int worker = layout.workers().indexOf(communicator.rank());
      if (worker < 0) {
        servers.serve();
        return new float[0];
      }
      for (int step = 0; step < STEPS; step++) {
        servers.update(model.gradient(worker, step), TestModel.RATE, model.parameters);
      }
      servers.finish();
      return model.values();
    }
  }

  @ParameterizedTest
  @CsvSource({"1,100", "2,0", "2,1", "2,33", "3,1000", "4,2", "4,4099", "5,70000", "7,130"})
  void equalsSumsInRankOrderBitwise(int ranks, int elements) throws Exception {
    float[] expected = allreduced(ranks, elements);
    for (float[] actual : served(Layouts.beside(ranks, ranks), elements)) {
      assertArrayEquals(expected, actual);
    }
  }

  @Test
  void ranksThatOnlyServeChangeNothing() throws Exception {
    int elements = 1000;
    float[] expected = allreduced(3, elements);
    ServerLayout dedicated =
        Layouts.beside(5, 5).withWorkers(List.of(0, 2, 3)).withServers(List.of(4, 1));
    ServerLayout one = Layouts.beside(3, 3).withServers(List.of(1));
    for (ServerLayout layout : List.of(dedicated, one)) {
      List<float[]> actual = served(layout, elements);
      for (int worker : layout.workers()) {
        assertArrayEquals(expected, actual.get(worker), layout.toString());
      }
    }
  }

  /** A proxy sums its workers' gradients in their order, the servers those of the proxies. */
  @ParameterizedTest
  @CsvSource({"4,2", "5,3", "5,2", "3,1", "4,4"})
  void proxiesGiveTheBitsOfSumsOfSums(int ranks, int perNode) throws Exception {
    int elements = 777;
    List<List<Integer>> groups = new ArrayList<>();
    for (int first = 0; first < ranks; first += perNode) {
      groups.add(IntStream.range(first, Math.min(ranks, first + perNode)).boxed().toList());
    }
    float[] expected = summed(groups, elements);
    for (float[] actual : served(Layouts.beside(ranks, perNode, Level.NODE), elements)) {
      assertArrayEquals(expected, actual);
    }
  }

  private static float[] summed(List<List<Integer>> groups, int elements) {
    TestModel model = new TestModel(elements);
    UpdateRule.Part part = new UpdateRule.Part(0, model.parameters, model.slots());
    for (int step = 0; step < STEPS; step++) {
      float[] all = null;
      for (List<Integer> group : groups) {
        float[] sum = null;
        for (int worker : group) {
          sum = plus(sum, model.gradient(worker, step).toArray(ValueLayout.JAVA_FLOAT));
        }
        all = plus(all, sum);
      }
      model.gradient.copyFrom(MemorySegment.ofArray(all));
      TestModel.rule(elements).apply(part, model.gradient, TestModel.RATE, 1, 1);
    }
    return model.values();
  }

  private static float[] plus(float[] sum, float[] more) {
    if (sum == null) {
      return more;
    }
    for (int i = 0; i < sum.length; i++) {
      sum[i] += more[i];
    }
    return sum;
  }

  /** Nodes of two under switches of two nodes: a proxy's upstream is a proxy. */
  @Test
  void proxiesStack() throws Exception {
    int elements = 300;
    ServerLayout layout = Layouts.beside(8, 2, Level.NODE, Level.SWITCH);
    List<float[]> actual = served(layout, elements);
    TestModel model = new TestModel(elements);
    UpdateRule.Part part = new UpdateRule.Part(0, model.parameters, model.slots());
    for (int step = 0; step < STEPS; step++) {
      float[] all = null;
      for (int first = 0; first < 8; first += 4) {
        float[] ofSwitch = null;
        for (int node = first; node < first + 4; node += 2) {
          float[] ofNode = model.gradient(node, step).toArray(ValueLayout.JAVA_FLOAT);
          ofNode = plus(ofNode, model.gradient(node + 1, step).toArray(ValueLayout.JAVA_FLOAT));
          ofSwitch = plus(ofSwitch, ofNode);
        }
        all = plus(all, ofSwitch);
      }
      model.gradient.copyFrom(MemorySegment.ofArray(all));
      TestModel.rule(elements).apply(part, model.gradient, TestModel.RATE, 1, 1);
    }
    for (float[] each : actual) {
      assertArrayEquals(model.values(), each);
    }
  }
}
