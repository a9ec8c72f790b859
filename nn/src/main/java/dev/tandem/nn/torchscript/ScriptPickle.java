package dev.tandem.nn.torchscript;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The modules of an archive as a pickle: a program for Python's stack machine that makes them. It
 * has no numbers of the tensors, only where in the archive they are.
 */
final class ScriptPickle {

  // As Python's pickle module names them.
  private static final int PROTO = 0x80;
  private static final int STOP = '.';
  private static final int MARK = '(';
  private static final int TUPLE = 't';
  private static final int EMPTY_TUPLE = ')';
  private static final int EMPTY_DICT = '}';
  private static final int SETITEMS = 'u';
  private static final int GLOBAL = 'c';
  private static final int NEWOBJ = 0x81;
  private static final int BUILD = 'b';
  private static final int REDUCE = 'R';
  private static final int BINPERSID = 'Q';
  private static final int BINUNICODE = 'X';
  private static final int LONG1 = 0x8A;
  private static final int NEWFALSE = 0x89;

  private static final int PROTOCOL = 2;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  private ScriptPickle() {}

  static byte[] of(ScriptModule root) {
    ScriptPickle pickle = new ScriptPickle();
    pickle.put(PROTO, PROTOCOL);
    pickle.module(root);
    pickle.put(STOP);
    return pickle.bytes.toByteArray();
  }

  /** Nothing: we have no constants outside the source text. */
  static byte[] ofNoConstants() {
    ScriptPickle pickle = new ScriptPickle();
    pickle.put(PROTO, PROTOCOL, EMPTY_TUPLE, STOP);
    return pickle.bytes.toByteArray();
  }

  private void module(ScriptModule module) {
    global(ScriptSource.PACKAGE, module.type());
    put(EMPTY_TUPLE, NEWOBJ, EMPTY_DICT, MARK);
    text(ScriptModule.TRAINING);
    put(NEWFALSE);
    module
        .tensors()
        .forEach(
            (name, tensor) -> {
              text(name);
              tensor(tensor);
            });
    module
        .modules()
        .forEach(
            (name, each) -> {
              text(name);
              module(each);
            });
    put(SETITEMS, BUILD);
  }

  /** A call of {@code _rebuild_tensor_v2} with storage, offset, shape, strides, gradient, hooks. */
  private void tensor(ScriptModule.Tensor tensor) {
    Shape shape = tensor.view().shape();
    global("torch._utils", "_rebuild_tensor_v2");
    put(MARK, MARK);
    text("storage");
    global("torch", storage(tensor.view().dtype()));
    text(String.valueOf(tensor.number()));
    text("cpu");
    whole(shape.elements());
    put(TUPLE, BINPERSID);
    whole(0);
    tuple(shape.extents());
    tuple(strides(shape));
    put(NEWFALSE);
    global("collections", "OrderedDict");
    put(EMPTY_TUPLE, REDUCE, TUPLE, REDUCE);
  }

  private static String storage(DType dtype) {
    return switch (dtype) {
      case FLOAT32 -> "FloatStorage";
      case FLOAT64 -> "DoubleStorage";
      case BFLOAT16 -> "BFloat16Storage";
      case FLOAT16 -> "HalfStorage";
      case INT32 -> "IntStorage";
      case INT64 -> "LongStorage";
      case UINT8 -> "ByteStorage";
    };
  }

  /** Elements from one index to the next, of each dimension. */
  private static List<Long> strides(Shape shape) {
    List<Long> strides = new ArrayList<>();
    long stride = 1;
    for (long extent : shape.extents().reversed()) {
      strides.addFirst(stride);
      stride *= extent;
    }
    return strides;
  }

  private void tuple(List<Long> values) {
    put(MARK);
    values.forEach(this::whole);
    put(TUPLE);
  }

  private void global(String module, String name) {
    put(GLOBAL);
    bytes.writeBytes((module + "\n" + name + "\n").getBytes(StandardCharsets.UTF_8));
  }

  private void text(String value) {
    byte[] letters = value.getBytes(StandardCharsets.UTF_8);
    put(BINUNICODE);
    bytes.writeBytes(littleEndian(Integer.BYTES).putInt(letters.length).array());
    bytes.writeBytes(letters);
  }

  private void whole(long value) {
    put(LONG1, Long.BYTES);
    bytes.writeBytes(littleEndian(Long.BYTES).putLong(value).array());
  }

  private void put(int... values) {
    for (int value : values) {
      bytes.write(value);
    }
  }

  private static ByteBuffer littleEndian(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
  }
}
