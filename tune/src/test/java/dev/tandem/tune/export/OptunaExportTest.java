package dev.tandem.tune.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.tune.Study;
import dev.tandem.tune.StudySession;
import dev.tandem.tune.space.ChoiceDomain;
import dev.tandem.tune.space.Parameter;
import dev.tandem.tune.space.RealDomain;
import dev.tandem.tune.space.Space;
import dev.tandem.tune.space.WholeDomain;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OptunaExportTest {

  /** Debian's interpreter: another may come first on the path, without Debian's modules. */
  private static final String PYTHON = "/usr/bin/python3";

  private static final String READ =
      """
      import sys, warnings
      warnings.simplefilter("ignore")
      from optuna.storages import JournalStorage, JournalFileStorage
      import optuna
      study = optuna.load_study(
          study_name=sys.argv[2], storage=JournalStorage(JournalFileStorage(sys.argv[1])))
      states = [trial.state.name for trial in study.trials]
      print(len(states), states.count("COMPLETE"), states.count("FAIL"),
            repr(study.best_value), sorted(study.best_params))
      """;

  @Test
  void optunaReadsTheJournal(@TempDir Path folder) throws Exception {
    assumeTrue(
        Files.exists(Path.of(PYTHON)) && run("-c", "import optuna").exitCode == 0,
        "Optuna is not installed (Debian: apt-get install python3-optuna)");
    Space space =
        new Space(
            List.of(
                new Parameter("rate", new RealDomain(1e-4, 1, 0, true)),
                new Parameter("units", new WholeDomain(2, 20, 3, false)),
                new Parameter("kind", new ChoiceDomain(List.of("a", "b", 3L)))));
    Study study =
        Study.minimize(
                space,
                trial -> {
                  if (trial.number() == 4) {
                    throw new IllegalStateException("no");
                  }
                  trial.report(1, trial.parameters().real("rate") + 1);
                  return trial.parameters().real("rate");
                })
            .trials(12)
            .in(folder.resolve("study"));
    double best = study.run().best().orElseThrow().value();
    StudySession.Reading reading = StudySession.Reading.of(folder.resolve("study"));
    Path journal = folder.resolve("optuna.log");
    Files.writeString(journal, OptunaExport.journal(reading.settings(), reading.state()));
    Ran ran = run("-c", READ, journal.toString(), reading.settings().name());
    assertEquals(0, ran.exitCode, ran.output);
    String[] words = ran.output.strip().split(" ", 5);
    assertEquals(List.of("12", "11", "1"), List.of(words).subList(0, 3));
    assertEquals(best, Double.parseDouble(words[3]));
    assertEquals("['kind', 'rate', 'units']", words[4]);
    assertEquals(13, TrialTable.csv(reading.settings(), reading.state()).lines().count());
  }

  private record Ran(int exitCode, String output) {}

  private static Ran run(String... arguments) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(PYTHON);
    builder.command().addAll(List.of(arguments));
    Process process = builder.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ran(process.waitFor(), output);
  }
}
