package dev.tandem.lmdb.write;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.lmdb.DatabaseFlags;
import dev.tandem.lmdb.page.PageFormat;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Random changes, done to an environment and to its model alike. */
final class RandomWork {

  private static final DatabaseFlags[][] KEY_FLAGS = {
    {}, {}, {DatabaseFlags.REVERSE_KEY}, {DatabaseFlags.INTEGER_KEY}
  };
  private static final DatabaseFlags[][] VALUE_FLAGS = {
    {},
    {},
    {},
    {DatabaseFlags.DUP_SORT},
    {DatabaseFlags.DUP_SORT, DatabaseFlags.REVERSE_DUP},
    {DatabaseFlags.DUP_SORT, DatabaseFlags.INTEGER_DUP},
    {DatabaseFlags.DUP_SORT, DatabaseFlags.DUP_FIXED},
    {DatabaseFlags.DUP_SORT, DatabaseFlags.DUP_FIXED, DatabaseFlags.REVERSE_DUP},
    {DatabaseFlags.DUP_SORT, DatabaseFlags.DUP_FIXED, DatabaseFlags.INTEGER_DUP},
  };

  /** How one database is filled. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Plan(
      String name, DatabaseFlags[] flags, int keys, int maxKey, int maxValue, int fixedValue) {}

  private final SplittableRandom random;
  private final List<Plan> plans = new ArrayList<>();
  private final Model model = new Model();
  private final int largest;

  RandomWork(SplittableRandom random) {
    this(random, 1_000_000);
  }

  /** With no value larger than this. */
  RandomWork(SplittableRandom random, int largest) {
    this.random = random;
    this.largest = largest;
    boolean mainOnly = random.nextInt(3) == 0;
    if (mainOnly) {
      plans.add(plan("", true));
    } else {
      int count = 1 + random.nextInt(4);
      for (int i = 0; i < count; i++) {
        plans.add(plan("database" + i, true));
      }
      if (random.nextBoolean()) {
        plans.add(plan("", false));
      }
    }
  }

  Model model() {
    return model;
  }

  private Plan plan(String name, boolean anyFlags) {
    List<DatabaseFlags> flags = new ArrayList<>();
    if (anyFlags) {
      flags.addAll(Arrays.asList(KEY_FLAGS[random.nextInt(KEY_FLAGS.length)]));
      flags.addAll(Arrays.asList(VALUE_FLAGS[random.nextInt(VALUE_FLAGS.length)]));
    }
    int integer = random.nextBoolean() ? 4 : 8;
    int maxKey =
        flags.contains(DatabaseFlags.INTEGER_KEY) ? integer : pick(4, 16, 60, PageFormat.MAX_KEY);
    boolean sorted = flags.contains(DatabaseFlags.DUP_SORT);
    int maxValue =
        sorted
            ? pick(8, 40, PageFormat.MAX_KEY)
            : Math.min(largest, pick(0, 30, 300, 3000, 20_000, 1_000_000));
    int fixed = 0;
    if (flags.contains(DatabaseFlags.INTEGER_DUP)) {
      fixed = random.nextBoolean() ? 4 : 8;
    } else if (flags.contains(DatabaseFlags.DUP_FIXED)) {
      fixed = pick(1, 2, 7, 16, 100, PageFormat.MAX_KEY);
    }
    int keys = sorted ? pick(2, 20, 200) : maxValue > 100_000 ? 20 : pick(10, 200, 2000);
    return new Plan(name, flags.toArray(DatabaseFlags[]::new), keys, maxKey, maxValue, fixed);
  }

  private int pick(int... choices) {
    return choices[random.nextInt(choices.length)];
  }

  /** One transaction, committed or now and then dropped. */
  void transaction(EnvironmentWriter environment) {
    boolean commit = random.nextInt(8) != 0;
    Model before = commit ? null : model.copy();
    try (WriteTransaction transaction = environment.begin()) {
      int rounds = 1 + random.nextInt(3);
      for (int i = 0; i < rounds; i++) {
        Plan plan = plans.get(random.nextInt(plans.size()));
        work(plan, transaction);
      }
      if (commit) {
        transaction.commit();
      }
    }
    if (!commit) {
      model.databases.clear();
      model.databases.putAll(before.databases);
    }
  }

  private void work(Plan plan, WriteTransaction transaction) {
    WriteDatabase database =
        plan.name.isEmpty()
            ? transaction.main(plan.flags)
            : transaction.database(plan.name, plan.flags);
    Model.Database mirror =
        model.databases.computeIfAbsent(
            plan.name, name -> new Model.Database(name, DatabaseFlags.bits(plan.flags)));
    switch (random.nextInt(20)) {
      case 0 -> {
        database.clear();
        mirror.entries.clear();
        if (plan.name.isEmpty()) {
          model.databases.keySet().removeIf(name -> !name.isEmpty());
        }
      }
      case 1 -> {
        if (!plan.name.isEmpty()) {
          database.drop();
          model.databases.remove(plan.name);
        }
      }
      case 2, 3, 4 -> deleteMost(database, mirror);
      case 5, 6, 7 -> fill(plan, database, mirror);
      default -> mixed(plan, database, mirror, 1 + random.nextInt(200));
    }
    if (model.databases.containsKey(plan.name)) {
      assertEquals(mirror.count(), valuesIn(database, plan), "entries of " + plan.name);
    }
  }

  /** Entries without the records of named databases that the main one holds. */
  private long valuesIn(WriteDatabase database, Plan plan) {
    long named = model.databases.keySet().stream().filter(name -> !name.isEmpty()).count();
    return plan.name.isEmpty() ? database.entries() - named : database.entries();
  }

  private void deleteMost(WriteDatabase database, Model.Database mirror) {
    int percent = pick(30, 80, 100);
    for (byte[] key : new ArrayList<>(mirror.entries.keySet())) {
      if (random.nextInt(100) < percent) {
        assertTrue(database.delete(key));
        mirror.delete(key);
      }
    }
  }

  /** Many keys in order, or many values of one key. */
  private void fill(Plan plan, WriteDatabase database, Model.Database mirror) {
    if (mirror.isSorted()) {
      byte[] key = key(plan);
      for (int i = random.nextInt(400); i > 0; i--) {
        put(database, mirror, key, value(plan));
      }
      return;
    }
    TreeSet<byte[]> keys = new TreeSet<>(mirror.entries.comparator());
    for (int i = 0; i < Math.min(plan.keys, 400); i++) {
      keys.add(key(plan));
    }
    for (byte[] key : keys) {
      byte[] value = value(plan);
      boolean last =
          !plan.name.isEmpty()
              && (mirror.entries.isEmpty()
                  || mirror.entries.comparator().compare(mirror.entries.lastKey(), key) < 0);
      if (last) {
        database.append(key, value);
        mirror.put(key, value);
      } else {
        put(database, mirror, key, value);
      }
    }
  }

  private void mixed(Plan plan, WriteDatabase database, Model.Database mirror, int count) {
    for (int i = 0; i < count; i++) {
      byte[] key = key(plan);
      TreeSet<byte[]> held = mirror.entries.get(key);
      switch (random.nextInt(10)) {
        case 0, 1 -> assertEquals(mirror.delete(key), database.delete(key));
        case 2 -> {
          byte[] value = held != null && random.nextBoolean() ? any(held) : value(plan);
          assertEquals(mirror.delete(key, value), database.delete(key, value));
        }
        case 3 -> {
          byte[] found = database.get(key);
          if (held == null) {
            assertNull(found);
          } else {
            assertArrayEquals(held.first(), found);
          }
        }
        case 4 -> {
          byte[] value = value(plan);
          boolean absent = held == null;
          assertEquals(absent, database.putIfAbsent(key, value));
          if (absent) {
            mirror.put(key, value);
          }
        }
        default -> put(database, mirror, key, value(plan));
      }
    }
  }

  private byte[] any(Set<byte[]> held) {
    int index = random.nextInt(held.size());
    for (byte[] value : held) {
      if (index-- == 0) {
        return value;
      }
    }
    throw new AssertionError();
  }

  private void put(WriteDatabase database, Model.Database mirror, byte[] key, byte[] value) {
    TreeSet<byte[]> held = mirror.entries.get(key);
    if (mirror.isSorted() && held != null) {
      if (value.length == 0 || held.first().length == 0) {
        return; // LMDB has no place for an empty value among several
      }
      boolean known = held.contains(value);
      assertEquals(!known, database.putDuplicate(key, value));
      if (known) {
        assertFalse(database.putDuplicate(key, value));
      }
    } else {
      database.put(ByteBuffer.wrap(key), ByteBuffer.wrap(value));
    }
    mirror.put(key, value);
  }

  private byte[] key(Plan plan) {
    SplittableRandom of = new SplittableRandom(random.nextInt(plan.keys) * 7919L + plan.maxKey);
    boolean integer = Arrays.asList(plan.flags).contains(DatabaseFlags.INTEGER_KEY);
    byte[] key = new byte[integer ? plan.maxKey : 1 + of.nextInt(plan.maxKey)];
    of.nextBytes(key);
    if (plan.name.isEmpty()) {
      key[0] = (byte) (key[0] | 0x80); // never the name of a database
    }
    return key;
  }

  private byte[] value(Plan plan) {
    byte[] value =
        new byte[plan.fixedValue > 0 ? plan.fixedValue : random.nextInt(plan.maxValue + 1)];
    random.nextBytes(value);
    return value;
  }

  /** Operations for py-lmdb to do on the databases that there are, mirrored in the model. */
  void forPeer(Consumer<String> lines) {
    HexFormat hex = HexFormat.of();
    for (int i = random.nextInt(300); i >= 0; i--) {
      Plan plan = plans.get(random.nextInt(plans.size()));
      Model.Database mirror = model.databases.get(plan.name);
      if (mirror == null) {
        continue;
      }
      String name = plan.name.isEmpty() ? "-" : plan.name;
      byte[] key = key(plan);
      TreeSet<byte[]> held = mirror.entries.get(key);
      int choice = random.nextInt(10);
      if (choice < 3) {
        lines.accept("del " + name + " " + hex.formatHex(key));
        mirror.delete(key);
      } else if (choice < 5 && held != null && mirror.isSorted()) {
        byte[] value = any(held);
        if (value.length > 0) {
          lines.accept("del " + name + " " + hex.formatHex(key) + " " + hex.formatHex(value));
          mirror.delete(key, value);
        }
      } else if (choice == 9) {
        lines.accept("commit");
      } else {
        byte[] value = value(plan);
        if (mirror.isSorted() && held != null && (value.length == 0 || held.first().length == 0)) {
          continue;
        }
        String shown = value.length == 0 ? "-" : hex.formatHex(value);
        lines.accept("put " + name + " " + hex.formatHex(key) + " " + shown);
        mirror.put(key, value);
      }
    }
  }
}
