package dev.tandem.bench;

import dev.tandem.core.WorkFailedException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The processes that a benchmark runs, one at a time. */
public final class Children {

  private Children() {}

  /** What a process printed, and how long it ran from start to end. */
  public record Run(String output, double seconds) {

    /** Its output if that is a number. */
    public double number() {
      return Double.parseDouble(output.strip());
    }
  }

  /** A fresh JVM with the flags and class path of this one. */
  static Run java(Class<?> main, Object... arguments) {
    return java(List.of(), main, arguments);
  }

  /** As {@link #java}, with the further flags that the launcher has for short commands. */
  static Run shortJava(Class<?> main, Object... arguments) {
    String home = System.getProperty("tandem.home");
    List<String> flags =
        home == null ? List.of() : List.of("@" + Path.of(home, "jvm.short.options"));
    return java(flags, main, arguments);
  }

  private static Run java(List<String> flags, Class<?> main, Object... arguments) {
    return run(javaCommand(flags, main.getName(), Arrays.asList(arguments)));
  }

  /** The command that starts a JVM with the flags and class path of this one, and more flags. */
  public static List<String> javaCommand(List<String> flags, String main, List<?> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(flags);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(main);
    arguments.stream().map(Object::toString).forEach(command::add);
    return command;
  }

  /** Runs a program that must end well. */
  public static Run run(List<String> command) {
    return run(command, Map.of());
  }

  /** Runs a program that must end well, with these variables added to the environment. */
  static Run run(List<String> command, Map<String, String> environment) {
    StringBuilder output = new StringBuilder();
    long began = System.nanoTime();
    follow(command, environment, line -> output.append(line).append('\n'));
    return new Run(output.toString(), (System.nanoTime() - began) / 1e9);
  }

  /** Runs a program that must end well and passes on each line when it is printed. */
  public static void follow(
      List<String> command, Map<String, String> environment, Consumer<String> lines) {
    Process process = null;
    try {
      Path errors = Files.createTempFile("tandem-bench", ".err");
      try {
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
        builder.environment().putAll(environment);
        process = builder.start();
        process.getOutputStream().close();
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
          for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            lines.accept(line);
          }
        }
        int code = process.waitFor();
        if (code != 0) {
          throw new WorkFailedException(
              "%s ended with code %d: %s"
                  .formatted(command.getFirst(), code, Files.readString(errors).strip()));
        }
      } finally {
        Files.delete(errors);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkFailedException("interrupted while " + command.getFirst() + " ran", e);
    } finally {
      if (process != null) {
        process.destroyForcibly();
      }
    }
  }

  /** Whether a program is on the path. */
  public static boolean installed(String program) {
    return Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  /** Fails with the package to install if a program is missing. */
  public static void require(String program, String debianPackage) {
    if (!installed(program)) {
      throw new WorkFailedException(
          "the benchmark needs %s as a peer: install it (Debian: apt-get install %s)"
              .formatted(program, debianPackage));
    }
  }
}
