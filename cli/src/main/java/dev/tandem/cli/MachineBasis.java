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
    String why = PROFILE + " is not here";
    if (Files.exists(PROFILE)) {
      Profile profile = ProfileFile.read(PROFILE);
      boolean here = profile.device().equals(Hosts.processor());
      if (here && profile.ranks() == ranks && !profile.layers().isEmpty()) {
        return new MachineBasis(Environment.of(profile), PROFILE.toString());
      }
      why =
          here
              ? "%s is of %d processes".formatted(PROFILE, profile.ranks())
              : "%s is of another machine".formatted(PROFILE);
    }
    Cluster machine = ClusterFile.read(ThisMachine.NAME);
    RooflineLayers layers = new RooflineLayers(machine.device(), DType.FLOAT32);
    return new MachineBasis(
        Environment.of(machine, layers, Term.ALL, 1).onProcessor(),
        "the peak of its processor (%s; %s)".formatted(RooflineLayers.LABEL, why));
  }

  /** All of its memory. */
  double memoryBytes() {
    return environment.memoryBytes() * environment.devices();
  }
}
