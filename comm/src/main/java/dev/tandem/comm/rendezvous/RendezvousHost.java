package dev.tandem.comm.rendezvous;

import dev.tandem.comm.rendezvous.Handshake.Introduction;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The meeting point of a job, hosted by its launcher. When all ranks have joined, each gets the
 * addresses and hosts of all; when one is missing at the deadline or leaves before, those that wait
 * are told which. Later it listens on the same connections for the name of a rank that was lost.
 *
 * <p>Thread-safe. Refusals go to the log, one line each.
 */
public final class RendezvousHost implements AutoCloseable {

  private final int size;
  private final JobSecret secret;
  private final Optional<TlsKeys> tls;
  private final Consumer<String> log;
  private final HandshakeServer server;

  private final Map<Integer, Member> members = new TreeMap<>();
  private boolean complete;
  private Optional<String> failure = Optional.empty();
  private OptionalInt reportedLoss = OptionalInt.empty();

  private record Member(RankTable.RankAddress address, Link link) {}

  private RendezvousHost(
      int size,
      JobSecret secret,
      Optional<TlsKeys> tls,
      InetSocketAddress address,
      Duration handshake,
      Consumer<String> log)
      throws IOException {
    this.size = size;
    this.secret = secret;
    this.tls = tls;
    this.log = log;
    this.server =
        HandshakeServer.bind(
            address, secret, tls, Handshake.MEETING_POINT, new Door(), log, handshake);
  }

  /**
   * Opens a meeting point on a free port of the loopback interface.
   *
   * @param patience how long to wait until all have joined
   */
  public static RendezvousHost open(
      int size, JobSecret secret, Duration patience, Consumer<String> log) {
    return open(size, secret, InetAddress.getLoopbackAddress(), patience, log);
  }

  /**
   * Opens a meeting point on a free port of this interface.
   *
   * @param networkInterface an address by which all ranks reach this machine
   */
  public static RendezvousHost open(
      int size,
      JobSecret secret,
      InetAddress networkInterface,
      Duration patience,
      Consumer<String> log) {
    return open(size, secret, new InetSocketAddress(networkInterface, 0), patience, log);
  }

  /** Opens a meeting point at this address; port 0 stands for a free one. */
  public static RendezvousHost open(
      int size,
      JobSecret secret,
      InetSocketAddress address,
      Duration patience,
      Consumer<String> log) {
    return open(size, secret, Optional.empty(), address, patience, log);
  }

  /**
   * Opens a meeting point at this address; port 0 stands for a free one.
   *
   * @param tls what its connections are encrypted with, if they are
   */
  public static RendezvousHost open(
      int size,
      JobSecret secret,
      Optional<TlsKeys> tls,
      InetSocketAddress address,
      Duration patience,
      Consumer<String> log) {
    return open(size, secret, tls, address, patience, HandshakeServer.PATIENCE, log);
  }

  /**
   * The same.
   *
   * @param handshake how long a connection may take to prove itself
   */
  static RendezvousHost open(
      int size,
      JobSecret secret,
      Optional<TlsKeys> tls,
      InetSocketAddress address,
      Duration patience,
      Duration handshake,
      Consumer<String> log) {
    if (address.getAddress().isAnyLocalAddress()) {
      throw new UsageException(
          "a meeting point needs the address by which the ranks reach it, not "
              + address.getAddress().getHostAddress());
    }
    try {
      RendezvousHost host = new RendezvousHost(size, secret, tls, address, handshake, log);
      host.start(patience);
      return host;
    } catch (IOException e) {
      String where =
          address.getPort() == 0 ? address.getAddress().getHostAddress() : Addresses.text(address);
      throw new WorkFailedException(
          "cannot open a meeting point on %s: %s".formatted(where, e.getMessage()), e);
    }
  }

  private void start(Duration patience) {
    server.start();
    Thread.ofVirtual().name("tandem-rendezvous-deadline").start(() -> awaitAll(patience));
  }

  /** What the process of this rank must find in its environment. */
  public JobEnvironment environment(int rank) {
    return new JobEnvironment(rank, size, server.address(), secret).over(tls);
  }

  /** How many ranks have joined so far. */
  synchronized int present() {
    return members.size();
  }

  /** Unless all have joined, tells those that wait, and those to come, why there is no use. */
  public synchronized void giveUp(String reason) {
    if (!complete) {
      fail(reason);
    }
  }

  /** The rank that the others reported as lost, if they did. */
  public synchronized OptionalInt reportedLoss() {
    return reportedLoss;
  }

  private final class Door implements HandshakeServer.Reception {

    @Override
    public Optional<String> objection(Introduction joiner) {
      return objectionTo(joiner);
    }

    @Override
    public void accepted(Introduction joiner, Link link) throws IOException {
      register(joiner, link);
      listen(joiner.rank(), link);
    }
  }

  private synchronized Optional<String> objectionTo(Introduction joiner) {
    if (joiner.size() != size) {
      return Optional.of("the job has %d ranks, not %d".formatted(size, joiner.size()));
    }
    if (joiner.rank() < 0 || joiner.rank() >= size) {
      return Optional.of("the job has no such rank");
    }
    if (failure.isPresent()) {
      return failure;
    }
    if (complete) {
      return Optional.of("it comes too late, all %d ranks have joined".formatted(size));
    }
    return members.containsKey(joiner.rank())
        ? Optional.of("this rank has already joined")
        : Optional.empty();
  }

  private synchronized void register(Introduction joiner, Link link) throws IOException {
    // Two of the same rank may have passed the objections at the same time.
    if (complete || members.containsKey(joiner.rank())) {
      tell(link, "this rank has already joined");
      throw new Handshake.RefusedException("rank " + joiner.rank() + ": has already joined");
    }
    RankTable.RankAddress address = new RankTable.RankAddress(joiner.address(), joiner.host());
    members.put(joiner.rank(), new Member(address, link));
    if (members.size() < size) {
      return;
    }
    complete = true;
    notifyAll();
    List<RankTable.RankAddress> ranks = members.values().stream().map(Member::address).toList();
    for (Member member : members.values()) {
      try {
        RankTable.send(member.link(), secret, ranks);
      } catch (IOException e) {
        log.accept("cannot send the addresses of all ranks to " + member.address().address());
      }
    }
  }

  private void listen(int rank, Link link) throws IOException {
    TimedInput input = new TimedInput(link, Deadline.never());
    try {
      int lost = input.readInt();
      synchronized (this) {
        if (reportedLoss.isEmpty() && lost >= 0 && lost < size) {
          reportedLoss = OptionalInt.of(lost);
        }
      }
      while (true) {
        input.readByte();
      }
    } catch (IOException e) {
      // The rank has left, in order or not, or the job is over; only before all have joined does
      // that matter here.
    }
    giveUp("rank %d left before all had joined".formatted(rank));
    link.close();
  }

  private synchronized void awaitAll(Duration patience) {
    Deadline deadline = Deadline.in(patience);
    while (!complete && !deadline.passed()) {
      try {
        TimeUnit.NANOSECONDS.timedWait(this, deadline.remainingNanos());
      } catch (InterruptedException e) {
        return;
      }
    }
    if (!complete) {
      nameMissing(patience);
    }
  }

  private void nameMissing(Duration patience) {
    List<Integer> missing = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      if (!members.containsKey(rank)) {
        missing.add(rank);
      }
    }
    fail("ranks %s did not join within %d s".formatted(missing, patience.toSeconds()));
  }

  private synchronized void fail(String reason) {
    if (failure.isPresent()) {
      return;
    }
    failure = Optional.of(reason);
    members.values().forEach(member -> tell(member.link(), reason));
  }

  private void tell(Link link, String reason) {
    try {
      RankTable.sendFailure(link, secret, reason);
    } catch (IOException e) {
      log.accept("cannot tell a rank that " + reason);
    }
  }

  @Override
  public synchronized void close() {
    complete = true;
    notifyAll();
    server.close();
    for (Member member : members.values()) {
      try {
        member.link().close();
      } catch (IOException e) {
        log.accept("cannot close the connection to " + member.address().address());
      }
    }
  }
}
