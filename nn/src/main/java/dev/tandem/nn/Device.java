package dev.tandem.nn;

import dev.tandem.core.UsageException;
import java.util.regex.Pattern;

/** What a network computes on. */
public record Device(String name) {

  private static final Pattern GPU = Pattern.compile("cuda(:\\d+)?");

  /** The processor. */
  public static final Device CPU = new Device("cpu");

  public Device {
    if (GPU.matcher(name).matches()) {
      throw new UsageException(
          "'" + name + "': this build of Tandem computes on the CPU only, expected cpu");
    }
    if (!name.equals("cpu")) {
      throw new UsageException("unknown device '" + name + "', expected cpu or cuda:N");
    }
  }
}
