package dev.tandem.tune.local;

import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.FileErrors;
import dev.tandem.tune.task.Call;
import dev.tandem.tune.task.Input;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Inputs of tasks, once on this node under the digest of what they hold; attempts have links to
 * them, so a program must not write into them. Thread-safe, also among processes.
 */
public final class NodeCache {

  private static final String FOLDER = "inputs";

  private final Optional<Path> place;

  private NodeCache(Optional<Path> place) {
    this.place = place;
  }

  /** A cache in the folder of each study, beside that of its trials. */
  public static NodeCache ofStudies() {
    return new NodeCache(Optional.empty());
  }

  /** A cache in a folder of this node, which may hold inputs already. */
  public static NodeCache in(Path folder) {
    return new NodeCache(Optional.of(folder));
  }

  /** Gives a folder links to its inputs. */
  void place(List<Input> inputs, Call call, AttemptFolder attempt) {
    if (inputs.isEmpty()) {
      return;
    }
    Path folder = attempt.path().resolve(FOLDER);
    try {
      Files.createDirectories(folder);
      for (Input input : inputs) {
        link(folder.resolve(input.name()), get(input, call));
      }
    } catch (IOException e) {
      throw FileErrors.failure("write", folder, e);
    }
  }

  /** A hard link, which also lasts when the cache is gone; else one by name. */
  private static void link(Path name, Path cached) throws IOException {
    try {
      linkOnce(name, cached);
    } catch (FileAlreadyExistsException e) {
      // Another rank of the same gang may just have made it.
      if (!Files.isSameFile(name, cached)) {
        Files.deleteIfExists(name);
        linkOnce(name, cached);
      }
    }
  }

  private static void linkOnce(Path name, Path cached) throws IOException {
    try {
      Files.createLink(name, cached);
    } catch (FileAlreadyExistsException e) {
      throw e;
    } catch (IOException | UnsupportedOperationException e) {
      Files.createSymbolicLink(name, cached);
    }
  }

  /** This node's copy of an input, made if there is none. */
  public synchronized Path get(Input input, Call call) {
    Path folder =
        place.orElseGet(() -> call.folder().toAbsolutePath().getParent().resolveSibling(FOLDER));
    Path cached = folder.resolve(input.digest());
    if (Files.exists(cached)) {
      return cached;
    }
    try {
      Files.createDirectories(folder);
      Path pending = Files.createTempFile(folder, input.digest(), ".pending");
      try {
        fetch(input, pending);
        Files.move(pending, cached, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(pending);
      }
      return cached;
    } catch (IOException e) {
      throw FileErrors.failure("copy", cached, e);
    }
  }

  private static void fetch(Input input, Path to) throws IOException {
    MessageDigest digest = Input.sha256();
    try (InputStream in = new DigestInputStream(open(input), digest)) {
      Files.copy(in, to, StandardCopyOption.REPLACE_EXISTING);
    }
    if (!HexFormat.of().formatHex(digest.digest()).equals(input.digest())) {
      throw new WorkFailedException(
          "input %s is another one than when the study was started; --resume takes it as it is now"
              .formatted(input.name()));
    }
    if (!to.toFile().setReadOnly()) {
      throw new WorkFailedException("cannot protect " + to + " from being written");
    }
  }

  private static InputStream open(Input input) throws IOException {
    return switch (input) {
      case Input.FromBytes bytes -> new ByteArrayInputStream(bytes.bytes());
      case Input.FromFile file -> {
        if (!Files.exists(file.path())) {
          throw new WorkFailedException(
              "input %s is not on this node: %s".formatted(file.name(), file.path()));
        }
        yield Files.newInputStream(file.path());
      }
    };
  }
}
