package dev.tandem.tune.local;

import dev.tandem.core.ExitCode;
import dev.tandem.core.TandemException;
import dev.tandem.posix.Affinity;
import dev.tandem.posix.ControlGroup;
import dev.tandem.tune.prune.Decision;
import dev.tandem.tune.task.Attempt;
import dev.tandem.tune.task.Ending;
import dev.tandem.tune.task.Limits;
import dev.tandem.tune.task.Outcome;
import dev.tandem.tune.task.TaskListener;
import dev.tandem.tune.task.Work.Protocol.Answers;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One attempt as a process: from its start to its end. */
final class ProcessAttempt implements Running {

  /** How long output may be read after everything that writes it was ended. */
  private static final long DRAINING_MILLISECONDS = 5_000;

  /** What the waiting thread is woken by. */
  private enum Event {
    EXIT,
    STOP,
    CANCEL
  }

  private final ProgramStart start;
  private final Limits limits;
  private final TaskListener listener;
  private final Optional<ControlGroup> group;
  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private final ProtocolLine.Reader reader;
  private final long began = System.nanoTime();

  private Attempt attempt;
  private Process process;
  private volatile Optional<Outcome> end = Optional.empty();
  private volatile Optional<Double> value = Optional.empty();
  private boolean last;
  private boolean broken;
  private long reports;
  private OptionalLong pauseAt = OptionalLong.empty();
  private volatile long saved = Long.MIN_VALUE;

  ProcessAttempt(
      ProgramStart start,
      Attempt attempt,
      Limits limits,
      TaskListener listener,
      Optional<ControlGroup> group) {
    this.start = start;
    this.attempt = attempt;
    this.limits = limits;
    this.listener = listener;
    this.group = group;
    this.reader = new ProtocolLine.Reader(start.protocol(), start.call().metric());
  }

  /** Runs it to its end, whatever that is. */
  Ending run() throws InterruptedException {
    try {
      process = launch();
    } catch (IOException e) {
      return ending(
          new Outcome.Failed("cannot start '%s': %s".formatted(start.program(), e.getMessage())));
    }
    long number = process.pid();
    attempt =
        new Attempt(
            attempt.task(),
            attempt.number(),
            attempt.node(),
            attempt.cores(),
            attempt.gpus(),
            number,
            ProcessIdentity.start(number));
    // A thread of its own: what onExit runs waits while the common pool is busy.
    Thread _ = Thread.ofVirtual().name("exit-" + number).start(this::awaitExit);
    try {
      listener.started(attempt);
      Output output =
          new Output(
              process.getInputStream(),
              start.folder().output(),
              limits.outputBytes(),
              this::outputLine);
      Output errors =
          new Output(
              process.getErrorStream(), start.folder().errors(), limits.outputBytes(), line -> {});
      boolean inTime = await();
      process.waitFor();
      endRemains();
      boolean drained = output.join(DRAINING_MILLISECONDS) && errors.join(DRAINING_MILLISECONDS);
      return ending(outcome(inTime, drained, output, errors));
    } finally {
      kill();
    }
  }

  private void awaitExit() {
    try {
      var _ = process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    events.add(Event.EXIT);
  }

  @Override
  public void cancel() {
    events.add(Event.CANCEL);
  }

  /** The child takes over the processors of the thread that starts it. */
  private Process launch() throws IOException {
    ProcessBuilder builder = start.builder(group);
    Optional<Affinity> affinity =
        attempt.cores().isEmpty() ? Optional.empty() : Affinity.capability().value();
    if (affinity.isEmpty()) {
      return builder.start();
    }
    BitSet before = affinity.get().current();
    BitSet own = new BitSet();
    attempt.cores().forEach(own::set);
    affinity.get().pin(own);
    try {
      return builder.start();
    } finally {
      affinity.get().pin(before);
    }
  }

  /** Waits for the end and brings it about when it is due; false if it took too long. */
  private boolean await() throws InterruptedException {
    long limit = limits.time().isZero() ? Long.MAX_VALUE : limits.time().toNanos();
    Event event = events.poll(limit, TimeUnit.NANOSECONDS);
    if (event == Event.EXIT) {
      return true;
    }
    boolean cancelled = event == Event.CANCEL;
    if (cancelled) {
      end = Optional.of(new Outcome.Cancelled());
    }
    // Not Process.destroy(), which closes the pipes too: the supervisor would kill at once.
    boolean _ = process.toHandle().destroy();
    long deadline = System.nanoTime() + limits.grace().toNanos();
    Event next = event;
    while (next != Event.EXIT) {
      next = events.poll(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
      if (next == null) {
        kill();
        next = Event.EXIT;
      }
      cancelled |= next == Event.CANCEL;
    }
    if (cancelled) {
      end = Optional.of(new Outcome.Cancelled());
    }
    return event != null;
  }

  /** Ends all there is of it, by force: the end of its supervisor's input ends its group. */
  private void kill() {
    group.ifPresent(ControlGroup::kill);
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      // It has ended already.
    }
    if (group.isPresent()) {
      process.destroyForcibly();
    }
  }

  /** What the program left running outside its group. */
  private void endRemains() {
    group.ifPresent(ControlGroup::kill);
  }

  private void outputLine(String line) {
    ProtocolLine said = reader.read(line);
    if (end.isPresent()) {
      if (start.training()) {
        untilItEnds(said);
      }
      return;
    }
    switch (said) {
      case ProtocolLine.Metrics metrics -> metrics(metrics);
      case ProtocolLine.Saved one -> {
        saved(one);
        if (pauseAt.isPresent() && saved >= pauseAt.getAsLong()) {
          end(new Outcome.Paused(pauseAt.getAsLong()));
        }
      }
      case ProtocolLine.Broken any -> {
        if (!broken) {
          broken = true;
          listener.note(attempt, "a line begins with { and is no JSON: " + shortened(line));
        }
      }
      case ProtocolLine.Text any -> {}
    }
  }

  /**
   * A training that was asked to end may come to the end of an epoch first, and saves: what it says
   * of a step that it does not repeat when it goes on must not be lost.
   */
  private void untilItEnds(ProtocolLine said) {
    if (said instanceof ProtocolLine.Saved saved) {
      saved(saved);
    } else if (said instanceof ProtocolLine.Metrics metrics
        && end.get() instanceof Outcome.Paused
        && metrics.step().isPresent()
        && metrics.values().containsKey(start.call().metric())) {
      Decision _ = listener.report(attempt, metrics.step().getAsLong(), metrics.values());
    }
  }

  private void saved(ProtocolLine.Saved checkpoint) {
    listener.checkpoint(
        attempt, checkpoint.step(), start.checkpoints().resolve(checkpoint.path()).toString());
    saved = Math.max(saved, checkpoint.step());
  }

  private void metrics(ProtocolLine.Metrics metrics) {
    Double wanted = metrics.values().get(start.call().metric());
    if (wanted == null || last) {
      return;
    }
    value = Optional.of(wanted);
    last = metrics.last();
    reports++;
    if (last && metrics.step().isEmpty()) {
      return;
    }
    Map<String, Double> values = metrics.values();
    Decision decision = listener.report(attempt, metrics.step().orElse(reports), values);
    switch (decision) {
      case Decision.Stop(String reason) -> end(new Outcome.Stopped(reason));
      case Decision.Pause(long step) -> {
        if (last) {
          answer("go on"); // It has ended by itself.
        } else if (saved >= step || start.training()) {
          end(new Outcome.Paused(step));
        } else {
          pauseAt = OptionalLong.of(step);
          answer("save");
        }
      }
      case Decision.GoOn any -> answer("go on");
    }
  }

  /** Asks the program to end. */
  private void end(Outcome why) {
    end = Optional.of(why);
    answer("stop");
    start.folder().askToStop(why.explanation());
    events.add(Event.STOP);
  }

  private void answer(String decision) {
    if (start.protocol().answers() != Answers.STDIN) {
      return;
    }
    try {
      OutputStream to = process.getOutputStream();
      to.write("{\"decision\":\"%s\"}%n".formatted(decision).getBytes(StandardCharsets.UTF_8));
      to.flush();
    } catch (IOException e) {
      // It has ended, or does not want to know.
    }
  }

  private Outcome outcome(boolean inTime, boolean drained, Output output, Output errors) {
    if (end.isPresent()) {
      return end.get() instanceof Outcome.Paused(long step) && !hasSaved(step)
          ? new Outcome.Failed("ended without a checkpoint of step %d".formatted(step))
          : end.get();
    }
    if (!inTime) {
      return new Outcome.TimedOut(limits.time().toMillis() / 1e3);
    }
    if (output.failure().isPresent()) {
      Exception failure = output.failure().get();
      return new Outcome.Failed(
          failure instanceof TandemException ? failure.getMessage() : failure.toString());
    }
    int code = process.exitValue();
    if (group.isPresent() && group.get().memoryKills() > 0) {
      return new Outcome.Failed("memory limit", true);
    }
    if (code != 0) {
      return new Outcome.Failed(
          (code > 128 ? "ended by signal " + (code - 128) : "exit code " + code)
              + said(": ", errors.lastLines()),
          start.training() && code == ExitCode.USAGE.code());
    }
    if (value.isEmpty() && !start.call().metric().isEmpty()) {
      return new Outcome.Failed(
          "printed no metric '%s'%s%s"
              .formatted(
                  start.call().metric(),
                  said("; last lines: ", output.lastLines()),
                  drained ? "" : "; its output is still open"));
    }
    return new Outcome.Completed(value.orElse(Double.NaN));
  }

  /** Whether there is a checkpoint to continue from; what a training saved last it may not say. */
  private boolean hasSaved(long step) {
    if (saved < step) {
      start.newestCheckpoint(reader).ifPresent(this::saved);
    }
    return saved >= step;
  }

  private static String said(String before, List<String> lines) {
    List<String> words = lines.stream().map(String::strip).filter(line -> !line.isEmpty()).toList();
    return words.isEmpty() ? "" : before + String.join(" | ", words);
  }

  private static String shortened(String line) {
    return line.length() <= 80 ? line : line.substring(0, 80) + "...";
  }

  private Ending ending(Outcome outcome) {
    double used =
        group
            .flatMap(ControlGroup::processorTime)
            .map(time -> time.toNanos() / 1e9)
            .orElse(Double.NaN);
    return new Ending(outcome, false, (System.nanoTime() - began) / 1e9, used);
  }
}
