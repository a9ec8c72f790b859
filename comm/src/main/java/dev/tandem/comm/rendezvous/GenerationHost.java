package dev.tandem.comm.rendezvous;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tandem.comm.rendezvous.Handshake.Introduction;
import dev.tandem.core.WorkFailedException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * The launcher's end of the lines to its processes, over which it leads them from one generation of
 * the job to the next; see {@code Note [generations]}. Thread-safe.
 */
public final class GenerationHost implements AutoCloseable {

  static final byte READY = 1;
  static final byte ASSIGNMENT = 2;
  static final byte WANTED = 3;
  static final byte FINISHED = 4;
  static final byte GIVEN_UP = 5;

  private final int processes;
  private final JobSecret secret;
  private final Optional<TlsKeys> tls;
  private final IntConsumer ready;
  private final Consumer<String> log;
  private final HandshakeServer server;
  private final Map<Integer, Link> lines = new TreeMap<>();

  private GenerationHost(
      int processes,
      JobSecret secret,
      Optional<TlsKeys> tls,
      InetSocketAddress address,
      IntConsumer ready,
      Consumer<String> log)
      throws IOException {
    this.processes = processes;
    this.secret = secret;
    this.tls = tls;
    this.ready = ready;
    this.log = log;
    this.server =
        HandshakeServer.bind(
            address, secret, tls, Handshake.GENERATIONS, new Door(), log, HandshakeServer.PATIENCE);
  }

  /**
   * Opens it.
   *
   * @param processes how many the job has at most, numbered from 0
   * @param address where; port 0 stands for a free one
   * @param ready told the number of a process that waits for the next generation, by any thread
   */
  public static GenerationHost open(
      int processes,
      JobSecret secret,
      Optional<TlsKeys> tls,
      InetSocketAddress address,
      IntConsumer ready,
      Consumer<String> log) {
    try {
      GenerationHost host = new GenerationHost(processes, secret, tls, address, ready, log);
      host.server.start();
      return host;
    } catch (IOException e) {
      throw new WorkFailedException(
          "cannot open a meeting point on %s: %s"
              .formatted(address.getAddress().getHostAddress(), e.getMessage()),
          e);
    }
  }

  /** What a process finds in its environment, as if its number were its rank. */
  public JobEnvironment environment(int process) {
    return new JobEnvironment(process, processes, server.address(), secret).over(tls);
  }

  /**
   * Gives a process that is ready its place in a generation.
   *
   * @param meetingPoint where those of the generation join each other
   */
  public void assign(
      int process, int generation, int rank, int size, InetSocketAddress meetingPoint) {
    send(
        process,
        out -> {
          out.writeByte(ASSIGNMENT);
          out.writeInt(generation);
          out.writeInt(rank);
          out.writeInt(size);
          out.writeUTF(Addresses.text(meetingPoint));
        });
  }

  /** Asks a process to come back at the next opportunity, because others wait to join. */
  public void want(int process) {
    send(process, out -> out.writeByte(WANTED));
  }

  /** Tells a process that waits that the work was done without it. */
  public void finish(int process) {
    send(process, out -> out.writeByte(FINISHED));
  }

  /** Tells all processes that there will be no further generation. */
  public void giveUp(String reason) {
    for (int process = 0; process < processes; process++) {
      send(
          process,
          out -> {
            out.writeByte(GIVEN_UP);
            out.write(reason.getBytes(UTF_8));
          });
    }
  }

  /** A process has ended; what it may have said last does not count. */
  public synchronized void forget(int process) {
    Link line = lines.remove(process);
    if (line != null) {
      close(line);
    }
  }

  private synchronized void send(int process, SignedMessage.Body message) {
    Link line = lines.get(process);
    if (line == null) {
      return;
    }
    try {
      SignedMessage.send(line, secret, message);
    } catch (IOException e) {
      // The process is gone; its end is seen otherwise.
      lines.remove(process, line);
    }
  }

  private final class Door implements HandshakeServer.Reception {

    @Override
    public Optional<String> objection(Introduction joiner) {
      return joiner.size() == processes && joiner.rank() >= 0 && joiner.rank() < processes
          ? Optional.empty()
          : Optional.of("the job has no such process");
    }

    @Override
    public void accepted(Introduction joiner, Link link) {
      synchronized (GenerationHost.this) {
        // A replacement has the number of the process whose place it takes.
        Link before = lines.put(joiner.rank(), link);
        if (before != null) {
          close(before);
        }
      }
      listen(joiner.rank(), link);
    }
  }

  private void listen(int process, Link link) {
    TimedInput input = new TimedInput(link, Deadline.never());
    try {
      while (input.readByte() == READY) {
        tell(process, link);
      }
    } catch (IOException e) {
      // It has ended, which the launcher sees for itself.
    }
    close(link);
  }

  private synchronized void tell(int process, Link link) {
    if (link.equals(lines.get(process))) {
      ready.accept(process);
    }
  }

  private void close(Link link) {
    try {
      link.close();
    } catch (IOException e) {
      log.accept("cannot close a line to a process: " + e.getMessage());
    }
  }

  @Override
  public synchronized void close() {
    server.close();
    lines.values().forEach(this::close);
    lines.clear();
  }
}
