package dev.tandem.comm.collective;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What connects the members of a team, as far as the choice of algorithms goes. */
public enum Medium {
  /** Messages only. */
  MESSAGES,
  /** Slots in memory that all share. */
  SHARED,
  /** Several hosts, at least one of them with several members. */
  HOSTS;

  /** The medium of a team; the same in all its members. */
  public static Medium of(TeamPosition position) {
    if (position.layout().grouped()) {
      return HOSTS;
    }
    return position.sharedMemory() ? SHARED : MESSAGES;
  }

  String code() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Tables written by earlier versions call shared memory a board. */
  static Optional<Medium> ofCode(String code) {
    if (code.equals("board")) {
      return Optional.of(SHARED);
    }
    return Arrays.stream(values()).filter(each -> each.code().equals(code)).findFirst();
  }
}
