package dev.tandem.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The launcher in a folder with two sources, a JDK and a Maven that only write down that they were
 * called, and on its path what it may use and nothing else of this machine.
 *
 * <p>It pretends to be a machine with the other processor, so that no real JDK is found either.
 */
final class FakeCheckout {

  /** What the launcher printed, and its exit code. */
  record Run(int code, String out, String err) {}

  private static final List<String> TOOLS =
      List.of(
          "awk",
          "cat",
          "cksum",
          "df",
          "find",
          "flock",
          "getconf",
          "grep",
          "head",
          "mkdir",
          "mv",
          "readlink",
          "rm",
          "sed",
          "sh",
          "sort",
          "stat",
          "tail",
          "tee");

  private static final String MAVEN =
      """
      [ "$1" != --version ] || { echo "Apache Maven 3.8.7"; exit; }
      echo maven >>"$HOME/calls"
      file=$3
      home=${file%/pom.xml}
      echo "[INFO] Building tandem-core 0.1                 [1/2]"
      mkdir -p "$home/core/target" "$home/cli/target/lib" "$home/bench/target/lib"
      echo half >"$home/core/target/half"
      [ ! -p "$HOME/gate" ] || read -r _ <"$HOME/gate" || :
      [ ! -e "$HOME/kill" ] || kill -9 $$
      [ ! -e "$HOME/error" ] || { echo "[ERROR] $(cat "$HOME/error")"; exit 1; }
      echo "[INFO] Building tandem-cli 0.1                  [2/2]"
      echo "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 2, Time elapsed: 1 s -- in Some"
      echo "[WARNING] Tests run: 12, Failures: 0, Errors: 0, Skipped: 2"
      echo "[INFO] Tests run: 30, Failures: 0, Errors: 0, Skipped: 0"
      echo tandem >"$home/cli/target/tandem.jar"
      echo core >"$home/cli/target/lib/core.jar"
      echo bench >"$home/bench/target/tandem-bench.jar"
      echo jhdf >"$home/bench/target/lib/jhdf.jar"
      """;

  private static final String JAVA =
      """
      for word; do
        case $word in
          -XX:AOTCacheOutput=* | -XX:ArchiveClassesAtExit=*)
            echo cache >>"$HOME/calls"
            echo cache >"${word#*=}"
            exit ;;
        esac
      done
      case "$*" in
        *"/tandem.jar:"*"/app/bench/* dev.tandem.bench.cli.Bench "*) program=bench ;;
        *"/tandem.jar dev.tandem.cli.Tandem "*) program=tandem ;;
        *) exit 9 ;;
      esac
      for last; do :; done
      echo "$program ran $last"
      """;

  private final Path root;
  private final Map<String, String> environment = new HashMap<>();

  FakeCheckout(Path root) {
    this.root = root;
    for (String tool : TOOLS) {
      pass(tool);
    }
    script("bin/uname", "echo Linux " + processor());
    script("bin/mvn", MAVEN);
    jdk("jdk", "25.0.3");
    for (String file : List.of("tandem", "jvm.options", "jvm.short.options")) {
      copy(file);
    }
    for (String file : List.of("pom.xml", ".mvn/jvm.config", "core/pom.xml", "cli/pom.xml")) {
      write("home/" + file, "");
    }
    write("home/core/src/main/java/Core.java", "core");
    write("home/core/src/test/java/CoreTest.java", "test");
    environment.put("PATH", root.resolve("bin").toString());
    environment.put("HOME", root.toString());
    environment.put("JAVA_HOME", root.resolve("jdk").toString());
  }

  /** Not this machine's. */
  static String processor() {
    return System.getProperty("os.arch").equals("aarch64") ? "x86_64" : "aarch64";
  }

  /** From now on this machine's own processor. */
  void changeProcessor() {
    String own = processor().equals("x86_64") ? "aarch64" : "x86_64";
    script("bin/uname", "echo Linux " + own);
    write("jdk/release", "JAVA_VERSION=\"25.0.3\"\nOS_ARCH=\"" + own + "\"\n");
  }

  void jdk(String name, String version) {
    script(name + "/bin/java", JAVA);
    script(name + "/bin/javac", "");
    write(
        name + "/release", "JAVA_VERSION=\"%s\"%nOS_ARCH=\"%s\"%n".formatted(version, processor()));
  }

  /** A JDK in another folder, which the launcher is to use. */
  void useJdk(String name, String version) {
    jdk(name, version);
    variable("JAVA_HOME", path(name).toString());
  }

  /** Lets Maven stop after the first module until something is written to this file. */
  void gate() throws Exception {
    new ProcessBuilder("mkfifo", path("gate").toString()).start().waitFor();
  }

  /** A program on the launcher's path, instead of the machine's. */
  void script(String path, String text) {
    Path file = root.resolve(path);
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    write(path, "#!/bin/sh\n" + text);
    if (!file.toFile().setExecutable(true)) {
      throw new IllegalStateException("cannot make executable: " + file);
    }
  }

  void write(String path, String text) {
    Path file = root.resolve(path);
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void delete(String path) {
    try {
      Files.delete(root.resolve(path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path path(String path) {
    return root.resolve(path);
  }

  /** Sets a variable of the launcher's environment; null removes it. */
  void variable(String name, String value) {
    if (value == null) {
      environment.remove(name);
    } else {
      environment.put(name, value);
    }
  }

  Process start(String... arguments) throws IOException {
    return start("home", arguments);
  }

  private Process start(String folder, String... arguments) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Stream.concat(Stream.of(path(folder + "/tandem").toString()), Stream.of(arguments))
                .toList());
    builder.environment().clear();
    builder.environment().putAll(environment);
    return builder.start();
  }

  Run run(String... arguments) throws Exception {
    return runIn("home", arguments);
  }

  Run runIn(String folder, String... arguments) throws Exception {
    return end(start(folder, arguments));
  }

  static Run end(Process process) throws Exception {
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    String err = new String(process.getErrorStream().readAllBytes(), UTF_8);
    return new Run(process.waitFor(), out, err);
  }

  /** The calls of Maven and of the JVM for caches since the last question. */
  List<String> calls() throws IOException {
    Path file = path("calls");
    List<String> calls = Files.exists(file) ? Files.readAllLines(file) : List.of();
    Files.deleteIfExists(file);
    return calls;
  }

  private void pass(String tool) {
    for (String folder : System.getenv("PATH").split(":", -1)) {
      Path found = Path.of(folder, tool);
      if (Files.isExecutable(found)) {
        script("bin/" + tool, "exec '" + found + "' \"$@\"");
        return;
      }
    }
    throw new IllegalStateException("the launcher needs " + tool + ", which is not installed");
  }

  private void copy(String file) {
    try {
      Files.createDirectories(path("home"));
      Files.copy(Path.of("..", file), path("home/" + file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (file.equals("tandem") && !path("home/tandem").toFile().setExecutable(true)) {
      throw new IllegalStateException("cannot make the launcher executable");
    }
  }
}
