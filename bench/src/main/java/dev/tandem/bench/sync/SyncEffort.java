package dev.tandem.bench.sync;

import dev.tandem.sync.policy.SyncOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * How much is measured.
 *
 * @param rounds of turns; each goes through all policies
 * @param steps of a turn that count
 * @param idlePairs of loops with and without an idle synchroniser
 * @param checkSteps after which the parameters under all policies are compared
 * @param images of a rank and step
 * @param limit no round but the first begins that would end later, from the start of everything
 * @param inputs heavy, light or synthetic
 * @param cycleMillis of policies that negotiate
 * @param policies the baseline first
 */
public record SyncEffort(
    int rounds,
    int steps,
    int idlePairs,
    int checkSteps,
    int images,
    Duration limit,
    List<String> inputs,
    List<Double> cycleMillis,
    List<String> policies) {

  /** What everything is compared with. */
  static final String BASELINE = "baseline";

  /** What a user of PyTorch would compare with. */
  static final String BUCKETS = "buckets";

  /**
   * No policy: nothing is summed and no rank waits for another. What a step takes then is what is
   * left to the best of policies.
   */
  static final String NONE = "none";

  /** As where the papers' strong scaling ends: 24,576 images on as many ranks. */
  private static final int IMAGES = 1;

  /** For figures to rely on. */
  public static final SyncEffort FULL =
      new SyncEffort(
          12,
          20,
          30,
          100,
          IMAGES,
          Duration.ofMinutes(15),
          SyncInput.codes(),
          List.of(1.0, 5.0),
          List.of(
              BASELINE,
              "baseline-spin",
              "baseline-parked",
              "gs",
              "nbcs",
              "scp",
              "topo",
              "scp-topo",
              BUCKETS,
              NONE));

  /** Within 75 seconds. */
  public static final SyncEffort QUICK =
      new SyncEffort(
          10,
          10,
          6,
          12,
          IMAGES,
          Duration.ofSeconds(62),
          SyncInput.codes(),
          List.of(1.0),
          List.of(BASELINE, "baseline-parked", "gs", "nbcs", "topo", BUCKETS));

  private static final int WARM_UP_PART = 3;

  /** The same, of these policies beside the baseline and without idle loops. */
  public SyncEffort withPolicies(List<String> names) {
    List<String> beside = new ArrayList<>(List.of(BASELINE));
    for (String name : names) {
      if (!name.equals(NONE)) {
        SyncOptions.of(name); // which says so if there is no such policy
      }
      if (!beside.contains(name)) {
        beside.add(name);
      }
    }
    return new SyncEffort(rounds, steps, 0, checkSteps, images, limit, inputs, cycleMillis, beside);
  }

  public SyncEffort withInputs(List<String> codes) {
    codes.forEach(SyncInput::of);
    return new SyncEffort(
        rounds, steps, idlePairs, checkSteps, images, limit, codes, cycleMillis, policies);
  }

  public SyncEffort withCycles(List<Double> millis) {
    return new SyncEffort(
        rounds, steps, idlePairs, checkSteps, images, limit, inputs, millis, policies);
  }

  public SyncEffort withImages(int count) {
    return new SyncEffort(
        rounds, steps, idlePairs, checkSteps, count, limit, inputs, cycleMillis, policies);
  }

  /**
   * Flags of the ranks' JVMs: each has one core, so threads that share a pool have one carrier. It
   * would be as many as the machine has cores, since a process is pinned after its start.
   */
  List<String> jvmFlags() {
    return policies.stream().anyMatch(SyncTurn::sharesPool)
        ? List.of(
            "-Djdk.virtualThreadScheduler.parallelism=1",
            "-Djdk.virtualThreadScheduler.maxPoolSize=1")
        : List.of();
  }

  public SyncEffort withRounds(int count) {
    return new SyncEffort(
        count, steps, idlePairs, checkSteps, images, limit, inputs, cycleMillis, policies);
  }

  /** The turns of a round, in the order of even rounds. */
  List<SyncTurn> turns() {
    List<SyncTurn> turns = new ArrayList<>();
    for (String code : inputs) {
      SyncInput input = SyncInput.of(code);
      for (double cycle : cycleMillis) {
        policies.forEach(policy -> turns.add(new SyncTurn(policy, input, cycle)));
      }
    }
    return turns;
  }

  /** Results of turns and of idle loops that a full measurement gives. */
  long lines() {
    return (long) rounds * turns().size() + (long) idlePairs * IdleLoops.POLICIES.size();
  }

  /** How long the JVM may take to get warm. */
  Duration warmUp() {
    return limit.dividedBy(WARM_UP_PART);
  }

  /** What the JVM gets warm with: what is measured later. */
  List<SyncTurn> warmUpTurns() {
    return turns().stream().filter(turn -> turn.cycleMillis() == cycleMillis.getFirst()).toList();
  }

  /** As arguments of a rank. */
  List<String> arguments() {
    return List.of(
        Integer.toString(rounds),
        Integer.toString(steps),
        Integer.toString(idlePairs),
        Integer.toString(checkSteps),
        Integer.toString(images),
        limit.toString(),
        String.join(",", inputs),
        String.join(",", cycleMillis.stream().map(each -> each.toString()).toList()),
        String.join(",", policies));
  }

  static SyncEffort of(String[] arguments) {
    return new SyncEffort(
        Integer.parseInt(arguments[0]),
        Integer.parseInt(arguments[1]),
        Integer.parseInt(arguments[2]),
        Integer.parseInt(arguments[3]),
        Integer.parseInt(arguments[4]),
        Duration.parse(arguments[5].toUpperCase(Locale.ROOT)),
        List.of(arguments[6].split(",", -1)),
        Arrays.stream(arguments[7].split(",", -1)).map(Double::valueOf).toList(),
        List.of(arguments[8].split(",", -1)));
  }
}
