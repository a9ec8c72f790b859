package dev.tandem.train;

import dev.tandem.comm.Communicator;
import dev.tandem.comm.collective.Determinism;
import dev.tandem.nn.spec.Transfer;
import dev.tandem.parallel.LocalNetwork;
import dev.tandem.parallel.exchange.MeshGroups;
import dev.tandem.parallel.exchange.MeshGroups.Use;
import dev.tandem.parallel.mesh.Mesh;
import dev.tandem.parallel.mesh.Mesh.Axis;
import dev.tandem.train.config.StrategyConfig;
import dev.tandem.train.config.TrainingConfig;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The ranks that a rank meets in training: all of them, those that have other samples, those with
 * which it sums a gradient or statistics, those with which it exchanges activations. Where only
 * samples are shared these are all ranks. Borrows the communicator; the groups are closed with
 * this.
 */
final class RankGroups implements AutoCloseable {

  private static final Set<String> DATA = Set.of(Mesh.DATA);
  private static final Set<String> DATA_AND_STAGES = Set.of(Mesh.DATA, Mesh.PIPELINE);

  private final Communicator all;
  private final MeshGroups groups;
  private final Set<String> everyone = new HashSet<>();
  private final boolean synchronised;
  private final boolean sharded;
  private final boolean elastic;
  private final boolean leaders;
  private Optional<LocalNetwork> local = Optional.empty();
  private int answering;

  private RankGroups(TrainingConfig config, Communicator all) {
    sharded = config.strategy().sharded();
    this.all = all;
    Mesh mesh = config.mesh(all.size());
    synchronised = config.determinism().synchronisedBatchNorm();
    elastic = config.determinism().elastic();
    leaders = config.strategy().gradients() == StrategyConfig.GradientSums.LEADER;
    groups = new MeshGroups(all, mesh);
    mesh.axes().stream().filter(axis -> axis.size() > 1).map(Axis::name).forEach(everyone::add);
  }

  /** The groups of a configuration, whose sums promise as much as its level of determinism does. */
  static RankGroups of(TrainingConfig config, Communicator communicator) {
    Communicator all =
        switch (config.determinism().level()) {
          case FAST -> communicator.at(Determinism.FAST);
          case RUN, ELASTIC -> communicator.at(Determinism.RUN);
        };
    return new RankGroups(config, all);
  }

  Mesh mesh() {
    return groups.mesh();
  }

  /** All ranks, in their order. */
  Communicator all() {
    return all;
  }

  /** Moves memory along axes of the mesh, once the groups are formed. */
  Transfer transfer(Set<String> axes) {
    return groups.transfer(axes);
  }

  /**
   * Forms all groups that this network needs; all ranks call this together.
   *
   * @param answeringStage the stage of a pipeline that has the answers; else 0
   */
  void form(LocalNetwork network, int answeringStage) {
    local = Optional.of(network);
    answering = answeringStage;
    if (!everyone.equals(present(DATA))) {
      groups.need(Use.GRADIENTS, DATA);
    }
    for (String name : network.regions().keySet()) {
      needGradients(elastic || leaders ? innerSums(name) : gradientAxes(name));
    }
    if (sharded) {
      network.regions().keySet().forEach(name -> needGradients(innerSums(name)));
    }
    if (synchronised) {
      groups.need(Use.STATISTICS, DATA);
    }
    needGradients(DATA_AND_STAGES);
    groups.need(Use.INPUT, sameSamples());
    groups.form();
  }

  private void needGradients(Set<String> axes) {
    if (!present(axes).isEmpty() && !everyone.equals(present(axes))) {
      groups.need(Use.GRADIENTS, axes);
    }
  }

  private Set<String> present(Set<String> axes) {
    Set<String> present = new HashSet<>(axes);
    present.retainAll(everyone);
    return present;
  }

  private Set<String> gradientAxes(String parameter) {
    return withData(innerSums(parameter));
  }

  private Set<String> innerSums(String parameter) {
    return local.orElseThrow().sums().getOrDefault(parameter, Set.of());
  }

  private static Set<String> withData(Set<String> inner) {
    Set<String> axes = new HashSet<>(inner);
    axes.add(Mesh.DATA);
    return axes;
  }

  /** The ranks that have the same part of the network and other samples. */
  Communicator data() {
    return gradients(DATA);
  }

  /** The ranks whose losses add up to that of a step: those with other samples or layers. */
  Communicator losses() {
    return everyone.contains(Mesh.PIPELINE) ? gradients(DATA_AND_STAGES) : data();
  }

  /** The axes of the ranks whose gradients of a parameter are summed; those of size 1 left out. */
  Set<String> sumAxes(String parameter) {
    return present(gradientAxes(parameter));
  }

  /** The ranks along these axes, for sums of gradients and what is done between steps. */
  Communicator gradients(Set<String> axes) {
    return everyone.equals(present(axes)) ? all : groups.along(Use.GRADIENTS, axes);
  }

  private Set<String> sameSamples() {
    Set<String> axes = new HashSet<>(everyone);
    axes.remove(Mesh.DATA);
    return axes;
  }

  /** In a pipeline, what the stage with the answers has goes to all stages; else all have it. */
  void fromAnsweringStage(MemorySegment memory) {
    int stages = mesh().size(Mesh.PIPELINE);
    if (stages > 1) {
      input().broadcast(memory, answering * (input().size() / stages));
    }
  }

  /** The ranks that work on the same samples, in other layers or in other parts of them. */
  Communicator input() {
    return groups.along(Use.INPUT, sameSamples());
  }

  /**
   * The ranks with other samples, for the sums of synchronised batch normalisations. Sums over
   * parts of a split layer the layer takes by itself.
   */
  Communicator statistics() {
    return groups.along(Use.STATISTICS, DATA);
  }

  /** The ranks with which a gradient is summed before it is summed over samples. */
  Optional<Communicator> gradientsBeforeData(String parameter) {
    Set<String> axes = innerSums(parameter);
    return present(axes).isEmpty() ? Optional.empty() : Optional.of(gradients(axes));
  }

  /** Whether batch normalisations of other samples are synchronised. */
  boolean sumsStatistics() {
    return synchronised;
  }

  @Override
  public void close() {
    groups.close();
  }
}
