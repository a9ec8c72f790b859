package dev.tandem.oracle.projection;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** What a projection takes into account besides layers and collectives; each can be left out. */
public enum Term {
  /** Changing parameters takes time. */
  UPDATE,
  /** A layer that every rank computes whole is not divided. Without it all work is shared. */
  REPLICATED_LAYERS,
  /** A part of a layer takes what such a layer takes, not its share of the whole layer's time. */
  SPLIT_KERNELS,
  /** What travels is packed and unpacked. */
  COPIES,
  /** Normalisations that are split take sums over ranks. */
  STATISTICS,
  /** Ranks that do the same wait for the slowest of them. */
  WAITING,
  /** A pass costs something besides its layers. */
  PASSES,
  /** Gradients travel during the backward pass where the device can do both at once. */
  OVERLAP,
  /** The fastest of ring, tree and hierarchical allreduce is used. Without it the ring. */
  ALGORITHMS,
  /** Groups that communicate at the same time share links. */
  CONTENTION,
  /** Traffic of others takes a part of links between nodes. */
  CONGESTION,
  /** Messages go through the memory of the host, where the cluster has it so. */
  STAGING,
  /** Samples come to the devices. */
  INPUT,
  /** Memory of activations is that of the outputs that stay, rather than of inputs and outputs. */
  KEPT_OUTPUTS,
  /** The optimizer keeps numbers for each parameter. */
  OPTIMIZER_STATE;

  /** All of them: the projection that is meant to be right. */
  public static final Set<Term> ALL = Collections.unmodifiableSet(EnumSet.allOf(Term.class));

  /** What the published model has, its equations corrected. */
  public static final Set<Term> PUBLISHED =
      Collections.unmodifiableSet(EnumSet.of(UPDATE, REPLICATED_LAYERS, CONTENTION));

  /** As it is written. */
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
