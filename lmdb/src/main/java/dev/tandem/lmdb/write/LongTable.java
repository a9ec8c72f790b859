package dev.tandem.lmdb.write;

import java.util.Arrays;
import java.util.function.Consumer;

/** A hash table from page numbers to objects, without boxes: it is asked several times per put. */
final class LongTable<T> {

  private static final long FREE = -1;

  private long[] keys;
  private Object[] values;
  private int size;

  LongTable() {
    reset(64);
  }

  private void reset(int capacity) {
    keys = new long[capacity];
    Arrays.fill(keys, FREE);
    values = new Object[capacity];
    size = 0;
  }

  int size() {
    return size;
  }

  /** The object of this page number, or null. */
  @SuppressWarnings("unchecked") // only put stores, and it stores T
  T find(long key) {
    return (T) values[slot(key)];
  }

  void put(long key, T value) {
    int slot = slot(key);
    if (keys[slot] == FREE) {
      keys[slot] = key;
      size++;
    }
    values[slot] = value;
    if (size * 2 > keys.length) {
      grow();
    }
  }

  /** Takes an entry out and returns its object, or null. */
  T remove(long key) {
    T found = find(key);
    int hole = slot(key);
    if (keys[hole] == FREE) {
      return null;
    }
    size--;
    int mask = keys.length - 1;
    keys[hole] = FREE;
    values[hole] = null;
    // Entries that probing had pushed past the hole move back, so that it ends no chain.
    for (int next = (hole + 1) & mask; keys[next] != FREE; next = (next + 1) & mask) {
      int home = home(keys[next]);
      if (((next - home) & mask) >= ((next - hole) & mask)) {
        keys[hole] = keys[next];
        values[hole] = values[next];
        keys[next] = FREE;
        values[next] = null;
        hole = next;
      }
    }
    return found;
  }

  void clear() {
    if (size > 0) {
      reset(Math.min(keys.length, 4096));
    }
  }

  /** The numbers of all entries, in no order. */
  long[] keys() {
    long[] all = new long[size];
    int count = 0;
    for (long key : keys) {
      if (key != FREE) {
        all[count++] = key;
      }
    }
    return all;
  }

  @SuppressWarnings("unchecked") // only put stores, and it stores T
  void forEach(Consumer<T> action) {
    for (Object value : values) {
      if (value != null) {
        action.accept((T) value);
      }
    }
  }

  @SuppressWarnings("unchecked") // only put stores, and it stores T
  private void grow() {
    long[] oldKeys = keys;
    Object[] oldValues = values;
    reset(oldKeys.length * 2);
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] != FREE) {
        put(oldKeys[i], (T) oldValues[i]);
      }
    }
  }

  private int slot(long key) {
    int mask = keys.length - 1;
    int slot = home(key);
    while (keys[slot] != key && keys[slot] != FREE) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private int home(long key) {
    return (int) ((key * 0x9E3779B97F4A7C15L) >>> 32) & (keys.length - 1);
  }
}
