package dev.tandem.nn.engine;

import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Finds GPUs and an installed torch that computes on them, by looking at files only. */
public final class InstalledTorch {

  private static final List<String> PACKAGES = List.of("site-packages", "dist-packages");

  private final Path root;
  private final Map<String, String> variables;

  /** Looks below a root folder, which is that of the system outside tests. */
  public InstalledTorch(Path root, Map<String, String> variables) {
    this.root = root;
    this.variables = Map.copyOf(variables);
  }

  /** Whether the system has a GPU of NVIDIA's. */
  public boolean seesGpu() {
    return !matching(root.resolve("dev"), "nvidia[0-9]*").isEmpty()
        || Files.exists(root.resolve("dev/dxg")); // as in WSL
  }

  /**
   * The folder of a libtorch for GPUs: of an active environment, of python3, of the usual places.
   */
  public Optional<Path> cuda() {
    return folders().stream().filter(Libtorch::computesOnGpus).findFirst();
  }

  private Set<Path> folders() {
    Set<Path> folders = new LinkedHashSet<>();
    for (String variable : List.of("VIRTUAL_ENV", "CONDA_PREFIX")) {
      String prefix = variables.get(variable);
      if (prefix != null && !prefix.isBlank()) {
        folders.addAll(ofPrefix(Path.of(prefix)));
      }
    }
    python().ifPresent(prefix -> folders.addAll(ofPrefix(prefix)));
    String home = variables.get("HOME");
    if (home != null && !home.isBlank()) {
      folders.addAll(ofPrefix(Path.of(home, ".local")));
    }
    folders.addAll(ofPrefix(root.resolve("usr/local")));
    folders.addAll(ofPrefix(root.resolve("usr")));
    for (String place : List.of("opt/libtorch/lib", "usr/local/libtorch/lib")) {
      folders.add(root.resolve(place));
    }
    for (Path below : matching(root.resolve("opt"), "*")) {
      folders.addAll(ofPrefix(below));
      for (Path environment : matching(below, "{.venv,venv,env}")) {
        folders.addAll(ofPrefix(environment));
      }
    }
    return folders;
  }

  /** The environment that the first python3 on the path belongs to. */
  private Optional<Path> python() {
    for (String folder : variables.getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
      Path python = Path.of(folder).resolve("python3");
      if (!folder.isBlank() && Files.isExecutable(python)) {
        return Optional.ofNullable(python.toAbsolutePath().getParent().getParent());
      }
    }
    return Optional.empty();
  }

  /** Where pip puts libtorch below the prefix of a Python. */
  private static List<Path> ofPrefix(Path prefix) {
    List<Path> folders = new ArrayList<>();
    List<Path> pythons = matching(prefix.resolve("lib"), "python3*");
    for (Path python : pythons.reversed()) {
      PACKAGES.forEach(packages -> folders.add(python.resolve(packages).resolve("torch/lib")));
    }
    return folders;
  }

  private static List<Path> matching(Path folder, String glob) {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, glob)) {
      entries.forEach(found::add);
    } catch (IOException e) {
      return List.of(); // not there, or not ours to look at
    }
    found.sort(null);
    return found;
  }
}
