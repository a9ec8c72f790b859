package dev.tandem.comm.transport;

import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The waiters of a transport, kept because making one costs several system calls. Thread-safe. */
final class Waiters implements AutoCloseable {

  private final WaitPolicy policy;
  private final Queue<Waiter> all = new ConcurrentLinkedQueue<>();
  private final Deque<Waiter> idle = new ConcurrentLinkedDeque<>();

  Waiters(WaitPolicy policy) {
    this.policy = policy;
  }

  /** One for the calling thread, to be given back. */
  Waiter take() {
    Waiter waiter = idle.poll();
    if (waiter == null) {
      waiter = new Waiter(policy);
      all.add(waiter);
    }
    waiter.begin();
    return waiter;
  }

  void giveBack(Waiter waiter) {
    idle.push(waiter);
  }

  /** Lets every call look around. */
  void wakeAll() {
    all.forEach(Waiter::wake);
  }

  @Override
  public void close() {
    all.forEach(Waiter::close);
  }
}
