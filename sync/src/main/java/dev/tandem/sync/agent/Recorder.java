package dev.tandem.sync.agent;

import dev.tandem.sync.plan.RequestGraph;
import dev.tandem.sync.request.Request;
import dev.tandem.sync.request.Request.Visibility;
import dev.tandem.sync.request.Signature;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Remembers what the program requests in each step, so that a plan can be made without a graph.
 *
 * <p>Which request depends on which is known from what the program had seen: a request that was
 * made before the result of another was visible cannot depend on it. So each request gets a level,
 * above that of all whose results were visible then. Requests of one level are logically
 * concurrent, and the ancestors of a request are on lower levels.
 *
 * <p>Guarded by the lock of the {@link RequestQueue}.
 */
final class Recorder {

  /**
   * One request of a step.
   *
   * @param awaited whether others may depend on it
   */
  record Line(String name, Signature signature, int level, boolean awaited) {}

  private static final class Tally {
    private int made;
    private int completed;
    private boolean ended;

    boolean finished() {
      return ended && completed == made;
    }
  }

  private final Map<String, Line> current = new LinkedHashMap<>();
  private List<Line> last = List.of();
  private Map<String, Signature> lastSignatures = Map.of();
  private boolean repeats;
  private long step;
  private int level;
  private int stableSteps;
  // By number, the steps that have not ended or have results to come.
  private final Map<Long, Tally> unfinished = new HashMap<>();

  PendingRequest record(Request request, long now) {
    boolean awaited = request.visibility() == Visibility.AT_ONCE;
    Line line = new Line(request.name(), request.signature(), level, awaited);
    repeats |= current.put(request.name(), line) != null;
    tally(step).made++;
    return new PendingRequest(request, step, level, now);
  }

  private Tally tally(long number) {
    return unfinished.computeIfAbsent(number, key -> new Tally());
  }

  void completed(PendingRequest entry) {
    Tally tally = tally(entry.step());
    tally.completed++;
    if (tally.finished()) {
      unfinished.remove(entry.step());
    }
    if (entry.step() == step && entry.request().visibility() == Visibility.AT_ONCE) {
      level = Math.max(level, entry.level() + 1);
    }
  }

  /** The program makes no more requests in this step. */
  void endStep() {
    Map<String, Signature> signatures = new LinkedHashMap<>();
    current.values().forEach(line -> signatures.put(line.name(), line.signature()));
    boolean equal = !repeats && !signatures.isEmpty() && signatures.equals(lastSignatures);
    stableSteps = equal ? stableSteps + 1 : 0;
    last = List.copyOf(current.values());
    lastSignatures = signatures;
    Tally tally = tally(step);
    tally.ended = true;
    if (tally.finished()) {
      unfinished.remove(step);
    }
    current.clear();
    repeats = false;
    level = 0;
    step++;
  }

  /** Steps since the last that was different from the one before it, or since a plan failed. */
  int stableSteps() {
    return stableSteps;
  }

  /**
   * Whether this rank is between two steps, as far as others can see: each step has all its results
   * or none. Results appear in the same order on all ranks, so ranks that are between steps are so
   * between the same.
   */
  boolean betweenSteps() {
    return unfinished.values().stream().allMatch(tally -> tally.completed == 0);
  }

  void forgetStability() {
    stableSteps = 0;
  }

  /** The last complete step. */
  List<Line> last() {
    return last;
  }

  boolean lastHas(List<Line> lines) {
    return lines.size() == lastSignatures.size()
        && lines.stream()
            .allMatch(line -> line.signature().equals(lastSignatures.get(line.name())));
  }

  /** The graph of a recorded step: each level waits for what was awaited on those before. */
  static RequestGraph graph(List<Line> lines) {
    RequestGraph.Builder graph = new RequestGraph.Builder();
    int levels = lines.stream().mapToInt(Line::level).max().orElse(0) + 1;
    List<Integer> begins = new ArrayList<>();
    for (int i = 0; i < levels; i++) {
      begins.add(graph.node());
      if (i > 0) {
        graph.edge(begins.get(i - 1), begins.get(i));
      }
    }
    for (Line line : lines) {
      int request = graph.request(line.name(), line.signature());
      graph.edge(begins.get(line.level()), request);
      if (line.awaited() && line.level() + 1 < levels) {
        graph.edge(request, begins.get(line.level() + 1));
      }
    }
    return graph.build();
  }
}
