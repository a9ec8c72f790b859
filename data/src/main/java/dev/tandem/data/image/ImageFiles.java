package dev.tandem.data.image;

import dev.tandem.core.WorkFailedException;
import java.awt.color.ColorSpace;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicReference;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;

/** Image files through ImageIO, distrusted: whatever a bad one does becomes one line. */
public final class ImageFiles {

  /** A larger image comes from a damaged header; it would only exhaust the memory. */
  private static final long MAX_PIXELS = 1L << 28;

  private ImageFiles() {}

  /** What the first bytes of a file tell of its image. */
  public record Header(int height, int width, boolean grey) {}

  /**
   * Looks at the first image of a file without decoding it. Safe from several threads.
   *
   * @param name what an error calls it
   */
  public static Header header(String name, byte[] bytes) {
    return read(
        name,
        bytes,
        reader -> {
          var type = reader.getImageTypes(0).next();
          return new Header(
              reader.getHeight(0),
              reader.getWidth(0),
              type.getColorModel().getColorSpace().getType() == ColorSpace.TYPE_GRAY);
        });
  }

  /**
   * Decodes the first image of a file. Safe from several threads.
   *
   * @param name what an error calls it
   * @param grey one channel instead of three
   */
  public static PlanarImage decode(String name, byte[] bytes, boolean grey) {
    return read(name, bytes, reader -> PlanarImage.of(image(name, reader), grey));
  }

  private interface Reading<T> {
    T from(ImageReader reader) throws IOException;
  }

  private static <T> T read(String name, byte[] bytes, Reading<T> reading) {
    try (ImageInputStream stream =
        new MemoryCacheImageInputStream(new ByteArrayInputStream(bytes))) {
      Iterator<ImageReader> readers = ImageIO.getImageReaders(stream);
      if (!readers.hasNext()) {
        throw unreadable(name, "it is in no known format", null);
      }
      ImageReader reader = readers.next();
      try {
        reader.setInput(stream, true, true);
        return reading.from(reader);
      } finally {
        reader.dispose();
      }
    } catch (WorkFailedException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      // ImageIO's readers throw all kinds of exceptions at damaged files.
      throw unreadable(name, reason(e), e);
    }
  }

  /** Their messages are for users only if they are sentences. */
  private static String reason(Exception e) {
    String text = e.getMessage();
    return text == null || text.contains("Exception") || !text.contains(" ")
        ? "it is damaged"
        : text;
  }

  private static BufferedImage image(String name, ImageReader reader) throws IOException {
    long height = reader.getHeight(0);
    long width = reader.getWidth(0);
    if (height * width > MAX_PIXELS) {
      throw unreadable(name, "its header speaks of %,dx%,d pixels".formatted(height, width), null);
    }
    // A JPEG that ends early is only a warning to ImageIO, and half an image.
    AtomicReference<String> cut = new AtomicReference<>();
    reader.addIIOReadWarningListener(
        (source, warning) -> {
          if (warning.contains("remature end")) {
            cut.set(warning);
          }
        });
    BufferedImage image = reader.read(0);
    if (cut.get() != null) {
      throw unreadable(name, "it is cut short", null);
    }
    return image;
  }

  private static WorkFailedException unreadable(String name, String reason, Exception cause) {
    return new WorkFailedException("cannot read the image " + name + ": " + reason, cause);
  }
}
