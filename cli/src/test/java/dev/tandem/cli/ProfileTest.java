package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.oracle.profile.Profile;
import dev.tandem.oracle.profile.ProfileFile;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProfileTest {

  @TempDir private Path folder;

  @Tag("slow")
  @Test
  void twoProcessesMeasureANetwork() {
    Path file = folder.resolve("p.json");
    CommandRun run =
        CommandRun.done(
            "profile", "lenet", "--samples", "4", "--strategies", "filter", "--output", file);
    assertTrue(run.out().contains("2 processes of"), run.out());
    assertTrue(run.out().contains("allreduce"), run.out());
    Profile profile = ProfileFile.read(file);
    assertEquals(2, profile.ranks());
    assertTrue(profile.layers().size() > 10);
  }

  /** Before anything is measured. */
  @Test
  void wrongOptionsAreRefused() {
    assertEquals(
        "tandem: name a network whose layers are measured, or use --collectives-only",
        CommandRun.failed(2, "profile"));
    assertTrue(
        CommandRun.failed(2, "profile", "lenet", "--collectives-only").contains("no layers"));
    assertTrue(CommandRun.failed(2, "profile", "lenet", "-n", "1").contains("at least 2 ranks"));
    assertTrue(CommandRun.failed(2, "profile", "lenet", "--samples", "0").contains("--samples"));
    assertTrue(
        CommandRun.failed(2, "profile", "lenet", "--strategies", "filtre").contains("filtre"));
    assertTrue(
        CommandRun.failed(2, "profile", "lenet", "--output", folder.resolve("no/p.json"))
            .contains("no/p.json cannot be written"));
    assertTrue(CommandRun.failed(2, "profile", "resnett").contains("resnett"));
  }
}
