package dev.tandem.tune.trace;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.tune.space.JsonValues;
import dev.tandem.tune.space.Parameters;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;

/**
 * A timeline in Chrome's trace format, for Perfetto: a process for each node, a line for each of
 * its processors; trials without processors of their own have lines of their own.
 */
public final class ChromeTrace {

  private static final double MICROSECONDS = 1e6;

  /** Lines of trials without processors come after all processors. */
  private static final int SHARED_LINES = 1_000_000;

  private final TaskTimeline timeline;
  private final LongFunction<Parameters> parameters;
  private final ArrayNode events = JsonNodeFactory.instance.arrayNode();
  private final Map<String, Integer> nodes = new LinkedHashMap<>();

  /** When the lines of trials without processors become free, for each node. */
  private final Map<String, List<Double>> shared = new LinkedHashMap<>();

  private final Map<List<Object>, String> lines = new LinkedHashMap<>();

  private ChromeTrace(TaskTimeline timeline, LongFunction<Parameters> parameters) {
    this.timeline = timeline;
    this.parameters = parameters;
  }

  /**
   * The trace as JSON.
   *
   * @param parameters of a trial, by its number
   */
  public static String json(TaskTimeline timeline, LongFunction<Parameters> parameters) {
    return new ChromeTrace(timeline, parameters).json();
  }

  private String json() {
    timeline.bars().forEach(this::bar);
    for (double at : timeline.drivers()) {
      ObjectNode mark = event("driver started", "i", 0, 0, at);
      mark.put("s", "g");
    }
    nodes.forEach((name, process) -> name("process_name", process, 0, name));
    lines.forEach(
        (place, name) ->
            name("thread_name", (Integer) place.getFirst(), (Integer) place.getLast(), name));
    ObjectNode trace = JsonNodeFactory.instance.objectNode();
    trace.put("displayTimeUnit", "ms");
    trace.set("traceEvents", events);
    return trace.toString();
  }

  private void bar(TaskTimeline.Bar bar) {
    int process = nodes.computeIfAbsent(bar.node(), name -> nodes.size() + 1);
    List<Integer> places = new ArrayList<>(bar.cores());
    bar.cores().forEach(core -> lines.put(List.of(process, core), "core " + core));
    if (places.isEmpty()) {
      int line = sharedLine(bar);
      places.add(SHARED_LINES + line);
      lines.put(List.of(process, SHARED_LINES + line), "trials " + (line + 1));
    }
    for (int place : places) {
      ObjectNode event = event("trial " + bar.trial(), "X", process, place, bar.from());
      event.put("dur", (bar.to() - bar.from()) * MICROSECONDS);
      event.put("cat", bar.state());
      ObjectNode more = event.putObject("args");
      more.put("attempt", bar.attempt()).put("state", bar.state());
      if (!bar.reason().isEmpty()) {
        more.put("reason", bar.reason());
      }
      more.set("parameters", JsonValues.tree(parameters.apply(bar.trial()).values()));
    }
    if (bar.state().equals(TaskTimeline.DRIVER_LOST) || bar.reason().startsWith("lost on")) {
      String what = "loss: trial %d, attempt %d".formatted(bar.trial(), bar.attempt());
      event(what, "i", process, places.getFirst(), bar.to()).put("s", "p");
    }
  }

  /** The first line that is free when an attempt starts. */
  private int sharedLine(TaskTimeline.Bar bar) {
    List<Double> free = shared.computeIfAbsent(bar.node(), node -> new ArrayList<>());
    for (int line = 0; line < free.size(); line++) {
      if (free.get(line) <= bar.from()) {
        free.set(line, bar.to());
        return line;
      }
    }
    free.add(bar.to());
    return free.size() - 1;
  }

  private ObjectNode event(String name, String phase, int process, int line, double seconds) {
    return events
        .addObject()
        .put("name", name)
        .put("ph", phase)
        .put("pid", process)
        .put("tid", line)
        .put("ts", seconds * MICROSECONDS);
  }

  private void name(String what, int process, int line, String name) {
    events
        .addObject()
        .put("name", what)
        .put("ph", "M")
        .put("pid", process)
        .put("tid", line)
        .putObject("args")
        .put("name", name);
  }
}
