package dev.tandem.cli;

import dev.tandem.core.DType;
import dev.tandem.oracle.cluster.Cluster;
import dev.tandem.oracle.cluster.ClusterFile;
import dev.tandem.oracle.cluster.ThisMachine;
import dev.tandem.oracle.profile.Profile;
import dev.tandem.oracle.profile.ProfileFile;
import dev.tandem.oracle.profile.RooflineLayers;
import dev.tandem.oracle.projection.Environment;
import dev.tandem.oracle.projection.Term;
import dev.tandem.train.run.Hosts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What projections of runs on this machine are made from.
 *
 * @param name what to call it
 */
record MachineBasis(Environment environment, String name) {

  /** Where {@code tandem profile} writes. */
  private static final Path PROFILE = Path.of("profile.json");

  /**
   * The profile in the working directory, if it is of this machine and as many ranks, or else the
   * description of its processor.
   */
  static MachineBasis of(int ranks) {
    Measured measured = Measured.of(ranks, Hosts.processor());
    if (measured.basis().isPresent()) {
      return measured.basis().get();
    }
    Cluster machine = ClusterFile.read(ThisMachine.NAME);
    RooflineLayers layers = new RooflineLayers(machine.device(), DType.FLOAT32);
    return new MachineBasis(
        Environment.of(machine, layers, Term.ALL, 1).onProcessor(),
        "the peak of its processor (%s; %s)".formatted(RooflineLayers.LABEL, measured.lacking()));
  }

  /**
   * What the profile in the working directory says.
   *
   * @param basis if it is of this device and as many ranks
   * @param lacking why there is none
   */
  record Measured(Optional<MachineBasis> basis, String lacking) {

    static Measured of(int ranks, String device) {
      if (!Files.exists(PROFILE)) {
        return new Measured(Optional.empty(), PROFILE + " is not here");
      }
      Profile profile = ProfileFile.read(PROFILE);
      if (!profile.device().equals(device)) {
        return new Measured(Optional.empty(), PROFILE + " is of another machine");
      }
      if (profile.ranks() != ranks || profile.layers().isEmpty()) {
        String other = "%s is of %d processes".formatted(PROFILE, profile.ranks());
        return new Measured(Optional.empty(), other);
      }
      return new Measured(
          Optional.of(new MachineBasis(Environment.of(profile), PROFILE.toString())), "");
    }
  }

  /** All of its memory. */
  double memoryBytes() {
    return environment.memoryBytes() * environment.devices();
  }
}
