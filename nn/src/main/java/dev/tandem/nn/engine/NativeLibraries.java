package dev.tandem.nn.engine;

import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The libraries that a build brings on its class path for one platform, and the folder of the user
 * that they are unpacked into, because the system loads libraries from files only.
 *
 * <p>The folder appears whole or not at all: files are written beside it, compared with the SHA-256
 * that we know, and moved into place under a lock, so that any number of processes may start at
 * once. A folder with a missing or shortened file is made again.
 *
 * @param glibc the oldest release of the C library that can load them
 */
record NativeLibraries(String platform, String version, String glibc, List<Library> libraries) {

  /** One file, by its place on the class path. */
  record Library(String sha256, long bytes, String resource) {

    String name() {
      return resource.substring(resource.lastIndexOf('/') + 1);
    }
  }

  private static final String SUPPORTED =
      "the compute engine runs on Linux with glibc, on x86-64 or aarch64";

  /** Those for the machine that this process runs on. */
  static NativeLibraries ofThisMachine() {
    return of(System.getProperty("os.name"), System.getProperty("os.arch"));
  }

  static NativeLibraries of(String system, String processor) {
    String name =
        switch (processor) {
          case "amd64", "x86_64" -> "x86_64";
          default -> processor;
        };
    String platform = system.equals("Linux") ? "linux-" + name : "";
    try (InputStream in = NativeLibraries.class.getResourceAsStream(platform + ".libraries")) {
      if (in == null) {
        throw new WorkFailedException(SUPPORTED + ", not on " + system + " " + processor);
      }
      return parse(platform, new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static NativeLibraries parse(String platform, String text) {
    String version = "";
    String glibc = "";
    List<Library> libraries = new ArrayList<>();
    for (String line : text.lines().filter(line -> !line.startsWith("#")).toList()) {
      String[] words = line.split(" ", -1);
      switch (words[0]) {
        case "version" -> version = words[1];
        case "glibc" -> glibc = words[1];
        default -> libraries.add(new Library(words[0], Long.parseLong(words[1]), words[2]));
      }
    }
    return new NativeLibraries(platform, version, glibc, List.copyOf(libraries));
  }

  /** The names of the files in the order in which they are loaded. */
  List<String> names() {
    return libraries.stream().map(Library::name).toList();
  }

  /** Fails, saying what is supported, if this system cannot load them. */
  void checkSystem(String systemGlibc) {
    if (systemGlibc.isEmpty()) {
      throw new WorkFailedException(
          SUPPORTED + "; the C library of this system is another one (musl, as on Alpine?)");
    }
    if (Runtime.Version.parse(systemGlibc).compareTo(Runtime.Version.parse(glibc)) < 0) {
      throw new WorkFailedException(
          "the compute engine needs glibc %s or newer on %s, and this system has %s: use a newer"
                  .formatted(glibc, platform, systemGlibc)
              + " distribution, or name an installed libtorch with TANDEM_LIBTORCH=FOLDER");
    }
  }

  /** Where they are unpacked to. */
  Path folder(Path cache) {
    return cache.resolve("libtorch-" + version + "-" + platform + "-" + fingerprint());
  }

  /** A few digits that change with any of the files. */
  private String fingerprint() {
    MessageDigest digest = sha256();
    libraries.forEach(
        library -> digest.update(library.sha256().getBytes(StandardCharsets.US_ASCII)));
    return HexFormat.of().formatHex(digest.digest(), 0, 4);
  }

  /** Whether all files are in the folder, whole. */
  boolean isUnpacked(Path cache) {
    Path folder = folder(cache);
    for (Library library : libraries) {
      try {
        if (Files.size(folder.resolve(library.name())) != library.bytes()) {
          return false;
        }
      } catch (IOException e) {
        return false;
      }
    }
    return true;
  }

  /** Unpacks what is not unpacked yet and returns the folder. */
  Path unpack(Path cache, Progress progress) {
    Path folder = folder(cache);
    if (isUnpacked(cache)) {
      return folder;
    }
    try {
      Files.createDirectories(cache);
      try (FileChannel channel =
              FileChannel.open(
                  cache.resolve(folder.getFileName() + ".lock"),
                  StandardOpenOption.CREATE,
                  StandardOpenOption.WRITE);
          FileLock _ = channel.lock()) {
        if (!isUnpacked(cache)) {
          checkSpace(cache);
          unpackAll(folder, progress);
        }
      }
    } catch (IOException e) {
      throw new WorkFailedException(
          "cannot unpack the compute engine into %s (%s): make room there, or name another folder"
                  .formatted(cache, e)
              + " with TANDEM_CACHE=FOLDER",
          e);
    }
    return folder;
  }

  private void checkSpace(Path cache) throws IOException {
    long needed = libraries.stream().mapToLong(Library::bytes).sum();
    long usable = Files.getFileStore(cache).getUsableSpace();
    if (usable < needed) {
      throw new WorkFailedException(
          "the compute engine needs %,d MiB in %s, and %,d MiB are free: make room there, or name"
                  .formatted(needed >> 20, cache, usable >> 20)
              + " another folder with TANDEM_CACHE=FOLDER");
    }
  }

  private void unpackAll(Path folder, Progress progress) throws IOException {
    Path pending = folder.resolveSibling(folder.getFileName() + ".pending");
    deleteTree(pending);
    Files.createDirectories(pending);
    long total = libraries.stream().mapToLong(Library::bytes).sum();
    try (Progress.Task task =
        progress.start("unpacking the compute engine (once)", total >> 20, "MiB")) {
      long done = 0;
      for (Library library : libraries) {
        unpack(library, pending.resolve(library.name()));
        done += library.bytes();
        task.advanceTo(done >> 20);
      }
    }
    // Processes that have loaded files of a damaged folder keep them: they are only unlinked.
    deleteTree(folder);
    Files.move(pending, folder, StandardCopyOption.ATOMIC_MOVE);
  }

  private void unpack(Library library, Path file) throws IOException {
    InputStream resource =
        NativeLibraries.class.getClassLoader().getResourceAsStream(library.resource());
    if (resource == null) {
      throw new WorkFailedException(
          "this build has no compute engine for %s: %s is not on its class path; build Tandem on"
                  .formatted(platform, library.resource())
              + " this machine, or name an installed libtorch with TANDEM_LIBTORCH=FOLDER");
    }
    MessageDigest digest = sha256();
    try (InputStream in = new DigestInputStream(resource, digest);
        OutputStream out = Files.newOutputStream(file)) {
      in.transferTo(out);
    }
    if (!HexFormat.of().formatHex(digest.digest()).equals(library.sha256())) {
      throw new WorkFailedException(
          "%s on the class path is not the file that this build was made with (its SHA-256 differs):"
                  .formatted(library.resource())
              + " delete the jar that holds it from the local Maven repository and build again");
    }
  }

  private static void deleteTree(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, IOException e)
              throws IOException {
            Files.delete(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
