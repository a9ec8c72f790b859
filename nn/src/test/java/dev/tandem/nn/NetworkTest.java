package dev.tandem.nn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.nn.models.DigitsNetwork;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class NetworkTest {

  private static final Engine ENGINE = Engine.start(1);
  private static final NetworkSpec SPEC = DigitsNetwork.spec();

  @Test
  void viewsAreSlicesOfTheBuffersInOneOrder() {
    try (Network network = Network.create(ENGINE, SPEC, new Seed(1))) {
      assertEquals(
          network.parameters().stream().map(TensorView::name).toList(),
          network.gradients().stream().map(TensorView::name).toList());
      for (int i = 0; i < network.parameters().size(); i++) {
        long offset =
            network.parameters().get(i).data().address() - network.parameterBuffer().address();
        assertEquals(
            offset,
            network.gradients().get(i).data().address() - network.gradientBuffer().address());
        assertEquals(0, network.parameters().get(i).data().address() % 64);
      }
      assertTrue(network.gradientBuffer().byteSize() >= SPEC.parameterCount() * Float.BYTES);
    }
  }

  @Test
  void whatIsWrittenIntoParametersIsUsed() {
    Seed seed = TestSeed.of(NetworkTest.class);
    Batches batch = Batches.random(seed, SPEC, DType.FLOAT32, 4);
    try (Network network = Network.create(ENGINE, SPEC, seed)) {
      network.parameterBuffer().fill((byte) 0);
      assertEquals(4 * Math.log(10), batch.evaluate(network).lossSum(), 1e-5);
      // A bias of 100 for the class of the first label makes that class the answer.
      TensorView bias = network.parameters().getLast();
      long label = batch.labels().getAtIndex(ValueLayout.JAVA_LONG, 0);
      bias.data().setAtIndex(ValueLayout.JAVA_FLOAT, label, 100);
      assertEquals(1, batch.part(0, 1).evaluate(network).correct());
    }
  }

  @Test
  void meanOfHalfBatchesIsTheWholeBatch() {
    Seed seed = TestSeed.of(NetworkTest.class);
    Batches batch = Batches.glyphs(seed, 64);
    try (Network network = Network.create(ENGINE, SPEC, seed)) {
      double whole = batch.train(network);
      float[] expected = network.gradientBuffer().toArray(ValueLayout.JAVA_FLOAT);
      double first = batch.part(0, 32).train(network);
      float[] firstHalf = network.gradientBuffer().toArray(ValueLayout.JAVA_FLOAT);
      double second = batch.part(32, 32).train(network);
      float[] secondHalf = network.gradientBuffer().toArray(ValueLayout.JAVA_FLOAT);
      assertEquals(whole, (first + second) / 2, 1e-5);
      for (int i = 0; i < expected.length; i++) {
        assertEquals(expected[i], (firstHalf[i] + secondHalf[i]) / 2, 1e-4, "element " + i);
      }
    }
  }

  @Test
  void refusesWhatItCannotTake() {
    try (Network network = Network.create(ENGINE, SPEC, new Seed(1))) {
      Batches batch = Batches.random(new Seed(2), SPEC, DType.FLOAT32, 2);
      MemorySegment onHeap = MemorySegment.ofArray(new float[2 * 784]);
      assertThrows(
          IllegalArgumentException.class, () -> network.forwardBackward(onHeap, batch.labels(), 2));
      assertThrows(
          IllegalArgumentException.class,
          () -> network.evaluate(batch.images(), batch.labels(), 3));
      batch.labels().setAtIndex(ValueLayout.JAVA_LONG, 1, 10);
      var e = assertThrows(UsageException.class, () -> batch.train(network));
      assertEquals(
          "label 10 of image 1 in the batch is not one of the network's 10 classes",
          e.getMessage());
    }
  }

  @Test
  void closedNetworkRefusesEverything() {
    Batches batch = Batches.random(new Seed(2), SPEC, DType.FLOAT32, 2);
    Network network = Network.create(ENGINE, SPEC, new Seed(1));
    MemorySegment buffer = network.gradientBuffer();
    network.close();
    network.close();
    assertThrows(IllegalStateException.class, () -> batch.train(network));
    assertThrows(IllegalStateException.class, () -> buffer.get(ValueLayout.JAVA_BYTE, 0));
  }
}
