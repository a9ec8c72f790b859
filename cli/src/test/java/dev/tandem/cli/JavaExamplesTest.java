package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Progress;
import dev.tandem.core.Seed;
import dev.tandem.data.glyphs.GlyphDatabase;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs in examples/java compile, train, and leave what tandem train leaves. */
class JavaExamplesTest {

  private static final Path EXAMPLES = Path.of("..", "examples");

  @TempDir static Path folder;

  private static Path classes;

  /** Runs the main methods of several programs in one process, each with the same arguments. */
  public static final class InTurn {

    public static void main(String[] arguments) throws Exception {
      for (String name : arguments[0].split(",", -1)) {
        String[] settings = Stream.of(arguments).skip(1).toArray(String[]::new);
        System.out.print(name + ": ");
        Class.forName(name).getMethod("main", String[].class).invoke(null, (Object) settings);
      }
    }
  }

  @BeforeAll
  static void compile() throws Exception {
    classes = Files.createDirectory(folder.resolve("classes"));
    List<String> arguments =
        new ArrayList<>(List.of("-Werror", "-Xlint:all", "-proc:none", "-d", classes.toString()));
    try (Stream<Path> sources = Files.list(EXAMPLES.resolve("java"))) {
      sources.map(Path::toString).sorted().forEach(arguments::add);
    }
    assertEquals(
        0,
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(String[]::new)));
    GlyphDatabase.write(folder.resolve("runs/demo/data/train"), new Seed(1), 640, Progress.SILENT);
    GlyphDatabase.write(folder.resolve("runs/demo/data/test"), new Seed(2), 100, Progress.SILENT);
    Files.createDirectory(folder.resolve("examples"));
    Files.copy(EXAMPLES.resolve("glyphs.yaml"), folder.resolve("examples/glyphs.yaml"));
  }

  @Test
  void areShort() throws Exception {
    try (Stream<Path> sources = Files.list(EXAMPLES.resolve("java"))) {
      for (Path source : sources.toList()) {
        assertTrue(Files.readAllLines(source).size() < 60, source.toString());
      }
    }
  }

  @Test
  void inOneProcess() throws Exception {
    String out = java(InTurn.class, "OwnNetwork,OwnLoss,StopWhenFlat,OwnRecords", "steps=8");
    assertTrue(out.matches("(?s).*OwnNetwork: accuracy [0-9.]+ after 8 steps, in .*"), out);
    assertTrue(out.matches("(?s).*OwnLoss: smoothed loss [0-9.]+, accuracy .*"), out);
    assertTrue(
        out.matches(
            "(?s).*epoch [01]: [0-9.]+\nsaved in .*\n(stopped|ended) after [0-9] steps, in .*"),
        out);
    Path run = folder.resolve("runs/glyphs");
    for (String file : List.of("config.yaml", "metrics.jsonl", "checkpoints", ".tandem-run")) {
      assertTrue(Files.exists(run.resolve(file)), file);
    }
    assertTrue(Files.exists(folder.resolve("runs/glyphs-3/config.yaml")), "a folder each");
    assertTrue(CommandRun.done("eval", run).out().contains("after step: 8"));
    String layers = CommandRun.done("show", run).out();
    assertTrue(layers.contains("block2.sum") && layers.contains("from stem.relu"), layers);
  }

  @Test
  void asTwoRanks() throws Exception {
    String out =
        java(
            Tandem.class,
            "run",
            "-n",
            "2",
            "--class-path",
            classes.toString(),
            "--",
            "OwnRecords",
            "steps=20");
    List<String> ranks = out.lines().filter(line -> line.contains("accuracy")).sorted().toList();
    assertEquals(2, ranks.size(), out);
    assertEquals(ranks.get(0).substring(4), ranks.get(1).substring(4), "the same result");
    assertTrue(CommandRun.done("show", folder.resolve("runs/java")).out().contains("[2]"));
  }

  /** What a program prints that runs in the folder of this test. */
  private static String java(Class<?> main, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(flag -> !flag.startsWith("-agentlib") && !flag.startsWith("-javaagent"))
        .forEach(command::add);
    command.addAll(
        List.of(
            "-cp",
            Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .reduce(classes.toString(), (a, b) -> a + File.pathSeparator + b),
            main.getName()));
    command.addAll(List.of(arguments));
    Path out = Files.createTempFile(folder, "out", ".txt");
    Path err = Files.createTempFile(folder, "err", ".txt");
    int code =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start()
            .waitFor();
    String printed = Files.readString(out);
    assertEquals(0, code, printed + Files.readString(err));
    return printed;
  }
}
