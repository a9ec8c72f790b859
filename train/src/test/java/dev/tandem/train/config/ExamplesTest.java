package dev.tandem.train.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every example opens, also with what its comments name, and is the same when saved and loaded. */
class ExamplesTest {

  @TempDir Path run;

  static List<Path> examples() throws Exception {
    try (Stream<Path> files = Files.list(Path.of("..", "examples"))) {
      // Those of tandem ensemble and tandem tune have tests of their own.
      return files
          .filter(file -> file.toString().endsWith(".yaml"))
          .filter(file -> !file.getFileName().toString().matches("(ensemble|tune).*"))
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void opens(Path example) throws Exception {
    String text = Files.readString(example).replaceAll("(?m)^# (engine:|  libtorch:)", "$1");
    TrainingConfig config =
        ConfigFile.parse(example.toString(), text)
            .with(List.of("data.normalise=none", "data.normalise-targets=none"))
            .config();
    config.save(run);
    assertEquals(config, TrainingConfig.load(run));
    assertEquals(
        text.contains("libtorch:") ? "/opt/libtorch/lib" : "",
        config.compute().engine().libtorch());
  }
}
