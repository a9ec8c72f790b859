package dev.tandem.nn.engine;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A tensor of the engine, in memory of the host or of a device. Methods have the names of
 * PyTorch's; those that end with an underscore change the tensor and return it.
 *
 * <p>Counts its uses: the scope in which it was made is one, {@link #retain} adds one, {@link
 * #release} takes one away, and with the last the engine's memory is freed. Used by one thread at a
 * time.
 */
public final class Tensor {

  /** {@code std::optional<Device>}: the processor. */
  private static final long HOST = 0x1ff00;

  private final long handle;
  private final StorageCount count;

  /** Where the memory begins that it shows; 0 if it shows none. */
  private final long storage;

  private int uses = 1;
  private long[] sizes;
  private ScalarType type;

  private Tensor(long handle, StorageCount count, boolean borrowed) {
    this.handle = handle;
    this.count = count;
    long bytes = Native.isDefined(handle) ? Native.query(Native.Property.STORAGE_BYTES, handle) : 0;
    storage = bytes == 0 ? 0 : storageAddress();
    if (storage != 0) {
      count.show(storage, borrowed ? 0 : bytes);
    }
  }

  private long storageAddress() {
    long data = Native.query(Native.Property.DATA, handle);
    long offset = Native.query(Native.Property.STORAGE_OFFSET, handle);
    return offset == 0 ? data : data - offset * type().bytes();
  }

  // Where tensors come from

  /** A tensor that the engine has made at this handle; it belongs to the innermost scope. */
  static Tensor made(long handle) {
    return made(handle, false);
  }

  /**
   * Likewise.
   *
   * @param borrowed whether it is in memory that is not the engine's
   */
  private static Tensor made(long handle, boolean borrowed) {
    EngineThread thread = EngineThread.current();
    if (thread.scope == null) {
      Native.deleteTensor(handle);
      throw new IllegalStateException("tensors are made inside a scope");
    }
    Tensor tensor = new Tensor(handle, thread.storage, borrowed);
    thread.scope.add(tensor);
    return tensor;
  }

  /** A tensor in this memory, which must outlive it, row-major. */
  public static Tensor of(MemorySegment memory, ScalarType type, long... sizes) {
    return strided(memory, type, sizes, rowMajor(sizes));
  }

  /** A tensor in this memory with its elements this far apart in each dimension. */
  public static Tensor strided(
      MemorySegment memory, ScalarType type, long[] sizes, long[] strides) {
    long last = 0;
    for (int i = 0; i < sizes.length; i++) {
      last += (sizes[i] - 1) * strides[i];
    }
    if (!memory.isNative() || (last + 1) * type.bytes() > memory.byteSize()) {
      throw new IllegalArgumentException(
          "a tensor of %d bytes does not fit into %s".formatted((last + 1) * type.bytes(), memory));
    }
    try (Arena arena = Arena.ofConfined()) {
      return made(
          Native.fromMemory(
              memory.address(),
              type,
              arena.allocateFrom(JAVA_LONG, sizes),
              arena.allocateFrom(JAVA_LONG, strides),
              null),
          true);
    }
  }

  /** A tensor in this memory of a device, which must outlive it, row-major. */
  public static Tensor on(Accelerator device, long address, ScalarType type, long... sizes) {
    try (Arena arena = Arena.ofConfined()) {
      return made(
          Native.fromMemory(
              address,
              type,
              arena.allocateFrom(JAVA_LONG, sizes),
              arena.allocateFrom(JAVA_LONG, rowMajor(sizes)),
              device),
          true);
    }
  }

  private static long[] rowMajor(long... sizes) {
    long[] strides = new long[sizes.length];
    long stride = 1;
    for (int i = sizes.length - 1; i >= 0; i--) {
      strides[i] = stride;
      stride *= sizes[i];
    }
    return strides;
  }

  public static Tensor zeros(ScalarType type, long... sizes) {
    return returning(Operation.ZEROS)
        .numbers(sizes)
        .optionalType(type)
        .absent()
        .word(EngineThread.current().device())
        .absent()
        .result();
  }

  /** Memory as it comes. */
  public static Tensor empty(ScalarType type, long... sizes) {
    return empty(type, MemoryFormat.CONTIGUOUS, sizes);
  }

  /** Memory as it comes, which the host can write, whatever this thread computes on. */
  public static Tensor emptyOnHost(ScalarType type, long... sizes) {
    return empty(type, MemoryFormat.CONTIGUOUS, HOST, sizes);
  }

  /** Memory as it comes, in this order. */
  public static Tensor empty(ScalarType type, MemoryFormat format, long... sizes) {
    return empty(type, format, EngineThread.current().device(), sizes);
  }

  private static Tensor empty(ScalarType type, MemoryFormat format, long device, long... sizes) {
    return returning(Operation.EMPTY)
        .numbers(sizes)
        .optionalType(type)
        .absent()
        .word(device)
        .absent()
        .optionalFormat(format)
        .result();
  }

  /** The same numbers on the device that this thread computes on: itself if it is there. */
  public Tensor onDevice() {
    EngineThread thread = EngineThread.current();
    return thread.accelerated() && !isOnDevice() ? copied(thread.device()) : this;
  }

  /** The same numbers in memory of the host: itself if it is there. Waits for the device. */
  public Tensor onHost() {
    return isOnDevice() ? copied(HOST) : this;
  }

  private Tensor copied(long device) {
    return returning(Operation.TO_COPY)
        .tensor(this)
        .absent()
        .absent()
        .word(device)
        .absent()
        .flag(false)
        .optionalFormat(null)
        .result();
  }

  /** Whether it is in memory of an accelerator, which the host cannot read. */
  public boolean isOnDevice() {
    return Native.query(Native.Property.DEVICE, handle()) != 0;
  }

  public Tensor zerosLike() {
    return returning(Operation.ZEROS_LIKE)
        .tensor(this)
        .absent()
        .absent()
        .absent()
        .absent()
        .absent()
        .result();
  }

  public Tensor fullLike(double value) {
    return returning(Operation.FULL_LIKE)
        .tensor(this)
        .scalar(value)
        .absent()
        .absent()
        .absent()
        .absent()
        .absent()
        .result();
  }

  /** The same tensor in a handle of its own, which belongs to the innermost scope. */
  public Tensor alias() {
    return made(Native.alias(handle()));
  }

  // Life

  /** Keeps the tensor until a {@link #release} of its own. */
  public Tensor retain() {
    handle();
    uses++;
    return this;
  }

  public void release() {
    handle();
    uses--;
    if (uses == 0) {
      if (storage != 0) {
        count.hide(storage);
      }
      Native.deleteTensor(handle);
    }
  }

  long handle() {
    if (uses <= 0) {
      throw new IllegalStateException("the tensor has been released");
    }
    return handle;
  }

  // What it is

  public ScalarType type() {
    if (type == null) {
      type = ScalarType.ofCode((int) Native.query(Native.Property.TYPE, handle()));
    }
    return type;
  }

  /** The extents; not to be changed. */
  public long[] sizes() {
    if (sizes == null) {
      sizes = numbers(Native.Property.SIZES);
    }
    return sizes;
  }

  public int dim() {
    return sizes().length;
  }

  public long size(int dimension) {
    return sizes()[dimension];
  }

  public long numel() {
    long elements = 1;
    for (long size : sizes()) {
      elements *= size;
    }
    return elements;
  }

  /** The memory of a tensor without gaps, on the host; it must outlive the segment. */
  public MemorySegment memory() {
    if (isOnDevice()) {
      throw new IllegalStateException("the host cannot read memory of a device");
    }
    return Native.memory(Native.query(Native.Property.DATA, handle()), numel() * type().bytes());
  }

  /** The only element, as a number. */
  public double item() {
    if (numel() != 1) {
      throw new IllegalStateException(
          "a tensor of %d elements is not a single number".formatted(numel()));
    }
    MemorySegment data = onHost().memory();
    return switch (type()) {
      case FLOAT -> data.get(ValueLayout.JAVA_FLOAT, 0);
      case DOUBLE -> data.get(ValueLayout.JAVA_DOUBLE, 0);
      case LONG -> data.get(JAVA_LONG, 0);
      case INT -> data.get(ValueLayout.JAVA_INT, 0);
      case BOOL, BYTE -> data.get(ValueLayout.JAVA_BYTE, 0);
      case SHORT, HALF, BFLOAT16 -> to(ScalarType.FLOAT).item();
    };
  }

  /** Where its first element is: in memory of the host or of the device. */
  public long address() {
    return Native.query(Native.Property.DATA, handle());
  }

  private long[] numbers(Native.Property property) {
    int dimensions = (int) Native.query(Native.Property.DIMENSIONS, handle());
    return Native.memory(Native.query(property, handle), 8L * dimensions).toArray(JAVA_LONG);
  }

  // Other views and other forms of the same elements

  public Tensor to(ScalarType other) {
    return to(other, null);
  }

  public Tensor to(ScalarType other, MemoryFormat format) {
    return returning(Operation.TO_DTYPE)
        .tensor(this)
        .word(other.code())
        .flag(false)
        .flag(false)
        .optionalFormat(format)
        .result();
  }

  public Tensor contiguous() {
    return contiguous(MemoryFormat.CONTIGUOUS);
  }

  public Tensor contiguous(MemoryFormat format) {
    return returning(Operation.CONTIGUOUS).tensor(this).word(format.code()).result();
  }

  /** A copy with memory of its own. */
  public Tensor copy() {
    return returning(Operation.CLONE).tensor(this).absent().result();
  }

  public Tensor reshape(long... extents) {
    return shaped(Operation.RESHAPE, extents);
  }

  public Tensor permute(long... dimensions) {
    return shaped(Operation.PERMUTE, dimensions);
  }

  private Tensor shaped(Operation operation, long... values) {
    return returning(operation).tensor(this).numbers(values).result();
  }

  public Tensor expand(long... extents) {
    return returning(Operation.EXPAND).tensor(this).numbers(extents).flag(false).result();
  }

  public Tensor asStrided(long[] extents, long[] strides) {
    return asStrided(extents, strides, 0);
  }

  /** The same from an element on. */
  public Tensor asStrided(long[] extents, long[] strides, long first) {
    return returning(Operation.AS_STRIDED)
        .tensor(this)
        .numbers(extents)
        .numbers(strides)
        .optionalSymbolic(first)
        .result();
  }

  public Tensor flatten(int first, int last) {
    return pairOfWords(Operation.FLATTEN, first, last);
  }

  public Tensor transpose(int one, int other) {
    return pairOfWords(Operation.TRANSPOSE, one, other);
  }

  private Tensor pairOfWords(Operation operation, long one, long other) {
    return returning(operation).tensor(this).word(one).word(other).result();
  }

  public Tensor t() {
    return unary(Operation.T);
  }

  public Tensor unsqueeze(int dimension) {
    return returning(Operation.UNSQUEEZE).tensor(this).word(dimension).result();
  }

  public Tensor narrow(int dimension, long start, long length) {
    return returning(Operation.NARROW)
        .tensor(this)
        .word(dimension)
        .symbolic(start)
        .symbolic(length)
        .result();
  }

  public Tensor select(int dimension, long index) {
    return returning(Operation.SELECT).tensor(this).word(dimension).symbolic(index).result();
  }

  public Tensor slice(int dimension, long start, long end, long step) {
    return returning(Operation.SLICE_TENSOR)
        .tensor(this)
        .word(dimension)
        .optionalSymbolic(start)
        .optionalSymbolic(end)
        .symbolic(step)
        .result();
  }

  // Arithmetic

  public Tensor add(Tensor other) {
    return add(other, 1);
  }

  /** This plus a multiple of the other. */
  public Tensor add(Tensor other, double factor) {
    return scaled(Operation.ADD_TENSOR, other, factor);
  }

  public Tensor add(double value) {
    return returning(Operation.ADD_SCALAR).tensor(this).scalar(value).scalar(1).result();
  }

  public Tensor add_(Tensor other) {
    return add_(other, 1);
  }

  public Tensor add_(Tensor other, double factor) {
    begin(Operation.ADD_IN_PLACE_TENSOR).tensor(this).tensor(other).scalar(factor).call();
    return this;
  }

  public Tensor add_(double value) {
    begin(Operation.ADD_IN_PLACE_SCALAR).tensor(this).scalar(value).scalar(1).call();
    return this;
  }

  public Tensor sub(Tensor other) {
    return scaled(Operation.SUB_TENSOR, other, 1);
  }

  public Tensor sub_(Tensor other) {
    return sub_(other, 1);
  }

  public Tensor sub_(Tensor other, double factor) {
    begin(Operation.SUB_IN_PLACE_TENSOR).tensor(this).tensor(other).scalar(factor).call();
    return this;
  }

  private Tensor scaled(Operation operation, Tensor other, double factor) {
    return returning(operation).tensor(this).tensor(other).scalar(factor).result();
  }

  public Tensor mul(Tensor other) {
    return binary(Operation.MUL_TENSOR, other);
  }

  public Tensor mul(double factor) {
    return withScalar(Operation.MUL_SCALAR, factor);
  }

  public Tensor mul_(Tensor other) {
    begin(Operation.MUL_IN_PLACE_TENSOR).tensor(this).tensor(other).call();
    return this;
  }

  public Tensor mul_(double factor) {
    begin(Operation.MUL_IN_PLACE_SCALAR).tensor(this).scalar(factor).call();
    return this;
  }

  public Tensor div(Tensor other) {
    return binary(Operation.DIV_TENSOR, other);
  }

  public Tensor div(double divisor) {
    return withScalar(Operation.DIV_SCALAR, divisor);
  }

  public Tensor div_(Tensor other) {
    begin(Operation.DIV_IN_PLACE_TENSOR).tensor(this).tensor(other).call();
    return this;
  }

  public Tensor div_(double divisor) {
    begin(Operation.DIV_IN_PLACE_SCALAR).tensor(this).scalar(divisor).call();
    return this;
  }

  public Tensor pow(double exponent) {
    return withScalar(Operation.POW_SCALAR, exponent);
  }

  public Tensor clampMin(double least) {
    return withScalar(Operation.CLAMP_MIN, least);
  }

  public Tensor neg() {
    return unary(Operation.NEG);
  }

  public Tensor sqrt() {
    return unary(Operation.SQRT);
  }

  public Tensor sqrt_() {
    begin(Operation.SQRT_IN_PLACE).tensor(this).call();
    return this;
  }

  public Tensor rsqrt() {
    return unary(Operation.RSQRT);
  }

  /** Adds a multiple of the elementwise product. */
  public Tensor addcmul_(Tensor left, Tensor right, double factor) {
    begin(Operation.ADDCMUL_IN_PLACE).tensor(this).tensor(left).tensor(right).scalar(factor).call();
    return this;
  }

  /** Adds a multiple of the elementwise quotient. */
  public Tensor addcdiv_(Tensor dividend, Tensor divisor, double factor) {
    begin(Operation.ADDCDIV_IN_PLACE)
        .tensor(this)
        .tensor(dividend)
        .tensor(divisor)
        .scalar(factor)
        .call();
    return this;
  }

  /** Moves this share of the way to the other. */
  public Tensor lerp_(Tensor other, double share) {
    begin(Operation.LERP_IN_PLACE_SCALAR).tensor(this).tensor(other).scalar(share).call();
    return this;
  }

  public Tensor zero_() {
    begin(Operation.ZERO_IN_PLACE).tensor(this).call();
    return this;
  }

  public Tensor fill_(double value) {
    begin(Operation.FILL_IN_PLACE_SCALAR).tensor(this).scalar(value).call();
    return this;
  }

  public Tensor copy_(Tensor from) {
    begin(Operation.COPY_IN_PLACE).tensor(this).tensor(from).flag(false).call();
    return this;
  }

  // Products of matrices

  public Tensor mm(Tensor right) {
    return binary(Operation.MM, right);
  }

  public Tensor matmul(Tensor right) {
    return binary(Operation.MATMUL, right);
  }

  /** Adds the product of two matrices. */
  public Tensor addmm_(Tensor left, Tensor right) {
    begin(Operation.ADDMM_IN_PLACE)
        .tensor(this)
        .tensor(left)
        .tensor(right)
        .scalar(1)
        .scalar(1)
        .call();
    return this;
  }

  /** Becomes the product of two matrices. */
  public Tensor mm_(Tensor left, Tensor right) {
    begin(Operation.MM_OUT).tensor(left).tensor(right).tensor(this).call();
    return this;
  }

  // Sums and the like

  public Tensor sum() {
    return returning(Operation.SUM).tensor(this).absent().result();
  }

  public Tensor sum(long... dimensions) {
    return reduced(Operation.SUM_DIM, dimensions);
  }

  public Tensor mean(long... dimensions) {
    return reduced(Operation.MEAN, dimensions);
  }

  private Tensor reduced(Operation operation, long... dimensions) {
    return returning(operation)
        .tensor(this)
        .optionalNumbers(dimensions)
        .flag(false)
        .absent()
        .result();
  }

  /** The Euclidean norm of all elements. */
  public Tensor norm() {
    return withScalar(Operation.NORM_SCALAR, 2);
  }

  public Tensor argmax(long dimension) {
    return returning(Operation.ARGMAX).tensor(this).optionalNumber(dimension).flag(false).result();
  }

  public Tensor eq(Tensor other) {
    return binary(Operation.EQ_TENSOR, other);
  }

  public Tensor all() {
    return unary(Operation.ALL);
  }

  // By index

  public Tensor gather(int dimension, Tensor index) {
    return returning(Operation.GATHER)
        .tensor(this)
        .word(dimension)
        .tensor(index)
        .flag(false)
        .result();
  }

  public Tensor scatter_(int dimension, Tensor index, Tensor values) {
    return scattered(Operation.SCATTER_IN_PLACE, dimension, index, values);
  }

  public Tensor scatterAdd_(int dimension, Tensor index, Tensor values) {
    return scattered(Operation.SCATTER_ADD_IN_PLACE, dimension, index, values);
  }

  private Tensor scattered(Operation operation, int dimension, Tensor index, Tensor values) {
    begin(operation).tensor(this).word(dimension).tensor(index).tensor(values).call();
    return this;
  }

  private static CallBlock begin(Operation operation) {
    return EngineThread.current().call.begin(operation);
  }

  private static CallBlock returning(Operation operation) {
    return EngineThread.current().call.returning(operation);
  }

  Tensor unary(Operation operation) {
    return returning(operation).tensor(this).result();
  }

  Tensor binary(Operation operation, Tensor other) {
    return returning(operation).tensor(this).tensor(other).result();
  }

  Tensor withScalar(Operation operation, double value) {
    return returning(operation).tensor(this).scalar(value).result();
  }
}
