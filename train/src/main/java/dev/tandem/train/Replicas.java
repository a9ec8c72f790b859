package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * How the state of ranks compares.
 *
 * @param identical whether all ranks hold the same bits
 * @param digest SHA-256 over the names and bytes of all tensors, in hexadecimal
 */
public record Replicas(boolean identical, String digest) {

  private static final int DIGEST_BYTES = 32;

  /** Compares the state of all ranks, which call this together. */
  static Replicas of(Communicator communicator, StateTree state) {
    byte[] own = digest(state);
    byte[] all = new byte[DIGEST_BYTES * communicator.size()];
    communicator.allgather(MemorySegment.ofArray(own), MemorySegment.ofArray(all));
    boolean identical = true;
    for (int rank = 0; rank < communicator.size(); rank++) {
      int from = rank * DIGEST_BYTES;
      identical &= Arrays.equals(own, 0, DIGEST_BYTES, all, from, from + DIGEST_BYTES);
    }
    return new Replicas(identical, HexFormat.of().formatHex(own));
  }

  /** SHA-256 over the names and bytes of all tensors. */
  static byte[] digest(StateTree state) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (TensorView tensor : state.tensors().values()) {
        digest.update(tensor.name().getBytes(StandardCharsets.UTF_8));
        digest.update(tensor.data().asByteBuffer());
      }
      return digest.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
