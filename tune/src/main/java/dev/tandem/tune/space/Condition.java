package dev.tandem.tune.space;

import java.util.List;

/** When a parameter is there at all: what an earlier one must be. */
public sealed interface Condition {

  /** The name of the earlier parameter. */
  String parameter();

  /** Whether that parameter, which is there, has such a value. */
  boolean holds(Object value);

  /** It has one of these values. */
  record OneOf(String parameter, List<Object> values) implements Condition {

    public OneOf {
      values = values.stream().map(JsonValues::normal).toList();
    }

    @Override
    public boolean holds(Object value) {
      return values.stream().anyMatch(each -> same(each, value));
    }

    /** Numbers are the same whether they are whole or not. */
    private static boolean same(Object one, Object other) {
      return (one instanceof Number a && other instanceof Number b)
          ? a.doubleValue() == b.doubleValue()
          : one.equals(other);
    }
  }

  /** It is a number in this range, ends included. */
  record Between(String parameter, double least, double greatest) implements Condition {

    @Override
    public boolean holds(Object value) {
      return value instanceof Number number
          && number.doubleValue() >= least
          && number.doubleValue() <= greatest;
    }
  }
}
