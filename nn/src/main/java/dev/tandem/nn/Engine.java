package dev.tandem.nn;

import dev.tandem.core.WorkFailedException;
import dev.tandem.posix.Capability;
import dev.tandem.posix.NativeEnvironment;
import dev.tandem.posix.NativeHeap;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.openblas.global.openblas_nolapack;
import org.bytedeco.pytorch.global.torch;

/**
 * The compute engine of this process, libtorch, with a fixed number of threads for each operation.
 *
 * <p>The native library is loaded once in the life of a process and never unloaded. All methods may
 * be called by any thread.
 */
public final class Engine {

  private static final Object LOADING = new Object();
  private static boolean loaded;

  private final Device device;
  private final int threads;

  private Engine(Device device, int threads) {
    this.device = device;
    this.threads = threads;
  }

  /**
   * Unpacks the native library into the user's cache, if it is not there yet.
   *
   * <p>Unpacking takes seconds and happens once for each user of a machine; of several processes
   * that start at once one unpacks and the others wait. A launcher may call this first to show what
   * is going on, but need not.
   *
   * @throws WorkFailedException if there is no native library for this platform
   */
  public static void unpack() {
    if (!NativeCache.isComplete()) {
      prepare();
    }
  }

  /**
   * Loads the native library, and unpacks it first if need be.
   *
   * @throws WorkFailedException if there is no native library for this platform
   */
  public static void prepare() {
    synchronized (LOADING) {
      if (!loaded) {
        load();
        loaded = true;
      }
    }
  }

  /**
   * The engine on the processor with so many threads for each operation.
   *
   * @throws WorkFailedException if there is no native library for this platform
   */
  public static Engine start(int threads) {
    return start(Device.CPU, threads);
  }

  /**
   * The engine on this device with so many threads for each operation.
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

  /** Must come first in each call: the engine keeps its number of threads per calling thread. */
  void enter() {
    if (torch.get_num_threads() != threads) {
      torch.set_num_threads(threads);
    }
  }

  private static void load() {
    tuneMemory();
    // JavaCPP would refuse to allocate when the whole process is larger than twice the Java heap,
    // though nearly all of our memory is off the heap, and would ask for its size at each call.
    setDefault("org.bytedeco.javacpp.maxBytes", "0");
    setDefault("org.bytedeco.javacpp.maxPhysicalBytes", "0");
    // And would look for CUDA's libraries, which are not there, in every jar by thousands of names:
    // half of the time that loading took.
    setDefault("org.bytedeco.javacpp.platform.extension", "");
    // OpenBLAS has a thread pool of its own, which would compete with the engine's. The system's
    // libtorch brings the system's, which can only be told so before it is loaded.
    boolean ofTheSystem = NativeCache.hasBinding();
    if (ofTheSystem) {
      setVariable("OPENBLAS_NUM_THREADS", "1");
    }
    try {
      NativeCache.whileComplete(
          () -> {
            if (!ofTheSystem) {
              Loader.load(openblas_nolapack.class);
            }
            Loader.load(torch.class);
          });
    } catch (LinkageError e) {
      throw new WorkFailedException(
          "the native library of the compute engine (libtorch) cannot be loaded on "
              + platform()
              + ": it comes with a build on Linux x86-64, on aarch64 with one after"
              + " `apt-get install libtorch-dev libopenblas0-pthread g++` (Debian); on others put the"
              + " artifacts org.bytedeco:pytorch, openblas and javacpp with their classifier on the"
              + " class path ("
              + String.valueOf(e.getMessage()).lines().findFirst().orElse("no reason given")
              + ")",
          e);
    }
    if (ofTheSystem) {
      // Debian's oneDNN has only plain loops for aarch64: by BLAS convolutions are 2 to 7 times as
      // fast.
      torch.globalContext().setUserEnabledMkldnn(false);
    } else {
      openblas_nolapack.blas_set_num_threads(1);
    }
    torch.set_num_interop_threads(1);
    torch.globalContext().setDeterministicMkldnn(true);
  }

  /**
   * Activations come and go with every step, and their memory with them: in small pages, each to be
   * cleared by the system when it is touched first, that made 31,000 page faults in a step of
   * ResNet-18. So they are in huge pages, and freed ones are kept.
   */
  private static void tuneMemory() {
    setVariable("THP_MEM_ALLOC_ENABLE", "1");
    if (NativeHeap.capability() instanceof Capability.Present<NativeHeap>(NativeHeap heap)) {
      heap.keepFreedMemory();
    }
  }

  /** Sets a variable of the environment that native libraries see, if the user has not. */
  private static void setVariable(String name, String value) {
    if (NativeEnvironment.capability()
        instanceof Capability.Present<NativeEnvironment>(NativeEnvironment environment)) {
      environment.setIfMissing(name, value);
    }
  }

  private static void setDefault(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }

  private static String platform() {
    return System.getProperty("os.name") + " " + System.getProperty("os.arch");
  }
}
