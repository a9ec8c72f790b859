package dev.tandem.oracle.cluster;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;

/**
 * One level of the hierarchy in which devices are connected, such as the links within a node or the
 * network between racks.
 *
 * @param name of the level, such as {@code node} or {@code rack}
 * @param devices how many consecutive ones this level and those before it connect at most; 0, for
 *     the last one: all
 * @param latencySeconds until the first byte of a message arrives
 * @param bytesPerSecond of one message that has a lane to itself, in one direction
 * @param lanes messages that go at this rate at a time: of a node at levels between nodes, so the
 *     number of its network cards; of a device at levels within a node
 * @param oversubscription how many times more all devices together can send than this level carries
 * @param duplex whether a lane sends and receives at full rate at a time
 */
public record Link(
    String name,
    @Default("0") int devices,
    @JsonProperty("latency") @JsonDeserialize(using = Quantity.Seconds.class) double latencySeconds,
    @JsonProperty("bandwidth") @JsonDeserialize(using = Quantity.ByteRate.class)
        double bytesPerSecond,
    @Default("1") int lanes,
    @Default("1") double oversubscription,
    @Default("true") boolean duplex) {

  public Link {
    if (devices < 0) {
      throw new UsageException("devices is %d, expected 1 or more".formatted(devices));
    }
    if (!(latencySeconds >= 0)) {
      throw new UsageException("latency must not be negative");
    }
    if (!(bytesPerSecond > 0)) {
      throw new UsageException("bandwidth must be more than 0");
    }
    if (lanes < 1) {
      throw new UsageException("lanes is %d, expected 1 or more".formatted(lanes));
    }
    if (!(oversubscription >= 1)) {
      throw new UsageException(
          "oversubscription is %s, expected 1 or more: 3 if three times more could be sent than"
                  .formatted(oversubscription)
              + " carried");
    }
  }

  Link withDevices(int span) {
    return new Link(name, span, latencySeconds, bytesPerSecond, lanes, oversubscription, duplex);
  }
}
