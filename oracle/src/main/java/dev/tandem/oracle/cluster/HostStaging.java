package dev.tandem.oracle.cluster;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import dev.tandem.core.UsageException;

/**
 * Messages of devices go through the memory of their host: each is copied to it before it is sent
 * and from it after it has arrived.
 *
 * @param bytesPerSecond of such a copy
 */
public record HostStaging(
    @JsonProperty("bandwidth") @JsonDeserialize(using = Quantity.ByteRate.class)
        double bytesPerSecond) {

  public HostStaging {
    if (!(bytesPerSecond > 0)) {
      throw new UsageException("bandwidth must be more than 0");
    }
  }
}
