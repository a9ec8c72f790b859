package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the launcher needs and does not find is one line that says what to do, before any work. */
class LauncherPrerequisitesTest {

  private static final String MEMORY =
      """
      case $1 in
        /proc/meminfo) printf 'MemTotal: 9 kB\\nMemAvailable: %s kB\\n%s\\n' ;;
        *) exec /bin/cat "$@" ;;
      esac
      """;

  @TempDir Path folder;

  private FakeCheckout checkout;

  @BeforeEach
  void checkOut() {
    checkout = new FakeCheckout(folder);
  }

  /** Something missing, and the line that says so. FOLDER stands for the test's own. */
  record Missing(String line, Consumer<FakeCheckout> make) {
    @Override
    public String toString() {
      return line;
    }
  }

  static List<Missing> missing() {
    String platform = "Linux " + FakeCheckout.processor();
    String jdk = "needs a JDK 25 or newer for " + platform;
    String install = ": install one (for example Temurin 25) and set JAVA_HOME to its folder";
    String libc = "needs Linux with glibc 2.29 or newer (Debian 11, Ubuntu 20.04, RHEL 9 or later)";
    String keep = "Maven and the compute engine keep files there";
    return List.of(
        new Missing(jdk + install, c -> c.variable("JAVA_HOME", null)),
        new Missing(
            jdk + "; the newest found is 17 in FOLDER/jdk; JAVA_HOME is FOLDER/jdk" + install,
            c -> c.jdk("jdk", "17.0.20")),
        new Missing(jdk + "; JAVA_HOME is FOLDER/jdk" + install, c -> c.delete("jdk/bin/javac")),
        new Missing(
            "runs on Linux on x86-64 or aarch64, not on Linux riscv64",
            c -> c.script("bin/uname", "echo Linux riscv64")),
        new Missing(
            "runs on Linux on x86-64 or aarch64, not on Darwin arm64",
            c -> c.script("bin/uname", "echo Darwin arm64")),
        new Missing(
            libc + "; this system has another C library", c -> c.script("bin/getconf", "exit 1")),
        new Missing(
            libc + "; this system has glibc 2.28", c -> c.script("bin/getconf", "echo glibc 2.28")),
        new Missing(
            "needs Maven 3.8 or newer to build and found none: install it"
                + " (Debian: apt-get install maven)",
            c -> c.delete("bin/mvn")),
        new Missing(
            "needs Maven 3.8 or newer to build and found 3.6 (FOLDER/bin/mvn): install a newer one",
            c -> c.script("bin/mvn", "echo 'Apache Maven 3.6.3 (abc)'")),
        new Missing(
            "cannot start Maven: see what `mvn --version` says",
            c -> c.script("bin/mvn", "exit 1")),
        new Missing(
            "HOME is not set: set it to your home folder; " + keep, c -> c.variable("HOME", null)),
        new Missing(
            "cannot write to HOME, FOLDER/none: set it to a folder of yours; " + keep,
            c -> c.variable("HOME", c.path("none").toString())),
        new Missing(
            "needs 1500 MB of disk space in FOLDER/home to build, and 1465 MB are free:"
                + " make room there",
            c -> c.script("bin/df", "echo Filesystem; echo disk 9000000 7500000 1500500 84% /")),
        new Missing(
            "needs 2000 MB of memory to build, and 976 MB are available:"
                + " end other programs or raise the limit",
            c -> c.script("bin/cat", MEMORY.formatted("1000000", "max"))),
        new Missing(
            "needs 2000 MB of memory to build, and 512 MB are available:"
                + " end other programs or raise the limit",
            c -> c.script("bin/cat", MEMORY.formatted("8000000", 512 << 20))));
  }

  @ParameterizedTest
  @MethodSource("missing")
  void oneLineSaysWhatToDo(Missing missing) throws Exception {
    missing.make.accept(checkout);
    String line = "tandem: " + missing.line.replace("FOLDER", folder.toString()) + "\n";
    assertEquals(new FakeCheckout.Run(2, "", line), checkout.run("demo"));
    assertEquals(new FakeCheckout.Run(2, "", line), checkout.run("test"));
    assertEquals(List.of(), checkout.calls());
  }

  @Test
  void anotherJdkThanTheOldOneOfJavaHomeIsFound() throws Exception {
    checkout.jdk("jdk", "17.0.20");
    checkout.jdk(".jdks/temurin-25", "25.0.3");
    assertEquals("tandem ran demo\n", checkout.run("demo").out());
    Files.move(checkout.path(".jdks"), checkout.path("unusual"));
    assertEquals(2, checkout.run("demo").code());
    Files.createSymbolicLink(
        checkout.path("bin/java"), checkout.path("unusual/temurin-25/bin/java"));
    assertEquals("tandem ran demo\n", checkout.run("demo").out());
  }

  @Test
  void whatOnlyABuildNeedsIsNotAskedForLater() throws Exception {
    assertEquals(0, checkout.run("demo").code());
    checkout.delete("bin/mvn");
    checkout.script("bin/df", "exit 1");
    checkout.variable("HOME", null);
    assertEquals(new FakeCheckout.Run(0, "tandem ran demo\n", ""), checkout.run("demo"));
  }
}
