package dev.tandem.data.importing;

import dev.tandem.data.dumping.DatabaseFlag;
import dev.tandem.lmdb.DatabaseFlags;
import java.util.ArrayList;
import java.util.List;

/** LMDB's flags as a number, as files and dumps have them, in the writer's words. */
final class StoredFlags {

  private StoredFlags() {}

  static DatabaseFlags[] of(int flags) {
    List<DatabaseFlags> set = new ArrayList<>();
    for (DatabaseFlag flag : DatabaseFlag.values()) {
      if (flag.in(flags)) {
        set.add(
            switch (flag) {
              case REVERSEKEY -> DatabaseFlags.REVERSE_KEY;
              case DUPSORT -> DatabaseFlags.DUP_SORT;
              case INTEGERKEY -> DatabaseFlags.INTEGER_KEY;
              case DUPFIXED -> DatabaseFlags.DUP_FIXED;
              case INTEGERDUP -> DatabaseFlags.INTEGER_DUP;
              case REVERSEDUP -> DatabaseFlags.REVERSE_DUP;
            });
      }
    }
    return set.toArray(DatabaseFlags[]::new);
  }
}
