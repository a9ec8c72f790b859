package dev.tandem.servers;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A shard whose clients come in bursts, as ranks do that share cores: one works alone until the
 * staleness stops it. What is learnt is the bottom of a bowl, steeper in some directions than in
 * others; one thread, the same order in every run.
 */
class LateGradientsTest {

  private static final int STEPS = 400;

  /** Curvatures by the rate: with momentum 0.9 and gradients on time 3.8 would be too much. */
  private static final double[] CURVATURES = {0.01, 0.3, 0.6};

  private final FailureLatch failures = new FailureLatch();

  private static MomentumRule rule(double momentum) {
    return new MomentumRule(
        momentum, 0, false, List.of(new MomentumRule.Span(0, CURVATURES.length, false)));
  }

  private ShardStore shard(int clients, int staleness, boolean compensate) {
    float[] first = new float[CURVATURES.length];
    Arrays.fill(first, 1);
    double[] shares = new double[clients];
    Arrays.fill(shares, 1.0 / clients);
    return new ShardStore(
        new ServerSettings(Layouts.beside(clients, clients), staleness, rule(0.9), compensate),
        new UpdateRule.Part(
            0,
            MemorySegment.ofArray(first),
            List.of(MemorySegment.ofArray(new float[CURVATURES.length]))),
        shares,
        failures);
  }

  /** How far from the bottom it ends. */
  private double distance(int clients, int staleness, boolean compensate) {
    ShardStore shard = shard(clients, staleness, compensate);
    SplittableRandom random = new Seed(1).random();
    long[] clock = new long[clients];
    float[][] parameters = new float[clients][CURVATURES.length];
    for (float[] own : parameters) {
      Arrays.fill(own, 1);
    }
    // Clients that have pushed and wait until they may pull.
    boolean[] waits = new boolean[clients];
    while (Arrays.stream(clock).min().orElseThrow() < STEPS) {
      int client = random.nextInt(clients);
      for (int burst = random.nextInt(staleness + 1);
          burst >= 0 && !waits[client] && clock[client] < STEPS;
          burst--) {
        push(shard, clients, client, ++clock[client], parameters[client]);
        waits[client] = true;
        long slowest = Arrays.stream(clock).min().orElseThrow();
        for (int other = 0; other < clients; other++) {
          if (waits[other] && clock[other] - staleness <= slowest) {
            pull(shard, other, clock[other], parameters[other]);
            waits[other] = false;
          }
        }
      }
    }
    float[] end = new float[CURVATURES.length];
    pull(shard, 0, STEPS, end);
    double sum = 0;
    for (float each : end) {
      sum += (double) each * each;
    }
    return Math.sqrt(sum);
  }

  private static void push(
      ShardStore shard, int clients, int client, long clock, float[] parameters) {
    float[] gradient = new float[parameters.length];
    for (int i = 0; i < gradient.length; i++) {
      gradient[i] = (float) (CURVATURES[i] * parameters[i] / clients);
    }
    shard.push(client, new Request.Push(clock, 1, 0), MemorySegment.ofArray(gradient));
  }

  private static void pull(ShardStore shard, int client, long clock, float[] target) {
    var _ =
        shard.pull(
            client, new Request.Ask(Request.What.CURRENT, clock, 0), MemorySegment.ofArray(target));
  }

  @ParameterizedTest
  @CsvSource({"2,2", "2,8", "4,2", "4,8"})
  void whatTrainsOnTimeTrainsLate(int clients, int staleness) {
    double onTime = distance(clients, 0, true);
    double late = distance(clients, staleness, true);
    double uncompensated = distance(clients, staleness, false);
    System.out.printf(
        "%d clients, staleness %d: on time %.2g, late %.2g, not compensated %.2g%n",
        clients, staleness, onTime, late, uncompensated);
    assertTrue(onTime < 0.01, "on time: " + onTime);
    assertTrue(late < 0.01, "late: " + late);
    // In long bursts most gradients are on time.
    assertTrue(staleness > 2 || !(uncompensated < 100), "not compensated: " + uncompensated);
  }
}
