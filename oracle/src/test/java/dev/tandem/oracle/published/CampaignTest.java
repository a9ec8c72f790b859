package dev.tandem.oracle.published;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CampaignTest {

  private static final String HEADER =
      "source,model,dataset,strategy,gpus,batch_per_gpu,quantity,unit,value,note\n";

  @TempDir Path folder;

  @Test
  void theBuiltInCampaignIsReadWhole() {
    Campaign campaign = Campaign.builtIn();
    assertEquals(469, campaign.rows().size());
    Measurement first = campaign.rows().getFirst();
    assertEquals("paradl-abci.csv:2", first.place());
    assertEquals("ResNet-152", first.model());
    assertEquals(16, first.gpus());
    assertEquals(64, first.batchPerGpu());
    assertEquals(0.58986, first.value());
    assertEquals(
        7,
        campaign.rows().stream()
            .filter(row -> row.congested() && row.quantity().equals("iter_time_total"))
            .count());
  }

  @Test
  void notesMayHoldCommasAndQuotes() throws IOException {
    Campaign campaign =
        read(HEADER + "a,VGG16,ImageNet(226),data,16,32,iter_time_total,s,0.5,\"x, \"\"y\"\"\"\n");
    assertEquals(0.5, campaign.rows().getFirst().value());
  }

  @Test
  void sourceUnitAndNoteMayBeMissingAndColumnsInAnyOrder() throws IOException {
    Campaign campaign =
        read(
            """
            value,quantity,gpus,batch_per_gpu,strategy,dataset,model
            0.5,iter_time_total,16,32,data,ImageNet(226),VGG16
            """);
    assertEquals("VGG16", campaign.rows().getFirst().model());
  }

  @Test
  void errorsNameTheFileAndTheLine() throws IOException {
    assertError(
        HEADER
            + "a,VGG16,ImageNet(226),data,16,32,iter_time_total,s,0.5,\n"
            + "a,VGG16,ImageNet(226),data,x,32,iter_time_total,s,0.5,\n",
        ":3: gpus is 'x', expected a whole number of at least 1");
    assertError(
        HEADER + "a,VGG16,ImageNet(226),data,1.5,32,iter_time_total,s,0.5,\n",
        ":2: gpus is '1.5', expected a whole number of at least 1");
    assertError(
        HEADER + "a,VGG16,ImageNet(226),data,16,-1,iter_time_total,s,0.5,\n",
        ":2: batch_per_gpu is '-1', expected a number above 0");
    assertError(
        HEADER + "a,VGG16,ImageNet(226),data,16,32,iter_time_total,s,fast,\n",
        ":2: value is 'fast', expected a number");
    assertError(
        HEADER + "a,,ImageNet(226),data,16,32,iter_time_total,s,0.5,\n", ":2: model is empty");
    assertError(
        "model,dataset,strategy,gpus,quantity,value\nVGG16,ImageNet(226),data,16,iter_time_total,1\n",
        ":2: column batch_per_gpu is missing");
    assertError(HEADER, ": no measurements");
    assertError("", ": no measurements");
    assertError(HEADER + "a,VGG16,ImageNet(226),data\n", "measured.csv");
    assertError(HEADER + "a,\"VGG16,ImageNet(226),data\n", "measured.csv");
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    UsageException e =
        assertThrows(UsageException.class, () -> Campaign.read(folder.resolve("none.csv")));
    assertTrue(e.getMessage().endsWith("none.csv"), e.getMessage());
  }

  private void assertError(String text, String part) {
    UsageException e = assertThrows(UsageException.class, () -> read(text));
    assertTrue(e.getMessage().contains("measured.csv"), e.getMessage());
    assertTrue(e.getMessage().contains(part), e.getMessage());
    assertEquals(1, e.getMessage().lines().count(), e.getMessage());
  }

  private Campaign read(String text) throws IOException {
    return Campaign.read(Files.writeString(folder.resolve("measured.csv"), text));
  }
}
