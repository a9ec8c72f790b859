package dev.tandem.nn.engine;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tandem.core.WorkFailedException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * Functions of CUDA's runtime and of libtorch's streams. Loaded when libtorch_cuda is, whose
 * runtime it shares.
 */
final class CudaRuntime {

  /** Of an event that is for order only. */
  private static final int WITHOUT_TIME = 2;

  /** The direction is that of the addresses. */
  private static final int ANY_DIRECTION = 4;

  private static final int ALREADY_REGISTERED = 712;
  private static final int MAJOR_CAPABILITY = 75;
  private static final int MINOR_CAPABILITY = 76;
  private static final int NAME_BYTES = 256;

  /** Larger than the properties of a device in any release; their first field is the name. */
  private static final int PROPERTIES_BYTES = 1 << 14;

  private static final SymbolLookup LIBRARY = runtime();

  private static final MethodHandle ERROR_TEXT =
      of("cudaGetErrorString", FunctionDescriptor.of(JAVA_LONG, JAVA_INT));
  private static final MethodHandle LAST_ERROR = status("cudaGetLastError");
  private static final MethodHandle DRIVER = status("cudaDriverGetVersion", ADDRESS);
  private static final MethodHandle COUNT = status("cudaGetDeviceCount", ADDRESS);
  private static final MethodHandle PROPERTIES = properties();
  private static final MethodHandle ATTRIBUTE =
      status("cudaDeviceGetAttribute", ADDRESS, JAVA_INT, JAVA_INT);
  private static final MethodHandle SET_DEVICE = status("cudaSetDevice", JAVA_INT);
  private static final MethodHandle MEMORY = status("cudaMemGetInfo", ADDRESS, ADDRESS);
  private static final MethodHandle SYNCHRONIZE = status("cudaDeviceSynchronize");
  private static final MethodHandle NEW_EVENT =
      status("cudaEventCreateWithFlags", ADDRESS, JAVA_INT);
  private static final MethodHandle RECORD = status("cudaEventRecord", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle AWAIT = status("cudaEventSynchronize", JAVA_LONG);
  private static final MethodHandle FOLLOW =
      status("cudaStreamWaitEvent", JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle COPY =
      status("cudaMemcpyAsync", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG);
  private static final MethodHandle REGISTER =
      status("cudaHostRegister", JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle UNREGISTER = status("cudaHostUnregister", JAVA_LONG);

  private static final MethodHandle NEW_STREAM =
      torch("torch_get_cuda_stream_from_pool", JAVA_BOOLEAN, JAVA_INT, ADDRESS);
  private static final MethodHandle SET_STREAM =
      torch("torch_set_current_cuda_stream", JAVA_LONG, JAVA_INT);

  private CudaRuntime() {}

  @SuppressWarnings("restricted")
  private static SymbolLookup runtime() {
    return library("libcudart.so.13")
        .or(() -> library("libcudart.so.12"))
        .orElseThrow(
            () ->
                new WorkFailedException(
                    "libtorch computes on GPUs, but CUDA's runtime (libcudart.so.13 or .12) is not"
                        + " loaded"));
  }

  /** A library that is loaded, or that the system finds by this name. */
  @SuppressWarnings("restricted")
  static Optional<SymbolLookup> library(String name) {
    try {
      return Optional.of(SymbolLookup.libraryLookup(name, Arena.global()));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  @SuppressWarnings("restricted")
  private static MethodHandle of(String name, FunctionDescriptor descriptor) {
    return Linker.nativeLinker().downcallHandle(LIBRARY.findOrThrow(name), descriptor);
  }

  private static MethodHandle status(String name, MemoryLayout... arguments) {
    return of(name, FunctionDescriptor.of(JAVA_INT, arguments));
  }

  /** Its newer form has another name in some releases; where both are there, either will do. */
  private static MethodHandle properties() {
    FunctionDescriptor descriptor = FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT);
    return LIBRARY.find("cudaGetDeviceProperties_v2").isPresent()
        ? of("cudaGetDeviceProperties_v2", descriptor)
        : of("cudaGetDeviceProperties", descriptor);
  }

  @SuppressWarnings("restricted")
  private static MethodHandle torch(String name, MemoryLayout... arguments) {
    return Linker.nativeLinker()
        .downcallHandle(
            Native.symbols().required(name), FunctionDescriptor.of(JAVA_INT, arguments));
  }

  private interface Call {
    int code() throws Throwable;
  }

  private static void check(Call call) {
    try {
      int code = call.code();
      if (code != 0) {
        throw failure(code);
      }
    } catch (Throwable e) {
      throw Native.unexpected(e);
    }
  }

  private static EngineException failure(int code) throws Throwable {
    String text = Native.text((long) ERROR_TEXT.invokeExact(code));
    int _ = (int) LAST_ERROR.invokeExact(); // forgets it
    return new EngineException("CUDA: " + text + " (error " + code + ")", false);
  }

  private static int number(MethodHandle function) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocate(JAVA_INT);
      check(() -> (int) function.invokeExact(number));
      return number.get(JAVA_INT, 0);
    }
  }

  /** GPUs that this process may use; 0 if there is no driver. */
  static int devices() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocate(JAVA_INT);
      int code = (int) COUNT.invokeExact(number);
      int _ = (int) LAST_ERROR.invokeExact();
      return code == 0 ? number.get(JAVA_INT, 0) : 0;
    } catch (Throwable e) {
      throw Native.unexpected(e);
    }
  }

  /** The newest release of CUDA that the driver knows, such as 13000. */
  static int driver() {
    return number(DRIVER);
  }

  static String deviceName(int device) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment properties = arena.allocate(PROPERTIES_BYTES, Long.BYTES);
      check(() -> (int) PROPERTIES.invokeExact(properties, device));
      return properties.asSlice(0, NAME_BYTES).getString(0);
    }
  }

  /** Such as 90. */
  static int capability(int device) {
    return 10 * attribute(device, MAJOR_CAPABILITY) + attribute(device, MINOR_CAPABILITY);
  }

  private static int attribute(int device, int which) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(JAVA_INT);
      check(() -> (int) ATTRIBUTE.invokeExact(value, which, device));
      return value.get(JAVA_INT, 0);
    }
  }

  /** The calling thread's device. */
  static void use(int device) {
    check(() -> (int) SET_DEVICE.invokeExact(device));
  }

  /** Bytes of the calling thread's device that no process has taken now. */
  static long freeMemory() {
    return memory(0);
  }

  /** Bytes of the calling thread's device. */
  static long totalMemory() {
    return memory(1);
  }

  private static long memory(int which) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment both = arena.allocate(JAVA_LONG, 2);
      MemorySegment total = both.asSlice(Long.BYTES);
      check(() -> (int) MEMORY.invokeExact(both, total));
      return both.getAtIndex(JAVA_LONG, which);
    }
  }

  static void synchronize() {
    check(() -> (int) SYNCHRONIZE.invokeExact());
  }

  static long newEvent() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment event = arena.allocate(JAVA_LONG);
      check(() -> (int) NEW_EVENT.invokeExact(event, WITHOUT_TIME));
      return event.get(JAVA_LONG, 0);
    }
  }

  static void record(long event, long stream) {
    check(() -> (int) RECORD.invokeExact(event, stream));
  }

  static void await(long event) {
    check(() -> (int) AWAIT.invokeExact(event));
  }

  static void follow(long stream, long event) {
    check(() -> (int) FOLLOW.invokeExact(stream, event, 0));
  }

  static void copy(long to, long from, long bytes, long stream) {
    check(() -> (int) COPY.invokeExact(to, from, bytes, ANY_DIRECTION, stream));
  }

  /** Memory that shares a page with some that is registered already stays as it is. */
  static void register(long address, long bytes) {
    try {
      int code = (int) REGISTER.invokeExact(address, bytes, 0);
      if (code == ALREADY_REGISTERED) {
        int _ = (int) LAST_ERROR.invokeExact();
      } else if (code != 0) {
        throw failure(code);
      }
    } catch (Throwable e) {
      throw Native.unexpected(e);
    }
  }

  static void unregister(long address) {
    try {
      int code = (int) UNREGISTER.invokeExact(address);
      if (code != 0) {
        int _ = (int) LAST_ERROR.invokeExact(); // it was not
      }
    } catch (Throwable e) {
      throw Native.unexpected(e);
    }
  }

  /** A stream of libtorch's pool. */
  static long newStream(int device, boolean urgent) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment stream = arena.allocate(JAVA_LONG);
      check(() -> (int) NEW_STREAM.invokeExact(urgent, device, stream));
      return stream.get(JAVA_LONG, 0);
    }
  }

  /** Where operations of the calling thread go. */
  static void setStream(int device, long stream) {
    check(() -> (int) SET_STREAM.invokeExact(stream, device));
  }
}
