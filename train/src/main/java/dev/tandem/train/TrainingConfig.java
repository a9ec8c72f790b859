package dev.tandem.train;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.tandem.core.UsageException;
import dev.tandem.data.ImageFormat;
import dev.tandem.posix.DurableFiles;
import dev.tandem.posix.FileErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Everything that decides a run, checked once and then fixed.
 *
 * @param trainingData an LMDB environment with Caffe Datum records, or whatever else {@link
 *     dev.tandem.data.source.Sources} opens
 * @param testData likewise
 * @param globalBatch samples of one step over all ranks
 * @param learningRate the highest rate, reached after the warm-up and then lowered by half a cosine
 * @param warmUpSteps steps in which the rate rises from zero
 * @param largestGradientNorm longer gradients are shortened to this
 * @param threadsPerRank threads of the compute engine in each process
 */
public record TrainingConfig(
    String trainingData,
    String testData,
    ImageFormat format,
    int epochs,
    int globalBatch,
    double learningRate,
    int warmUpSteps,
    double momentum,
    double weightDecay,
    double largestGradientNorm,
    long seed,
    int threadsPerRank) {

  static final String FILE = "config.yaml";

  private static final ObjectMapper YAML =
      YAMLMapper.builder().disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER).build();

  public TrainingConfig {
    require(epochs > 0, "epochs", epochs);
    require(globalBatch > 0, "globalBatch", globalBatch);
    require(learningRate > 0, "learningRate", learningRate);
    require(warmUpSteps >= 0, "warmUpSteps", warmUpSteps);
    require(threadsPerRank > 0, "threadsPerRank", threadsPerRank);
  }

  private static void require(boolean good, String name, Object value) {
    if (!good) {
      throw new UsageException("configuration: " + name + " cannot be " + value);
    }
  }

  /** Writes {@code config.yaml} into the run's folder. */
  public void save(Path run) {
    try {
      byte[] text = YAML.writeValueAsString(this).getBytes(StandardCharsets.UTF_8);
      DurableFiles.system().replace(run.resolve(FILE), ByteBuffer.wrap(text));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Reads what {@link #save} wrote; an unknown or missing key is an error that names it. */
  public static TrainingConfig load(Path run) {
    Path file = run.resolve(FILE);
    try {
      return YAML.readValue(Files.readString(file), TrainingConfig.class);
    } catch (JsonProcessingException e) {
      throw new UsageException(file + ": " + e.getOriginalMessage());
    } catch (IOException e) {
      throw FileErrors.failure("read", file, e);
    }
  }
}
