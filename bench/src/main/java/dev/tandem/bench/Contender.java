package dev.tandem.bench;

import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * One side of a benchmark: ranks as processes.
 *
 * <p>Note [live contenders]: the ranks of every contender are started once and live as long as the
 * benchmark. Each waits in a blocking read of a named pipe of its own, which uses no processor,
 * until the benchmark writes a line that says what to measure; then all ranks of that contender do
 * so, and the first prints the result. So a case is measured by all contenders within a second or
 * so of each other, whatever the machine does in the long run; every round comes back to it, in the
 * opposite order; and JVMs compile their code once, not once per round. When the benchmark ends, in
 * whatever way, the pipes end, and with them the ranks.
 */
public interface Contender {

  /** What the first rank prints when all ranks wait for their first turn. */
  String READY = "ready";

  /** The name in messages and of the pipes. */
  String name();

  int ranks();

  /**
   * Runs the ranks until their pipes end. Throws with their output if they end otherwise.
   *
   * @param pipes the name of the first rank's pipe, less its number
   * @param output takes, from any thread, what the first rank prints: {@link #READY}, and a line
   *     for each turn
   */
  void run(Path pipes, Consumer<String> output);
}
