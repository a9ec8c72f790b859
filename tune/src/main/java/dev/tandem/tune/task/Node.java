package dev.tandem.tune.task;

/**
 * A machine, or a part of one, that runs tasks.
 *
 * @param memoryBytes how much its tasks may use together
 */
public record Node(String name, int cores, int gpus, long memoryBytes) {

  /** Whether one rank of such needs finds room here when nothing else runs. */
  public boolean canHold(Needs needs) {
    return needs.cores() <= cores && needs.gpus() <= gpus && needs.memoryBytes() <= memoryBytes;
  }
}
