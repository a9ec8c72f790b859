package dev.tandem.ensemble.drive;

import dev.tandem.comm.launch.Restarts;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Which members train and which wait for room, each with a thread of its own while it trains. What
 * becomes of the room of one that ends is a line. For one thread.
 */
final class RunningMembers {

  private final Deque<MemberRun> queued = new ArrayDeque<>();
  private final Map<MemberRun, Thread> running = new LinkedHashMap<>();
  private final int most;
  private final List<String> command;
  private final Restarts restarts;
  private final boolean resume;
  private final Consumer<String> notes;

  /**
   * Nothing runs yet.
   *
   * @param most that train at the same time
   * @param command the words that began the ensemble
   * @param resume whether members may have checkpoints
   */
  RunningMembers(
      Collection<MemberRun> members,
      int most,
      List<String> command,
      Restarts restarts,
      boolean resume,
      Consumer<String> notes) {
    this.most = most;
    this.command = command;
    this.restarts = restarts;
    this.resume = resume;
    this.notes = notes;
    members.stream().filter(member -> member.is("queued")).forEach(queued::add);
  }

  /** Starts members while there is room. */
  void startThoseThatFit() {
    while (running.size() < most && !queued.isEmpty()) {
      MemberRun next = queued.poll();
      Thread thread =
          Thread.ofPlatform()
              .name("member-" + next.name())
              .start(() -> next.run(command, restarts, resume));
      running.put(next, thread);
    }
  }

  /** Lets members that have ended go, and others take their room. */
  void replaceEnded() {
    List<MemberRun> ended = new ArrayList<>();
    running.forEach(
        (member, thread) -> {
          if (!thread.isAlive()) {
            ended.add(member);
          }
        });
    for (MemberRun member : ended) {
      running.remove(member);
      note(member);
    }
    startThoseThatFit();
  }

  private void note(MemberRun ended) {
    String line = "member %s: %s".formatted(ended.name(), ended.state());
    if (!queued.isEmpty()) {
      notes.accept("%s; member %s starts in its place".formatted(line, queued.peek().name()));
    } else if (!running.isEmpty()) {
      String others =
          running.keySet().stream().map(MemberRun::name).collect(Collectors.joining(", "));
      int threads = ended.preparationThreads();
      notes.accept(
          "%s; its processors are free for %s%s"
              .formatted(
                  line,
                  others,
                  threads == 0
                      ? ""
                      : ", where %d more %s samples"
                          .formatted(
                              threads, threads == 1 ? "thread prepares" : "threads prepare")));
    } else {
      notes.accept(line);
    }
  }

  /** Whether all have ended. */
  boolean none() {
    return running.isEmpty() && queued.isEmpty();
  }
}
