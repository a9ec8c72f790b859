package dev.tandem.ensemble.drive;

import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.comm.launch.LaunchResult;
import dev.tandem.comm.launch.ProcessLauncher;
import dev.tandem.comm.launch.Restarts;
import dev.tandem.core.ExitCode;
import dev.tandem.core.TandemException;
import dev.tandem.ensemble.Pipeline;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The processes of an ensemble that prepare samples and do nothing else; lost ones are replaced.
 */
final class Preprocessors implements AutoCloseable {

  private static final Duration GRACE = Duration.ofSeconds(5);

  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean closed;

  private Preprocessors() {}

  /**
   * Starts them.
   *
   * @param folder of a member, whose configuration says what to prepare
   */
  static Preprocessors start(
      Pipeline pipeline, Path folder, Restarts restarts, Consumer<String> notes) {
    Preprocessors all = new Preprocessors();
    int count = pipeline.ownPreprocessors();
    for (int i = 0; i < count; i++) {
      List<String> arguments =
          List.of(folder.toString(), pipeline.word(), Integer.toString(i), Integer.toString(count));
      String name = "preprocessor " + i;
      all.threads.add(
          Thread.ofPlatform()
              .name("tandem-preprocessor-" + i)
              .start(() -> all.run(name, arguments, restarts, notes)));
    }
    return all;
  }

  private void run(String name, List<String> arguments, Restarts restarts, Consumer<String> notes) {
    while (!closed) {
      LaunchPlan plan =
          LaunchPlan.of(1, PreprocessorMain.class.getName(), arguments).withGrace(GRACE);
      LaunchResult outcome;
      try {
        outcome =
            new ProcessLauncher(plan, (_, _, line) -> notes.accept(name + ": " + line), notes)
                .run();
      } catch (TandemException e) {
        return; // interrupted, for the members have ended
      }
      if (closed || outcome.exitCode() == ExitCode.INTERRUPTED.code()) {
        return;
      }
      if (!restarts.take()) {
        notes.accept(
            "%s: %s; members prepare its samples for themselves"
                .formatted(name, outcome.summary()));
        return;
      }
      notes.accept("%s: %s; restart %s".formatted(name, outcome.summary(), restarts));
    }
  }

  @Override
  public void close() {
    closed = true;
    threads.forEach(Thread::interrupt);
    boolean interrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
