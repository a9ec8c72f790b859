package dev.tandem.nn;

import dev.tandem.core.UsageException;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a network computes on: {@code cpu}, {@code cuda:N}, {@code cuda} for the GPU whose turn it
 * is among the ranks of a host, or {@code auto} for a GPU where there is one. {@link DeviceChoice}
 * says which it is on this machine.
 */
public record Device(String name) {

  private static final Pattern GPU = Pattern.compile("cuda(?::(\\d{1,4}))?");

  /** The processor. */
  public static final Device CPU = new Device("cpu");

  /** A GPU where there is one that can be used, else the processor. */
  public static final Device AUTO = new Device("auto");

  /** The GPU whose turn it is among the ranks of a host. */
  public static final Device GPUS = new Device("cuda");

  public Device {
    if (!name.equals("cpu") && !name.equals("auto") && !GPU.matcher(name).matches()) {
      throw new UsageException("unknown device '" + name + "', expected auto, cpu, cuda or cuda:N");
    }
  }

  /** Whether it is a GPU, whichever. */
  public boolean gpu() {
    return GPU.matcher(name).matches();
  }

  /** The number of the GPU, if it has one. */
  OptionalInt number() {
    Matcher matcher = GPU.matcher(name);
    return matcher.matches() && matcher.group(1) != null
        ? OptionalInt.of(Integer.parseInt(matcher.group(1)))
        : OptionalInt.empty();
  }
}
