package dev.tandem.sync.agent;

import java.util.Optional;

/** What a thread of the program is doing, as the end of a sentence for people. */
final class StackSummary {

  private StackSummary() {}

  static String of(Optional<Thread> requester) {
    if (requester.isEmpty()) {
      return "has never asked for anything";
    }
    Thread thread = requester.get();
    if (!thread.isAlive()) {
      return "its thread %s has ended".formatted(thread.getName());
    }
    for (StackTraceElement frame : thread.getStackTrace()) {
      String type = frame.getClassName();
      if (type.startsWith("dev.tandem.sync.")) {
        return "waits for other tensors";
      }
      if (!type.startsWith("java.") && !type.startsWith("jdk.") && !type.startsWith("sun.")) {
        return "its thread %s is in %s".formatted(thread.getName(), frame);
      }
    }
    return "its thread %s is in the Java runtime".formatted(thread.getName());
  }
}
