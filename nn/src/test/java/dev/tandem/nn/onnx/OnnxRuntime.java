package dev.tandem.nn.onnx;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtSession;
import dev.tandem.nn.spec.NetworkSpec;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.Map;

/** What ONNX Runtime answers with a file of ours. */
final class OnnxRuntime {

  private OnnxRuntime() {}

  /** The first output for samples of a network's input. */
  static float[] answers(Path file, NetworkSpec spec, float[] samples, int batch) throws Exception {
    long[] shape = new long[spec.input().extents().size() + 1];
    System.arraycopy(spec.input().toArray(), 0, shape, 1, shape.length - 1);
    shape[0] = batch;
    OrtEnvironment environment = OrtEnvironment.getEnvironment();
    try (OrtSession.SessionOptions options = new OrtSession.SessionOptions();
        OrtSession session = environment.createSession(file.toString(), options);
        OnnxTensor input = OnnxTensor.createTensor(environment, FloatBuffer.wrap(samples), shape);
        OrtSession.Result result = session.run(Map.of("input", input))) {
      FloatBuffer answers = ((OnnxTensor) result.get(0)).getFloatBuffer();
      float[] values = new float[answers.remaining()];
      answers.get(values);
      return values;
    }
  }
}
