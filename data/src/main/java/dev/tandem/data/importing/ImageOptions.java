package dev.tandem.data.importing;

import dev.tandem.core.UsageException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What becomes of the images of a folder.
 *
 * @param grey one channel instead of three
 * @param height new height, or 0 to keep every image's own
 * @param width new width, or 0
 * @param encoded keep the bytes of the files instead of pixels
 * @param skipBad leave out images that cannot be read instead of failing
 */
public record ImageOptions(boolean grey, int height, int width, boolean encoded, boolean skipBad) {

  /** Colour pixels in their own size; a bad image is fatal. */
  public static final ImageOptions DEFAULT = new ImageOptions(false, 0, 0, false, false);

  private static final Pattern SIZE = Pattern.compile("([0-9]{1,5})x([0-9]{1,5})");

  public ImageOptions {
    if ((height == 0) != (width == 0) || height < 0 || width < 0) {
      throw new IllegalArgumentException("bad size " + height + "x" + width);
    }
    if (encoded && (grey || height > 0)) {
      throw new UsageException(
          "--encoded keeps the files as they are: it goes with neither --grey nor --resize");
    }
  }

  /** Options with a size given as {@code HEIGHTxWIDTH}, or null to keep sizes. */
  public static ImageOptions of(boolean grey, String size, boolean encoded, boolean skipBad) {
    if (size == null) {
      return new ImageOptions(grey, 0, 0, encoded, skipBad);
    }
    Matcher matcher = SIZE.matcher(size);
    if (!matcher.matches()
        || Integer.parseInt(matcher.group(1)) == 0
        || Integer.parseInt(matcher.group(2)) == 0) {
      throw new UsageException("--resize " + size + ": expected HEIGHTxWIDTH, as in 256x256");
    }
    return new ImageOptions(
        grey,
        Integer.parseInt(matcher.group(1)),
        Integer.parseInt(matcher.group(2)),
        encoded,
        skipBad);
  }
}
