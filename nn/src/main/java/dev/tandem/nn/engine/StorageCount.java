package dev.tandem.nn.engine;

/**
 * Bytes of native memory that tensors have, now and at most. The engine's own memory is counted
 * once, however many tensors show it; memory that comes from outside is counted by its owner.
 *
 * <p>A hash table from the address of a piece of the engine's memory to how many tensors show it.
 * Threads may share one.
 */
public final class StorageCount {

  private static final int FIRST_SIZE = 256;

  /** Addresses of allocations are multiples of 64; this spreads what is above. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private long current;
  private long peak;
  private long[] addresses = new long[FIRST_SIZE]; // 0 where nothing is
  private long[] sizes = new long[FIRST_SIZE];
  private int[] uses = new int[FIRST_SIZE];
  private int used;

  /** Counts memory from outside the engine until {@link #remove}. */
  public synchronized void add(long bytes) {
    current += bytes;
    peak = Math.max(peak, current);
  }

  public synchronized void remove(long bytes) {
    current -= bytes;
  }

  public synchronized long current() {
    return current;
  }

  public synchronized long peak() {
    return peak;
  }

  /** The most from now on. */
  public synchronized void resetPeak() {
    peak = current;
  }

  /**
   * One more tensor shows the memory at this address.
   *
   * @param bytes that count if it is the first
   */
  synchronized void show(long address, long bytes) {
    int place = place(address);
    uses[place]++;
    if (addresses[place] == 0) {
      addresses[place] = address;
      sizes[place] = bytes;
      add(bytes);
      used++;
      if (2 * used > addresses.length) {
        grow();
      }
    }
  }

  /** One tensor less shows it; to be called before the engine frees anything. */
  synchronized void hide(long address) {
    int place = place(address);
    uses[place]--;
    if (uses[place] == 0) {
      remove(sizes[place]);
      used--;
      empty(place);
    }
  }

  /** Where this address is, or else would go. */
  private int place(long address) {
    int place = first(address);
    while (addresses[place] != 0 && addresses[place] != address) {
      place = next(place);
    }
    return place;
  }

  private int first(long address) {
    return (int) ((address * SPREAD) >>> 32) & (addresses.length - 1);
  }

  private int next(int place) {
    return place + 1 & (addresses.length - 1);
  }

  /** Moves those after an empty place up that would not be found any more. */
  private void empty(int place) {
    int hole = place;
    addresses[hole] = 0;
    for (int i = next(hole); addresses[i] != 0; i = next(i)) {
      int distance = i - first(addresses[i]) & (addresses.length - 1);
      if (distance >= (i - hole & (addresses.length - 1))) {
        addresses[hole] = addresses[i];
        sizes[hole] = sizes[i];
        uses[hole] = uses[i];
        addresses[i] = 0;
        uses[i] = 0;
        hole = i;
      }
    }
  }

  private void grow() {
    long[] oldAddresses = addresses;
    long[] oldSizes = sizes;
    int[] oldUses = uses;
    int size = 2 * oldAddresses.length;
    addresses = new long[size];
    sizes = new long[size];
    uses = new int[size];
    for (int i = 0; i < oldAddresses.length; i++) {
      if (oldAddresses[i] != 0) {
        int place = place(oldAddresses[i]);
        addresses[place] = oldAddresses[i];
        sizes[place] = oldSizes[i];
        uses[place] = oldUses[i];
      }
    }
  }
}
