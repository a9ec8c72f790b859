package dev.tandem.comm.transport;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Ranks as threads of one JVM: a message is copied once if its receiver waits, else twice. For
 * tests and for machines where processes are too heavy.
 */
public final class ThreadsTransport implements Transport {

  private final List<ThreadsTransport> all;
  private final int rank;
  private final Mailbox[] mailboxes;
  private final TrafficMeter meter = new TrafficMeter();
  private final Faults faults = new Faults(new Neighbours());
  private volatile boolean left;

  private ThreadsTransport(List<ThreadsTransport> all, int rank, int size) {
    this.all = all;
    this.rank = rank;
    this.mailboxes = new Mailbox[size];
    for (int peer = 0; peer < size; peer++) {
      mailboxes[peer] = new Mailbox(peer);
    }
  }

  /** One transport for each rank of a new job. */
  public static List<Transport> create(int size) {
    List<ThreadsTransport> all = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      all.add(new ThreadsTransport(all, rank, size));
    }
    return List.copyOf(all);
  }

  @Override
  public int rank() {
    return rank;
  }

  @Override
  public int size() {
    return mailboxes.length;
  }

  @Override
  public void send(int to, int channel, MemorySegment data) {
    checkAlive(to);
    Mailbox mailbox = all.get(to).mailboxes[rank];
    Optional<Receipt> receipt = mailbox.claim(channel, data.byteSize());
    if (receipt.isPresent()) {
      receipt.get().target().copyFrom(data);
      receipt.get().complete();
    } else {
      MemorySegment copy = MemorySegment.ofArray(new byte[Math.toIntExact(data.byteSize())]);
      copy.copyFrom(data);
      mailbox.deliver(channel, copy);
    }
    meter.sent(data.byteSize());
  }

  @Override
  public void receive(int from, int channel, MemorySegment target) {
    faults.check();
    await(from, mailboxes[from].post(channel, target));
  }

  @Override
  public void exchange(int to, MemorySegment data, int from, MemorySegment target, int channel) {
    faults.check();
    Receipt receipt = mailboxes[from].post(channel, target);
    try {
      send(to, channel, data);
    } catch (RuntimeException e) {
      receipt.abandon();
      throw e;
    }
    await(from, receipt);
  }

  private void await(int from, Receipt receipt) {
    receipt.await(() -> checkAlive(from));
    meter.received(receipt.target().byteSize());
  }

  private void checkAlive(int peer) {
    faults.check();
    if (left) {
      throw new IllegalStateException("rank " + rank + " has closed its communicator");
    }
    if (all.get(peer).left) {
      throw faults.loseAndThrow(peer, "it left the job while others needed it");
    }
  }

  @Override
  public Traffic traffic() {
    return meter.reading();
  }

  @Override
  public void close() {
    if (faults.known()) {
      faults.awaitPublished();
    }
    left = true;
    for (ThreadsTransport other : all) {
      other.mailboxes[rank].nudgeAll();
    }
  }

  private final class Neighbours implements Faults.Response {

    @Override
    public void announce(int lostRank, String reason) {
      for (ThreadsTransport other : all) {
        if (other.rank != rank && !other.left) {
          other.faults.lose(lostRank, reason);
        }
      }
    }

    @Override
    public void wake() {
      for (Mailbox mailbox : mailboxes) {
        mailbox.nudgeAll();
      }
    }
  }
}
