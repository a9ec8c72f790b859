package dev.tandem.parallel.state;

import dev.tandem.comm.Communicator;
import dev.tandem.core.Region;
import dev.tandem.core.StateTree;
import dev.tandem.core.TensorView;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * How the state of the ranks of a split network compares with that of one process.
 *
 * @param identical whether ranks that hold the same region of a tensor hold the same bits
 * @param digest SHA-256 over the names and bytes of all whole tensors, in hexadecimal: that of one
 *     process whose network has the same bits
 */
public record WholeDigest(boolean identical, String digest) {

  /**
   * Gathers whole tensors one by one; all ranks call this together.
   *
   * @param all all ranks that hold something of the state
   * @param regions for tensors that are regions: which; the others are whole
   */
  public static WholeDigest of(Communicator all, StateTree state, Map<String, Region> regions) {
    List<Map<String, HeldTensor>> ranks = HeldTensor.exchange(all, state, regions);
    SortedSet<String> names = new TreeSet<>();
    ranks.forEach(held -> names.addAll(held.keySet()));
    MessageDigest digest = HeldTensor.sha256();
    boolean identical = true;
    for (String name : names) {
      // The first rank that has a region; the others have copies of it.
      Map<Region, Integer> owners = new LinkedHashMap<>();
      int elementBytes = 0;
      for (int rank = 0; rank < ranks.size(); rank++) {
        HeldTensor held = ranks.get(rank).get(name);
        if (held != null) {
          elementBytes = held.elementBytes();
          Integer first = owners.putIfAbsent(held.region(), rank);
          identical &= first == null || ranks.get(first).get(name).digest().equals(held.digest());
        }
      }
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment whole = whole(all, state.tensors().get(name), elementBytes, owners, arena);
        digest.update(name.getBytes(StandardCharsets.UTF_8));
        HeldTensor.update(digest, whole);
      }
    }
    byte[] result = digest.digest();
    all.broadcast(MemorySegment.ofArray(result), 0);
    return new WholeDigest(identical, HexFormat.of().formatHex(result));
  }

  /**
   * All of a tensor at rank 0, nothing elsewhere.
   *
   * @param own what this rank has of it, or null
   */
  private static MemorySegment whole(
      Communicator all,
      TensorView own,
      int elementBytes,
      Map<Region, Integer> owners,
      Arena arena) {
    long[] lengths = new long[all.size()];
    owners.forEach((region, rank) -> lengths[rank] = region.local().elements() * elementBytes);
    boolean first = all.rank() == 0;
    if (owners.size() == 1 && lengths[0] > 0) {
      return first ? own.data() : MemorySegment.NULL;
    }
    MemorySegment mine = lengths[all.rank()] > 0 ? own.data() : arena.allocate(0);
    MemorySegment parts = arena.allocate(first ? Arrays.stream(lengths).sum() : 0, 64);
    all.gather(mine, parts, lengths, 0);
    if (!first) {
      return MemorySegment.NULL;
    }
    long elements = owners.keySet().iterator().next().whole().elements();
    MemorySegment whole = arena.allocate(elements * elementBytes, 64);
    long[] begin = new long[lengths.length];
    for (int rank = 1; rank < begin.length; rank++) {
      begin[rank] = begin[rank - 1] + lengths[rank - 1];
    }
    owners.forEach(
        (region, rank) ->
            region.forEachRun(
                (to, from, length) ->
                    MemorySegment.copy(
                        parts,
                        begin[rank] + from * elementBytes,
                        whole,
                        to * elementBytes,
                        length * elementBytes)));
    return whole;
  }
}
