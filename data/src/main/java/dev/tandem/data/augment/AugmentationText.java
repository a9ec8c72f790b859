package dev.tandem.data.augment;

import dev.tandem.core.UsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Augmentations as a user writes them: {@code shorter=256,random-crop=224x224,flip}. */
public final class AugmentationText {

  /** What can be written, for help and errors. */
  public static final String SYNTAX =
      "resize=HxW, shorter=SIDE, crop=HxW, random-crop=HxW[+PADDING], random-resized-crop=HxW, flip";

  private static final Pattern STEP =
      Pattern.compile("([a-z-]+)(?:=([0-9]{1,5})(?:x([0-9]{1,5}))?(?:\\+([0-9]{1,5}))?)?");

  private AugmentationText() {}

  /** Reads a list; empty text means none. */
  public static Augmentations parse(String text) {
    List<Augmentation> steps = new ArrayList<>();
    if (!text.isBlank()) {
      for (String step : text.split(",", -1)) {
        steps.add(step(step.strip()));
      }
    }
    return new Augmentations(steps);
  }

  private static Augmentation step(String text) {
    Matcher matcher = STEP.matcher(text);
    if (!matcher.matches()) {
      throw unknown(text);
    }
    int first = number(matcher.group(2));
    int second = number(matcher.group(3));
    int padding = number(matcher.group(4));
    boolean size = first >= 0 && second >= 0;
    boolean plain = size && padding < 0;
    Augmentation step =
        switch (matcher.group(1)) {
          case "resize" -> plain ? new Resize(first, second) : null;
          case "shorter" ->
              first >= 0 && second < 0 && padding < 0 ? new ResizeShorter(first) : null;
          case "crop" -> plain ? new CentreCrop(first, second) : null;
          case "random-crop" -> size ? new RandomCrop(first, second, Math.max(0, padding)) : null;
          case "random-resized-crop" -> plain ? new RandomResizedCrop(first, second) : null;
          case "flip" -> first < 0 ? new RandomFlip() : null;
          default -> null;
        };
    if (step == null) {
      throw unknown(text);
    }
    return step;
  }

  private static int number(String digits) {
    return digits == null ? -1 : Integer.parseInt(digits);
  }

  private static UsageException unknown(String text) {
    return new UsageException("augmentation '" + text + "': expected one of " + SYNTAX);
  }
}
