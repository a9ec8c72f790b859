package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.comm.rendezvous.JobSecret;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code tandem run} as a user sees it; what launchers do to processes is tested in comm. */
class RunTest {

  @TempDir Path folder;

  private static List<String> sorted(String text) {
    return text.lines().sorted().toList();
  }

  @Test
  void linesBearTheirRankAndArgumentsArriveAsTheyAre() {
    CommandRun run =
        CommandRun.done("run", "-n", "2", "--", TalkingRank.class.getName(), "--json", "@x", "a b");
    assertEquals(
        List.of(
            "[0] rank 0 of 2 on localhost [--json, @x, a b]",
            "[1] rank 1 of 2 on localhost [--json, @x, a b]"),
        sorted(run.out()));
    assertEquals(List.of("[0] error stream of 0", "[1] error stream of 1"), sorted(run.err()));
  }

  @Test
  void outputGoesToFiles() throws Exception {
    Path json = folder.resolve("result.json");
    Path logs = folder.resolve("logs");
    CommandRun run =
        CommandRun.done(
            "run", "-n", "2", "--output-dir", logs, "--json", json, TalkingRank.class.getName());
    assertEquals("", run.out());
    assertEquals("rank 1 of 2 on localhost []\n", Files.readString(logs.resolve("rank-1.out")));
    assertEquals("error stream of 0\n", Files.readString(logs.resolve("rank-0.err")));
    JsonNode result = new ObjectMapper().readTree(json.toFile());
    assertEquals(0, result.path("exitCode").asInt(-1));
    assertEquals(2, result.path("ranks").asInt());
  }

  @Test
  void theExitCodeIsThatOfTheProgram() {
    CommandRun run = CommandRun.of("run", "-n", "1", "--", TalkingRank.class.getName(), "exit:42");
    assertEquals(42, run.exitCode());
    assertTrue(run.err().endsWith("tandem: rank 0 ended with exit code 42\n"), run.err());
  }

  /** Where both have a class, a program finds its own: its logging is not Tandem's to choose. */
  @Test
  void theClassesOfTheUserComeFirstAndTandemsLast() {
    CommandRun run =
        CommandRun.done(
            "run", "-n", 1, "--class-path", "own.jar:own", "--", ClassPathRank.class.getName());
    assertEquals("[0] own.jar:own:" + System.getProperty("java.class.path") + "\n", run.out());
  }

  /** Two hosts that are both this machine; the remote shell is one here. */
  @Test
  void hostsStartThroughTheRemoteShell() throws Exception {
    Path shell = folder.resolve("rsh");
    Files.writeString(shell, "#!/bin/sh\n[ \"$1\" = odd ] || exit 9\nshift 2\nsh -c \"$*\"\n");
    Files.setPosixFilePermissions(shell, PosixFilePermissions.fromString("rwx------"));
    CommandRun run =
        CommandRun.done(
            "run",
            "--rsh",
            shell + " odd",
            "--hosts",
            "localhost:1,b:2",
            "--bind",
            "127.0.0.1",
            "--",
            TalkingRank.class.getName(),
            "it's \"$HOME\"");
    assertEquals(
        List.of(
            "[0] rank 0 of 3 on localhost [it's \"$HOME\"]",
            "[1] rank 1 of 3 on b [it's \"$HOME\"]",
            "[2] rank 2 of 3 on b [it's \"$HOME\"]"),
        sorted(run.out()));
  }

  @Test
  void aFileDescribesTheJob() throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    Path file = folder.resolve("job.properties");
    Files.writeString(
        file,
        "ranks=2\nrendezvous=127.0.0.1:%d\nsecret=%s\n".formatted(port, JobSecret.random().hex()));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    CommandRun run = CommandRun.done("run", "--job-file", file, TalkingRank.class.getName());
    assertEquals(2, run.out().lines().count(), run.out());
    assertEquals(
        "tandem: -n is 3, but --job-file has 2 ranks",
        CommandRun.failed(2, "run", "-n", "3", "--job-file", file, TalkingRank.class.getName()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-n 2 -- no.such.Class | class no.such.Class is not on the class path",
        "-n 2 -- java.lang.String | class java.lang.String is not public or has no public static"
            + " void main(String[])",
        "-n 0 X | -n must be from 1 to 4096: 0",
        "X | expected -n N, --hosts or --job-file",
        "-n 3 --hosts a:1,b:1 X | -n is 3, but --hosts lists 2 ranks",
        "--hosts a:1,b:9999 X | --hosts: a job has 1 to 4096 ranks, and host b cannot take 9999",
        "--hosts a;b X | --hosts must be like a:4,b:4, and 'a;b' is no host with a number of ranks",
        "--hosts no-such-host.invalid:2 X | the name of host 'no-such-host.invalid' cannot be"
            + " resolved; correct it, or give --bind ADDRESS",
        "-n 1 --bind no-such-host.invalid X | --bind: the name of host 'no-such-host.invalid'"
            + " cannot be resolved",
        "-n 1 --transport pigeon X | --transport must be one of auto, shm, tcp, hybrid, not"
            + " 'pigeon'",
        "-n 1 --job-file /no/such/file X | job file /no/such/file does not exist",
      })
  void whatCannotBeIsSaidInOneLine(String arguments, String why) {
    Object[] words = ("run " + arguments).split(" ");
    assertEquals("tandem: " + why, CommandRun.failed(2, words));
  }

  /** The class does not exist, so nothing would start on a machine that bears them. */
  @Test
  void moreProcessesThanTheMachineBearsAreRefused() {
    assumeTrue(Runtime.getRuntime().availableProcessors() < 64, "a machine that bears 4,096 ranks");
    String line = CommandRun.failed(2, "run", "-n", "4096", "--", "no.such.Class");
    assertTrue(line.startsWith("tandem: this machine supports at most "), line);
  }

  @Test
  void anAddressThatIsNotOursCannotBeBound() {
    String line =
        CommandRun.failed(
            1, "run", "-n", "1", "--bind", "192.0.2.1", "--", TalkingRank.class.getName());
    assertTrue(line.startsWith("tandem: cannot open a meeting point on 192.0.2.1: "), line);
  }

  @Test
  void aClassIsMissing() {
    String line = CommandRun.failed(2, "run", "-n", "2");
    assertTrue(line.contains("CLASS"), line);
  }
}
