package dev.tandem.sync.tune;

import dev.tandem.core.UsageException;
import dev.tandem.posix.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * Where a choice is kept between runs: a few lines of text with a version and a checksum, one file
 * for each {@link TuningKey}. Whatever is wrong with it costs one line and a new search.
 *
 * @param folder of all such files; made when one is written
 * @param log takes the line
 */
record TuningFile(Path folder, TuningKey key, Consumer<String> log) {

  private static final String HEAD = "tandem synchronisation tuning ";
  private static final String VERSION = HEAD + "1";

  Path path() {
    return folder.resolve(key.fileName());
  }

  /** What was kept, if it is good. */
  Optional<Candidate> read() {
    List<String> lines;
    try {
      lines = Files.readAllLines(path());
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      return useless("cannot be read");
    }
    if (lines.isEmpty() || !lines.getFirst().startsWith(HEAD)) {
      return useless("is no such file");
    }
    if (!lines.getFirst().equals(VERSION)) {
      return useless("was written by another version");
    }
    if (lines.size() != 5 || !lines.get(4).equals(checksum(lines.subList(0, 4)))) {
      return useless("is damaged");
    }
    if (!lines.get(1).equals(key.text())) {
      return useless("is for another training");
    }
    try {
      return Optional.of(Candidate.parse(lines.get(2)));
    } catch (UsageException e) {
      return useless("has a choice that this version does not know");
    }
  }

  private Optional<Candidate> useless(String why) {
    log.accept("%s %s: synchronisation is tuned again".formatted(path(), why));
    return Optional.empty();
  }

  /** Keeps a choice, whole or not at all. */
  void write(Candidate chosen, double stepMillis) {
    List<String> lines =
        List.of(
            VERSION,
            key.text(),
            chosen.words(),
            String.format(Locale.ROOT, "a step took %.3f ms", stepMillis));
    String text = String.join("\n", lines) + "\n" + checksum(lines) + "\n";
    DurableFiles files = DurableFiles.system();
    files.createFolders(folder);
    files.replace(path(), ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static String checksum(List<String> lines) {
    CRC32C checksum = new CRC32C();
    checksum.update(String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
    return "checksum %08x".formatted(checksum.getValue());
  }
}
