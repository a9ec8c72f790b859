package dev.tandem.comm.collective;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What connects the members of a team, as far as the choice of algorithms goes. */
public enum Medium {
  /** Messages only. */
  MESSAGES,
  /** A board in memory that all share. */
  BOARD,
  /** Several hosts, at least one of them with several members. */
  HOSTS;

  /** The medium of a team; the same in all its members. */
  public static Medium of(Place place) {
    if (place.layout().grouped()) {
      return HOSTS;
    }
    return place.sharedMemory() ? BOARD : MESSAGES;
  }

  String code() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<Medium> ofCode(String code) {
    return Arrays.stream(values()).filter(each -> each.code().equals(code)).findFirst();
  }
}
