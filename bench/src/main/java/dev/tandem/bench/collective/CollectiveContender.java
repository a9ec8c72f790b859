package dev.tandem.bench.collective;

import dev.tandem.bench.Contender;
import java.util.Set;

/**
 * One side of {@code tandem bench collective}: ranks as processes; see {@code Note [live
 * contenders]} of {@link Contender}.
 */
interface CollectiveContender extends Contender {

  /** The name in the results. */
  String peer();

  @Override
  default String name() {
    return peer();
  }

  /** What it takes part in. */
  Set<CollectiveOperation> operations();
}
