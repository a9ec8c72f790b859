package dev.tandem.bench.servers;

import java.util.ArrayList;
import java.util.List;

/**
 * A training that is measured.
 *
 * @param mode {@code allreduce}, {@code servers} or {@code proxies}
 * @param staleness of servers
 */
record ServersTurn(String mode, int staleness, Lateness late) {

  static final String ALLREDUCE = "allreduce";
  static final String SERVERS = "servers";
  static final String PROXIES = "proxies";

  /** All turns of a round; a host of one rank needs no proxy. */
  static List<ServersTurn> all(int ranks, List<Integer> stalenesses) {
    List<ServersTurn> turns = new ArrayList<>();
    for (Lateness late : Lateness.values()) {
      turns.add(new ServersTurn(ALLREDUCE, 0, late));
      for (int staleness : stalenesses) {
        turns.add(new ServersTurn(SERVERS, staleness, late));
      }
      for (int staleness : ranks > 2 ? stalenesses : List.<Integer>of()) {
        turns.add(new ServersTurn(PROXIES, staleness, late));
      }
    }
    return turns;
  }

  @Override
  public String toString() {
    return "%s %d %s".formatted(mode, staleness, late.code());
  }

  /** The turn of three words, from a place on. */
  static ServersTurn of(String[] words, int at) {
    return new ServersTurn(words[at], Integer.parseInt(words[at + 1]), Lateness.of(words[at + 2]));
  }
}
