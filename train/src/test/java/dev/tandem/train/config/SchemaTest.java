package dev.tandem.train.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import dev.tandem.nn.yaml.YamlText;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The JSON Schema takes what is read, and refuses what is not. */
class SchemaTest {

  private static final String SMALLEST =
      """
      network: {model: lenet}
      data: {path: somewhere, normalise: none}
      schedule: {rate: 0.1}
      """;

  private final JsonSchema schema =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(ConfigFile.schema());

  @TempDir Path run;

  private Set<ValidationMessage> wrong(String name, String yaml) {
    JsonNode tree = YamlText.parse(name, yaml).tree();
    return schema.validate(tree);
  }

  @Test
  void takesExamplesAndWhatIsSaved() throws Exception {
    for (Path example : ExamplesTest.examples()) {
      assertEquals(Set.of(), wrong(example.toString(), Files.readString(example)));
    }
    for (List<String> settings :
        List.of(
            List.<String>of(),
            List.of("strategy=data=2,filter=2"),
            List.of(
                "strategy={mesh: {data: 2, spatial: 2x2}, layers: {ip1: filter, 'conv*': whole},"
                    + " pipeline: {cuts: [conv2], schedule: gpipe}}"),
            List.of("synchronisation=topo+pool", "optimizer={kind: lars, trust: 0.02}"),
            List.of(
                "checkpoint.every-steps=auto", "data.class-names=[a, b, c, d, e, f, g, h, i, 0]"),
            List.of(
                "schedule={kind: steps, rate: 1e-3, fall-epochs: 3}", "batch.grow={limit: 9}"))) {
      ConfigFile.parse("c.yaml", SMALLEST).with(settings).config().save(run);
      assertEquals(Set.of(), wrong("saved", Files.readString(run.resolve(TrainingConfig.FILE))));
    }
  }

  @Test
  void refusesMistakes() {
    assertEquals(Set.of(), wrong("c.yaml", SMALLEST));
    for (String mistake :
        List.of(
            "epoch: 3",
            "epochs: many",
            "epochs: 1.5",
            "optimizer: {kind: sgdd}",
            "optimizer: {kind: adam, momentum: 0.9}",
            "precision: float16",
            "batch: {size: 3}",
            "batch: 3",
            "checkpoint: {best: 1}",
            "strategy: {mesh: [2, 2]}",
            "strategy: {gather: later}",
            "gradients: {reduction: mean}")) {
      assertFalse(wrong("c.yaml", SMALLEST + mistake).isEmpty(), mistake);
    }
    assertFalse(wrong("c.yaml", SMALLEST.replace("rate: 0.1", "")).isEmpty(), "no rate");
    assertFalse(wrong("c.yaml", SMALLEST.replace("lenet", "lenett")).isEmpty(), "no such model");
    assertFalse(wrong("c.yaml", "epochs: 3").isEmpty(), "no network");
  }
}
