package dev.tandem.parallel.state;

import dev.tandem.comm.Communicator;
import dev.tandem.core.Ranges;
import dev.tandem.core.Region;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a rank has of a tensor, as it informs the others.
 *
 * @param digest SHA-256 over the bytes that the rank has
 */
record HeldTensor(int elementBytes, Region region, String digest) {

  /** Buffers hold at most 2 GiB. */
  private static final long PIECE = 1 << 30;

  /** What all ranks have, by rank and by the tensor's name. */
  static List<Map<String, HeldTensor>> exchange(
      Communicator all, StateTree state, Map<String, Region> regions) {
    Map<String, HeldTensor> own = new TreeMap<>();
    for (TensorView tensor : state.tensors().values()) {
      MessageDigest digest = sha256();
      update(digest, tensor.data());
      Region region = regions.getOrDefault(tensor.name(), Region.all(tensor.shape()));
      String hex = HexFormat.of().formatHex(digest.digest());
      own.put(tensor.name(), new HeldTensor(tensor.dtype().bytes(), region, hex));
    }
    byte[] mine = encode(own);
    long[] lengths = new long[all.size()];
    all.allgather(MemorySegment.ofArray(new long[] {mine.length}), MemorySegment.ofArray(lengths));
    byte[] messages = new byte[Math.toIntExact(Arrays.stream(lengths).sum())];
    all.allgather(MemorySegment.ofArray(mine), MemorySegment.ofArray(messages), lengths);
    List<Map<String, HeldTensor>> ranks = new ArrayList<>();
    int at = 0;
    for (long length : lengths) {
      ranks.add(decode(Arrays.copyOfRange(messages, at, at + (int) length)));
      at += (int) length;
    }
    return ranks;
  }

  private static byte[] encode(Map<String, HeldTensor> tensors) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(tensors.size());
      for (Map.Entry<String, HeldTensor> entry : tensors.entrySet()) {
        HeldTensor held = entry.getValue();
        out.writeUTF(entry.getKey());
        out.writeInt(held.elementBytes);
        out.writeUTF(held.digest);
        out.writeInt(held.region.dimensions().size());
        for (Ranges ranges : held.region.dimensions()) {
          out.writeLong(ranges.whole());
          out.writeLong(ranges.extent());
          out.writeInt(ranges.runs().size());
          for (Ranges.Run run : ranges.runs()) {
            out.writeLong(run.from());
            out.writeLong(run.at());
            out.writeLong(run.length());
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static Map<String, HeldTensor> decode(byte[] message) {
    Map<String, HeldTensor> tensors = new TreeMap<>();
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(message))) {
      for (int left = in.readInt(); left > 0; left--) {
        String name = in.readUTF();
        int elementBytes = in.readInt();
        String digest = in.readUTF();
        List<Ranges> dimensions = new ArrayList<>();
        for (int dimension = in.readInt(); dimension > 0; dimension--) {
          long whole = in.readLong();
          long extent = in.readLong();
          List<Ranges.Run> runs = new ArrayList<>();
          for (int run = in.readInt(); run > 0; run--) {
            runs.add(new Ranges.Run(in.readLong(), in.readLong(), in.readLong()));
          }
          dimensions.add(new Ranges(whole, extent, runs));
        }
        tensors.put(name, new HeldTensor(elementBytes, new Region(dimensions), digest));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return tensors;
  }

  static void update(MessageDigest digest, MemorySegment data) {
    for (long at = 0; at < data.byteSize(); at += PIECE) {
      digest.update(data.asSlice(at, Math.min(PIECE, data.byteSize() - at)).asByteBuffer());
    }
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
