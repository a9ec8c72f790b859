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
      "resize=HxW, shorter=SIDE, crop=HxW, random-crop=HxW[+PADDING], random-resized-crop=HxW, flip,"
          + " rotate=DEGREES, brightness=X, contrast=X, saturation=X, jitter=X, cutout=SIDE";

  private static final Pattern STEP = Pattern.compile("([a-z-]+)(?:=(.*))?");
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,5})x([0-9]{1,5})");
  private static final Pattern PADDED = Pattern.compile(SIZE.pattern() + "(?:\\+([0-9]{1,5}))?");
  private static final Pattern SIDE = Pattern.compile("([0-9]{1,5})");
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,5}(?:[.][0-9]{1,6})?");

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
    String value = matcher.group(2) == null ? "" : matcher.group(2);
    return switch (matcher.group(1)) {
      case "resize" -> {
        int[] size = whole(SIZE, value, text);
        yield new Resize(size[0], size[1]);
      }
      case "shorter" -> new ResizeShorter(whole(SIDE, value, text)[0]);
      case "crop" -> {
        int[] size = whole(SIZE, value, text);
        yield new CentreCrop(size[0], size[1]);
      }
      case "random-crop" -> {
        int[] size = whole(PADDED, value, text);
        yield new RandomCrop(size[0], size[1], size[2]);
      }
      case "random-resized-crop" -> {
        int[] size = whole(SIZE, value, text);
        yield new RandomResizedCrop(size[0], size[1]);
      }
      case "flip" -> {
        if (matcher.group(2) != null) {
          throw unknown(text);
        }
        yield new RandomFlip();
      }
      case "rotate" -> new RandomRotation(number(value, text));
      case "brightness" -> new ColourJitter(number(value, text), 0, 0);
      case "contrast" -> new ColourJitter(0, number(value, text), 0);
      case "saturation" -> new ColourJitter(0, 0, number(value, text));
      case "jitter" -> {
        double range = number(value, text);
        yield new ColourJitter(range, range, range);
      }
      case "cutout" -> new Cutout(whole(SIDE, value, text)[0]);
      default -> throw unknown(text);
    };
  }

  /** The numbers of a value; 0 for those that are left out. */
  private static int[] whole(Pattern pattern, String value, String text) {
    Matcher matcher = pattern.matcher(value);
    if (!matcher.matches()) {
      throw unknown(text);
    }
    int[] numbers = new int[matcher.groupCount()];
    for (int i = 0; i < numbers.length; i++) {
      String digits = matcher.group(i + 1);
      numbers[i] = digits == null ? 0 : Integer.parseInt(digits);
    }
    return numbers;
  }

  private static double number(String value, String text) {
    if (!NUMBER.matcher(value).matches()) {
      throw unknown(text);
    }
    return Double.parseDouble(value);
  }

  private static UsageException unknown(String text) {
    return new UsageException("augmentation '" + text + "': expected one of " + SYNTAX);
  }
}
