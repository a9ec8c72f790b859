package dev.tandem.parallel.stage;

import dev.tandem.comm.Communicator;
import dev.tandem.parallel.mesh.Mesh;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A rank's ways to the stages before and after its own: to the ranks that differ from it in the
 * stage alone.
 *
 * @param before to the stage before, unless this is the first
 * @param after to the stage after, unless this is the last
 */
public record StageGroups(Optional<StageTransfer> before, Optional<StageTransfer> after)
    implements AutoCloseable {

  /** Forms the groups of all boundaries; all ranks of the mesh call this together. */
  public static StageGroups of(Communicator all, Mesh mesh) {
    List<Integer> stages = mesh.group(all.rank(), Set.of(Mesh.PIPELINE));
    int own = mesh.coordinate(all.rank(), Mesh.PIPELINE);
    Optional<StageTransfer> before = Optional.empty();
    Optional<StageTransfer> after = Optional.empty();
    if (own > 0) {
      Communicator forward = all.group(stages.get(own - 1), stages.get(own));
      Communicator backward = all.group(stages.get(own - 1), stages.get(own));
      before = Optional.of(new StageTransfer(backward, forward));
    }
    if (own + 1 < stages.size()) {
      Communicator forward = all.group(stages.get(own), stages.get(own + 1));
      Communicator backward = all.group(stages.get(own), stages.get(own + 1));
      after = Optional.of(new StageTransfer(forward, backward));
    }
    return new StageGroups(before, after);
  }

  /** Waits until all that this rank sent has left. */
  public void finish() {
    Stream.of(before, after).flatMap(Optional::stream).forEach(StageTransfer::finish);
  }

  @Override
  public void close() {
    Stream.of(before, after).flatMap(Optional::stream).forEach(StageTransfer::close);
  }
}
