package dev.tandem.cli.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tandem.cli.documents.DocumentedCommands.Command;
import dev.tandem.cli.documents.DocumentedCommands.Kind;
import dev.tandem.core.Seed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The first hour: every line of the README in its order, in a folder with somebody's own images and
 * tables; then what came out is looked at. Lines marked long are shortened. Runs after the suite
 * ({@code .ci/run}), because it needs Tandem to be built.
 */
@Tag("newcomer")
class NewcomerTest {

  @TempDir private Path temporary;

  @Test
  void theReadmeWorksLineByLine() throws Exception {
    NewcomerFolder folder = NewcomerFolder.in(temporary.resolve("readme"));
    folder.drawPhotos(new Seed(5));
    folder.writeTables(new Seed(6));
    List<Command> commands =
        DocumentedCommands.of(NewcomerFolder.checkout().resolve("README.md")).commands();
    for (Command command : commands) {
      // The suite is what CI runs before this.
      if (!command.text().equals("./tandem test")) {
        assertNotEquals(Kind.ELSEWHERE, command.kind(), command.text());
        folder.done(command.shortened());
      }
    }
    quietVersion(folder);
    photos(folder);
    assertTrue(eval(folder, "flowers").get("accuracy").asDouble() > 0.9);
    assertTrue(eval(folder, "prices").at("/regression/r2").asDouble() > 0.9);
  }

  /** Standard output is the command's own, and standard error is empty. */
  private static void quietVersion(NewcomerFolder folder) throws Exception {
    assertEquals(2, folder.done("./tandem --version 2>/dev/null").lines().count());
    assertEquals("", folder.done("./tandem --version 2>&1 >/dev/null"));
  }

  private static JsonNode eval(NewcomerFolder folder, String run) throws Exception {
    folder.done("./tandem eval runs/%1$s --json %1$s.json".formatted(run));
    return json(folder.path().resolve(run + ".json"));
  }

  private static JsonNode json(Path file) throws IOException {
    return new ObjectMapper().readTree(file.toFile());
  }

  /** The exported network says by itself what it sees, in another engine. */
  private static void photos(NewcomerFolder folder) throws Exception {
    assertTrue(eval(folder, "photos").get("accuracy").asDouble() > 0.9);
    ExportedClassifier exported = ExportedClassifier.open(folder.path().resolve("photos.onnx"));
    assertEquals(List.of("circle", "square"), exported.classes());
    int right = 0;
    int all = 0;
    for (String name : exported.classes()) {
      Path images = folder.path().resolve("photos/val").resolve(name);
      for (Path image : ExportedClassifier.filesIn(images)) {
        right += exported.classify(image).equals(name) ? 1 : 0;
        all++;
      }
    }
    assertTrue(right > 0.9 * all, right + " of " + all);
  }
}
