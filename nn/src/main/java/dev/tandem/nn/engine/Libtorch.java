package dev.tandem.nn.engine;

import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The libtorch of this process: loaded once, checked, never unloaded. All methods may be called by
 * any thread.
 */
public final class Libtorch {

  /** The oldest release whose operations have the symbols and layouts that we call by. */
  private static final int OLDEST_MINOR = 7;

  private static final int MAJOR = 2;

  /** What every libtorch has. */
  private static final List<String> REQUIRED = List.of("libc10.so", "libtorch_cpu.so");

  /** What those have beside that which compute on GPUs of NVIDIA's, in the order of loading. */
  private static final List<String> CUDA_LIBRARIES = List.of("libc10_cuda.so", "libtorch_cuda.so");

  /** The first bytes of a shared library. */
  private static final byte[] ELF = {0x7f, 'E', 'L', 'F'};

  private static Libtorch loaded;
  private static boolean oneDnn;

  /** Functions of the loaded libraries. */
  static final class Symbols {

    private final List<SymbolLookup> libraries;

    private Symbols(List<SymbolLookup> libraries) {
      this.libraries = List.copyOf(libraries);
    }

    /** The address of a symbol, or 0. */
    long find(String name) {
      for (SymbolLookup library : libraries) {
        Optional<MemorySegment> found = library.find(name);
        if (found.isPresent()) {
          return found.get().address();
        }
      }
      return 0;
    }

    /** The address of a symbol that the engine cannot do without. */
    MemorySegment required(String name) {
      long address = find(name);
      if (address == 0) {
        throw new WorkFailedException(
            "the libraries of the compute engine have no symbol " + name + ", which it needs");
      }
      return MemorySegment.ofAddress(address);
    }
  }

  private final Path folder;
  private final String version;

  private Libtorch(Path folder, String version) {
    this.folder = folder;
    this.version = version;
  }

  /**
   * Unpacks the libraries that the build brings into the user's cache, unless that has been done or
   * an installed libtorch is used. Takes seconds, once for each user of a machine.
   *
   * @throws WorkFailedException in one line if this machine is not supported or the disk is full
   */
  public static void unpack(Optional<Path> installed, Progress progress) {
    if (installed.isEmpty()) {
      NativeLibraries libraries = NativeLibraries.ofThisMachine();
      libraries.checkSystem(SystemLibrary.glibc());
      libraries.unpack(UserCache.folder(), progress);
    }
  }

  /**
   * Loads and checks libtorch: that of a folder, or else that of the build, unpacked if need be.
   * Only the first call does something.
   *
   * @throws WorkFailedException in one line that says what is wrong
   */
  public static synchronized Libtorch load(Optional<Path> installed) {
    NativeLibraries libraries = NativeLibraries.ofThisMachine();
    if (installed.isPresent()) {
      Path folder = installed.get().toAbsolutePath().normalize();
      // A copy of ours needs its others loaded first; those of another the system finds by itself.
      List<String> names =
          new ArrayList<>(
              libraries.names().stream()
                  .filter(name -> REQUIRED.contains(name) || Files.exists(folder.resolve(name)))
                  .toList());
      if (computesOnGpus(folder)) {
        // Before the first operation: libtorch looks for them only once.
        names.addAll(CUDA_LIBRARIES);
      }
      return load(folder, names);
    }
    libraries.checkSystem(SystemLibrary.glibc());
    return load(libraries.unpack(UserCache.folder(), Progress.SILENT), libraries.names());
  }

  private static Libtorch load(Path folder, List<String> libraries) {
    if (loaded != null) {
      if (!loaded.folder.equals(folder)) {
        throw new WorkFailedException(
            "libtorch is already loaded from %s: a process cannot load a second one from %s"
                .formatted(loaded.folder, folder));
      }
      return loaded;
    }
    List<SymbolLookup> lookups = new ArrayList<>();
    for (String name : libraries) {
      lookups.addFirst(open(folder.resolve(name)));
    }
    lookups.add(SystemLibrary.open("libstdc++.so.6", "libstdc++6"));
    lookups.add(SystemLibrary.open("libgcc_s.so.1", "libgcc-s1"));
    Symbols symbols = new Symbols(lookups);
    Native.bind(symbols);
    Operation.missing()
        .ifPresent(
            symbol -> {
              throw unusable(folder, "it has no operation " + symbol);
            });
    String version = checkVersion(folder);
    oneDnn = Processor.gainsFromOneDnn();
    Native.configure(oneDnn);
    SelfTest.failure()
        .ifPresent(
            failure -> {
              throw unusable(folder, "version " + version + " computes wrongly: " + failure);
            });
    loaded = new Libtorch(folder, version);
    return loaded;
  }

  /** Sets what {@link #enter(int, StorageCount, Accelerator)} does, on the processor. */
  public static void enter(int threads, StorageCount storage) {
    enter(threads, storage, null);
  }

  /**
   * Sets how many threads compute each operation of the calling thread, itself among them, where
   * its tensors are counted, and where they are.
   *
   * @param accelerator null for the processor
   */
  public static void enter(int threads, StorageCount storage, Accelerator accelerator) {
    EngineThread thread = EngineThread.current();
    thread.storage = storage;
    thread.enter(accelerator);
    if (thread.threads != threads) {
      Native.setThreads(threads);
      thread.threads = threads;
    }
  }

  /**
   * The GPU with this number, computed on by the libtorch that is loaded, which {@link
   * #computesOnGpus}.
   */
  public Accelerator gpu(int index) {
    return CudaAccelerator.of(index);
  }

  /** GPUs that this process sees; 0 if the libtorch that is loaded cannot compute on any. */
  public int gpus() {
    return computesOnGpus(folder) ? CudaRuntime.devices() : 0;
  }

  /** Whether a libtorch in this folder can compute on GPUs. */
  public static boolean computesOnGpus(Path folder) {
    return Files.exists(folder.resolve(CUDA_LIBRARIES.getLast()));
  }

  /** The newest release of CUDA that the driver knows, such as 13.0; of a libtorch for GPUs. */
  public static String cudaDriver() {
    int version = CudaRuntime.driver();
    return version / 1000 + "." + version % 1000 / 10;
  }

  /** The folder that it was loaded from. */
  public Path folder() {
    return folder;
  }

  /**
   * How GPUs compute, in the whole process.
   *
   * @param tf32 whether products of float32 may be rounded to 10 bits
   * @param repeatable whether the same work gives the same bits every time; else the fastest ways
   *     are found out by trying
   */
  public static void setGpuArithmetic(boolean tf32, boolean repeatable) {
    Native.setContext("17setAllowTF32CuDNN", tf32);
    Native.setContext("18setAllowTF32CuBLAS", tf32);
    Native.setContext("21setDeterministicCuDNN", repeatable);
    Native.setContext("17setBenchmarkCuDNN", !repeatable);
  }

  /** Runs work of the calling thread on the processor, whatever it computes on otherwise. */
  public static <T> T onHost(Supplier<T> work) {
    return EngineThread.current().onHost(work);
  }

  /** Waits until the device that the calling thread computes on has nothing to do. */
  public static void awaitDevice() {
    EngineThread.current().awaitDevice();
  }

  /** Threads that compute each operation of the calling thread. */
  public static int threads() {
    return Math.max(1, EngineThread.current().threads);
  }

  /** Whether convolutions are computed by oneDNN, where it knows them, or by products of BLAS. */
  public static boolean usesOneDnn() {
    return oneDnn;
  }

  /** The same before it is loaded. */
  public static boolean willUseOneDnn() {
    return Processor.gainsFromOneDnn();
  }

  /** Such as 2.7.1. */
  public String version() {
    return version;
  }

  private static String checkVersion(Path folder) {
    Matcher found =
        Pattern.compile("TORCH_VERSION=(\\d+)\\.(\\d+)([.\\w+]*)").matcher(Native.configuration());
    if (!found.find()) {
      throw unusable(folder, "it does not tell its version");
    }
    int minor = Integer.parseInt(found.group(2));
    if (Integer.parseInt(found.group(1)) != MAJOR || minor < OLDEST_MINOR) {
      throw unusable(
          folder,
          "it is version %s.%s, and %d.%d or newer is needed"
              .formatted(found.group(1), found.group(2), MAJOR, OLDEST_MINOR));
    }
    return found.group(1) + "." + found.group(2) + found.group(3);
  }

  @SuppressWarnings("restricted") // loading libraries is what this class is for
  private static SymbolLookup open(Path file) {
    if (!Files.isReadable(file)) {
      throw unusable(file.getParent(), "there is no file " + file.getFileName());
    }
    // The JVM would look into it and print warnings of its own.
    if (!startsAsLibrary(file)) {
      throw unusable(file.getParent(), file.getFileName() + " is not a shared library");
    }
    try {
      return SymbolLookup.libraryLookup(file, Arena.global());
    } catch (IllegalArgumentException e) {
      throw unusable(file.getParent(), SystemLibrary.reason(file.toString(), e));
    }
  }

  private static boolean startsAsLibrary(Path file) {
    try (InputStream bytes = Files.newInputStream(file)) {
      return Arrays.equals(bytes.readNBytes(ELF.length), ELF);
    } catch (IOException e) {
      throw unusable(file.getParent(), file.getFileName() + " cannot be read: " + e.getMessage());
    }
  }

  private static WorkFailedException unusable(Path folder, String reason) {
    return new WorkFailedException(
        "libtorch in " + folder + " cannot be used as the compute engine: " + reason);
  }
}
