package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.testkit.Watchdog;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@EnabledOnOs(OS.LINUX)
class MemoryTest {

  private static final List<String> FIXED_HEAP =
      List.of("-Xms96m", "-Xmx96m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC");

  // The activations of one step take about 1 MiB: a leak of them would be half a gigabyte. What
  // is allowed is for the JVM's own compiler.
  private static final long MOST_MEBIBYTES = 48;

  @Tag("slow")
  @ParameterizedTest
  @EnumSource(value = NetworkOptions.Precision.class, names = "FULL")
  void fiveHundredStepsKeepMemoryFlat(NetworkOptions.Precision precision) throws Exception {
    staysFlat(500, precision);
  }

  @ParameterizedTest
  @EnumSource(NetworkOptions.Precision.class)
  @Tag("slow")
  void tenThousandStepsKeepMemoryFlat(NetworkOptions.Precision precision) throws Exception {
    staysFlat(10_000, precision);
  }

  private static void staysFlat(int steps, NetworkOptions.Precision precision) throws Exception {
    ChildJvm child =
        ChildJvm.start(
            ChildJvm.classPath(),
            FIXED_HEAP,
            ManySteps.class,
            Integer.toString(steps),
            precision.name());
    String output = Watchdog.within(Duration.ofMinutes(10), child::output);
    System.out.println(steps + " steps, " + precision + ": " + output + " MiB");
    assertTrue(Long.parseLong(output) < MOST_MEBIBYTES, "grew by " + output + " MiB");
  }
}
