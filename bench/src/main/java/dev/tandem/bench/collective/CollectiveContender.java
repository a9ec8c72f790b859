package dev.tandem.bench.collective;

import java.nio.file.Path;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One side of {@code tandem bench collective}: ranks as processes; see {@code Note [live
 * contenders]}.
 */
interface CollectiveContender {

  /** The name in the results. */
  String peer();

  int ranks();

  /** What it takes part in. */
  Set<CollectiveOperation> operations();

  /**
   * Runs the ranks until their pipes end. Throws with what they said if they end otherwise.
   *
   * @param pipes the name of the first rank's pipe, less its number
   * @param output takes, from any thread, what the first rank prints: {@link #READY}, and a line
   *     for each turn
   */
  void run(Path pipes, Consumer<String> output);

  /** What the first rank prints when all ranks wait for their first turn. */
  String READY = "ready";
}
