package dev.tandem.sync;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.Communicator;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.core.WorkFailedException;
import dev.tandem.sync.agent.SyncObserver;
import dev.tandem.sync.plan.RequestGraph;
import dev.tandem.sync.policy.SyncOptions;
import dev.tandem.sync.request.Operation;
import dev.tandem.sync.request.Outcome;
import dev.tandem.sync.request.Request;
import dev.tandem.sync.request.Signature;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SynchronizerTest {

  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final int[] LENGTHS = {1_000, 7, 30_000, 16, 1};
  private static final float[] WEIGHTS = {0.625f, 0.375f};
  private static final int STEPS = 12;

  static List<String> codes() {
    return SyncOptions.codes();
  }

  private static TensorView view(String name, MemorySegment data) {
    return new TensorView(name, DType.FLOAT32, Shape.of(data.byteSize() / Float.BYTES), data);
  }

  private static TensorView tensor(String name, float... values) {
    return view(name, MemorySegment.ofArray(values));
  }

  private static void fill(MemorySegment data, SplittableRandom random) {
    for (long at = 0; at < data.byteSize(); at += Float.BYTES) {
      data.set(ValueLayout.JAVA_FLOAT, at, (float) random.nextDouble(-1, 1));
    }
  }

  /** A network of one buffer: each step moves the parameters by the summed gradients. */
  private static float[] train(
      Communicator communicator,
      GradientSynchronizer synchronizer,
      MemorySegment buffer,
      List<TensorView> gradients,
      Seed seed) {
    float[] parameters = new float[(int) (buffer.byteSize() / Float.BYTES)];
    for (int step = 0; step < STEPS; step++) {
      SplittableRandom random = seed.derive(step).derive(communicator.rank()).random();
      gradients.forEach(gradient -> fill(gradient.data(), random));
      List<TensorView> order = new ArrayList<>(gradients);
      if (synchronizer instanceof Synchronizer) {
        Collections.shuffle(order, new Random(random.nextLong()));
      }
      order.forEach(gradient -> synchronizer.submit(gradient, WEIGHTS[communicator.rank()]));
      synchronizer.await();
      for (int i = 0; i < parameters.length; i++) {
        parameters[i] += buffer.getAtIndex(ValueLayout.JAVA_FLOAT, i);
      }
    }
    return parameters;
  }

  private static List<TensorView> slices(MemorySegment buffer) {
    List<TensorView> views = new ArrayList<>();
    long offset = 0;
    for (int i = 0; i < LENGTHS.length; i++) {
      long bytes = (long) LENGTHS[i] * Float.BYTES;
      views.add(view("layer" + i, buffer.asSlice(offset, bytes)));
      offset += Math.ceilDiv(bytes, 64L) * 64;
    }
    return views;
  }

  private static RequestGraph graph() {
    RequestGraph.Builder builder = new RequestGraph.Builder();
    for (int i = LENGTHS.length - 1; i >= 0; i--) {
      builder.request("layer" + i, Signature.sum(DType.FLOAT32, Shape.of(LENGTHS[i])));
    }
    return builder.build();
  }

  @ParameterizedTest
  @MethodSource("codes")
  void everyPolicyGivesTheBitsOfTheBlockingSynchronizer(String code) throws Exception {
    Seed seed = TestSeed.of(getClass());
    long bytes = 0;
    for (int length : LENGTHS) {
      bytes += Math.ceilDiv(length * (long) Float.BYTES, 64L) * 64;
    }
    long size = bytes;
    List<List<float[]>> results =
        Ranks.run(
            2,
            LIMIT,
            communicator -> {
              List<float[]> parameters = new ArrayList<>();
              try (Arena arena = Arena.ofShared()) {
                MemorySegment buffer = arena.allocate(size, 64);
                parameters.add(
                    train(
                        communicator,
                        new BlockingSynchronizer(communicator),
                        buffer,
                        slices(buffer),
                        seed));
                for (int how = 0; how < 3; how++) {
                  Synchronizer.Builder builder =
                      Synchronizer.over(communicator, Policies.hasty(code));
                  if (how > 0) {
                    builder.planning(graph());
                  }
                  if (how > 1) {
                    builder.gradients(buffer, slices(buffer));
                  }
                  try (Synchronizer synchronizer = builder.start()) {
                    buffer.fill((byte) 0);
                    parameters.add(train(communicator, synchronizer, buffer, slices(buffer), seed));
                  }
                }
              }
              return parameters;
            });
    for (List<float[]> rank : results) {
      for (float[] parameters : rank) {
        assertArrayEquals(results.getFirst().getFirst(), parameters, 0f);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("codes")
  void aMismatchIsAnErrorThatNamesTensorAndRanks(String code) throws Exception {
    List<String> messages =
        Ranks.run(
            2,
            LIMIT,
            communicator -> {
              try (Synchronizer synchronizer =
                  Synchronizer.over(communicator, Policies.hasty(code)).start()) {
                synchronizer.submit(tensor("odd", new float[3 + communicator.rank()]), 1);
                String message =
                    assertThrows(IllegalArgumentException.class, synchronizer::await).getMessage();
                // The synchroniser goes on.
                TensorView even = tensor("even", 1, 2);
                synchronizer.submit(even, 1);
                synchronizer.await();
                assertEquals(4, even.data().getAtIndex(ValueLayout.JAVA_FLOAT, 1));
                communicator.barrier();
                return message;
              }
            });
    for (String message : messages) {
      assertTrue(message.contains("tensor odd: rank 0 asks for SUM of FLOAT32 [3]"), message);
      assertTrue(message.contains("rank 1 for SUM of FLOAT32 [4]"), message);
    }
  }

  @ParameterizedTest
  @MethodSource("codes")
  void aRankThatIsOutOfDataJoins(String code) throws Exception {
    Ranks.run(
        3,
        LIMIT,
        communicator -> {
          int steps = 3 + 4 * communicator.rank();
          try (Synchronizer synchronizer =
              Synchronizer.over(communicator, Policies.hasty(code)).start()) {
            for (int round = 0; round < 2; round++) {
              for (int step = 0; step < steps; step++) {
                TensorView first = tensor("first", 1, 2);
                TensorView second = tensor("second", 3);
                synchronizer.submit(first, 1);
                synchronizer.submit(second, 1);
                synchronizer.await();
                int ranks = step < 3 ? 3 : step < 7 ? 2 : 1;
                assertEquals(2f * ranks, first.data().getAtIndex(ValueLayout.JAVA_FLOAT, 1));
                assertEquals(3f * ranks, second.data().getAtIndex(ValueLayout.JAVA_FLOAT, 0));
              }
              synchronizer.join();
            }
            communicator.barrier();
          }
          return null;
        });
  }

  @ParameterizedTest
  @MethodSource("codes")
  void shutdownAbortsWhatIsPending(String code) throws Exception {
    List<Outcome> outcomes =
        Ranks.run(
            2,
            LIMIT,
            communicator -> {
              CompletableFuture<Outcome> outcome = new CompletableFuture<>();
              Synchronizer synchronizer =
                  Synchronizer.over(communicator, Policies.hasty(code)).start();
              // Nobody but this rank will ever ask for it.
              TensorView tensor = tensor("of rank " + communicator.rank(), 1);
              synchronizer.request(Request.sum(tensor, outcome::complete));
              communicator.barrier();
              if (communicator.rank() == 1) {
                synchronizer.close();
              }
              Outcome result = outcome.join();
              assertThrows(
                  WorkFailedException.class, () -> synchronizer.submit(tensor("later", 1), 1));
              synchronizer.close();
              return result;
            });
    outcomes.forEach(outcome -> assertInstanceOf(Outcome.Aborted.class, outcome));
  }

  @Test
  void aNameIsPendingOnce() throws Exception {
    try (Communicator alone = Communicator.alone();
        Synchronizer synchronizer = Synchronizer.over(alone, SyncOptions.of("topo")).start()) {
      TensorView tensor = tensor("twice", 1);
      Request request = Request.sum(tensor, outcome -> {});
      String message =
          assertThrows(
                  IllegalArgumentException.class,
                  () -> synchronizer.request(List.of(request, request)))
              .getMessage();
      assertTrue(message.startsWith("tensor twice is pending already"), message);
      // Neither was taken.
      synchronizer.sum(tensor);
    }
  }

  @ParameterizedTest
  @MethodSource("codes")
  void sumsInTheMiddleOfAStepAndBroadcasts(String code) throws Exception {
    Ranks.run(
        2,
        LIMIT,
        communicator -> {
          try (Synchronizer synchronizer =
              Synchronizer.over(communicator, Policies.hasty(code)).start()) {
            for (int step = 0; step < 8; step++) {
              TensorView statistics = tensor("statistics", step, 1);
              synchronizer.sum(statistics);
              float seen = statistics.data().getAtIndex(ValueLayout.JAVA_FLOAT, 0);
              assertEquals(2f * step, seen);
              TensorView gradient = tensor("gradient", seen + communicator.rank());
              synchronizer.submit(gradient, 0.5f);
              TensorView told = tensor("told", communicator.rank());
              CompletableFuture<Outcome> outcome = new CompletableFuture<>();
              Signature broadcast =
                  new Signature(Operation.BROADCAST, DType.FLOAT32, Shape.of(1), 1, 1);
              synchronizer.request(
                  new Request(told, broadcast, 1, Request.Visibility.AT_ONCE, outcome::complete));
              synchronizer.await();
              outcome.join().orThrow();
              assertEquals(1, told.data().getAtIndex(ValueLayout.JAVA_FLOAT, 0));
              assertEquals(seen + 0.5f, gradient.data().getAtIndex(ValueLayout.JAVA_FLOAT, 0));
            }
            communicator.barrier();
          }
          return null;
        });
  }

  /** Plans from recordings are made after stable steps, left, and made again. */
  @Test
  void aPlanIsLeftAndMadeAgain() throws Exception {
    List<List<String>> remarks =
        Ranks.run(
            2,
            LIMIT,
            communicator -> {
              List<String> lines = Collections.synchronizedList(new ArrayList<>());
              SyncObserver observer =
                  new SyncObserver() {
                    @Override
                    public void remark(String line) {
                      lines.add(line);
                    }
                  };
              try (Synchronizer synchronizer =
                  Synchronizer.over(communicator, Policies.hasty("topo"))
                      .observedBy(observer)
                      .start()) {
                for (int step = 0; step < 24; step++) {
                  List<TensorView> gradients =
                      new ArrayList<>(List.of(tensor("a", 1), tensor("b", 2)));
                  if (step == 8) {
                    gradients.removeFirst(); // unused parameter
                  }
                  if (step == 16) {
                    gradients.add(tensor("c", 3)); // dynamic layer
                  }
                  gradients.forEach(gradient -> synchronizer.submit(gradient, 1));
                  synchronizer.await();
                  assertEquals(
                      4,
                      gradients
                          .get(step == 8 ? 0 : 1)
                          .data()
                          .getAtIndex(ValueLayout.JAVA_FLOAT, 0));
                }
                communicator.barrier();
              }
              return lines;
            });
    for (List<String> lines : remarks) {
      assertEquals(
          List.of(
              "transfers are planned: 2 tensors in buffers of [2]",
              "the plan is left at buffer 0: this rank lacks a",
              "transfers are planned: 2 tensors in buffers of [2]",
              "the plan is left at buffer 0: this rank requests a tensor that was not planned",
              "transfers are planned: 2 tensors in buffers of [2]"),
          lines);
    }
  }
}
