package dev.tandem.data.importing;

import dev.tandem.core.WorkFailedException;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicReference;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;

/** Image files through ImageIO, distrusted: whatever a bad one does becomes one line. */
final class ImageDecoder {

  /** A larger image comes from a damaged header; it would only exhaust the memory. */
  private static final long MAX_PIXELS = 1L << 28;

  private ImageDecoder() {}

  /** Decodes the file's first image and brings it into the form that the options ask for. */
  static PlanarImage decode(Path path, byte[] bytes, ImageOptions options) {
    try (ImageInputStream stream =
        new MemoryCacheImageInputStream(new ByteArrayInputStream(bytes))) {
      Iterator<ImageReader> readers = ImageIO.getImageReaders(stream);
      if (!readers.hasNext()) {
        throw unreadable(path, "it is in no known format", null);
      }
      ImageReader reader = readers.next();
      try {
        PlanarImage image = PlanarImage.of(read(path, reader, stream), options.grey());
        return options.height() == 0 ? image : image.resized(options.height(), options.width());
      } finally {
        reader.dispose();
      }
    } catch (WorkFailedException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      // ImageIO's readers throw all kinds of exceptions at damaged files.
      throw unreadable(path, e.getMessage() == null ? e.toString() : e.getMessage(), e);
    }
  }

  private static BufferedImage read(Path path, ImageReader reader, ImageInputStream stream)
      throws IOException {
    reader.setInput(stream, true, true);
    long height = reader.getHeight(0);
    long width = reader.getWidth(0);
    if (height * width > MAX_PIXELS) {
      throw unreadable(path, "its header speaks of %,dx%,d pixels".formatted(height, width), null);
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
      throw unreadable(path, "it is cut short", null);
    }
    return image;
  }

  private static WorkFailedException unreadable(Path path, String reason, Exception cause) {
    return new WorkFailedException("cannot read the image " + path + ": " + reason, cause);
  }
}
