package dev.tandem.sync.agent;

import dev.tandem.core.DType;
import dev.tandem.core.Shape;
import dev.tandem.sync.compress.Compression;
import dev.tandem.sync.plan.RequestGraph.Tensor;
import dev.tandem.sync.request.Operation;
import dev.tandem.sync.request.Signature;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** What ranks write to each other when they negotiate. */
final class Messages {

  /** What a rank tells rank 0. */
  record Wanted(boolean joined, List<Tensor> tensors) {}

  private interface Writing {
    void to(DataOutputStream out) throws IOException;
  }

  private interface Reading<T> {
    T from(DataInputStream in) throws IOException;
  }

  private Messages() {}

  static byte[] encode(Wanted wanted) {
    return write(
        out -> {
          out.writeBoolean(wanted.joined());
          out.writeInt(wanted.tensors().size());
          for (Tensor tensor : wanted.tensors()) {
            tensor(tensor, out);
          }
        });
  }

  static Wanted wanted(byte[] message) {
    return read(
        message,
        in -> {
          boolean joined = in.readBoolean();
          List<Tensor> tensors = new ArrayList<>();
          for (int left = in.readInt(); left > 0; left--) {
            tensors.add(tensor(in));
          }
          return new Wanted(joined, tensors);
        });
  }

  static byte[] encodeResponses(List<Response> responses) {
    return write(
        out -> {
          out.writeInt(responses.size());
          for (Response response : responses) {
            tensor(response.tensor(), out);
            out.writeUTF(response.error());
          }
        });
  }

  static List<Response> responses(byte[] message) {
    return read(
        message,
        in -> {
          List<Response> responses = new ArrayList<>();
          for (int left = in.readInt(); left > 0; left--) {
            responses.add(new Response(tensor(in), in.readUTF()));
          }
          return responses;
        });
  }

  static byte[] encodeSteps(List<Recorder.Line> lines) {
    return write(
        out -> {
          out.writeInt(lines.size());
          for (Recorder.Line line : lines) {
            tensor(new Tensor(line.name(), line.signature()), out);
            out.writeInt(line.level());
            out.writeBoolean(line.awaited());
          }
        });
  }

  static List<Recorder.Line> steps(byte[] message) {
    return read(
        message,
        in -> {
          List<Recorder.Line> lines = new ArrayList<>();
          for (int left = in.readInt(); left > 0; left--) {
            Tensor tensor = tensor(in);
            lines.add(
                new Recorder.Line(
                    tensor.name(), tensor.signature(), in.readInt(), in.readBoolean()));
          }
          return lines;
        });
  }

  private static void tensor(Tensor tensor, DataOutputStream out) throws IOException {
    Signature signature = tensor.signature();
    out.writeUTF(tensor.name());
    out.writeUTF(signature.operation().name());
    out.writeUTF(signature.dtype().code());
    out.writeInt(signature.root());
    out.writeFloat(signature.scale());
    out.writeUTF(signature.compression().code());
    long[] extents = signature.shape().toArray();
    out.writeByte(extents.length);
    for (long extent : extents) {
      out.writeLong(extent);
    }
  }

  private static Tensor tensor(DataInputStream in) throws IOException {
    String name = in.readUTF();
    Operation operation = Operation.valueOf(in.readUTF());
    DType dtype = DType.ofCode(in.readUTF());
    int root = in.readInt();
    float scale = in.readFloat();
    Compression compression = Compression.of(in.readUTF());
    long[] extents = new long[in.readByte()];
    for (int i = 0; i < extents.length; i++) {
      extents[i] = in.readLong();
    }
    return new Tensor(
        name, new Signature(operation, dtype, Shape.of(extents), root, scale, compression));
  }

  private static byte[] write(Writing writing) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      writing.to(out);
    } catch (IOException e) {
      throw new UncheckedIOException("memory does not fail", e);
    }
    return bytes.toByteArray();
  }

  private static <T> T read(byte[] message, Reading<T> reading) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(message))) {
      return reading.from(in);
    } catch (IOException e) {
      throw new IllegalStateException("ranks of different versions negotiate", e);
    }
  }
}
