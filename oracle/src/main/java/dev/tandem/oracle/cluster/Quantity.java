package dev.tandem.oracle.cluster;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import dev.tandem.core.UsageException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number with its unit, such as {@code 12.5 GB/s}, in the text of a file. 0 needs no unit. Bytes
 * may have decimal prefixes (k, M, G, T, P) and binary ones (Ki, Mi, Gi, Ti, Pi); rates may also be
 * in bits.
 */
enum Quantity {
  BYTES("bytes with a unit, such as 16 GB or 64 GiB"),
  SECONDS("a time with a unit, such as 9 us or 0.5 ms"),
  BYTES_PER_SECOND("bytes or bits per second with a unit, such as 12.5 GB/s or 100 Gbit/s"),
  OPERATIONS_PER_SECOND("operations per second with a unit, such as 15.7 TFLOP/s");

  private static final Pattern TEXT =
      Pattern.compile("([0-9]+(?:\\.[0-9]*)?(?:[eE][-+]?[0-9]+)?)\\s*([^0-9\\s].*)?");

  private static final List<String> PREFIXES = List.of("", "k", "M", "G", "T", "P");

  private static final Map<String, Double> TIMES =
      Map.of("s", 1.0, "ms", 1e-3, "us", 1e-6, "µs", 1e-6, "ns", 1e-9);

  private static final int BITS = 8;

  private final String expected;

  Quantity(String expected) {
    this.expected = expected;
  }

  /**
   * The number in seconds, bytes, or these per second.
   *
   * @throws UsageException if it is no such quantity
   */
  double parse(String text) {
    Matcher parts = TEXT.matcher(text.strip());
    if (parts.matches()) {
      double number = Double.parseDouble(parts.group(1));
      double unit = parts.group(2) == null ? Double.NaN : unit(parts.group(2));
      if (number == 0 || !Double.isNaN(unit)) {
        return number == 0 ? 0 : number * unit;
      }
    }
    throw new UsageException("'%s' is not a quantity here: expected %s".formatted(text, expected));
  }

  /** What one of this unit is; not a number if it is not one. */
  private double unit(String unit) {
    return switch (this) {
      case SECONDS -> TIMES.getOrDefault(unit, Double.NaN);
      case BYTES -> prefixed(unit, "B");
      case BYTES_PER_SECOND ->
          unit.endsWith("bit/s") ? prefixed(unit, "bit/s") / BITS : prefixed(unit, "B/s");
      case OPERATIONS_PER_SECOND -> prefixed(unit, "FLOP/s");
    };
  }

  private static double prefixed(String unit, String base) {
    if (!unit.endsWith(base)) {
      return Double.NaN;
    }
    String prefix = unit.substring(0, unit.length() - base.length());
    boolean binary = prefix.endsWith("i") && !base.startsWith("FLOP");
    String letter = binary ? prefix.substring(0, prefix.length() - 1) : prefix;
    int power = PREFIXES.indexOf(letter.equals("K") ? "k" : letter);
    return power < 0 || (binary && power == 0) ? Double.NaN : Math.pow(binary ? 1024 : 1000, power);
  }

  /** Binds a quantity to a component of a record. */
  abstract static class Component extends StdDeserializer<Double> {

    private static final long serialVersionUID = 1L;

    private final Quantity quantity;

    Component(Quantity quantity) {
      super(Double.class);
      this.quantity = quantity;
    }

    @Override
    public Double deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      return quantity.parse(context.readTree(parser).asText());
    }
  }

  /** For a component in bytes. */
  static final class Bytes extends Component {

    private static final long serialVersionUID = 1L;

    Bytes() {
      super(BYTES);
    }
  }

  /** For a component in seconds. */
  static final class Seconds extends Component {

    private static final long serialVersionUID = 1L;

    Seconds() {
      super(SECONDS);
    }
  }

  /** For a component in bytes per second. */
  static final class ByteRate extends Component {

    private static final long serialVersionUID = 1L;

    ByteRate() {
      super(BYTES_PER_SECOND);
    }
  }

  /** For a component in floating-point operations per second. */
  static final class OperationRate extends Component {

    private static final long serialVersionUID = 1L;

    OperationRate() {
      super(OPERATIONS_PER_SECOND);
    }
  }
}
