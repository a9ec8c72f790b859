package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/** Tells whether all ranks hold the same bits. */
final class Replicas {

  private static final int DIGEST_BYTES = 32;

  private Replicas() {}

  /** SHA-256 over the names and bytes of all tensors. */
  static byte[] digest(StateTree state) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (TensorView tensor : state.tensors().values()) {
        digest.update(tensor.name().getBytes(StandardCharsets.UTF_8));
        ByteBuffer bytes = tensor.data().asByteBuffer();
        digest.update(bytes);
      }
      return digest.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether all ranks, each calling with its own digest, have the same. */
  static boolean identical(Communicator communicator, byte[] digest) {
    byte[] all = new byte[DIGEST_BYTES * communicator.size()];
    communicator.allgather(MemorySegment.ofArray(digest), MemorySegment.ofArray(all));
    for (int rank = 0; rank < communicator.size(); rank++) {
      byte[] other = Arrays.copyOfRange(all, rank * DIGEST_BYTES, (rank + 1) * DIGEST_BYTES);
      if (!Arrays.equals(digest, other)) {
        return false;
      }
    }
    return true;
  }
}
