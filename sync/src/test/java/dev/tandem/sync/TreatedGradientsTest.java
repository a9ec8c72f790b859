package dev.tandem.sync;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.transport.Traffic;
import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.sync.compress.Compression;
import dev.tandem.sync.compress.CompressionRule;
import dev.tandem.sync.compress.Volume;
import dev.tandem.sync.plan.RequestGraph;
import dev.tandem.sync.request.GradientRule;
import dev.tandem.sync.request.Operation;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Gradients that are compressed or combined on their way through a synchroniser. */
class TreatedGradientsTest {

  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final int[] LENGTHS = {40_000, 16, 5_000, 2_048, 1};
  private static final int STEPS = 8;

  private static GradientRule rule(String code) {
    return code.equals("adasum")
        ? new GradientRule(Operation.ADASUM, CompressionRule.NONE)
        : new GradientRule(Operation.SUM, CompressionRule.of(Compression.of(code)));
  }

  static List<String> treatments() {
    return List.of("bfloat16", "float16", "top-k", "one-bit", "adasum");
  }

  private static RequestGraph graph(GradientRule rule) {
    RequestGraph.Builder builder = new RequestGraph.Builder();
    for (int i = LENGTHS.length - 1; i >= 0; i--) {
      String name = "layer" + i;
      builder.request(name, rule.signature(name, DType.FLOAT32, Shape.of(LENGTHS[i])));
    }
    return builder.build();
  }

  private static List<TensorView> slices(MemorySegment buffer) {
    List<TensorView> views = new ArrayList<>();
    long offset = 0;
    for (int i = 0; i < LENGTHS.length; i++) {
      long bytes = (long) LENGTHS[i] * Float.BYTES;
      views.add(
          new TensorView(
              "layer" + i, DType.FLOAT32, Shape.of(LENGTHS[i]), buffer.asSlice(offset, bytes)));
      offset += Math.ceilDiv(bytes, 64L) * 64;
    }
    return views;
  }

  private static MemorySegment buffer(Arena arena) {
    long bytes = 0;
    for (int length : LENGTHS) {
      bytes += Math.ceilDiv((long) length * Float.BYTES, 64L) * 64;
    }
    return arena.allocate(bytes, 64);
  }

  /** Sums of all steps, and what was left behind. */
  private static List<float[]> train(
      Synchronizer synchronizer, List<TensorView> gradients, Seed seed, int rank) {
    List<float[]> seen = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      SplittableRandom random = seed.derive(step).derive(rank).random();
      for (TensorView gradient : gradients) {
        for (long i = 0; i < gradient.shape().elements(); i++) {
          gradient.data().setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) random.nextDouble(-1, 1));
        }
      }
      List<TensorView> order = new ArrayList<>(gradients);
      Collections.shuffle(order, new Random(random.nextLong()));
      order.forEach(gradient -> synchronizer.submit(gradient, 0.5f));
      synchronizer.await();
      gradients.forEach(gradient -> seen.add(gradient.data().toArray(ValueLayout.JAVA_FLOAT)));
    }
    return seen;
  }

  @ParameterizedTest
  @MethodSource("treatments")
  void policyFusionAndOrderDoNotShow(String treatment) throws Exception {
    Seed seed = TestSeed.of(getClass());
    GradientRule rule = rule(treatment);
    List<List<float[]>> first = new ArrayList<>();
    for (String code : List.of("baseline-parked", "topo", "buckets")) {
      for (boolean planned : new boolean[] {false, true}) {
        List<List<float[]>> results =
            Ranks.run(
                3,
                LIMIT,
                communicator -> {
                  try (Arena arena = Arena.ofShared()) {
                    MemorySegment buffer = buffer(arena);
                    Synchronizer.Builder builder =
                        Synchronizer.over(communicator, Policies.hasty(code)).treating(rule);
                    if (planned) {
                      builder.planning(graph(rule)).gradients(buffer, slices(buffer));
                    }
                    try (Synchronizer synchronizer = builder.start()) {
                      List<float[]> seen =
                          train(synchronizer, slices(buffer), seed, communicator.rank());
                      communicator.barrier();
                      return seen;
                    }
                  }
                });
        first.add(results.getFirst());
        for (List<float[]> rank : results) {
          for (int i = 0; i < rank.size(); i++) {
            assertArrayEquals(first.getFirst().get(i), rank.get(i), 0f, code);
          }
        }
      }
    }
  }

  /** Counted by the transport, with all messages of the negotiation. */
  @ParameterizedTest
  @CsvSource({
    "none,0.99,1.01",
    "bfloat16,1.9,2.1",
    "float16,1.9,2.1",
    "top-k,30,51",
    "one-bit,24,31"
  })
  void fewerBytesTravel(String code, double least, double most) throws Exception {
    int length = 1_000_000;
    List<Double> ratios =
        Ranks.run(
            2,
            LIMIT,
            communicator -> {
              TensorView gradient =
                  new TensorView(
                      "large",
                      DType.FLOAT32,
                      Shape.of(length),
                      MemorySegment.ofArray(new float[length]));
              try (Synchronizer synchronizer =
                  Synchronizer.over(communicator, Policies.hasty("topo"))
                      .treating(rule(code))
                      .start()) {
                Traffic before = communicator.traffic();
                for (int step = 0; step < 4; step++) {
                  synchronizer.submit(gradient, 1);
                  synchronizer.await();
                }
                Traffic moved = communicator.traffic().since(before);
                Volume volume = synchronizer.volume();
                assertEquals(4L * length * Float.BYTES, volume.tensorBytes());
                assertEquals(4 * Compression.of(code).payloadBytes(length), volume.payloadBytes());
                communicator.barrier();
                return (double) volume.tensorBytes() / moved.bytesSent();
              }
            });
    for (double ratio : ratios) {
      System.out.printf("%s: %.2f times fewer bytes sent%n", code, ratio);
      assertTrue(ratio >= least && ratio <= most, code + " sends 1/" + ratio);
    }
  }

  @ParameterizedTest
  @CsvSource({"baseline-parked", "topo", "buckets"})
  void ranksMustCompressAlike(String code) throws Exception {
    List<String> messages =
        Ranks.run(
            2,
            LIMIT,
            communicator -> {
              GradientRule rule = rule(communicator.rank() == 0 ? "bfloat16" : "top-k");
              TensorView gradient =
                  new TensorView(
                      "layer0",
                      DType.FLOAT32,
                      Shape.of(40_000),
                      MemorySegment.ofArray(new float[40_000]));
              try (Synchronizer synchronizer =
                  Synchronizer.over(communicator, Policies.hasty(code))
                      .treating(rule)
                      .planning(graph(rule))
                      .start()) {
                synchronizer.submit(gradient, 1);
                String message =
                    assertThrows(IllegalArgumentException.class, synchronizer::await).getMessage();
                communicator.barrier();
                return message;
              }
            });
    for (String message : messages) {
      assertEquals(
          "tensor layer0: rank 0 asks for SUM of FLOAT32 [40000] as bfloat16, rank 1 for SUM of"
              + " FLOAT32 [40000] as top-k:0.01; all ranks must ask for the same",
          message);
    }
  }

  /** What a synchroniser is given of an earlier one makes it go on with the same bits. */
  @ParameterizedTest
  @CsvSource({"top-k", "one-bit"})
  void residualsAreTheWholeState(String treatment) throws Exception {
    Seed seed = TestSeed.of(getClass());
    GradientRule rule = rule(treatment);
    Ranks.run(
        2,
        LIMIT,
        communicator -> {
          int rank = communicator.rank();
          List<float[]> carried = new ArrayList<>();
          List<List<float[]>> second = new ArrayList<>();
          for (int run = 0; run < 3; run++) {
            try (Arena arena = Arena.ofShared()) {
              MemorySegment buffer = buffer(arena);
              try (Synchronizer synchronizer =
                  Synchronizer.over(communicator, Policies.hasty("topo"))
                      .treating(rule)
                      .gradients(buffer, slices(buffer))
                      .start()) {
                assertEquals(
                    List.of("layer0", "layer2", "layer3"),
                    synchronizer.residuals().stream().map(TensorView::name).toList());
                if (run == 1) {
                  for (int i = 0; i < carried.size(); i++) {
                    synchronizer
                        .residuals()
                        .get(i)
                        .data()
                        .copyFrom(MemorySegment.ofArray(carried.get(i)));
                  }
                } else {
                  train(synchronizer, slices(buffer), seed.derive("first"), rank);
                }
                if (run == 0) {
                  synchronizer
                      .residuals()
                      .forEach(left -> carried.add(left.data().toArray(ValueLayout.JAVA_FLOAT)));
                } else {
                  second.add(train(synchronizer, slices(buffer), seed.derive("second"), rank));
                }
                communicator.barrier();
              }
            }
          }
          for (int i = 0; i < second.getFirst().size(); i++) {
            assertArrayEquals(second.getFirst().get(i), second.getLast().get(i), 0f);
          }
          return null;
        });
  }

  @Test
  void combinationsAreNotCompressed() {
    assertThrows(
        UsageException.class,
        () -> new GradientRule(Operation.ADASUM, CompressionRule.of(Compression.of("top-k"))));
  }
}
