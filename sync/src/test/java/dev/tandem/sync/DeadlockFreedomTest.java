package dev.tandem.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.comm.Communicator;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.sync.agent.SyncObserver;
import dev.tandem.sync.plan.RandomGraphs;
import dev.tandem.sync.plan.RequestGraph.Tensor;
import dev.tandem.sync.request.Request;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Note [TOPO deadlock freedom]: ranks that run random graphs, each in an order of its own, always
 * come to an end under a plan, without ever leaving it.
 */
class DeadlockFreedomTest {

  private static final int GRAPHS = 150;
  private static final int MANY_GRAPHS = Integer.getInteger("tandem.graphs", 5_000);

  @Test
  void graphsInAnyOrder() throws Exception {
    for (int ranks = 2; ranks <= 4; ranks++) {
      run(ranks, GRAPHS / 3, Duration.ofMinutes(1));
    }
  }

  @Test
  @Tag("slow")
  void manyGraphsInAnyOrder() throws Exception {
    for (int ranks = 2; ranks <= 4; ranks++) {
      run(ranks, MANY_GRAPHS / 3 + 1, Duration.ofMinutes(10));
    }
  }

  private static void run(int size, int graphs, Duration limit) throws Exception {
    Seed seed = TestSeed.of(DeadlockFreedomTest.class).derive(size);
    Ranks.run(
        size,
        limit,
        communicator -> {
          AtomicInteger left = new AtomicInteger();
          SyncObserver observer =
              new SyncObserver() {
                @Override
                public void remark(String line) {
                  // A new graph is the one good reason.
                  if (line.contains("is left")
                      && !line.contains("new graph")
                      && !line.contains("another rank")) {
                    left.incrementAndGet();
                  }
                }
              };
          try (Synchronizer synchronizer =
              Synchronizer.over(communicator, Policies.hasty("topo"))
                  .observedBy(observer)
                  .start()) {
            for (int i = 0; i < graphs; i++) {
              SplittableRandom random = seed.derive(i).random();
              RandomGraphs.Sample sample = RandomGraphs.sample(random, 2 + random.nextInt(25));
              if (sample.graph().tensors().isEmpty()) {
                continue;
              }
              synchronizer.plan(sample.graph());
              SplittableRandom own = seed.derive(i).derive(communicator.rank()).random();
              new Run(synchronizer, sample, communicator, own).all();
              communicator.barrier();
            }
          }
          assertEquals(0, left.get(), "plans that were left");
          return null;
        });
  }

  /** One rank's way through a graph: any node that is ready may be next. */
  private static final class Run {

    private final Synchronizer synchronizer;
    private final RandomGraphs.Sample sample;
    private final Communicator communicator;
    private final SplittableRandom random;
    private final Map<String, Tensor> tensors = new HashMap<>();
    private final BlockingQueue<Integer> done = new LinkedBlockingQueue<>();
    private final Map<Integer, TensorView> views = new HashMap<>();

    Run(
        Synchronizer synchronizer,
        RandomGraphs.Sample sample,
        Communicator communicator,
        SplittableRandom random) {
      this.synchronizer = synchronizer;
      this.sample = sample;
      this.communicator = communicator;
      this.random = random;
      sample.graph().tensors().forEach(tensor -> tensors.put(tensor.name(), tensor));
    }

    void all() throws InterruptedException {
      int nodes = sample.names().size();
      int[] parentsLeft = new int[nodes];
      List<Integer> ready = new ArrayList<>();
      for (int node = 0; node < nodes; node++) {
        parentsLeft[node] = sample.parents().get(node).size();
        if (parentsLeft[node] == 0) {
          ready.add(node);
        }
      }
      for (int finished = 0; finished < nodes; ) {
        if (!ready.isEmpty() && (done.isEmpty() || random.nextBoolean())) {
          Collections.swap(ready, random.nextInt(ready.size()), ready.size() - 1);
          begin(ready.removeLast());
          continue;
        }
        int node = done.take();
        check(node);
        finished++;
        for (int child = 0; child < nodes; child++) {
          for (int parent : sample.parents().get(child)) {
            if (parent == node && --parentsLeft[child] == 0) {
              ready.add(child);
            }
          }
        }
      }
    }

    private void begin(int node) {
      String name = sample.names().get(node);
      if (name == null) {
        done.add(node);
        return;
      }
      Tensor tensor = tensors.get(name);
      DType dtype = tensor.signature().dtype();
      int length = (int) tensor.signature().shape().elements();
      MemorySegment data =
          dtype == DType.FLOAT32
              ? MemorySegment.ofArray(new float[length])
              : MemorySegment.ofArray(new double[length]);
      set(data, dtype, node + communicator.rank());
      TensorView view = new TensorView(name, dtype, Shape.of(length), data);
      views.put(node, view);
      synchronizer.request(
          Request.sum(
              view,
              outcome -> {
                outcome.orThrow();
                done.add(node);
              }));
    }

    private static void set(MemorySegment data, DType dtype, int value) {
      for (long at = 0; at < data.byteSize(); at += dtype.bytes()) {
        if (dtype == DType.FLOAT32) {
          data.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, value);
        } else {
          data.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at, value);
        }
      }
    }

    private void check(int node) {
      TensorView view = views.get(node);
      if (view != null) {
        int size = communicator.size();
        double expected = (double) node * size + size * (size - 1) / 2.0;
        double last =
            view.dtype() == DType.FLOAT32
                ? view.data().get(ValueLayout.JAVA_FLOAT_UNALIGNED, view.byteSize() - Float.BYTES)
                : view.data()
                    .get(ValueLayout.JAVA_DOUBLE_UNALIGNED, view.byteSize() - Double.BYTES);
        assertEquals(expected, last);
      }
    }
  }
}
