package dev.tandem.sync.agent;

import dev.tandem.comm.collective.Collectives;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reports of other ranks to rank 0: the length, then the report. */
final class StallMessages {

  private StallMessages() {}

  static void send(Collectives ranks, StallStatus status) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeBoolean(status.last());
      out.writeBoolean(status.joined());
      out.writeUTF(status.doing());
      out.writeInt(status.pendingSeconds().size());
      for (Map.Entry<String, Double> tensor : status.pendingSeconds().entrySet()) {
        out.writeUTF(tensor.getKey());
        out.writeDouble(tensor.getValue());
      }
    } catch (IOException e) {
      throw new UncheckedIOException("memory does not fail", e);
    }
    ranks.send(MemorySegment.ofArray(new long[] {bytes.size()}), 0);
    ranks.send(MemorySegment.ofArray(bytes.toByteArray()), 0);
  }

  static StallStatus receive(Collectives ranks, int from) {
    long[] length = new long[1];
    ranks.receive(MemorySegment.ofArray(length), from);
    byte[] bytes = new byte[Math.toIntExact(length[0])];
    ranks.receive(MemorySegment.ofArray(bytes), from);
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      boolean last = in.readBoolean();
      boolean joined = in.readBoolean();
      String doing = in.readUTF();
      Map<String, Double> pending = new LinkedHashMap<>();
      for (int left = in.readInt(); left > 0; left--) {
        pending.put(in.readUTF(), in.readDouble());
      }
      return new StallStatus(last, joined, doing, pending);
    } catch (IOException e) {
      throw new IllegalStateException("ranks of different versions report", e);
    }
  }
}
