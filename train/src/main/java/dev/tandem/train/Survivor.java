package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.launch.ChildMain;
import dev.tandem.comm.rendezvous.GenerationLine;
import dev.tandem.core.ExitCode;
import dev.tandem.core.PeerLostException;
import dev.tandem.core.WorkFailedException;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * A process that stays when others are lost: it trains in one generation of the job after the
 * other, until the work is done. The network, the optimizer and what depends on a communicator are
 * made again in each generation; the process, its libraries and what it holds of checkpoints stay.
 */
final class Survivor {

  /** The work of one generation; returns when it is done for good. */
  interface Work {

    /**
     * Goes on with these ranks.
     *
     * @throws PeerLostException if one of them is lost
     * @throws GenerationEndedException if others wait to join, or some were asked to end
     */
    void run(Communicator ranks, int generation);
  }

  private final GenerationLine launcher;
  private final BooleanSupplier asked;

  /**
   * Follows a launcher.
   *
   * @param asked whether this process was asked to end: it then does, between two generations, for
   *     the launcher to replace it
   */
  Survivor(GenerationLine launcher, BooleanSupplier asked) {
    this.launcher = launcher;
    this.asked = asked;
  }

  void run(Work work) {
    Optional<GenerationLine.RankAssignment> assignment = launcher.next();
    while (assignment.isPresent()) {
      Optional<PeerLostException> loss;
      try {
        if (done(assignment.get(), work)) {
          return;
        }
        loss = Optional.empty();
      } catch (PeerLostException e) {
        loss = Optional.of(e);
      }
      if (asked.getAsBoolean()) {
        ChildMain.endAtOnce(ExitCode.STOPPED_AS_ASKED);
      }
      assignment = next(loss);
    }
  }

  /** A rank that cannot continue names the loss that it cannot continue after. */
  private Optional<GenerationLine.RankAssignment> next(Optional<PeerLostException> loss) {
    try {
      return launcher.next();
    } catch (WorkFailedException e) {
      if (loss.isPresent()) {
        loss.get().addSuppressed(e);
        throw loss.get();
      }
      throw e;
    }
  }

  private static boolean done(GenerationLine.RankAssignment assignment, Work work) {
    Communicator joined;
    try {
      joined = Communicator.join(assignment);
    } catch (WorkFailedException e) {
      // A rank was lost while they met; the launcher decides how to continue.
      return false;
    }
    try (Communicator ranks = joined) {
      work.run(ranks, assignment.generation());
      return true;
    } catch (GenerationEndedException e) {
      return false;
    }
  }
}
