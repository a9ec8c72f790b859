package dev.tandem.ensemble;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tandem.core.UsageException;
import dev.tandem.nn.yaml.Default;
import dev.tandem.nn.yaml.RecordYaml;
import dev.tandem.nn.yaml.YamlText;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileErrors;
import dev.tandem.train.config.ConfigFile;
import dev.tandem.train.config.ShareConfig;
import dev.tandem.train.config.TrainingConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * An ensemble as a file describes it: how its samples are prepared, and its members, each a
 * training configuration. Immutable.
 *
 * @param settings of the ensemble as a whole
 * @param members in order
 */
public record EnsembleConfig(Settings settings, List<Member> members) {

  /** The name of the resolved configuration in the ensemble's folder. */
  public static final String FILE = "ensemble.yaml";

  private static final String TRAIN = "train";
  private static final RecordYaml YAML = new RecordYaml(Map.of());
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._]{0,59}");

  /**
   * What is true of the whole.
   *
   * @param preprocessors processes that prepare samples and do nothing else, of single-broadcast
   *     and multi-broadcast
   * @param atOnce members that train at the same time; 0 for all
   * @param megabytes of memory for prepared samples
   * @param pace whether members train as fast as they can, or side by side
   * @param maxRestarts how often lost processes are replaced, over all members
   */
  public record Settings(
      @Default("all-shared") String pipeline,
      @Default("1") int preprocessors,
      @Default("0") int atOnce,
      @Default("256") long megabytes,
      @Default("own") ShareConfig.Pace pace,
      @Default("10") int maxRestarts) {

    public Settings {
      var _ = Pipeline.of(pipeline, preprocessors); // checks
      atLeast("at-once", 0, atOnce);
      atLeast("megabytes", 1, megabytes);
      atLeast("max-restarts", 0, maxRestarts);
    }

    /** The pipeline. */
    public Pipeline kind() {
      return Pipeline.of(pipeline, preprocessors);
    }
  }

  /**
   * One member.
   *
   * @param ranks its processes
   * @param train its training configuration, as given for all members with its own keys on top
   */
  public record Member(String name, int ranks, ConfigFile train) {}

  /** A member's keys besides its training configuration. */
  record MemberKeys(@Default("") String name, @Default("1") int ranks) {

    public MemberKeys {
      if (!NAME.matcher(name).matches()) {
        throw new UsageException(
            name.isEmpty()
                ? "name is missing"
                : "name is '%s', expected letters, digits, '.' and '_'".formatted(name));
      }
      atLeast("ranks", 1, ranks);
    }
  }

  public EnsembleConfig {
    members = List.copyOf(members);
  }

  private static void atLeast(String key, long least, long value) {
    if (value < least) {
      throw new UsageException("%s is %d, expected %d or more".formatted(key, value, least));
    }
  }

  /** Reads a file; files that it names are sought from the working directory. */
  public static EnsembleConfig read(Path file, List<String> settings) {
    try {
      return parse(file.toString(), Files.readString(file), settings);
    } catch (NoSuchFileException e) {
      throw new UsageException(
          "no such file: %s; examples/ensemble.yaml shows an ensemble".formatted(file));
    } catch (CharacterCodingException e) {
      throw new UsageException(file + " is not a text file in UTF-8");
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  /**
   * Understands a text.
   *
   * @param name what failures call it
   * @param settings each {@code key=value}: of the ensemble, or {@code train.KEY=value} of all
   *     members
   */
  static EnsembleConfig parse(String name, String text, List<String> settings) {
    if (!(YamlText.parse(name, text).tree() instanceof ObjectNode root)) {
      throw new UsageException(name + ": expected keys and values, as in examples/ensemble.yaml");
    }
    ObjectNode keys = root.deepCopy();
    JsonNode common = keys.remove(TRAIN);
    JsonNode list = keys.remove("members");
    List<String> forAll = new ArrayList<>();
    for (String setting : settings) {
      if (setting.startsWith(TRAIN + ".")) {
        forAll.add(setting.substring(TRAIN.length() + 1));
      } else {
        set(keys, setting);
      }
    }
    try {
      if (keys.has("hosts")) {
        throw new UsageException(
            "hosts: members of an ensemble share memory, so they run on one host; leave it out");
      }
      Settings whole = YAML.read(keys, Settings.class);
      ConfigFile base = common(name, common).with(forAll);
      return new EnsembleConfig(whole, members(list, base));
    } catch (UsageException e) {
      throw e.getMessage().startsWith(name) ? e : new UsageException(name + ": " + e.getMessage());
    }
  }

  private static void set(ObjectNode keys, String setting) {
    int equals = setting.indexOf('=');
    if (equals < 1) {
      throw new UsageException("--set " + setting + ": expected KEY=VALUE");
    }
    JsonNode value = YamlText.parse("--set " + setting, setting.substring(equals + 1)).tree();
    keys.set(setting.substring(0, equals), value);
  }

  private static ConfigFile common(String name, JsonNode common) {
    if (common == null) {
      throw new UsageException(
          "train is missing, expected the keys of a training configuration, or the name of a file");
    }
    if (common.isTextual()) {
      return ConfigFile.read(Path.of(common.asText()));
    }
    return ConfigFile.parse(name + ", train", common.toString());
  }

  private static List<Member> members(JsonNode list, ConfigFile base) {
    if (!(list instanceof ArrayNode all) || all.isEmpty()) {
      throw new UsageException("members is missing, expected a list with a name for each");
    }
    List<Member> members = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (JsonNode each : all) {
      if (!(each instanceof ObjectNode given)) {
        throw new UsageException(
            "members[%d]: expected keys, such as name: a".formatted(members.size()));
      }
      ObjectNode keys = given.deepCopy();
      JsonNode own = keys.remove(TRAIN);
      try {
        MemberKeys known = YAML.read(keys, MemberKeys.class);
        if (!names.add(known.name())) {
          throw new UsageException("name %s is given twice".formatted(known.name()));
        }
        if (own != null && !own.isNull() && !own.isObject()) {
          throw new UsageException("train is %s, expected keys such as seed: 2".formatted(own));
        }
        ConfigFile train = own instanceof ObjectNode ? changed(base, "", own) : base;
        members.add(new Member(known.name(), known.ranks(), train));
      } catch (UsageException e) {
        throw new UsageException("members[%d]: %s".formatted(members.size(), e.getMessage()));
      }
    }
    return members;
  }

  /** A network, or another kind of thing, is replaced as a whole; other mappings key by key. */
  private static ConfigFile changed(ConfigFile base, String prefix, JsonNode node) {
    if (!(node instanceof ObjectNode keys) || prefix.equals("network") || keys.has("kind")) {
      return base.with(prefix, node, TRAIN);
    }
    ConfigFile changed = base;
    for (Map.Entry<String, JsonNode> entry : keys.properties()) {
      String key = prefix.isEmpty() ? entry.getKey() : prefix + "." + entry.getKey();
      changed = changed(changed, key, entry.getValue());
    }
    return changed;
  }

  /**
   * The training configuration of a member, checked.
   *
   * @param share the name of the ensemble's share
   * @param consumers ranks that begin together
   */
  public TrainingConfig training(Member member, String share, int consumers) {
    try {
      return member.train().with(common(member, share, consumers)).checked();
    } catch (UsageException e) {
      throw new UsageException("member %s: %s".formatted(member.name(), e.getMessage()));
    }
  }

  /** Members that train at the same time. */
  public int atOnce() {
    return settings.atOnce() == 0 ? members.size() : Math.min(settings.atOnce(), members.size());
  }

  /** The most processes that run at the same time, whichever members do. */
  public int processes() {
    return settings.kind().ownPreprocessors()
        + members.stream()
            .map(Member::ranks)
            .sorted(Comparator.reverseOrder())
            .limit(atOnce())
            .mapToInt(Integer::intValue)
            .sum();
  }

  private List<String> common(Member member, String share, int consumers) {
    List<String> common = new ArrayList<>();
    // All members see the same order and the same augmentation, whatever their own seeds are.
    common.add("data.seed=" + dataSeed());
    if (!(settings.kind() instanceof Pipeline.Duplicated)) {
      boolean prepare = settings.kind().ownPreprocessors() == 0;
      common.add(
          "data.share={name: %s, member: %s, members: %d, megabytes: %d, pace: %s, prepare: %s}"
              .formatted(
                  share,
                  member.name(),
                  consumers,
                  settings.megabytes(),
                  RecordYaml.word(settings.pace()),
                  prepare));
    }
    return common;
  }

  private long dataSeed() {
    TrainingConfig first = members.getFirst().train().config();
    return first.dataSeed();
  }

  /** Writes what was read, resolved as far as it is not a member's own, into the folder. */
  public void save(Path folder, Iterable<EnsembleRecord.Member> runs) {
    StringBuilder text = new StringBuilder(YAML.write(settings));
    text.append("members:\n");
    Iterator<Member> each = members.iterator();
    for (EnsembleRecord.Member run : runs) {
      Member member = each.next();
      text.append("- name: ").append(member.name()).append('\n');
      text.append("  ranks: ").append(member.ranks()).append('\n');
      text.append("  # its training configuration: ../").append(run.run()).append('/');
      text.append(TrainingConfig.FILE).append('\n');
    }
    byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
    DurableFiles.system().replace(folder.resolve(FILE), ByteBuffer.wrap(bytes));
  }
}
