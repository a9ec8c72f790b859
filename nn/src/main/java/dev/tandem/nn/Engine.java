package dev.tandem.nn;

import dev.tandem.core.Progress;
import dev.tandem.core.WorkFailedException;
import dev.tandem.nn.engine.CountedArena;
import dev.tandem.nn.engine.EngineException;
import dev.tandem.nn.engine.Libtorch;
import dev.tandem.nn.engine.StorageCount;
import dev.tandem.posix.Capability;
import dev.tandem.posix.NativeEnvironment;
import dev.tandem.posix.NativeHeap;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The compute engine of this process, libtorch, with a fixed number of threads for each operation.
 *
 * <p>It comes with the build, or from the folder of an installed torch that {@link #use} or the
 * variable {@code TANDEM_LIBTORCH} names. The native library is loaded once in the life of a
 * process and never unloaded. All methods may be called by any thread.
 */
public final class Engine {

  private static final String FOLDER = "TANDEM_LIBTORCH";

  private static final Object LOADING = new Object();
  private static Libtorch loaded;
  private static Optional<Path> named = Optional.empty();

  private final Device device;
  private final int threads;
  private final StorageCount storage = new StorageCount();

  private Engine(Device device, int threads) {
    this.device = device;
    this.threads = threads;
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
    if (threads < 1) {
      throw new IllegalArgumentException("the engine needs at least 1 thread, not " + threads);
    }
    prepare();
    Engine engine = new Engine(device, threads);
    engine.enter();
    return engine;
  }

  /** What it computes on. */
  public Device device() {
    return device;
  }

  /** Threads that compute one operation, the caller among them. */
  public int threads() {
    return threads;
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

  /** Must come first in each call: the engine keeps its number of threads per calling thread. */
  void enter() {
    Libtorch.enter(threads, storage);
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
