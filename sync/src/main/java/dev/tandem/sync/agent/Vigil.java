package dev.tandem.sync.agent;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.topology.Topology;
import dev.tandem.comm.transport.WaitPolicy;
import dev.tandem.sync.policy.Policy;
import java.time.Duration;
import java.util.List;

/**
 * How the agent waits for other ranks: while the program computes it sleeps at once, not to be
 * noticed; while the program does nothing but wait for results, whoever drives may as well look out
 * for the others for a while, because being woken takes longer. Thread-safe.
 */
public final class Vigil {

  /**
   * As long as ranks with equal shares of a step's samples usually differ: the later one, for which
   * all wait, then finds the others awake.
   */
  private static final Duration LOOKING_OUT = Duration.ofMillis(2);

  private final List<Communicator> groups;
  private final WaitPolicy unnoticed;
  private final WaitPolicy awake;
  private final CycleAlarm alarm;
  private int waiting;

  /**
   * For an agent over these groups of a communicator. Who negotiates waits as its policy says, also
   * for a program that waits.
   *
   * @param defers whether work beside the program's computation is better left for its end
   */
  public Vigil(
      Communicator communicator, List<Communicator> groups, Policy policy, boolean defers) {
    Topology topology = communicator.topology();
    int rank = communicator.rank();
    this.groups = groups;
    this.alarm = new CycleAlarm(defers);
    this.unnoticed = unnoticed(policy, rank);
    this.awake =
        policy instanceof Policy.Negotiated
            ? unnoticed
            : awake(topology.localRank(rank), topology.localSize(rank));
  }

  private static WaitPolicy awake(int number, int ranks) {
    WaitPolicy usual = WaitPolicy.forRank(number, ranks);
    boolean alone = usual.yields() == 0;
    return alone ? new WaitPolicy(LOOKING_OUT, 0, number) : usual;
  }

  /** How an agent waits while the program computes. */
  public static WaitPolicy unnoticed(Policy policy, int rank) {
    return SyncAgent.negotiated(policy).waiting().policy(rank);
  }

  /** Rings when the program waits. */
  public CycleAlarm alarm() {
    return alarm;
  }

  /** A thread of the program begins to wait. */
  public synchronized void begin() {
    waiting++;
    alarm.programWaits(true);
    if (waiting == 1 && !awake.equals(unnoticed)) {
      groups.forEach(group -> group.waitBy(awake));
    }
  }

  /** It has its results. */
  public synchronized void end() {
    waiting--;
    alarm.programWaits(waiting > 0);
    if (waiting == 0 && !awake.equals(unnoticed)) {
      groups.forEach(group -> group.waitBy(unnoticed));
    }
  }
}
