package dev.tandem.cli.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.tandem.cli.documents.DocumentedCommands.Command;
import dev.tandem.core.Seed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every {@code ./tandem} line in docs/, in a folder of its own for each document, where somebody
 * has already followed the README: train.yaml and runs/train are there, and the README's data. Runs
 * after the suite ({@code .ci/run}), because it needs Tandem to be built.
 */
@Tag("newcomer")
class DocumentsTest {

  @TempDir private static Path temporary;

  @TestFactory
  Stream<DynamicContainer> everyPrintedCommandWorks() throws IOException {
    List<Path> documents;
    try (Stream<Path> files = Files.list(NewcomerFolder.checkout().resolve("docs"))) {
      documents = files.filter(file -> file.toString().endsWith(".md")).sorted().toList();
    }
    List<DynamicContainer> containers = new ArrayList<>();
    for (Path document : documents) {
      List<Command> commands = DocumentedCommands.of(document).commands();
      if (!commands.isEmpty()) {
        containers.add(container(document, commands));
      }
    }
    return containers.stream();
  }

  private static DynamicContainer container(Path document, List<Command> commands) {
    String name = document.getFileName().toString();
    Path place = temporary.resolve(name);
    List<DynamicTest> tests = new ArrayList<>();
    tests.add(DynamicTest.dynamicTest("before " + name, () -> prepare(place)));
    for (Command command : commands) {
      tests.add(
          DynamicTest.dynamicTest(
              name + ":" + command.line() + " " + command.text(), () -> check(place, command)));
    }
    return DynamicContainer.dynamicContainer(name, tests);
  }

  /** The README's first steps, done once and copied; docs/training.md itself begins with them. */
  private static void prepare(Path place) throws Exception {
    Path started = temporary.resolve("started");
    if (!Files.exists(started)) {
      NewcomerFolder folder = NewcomerFolder.in(started);
      folder.drawPhotos(new Seed(5));
      folder.writeTables(new Seed(6));
      folder.done("cp photos/val/circle/0.* a.png");
      folder.done("./tandem init train.yaml");
      folder.done("./tandem train train.yaml --set steps=2");
    }
    String name = place.getFileName().toString();
    new NewcomerFolder(temporary).done("cp -a started '%s'".formatted(name));
    NewcomerFolder folder = new NewcomerFolder(place);
    switch (name) {
      case "training.md" -> folder.done("rm -r train.yaml runs");
      case "communication.md" -> folder.compile(name, "Sum", "my.jar");
      case "java.md" ->
          folder.done(
              "'%s/bin/javac' -cp '%s/target/app/lib/*' -d classes examples/java/*.java"
                  .formatted(System.getProperty("java.home"), NewcomerFolder.checkout()));
      case "simulation.md" -> folder.done("echo cluster.cores = 8 >own.properties");
      default -> {}
    }
  }

  private static void check(Path place, Command command) throws Exception {
    NewcomerFolder folder = new NewcomerFolder(place);
    switch (command.kind()) {
      case SHORT, LONG -> folder.done(command.shortened());
      case FAILS -> assertNotEquals(0, folder.run(command.shortened()).exitCode());
      case ELSEWHERE -> {
        String reason = command.text() + " is not run here: " + command.reason();
        System.out.println(reason);
        assertEquals(false, command.reason().isBlank());
        abort(reason);
      }
    }
  }
}
