package dev.tandem.posix;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileTreesTest {

  @TempDir Path folder;

  @Test
  void removesATreeAndNothingThatALinkLeadsTo() throws Exception {
    Path kept = Files.createDirectory(folder.resolve("kept"));
    Files.writeString(kept.resolve("file"), "stays");
    Path tree = Files.createDirectories(folder.resolve("tree/deep/deeper"));
    Files.writeString(tree.resolve("file"), "goes");
    Files.createSymbolicLink(tree.resolve("link"), kept);
    FileTrees.delete(folder.resolve("tree"));
    FileTrees.delete(folder.resolve("tree"));
    assertFalse(Files.exists(folder.resolve("tree")));
    assertTrue(Files.exists(kept.resolve("file")));
  }
}
