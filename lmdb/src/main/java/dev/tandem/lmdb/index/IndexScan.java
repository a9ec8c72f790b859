package dev.tandem.lmdb.index;

import dev.tandem.core.Progress;
import dev.tandem.lmdb.Database;
import dev.tandem.lmdb.page.KeyOrder;
import dev.tandem.lmdb.page.PageBudget;
import dev.tandem.lmdb.page.PageFormat;
import dev.tandem.lmdb.page.PageList;
import dev.tandem.lmdb.page.PageScan;
import dev.tandem.lmdb.page.PageView;
import dev.tandem.lmdb.page.Pages;
import dev.tandem.lmdb.page.TreeCursor;
import dev.tandem.lmdb.page.TreeDescription;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Finds the place of every record by one pass over branch and leaf pages; overflow pages are not
 * read. Trees of duplicates are walked through the mapping.
 */
final class IndexScan {

  private final Pages pages;
  private final Database database;
  private final PageScan scan;
  private final AtomicLong found = new AtomicLong();
  private final long mostRecords;

  private IndexScan(Database database) {
    this.pages = database.pages();
    this.database = database;
    this.scan = new PageScan(pages);
    // No record takes less than a byte, so a larger number is damage and no reason to go on.
    this.mostRecords = Math.min(database.tree().entries(), pages.pagesInFile() * pages.pageSize());
  }

  /**
   * What the scan found.
   *
   * @param keys how they count, or null if they do not
   */
  record Result(LeafTable leaves, Locations locations, NumberedKeys keys) {}

  /** Looks at the whole database; the caller holds its snapshot. */
  static Result scan(Database database, Progress progress) {
    if (database.tree().empty()) {
      return new Result(new LeafTable(new long[0], new long[0]), Locations.of(0, 0), null);
    }
    Result result = new IndexScan(database).scan(progress);
    database.pages().ensureIntactInFile();
    return result;
  }

  private Result scan(Progress progress) {
    PageList leaves = TreePages.leaves(database);
    LeafVisitor visitor = new LeafVisitor(leaves.size());
    String label = "index ".concat(pages.path().toString());
    try (Progress.Task task = progress.start(label, leaves.size(), "pages")) {
      scan.visit(leaves, false, task, visitor);
    }
    if (found.get() != database.tree().entries()) {
      throw wrongCount(found.get());
    }
    Locations locations = visitor.locations(leaves);
    NumberedKeys keys = visitor.keys();
    return new Result(LeafTable.ofCounts(leaves.numbers(), visitor.recordsOf), locations, keys);
  }

  private RuntimeException wrongCount(long seen) {
    return pages.damaged(
        database.described() + PageFormat.DB_ENTRIES,
        "the database says it has "
            + Long.toUnsignedString(database.tree().entries())
            + " records, its leaves have "
            + (seen > mostRecords ? "more" : seen));
  }

  // Named classes instead of lambdas: a new JVM takes longer to make one lambda, in as many threads
  // at once, than to read a hundred leaves.

  /** Collects the records of leaves, and which worker has coded which. */
  private final class LeafVisitor implements PageScan.Visitor {

    private final Worker[] workers;
    private final byte[] workerOf;
    private final int[] startOf;
    private final int[] runsOf;
    private final long[] recordsOf;

    /** The numbers that the first keys are, and their digits; no longer filled once one is not. */
    private final long[] firstKeyOf;

    private final byte[] widthOf;
    private volatile boolean numbered;

    LeafVisitor(int leaves) {
      this.workers = new Worker[PageScan.workers(leaves)];
      this.workerOf = new byte[leaves];
      this.startOf = new int[leaves];
      this.runsOf = new int[leaves];
      this.recordsOf = new long[leaves];
      this.firstKeyOf = new long[leaves];
      this.widthOf = new byte[leaves];
      TreeDescription tree = database.tree();
      // In other orders than that of bytes numbers would not follow each other.
      this.numbered = !tree.has(PageFormat.REVERSE_KEY) && !tree.has(PageFormat.INTEGER_KEY);
    }

    @Override
    public void visit(int worker, int index, PageView page) {
      if (workers[worker] == null) {
        workers[worker] = new Worker();
      }
      Worker mine = workers[worker];
      workerOf[index] = (byte) worker;
      startOf[index] = mine.coded.size();
      recordsOf[index] = mine.leaf(page);
      runsOf[index] = mine.runs;
      if (numbered) {
        long firstKey = mine.duplicatesSeen ? -1 : NumberedKeys.firstOf(page);
        if (firstKey < 0) {
          numbered = false; // Never back: other workers set it, too.
          return;
        }
        firstKeyOf[index] = firstKey;
        widthOf[index] = (byte) NumberedKeys.widthOf(page);
      }
    }

    /** How the keys of all leaves count, or null. */
    NumberedKeys keys() {
      long expected = firstKeyOf[0];
      for (int leaf = 0; numbered && leaf < recordsOf.length; leaf++) {
        numbered = firstKeyOf[leaf] == expected && widthOf[leaf] == widthOf[0];
        expected += recordsOf[leaf];
      }
      return numbered ? new NumberedKeys(widthOf[0], firstKeyOf[0]) : null;
    }

    /** Puts the workers' runs into key order. */
    Locations locations(PageList leaves) {
      long runs = 0;
      for (int count : runsOf) {
        runs += count;
      }
      Locations locations = Locations.of(database.tree().entries(), runs);
      Runs joined = new Runs(locations);
      for (int leaf = 0; leaf < leaves.size(); leaf++) {
        Varints coded = workers[workerOf[leaf]].coded;
        coded.seek(startOf[leaf]);
        long offset = pages.position(leaves.page(leaf));
        for (int run = 0; run < runsOf[leaf]; run++) {
          long count = coded.next();
          long stride = count > 1 ? coded.nextSigned() : 0;
          offset += coded.nextSigned();
          joined.add(offset, stride, coded.next(), count);
        }
      }
      joined.finish();
      return locations;
    }
  }

  /** One thread's part: the runs of the leaves it has seen, coded. */
  private final class Worker implements Runs.Sink {

    private final Varints coded = new Varints();
    private final Runs joined = new Runs(this);
    private final PageView subPage = new PageView(pages);
    private TreeCursor duplicates;
    private int runs;
    private boolean duplicatesSeen;
    private long previous;
    private long records;

    /** Codes the records of a leaf, and says how many there are. */
    long leaf(PageView leaf) {
      runs = 0;
      records = 0;
      previous = leaf.start();
      addLeaf(leaf);
      joined.finish();
      if (found.addAndGet(records) > mostRecords) {
        throw wrongCount(found.get());
      }
      return records;
    }

    private void addLeaf(PageView leaf) {
      for (int i = 0; i < leaf.count(); i++) {
        int node = leaf.node(i);
        int flags = leaf.flags(node);
        if ((flags & PageFormat.DUP_DATA) == 0) {
          add(leaf.valuePosition(node), leaf.valueLength(node));
        } else if (!database.tree().has(PageFormat.DUP_SORT)) {
          throw leaf.damaged(node, "duplicates in a database that has none");
        } else if ((flags & PageFormat.SUB_DATA) == 0) {
          duplicatesSeen = true;
          subPage.loadSubPage(leaf, node);
          addKeys(subPage);
        } else {
          addTree(leaf, node);
        }
      }
    }

    private void addTree(PageView leaf, int node) {
      duplicatesSeen = true;
      if (duplicates == null) {
        duplicates = new TreeCursor(pages, new PageBudget(pages), true, KeyOrder.LEXICAL);
      }
      duplicates.open(leaf.tree(node), leaf.filePosition(leaf.dataAt(node)));
      duplicates.restart();
      duplicates.first();
      do {
        addKeys(duplicates.leaf());
        if (records > mostRecords) {
          throw wrongCount(records);
        }
      } while (duplicates.nextLeaf());
    }

    private void addKeys(PageView page) {
      for (int i = 0; i < page.count(); i++) {
        add(page.filePosition(page.keyAt(i)), page.keySize(i));
      }
    }

    private void add(long offset, long length) {
      joined.add(offset, 0, length, 1);
      records++;
    }

    @Override
    public void run(long offset, long stride, long length, long count) {
      coded.add(count);
      if (count > 1) {
        coded.addSigned(stride);
      }
      coded.addSigned(offset - previous);
      coded.add(length);
      previous = offset;
      runs++;
    }
  }
}
