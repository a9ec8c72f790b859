package dev.tandem.comm.rendezvous;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tandem.core.WorkFailedException;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A process's line to its launcher, which leads it from one generation of the job to the next; see
 * {@code Note [generations]}. One thread calls {@link #next}; any may ask {@link #wanted}.
 */
public final class GenerationLine implements AutoCloseable {

  /** The variable that tells a process that it gets its rank over such a line. */
  public static final String VARIABLE = "TANDEM_GENERATIONS";

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** What the launcher may answer. */
  private sealed interface Answer {}

  private record Assigned(RankAssignment assignment) implements Answer {}

  private record Finished() implements Answer {}

  private record GivenUp(String reason) implements Answer {}

  /**
   * A rank in a generation.
   *
   * @param generation from 1
   * @param job how to join the others of it
   */
  public record RankAssignment(int generation, JobEnvironment job) {}

  private final JobEnvironment process;
  private final Link link;
  private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
  private volatile boolean wanted;

  private GenerationLine(JobEnvironment process, Link link) {
    this.process = process;
    this.link = link;
  }

  /** Calls the launcher, if these variables speak of one that leads generations. */
  public static Optional<GenerationLine> of(Map<String, String> variables) {
    return variables.containsKey(VARIABLE)
        ? JobEnvironment.of(variables).map(GenerationLine::call)
        : Optional.empty();
  }

  /** Calls the launcher. */
  static GenerationLine call(JobEnvironment process) {
    Deadline deadline = Deadline.in(PATIENCE);
    Socket socket = new Socket();
    try {
      socket.setTcpNoDelay(true);
      socket.connect(process.rendezvous(), deadline.remainingMillis());
      Link link = Link.called(socket, process.tls(), deadline);
      Handshake.initiate(
          link,
          process.secret(),
          Handshake.GENERATIONS,
          Handshake.Introduction.of(process, process.rendezvous(), 0),
          deadline);
      GenerationLine line = new GenerationLine(process, link);
      Thread.ofPlatform().daemon().name("tandem-generations").start(line::read);
      return line;
    } catch (IOException e) {
      try {
        socket.close();
      } catch (IOException ignored) {
        // Nothing was said over it.
      }
      throw new WorkFailedException(
          "process %d cannot reach its launcher at %s: %s"
              .formatted(process.rank(), Addresses.text(process.rendezvous()), e.getMessage()),
          e);
    }
  }

  private void read() {
    try {
      while (true) {
        receive(SignedMessage.receive(link, process.secret(), Deadline.never()));
      }
    } catch (IOException e) {
      answers.add(new GivenUp("the line to the launcher broke: " + e.getMessage()));
    }
  }

  private void receive(byte[] message) throws IOException {
    DataInputStream fields = new DataInputStream(new ByteArrayInputStream(message));
    byte kind = fields.readByte();
    switch (kind) {
      case GenerationHost.ASSIGNMENT -> {
        // Whatever was asked before was asked of a member of an earlier generation, even if that
        // had left already: the question and its being ready may have crossed each other.
        wanted = false;
        answers.add(new Assigned(assignment(fields)));
      }
      case GenerationHost.WANTED -> wanted = true;
      case GenerationHost.FINISHED -> answers.add(new Finished());
      case GenerationHost.GIVEN_UP ->
          answers.add(new GivenUp(new String(fields.readAllBytes(), UTF_8)));
      default -> throw new IOException("the launcher says " + kind + ", which means nothing");
    }
  }

  private RankAssignment assignment(DataInputStream fields) throws IOException {
    int generation = fields.readInt();
    int rank = fields.readInt();
    int size = fields.readInt();
    JobEnvironment job =
        new JobEnvironment(
            rank,
            size,
            Addresses.parse(fields.readUTF()),
            process.secret().ofGeneration(generation),
            process.host(),
            false,
            process.tls());
    return new RankAssignment(generation, job);
  }

  /**
   * Says that this process is in no generation now, and waits for its place in the next; empty if
   * the work was done without it.
   *
   * @throws WorkFailedException if there will be none
   */
  public Optional<RankAssignment> next() {
    try {
      link.write(new byte[] {GenerationHost.READY});
    } catch (IOException e) {
      throw new WorkFailedException("the line to the launcher broke: " + e.getMessage(), e);
    }
    try {
      return switch (answers.take()) {
        case Assigned(RankAssignment assignment) -> Optional.of(assignment);
        case Finished() -> Optional.empty();
        case GivenUp(String reason) -> throw new WorkFailedException(reason);
      };
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("interrupted while waiting for the launcher", e);
    }
  }

  /** Whether the launcher asks this process to leave its generation at the next opportunity. */
  public boolean wanted() {
    return wanted;
  }

  @Override
  public void close() {
    try {
      link.close();
    } catch (IOException e) {
      // Nothing that matters was under way.
    }
  }
}
