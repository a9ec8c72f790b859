package dev.tandem.bench.ensemble;

import dev.tandem.data.LmdbSource;
import dev.tandem.data.RecordSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A process of {@code tandem bench ensemble}: for each request line it takes images, prints what it
 * measured, waits for a line, and leaves the share; or it only prepares images until that line and
 * then prints. It ends with its standard input, whatever it does.
 */
public final class EnsembleMemberMain {

  /** The line after which a member leaves the share. */
  static final String LEAVE = "leave";

  static final String READY = "ready";
  static final String LEFT = "left";

  private EnsembleMemberMain() {}

  /** The argument is the folder of the database. */
  public static void main(String[] arguments) throws InterruptedException {
    BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    Thread.ofPlatform().daemon().name("requests").start(() -> read(lines));
    try (RecordSource source = LmdbSource.open(Path.of(arguments[0]))) {
      System.out.println(READY);
      while (true) {
        serve(MemberRequest.of(lines.take()), source, lines);
      }
    }
  }

  private static void serve(MemberRequest request, RecordSource source, BlockingQueue<String> lines)
      throws InterruptedException {
    try (MemberTraining training = request.trains() ? new MemberTraining() : null;
        MemberRun run = new MemberRun(request, source)) {
      if (request.images() > 0) {
        System.out.println(run.run(Optional.ofNullable(training)).line());
      }
      String line = lines.take();
      if (!line.equals(LEAVE)) {
        throw new IllegalStateException("expected " + LEAVE + ", not " + line);
      }
      if (request.images() == 0) {
        System.out.println(run.prepared().line());
      }
    }
    System.out.println(LEFT);
  }

  private static void read(BlockingQueue<String> lines) {
    try (BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        lines.add(line);
      }
    } catch (IOException e) {
      System.err.println("no more requests: " + e.getMessage());
    }
    Runtime.getRuntime().halt(0); // the benchmark has ended
  }
}
