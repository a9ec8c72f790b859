package dev.tandem.comm.launch;

import dev.tandem.posix.MachineMemory;
import dev.tandem.posix.MemoryGroup;

/**
 * Recognises ranks of this machine that the kernel ended for lack of memory: it counts them in the
 * control group, which ranks have in common with their launcher. Thread-safe.
 */
final class MemoryKills {

  private final MemoryGroup group = MemoryGroup.own();
  private long known = group.kills();

  /** The same end, with its cause if it is this one. */
  synchronized RankExit explained(RankExit exit) {
    if (!exit.killedHere() || group.kills() <= known) {
      return exit;
    }
    known++;
    return exit.by(
        "for lack of memory: %s %,d MiB"
            .formatted(
                MachineMemory.limited() ? "the limit here is" : "this machine has",
                MachineMemory.bytes() >> 20));
  }
}
