package dev.tandem.sync.agent;

import dev.tandem.sync.plan.RequestGraph.Tensor;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;

/**
 * Tensors that all ranks have negotiated before, each with a number. All ranks change their caches
 * in the same way at the same time, so the caches of all ranks are the same. The entry that was
 * used longest ago makes room for a new one, which gets its number.
 */
final class ResponseCache {

  /** What a request is to the cache. */
  enum Lookup {
    /** Known with the same signature. */
    HIT,
    /** Unknown. */
    MISS,
    /** Known with another signature. */
    INVALID
  }

  private final int capacity;
  private final Map<String, Integer> numbers = new HashMap<>();
  // By number; null where a number is free.
  private final List<Tensor> tensors = new ArrayList<>();
  // Numbers, the one used longest ago first.
  private final SequencedSet<Integer> byUse = new LinkedHashSet<>();
  private final BitSet free = new BitSet();

  ResponseCache(int capacity) {
    this.capacity = capacity;
  }

  Lookup lookup(Tensor tensor) {
    Integer number = numbers.get(tensor.name());
    if (number == null) {
      return Lookup.MISS;
    }
    return tensors.get(number).equals(tensor) ? Lookup.HIT : Lookup.INVALID;
  }

  /** The number of a cached name. */
  int number(String name) {
    return numbers.get(name);
  }

  Tensor tensor(int number) {
    return tensors.get(number);
  }

  /** All numbers are below. */
  int end() {
    return tensors.size();
  }

  /** The numbers that are in use. */
  BitSet taken() {
    BitSet taken = new BitSet();
    taken.set(0, end());
    taken.andNot(free);
    return taken;
  }

  /** Counts as the latest use. */
  void use(int number) {
    byUse.remove(number);
    byUse.add(number);
  }

  /** Takes a tensor in, unless there is no room at all; its use is the latest. */
  void put(Tensor tensor) {
    if (capacity == 0) {
      return;
    }
    Integer known = numbers.get(tensor.name());
    int number = known != null ? known : freeNumber();
    tensors.set(number, tensor);
    numbers.put(tensor.name(), number);
    use(number);
  }

  private int freeNumber() {
    if (byUse.size() == capacity) {
      erase(byUse.getFirst());
    }
    int number = free.nextSetBit(0);
    if (number < 0) {
      tensors.add(null);
      return tensors.size() - 1;
    }
    free.clear(number);
    return number;
  }

  /** Forgets an entry. */
  void erase(int number) {
    numbers.remove(tensors.get(number).name());
    tensors.set(number, null);
    byUse.remove(number);
    free.set(number);
  }
}
