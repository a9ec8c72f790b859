package dev.tandem.checkpoint;

import dev.tandem.comm.Communicator;
import dev.tandem.core.WorkFailedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Finds the newest checkpoint that is good for every rank. */
final class Restoring {

  private Restoring() {}

  /** A checkpoint of one of several stores. */
  private record Candidate(long step, int store) {}

  /**
   * Restores the newest of all stores; of the same step that of the first store.
   *
   * <p>Rank 0 says what there is, so that all try the same in the same order; a checkpoint is taken
   * when every rank has verified what it needs of it, and only then is any state touched.
   */
  static Optional<CheckpointStore.Restored> newest(
      List<? extends LevelStore> stores,
      Communicator ranks,
      SlicedState state,
      Consumer<String> lines) {
    List<Candidate> candidates = candidates(stores, ranks);
    for (int i = 0; i < candidates.size(); i++) {
      Candidate candidate = candidates.get(i);
      LevelStore store = stores.get(candidate.store());
      Optional<String> fault =
          Messages.all(
                  ranks,
                  store.fault(candidate.step(), state).orElse("").getBytes(StandardCharsets.UTF_8))
              .stream()
              .map(message -> new String(message, StandardCharsets.UTF_8))
              .filter(message -> !message.isEmpty())
              .findFirst();
      if (fault.isEmpty()) {
        Map<String, String> values = store.restore(candidate.step(), state);
        if (i > 0 && ranks.rank() == 0) {
          lines.accept(
              "continues from step %d in %s, the last good checkpoint"
                  .formatted(candidate.step(), store.name()));
        }
        return Optional.of(new CheckpointStore.Restored(candidate.step(), values, store.name()));
      }
      store.passOver(candidate.step());
      if (ranks.rank() == 0) {
        lines.accept("passed over step %d: %s".formatted(candidate.step(), fault.get()));
      }
    }
    if (!candidates.isEmpty()) {
      throw new WorkFailedException(
          "none of the %d checkpoints in %s can be restored; look with tandem checkpoint verify"
              .formatted(candidates.size(), stores.getLast().name()));
    }
    return Optional.empty();
  }

  private static List<Candidate> candidates(List<? extends LevelStore> stores, Communicator ranks) {
    List<Candidate> found = new ArrayList<>();
    for (int store = 0; store < stores.size(); store++) {
      for (long step : stores.get(store).offered()) {
        found.add(new Candidate(step, store));
      }
    }
    found.sort(
        Comparator.comparingLong(Candidate::step).reversed().thenComparingInt(Candidate::store));
    StringBuilder text = new StringBuilder();
    found.forEach(c -> text.append(c.step()).append(' ').append(c.store()).append('\n'));
    byte[] said = Messages.fromFirst(ranks, text.toString().getBytes(StandardCharsets.UTF_8));
    return new String(said, StandardCharsets.UTF_8)
        .lines()
        .map(line -> Arrays.stream(line.split(" ", -1)).mapToLong(Long::parseLong).toArray())
        .map(numbers -> new Candidate(numbers[0], (int) numbers[1]))
        .toList();
  }
}
