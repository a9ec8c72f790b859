package dev.tandem.nn;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A JVM of its own that runs a main class of the tests. */
final class ChildJvm {

  private final Process process;

  private ChildJvm(Process process) {
    this.process = process;
  }

  static ChildJvm start(String classPath, List<String> flags, Class<?> main, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-Xmx512m", "-cp", classPath));
    command.addAll(flags);
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return new ChildJvm(new ProcessBuilder(command).redirectErrorStream(true).start());
  }

  static String classPath() {
    return System.getProperty("java.class.path");
  }

  /** All that the child printed until its end. */
  String output() throws IOException {
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
  }
}
