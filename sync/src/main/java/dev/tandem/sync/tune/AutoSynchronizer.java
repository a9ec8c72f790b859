package dev.tandem.sync.tune;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.reduce.ReduceOp;
import dev.tandem.core.DType;
import dev.tandem.core.TensorView;
import dev.tandem.sync.GradientSynchronizer;
import dev.tandem.sync.Synchronizer;
import dev.tandem.sync.compress.Volume;
import dev.tandem.sync.plan.RequestGraph;
import dev.tandem.sync.policy.SyncOptions;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * A synchroniser that tries policies, cycle times and fusion caps in the first steps of a training,
 * goes on with the fastest, and keeps it for the next run of the same tensors, ranks, hosts and
 * machine. What takes time is the whole step, from one {@link #await} to the next, on all ranks.
 *
 * <p>All ranks make as many steps, so all change at the same one: after {@link #await}, when
 * nothing is under way, they close one {@link Synchronizer} and start another. The sums have the
 * same bits under all of them.
 *
 * <p>Threads: {@link #submit} as of a synchroniser; one thread at a time ends steps.
 */
public final class AutoSynchronizer implements GradientSynchronizer, AutoCloseable {

  /** The name by which configurations ask for it. */
  public static final String CODE = "auto";

  private static final int WORDS = 256;

  private final Communicator control;
  private final Function<SyncOptions, Synchronizer> starter;
  private final Optional<TuningFile> file;
  private final Consumer<String> log;
  private final Search search;
  private Candidate candidate;
  private Synchronizer current;
  private Volume before = Volume.NONE;
  private boolean searching;
  private long lastStep;

  private AutoSynchronizer(
      Communicator control,
      Function<SyncOptions, Synchronizer> starter,
      Search search,
      Optional<TuningFile> file,
      Consumer<String> log) {
    this.control = control;
    this.starter = starter;
    this.search = search;
    this.file = file;
    this.log = log;
    Optional<Candidate> kept = kept();
    // One rank alone has nothing to synchronise.
    searching = kept.isEmpty() && control.size() > 1;
    candidate = kept.orElseGet(search::current);
    kept.ifPresent(known -> tell("synchronisation as tuned before: " + known));
    current = starter.apply(candidate.options());
  }

  /**
   * Starts; all ranks do this at the same time.
   *
   * @param graph of a step's tensors
   * @param folder where choices are kept; rank 0 reads and writes there
   * @param starter starts a synchroniser over all ranks
   * @param log takes lines for a person, on rank 0
   */
  public static AutoSynchronizer start(
      Communicator communicator,
      RequestGraph graph,
      Path folder,
      Function<SyncOptions, Synchronizer> starter,
      Consumer<String> log) {
    return start(communicator, graph, folder, starter, log, Search.Effort.DEFAULT);
  }

  static AutoSynchronizer start(
      Communicator communicator,
      RequestGraph graph,
      Path folder,
      Function<SyncOptions, Synchronizer> starter,
      Consumer<String> log,
      Search.Effort effort) {
    int[] everyone = IntStream.range(0, communicator.size()).toArray();
    Communicator control = communicator.group(everyone);
    TuningFile file = new TuningFile(folder, TuningKey.of(communicator, graph), log);
    long bytes = graph.tensors().stream().mapToLong(tensor -> tensor.signature().bytes()).sum();
    return new AutoSynchronizer(
        control,
        starter,
        new Search(effort, bytes),
        communicator.rank() == 0 ? Optional.of(file) : Optional.empty(),
        log);
  }

  /** The folder of the user's own choices. */
  public static Path userFolder() {
    String cache = System.getenv("XDG_CACHE_HOME");
    Path base =
        cache == null || cache.isEmpty()
            ? Path.of(System.getProperty("user.home"), ".cache")
            : Path.of(cache);
    return base.resolve("tandem").resolve("synchronisation");
  }

  /** What rank 0 finds, on all ranks. */
  private Optional<Candidate> kept() {
    byte[] words = new byte[WORDS];
    file.flatMap(TuningFile::read)
        .map(known -> known.words().getBytes(StandardCharsets.US_ASCII))
        .ifPresent(found -> System.arraycopy(found, 0, words, 0, found.length));
    control.broadcast(MemorySegment.ofArray(words), 0);
    String text = new String(words, StandardCharsets.US_ASCII).replace("\0", "");
    return text.isEmpty() ? Optional.empty() : Optional.of(Candidate.parse(text));
  }

  /** What is used now. */
  public SyncOptions options() {
    return current.options();
  }

  /** Whether it still tries. */
  public boolean searching() {
    return searching;
  }

  @Override
  public void submit(TensorView gradient, float weight) {
    current.submit(gradient, weight);
  }

  @Override
  public void sum(TensorView tensor) {
    current.sum(tensor);
  }

  /** What the current synchroniser has; a change carries it over. */
  @Override
  public List<TensorView> residuals() {
    return current.residuals();
  }

  /** What the step before a change has left cannot be taken back any more. */
  @Override
  public void undo() {
    current.undo();
  }

  @Override
  public Volume volume() {
    Volume now = current.volume();
    return new Volume(
        before.tensorBytes() + now.tensorBytes(), before.payloadBytes() + now.payloadBytes());
  }

  @Override
  public void await() {
    current.await();
    if (searching) {
      long now = System.nanoTime();
      // Before the first step there is nothing to measure from; it is warming up anyway.
      search.step(lastStep == 0 ? 0 : (now - lastStep) / 1e6);
      if (search.stageEnded()) {
        search.choose(agreed(search.medians()));
      }
      change();
      lastStep = System.nanoTime();
    }
  }

  /** Means of all ranks. */
  private double[] agreed(double[] medians) {
    double[] means = Arrays.copyOf(medians, medians.length);
    control.allreduce(MemorySegment.ofArray(means), DType.FLOAT64, ReduceOp.AVERAGE);
    return means;
  }

  private void change() {
    Candidate next = search.current();
    if (!next.equals(candidate)) {
      before = volume();
      List<TensorView> leftBehind = current.residuals();
      current.close();
      current = starter.apply(next.options());
      candidate = next;
      carryOver(leftBehind);
    }
    if (search.done()) {
      searching = false;
      file.ifPresent(keeping -> keeping.write(candidate, search.chosenMillis()));
      tell(
          String.format(
              Locale.ROOT,
              "synchronisation tuned in %d steps: %s; a step takes %.2f ms",
              search.steps(),
              candidate,
              search.chosenMillis()));
    }
  }

  private void carryOver(List<TensorView> leftBehind) {
    Map<String, TensorView> places = new HashMap<>();
    current.residuals().forEach(place -> places.put(place.name(), place));
    for (TensorView residual : leftBehind) {
      TensorView place = places.get(residual.name());
      if (place != null && place.byteSize() == residual.byteSize()) {
        place.data().copyFrom(residual.data());
      }
    }
  }

  private void tell(String line) {
    if (control.rank() == 0) {
      log.accept(line);
    }
  }

  @Override
  public void close() {
    if (searching && search.steps() > 0) {
      tell(
          "the training ended after %d steps, before synchronisation was tuned; nothing is kept"
              .formatted(search.steps()));
    }
    current.close();
    control.close();
  }
}
