package dev.tandem.cli;

import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Takes {@code --some-option} from {@code TANDEM_SOME_OPTION} where the command line is silent. */
final class EnvironmentDefaults implements IDefaultValueProvider {

  private final Map<String, String> environment;

  EnvironmentDefaults(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public String defaultValue(ArgSpec argument) {
    if (argument instanceof OptionSpec option && option.longestName().startsWith("--")) {
      return environment.get(variable(option.longestName()));
    }
    return null;
  }

  static String variable(String option) {
    return "TANDEM_" + option.substring(2).toUpperCase(Locale.ROOT).replace('-', '_');
  }
}
