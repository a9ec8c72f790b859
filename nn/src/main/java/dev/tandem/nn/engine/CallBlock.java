package dev.tandem.nn.engine;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The arguments of one C++ call as this processor's calling convention passes them, and the call
 * itself. Each thread has one, so a call is laid out and made before the next begins.
 *
 * <p>Small values go into registers while there are some, then onto the stack; what C++ passes by
 * reference is written into scratch memory that lives until the next call begins. Objects that own
 * something (tensors in optionals and lists) are written as borrowed bits: the callee takes them by
 * constant reference and never destroys them.
 */
final class CallBlock {

  /** Where {@code Stub} finds and leaves things in the block. */
  private static final long FUNCTION = 0;

  private static final long REGISTERS = 8;
  private static final long RESULT = 72;
  private static final long REALS = 80;
  private static final long STACK_BYTES = 144;
  private static final long STACK = 152;
  private static final long RETURNED = 160;
  private static final long EXCEPTION = 176;
  private static final long BEGIN_CATCH = 184;
  private static final long KIND = 192;
  private static final long BLOCK_BYTES = 200;

  private static final long STACK_SIZE = 512;
  private static final long SCRATCH_SIZE = 1 << 16;

  private static final boolean RESULT_REGISTER = Stub.CODE.resultRegister();
  private static final int REGISTER_COUNT = Stub.CODE.registers();

  /** {@code std::optional} of one byte that is there. */
  private static final long ENGAGED = 0x100;

  private static final MemorySegment NONE_TEXT = Arena.global().allocateFrom("none");

  /** Handles are constants, which the compiler inlines; made when the libraries are loaded. */
  private static final class Handles {
    static final MethodHandle STUB = Stub.install(Native.symbols());
    static final long CATCH = Native.symbols().required("__cxa_begin_catch").address();
    static final MethodHandle END_CATCH =
        of(Native.symbols().required("__cxa_end_catch"), FunctionDescriptor.ofVoid());

    @SuppressWarnings("restricted")
    static final MethodHandle MESSAGE =
        Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

    @SuppressWarnings("restricted")
    private static MethodHandle of(MemorySegment function, FunctionDescriptor descriptor) {
      return Linker.nativeLinker().downcallHandle(function, descriptor);
    }
  }

  private final MemorySegment block = Arena.ofAuto().allocate(BLOCK_BYTES, 16);
  private final MemorySegment stack = Arena.ofAuto().allocate(STACK_SIZE, 16);
  private final MemorySegment scratch = Arena.ofAuto().allocate(SCRATCH_SIZE, 16);
  private final MemorySegment answer = Arena.ofAuto().allocate(64, 16);
  private final MemorySegment property = answer.asSlice(56, 8);

  /** Room for the tensor that a function returns; 0 if the last one has taken it. */
  private long handle;

  private long scratchUsed;
  private int registers;
  private int reals;
  private long stackUsed;

  CallBlock() {
    block.set(JAVA_LONG, BEGIN_CATCH, Handles.CATCH);
    block.set(JAVA_LONG, STACK, stack.address());
  }

  /** Room for what functions write through a pointer. */
  MemorySegment answer() {
    return answer;
  }

  /** Room for what a tensor is asked for, apart from the tensors of a tuple in {@link #answer}. */
  MemorySegment property() {
    return property;
  }

  CallBlock begin(Operation operation) {
    return begin(operation.address());
  }

  CallBlock begin(long function) {
    block.set(JAVA_LONG, FUNCTION, function);
    scratchUsed = 0;
    registers = 0;
    reals = 0;
    stackUsed = 0;
    return this;
  }

  /** Begins a call of a function that returns a tensor, which {@link #result} then gives. */
  CallBlock returning(Operation operation) {
    begin(operation);
    if (handle == 0) {
      handle = Native.newHandle();
    }
    return resultAt(handle);
  }

  /** Begins a call of a function that returns a tuple of tensors, in {@link #answer}. */
  CallBlock returningTuple(Operation operation) {
    return begin(operation).resultAt(answer.address());
  }

  /** The object that the function returns is made at this address. */
  CallBlock resultAt(long address) {
    if (RESULT_REGISTER) {
      block.set(JAVA_LONG, RESULT, address);
      return this;
    }
    return word(address);
  }

  /** A whole number, a truth value, an enumeration or an address. */
  CallBlock word(long value) {
    if (registers < REGISTER_COUNT) {
      block.set(JAVA_LONG, REGISTERS + 8L * registers++, value);
    } else {
      push(value);
    }
    return this;
  }

  CallBlock flag(boolean value) {
    return word(value ? 1 : 0);
  }

  CallBlock real(double value) {
    block.set(JAVA_DOUBLE, REALS + 8L * reals++, value);
    return this;
  }

  CallBlock tensor(Tensor tensor) {
    return word(tensor.handle());
  }

  /** {@code const std::optional<Tensor>&}; null is none. */
  CallBlock optional(Tensor tensor) {
    long at = room(16);
    scratch.set(JAVA_LONG, at, tensor == null ? 0 : Native.read(tensor.handle()));
    scratch.set(JAVA_LONG, at + 8, tensor == null ? 0 : 1);
    return word(scratch.address() + at);
  }

  /** {@code const ITensorListRef&}. */
  CallBlock tensors(Tensor... tensors) {
    long at = room(8L * tensors.length);
    for (int i = 0; i < tensors.length; i++) {
      scratch.set(JAVA_LONG, at + 8L * i, Native.read(tensors[i].handle()));
    }
    long list = room(24);
    scratch.set(JAVA_LONG, list, scratch.address() + at);
    scratch.set(JAVA_LONG, list + 8, tensors.length);
    scratch.set(JAVA_LONG, list + 16, 0); // a plain array
    return word(scratch.address() + list);
  }

  /** {@code ArrayRef} of tensors. */
  CallBlock list(List<Tensor> tensors) {
    long at = room(8L * tensors.size());
    for (int i = 0; i < tensors.size(); i++) {
      scratch.set(JAVA_LONG, at + 8L * i, Native.read(tensors.get(i).handle()));
    }
    return pair(scratch.address() + at, tensors.size());
  }

  /** {@code ArrayRef} of {@code int64_t} or {@code SymInt}. */
  CallBlock numbers(long... values) {
    return pair(scratch.address() + copy(values), values.length);
  }

  /** {@code OptionalArrayRef}; null is none. */
  CallBlock optionalNumbers(long... values) {
    long first = values == null ? 0 : scratch.address() + copy(values);
    long length = values == null ? 0 : values.length;
    long engaged = values == null ? 0 : 1;
    if (RESULT_REGISTER) { // aarch64: larger than two registers, so by reference to a copy
      long at = room(24);
      scratch.set(JAVA_LONG, at, first);
      scratch.set(JAVA_LONG, at + 8, length);
      scratch.set(JAVA_LONG, at + 16, engaged);
      return word(scratch.address() + at);
    }
    push(first);
    push(length);
    push(engaged);
    return this;
  }

  /** {@code SymInt} by value: it has a destructor, so C++ passes it by reference. */
  CallBlock symbolic(long value) {
    long at = room(8);
    scratch.set(JAVA_LONG, at, value);
    return word(scratch.address() + at);
  }

  /** {@code std::optional<SymInt>}, which is there. */
  CallBlock optionalSymbolic(long value) {
    long at = room(16);
    scratch.set(JAVA_LONG, at, value);
    scratch.set(JAVA_LONG, at + 8, 1);
    return word(scratch.address() + at);
  }

  /** {@code std::optional<int64_t>}; null is none. */
  CallBlock optionalNumber(Long value) {
    return pair(value == null ? 0 : value, value == null ? 0 : 1);
  }

  /** {@code const Scalar&}. */
  CallBlock scalar(double value) {
    long at = room(32);
    scratch.set(JAVA_LONG, at, 0); // a double
    scratch.set(JAVA_DOUBLE, at + 16, value);
    return word(scratch.address() + at);
  }

  /** {@code std::array<bool, 3>}. */
  CallBlock mask(Mask mask) {
    return word(mask.bits());
  }

  /** {@code std::optional} of an enumeration of one byte. */
  CallBlock optionalType(ScalarType type) {
    return word(type == null ? 0 : ENGAGED | type.code());
  }

  CallBlock optionalFormat(MemoryFormat format) {
    return word(format == null ? 0 : ENGAGED | format.code());
  }

  /** An optional layout, device or truth value that is not there. */
  CallBlock absent() {
    return word(0);
  }

  /** {@code std::string_view} of the word none. */
  CallBlock noneText() {
    return pair("none".getBytes(StandardCharsets.US_ASCII).length, NONE_TEXT.address());
  }

  /** Makes a call that began with {@link #returning}. */
  Tensor result() {
    call();
    long made = handle;
    handle = 0;
    return Tensor.made(made);
  }

  /** Makes the call; what it returns in a register, or nothing. */
  long call() {
    block.set(JAVA_LONG, STACK_BYTES, stackUsed + 15 & ~15);
    int thrown;
    try {
      thrown = (int) Handles.STUB.invokeExact(block.address());
    } catch (Throwable e) {
      throw Native.unexpected(e);
    }
    if (thrown != 0) {
      throw exception();
    }
    return block.get(JAVA_LONG, RETURNED);
  }

  /** What the stub has caught; C++ forgets it. */
  private EngineException exception() {
    long exception = block.get(JAVA_LONG, EXCEPTION);
    int kind = (int) block.get(JAVA_LONG, KIND);
    String type = "";
    String message = "an exception that is not of the standard library";
    try {
      if (kind == Stub.TORCH_ERROR || kind == Stub.STANDARD_EXCEPTION) {
        long functions = Native.read(exception); // its virtual functions
        type = Native.text(Native.read(Native.read(functions - 8) + 8));
        // The third of std::exception is what(); c10::Error adds one that leaves out the backtrace,
        // whose names would take milliseconds.
        long what = Native.read(functions + (kind == Stub.TORCH_ERROR ? 24 : 16));
        message =
            Native.text(
                (long) Handles.MESSAGE.invokeExact(MemorySegment.ofAddress(what), exception));
      }
      Handles.END_CATCH.invokeExact();
    } catch (Throwable e) {
      throw Native.unexpected(e);
    }
    return EngineException.of(type, message);
  }

  /** Two words that stay together, in registers or on the stack. */
  private CallBlock pair(long first, long second) {
    if (registers + 2 <= REGISTER_COUNT) {
      return word(first).word(second);
    }
    if (RESULT_REGISTER) { // aarch64 uses no register after the first argument without one
      registers = REGISTER_COUNT;
    }
    push(first);
    push(second);
    return this;
  }

  private void push(long value) {
    stack.set(JAVA_LONG, stackUsed, value);
    stackUsed += Long.BYTES;
  }

  private long copy(long... values) {
    long at = room(8L * values.length);
    MemorySegment.copy(values, 0, scratch, JAVA_LONG, at, values.length);
    return at;
  }

  private long room(long bytes) {
    long at = scratchUsed;
    scratchUsed += bytes + 15 & ~15L;
    if (scratchUsed > SCRATCH_SIZE) {
      throw new IllegalArgumentException("too many arguments for one call of the engine");
    }
    return at;
  }
}
