package dev.tandem.tune.space;

import dev.tandem.core.UsageException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;

/** One of several values, whose order means nothing. The internal number is the index. */
public record ChoiceDomain(List<Object> values) implements Domain {

  public ChoiceDomain {
    if (values.isEmpty()) {
      throw new UsageException("there is nothing to choose from, expected one value or more");
    }
    if (new HashSet<>(values).size() < values.size()) {
      throw new UsageException("%s holds a value twice".formatted(values));
    }
    values = Collections.unmodifiableList(new ArrayList<>(values));
  }

  @Override
  public double low() {
    return -0.5;
  }

  @Override
  public double high() {
    return values.size() - 0.5;
  }

  @Override
  public Object value(double internal) {
    double index = Math.floor(internal + 0.5);
    return values.get((int) Math.min(values.size() - 1, Math.max(0, index)));
  }

  @Override
  public double internal(Object value) {
    int index = values.indexOf(value);
    return index < 0 ? Double.NaN : index;
  }

  @Override
  public OptionalLong count() {
    return OptionalLong.of(values.size());
  }
}
