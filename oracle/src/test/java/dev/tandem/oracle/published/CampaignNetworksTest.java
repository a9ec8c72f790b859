package dev.tandem.oracle.published;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.UsageException;
import org.junit.jupiter.api.Test;

class CampaignNetworksTest {

  private final CampaignNetworks networks = new CampaignNetworks(Platform.abci());

  @Test
  void parametersAreThoseOfTheCampaign() {
    assertEquals(25_557_032, CampaignNetworks.network("ResNet-50", 226).parameterCount());
    assertEquals(60_192_808, CampaignNetworks.network("ResNet-152", 226).parameterCount());
    assertEquals(169_814_824, CampaignNetworks.network("VGG16", 226).parameterCount());
    assertEquals(138_357_544, CampaignNetworks.network("VGG16", 224).parameterCount());
    assertEquals(8_946_116, CampaignNetworks.network("CosmoFlow", 256).parameterCount());
  }

  @Test
  void sizesAreThoseOfTheLayerTables() {
    NetworkSizes vgg = networks.sizes("VGG16", "ImageNet(226)");
    assertEquals(12, vgg.splitOutputs().size());
    assertEquals(42_681_344, NetworkSizes.sum(vgg.splitOutputs()));
    assertEquals(36_887_808, NetworkSizes.sum(vgg.splitInputs()));
    assertEquals(620_400_544, NetworkSizes.sum(vgg.denseWeights()));
    assertEquals(4 * 512 * 8 * 8, vgg.gathered());
    assertEquals(13, vgg.haloLayers());
    NetworkSizes cosmoFlow = networks.sizes("CosmoFlow", "CosmoFlow(512^3)");
    assertEquals(2_607_582_336.0, NetworkSizes.sum(cosmoFlow.splitOutputs()));
    assertEquals(4 * 32 * 126.0 * 126 * 126, cosmoFlow.gathered());
    assertEquals(2.108143184, cosmoFlow.serialSeconds());
  }

  @Test
  void aNetworkWithoutProfileTakesAsLongComparedWithItsRooflineAsThoseWithOne() {
    NetworkSizes without = networks.sizes("ResNet-101", "ImageNet(226)");
    assertTrue(
        without.serialSeconds() > networks.sizes("ResNet-50", "ImageNet(226)").serialSeconds());
    assertTrue(
        without.serialSeconds() < networks.sizes("ResNet-152", "ImageNet(226)").serialSeconds());
  }

  @Test
  void whatWeDoNotHaveIsNamed() {
    assertError("Megatron-LM", "ImageNet(226)", "no network 'Megatron-LM'");
    assertError(
        "VGG16", "ImageNet", "dataset 'ImageNet' has no extent, expected such as ImageNet(226)");
  }

  private void assertError(String model, String dataset, String message) {
    assertEquals(
        message,
        assertThrows(UsageException.class, () -> networks.sizes(model, dataset)).getMessage());
  }
}
