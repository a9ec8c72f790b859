package dev.tandem.oracle.measure;

import dev.tandem.oracle.profile.Profile;
import java.nio.file.Path;
import java.util.List;

/**
 * What one rank has measured.
 *
 * @param device what computed, if it is a GPU; else null
 * @param collectives the same on all ranks
 */
record RankProfile(
    List<Profile.Layer> layers,
    List<Profile.Update> updates,
    double copySeconds,
    double copySecondsPerByte,
    Profile.PerPass perPass,
    double gamma,
    OnDevice device,
    List<Profile.Collective> collectives) {

  /**
   * A GPU.
   *
   * @param bytes of its memory
   */
  record OnDevice(String name, long bytes) {}

  private static Path file(Path folder, int rank) {
    return folder.resolve("rank-%d.json".formatted(rank));
  }

  static RankProfile read(Path folder, int rank) {
    return ProfileRequest.read(file(folder, rank), RankProfile.class);
  }

  void write(Path folder, int rank) {
    ProfileRequest.write(file(folder, rank), this);
  }
}
