package dev.tandem.nn.engine;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/**
 * The functions of the loaded libraries that are no operations, and raw memory. Bound once, before
 * anything else of the engine is touched.
 */
final class Native {

  /** All memory, by address. */
  @SuppressWarnings("restricted")
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  /** What OpenBLAS says of itself if its threads are neither none nor OpenMP's. */
  private static final int OWN_THREADS = 1;

  private static Libtorch.Symbols symbols;

  private Native() {}

  static void bind(Libtorch.Symbols loaded) {
    symbols = loaded;
  }

  static Libtorch.Symbols symbols() {
    return symbols;
  }

  /**
   * Handles are constants, which the compiler inlines; this class is loaded after {@link #bind}.
   */
  private static final class Handles {

    /** Short functions that never wait: called without telling the garbage collector. */
    private static final Linker.Option SHORT = Linker.Option.critical(false);

    static final MethodHandle NEW =
        of("_Znwm", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG), SHORT); // operator new
    static final MethodHandle DELETE = of("_ZdlPv", FunctionDescriptor.ofVoid(JAVA_LONG), SHORT);
    static final MethodHandle DELETE_TENSOR =
        of("aoti_torch_delete_tensor_object", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    static final MethodHandle FROM_MEMORY =
        of(
            "aoti_torch_create_tensor_from_blob",
            FunctionDescriptor.of(
                JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT,
                JAVA_INT, JAVA_LONG));
    static final MethodHandle ALIAS = query("aoti_torch_new_tensor_handle");
    static final MethodHandle DATA = query("aoti_torch_get_data_ptr");
    static final MethodHandle DIMENSIONS = query("aoti_torch_get_dim");
    static final MethodHandle SIZES = query("aoti_torch_get_sizes");
    static final MethodHandle TYPE = query("aoti_torch_get_dtype");
    static final MethodHandle DEVICE = query("aoti_torch_get_device_type");
    static final MethodHandle STORAGE_BYTES = query("aoti_torch_get_storage_size");
    static final MethodHandle STORAGE_OFFSET = query("aoti_torch_get_storage_offset");

    /** The tensor that stands where a function has none to return. */
    static final long UNDEFINED =
        symbols.required("_ZN3c1019UndefinedTensorImpl10_singletonE").address();

    static final MethodHandle GRADIENT_MODE =
        of("aoti_torch_grad_mode_set_enabled", FunctionDescriptor.ofVoid(JAVA_BOOLEAN));
    static final MethodHandle SET_THREADS =
        of("_ZN2at15set_num_threadsEi", FunctionDescriptor.ofVoid(JAVA_INT));
    static final MethodHandle SET_POOL_THREADS =
        of("_ZN2at23set_num_interop_threadsEi", FunctionDescriptor.ofVoid(JAVA_INT));
    static final MethodHandle CONTEXT =
        of("_ZN2at13globalContextEv", FunctionDescriptor.of(ADDRESS));
    static final MethodHandle USE_ONEDNN =
        of(
            "_ZN2at7Context20setUserEnabledMkldnnEb",
            FunctionDescriptor.ofVoid(ADDRESS, JAVA_BOOLEAN));
    static final MethodHandle USE_NNPACK =
        of(
            "_ZN2at7Context20setUserEnabledNNPACKEb",
            FunctionDescriptor.ofVoid(ADDRESS, JAVA_BOOLEAN));
    static final MethodHandle DETERMINISTIC_ONEDNN =
        of(
            "_ZN2at7Context22setDeterministicMkldnnEb",
            FunctionDescriptor.ofVoid(ADDRESS, JAVA_BOOLEAN));

    private static MethodHandle query(String name) {
      return of(name, FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG), SHORT);
    }

    @SuppressWarnings("restricted")
    private static MethodHandle of(
        String name, FunctionDescriptor descriptor, Linker.Option... options) {
      return Linker.nativeLinker().downcallHandle(symbols.required(name), descriptor, options);
    }
  }

  /** What a tensor can be asked for. */
  enum Property {
    DATA,
    DIMENSIONS,
    SIZES,
    TYPE,
    DEVICE,
    STORAGE_BYTES,
    STORAGE_OFFSET
  }

  static long read(long address) {
    return ALL.get(JAVA_LONG, address);
  }

  static void write(long address, long value) {
    ALL.set(JAVA_LONG, address, value);
  }

  static String text(long address) {
    return ALL.getString(address);
  }

  static MemorySegment memory(long address, long bytes) {
    return ALL.asSlice(address, bytes);
  }

  /** Memory for an {@code at::Tensor}: one word, which nothing has been written to. */
  static long newHandle() {
    try {
      return (long) Handles.NEW.invokeExact(8L);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Frees memory of C++'s {@code new}, without destroying what is in it. */
  static void free(long address) {
    try {
      Handles.DELETE.invokeExact(address);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Frees a tensor and its handle. */
  static void deleteTensor(long handle) {
    try {
      check((int) Handles.DELETE_TENSOR.invokeExact(handle));
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** A handle of the same tensor. */
  static long alias(long handle) {
    try {
      MemorySegment result = EngineThread.current().call.answer();
      check((int) Handles.ALIAS.invokeExact(handle, result.address()));
      return result.get(JAVA_LONG, 0);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /**
   * A tensor in memory that it does not own.
   *
   * @param device where the memory is; null for the host's
   */
  static long fromMemory(
      long data, ScalarType type, MemorySegment sizes, MemorySegment strides, Accelerator device) {
    try {
      MemorySegment result = EngineThread.current().call.answer();
      long dimensions = sizes.byteSize() / Long.BYTES;
      check(
          (int)
              Handles.FROM_MEMORY.invokeExact(
                  data,
                  dimensions,
                  sizes.address(),
                  strides.address(),
                  0L,
                  type.code(),
                  device == null ? 0 : device.type(),
                  device == null ? 0 : device.index(),
                  result.address()));
      return result.get(JAVA_LONG, 0);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Whether there is a tensor at this handle: functions leave out results that nobody wants. */
  static boolean isDefined(long handle) {
    return read(handle) != Handles.UNDEFINED;
  }

  static long query(Property property, long handle) {
    try {
      MemorySegment result = EngineThread.current().call.property();
      result.set(JAVA_LONG, 0, 0);
      check(
          switch (property) {
            case DATA -> (int) Handles.DATA.invokeExact(handle, result.address());
            case DIMENSIONS -> (int) Handles.DIMENSIONS.invokeExact(handle, result.address());
            case SIZES -> (int) Handles.SIZES.invokeExact(handle, result.address());
            case TYPE -> (int) Handles.TYPE.invokeExact(handle, result.address());
            case DEVICE -> (int) Handles.DEVICE.invokeExact(handle, result.address());
            case STORAGE_BYTES -> (int) Handles.STORAGE_BYTES.invokeExact(handle, result.address());
            case STORAGE_OFFSET ->
                (int) Handles.STORAGE_OFFSET.invokeExact(handle, result.address());
          });
      return result.get(JAVA_LONG, 0);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Whether the engine keeps track of what this thread computes, to differentiate it. */
  static void setGradientMode(boolean on) {
    try {
      Handles.GRADIENT_MODE.invokeExact(on);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  static void setThreads(int threads) {
    try {
      Handles.SET_THREADS.invokeExact(threads);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** What the library says of how it was built, its version among it. */
  static String configuration() {
    CallBlock call = EngineThread.current().call;
    MemorySegment text = call.answer(); // a std::string: address, length, room for a short one
    call.begin(symbols.required("_ZN2at11show_configB5cxx11Ev").address())
        .resultAt(text.address())
        .call();
    long address = text.get(JAVA_LONG, 0);
    byte[] bytes = memory(address, text.get(JAVA_LONG, 8)).toArray(JAVA_BYTE);
    if (address != text.address() + 16) {
      free(address);
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Settings of the whole process, before the first operation. */
  static void configure(boolean oneDnn) {
    try {
      Handles.SET_POOL_THREADS.invokeExact(1);
      MemorySegment context = (MemorySegment) Handles.CONTEXT.invokeExact();
      Handles.USE_ONEDNN.invokeExact(context, oneDnn);
      Handles.DETERMINISTIC_ONEDNN.invokeExact(context, true);
      // NNPACK transforms batches of 16 and more by Fourier or Winograd: where the direct sum is
      // exactly 0, as in an image's background, that leaves noise, half of which a ReLU lets
      // through.
      Handles.USE_NNPACK.invokeExact(context, false);
      // An OpenBLAS with threads of its own would compete with the engine's; one with OpenMP's has
      // those of the engine.
      long threadModel = symbols.find("openblas_get_parallel");
      if (threadModel != 0 && number(threadModel) == OWN_THREADS) {
        setOpenBlasThreads(1);
      }
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Sets one of the truths of {@code at::Context}, by the method's mangled name. */
  static void setContext(String method, boolean value) {
    try {
      MemorySegment context = (MemorySegment) Handles.CONTEXT.invokeExact();
      CallBlock call = EngineThread.current().call;
      long function = symbols.required("_ZN2at7Context" + method + "Eb").address();
      call.begin(function).word(context.address()).flag(value).call();
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  @SuppressWarnings("restricted")
  private static int number(long function) throws Throwable {
    return (int)
        Linker.nativeLinker()
            .downcallHandle(MemorySegment.ofAddress(function), FunctionDescriptor.of(JAVA_INT))
            .invokeExact();
  }

  private static void setOpenBlasThreads(int threads) throws Throwable {
    Handles.of("openblas_set_num_threads", FunctionDescriptor.ofVoid(JAVA_INT))
        .invokeExact(threads);
  }

  private static void check(int code) {
    if (code != 0) {
      throw new EngineException("the compute engine refused a tensor (code " + code + ")", false);
    }
  }

  static RuntimeException unexpected(Throwable e) {
    return switch (e) {
      case RuntimeException runtime -> runtime;
      case Error error -> throw error;
      default -> new IllegalStateException("a call of the compute engine failed in Java", e);
    };
  }
}
