package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/** Programs of other people that ours are compared with. */
final class Peer {

  private Peer() {}

  /** Ends the test as skipped, and says why, if a program is not installed. */
  static void require(String program, String debianPackage) {
    boolean there =
        Stream.of(System.getenv("PATH").split(":"))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    if (!there) {
      System.out.println(
          "skipped: "
              + program
              + " is not installed (Debian: apt-get install "
              + debianPackage
              + ")");
    }
    assumeTrue(there);
  }

  /** Ends the test as skipped if Debian's Python has no lmdb. */
  static void requirePythonLmdb() throws IOException, InterruptedException {
    boolean there =
        Files.isExecutable(Path.of("/usr/bin/python3"))
            && new ProcessBuilder("/usr/bin/python3", "-c", "import lmdb").start().waitFor() == 0;
    if (!there) {
      System.out.println(
          "skipped: py-lmdb is not installed (Debian: apt-get install python3-lmdb)");
    }
    assumeTrue(there);
  }

  /** Standard output of a program that must end well. */
  static byte[] run(Object... command) throws IOException, InterruptedException {
    Path errors = Files.createTempFile("peer", ".err");
    Process process =
        new ProcessBuilder(Arrays.stream(command).map(Object::toString).toList())
            .redirectError(errors.toFile())
            .start();
    process.getOutputStream().close();
    byte[] output = process.getInputStream().readAllBytes();
    assertEquals(0, process.waitFor(), Arrays.toString(command) + Files.readString(errors));
    Files.delete(errors);
    return output;
  }

  /** Runs a Python program with arguments. */
  static void python(String program, Object... arguments) throws IOException, InterruptedException {
    Object[] command = new Object[3 + arguments.length];
    command[0] = "/usr/bin/python3";
    command[1] = "-c";
    command[2] = program;
    System.arraycopy(arguments, 0, command, 3, arguments.length);
    System.out.print(new String(run(command), StandardCharsets.UTF_8));
  }
}
