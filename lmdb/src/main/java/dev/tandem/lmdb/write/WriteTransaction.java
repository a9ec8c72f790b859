package dev.tandem.lmdb.write;

import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.lmdb.DatabaseFlags;
import dev.tandem.lmdb.page.KeyOrder;
import dev.tandem.lmdb.page.LockFile;
import dev.tandem.lmdb.page.PageFormat;
import dev.tandem.posix.DurableFile;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A write transaction: sees its own changes, and all or none of them become durable. Closing it
 * without {@link #commit} drops them. Only the thread that began it may use it.
 *
 * <p>After a failure other than a {@link UsageException}, the transaction can only be closed; the
 * environment is as the last commit left it.
 */
public final class WriteTransaction implements AutoCloseable {

  private final EnvironmentWriter environment;
  private final MetaState before;
  private final PageSpace space;
  private final FreePages free;
  private final TreeRecord freeTree;
  private final long sizeBefore;
  private final WriteDatabase main;
  private final Map<String, WriteDatabase> named = new LinkedHashMap<>();
  private final Thread owner = Thread.currentThread();
  private boolean ended;
  private boolean failed;

  WriteTransaction(EnvironmentWriter environment, MetaState before, PageSpace space) {
    this.environment = environment;
    this.before = before;
    this.space = space;
    this.freeTree = before.freeTree();
    this.sizeBefore = environment.file().size();
    FreeListRecords records = new FreeListRecords(space, freeTree.copy());
    LockFile lock = environment.lock();
    this.free = new FreePages(id(), before.lastPage() + 1, records, lock::oldestReader);
    space.begin(free);
    this.main = new WriteDatabase(this, space, before.mainTree(), "");
  }

  /** Number that the commit will have. */
  public long id() {
    return before.id() + 1;
  }

  /**
   * The unnamed database.
   *
   * @param flags given to it if it is empty; an existing one must have them
   */
  public WriteDatabase main(DatabaseFlags... flags) {
    check();
    int bits = DatabaseFlags.bits(flags);
    if (bits != 0 && bits != main.record().flags) {
      if (!main.record().isEmpty()) {
        throw otherFlags("the main database");
      }
      main.flags(bits);
    }
    return main;
  }

  /**
   * The database of this name, made if missing.
   *
   * @param flags of a new one; an existing one must have them, or none are given
   */
  public WriteDatabase database(String name, DatabaseFlags... flags) {
    check();
    int bits = DatabaseFlags.bits(flags);
    WriteDatabase database = named.get(name);
    if (database == null) {
      if (name.isEmpty()) {
        throw new UsageException("a named database needs a name; use main() for the unnamed one");
      }
      if ((main.record().flags & (PageFormat.DUP_SORT | PageFormat.INTEGER_KEY)) != 0) {
        throw new UsageException(
            "no named databases: the main database has duplicates or integer keys");
      }
      byte[] key = name.getBytes(StandardCharsets.UTF_8);
      TreeRecord record = main.findRecord(key);
      if (record == null) {
        record = TreeRecord.empty(bits);
        main.putRecord(key, record);
      }
      database = new WriteDatabase(this, space, record, name);
      named.put(name, database);
    }
    if (bits != 0 && bits != database.record().flags) {
      throw otherFlags("database " + name);
    }
    return database;
  }

  private static UsageException otherFlags(String what) {
    return new UsageException(what + " exists with other flags");
  }

  /** Makes all changes durable. A transaction without changes writes nothing. */
  public void commit() {
    check();
    try {
      saveNamed();
      if (main.isChanged() || space.isChanged()) {
        write();
      }
    } catch (RuntimeException e) {
      failed = true;
      end();
      throw space.explained(e);
    }
    end();
  }

  private void saveNamed() {
    for (WriteDatabase database : named.values()) {
      if (database.isChanged()) {
        main.putRecord(database.name().getBytes(StandardCharsets.UTF_8), database.record());
      }
    }
  }

  private void write() {
    new FreeListSaver(new WriteTree(space, freeTree, KeyOrder.INTEGER, true), free, id()).save();
    space.flush();
    DurableFile file = environment.file();
    if (environment.sync()) {
      file.forceData();
    }
    long pages = free.nextPage();
    MetaState after =
        new MetaState(
            before.pageSize(),
            MetaState.mapSizeFor(pages, before.pageSize(), before.mapSize()),
            freeTree,
            main.record(),
            pages - 1,
            id());
    try {
      after.commit(file, environment.sync());
    } catch (WorkFailedException e) {
      environment.fail(
          "an earlier commit failed on its meta page, open the environment again: "
              + e.getMessage());
      throw e;
    }
    environment.lock().transaction(id());
  }

  /** Ends the transaction; what was not committed is dropped. */
  @Override
  public void close() {
    if (!ended) {
      failed = true;
      checkThread();
      end();
    }
  }

  private void end() {
    ended = true;
    try {
      space.end();
      free.close();
      if (failed && environment.file().size() > sizeBefore) {
        // Nothing refers to what this transaction added; on a full disk the space is wanted.
        environment.file().truncate(sizeBefore);
      }
    } finally {
      environment.ended();
    }
  }

  /** To be called before every use. */
  void check() {
    if (ended) {
      throw new UsageException("the transaction has ended");
    }
    checkThread();
    if (failed) {
      throw new UsageException("the transaction failed and can only be closed");
    }
  }

  private void checkThread() {
    if (!owner.equals(Thread.currentThread())) {
      throw new UsageException(
          "thread "
              + Thread.currentThread().getName()
              + " uses a transaction that thread "
              + owner.getName()
              + " began; only that one may");
    }
  }

  /** Marks the transaction as only to be closed, because its pages are half changed. */
  void fail() {
    failed = true;
  }

  /** Takes a dropped database out of the main one. */
  void forget(String name) {
    named.remove(name);
    main.removeRecord(name.getBytes(StandardCharsets.UTF_8));
  }

  /** All named databases go with the main one's content, which must know their latest state. */
  void forgetNamed() {
    saveNamed();
    named.values().forEach(WriteDatabase::forget);
    named.clear();
  }
}
