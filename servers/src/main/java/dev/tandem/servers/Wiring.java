package dev.tandem.servers;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Makes the stores of a rank and connects them: shard, proxies from the highest down, worker. */
final class Wiring {

  private final ServerSettings settings;
  private final ServerLayout layout;
  private final int rank;
  private final UpdateRule.Part whole;
  private final Shards shards;
  private final Wire wire;
  private final FailureLatch failures;
  private final ServingThreads threads;

  /**
   * For one rank.
   *
   * @param whole first values of everything
   */
  Wiring(
      ServerSettings settings,
      int rank,
      UpdateRule.Part whole,
      Wire wire,
      FailureLatch failures,
      ServingThreads threads) {
    this.settings = settings;
    this.layout = settings.layout();
    this.rank = rank;
    this.whole = whole;
    this.shards = new Shards(whole.elements(), layout.servers().size());
    this.wire = wire;
    this.failures = failures;
    this.threads = threads;
  }

  /** What the worker of this rank talks to; nothing if it does not work. */
  Optional<Upstream> connect() {
    int own = layout.servers().indexOf(rank);
    Optional<ShardStore> shard = own < 0 ? Optional.empty() : Optional.of(shard(own));
    shard.ifPresent(store -> serve(store, layout.clients(), "server"));
    if (!layout.workers().contains(rank)) {
      return Optional.empty();
    }
    Optional<Integer> parent = layout.parent(rank);
    Upstream next = parent.isPresent() ? new RemoteLink(wire, parent.get()) : servers(shard);
    for (int level : layout.proxiesOn(rank).reversed()) {
      next = proxy(level, next);
    }
    return Optional.of(next);
  }

  private ShardStore shard(int number) {
    return new ShardStore(
        settings,
        new UpdateRule.Part(
            shards.first(number),
            shards.of(whole.parameters(), number),
            whole.slots().stream().map(slot -> shards.of(slot, number)).toList()),
        layout.shares(),
        failures);
  }

  /** The way to all shards. */
  private Upstream servers(Optional<ShardStore> own) {
    int client = layout.clients().indexOf(rank);
    List<Upstream> links = new ArrayList<>();
    for (int server : layout.servers()) {
      links.add(
          server == rank ? new LocalLink(own.orElseThrow(), client) : new RemoteLink(wire, server));
    }
    return new ShardedLinks(shards, links, client % links.size());
  }

  /** Puts a proxy before an upstream; gives the way to it. */
  private Upstream proxy(int level, Upstream upstream) {
    List<Integer> members = layout.membersWith(rank, level);
    ProxyStore proxy =
        new ProxyStore(
            whole.parameters(),
            settings.rule().slots(),
            members.size(),
            settings.staleness(),
            upstream,
            failures);
    threads.begin("proxy-" + level, proxy::run);
    serve(proxy, members, "proxy-" + level);
    return new LocalLink(proxy, members.indexOf(rank));
  }

  private void serve(Store store, List<Integer> clients, String name) {
    for (int client : clients) {
      if (client != rank) {
        Session session = new Session(wire, client, store, clients.indexOf(client), failures);
        threads.begin("%s-for-%d".formatted(name, client), session::run);
      }
    }
  }
}
