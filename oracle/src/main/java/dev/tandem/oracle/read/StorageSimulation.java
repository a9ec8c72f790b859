package dev.tandem.oracle.read;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Servers that answer the requests of streams in the order of arrival. Streams begin a little
 * apart, by chance; from then on everything follows from what requests cost.
 */
final class StorageSimulation {

  private final SharedStorage storage;
  private final SplittableRandom random;
  private final double[] serverFree;
  private final long[] serverAt;
  private double bytesRead;

  StorageSimulation(SharedStorage storage, SplittableRandom random) {
    this.storage = storage;
    this.random = random;
    this.serverFree = new double[storage.servers()];
    this.serverAt = new long[storage.servers()];
  }

  /** When a stream wants to send its next request. */
  private record Arrival(double time, int stream) {}

  /** Bytes that the servers have sent so far. */
  double bytesRead() {
    return bytesRead;
  }

  /** Lets all streams run to their ends; gives when each ends, counted from now. */
  double[] run(List<RequestStream> streams) {
    Arrays.fill(serverFree, 0);
    double[] ended = new double[streams.size()];
    List<List<Integer>> followers = new ArrayList<>();
    streams.forEach(stream -> followers.add(new ArrayList<>()));
    PriorityQueue<Arrival> arrivals =
        new PriorityQueue<>(
            Comparator.comparingDouble(Arrival::time).thenComparingInt(Arrival::stream));
    for (int i = 0; i < streams.size(); i++) {
      int after = streams.get(i).after();
      if (after >= 0) {
        followers.get(after).add(i);
      } else {
        arrivals.add(new Arrival(random.nextDouble() * storage.latencySeconds(), i));
      }
    }
    while (!arrivals.isEmpty()) {
      Arrival arrival = arrivals.poll();
      RequestStream stream = streams.get(arrival.stream);
      if (stream.done()) {
        ended[arrival.stream] = arrival.time;
        followers
            .get(arrival.stream)
            .forEach(follower -> arrivals.add(new Arrival(arrival.time, follower)));
      } else {
        double answered = serve(stream.offset(), stream.length(storage.blockBytes()), arrival.time);
        double worked = stream.advance(stream.length(storage.blockBytes()));
        arrivals.add(new Arrival(answered + worked, arrival.stream));
      }
    }
    return ended;
  }

  private double serve(long offset, long length, double arrives) {
    int server = storage.server(offset);
    double begins = Math.max(arrives, serverFree[server]);
    double busy =
        storage.requestSeconds()
            + storage.seekSeconds(serverAt[server], offset)
            + length / storage.serverBytesPerSecond();
    serverFree[server] = begins + busy;
    serverAt[server] = offset + length;
    bytesRead += length;
    return begins + busy + storage.latencySeconds();
  }
}
