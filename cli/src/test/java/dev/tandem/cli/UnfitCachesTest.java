package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.AutoComplete;
import picocli.CommandLine;

/** With jvm.options a JVM prints nothing about caches of classes that do not fit. */
class UnfitCachesTest {

  private static final String AOT = "-XX:AOTCache=";
  private static final String ARCHIVE = "-XX:SharedArchiveFile=";

  @TempDir Path folder;

  private static FakeCheckout.Run java(String... words) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("@" + Path.of("..", "jvm.options"));
    command.addAll(List.of(words));
    return FakeCheckout.end(new ProcessBuilder(command).start());
  }

  private Path garbage() throws Exception {
    return Files.writeString(folder.resolve("garbage"), "no cache at all");
  }

  private Path ownJar() throws Exception {
    Path jar =
        Path.of(CommandLine.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    return Files.copy(jar, folder.resolve("own.jar"));
  }

  @Test
  void brokenAndStaleOnesAreIgnoredSilently() throws Exception {
    String jar = ownJar().toString();
    String main = AutoComplete.class.getName();
    Path aot = folder.resolve("stale.aot");
    Path archive = folder.resolve("stale.jsa");
    java("-XX:AOTCacheOutput=" + aot, "-cp", jar, main, "--version");
    java("-XX:ArchiveClassesAtExit=" + archive, "-cp", jar, main, "--version");
    assertTrue(Files.exists(aot) && Files.exists(archive));
    Files.setLastModifiedTime(Path.of(jar), FileTime.fromMillis(0));

    FakeCheckout.Run plain = java("-cp", jar, main, "--version");
    assertEquals(new FakeCheckout.Run(0, plain.out(), ""), plain);
    for (String flag :
        List.of(
            AOT + aot,
            AOT + garbage(),
            AOT + folder.resolve("missing"),
            ARCHIVE + archive,
            ARCHIVE + garbage(),
            ARCHIVE + folder.resolve("missing"))) {
      assertEquals(plain, java(flag, "-cp", jar, main, "--version"), flag);
    }
  }

  @Test
  void ranksAreSilentToo() throws Exception {
    FakeCheckout.Run run =
        java(
            AOT + garbage(),
            "-Dtandem.rank.archive=" + garbage(),
            "-cp",
            System.getProperty("java.class.path"),
            Tandem.class.getName(),
            "run",
            "-n",
            "2",
            "--",
            TalkingRank.class.getName());
    assertEquals(
        List.of("[0] rank 0 of 2 on localhost []", "[1] rank 1 of 2 on localhost []"),
        run.out().lines().sorted().toList());
    assertEquals(
        List.of("[0] error stream of 0", "[1] error stream of 1"),
        run.err().lines().sorted().toList());
  }

  /** Readers share the cache of the command that starts them. */
  @Test
  @Tag("slow")
  void readersAreSilentToo() throws Exception {
    Path database = folder.resolve("db");
    CommandRun.done("data", "make", "--kind", "cifar", "--records", "100", database);
    String classPath = System.getProperty("java.class.path");
    FakeCheckout.Run run =
        java(
            AOT + garbage(),
            "-cp",
            classPath,
            Tandem.class.getName(),
            "data",
            "read",
            "--readers",
            "2",
            database.toString());
    assertEquals(0, run.code(), run.err());
    assertTrue(
        Stream.of(run.out(), run.err()).noneMatch(text -> text.contains("[aot")),
        run.out() + run.err());
  }
}
