package dev.tandem.tune.local;

import dev.tandem.posix.ControlGroup;
import dev.tandem.tune.task.Attempt;
import dev.tandem.tune.task.Call;
import dev.tandem.tune.task.Needs;
import dev.tandem.tune.task.Work;
import dev.tandem.tune.task.Work.CommandWork;
import dev.tandem.tune.task.Work.Protocol;
import dev.tandem.tune.task.Work.Protocol.Answers;
import dev.tandem.tune.task.Work.TrainWork;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What starts the process of an attempt: words, environment, folder.
 *
 * @param words with all placeholders filled in
 * @param directory in which it runs
 * @param run the folder of a training's run, which is the same for all attempts of a trial
 */
record ProgramStart(
    List<String> words,
    Map<String, String> environment,
    Protocol protocol,
    Call call,
    AttemptFolder folder,
    Path directory,
    Optional<Path> run) {

  private static final List<String> THREADS =
      List.of("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS");

  static ProgramStart of(CommandWork work, Attempt attempt, Needs needs, AttemptFolder folder) {
    Map<String, String> environment = new LinkedHashMap<>(work.environment());
    environment.putAll(variables(work.call(), attempt, needs, folder, work.protocol()));
    return new ProgramStart(
        CommandWords.of(work.command(), work.call(), attempt, folder.parameters()),
        environment,
        work.protocol(),
        work.call(),
        folder,
        folder.path(),
        Optional.empty());
  }

  static ProgramStart of(TrainWork work, Attempt attempt, Needs needs, AttemptFolder folder) {
    List<String> words = new ArrayList<>(work.program());
    words.addAll(List.of("train", work.configuration().toString()));
    Path run = TrainingRun.folder(work.call());
    words.addAll(List.of("--runs", run.getParent().toString()));
    words.addAll(List.of("--name", run.getFileName().toString()));
    if (TrainingRun.goesOn(run)) {
      words.add("--resume=or-begin");
    }
    words.addAll(List.of("-n", Integer.toString(needs.ranks())));
    work.call()
        .parameters()
        .values()
        .forEach((name, value) -> words.addAll(List.of("--set", name + "=" + value)));
    if (!work.share().isEmpty()) {
      String member = "trial-" + attempt.task().number();
      words.addAll(List.of("--set", "data.share.name=" + work.share()));
      words.addAll(List.of("--set", "data.share.member=" + member));
    }
    return new ProgramStart(
        words,
        variables(work.call(), attempt, needs, folder, Protocol.DEFAULT),
        Protocol.DEFAULT,
        work.call(),
        folder,
        work.directory(),
        Optional.of(run));
  }

  /** Whether it is a training, which saves when it is asked to end. */
  boolean training() {
    return run.isPresent();
  }

  /** The folder that its checkpoints are in. */
  Path checkpoints() {
    return run.map(TrainingRun::checkpoints).orElse(folder.checkpoints());
  }

  /** The checkpoint that a training goes on from. */
  Optional<ProtocolLine.Saved> newestCheckpoint(ProtocolLine.Reader reader) {
    return run.flatMap(TrainingRun::newestStep).flatMap(reader::ofTraining);
  }

  private static Map<String, String> variables(
      Call call, Attempt attempt, Needs needs, AttemptFolder folder, Protocol protocol) {
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("TANDEM_STUDY", attempt.task().study());
    variables.put("TANDEM_TRIAL", Long.toString(attempt.task().number()));
    variables.put("TANDEM_ATTEMPT", Integer.toString(attempt.number()));
    variables.put("TANDEM_PARAMS", folder.parameters().toString());
    variables.put("TANDEM_SEED", Long.toString(call.seed().value()));
    variables.put("TANDEM_CHECKPOINT", folder.checkpoints().toString());
    variables.put("TANDEM_RESUME_FROM", call.resumeFrom());
    variables.put("TANDEM_BUDGET", Long.toString(call.budget()));
    variables.put("TANDEM_CORES", Integer.toString(attempt.cores().size()));
    variables.put("TANDEM_TRIAL_RANKS", Integer.toString(needs.ranks()));
    variables.put("TANDEM_STOP_FILE", folder.stopFile().toString());
    variables.put("TANDEM_ANSWERS", protocol.answers() == Answers.STDIN ? "stdin" : "signal");
    if (!attempt.cores().isEmpty()) {
      int threads = Math.max(1, attempt.cores().size() / needs.ranks());
      THREADS.forEach(name -> variables.put(name, Integer.toString(threads)));
    }
    if (!attempt.gpus().isEmpty()) {
      variables.put(
          "CUDA_VISIBLE_DEVICES",
          attempt.gpus().stream().map(gpu -> gpu.toString()).collect(Collectors.joining(",")));
    }
    return variables;
  }

  /** The program's own name. */
  String program() {
    return words.isEmpty() ? "" : words.getFirst();
  }

  /** What starts it, under its supervisor and in its control group. */
  ProcessBuilder builder(Optional<ControlGroup> group) {
    List<String> inGroup = group.map(each -> each.wrap(words)).orElse(words);
    List<String> supervised =
        protocol.answers() == Work.Protocol.Answers.STDIN
            ? Supervisor.answered(folder.answers().toString(), inGroup)
            : Supervisor.silent(inGroup);
    ProcessBuilder builder = new ProcessBuilder(supervised).directory(directory.toFile());
    builder.environment().putAll(environment);
    return builder;
  }
}
