package dev.tandem.tune.local;

import dev.tandem.core.UsageException;
import dev.tandem.tune.task.Attempt;
import dev.tandem.tune.task.Call;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The words of a command with its placeholders filled in. */
public final class CommandWords {

  private static final Pattern PLACEHOLDER =
      Pattern.compile("\\$?\\{(trialParameters\\.)?([A-Za-z_][A-Za-z0-9_.:\\-]*)}");
  private static final String ARGUMENTS = "args";
  private static final String HYDRA = "args:hydra";
  private static final String FILE = "params_file";
  private static final String TRIAL = "trial";
  private static final String SEED = "seed";
  private static final Set<String> OWN = Set.of(ARGUMENTS, HYDRA, FILE, TRIAL, SEED);

  private CommandWords() {}

  /**
   * Refuses a placeholder that no trial could fill.
   *
   * @param parameters the names of all parameters
   */
  public static void check(List<String> command, Set<String> parameters) {
    for (String word : command) {
      Matcher found = PLACEHOLDER.matcher(word);
      while (found.find()) {
        boolean own = found.group(1) == null && OWN.contains(found.group(2));
        if (!own && !parameters.contains(found.group(2))) {
          throw new UsageException(
              "command: unknown placeholder '%s', expected a parameter (%s), {args}, {args:hydra}, {params_file}, {trial} or {seed}"
                  .formatted(
                      found.group(), String.join(", ", parameters.stream().sorted().toList())));
        }
      }
    }
  }

  /** The words for an attempt. A word that is only a parameter that is not there is left out. */
  static List<String> of(List<String> command, Call call, Attempt attempt, Path parametersFile) {
    List<String> words = new ArrayList<>();
    for (String word : command) {
      if (word.equals("{" + ARGUMENTS + "}")) {
        call.parameters().values().forEach((name, value) -> words.add("--" + name + "=" + value));
      } else if (word.equals("{" + HYDRA + "}")) {
        call.parameters().values().forEach((name, value) -> words.add(name + "=" + value));
      } else {
        filled(word, call, attempt, parametersFile).ifPresent(words::add);
      }
    }
    return words;
  }

  private static Optional<String> filled(
      String word, Call call, Attempt attempt, Path parametersFile) {
    Map<String, Object> values = call.parameters().values();
    Matcher found = PLACEHOLDER.matcher(word);
    StringBuilder text = new StringBuilder();
    while (found.find()) {
      String name = found.group(2);
      String value;
      if (values.containsKey(name)) {
        value = String.valueOf(values.get(name));
      } else {
        value =
            switch (name) {
              case FILE -> parametersFile.toString();
              case TRIAL -> Long.toString(attempt.task().number());
              case SEED -> Long.toString(call.seed().value());
              case ARGUMENTS, HYDRA -> found.group();
              default -> null;
            };
      }
      if (value == null) {
        return Optional.empty();
      }
      found.appendReplacement(text, Matcher.quoteReplacement(value));
    }
    return Optional.of(found.appendTail(text).toString());
  }
}
