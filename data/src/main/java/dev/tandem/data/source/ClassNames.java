package dev.tandem.data.source;

import dev.tandem.core.UsageException;
import dev.tandem.data.format.ImageFolder;
import dev.tandem.data.format.ImageHalves;
import dev.tandem.data.format.SourceFormat;
import dev.tandem.data.format.SourceFormat.Split;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/**
 * The names of the classes of a data set: the subfolders of a folder of images, or the lines of
 * {@code labels.txt} in a database's folder or beside those subfolders. Beside subfolders, lines
 * name them in their order, or each is the name of a subfolder, a blank and what to call it.
 */
public final class ClassNames {

  private static final String FILE = "labels.txt";

  private ClassNames() {}

  /** The names by label; empty where the data set has none. */
  public static List<String> of(Path data) {
    return switch (SourceFormat.of(data)) {
      case IMAGES -> ofImages(data);
      case LMDB -> lines(Files.isDirectory(data) ? data : data.toAbsolutePath().getParent());
      case IDX, CIFAR10, TAR, CSV, NPY -> List.of();
    };
  }

  private static List<String> ofImages(Path data) {
    Path train = ImageHalves.of(data).map(halves -> halves.half(Split.TRAIN)).orElse(data);
    List<String> folders = ImageFolder.classes(train);
    List<String> lines = lines(train).isEmpty() ? lines(data) : lines(train);
    if (lines.isEmpty()) {
      return folders;
    }
    if (lines.size() != folders.size()) {
      throw new UsageException(
          "%s: labels.txt has %d lines, but there are %d subfolders, one per class"
              .formatted(data, lines.size(), folders.size()));
    }
    if (new HashSet<>(lines).equals(new HashSet<>(folders))) {
      return lines;
    }
    Map<String, String> names = new HashMap<>();
    for (String line : lines) {
      String[] words = line.split("[\\s,]+", 2);
      names.put(words[0], words.length == 1 ? line : words[1]);
    }
    return names.keySet().containsAll(folders) ? folders.stream().map(names::get).toList() : lines;
  }

  private static List<String> lines(Path folder) {
    Path file = folder.resolve(FILE);
    if (!Files.isRegularFile(file)) {
      return List.of();
    }
    try {
      return Files.readAllLines(file).stream()
          .map(String::strip)
          .filter(line -> !line.isEmpty())
          .toList();
    } catch (MalformedInputException e) {
      throw new UsageException(file + " is not UTF-8 text");
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }
}
