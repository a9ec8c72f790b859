/**
 * Asynchronous training with sharded parameter servers. The door is {@link
 * dev.tandem.servers.ParameterServers}; a {@link dev.tandem.servers.ServerLayout} says which ranks
 * work, which hold a shard of the parameters, and where proxies stand between them.
 *
 * <p>The way of a gradient: a worker pushes it to its <em>upstream</em>, which is either all shards
 * ({@code ShardedLinks}) or the nearest proxy; each is a {@code Store}, reached by a call within a
 * rank ({@code LocalLink}) and by messages between ranks ({@code RemoteLink} here, {@code Session}
 * there). A {@code ShardStore} changes its parameters by an {@link dev.tandem.servers.UpdateRule};
 * a {@code ProxyStore} sums what its clients push and has an upstream of its own, so proxies stack:
 * a node's under a switch's under a rack's. Then the worker pulls the parameters the same way.
 *
 * <p>Promises:
 *
 * <ul>
 *   <li>Bounded staleness: a worker that has pushed {@code c} gradients gets parameters, and so
 *       goes on, only when all workers have pushed {@code c - s} of theirs and these are applied.
 *       What {@code s} means for bits is {@code Note [what is applied when]} in {@code ShardStore}.
 *   <li>No worker waits for another in a circle: {@code Note [servers never block each other]} in
 *       {@code ProxyStore}.
 *   <li>A lost rank makes every call that waits, on every rank, fail with {@link
 *       dev.tandem.core.PeerLostException}, which names it.
 *   <li>Every byte between ranks is counted by its sender, as near or far.
 * </ul>
 *
 * <p>The servers know float32 memory and an update rule, not the engine: optimizers of {@code nn}
 * are bound to a whole network in their engine's memory, while a server has a stretch of numbers
 * that may begin in the middle of a tensor.
 *
 * <p>Threads: a door belongs to the worker's thread. Beside it a rank has one thread for every
 * remote client of its shard or proxies, which sleeps in a receive, and one for each of its
 * proxies. Memory: each store owns a copy of what it holds; segments in calls are borrowed for the
 * call. The garbage collector frees it, because after a failure threads may still be inside.
 */
package dev.tandem.servers;
