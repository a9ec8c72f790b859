package dev.tandem.sync.compress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.UsageException;
import dev.tandem.sync.compress.CompressionRule.Clause;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CompressionRuleTest {

  @ParameterizedTest
  @ValueSource(strings = {"none", "bfloat16", "float16", "top-k:0.01", "top-k:0.5", "one-bit"})
  void codesAreReadAsTheyAreWritten(String code) {
    assertEquals(code, Compression.of(code).code());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "topk", "top-k:", "top-k:x", "top-k:0", "top-k:1.5", "half"})
  void otherCodesAreRefused(String code) {
    assertThrows(UsageException.class, () -> Compression.of(code));
  }

  @ParameterizedTest
  @CsvSource({"none,1", "bfloat16,2", "float16,2", "top-k,50", "top-k:0.1,5", "one-bit,30.1"})
  void largeTensorsBecomeSmallerByThis(String code, double ratio) {
    int elements = 10_240_000;
    double bytes = Compression.of(code).payloadBytes(elements);
    assertEquals(ratio, elements * 4 / bytes, 0.05);
  }

  @Test
  void theFirstClauseThatFitsDecidesAndThenTheSize() {
    CompressionRule rule =
        new CompressionRule(
            List.of(
                Clause.of("conv1=none"),
                Clause.of("*.bias=float16"),
                Clause.of("conv?.weight=one-bit")),
            Compression.of("top-k"),
            100);
    assertEquals("none", rule.of("conv1.weight", DType.FLOAT32, 1_000).code());
    assertEquals("none", rule.of("conv1.bias", DType.FLOAT32, 1_000).code());
    assertEquals("float16", rule.of("conv2.bias", DType.FLOAT32, 10).code());
    assertEquals("one-bit", rule.of("conv2.weight", DType.FLOAT32, 10).code());
    assertEquals("top-k:0.01", rule.of("conv10.weight", DType.FLOAT32, 100).code());
    assertEquals("none", rule.of("conv10.weight", DType.FLOAT32, 99).code());
    assertEquals("none", rule.of("conv2.weight", DType.FLOAT64, 1_000).code());
    assertTrue(rule.compresses());
    assertFalse(CompressionRule.NONE.compresses());
    rule.requireMeaning(List.of("conv1.weight", "a.bias", "conv3.weight"));
    String message =
        assertThrows(
                UsageException.class,
                () -> rule.requireMeaning(List.of("conv1.weight", "conv3.weight")))
            .getMessage();
    assertEquals(
        "no gradient fits '*.bias' in the rule of compression *.bias=float16;"
            + " there are conv1.weight, conv3.weight",
        message);
  }
}
