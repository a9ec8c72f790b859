package dev.tandem.ensemble.drive;

import dev.tandem.comm.launch.Restarts;
import dev.tandem.core.Progress;
import dev.tandem.core.UsageException;
import dev.tandem.data.share.ShareStatus;
import dev.tandem.data.share.SharedSamples;
import dev.tandem.ensemble.EnsembleConfig;
import dev.tandem.ensemble.EnsembleRecord;
import dev.tandem.ensemble.Pipeline;
import dev.tandem.train.RankMain;
import dev.tandem.train.config.TrainingConfig;
import dev.tandem.train.run.RunFolder;
import dev.tandem.train.run.RunLock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The training of an ensemble, from its first process to its last. For one thread; threads of its
 * own run the members.
 */
public final class EnsembleRun implements AutoCloseable {

  private static final long LOOK_NANOS = 200_000_000;

  /** After their grace, members are killed; then their end is written down. */
  private static final long PATIENCE_SECONDS = RankMain.GRACE.toSeconds() + 15;

  private final EnsembleConfig config;
  private final Path folder;
  private final List<MemberRun> members;
  private final List<String> command;
  private final boolean resume;
  private final Consumer<String> notes;
  private final RunLock lock;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread hook = new Thread(this::stopped, "tandem-ensemble-ends");
  private EnsembleRecord record;

  private EnsembleRun(
      EnsembleConfig config,
      Path folder,
      EnsembleRecord record,
      List<MemberRun> members,
      List<String> command,
      boolean resume,
      Consumer<String> notes,
      RunLock lock) {
    this.config = config;
    this.folder = folder;
    this.record = record;
    this.members = members;
    this.command = command;
    this.resume = resume;
    this.notes = notes;
    this.lock = lock;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * An ensemble that is not there yet.
   *
   * @param command the words that begin it
   * @param notes takes lines about what happens
   */
  public static EnsembleRun begin(
      EnsembleConfig config,
      Path runs,
      String name,
      boolean numbered,
      List<String> command,
      Consumer<String> notes) {
    // All members are understood before anything is made.
    MemberChecks.check(config, shareName(Path.of(name)));
    RunFolder folder =
        numbered ? RunFolder.numbered(runs, name) : RunFolder.fresh(RunFolder.named(runs, name));
    List<EnsembleRecord.Member> members = new ArrayList<>();
    for (EnsembleConfig.Member member : config.members()) {
      RunFolder run =
          RunFolder.numbered(
              folder.path().getParent(), folder.path().getFileName() + "-" + member.name());
      members.add(
          new EnsembleRecord.Member(
              member.name(), run.path().getFileName().toString(), "queued", null, null));
    }
    config.save(folder.path(), members);
    EnsembleRecord record = EnsembleRecord.of(config.settings().pipeline(), "running", members);
    return opened(config, folder.path(), record, command, false, notes);
  }

  /** Continues an ensemble; members that are done stay as they are. */
  public static EnsembleRun resume(
      EnsembleConfig config, Path folder, List<String> command, Consumer<String> notes) {
    EnsembleRecord before = EnsembleRecord.read(folder);
    List<String> names = config.members().stream().map(EnsembleConfig.Member::name).toList();
    List<String> known = before.members().stream().map(EnsembleRecord.Member::name).toList();
    if (!names.equals(known)) {
      throw new UsageException(
          "%s has the members %s, but the configuration has %s"
              .formatted(RunFolder.shown(folder), known, names));
    }
    MemberChecks.check(config, shareName(folder));
    EnsembleRecord record =
        EnsembleRecord.of(config.settings().pipeline(), "running", before.members());
    return opened(config, folder.toAbsolutePath().normalize(), record, command, true, notes);
  }

  private static EnsembleRun opened(
      EnsembleConfig config,
      Path folder,
      EnsembleRecord record,
      List<String> command,
      boolean resume,
      Consumer<String> notes) {
    RunLock lock = RunLock.take(folder);
    try {
      List<MemberRun> members = new ArrayList<>();
      int consumers = consumers(config, record);
      for (int i = 0; i < record.members().size(); i++) {
        EnsembleRecord.Member member = record.members().get(i);
        EnsembleConfig.Member given = config.members().get(i);
        RunFolder run = RunFolder.existing(member.folder(folder));
        TrainingConfig training = config.training(given, shareName(folder), consumers);
        training.save(run.path());
        members.add(new MemberRun(member, run, training, given.ranks(), notes));
      }
      record.write(folder);
      return new EnsembleRun(config, folder, record, members, command, resume, notes, lock);
    } catch (RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  /** The ranks that take samples as soon as it begins. */
  private static int consumers(EnsembleConfig config, EnsembleRecord record) {
    int left = config.atOnce();
    int ranks = 0;
    for (int i = 0; i < config.members().size() && left > 0; i++) {
      if (!record.members().get(i).done()) {
        ranks += config.members().get(i).ranks();
        left--;
      }
    }
    return Math.max(1, ranks);
  }

  /** The share of an ensemble: of this folder, whatever else is trained. */
  private static String shareName(Path folder) {
    String path = folder.toAbsolutePath().normalize().toString();
    return "ensemble-%08x".formatted(path.hashCode());
  }

  /** The ensemble's folder. */
  public Path folder() {
    return folder;
  }

  /** Runs of members, in order. */
  public List<Path> runs() {
    return members.stream().map(member -> member.folder().path()).toList();
  }

  /** Trains all members to their ends. */
  public EnsembleOutcome run(Progress progress) {
    Optional<EnergyMeter> energy = EnergyMeter.open(EnergyMeter.POWER_CAP);
    double idleWatts = energy.map(EnergyMeter::idleWatts).orElse(0.0);
    long began = System.nanoTime();
    double cpuBefore = ProcessorTime.ofTree();
    Restarts restarts = new Restarts(config.settings().maxRestarts());
    int most = config.atOnce();
    RunningMembers running = new RunningMembers(members, most, command, restarts, resume, notes);
    Optional<ShareStatus> status;
    try (Preprocessors _ = preprocessors(restarts);
        ShareMonitor monitor = monitor();
        Progress.Task task = progress.start("training", 0, "images")) {
      running.startThoseThatFit();
      while (!running.none()) {
        LockSupport.parkNanos(LOOK_NANOS);
        running.replaceEnded();
        monitor.look();
        energy.ifPresent(EnergyMeter::look);
        show(task);
        write("running");
      }
      status = monitor.status();
    }
    write(ended());
    List<String> errors =
        members.stream()
            .filter(member -> !member.error().isEmpty())
            .map(member -> member.name() + ": " + member.error())
            .toList();
    double seconds = (System.nanoTime() - began) / 1e9;
    energy.ifPresent(EnergyMeter::look);
    return new EnsembleOutcome(
        record,
        errors,
        members.stream().mapToInt(MemberRun::restarted).sum(),
        seconds,
        ProcessorTime.ofTree() - cpuBefore,
        energy
            .flatMap(EnergyMeter::joules)
            .map(used -> new EnsembleOutcome.Energy(used, used - idleWatts * seconds)),
        status);
  }

  /** The state of the whole, from those of its members. */
  private String ended() {
    if (members.stream().allMatch(member -> member.is("done"))) {
      return "done";
    }
    return members.stream().anyMatch(member -> member.is("stopped")) ? "stopped" : "failed";
  }

  private Preprocessors preprocessors(Restarts restarts) {
    Path prepared = members.getFirst().folder().path(); // its configuration says what
    return Preprocessors.start(config.settings().kind(), prepared, restarts, notes);
  }

  private ShareMonitor monitor() {
    Optional<Path> place =
        config.settings().kind() instanceof Pipeline.Duplicated
            ? Optional.empty()
            : Optional.of(SharedSamples.place(shareName(folder)));
    boolean adaptive = config.settings().kind() instanceof Pipeline.Adaptive;
    return new ShareMonitor(place, folder, adaptive, notes);
  }

  private void show(Progress.Task task) {
    long done = 0;
    List<String> words = new ArrayList<>();
    for (MemberRun member : members) {
      done += member.samples();
      String own = member.progress();
      if (!own.isEmpty()) {
        words.add(own);
      }
    }
    if (done > 0) {
      task.advanceTo(done, String.join("  ", words));
    }
  }

  /** Only what has changed is written. */
  private void write(String state) {
    List<EnsembleRecord.Member> now = new ArrayList<>();
    for (int i = 0; i < members.size(); i++) {
      now.add(members.get(i).record(record.members().get(i)));
    }
    EnsembleRecord changed = EnsembleRecord.of(config.settings().pipeline(), state, now);
    if (!changed.equals(record)) {
      record = changed;
      record.write(folder);
    }
  }

  /** What members do at their end takes a moment. */
  private void stopped() {
    try {
      var _ = closed.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    lock.close();
    closed.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The virtual machine ends.
    }
  }
}
