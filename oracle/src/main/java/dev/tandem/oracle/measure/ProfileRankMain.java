package dev.tandem.oracle.measure;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.collective.Determinism;
import dev.tandem.comm.reduce.Reduction;
import dev.tandem.nn.Device;
import dev.tandem.nn.Engine;
import dev.tandem.nn.EngineOptions;
import dev.tandem.oracle.profile.Profile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One rank of a profile: does what the request in its folder says and leaves there what it has
 * measured. Rank 0 prints lines that say how far it is.
 */
public final class ProfileRankMain {

  /** How such lines begin; tasks done, tasks in all and what comes follow. */
  static final String PROGRESS = "progress ";

  /** Everything is measured so often, the seconds of the request being divided among the rounds. */
  private static final int ROUNDS = 2;

  private final Communicator all;
  private final ProfileRequest request;
  private final boolean shared;

  private ProfileRankMain(Communicator all, ProfileRequest request) {
    this.all = all;
    this.request = request;
    int busy = all.topology().localSize(all.rank()) * request.threads();
    shared = busy > Runtime.getRuntime().availableProcessors();
  }

  /**
   * Measures.
   *
   * @param arguments the folder
   */
  public static void main(String[] arguments) {
    Reduction.prepare();
    Path folder = Path.of(arguments[0]);
    try (Communicator communicator = Communicator.join()) {
      // As training does by itself.
      Communicator all = communicator.at(Determinism.RUN);
      new ProfileRankMain(all, ProfileRequest.in(folder)).run().write(folder, all.rank());
    }
  }

  private void tell(int done, int tasks, String what) {
    if (all.rank() == 0) {
      System.out.println(PROGRESS + done + " " + tasks + " " + what);
    }
  }

  private RankProfile run() {
    List<LayerItem> items = LayerItem.of(request, all.size());
    try (CollectiveRuns runs =
        new CollectiveRuns(all, shared, request.seconds() / 5 / ROUNDS, request.longest())) {
      // A collective's share of all work is about a tenth of that of a network's part.
      int tasks = ROUNDS * (items.size() * 10 + runs.tasks());
      tell(0, tasks, "collectives");
      return items.isEmpty() ? withoutLayers(runs, tasks) : withLayers(items, runs, tasks);
    }
  }

  private RankProfile withoutLayers(CollectiveRuns runs, int tasks) {
    for (int round = 0; round < ROUNDS; round++) {
      int begun = round * runs.tasks();
      runs.round(done -> tell(begun + done, tasks, "collectives"));
    }
    Line copy = copies();
    return new RankProfile(
        List.of(),
        List.of(),
        copy.constant(),
        copy.slope(),
        new Profile.PerPass(0, 0),
        1,
        null,
        runs.rows());
  }

  private RankProfile withLayers(List<LayerItem> items, CollectiveRuns runs, int tasks) {
    Engine engine =
        Engine.start(
            EngineOptions.of(new Device(request.device()), request.threads())
                .withLocalRank(all.topology().localRank(all.rank()))
                .withGraph(false));
    LayerRuns layers = new LayerRuns(all, engine, items, shared, request.seconds() / ROUNDS);
    tell(0, tasks, "compiling");
    layers.warmUp();
    for (int round = 0; round < ROUNDS; round++) {
      int begun = round * tasks / ROUNDS;
      runs.round(done -> tell(begun + done, tasks, "collectives"));
      int before = begun + runs.tasks();
      layers.round((item, done) -> tell(before + 10 * done, tasks, item.toString()));
    }
    LayerFigures figures = layers.figures();
    tell(tasks - 1, tasks, "updates");
    List<Profile.Update> updates = new UpdateRuns(all, engine, shared).run();
    List<Line.Point> copied =
        figures.copies().stream()
            .filter(each -> each.bytes() > 0)
            .map(each -> new Line.Point(each.bytes(), each.seconds()))
            .toList();
    Line copy = copied.isEmpty() ? copies() : Line.of(copied);
    Line besides =
        Line.of(
            figures.besides().stream()
                .map(each -> new Line.Point(each.layers(), each.seconds()))
                .toList());
    tell(tasks, tasks, "done");
    return new RankProfile(
        figures.layers(),
        updates,
        copy.constant(),
        copy.slope(),
        new Profile.PerPass(
            besides.constant(), besides.slope(), layers.waiting(), layers.waitingAtExchanges()),
        layers.gamma(),
        onDevice(engine),
        runs.rows());
  }

  private static RankProfile.OnDevice onDevice(Engine engine) {
    return engine
        .deviceMemory()
        .map(memory -> new RankProfile.OnDevice(engine.description(), memory.total()))
        .orElse(null);
  }

  /** Of memory to memory, for a profile without layers. */
  private Line copies() {
    int lengths = 8;
    List<Line.Point> points = new ArrayList<>();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = arena.allocate(1L << 24, 64);
      MemorySegment to = arena.allocate(1L << 24, 64);
      for (int i = 0; i < lengths; i++) {
        long bytes = 1L << (10 + 2 * i);
        all.barrier();
        double[] runs =
            IntStream.range(0, 50)
                .mapToDouble(
                    _ -> {
                      long began = System.nanoTime();
                      MemorySegment.copy(from, 0, to, 0, bytes);
                      return (System.nanoTime() - began) / 1e9;
                    })
                .toArray();
        points.add(new Line.Point(bytes, Runs.of(runs, shared).seconds()));
      }
    }
    return Line.of(points);
  }
}
