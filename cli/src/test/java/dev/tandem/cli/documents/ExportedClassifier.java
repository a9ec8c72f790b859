package dev.tandem.cli.documents;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.imageio.ImageIO;

/**
 * An exported network as a program that knows nothing of Tandem uses it: onnxruntime, and what the
 * file's metadata says.
 */
final class ExportedClassifier implements AutoCloseable {

  private final OrtSession session;
  private final Map<String, String> metadata;
  private final String input;
  private final long[] shape;

  private ExportedClassifier(OrtSession session) throws OrtException {
    this.session = session;
    this.metadata = session.getMetadata().getCustomMetadata();
    this.input = session.getInputNames().iterator().next();
    this.shape = ((TensorInfo) session.getInputInfo().get(input).getInfo()).getShape();
  }

  static ExportedClassifier open(Path file) throws OrtException {
    return new ExportedClassifier(OrtEnvironment.getEnvironment().createSession(file.toString()));
  }

  static List<Path> filesIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  List<String> classes() throws IOException {
    return List.of(new ObjectMapper().readValue(metadata.get("classes"), String[].class));
  }

  /** The name of the class with the highest score. */
  String classify(Path image) throws IOException, OrtException {
    try (OnnxTensor tensor = pixels(image);
        OrtSession.Result result = session.run(Map.of(input, tensor))) {
      float[] scores = ((float[][]) result.get(0).getValue())[0];
      int best = 0;
      for (int i = 1; i < scores.length; i++) {
        best = scores[i] > scores[best] ? i : best;
      }
      return classes().get(best);
    }
  }

  private OnnxTensor pixels(Path file) throws IOException, OrtException {
    int height = (int) shape[2];
    int width = (int) shape[3];
    BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    graphics.setRenderingHint(
        RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
    graphics.drawImage(ImageIO.read(file.toFile()), 0, 0, width, height, null);
    graphics.dispose();
    float[] mean = numbers("mean");
    float[] deviation = numbers("deviation");
    FloatBuffer floats = FloatBuffer.allocate(3 * height * width);
    for (int channel = 0; channel < 3; channel++) {
      for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
          int colour = "RGB".indexOf(metadata.get("channel-order").charAt(channel));
          int value = image.getRGB(x, y) >> (8 * (2 - colour)) & 0xff;
          floats.put((value / 255f - mean[channel]) / deviation[channel]);
        }
      }
    }
    return OnnxTensor.createTensor(
        OrtEnvironment.getEnvironment(), floats.flip(), new long[] {1, 3, height, width});
  }

  private float[] numbers(String key) throws IOException {
    return new ObjectMapper().readValue(metadata.get(key), float[].class);
  }

  @Override
  public void close() throws OrtException {
    session.close();
  }
}
