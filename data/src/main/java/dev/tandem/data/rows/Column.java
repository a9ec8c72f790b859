package dev.tandem.data.rows;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/**
 * A column of a table, and how its fields become numbers.
 *
 * @param categories the different texts, in the order of their numbers; empty for numbers
 * @param mean of the numbers; 0 for texts
 * @param deviation of the numbers; 0 for texts, and where all numbers are the same
 */
public record Column(
    String name, Type type, List<String> categories, double mean, double deviation) {

  /** How fields become numbers. */
  public enum Type {
    /** A number is itself. */
    @JsonProperty("number")
    NUMBER,
    /** A text is as many numbers as there are different ones: a 1 at its place, else 0. */
    @JsonProperty("category")
    CATEGORY,
    /** A text is one number: its place among the different ones, from 0. */
    @JsonProperty("code")
    CODE
  }

  public Column {
    categories = List.copyOf(categories);
  }

  /** Numbers that a field becomes. */
  public int width() {
    return type == Type.CATEGORY ? categories.size() : 1;
  }
}
