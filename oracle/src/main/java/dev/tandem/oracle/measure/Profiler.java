package dev.tandem.oracle.measure;

import dev.tandem.comm.TransportKind;
import dev.tandem.comm.launch.LaunchPlan;
import dev.tandem.comm.launch.LaunchResult;
import dev.tandem.comm.launch.ProcessLauncher;
import dev.tandem.core.ExitCode;
import dev.tandem.core.Progress;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.oracle.profile.Profile;
import dev.tandem.posix.FileErrors;
import dev.tandem.posix.FileTrees;
import dev.tandem.posix.MachineMemory;
import dev.tandem.train.run.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/** Makes a profile of this machine by processes that measure together. For one thread. */
public final class Profiler {

  private static final String ERROR = "error: ";

  /** Steps of a run until its programs are compiled, for each second of a turn. */
  private static final double START_UP_STEPS = 3000;

  private final ProfileRequest request;
  private final int ranks;
  private final Progress progress;

  /**
   * A profile that is not made yet.
   *
   * @param ranks processes that are busy at once
   */
  public Profiler(ProfileRequest request, int ranks, Progress progress) {
    if (ranks < 2) {
      throw new UsageException("a profile needs at least 2 ranks, not " + ranks);
    }
    this.request = request;
    this.ranks = ranks;
    this.progress = progress;
  }

  /** Measures; takes a minute or two. */
  public Profile run() {
    Path folder = folder();
    try {
      request.save(folder);
      List<Profile.StartUp> startUp = List.of();
      if (!request.networks().isEmpty()) {
        try (Progress.Task task = progress.start("start of a run", 1, "runs")) {
          startUp = startUp(folder);
          task.advanceTo(1);
        }
      }
      measure(folder);
      List<RankProfile> all = new ArrayList<>();
      for (int rank = 0; rank < ranks; rank++) {
        all.add(RankProfile.read(folder, rank));
      }
      return joined(all, startUp);
    } finally {
      FileTrees.delete(folder);
    }
  }

  private static Path folder() {
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    try {
      return Files.createTempDirectory(temporary, "tandem-profile");
    } catch (IOException e) {
      throw FileErrors.failure("make a folder in", temporary, e);
    }
  }

  /** In processes of its own, which are as new as those of a run. */
  private List<Profile.StartUp> startUp(Path folder) {
    Path result = folder.resolve("start-up.json");
    int steps = (int) (request.seconds() * START_UP_STEPS);
    launch(
        LaunchPlan.of(
                ranks,
                StartUpRankMain.class.getName(),
                List.of(
                    Integer.toString(ranks),
                    Integer.toString(Math.max(8, steps)),
                    folder.resolve("run").toString(),
                    result.toString()))
            .compilingLater(),
        _ -> {});
    return List.of(ProfileRequest.read(result, Profile.StartUp[].class));
  }

  private void measure(Path folder) {
    LaunchPlan plan =
        LaunchPlan.of(ranks, ProfileRankMain.class.getName(), List.of(folder.toString()));
    List<String> flags = new ArrayList<>(plan.jvmFlags());
    // What is measured are layers, not the programs that call them, which shall be compiled soon.
    flags.add("-XX:CompileThresholdScaling=0.2");
    try (Lines lines = new Lines()) {
      launch(plan.withJvmFlags(flags), lines::take);
    }
  }

  private static void launch(LaunchPlan plan, Consumer<String> output) {
    Queue<String> errors = new ConcurrentLinkedQueue<>();
    LaunchResult result =
        new ProcessLauncher(
                plan.withEnvironment(
                    Map.of(TransportKind.VARIABLE, TransportKind.SHARED_MEMORY.code())),
                (_, source, text) -> {
                  switch (source) {
                    case OUT -> output.accept(text);
                    case ERROR -> errors.add(text);
                  }
                },
                errors::add)
            .run();
    if (result.exitCode() != 0) {
      String why =
          errors.stream()
              .filter(line -> line.startsWith(ERROR))
              .map(line -> line.substring(ERROR.length()))
              .findFirst()
              .orElse("measuring failed: " + result.summary() + ": " + String.join("; ", errors));
      throw result.exitCode() == ExitCode.USAGE.code()
          ? new UsageException(why)
          : new WorkFailedException(why);
    }
  }

  /** What rank 0 says of its progress. */
  private final class Lines implements AutoCloseable {

    private Progress.Task task;

    synchronized void take(String line) {
      if (line.startsWith(ProfileRankMain.PROGRESS)) {
        String[] words = line.substring(ProfileRankMain.PROGRESS.length()).split(" ", 3);
        if (task == null) {
          task = progress.start("profile", Long.parseLong(words[1]), "tasks");
        }
        task.advanceTo(Long.parseLong(words[0]), words[2]);
      }
    }

    @Override
    public synchronized void close() {
      if (task != null) {
        task.close();
      }
    }
  }

  private Profile joined(List<RankProfile> all, List<Profile.StartUp> startUp) {
    List<Profile.Update> updates = new ArrayList<>();
    for (int i = 0; i < all.getFirst().updates().size(); i++) {
      int place = i;
      updates.add(
          new Profile.Update(
              all.getFirst().updates().get(i).stateValues(),
              Mean.of(all, rank -> rank.updates().get(place).secondsPerByte()),
              Mean.of(all, rank -> rank.updates().get(place).secondsPerTensor())));
    }
    RankProfile.OnDevice gpu = all.getFirst().device();
    return new Profile(
        Profile.VERSION,
        gpu == null ? Hosts.processor() : gpu.name(),
        Runtime.getRuntime().availableProcessors(),
        ranks,
        request.threads(),
        (gpu == null ? MachineMemory.bytes() : gpu.bytes()) / ranks,
        "float32",
        LocalDate.now(ZoneOffset.UTC).toString(),
        Mean.ofRanks(all.stream().map(RankProfile::layers).toList()),
        updates,
        Mean.of(all, RankProfile::copySeconds),
        Mean.of(all, RankProfile::copySecondsPerByte),
        new Profile.PerPass(
            Mean.of(all, rank -> rank.perPass().seconds()),
            Mean.of(all, rank -> rank.perPass().perLayer()),
            all.getFirst().perPass().waiting(),
            all.getFirst().perPass().waitingAtExchanges()),
        Mean.of(all, RankProfile::gamma),
        startUp,
        all.getFirst().collectives());
  }
}
