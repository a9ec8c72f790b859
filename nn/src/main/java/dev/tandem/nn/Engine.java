package dev.tandem.nn;

import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import dev.tandem.nn.engine.Accelerator;
import dev.tandem.nn.engine.CountedArena;
import dev.tandem.nn.engine.EngineException;
import dev.tandem.nn.engine.Libtorch;
import dev.tandem.nn.engine.StorageCount;
import dev.tandem.nn.internal.FlatTensors;
import dev.tandem.posix.Capability;
import dev.tandem.posix.NativeEnvironment;
import dev.tandem.posix.NativeHeap;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The compute engine of this process, libtorch, with a fixed number of threads for each operation.
 *
 * <p>It comes with the build, or from the folder of an installed torch that {@link #use} or the
 * variable {@code TANDEM_LIBTORCH} names, or that {@link #choose} finds for a GPU. The native
 * library is loaded once in the life of a process and never unloaded. All methods may be called by
 * any thread.
 */
public final class Engine {

  private static final String FOLDER = "TANDEM_LIBTORCH";

  private static final Object LOADING = new Object();
  private static Libtorch loaded;
  private static Optional<Path> named = Optional.empty();

  private final EngineOptions options;
  private final Device device;
  private final Optional<Accelerator> accelerator;
  private final StorageCount storage = new StorageCount();

  private Engine(EngineOptions options, Device device, Optional<Accelerator> accelerator) {
    this.options = options;
    this.device = device;
    this.accelerator = accelerator;
  }

  /**
   * Decides, for the whole process, which libtorch is loaded for this device. To be called before
   * the engine is first used.
   *
   * @throws dev.tandem.core.UsageException if a GPU is wanted that cannot be used
   */
  public static DeviceChoice choose(Device wanted) {
    synchronized (LOADING) {
      DeviceChoice choice =
          loaded == null
              ? DeviceChoice.of(wanted, installed())
              : DeviceChoice.of(wanted, Optional.of(loaded.folder()));
      if (loaded == null) {
        named = choice.libtorch().or(() -> named);
      }
      return choice;
    }
  }

  /**
   * Makes this process load libtorch from a folder that has libtorch_cpu.so, such as {@code
   * torch/lib} of a Python installation. To be called before the engine is first used.
   */
  public static void use(Path folder) {
    synchronized (LOADING) {
      named = Optional.of(folder);
    }
  }

  /**
   * Checks that this machine can run the engine, and unpacks the native library into the user's
   * cache if it is not there yet.
   *
   * <p>Unpacking takes seconds and happens once for each user of a machine; of several processes
   * that start at once one unpacks and the others wait. A launcher may call this first to show what
   * is going on, but need not.
   *
   * @throws WorkFailedException if there is no native library for this platform
   */
  public static void unpack(Progress progress) {
    Libtorch.unpack(installed(), progress);
  }

  /**
   * Loads the native library, and unpacks it first if need be.
   *
   * @throws WorkFailedException if it cannot be loaded or computes wrongly
   */
  public static void prepare() {
    synchronized (LOADING) {
      if (loaded == null) {
        tuneMemory();
        loaded = Libtorch.load(installed());
      }
    }
  }

  /** Whether a failure means that the engine's memory did not suffice. */
  public static boolean ranOutOfMemory(WorkFailedException failure) {
    return failure instanceof EngineException e && e.outOfMemory();
  }

  /** What computes, such as libtorch 2.7.1: with another one, bits differ. */
  public static String version() {
    prepare();
    return "libtorch " + loaded.version();
  }

  /**
   * The engine on the processor with this number of threads for each operation.
   *
   * @throws WorkFailedException if there is no native library for this platform
   */
  public static Engine start(int threads) {
    return start(Device.CPU, threads);
  }

  /**
   * The engine on this device with this number of threads for each operation.
   *
   * @throws WorkFailedException if there is no native library for this platform
   */
  public static Engine start(Device device, int threads) {
    return start(EngineOptions.of(device, threads));
  }

  /**
   * The engine that computes in this way.
   *
   * @throws WorkFailedException if there is no native library for this platform
   * @throws dev.tandem.core.UsageException if a GPU is wanted that cannot be used
   */
  public static Engine start(EngineOptions options) {
    Device device = choose(options.device()).device();
    prepare();
    if (!device.gpu()) {
      return started(options, device, Optional.empty());
    }
    int number = device.number().orElseGet(() -> options.localRank() % Math.max(1, loaded.gpus()));
    Accelerator gpu = loaded.gpu(number);
    Libtorch.setGpuArithmetic(options.tf32(), options.repeatable());
    return started(options, new Device(gpu.name()), Optional.of(gpu));
  }

  private static Engine started(
      EngineOptions options, Device device, Optional<Accelerator> accelerator) {
    Engine engine = new Engine(options, device, accelerator);
    engine.enter();
    return engine;
  }

  /** An engine on a device that tests bring. */
  static Engine on(Accelerator accelerator, EngineOptions options) {
    prepare();
    return started(options, new Device("cuda:0"), Optional.of(accelerator));
  }

  /** GPUs that this process can compute on, and what they are; none without a libtorch for them. */
  public static List<String> gpus() {
    prepare();
    return IntStream.range(0, loaded.gpus())
        .mapToObj(i -> "cuda:%d: %s".formatted(i, loaded.gpu(i).description()))
        .toList();
  }

  /** The newest release of CUDA that the driver knows, such as 13.0; empty without a GPU. */
  public static Optional<String> cudaDriver() {
    prepare();
    return loaded.gpus() == 0 ? Optional.empty() : Optional.of(Libtorch.cudaDriver());
  }

  /** The folder that libtorch is loaded from. */
  public static Path folder() {
    prepare();
    return loaded.folder();
  }

  /** What it computes on. */
  public Device device() {
    return device;
  }

  /** What it computes on, for a person. */
  public String description() {
    return accelerator
        .map(gpu -> "%s, %s".formatted(gpu.name(), gpu.description()))
        .orElse(device.name());
  }

  /**
   * Memory of a device.
   *
   * @param available bytes that no process had taken when this one began to use the device
   * @param free bytes that no process has taken now
   * @param total bytes that there are
   */
  public record DeviceMemory(long available, long free, long total) {}

  /** The memory of the device, if it has one of its own. */
  public Optional<DeviceMemory> deviceMemory() {
    return accelerator
        .map(Accelerator::memory)
        .map(memory -> new DeviceMemory(memory.available(), memory.free(), memory.total()));
  }

  /** The device with memory of its own, if it computes on one. */
  Optional<Accelerator> accelerator() {
    return accelerator;
  }

  /** How it was started. */
  EngineOptions options() {
    return options;
  }

  /** Threads that compute one operation, the caller among them. */
  public int threads() {
    return options.threads();
  }

  /** Bytes that its tensors have now, and had at most. */
  public TensorBytes memory() {
    return new TensorBytes(storage.current(), storage.peak());
  }

  /** Forgets how much {@link #memory} was at most before now. */
  public void resetPeak() {
    storage.resetPeak();
  }

  /** A shared arena, closed by the caller, whose memory counts in {@link #memory} until then. */
  public Arena arena() {
    return new CountedArena(storage);
  }

  /** Where its tensors are. */
  FlatTensors.Place place(Arena arena) {
    return new FlatTensors.Place(arena, accelerator.orElse(null));
  }

  /** A shared arena for memory of the host that does not count in {@link #memory} on a device. */
  Arena hostArena() {
    return accelerator.isPresent() ? Arena.ofShared() : arena();
  }

  /** Must come first in each call: the engine keeps its number of threads per calling thread. */
  void enter() {
    Libtorch.enter(options.threads(), storage, accelerator.orElse(null));
  }

  private static Optional<Path> installed() {
    synchronized (LOADING) {
      return named.or(
          () ->
              Optional.ofNullable(System.getenv(FOLDER))
                  .filter(folder -> !folder.isBlank())
                  .map(Path::of));
    }
  }

  /**
   * Activations come and go with every step, and their memory with them: in small pages, each to be
   * cleared by the system when it is touched first, that made 31,000 page faults in a step of
   * ResNet-18. So they are in huge pages, and freed ones are kept.
   */
  private static void tuneMemory() {
    if (NativeEnvironment.capability()
        instanceof Capability.Present<NativeEnvironment>(NativeEnvironment environment)) {
      environment.setIfMissing("THP_MEM_ALLOC_ENABLE", "1");
    }
    if (NativeHeap.capability() instanceof Capability.Present<NativeHeap>(NativeHeap heap)) {
      heap.keepFreedMemory();
    }
  }
}
