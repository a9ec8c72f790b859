package dev.tandem.comm.transport;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Prints why connections were refused, each in a line, as long as there are few; of masses of
 * strangers only how many there were, ever more rarely. Thread-safe.
 */
final class RefusalLog implements Consumer<String> {

  private static final long FULLY = 20;

  private final String who;
  private final AtomicLong count = new AtomicLong();

  RefusalLog(String who) {
    this.who = who;
  }

  @Override
  public void accept(String line) {
    long number = count.incrementAndGet();
    if (number <= FULLY) {
      System.err.println("tandem: " + who + " " + line);
    } else if (Long.bitCount(number) == 1) {
      System.err.println(
          "tandem: %s has refused %d connections so far, the last one: %s"
              .formatted(who, number, line));
    }
  }
}
