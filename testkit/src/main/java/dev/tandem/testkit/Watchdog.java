package dev.tandem.testkit;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs work that might hang, and fails with the stacks of all threads if it does. */
public final class Watchdog {

  private Watchdog() {}

  /** The result of {@code work}, which runs in a thread of its own. */
  public static <T> T within(Duration limit, Callable<T> work) throws Exception {
    FutureTask<T> task = new FutureTask<>(work);
    Thread thread = Thread.ofPlatform().daemon().name("watched").start(task);
    try {
      return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      AssertionError hang = new AssertionError("hung for " + limit + "\n" + allStacks(), e);
      thread.interrupt();
      throw hang;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw (Error) e.getCause();
    }
  }

  private static String allStacks() {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<Thread, StackTraceElement[]> entry : Thread.getAllStackTraces().entrySet()) {
      text.append(entry.getKey()).append('\n');
      for (StackTraceElement element : entry.getValue()) {
        text.append("    ").append(element).append('\n');
      }
    }
    return text.toString();
  }
}
