package dev.tandem.oracle.profile;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import dev.tandem.core.DType;
import dev.tandem.core.UsageException;
import dev.tandem.posix.FileErrors;
import dev.tandem.posix.WholeFiles;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Profiles from and to JSON files. */
public final class ProfileFile {

  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private ProfileFile() {}

  /**
   * The profile in a file.
   *
   * @throws UsageException one line that names the file and what is wrong with it
   */
  public static Profile read(Path file) {
    if (!Files.isRegularFile(file)) {
      throw new UsageException(
          "there is no profile %s; ./tandem profile makes one".formatted(file));
    }
    try {
      return checked(file, parsed(file, Files.readString(file)));
    } catch (CharacterCodingException e) {
      throw notProfile(file, "it is no text");
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }

  private static Profile parsed(Path file, String text) {
    try {
      JsonNode tree = JSON.readTree(text);
      JsonNode version = tree.path("version");
      if (!tree.isObject() || !version.isInt()) {
        throw notProfile(file, "expected a JSON object with \"version\": " + Profile.VERSION);
      }
      if (version.intValue() != Profile.VERSION) {
        throw new UsageException(
            "%s: version %s of the format, expected %d: make it again with ./tandem profile"
                .formatted(file, version, Profile.VERSION));
      }
      return JSON.treeToValue(tree, Profile.class);
    } catch (UnrecognizedPropertyException e) {
      throw notProfile(file, "unknown key %s".formatted(place(e)));
    } catch (JsonMappingException e) {
      throw notProfile(file, "%s has a wrong value".formatted(place(e)));
    } catch (JsonProcessingException e) {
      throw notProfile(file, "line %d is not JSON".formatted(e.getLocation().getLineNr()));
    }
  }

  private static String place(JsonMappingException e) {
    String keys =
        e.getPath().stream()
            .map(
                step ->
                    step.getFieldName() == null ? "[" + step.getIndex() + "]" : step.getFieldName())
            .collect(Collectors.joining("."))
            .replace(".[", "[");
    return keys.isEmpty() ? "it" : keys;
  }

  private static UsageException notProfile(Path file, String why) {
    return new UsageException(
        "%s is not a profile: %s; ./tandem profile makes one".formatted(file, why));
  }

  private static Profile checked(Path file, Profile profile) {
    if (Arrays.stream(DType.values())
        .noneMatch(type -> type.name().toLowerCase(Locale.ROOT).equals(profile.type()))) {
      throw notProfile(file, "type '%s', expected float32 or bfloat16".formatted(profile.type()));
    }
    for (Profile.Layer layer : profile.layers()) {
      if (layer.kind() == null || layer.times().isEmpty() || layer.output().isEmpty()) {
        throw notProfile(file, "layer %s needs kind, output and times".formatted(layer.name()));
      }
      for (Profile.Times times : layer.times()) {
        if (times.samples() < 1
            || isWrong(times.forward())
            || isWrong(times.backwardData())
            || isWrong(times.backwardWeights())) {
          throw notProfile(
              file,
              "layer %s has times that are negative, or of no samples".formatted(layer.name()));
        }
      }
    }
    for (Profile.Collective collective : profile.collectives()) {
      if (!MeasuredCollectives.isOperation(collective.operation())) {
        throw notProfile(
            file,
            "unknown collective '%s', expected one of %s"
                .formatted(collective.operation(), MeasuredCollectives.words()));
      }
      if (collective.ranks() < 2 || collective.bytes() < 0 || !(collective.seconds() > 0)) {
        throw notProfile(
            file,
            "%s of %d bytes over %d ranks in %s s"
                .formatted(
                    collective.operation(),
                    collective.bytes(),
                    collective.ranks(),
                    collective.seconds()));
      }
    }
    return profile;
  }

  private static boolean isWrong(double seconds) {
    return !(seconds >= 0) || Double.isInfinite(seconds);
  }

  /** Replaces a file by a profile. */
  public static void write(Path file, Profile profile) {
    try {
      WholeFiles.replace(
          file.toAbsolutePath(), List.of(MemorySegment.ofArray(JSON.writeValueAsBytes(profile))));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
