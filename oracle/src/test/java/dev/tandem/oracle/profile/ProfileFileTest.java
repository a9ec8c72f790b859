package dev.tandem.oracle.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProfileFileTest {

  @TempDir private Path folder;

  private Path file(String text) throws Exception {
    return Files.writeString(folder.resolve("profile.json"), text);
  }

  private String refused(String text) throws Exception {
    Path file = file(text);
    UsageException refused = assertThrows(UsageException.class, () -> ProfileFile.read(file));
    assertTrue(refused.getMessage().startsWith(file.toString()), refused.getMessage());
    assertEquals(1, refused.getMessage().lines().count());
    return refused.getMessage().substring(file.toString().length());
  }

  @Test
  void whatIsWrittenIsRead() {
    Profile profile =
        new Profile(
            Profile.VERSION,
            "a device",
            2,
            2,
            1,
            1L << 33,
            "float32",
            "2026-01-02",
            List.of(
                new Profile.Layer(
                    "ip",
                    "fully-connected",
                    "fully-connected, outputs=10 of [[4]]",
                    List.of(List.of(4L)),
                    List.of(10L),
                    50,
                    90,
                    List.of(new Profile.Times(8, 1e-5, 2e-5, 3e-5, 0.1)))),
            List.of(new Profile.Update(1, 1e-9, 1e-6)),
            1e-6,
            2e-10,
            new Profile.PerPass(1e-4, 1e-6),
            0.4,
            List.of(new Profile.StartUp(200, 0.5)),
            List.of(new Profile.Collective("allreduce", 2, 1, 1024, 2e-5, 0.2)));
    Path file = folder.resolve("own.json");
    ProfileFile.write(file, profile);
    assertEquals(profile, ProfileFile.read(file));
  }

  /** As little as a program for another engine may write. */
  @Test
  void whatMayBeLeftOut() throws Exception {
    Profile profile =
        ProfileFile.read(
            file(
                """
                {"version": 1, "device": "d", "layers": [{"name": "a", "kind": "relu",
                 "inputs": [[3, 8, 8]], "output": [3, 8, 8], "parameters": 0,
                 "times": [{"samples": 4, "forward": 1e-6, "backwardData": 1e-6,
                            "backwardWeights": 0, "spread": 0.1}]}],
                 "updates": [{"stateValues": 1, "secondsPerByte": 1e-10, "secondsPerTensor": 0}],
                 "collectives": [{"operation": "send", "ranks": 2, "bytes": 4, "seconds": 1e-5,
                                  "spread": 0}]}
                """));
    assertEquals("float32", profile.type());
    assertEquals(1, profile.gamma());
    assertEquals("", profile.layers().getFirst().signature());
    assertEquals(1, profile.collectives().getFirst().flows());
  }

  @Test
  void wrongFilesAreRefusedInOneLine() throws Exception {
    assertEquals(
        " is not a profile: line 2 is not JSON; ./tandem profile makes one",
        refused("{\n\"version\": oops}"));
    assertTrue(refused("[1]").contains("expected a JSON object with \"version\": 1"));
    assertTrue(refused("{\"version\": 7}").contains("version 7 of the format, expected 1"));
    assertTrue(
        refused("{\"version\": 1, \"layers\": [{\"nome\": \"a\"}]}")
            .contains("unknown key layers[0].nome"));
    assertTrue(
        refused("{\"version\": 1, \"layers\": [{\"parameters\": \"many\"}]}")
            .contains("layers[0].parameters has a wrong value"));
    assertTrue(
        refused("{\"version\": 1, \"layers\": [{\"name\": \"a\"}]}")
            .contains("layer a needs kind, output and times"));
    assertTrue(
        refused(
                """
                {"version": 1, "layers": [{"name": "a", "kind": "relu", "output": [1],
                 "times": [{"samples": 4, "forward": -1}]}]}
                """)
            .contains("layer a has times that are negative"));
    assertTrue(refused("{\"version\": 1, \"type\": \"float7\"}").contains("type 'float7'"));
    assertTrue(
        refused(
                """
                {"version": 1, "collectives": [{"operation": "shout", "ranks": 2, "bytes": 1,
                 "seconds": 1}]}
                """)
            .contains("unknown collective 'shout', expected one of exchange, allgather"));
  }
}
