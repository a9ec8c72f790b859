package dev.tandem.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.Set;
import java.util.jar.Attributes.Name;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher with the real Maven and JDK, in a copy of this checkout. */
@Tag("slow")
class LauncherBuildTest {

  private static final Set<String> LEFT_OUT = Set.of("target", ".git", "runs");

  @TempDir Path folder;

  private Path checkout;
  private String jdk = System.getProperty("java.home");

  @BeforeEach
  void copy() throws IOException {
    Peer.require("mvn", "maven");
    Path here = Path.of("..").toRealPath();
    checkout = folder.resolve("checkout");
    Files.walkFileTree(
        here,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes)
              throws IOException {
            if (LEFT_OUT.contains(path.getFileName().toString())) {
              return FileVisitResult.SKIP_SUBTREE;
            }
            Files.createDirectories(checkout.resolve(here.relativize(path)));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path path, BasicFileAttributes attributes)
              throws IOException {
            Path copy = checkout.resolve(here.relativize(path));
            Files.copy(path, copy, StandardCopyOption.COPY_ATTRIBUTES);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private Process start(Object... arguments) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Stream.concat(
                    Stream.of(checkout.resolve("tandem").toString()),
                    Arrays.stream(arguments).map(Object::toString))
                .toList());
    builder.environment().put("JAVA_HOME", jdk);
    return builder.start();
  }

  /** Runs a command; standard output must be its own alone. Gives the lines of progress. */
  private String run(String output, Object... arguments) throws Exception {
    FakeCheckout.Run run = FakeCheckout.end(start(arguments));
    assertEquals(new FakeCheckout.Run(0, output, run.err()), run);
    return run.err();
  }

  @Test
  void buildsAfterWhateverHappened() throws Exception {
    String version =
        "tandem 0.1.0-SNAPSHOT\njava %s\n".formatted(System.getProperty("java.version"));
    killDuringBuild();
    String progress = run(version, "--version");
    assertTrue(progress.contains("tandem: building tandem-bench (16 of 16)\n"), progress);
    assertTrue(Files.exists(app("commands.aot")) && Files.exists(app("ranks.jsa")), progress);
    assertEquals("", run(version, "--version"));
    assertEveryJarHasItsVersion();

    Path moved = folder.resolve("moved checkout");
    Files.move(checkout, moved);
    checkout = moved;
    jdk = Files.createSymbolicLink(folder.resolve("jdk"), Path.of(jdk)).toString();
    assertEquals("", run(version, "--version"));

    Path database = folder.resolve("db");
    CommandRun.done("data", "make", "--kind", "cifar", "--records", 10, database);
    FakeCheckout.Run dump = FakeCheckout.end(start("data", "dump", database));
    Files.writeString(app("commands.aot"), "broken");
    assertTrue(run(dump.out(), "data", "dump", database).contains("fast starts (2 of 2)\n"));

    Files.delete(app("lib").resolve("tandem-lmdb-0.1.0-SNAPSHOT.jar"));
    progress = run(dump.out(), "data", "dump", database);
    assertTrue(progress.contains("tandem: building tandem-bench (16 of 16)\n"), progress);
    assertEquals("", run(version, "--version"));
  }

  private void assertEveryJarHasItsVersion() throws IOException {
    try (Stream<Path> jars = Files.list(app("lib"))) {
      for (Path jar : jars.filter(file -> file.toString().contains("/tandem-")).toList()) {
        try (JarFile file = new JarFile(jar.toFile())) {
          assertEquals(
              "0.1.0-SNAPSHOT",
              file.getManifest().getMainAttributes().getValue(Name.IMPLEMENTATION_VERSION),
              jar.toString());
        }
      }
    }
  }

  private Path app(String file) {
    return checkout.resolve("target/app").resolve(file);
  }

  private void killDuringBuild() throws Exception {
    Process process = start("--version");
    try (BufferedReader reader = process.errorReader(UTF_8)) {
      String line = reader.readLine();
      while (line != null && !line.startsWith("tandem: building tandem-comm ")) {
        line = reader.readLine();
      }
      assertTrue(line != null, "the build ended before it could be killed");
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
  }
}
