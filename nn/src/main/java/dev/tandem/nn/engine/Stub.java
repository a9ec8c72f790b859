package dev.tandem.nn.engine;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tandem.core.WorkFailedException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.HexFormat;
import java.util.List;

/**
 * A few instructions that call a C++ function and catch what it throws, and the tables by which the
 * C++ unwinder knows that. The source of the instructions is in {@code src/main/asm}.
 *
 * <p>The code, the table of handlers (LSDA) and the frame description ({@code .eh_frame}) share one
 * mapping of the process, which is executable and no longer writable once it is filled.
 */
final class Stub {

  /** Kinds of exceptions that the unwinder tells apart, as numbered in the table of handlers. */
  static final int TORCH_ERROR = 1;

  static final int STANDARD_EXCEPTION = 2;

  /** On whichever processor this is. */
  static final Code CODE = code(System.getProperty("os.arch"));

  private static final long SIZE = 65_536; // the largest page of any processor
  private static final long HANDLERS = 1_024;
  private static final long FRAMES = 2_048;

  private static final int READ_WRITE = 3;
  private static final int READ_EXECUTE = 5;
  private static final int PRIVATE_ANONYMOUS = 0x22;

  /** DWARF's words for the frame description. */
  private static final int DEFINE_CFA = 0x0c;

  private static final int OFFSET = 0x80;

  /**
   * The stub for one processor.
   *
   * @param instructions machine code in hexadecimal
   * @param site where the function is called
   * @param after where it returns to
   * @param landing where the unwinder continues after an exception
   * @param registers how many registers take whole numbers and addresses
   * @param resultRegister whether a register of its own says where a returned object goes
   * @param codeAlignment unit of the frame description's code offsets
   * @param returnColumn DWARF's number of the return address
   * @param frame DWARF's numbers of the frame pointer, its offset to the frame, and pairs of saved
   *     registers and their distance below it in words
   */
  record Code(
      String instructions,
      int site,
      int after,
      int landing,
      int registers,
      boolean resultRegister,
      int codeAlignment,
      int returnColumn,
      List<Integer> frame) {

    byte[] bytes() {
      return HexFormat.of().parseHex(instructions);
    }
  }

  private Stub() {}

  static Code code(String processor) {
    return switch (processor) {
      case "aarch64" ->
          new Code(
              "fd7bbea9fd030091f30b00f9f30300aa694a40f9e90000b4ff6329cb6a4e40f9292100d14b6969f8"
                  + "eb6b29f8a9ffffb56006456d620e466d6416476d661e486d700240f9682640f9608640a9628e41"
                  + "a9649642a9669e43a900023fd6605200f9605600fd00008052bf030091f30b40f9fd7bc2a8c003"
                  + "5fd6616200f9705e40f900023fd6605a00f920008052f7ffff17",
              0x58,
              0x5c,
              0x78,
              8,
              true,
              4,
              30,
              List.of(29, 32, 29, 4, 30, 3, 19, 2));
      case "amd64", "x86_64" ->
          new Code(
              "554889e5534883ec084889fb488b8b900000004829cc4c8b93980000004885c9740e4883e908498b04"
                  + "0a4889040cebedf20f104350f20f104b58f20f105360f20f105b68f20f106370f20f106b78488b"
                  + "7b08488b7310488b5318488b4b204c8b43284c8b4b30ff13488983a0000000f20f1183a8000000"
                  + "31c0488b5df84889ec5dc3488993c00000004889c7ff93b8000000488983b0000000b801000000"
                  + "ebd9",
              0x66,
              0x68,
              0x82,
              6,
              false,
              1,
              16,
              List.of(6, 16, 16, 1, 6, 2, 3, 3));
      default ->
          throw new WorkFailedException(
              "the compute engine runs on Linux on x86-64 and aarch64, not on " + processor);
    };
  }

  /** Writes the stub into memory of this process: {@code int stub(long block)}. */
  static MethodHandle install(Libtorch.Symbols symbols) {
    try {
      long page = map();
      byte[] code = CODE.bytes();
      MemorySegment memory = Native.memory(page, SIZE);
      MemorySegment.copy(MemorySegment.ofArray(code), 0, memory, 0, code.length);
      writeHandlers(new ByteWriter(memory, HANDLERS), symbols);
      writeFrames(
          new ByteWriter(memory, FRAMES),
          symbols.required("__gxx_personality_v0").address(),
          page,
          code.length);
      protect(page);
      // Registered for as long as the process runs: so the mapping stays as well.
      function(symbols.required("__register_frame"), FunctionDescriptor.ofVoid(JAVA_LONG))
          .invokeExact(page + FRAMES);
      return function(MemorySegment.ofAddress(page), FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    } catch (Throwable e) {
      throw Native.unexpected(e);
    }
  }

  private static long map() throws Throwable {
    MethodHandle map =
        system(
            "mmap",
            FunctionDescriptor.of(
                JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    long page = (long) map.invokeExact(0L, SIZE, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0L);
    if (page == -1) {
      throw new WorkFailedException("the compute engine cannot map 64 KiB of memory");
    }
    return page;
  }

  /** From here on executable; Linux then also makes the instructions visible to all processors. */
  private static void protect(long page) throws Throwable {
    MethodHandle protect =
        system("mprotect", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    if ((int) protect.invokeExact(page, SIZE, READ_EXECUTE) != 0) {
      throw new WorkFailedException(
          "this system does not let a process make code executable, which the compute engine needs"
              + " (a security policy such as SELinux's execmem?)");
    }
    if (CODE.resultRegister()) { // aarch64 does not fetch what was just written
      function(
              Native.symbols().required("__clear_cache"),
              FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG))
          .invokeExact(page, page + FRAMES);
    }
  }

  /** Any exception out of the call goes to the landing: errors of torch, of C++, all others. */
  private static void writeHandlers(ByteWriter to, Libtorch.Symbols symbols) {
    ByteWriter site = new ByteWriter(MemorySegment.ofArray(new byte[64]), 0);
    site.number(CODE.site());
    site.number(CODE.after() - CODE.site());
    site.number(CODE.landing());
    site.number(1); // the first action
    to.u8(0xff); // landings count from the start of the function
    to.u8(0x00); // types are addresses
    long actions = 6;
    long types = 3 * Long.BYTES;
    to.number(2 + site.at() + actions + types); // to the end of the types
    to.u8(0x01); // call sites as variable-length numbers
    to.number(site.at());
    to.copy(site);
    to.u8(TORCH_ERROR);
    to.u8(1); // the next action follows
    to.u8(STANDARD_EXCEPTION);
    to.u8(1);
    to.u8(3);
    to.u8(0); // the last one
    to.u64(0); // type 3: anything
    to.u64(symbols.required("_ZTISt9exception").address());
    to.u64(symbols.required("_ZTIN3c105ErrorE").address());
  }

  private static void writeFrames(ByteWriter to, long personality, long page, int length) {
    long common = to.at();
    to.u32(0); // its length comes last
    to.u32(0);
    to.u8(1);
    to.text("zPL");
    to.number(CODE.codeAlignment());
    to.u8(0x78); // data offsets in units of -8 bytes
    to.u8(CODE.returnColumn());
    to.number(1 + Long.BYTES + 1);
    to.u8(0);
    to.u64(personality);
    to.u8(0);
    List<Integer> frame = CODE.frame();
    to.u8(DEFINE_CFA);
    to.number(frame.get(0));
    to.number(frame.get(1));
    for (int i = 2; i < frame.size(); i += 2) {
      to.u8(OFFSET | frame.get(i));
      to.number(frame.get(i + 1));
    }
    to.endEntry(common);
    long description = to.at();
    to.u32(0);
    to.u32((int) (description + Integer.BYTES - common));
    to.u64(page);
    to.u64(length);
    to.number(Long.BYTES);
    to.u64(page + HANDLERS);
    to.endEntry(description);
    to.u32(0);
  }

  private static MethodHandle system(String name, FunctionDescriptor descriptor) {
    return function(Linker.nativeLinker().defaultLookup().findOrThrow(name), descriptor);
  }

  @SuppressWarnings("restricted")
  private static MethodHandle function(MemorySegment address, FunctionDescriptor descriptor) {
    return Linker.nativeLinker().downcallHandle(address, descriptor);
  }
}
