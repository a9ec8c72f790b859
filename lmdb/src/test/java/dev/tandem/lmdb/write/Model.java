package dev.tandem.lmdb.write;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.page.KeyOrder;
import dev.tandem.lmdb.page.PageFormat;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** What an environment should hold: plain sorted maps, changed along with it. */
final class Model {

  /** One database. */
  static final class Database {
    final String name;
    final int flags;
    final TreeMap<byte[], TreeSet<byte[]>> entries;
    private final Comparator<byte[]> values;

    Database(String name, int flags) {
      this.name = name;
      this.flags = flags;
      KeyOrder keyOrder = KeyOrder.ofKeys(flags);
      KeyOrder valueOrder = KeyOrder.ofDuplicates(flags);
      this.entries = new TreeMap<>((a, b) -> Image.compare(keyOrder, a, b));
      this.values = (a, b) -> Image.compare(valueOrder, a, b);
    }

    boolean isSorted() {
      return (flags & PageFormat.DUP_SORT) != 0;
    }

    void put(byte[] key, byte[] value) {
      TreeSet<byte[]> held = entries.computeIfAbsent(key, k -> new TreeSet<>(values));
      if (!isSorted()) {
        held.clear();
      }
      held.add(value);
    }

    boolean delete(byte[] key) {
      return entries.remove(key) != null;
    }

    boolean delete(byte[] key, byte[] value) {
      TreeSet<byte[]> held = entries.get(key);
      boolean removed = held != null && held.remove(value);
      if (removed && held.isEmpty()) {
        entries.remove(key);
      }
      return removed;
    }

    long count() {
      return entries.values().stream().mapToLong(TreeSet::size).sum();
    }

    Database copy() {
      Database copy = new Database(name, flags);
      entries.forEach(
          (key, held) -> {
            TreeSet<byte[]> other = new TreeSet<>(values);
            other.addAll(held);
            copy.entries.put(key, other);
          });
      return copy;
    }

    /** From the end of mdb_dump's header on. */
    void dump(StringBuilder out) {
      HexFormat hex = HexFormat.of();
      entries.forEach(
          (key, held) ->
              held.forEach(
                  value ->
                      out.append(' ')
                          .append(hex.formatHex(key))
                          .append("\n ")
                          .append(hex.formatHex(value))
                          .append('\n')));
      out.append("DATA=END\n");
    }
  }

  final TreeMap<String, Database> databases = new TreeMap<>();

  Model copy() {
    Model copy = new Model();
    databases.forEach((name, database) -> copy.databases.put(name, database.copy()));
    return copy;
  }

  /** Fails unless the image holds exactly this. */
  void assertHeldBy(Image image) {
    Map<String, Image.Content> held = new TreeMap<>(image.databases());
    if (!databases.containsKey("")) {
      assertEquals(0, held.remove("").entries().size(), "entries of the main database");
    }
    assertEquals(databases.keySet(), held.keySet());
    databases.forEach(
        (name, database) -> {
          assertEquals(database.flags, held.get(name).flags(), "flags of " + name);
          List<Image.Entry> entries = held.get(name).entries();
          assertEquals(database.count(), entries.size(), "entries of " + name);
          int[] next = new int[1];
          database.entries.forEach(
              (key, values) ->
                  values.forEach(
                      value -> {
                        Image.Entry entry = entries.get(next[0]++);
                        assertArrayEquals(key, entry.key());
                        assertArrayEquals(value, entry.value());
                      }));
        });
  }

  private static final String[] FLAG_NAMES = {
    "reversekey", "dupsort", "integerkey", "dupfixed", "integerdup", "reversedup"
  };

  /** What {@code mdb_dump -a} prints, or {@code mdb_dump} where there is only a main database. */
  String dump(long mapSize, int pageSize) {
    StringBuilder out = new StringBuilder();
    databases.forEach(
        (name, database) -> {
          if (name.isEmpty() && databases.size() > 1) {
            return;
          }
          out.append("VERSION=3\nformat=bytevalue\n");
          if (!name.isEmpty()) {
            out.append("database=").append(name).append('\n');
          }
          out.append("type=btree\nmapsize=").append(mapSize).append("\nmaxreaders=126\n");
          if (database.isSorted()) {
            out.append("duplicates=1\n");
          }
          for (int bit = 0; bit < FLAG_NAMES.length; bit++) {
            if ((database.flags & (2 << bit)) != 0) {
              out.append(FLAG_NAMES[bit]).append("=1\n");
            }
          }
          out.append("db_pagesize=").append(pageSize).append("\nHEADER=END\n");
          database.dump(out);
        });
    return out.toString();
  }
}
