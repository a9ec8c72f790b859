package dev.tandem.comm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.comm.collective.CollectiveSettings;
import dev.tandem.comm.rendezvous.JobFile;
import dev.tandem.comm.rendezvous.JobSecret;
import dev.tandem.core.UsageException;
import dev.tandem.testkit.Watchdog;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs of processes that no launcher of ours starts: they find each other through a file. */
class JobFileTest {

  @TempDir Path folder;

  private Path write(String text) throws Exception {
    Path file = Files.writeString(folder.resolve("job.properties"), text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  private static String good(int port) {
    return "ranks=3\nrendezvous=127.0.0.1:%d\nsecret=%s\nhosts=a:2,b\n"
        .formatted(port, JobSecret.random().hex());
  }

  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Rank 0, which opens the meeting point, starts last. */
  @Test
  void ranksMayComeBeforeTheirMeetingPoint() throws Exception {
    JobFile job = JobFile.read(write(good(freePort())));
    FaultLimits limits = new FaultLimits(Duration.ofSeconds(30), Duration.ofSeconds(30));
    Watchdog.within(
        Duration.ofMinutes(1),
        () -> {
          List<FutureTask<List<String>>> tasks = new ArrayList<>();
          for (int rank = 2; rank >= 0; rank--) {
            int mine = rank;
            FutureTask<List<String>> task =
                new FutureTask<>(
                    () -> {
                      try (Communicator communicator =
                          Communicator.join(
                              job,
                              mine,
                              Optional.empty(),
                              limits,
                              TransportKind.AUTOMATIC,
                              CollectiveSettings.DEFAULT)) {
                        communicator.barrier();
                        return communicator.topology().names();
                      }
                    });
            Thread.ofPlatform().daemon().start(task);
            tasks.add(task);
          }
          for (FutureTask<List<String>> task : tasks) {
            assertEquals(List.of("a", "a", "b"), task.get());
          }
          return null;
        });
  }

  private static String refusal(Path file) {
    return assertThrows(UsageException.class, () -> JobFile.read(file)).getMessage();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ranks=3 | ranks=three | key 'ranks' must be a number from 1 to 4096, not 'three'",
        "ranks=3 | ranks=0 | key 'ranks' must be a number from 1 to 4096, not '0'",
        "ranks=3 | # | key 'ranks' is missing",
        "ranks=3 | ranks=4 | key 'hosts' has room for 3 ranks, not 4",
        "ranks=3 | rank=3 | nobody knows key 'rank'",
        "127.0.0.1 | no-such-host.invalid | key 'rendezvous': the name of host"
            + " 'no-such-host.invalid' cannot be resolved",
        "127.0.0.1: | 127.0.0.1 | is not an address of the form host:port",
        "secret= | secret=x | key 'secret' must be 64 hexadecimal digits",
        "a:2,b | a:2,,b | must be like a:4,b:4, and '' is no host with a number of ranks",
        "a:2,b | -oProxyCommand=x:3 | is no host with a number of ranks",
        "a:2,b | a:2,a | names host a twice",
        "a:2,b | a:0,b:3 | a job has 1 to 4096 ranks, and host a cannot take 0",
        "hosts= | opened-by=me\\nhosts= | key 'opened-by' must be rank-0 or other, not 'me'",
      })
  void whatMakesNoSenseIsSaidInOneLine(String from, String to, String why) throws Exception {
    Path file = write(good(1000).replace(from, to.replace("\\n", "\n")));
    String message = refusal(file);
    assertTrue(message.startsWith("job file " + file + ": "), message);
    assertTrue(message.endsWith(why), message);
    assertEquals(1, message.lines().count());
  }

  @Test
  void aSecretThatOthersCanReadIsNone() throws Exception {
    Path file = write(good(1000));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    assertEquals(
        "job file %s holds the secret of the job and others may read it: chmod 600 %s"
            .formatted(file, file),
        refusal(file));
    assertEquals(
        "job file %s does not exist".formatted(folder.resolve("x")), refusal(folder.resolve("x")));
  }

  @Test
  void whatALauncherSaysComesFirst() throws Exception {
    Path file = write(good(1000));
    Map<String, String> named = Map.of(JobFile.VARIABLE, file.toString());
    assertEquals(3, JobFile.of(named).orElseThrow().size());
    assertEquals(
        Optional.empty(),
        JobFile.of(Map.of(JobFile.VARIABLE, file.toString(), "TANDEM_RENDEZVOUS", "127.0.0.1:1")));
  }
}
