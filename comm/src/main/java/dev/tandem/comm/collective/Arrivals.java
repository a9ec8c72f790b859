package dev.tandem.comm.collective;

import dev.tandem.comm.transport.Arrival;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Exchanges of a team that have begun, so that messages travel while this rank reduces. They are
 * finished in the order they began, sender by sender. Closing gives up those that were not finished
 * because something failed: then nobody writes into their memory any more.
 */
final class Arrivals implements AutoCloseable {

  private final Team team;
  private final List<Deque<Arrival>> open = new ArrayList<>();

  Arrivals(Team team) {
    this.team = team;
    for (int member = 0; member < team.size(); member++) {
      open.add(new ArrayDeque<>());
    }
  }

  /** Begins an exchange: sends, and lets the other's message come. */
  void begin(int to, MemorySegment data, int from, MemorySegment target) {
    expect(from, target);
    team.sendPartOfExchange(to, data);
  }

  /** Begins a receive. */
  void expect(int from, MemorySegment target) {
    open.get(from).add(team.expect(from, target));
  }

  /** Waits for the message that was expected first from this rank. */
  void finish(int from) {
    team.countStep();
    open.get(from).remove().await();
  }

  @Override
  public void close() {
    for (Deque<Arrival> arrivals : open) {
      while (!arrivals.isEmpty()) {
        arrivals.remove().abandon();
      }
    }
  }
}
