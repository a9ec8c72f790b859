package dev.tandem.nn.exchange;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TandemException;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.nn.Engine;
import dev.tandem.nn.Network;
import dev.tandem.nn.models.LeNet;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.weights.TakenWeights;
import dev.tandem.nn.weights.Weights;
import dev.tandem.testkit.Python;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SafetensorsTest {

  private static final Engine ENGINE = Engine.start(1);
  private static final NetworkSpec SPEC =
      NetworkSpec.of(
          Shape.of(3),
          new FullyConnected("fc", 2),
          new BatchNorm("norm"),
          new FullyConnected("s", 2));

  @TempDir Path folder;

  @Test
  void weightsComeBackBitForBit() {
    Path file = folder.resolve("lenet.safetensors");
    try (Network first = Network.create(ENGINE, LeNet.spec(10), new Seed(1));
        Network second = Network.create(ENGINE, LeNet.spec(10), new Seed(2))) {
      NetworkFiles.write(file, ExportFormat.SAFETENSORS, first);
      TakenWeights taken = NetworkFiles.weights(file).into(second, Weights.Unfit.REFUSED);
      assertEquals(first.parameters().size(), taken.taken().size());
      assertEquals("took 8 of 8 tensors from " + file, taken.summary());
      for (int i = 0; i < first.parameters().size(); i++) {
        assertArrayEquals(
            first.parameters().get(i).data().toArray(ValueLayout.JAVA_BYTE),
            second.parameters().get(i).data().toArray(ValueLayout.JAVA_BYTE));
      }
    }
  }

  /** Written by the letter of the format, in all types that weights come in. */
  @Test
  void readsWhatPythonWrites() throws Exception {
    Path file = folder.resolve("python.safetensors");
    Python.run(
        List.of("json", "struct", "numpy"),
        """
        import numpy as np
        rows = {
            'fc.weight': ('F16', np.array([[1, -2, 0.5], [0, 3, 4]], np.float16)),
            'fc.bias': ('F64', np.array([0.25, -1])),
            'norm.weight': ('F32', np.array([1, 2], np.float32)),
            'norm.bias': ('BF16', (np.array([-1.5, 8], np.float32).view(np.uint32) >> 16)
                                  .astype(np.uint16)),
            'norm.running_mean': ('F32', np.array([5, 6], np.float32)),
            'norm.running_var': ('F32', np.array([7, 8], np.float32)),
            'norm.num_batches_tracked': ('I64', np.array(3)),
            's.weight': ('F32', np.array([[1, 0], [0, 1]], np.float32)),
            's.bias': ('F32', np.array([0, 0], np.float32)),
        }
        header, data = {}, b''
        for name, (code, values) in rows.items():
            raw = values.tobytes()
            header[name] = dict(dtype=code, shape=list(values.shape),
                                data_offsets=[len(data), len(data) + len(raw)])
            data += raw
        text = json.dumps(header).encode()
        open(sys.argv[1], 'wb').write(struct.pack('<Q', len(text)) + text + data)
        """,
        file);
    try (Network network = Network.create(ENGINE, SPEC, new Seed(1))) {
      TakenWeights taken = NetworkFiles.weights(file).into(network, Weights.Unfit.REFUSED);
      assertEquals(List.of("norm.num_batches_tracked"), taken.unused());
      assertArrayEquals(new float[] {1, -2, 0.5f, 0, 3, 4}, numbers(network.parameters().get(0)));
      assertArrayEquals(new float[] {0.25f, -1}, numbers(network.parameters().get(1)));
      assertArrayEquals(new float[] {-1.5f, 8}, numbers(network.parameters().get(3)));
      assertArrayEquals(new float[] {7, 8}, numbers(network.buffers().get(1)));
    }
  }

  /** Checks what the format's own reader checks: offsets without gaps, to the end of the file. */
  @Test
  void pythonReadsWhatWeWrite() throws Exception {
    Path file = folder.resolve("ours.safetensors");
    try (Network network = Network.create(ENGINE, SPEC, new Seed(1))) {
      network.parameters().get(1).data().setAtIndex(ValueLayout.JAVA_FLOAT, 0, 42);
      NetworkFiles.write(file, ExportFormat.SAFETENSORS, network);
    }
    String printed =
        Python.run(
            List.of("json", "struct", "numpy"),
            """
            raw = open(sys.argv[1], 'rb').read()
            size, = struct.unpack('<Q', raw[:8])
            assert raw[8:9] == b'{'
            header = json.loads(raw[8:8 + size])
            assert list(header.pop('__metadata__')) == ['tandem.network']
            data, at = raw[8 + size:], 0
            for name, entry in header.items():
                first, last = entry['data_offsets']
                values = numpy.frombuffer(data[first:last], numpy.float32)
                assert first == at and values.size == numpy.prod(entry['shape']), name
                at = last
                print(name, entry['shape'], values[0] if name == 'fc.bias' else '')
            assert at == len(data)
            """,
            file);
    assertTrue(printed.startsWith("fc.weight [2, 3]"), printed);
    assertTrue(printed.contains("fc.bias [2] 42.0"), printed);
  }

  @Test
  void anotherClassifierIsKeptOnlyIfAskedFor() {
    Path file = folder.resolve("other.safetensors");
    NetworkSpec wider =
        NetworkSpec.of(
            Shape.of(3),
            new FullyConnected("fc", 2),
            new BatchNorm("norm"),
            new FullyConnected("s", 7));
    try (Network source = Network.create(ENGINE, SPEC, new Seed(1));
        Network target = Network.create(ENGINE, wider, new Seed(2))) {
      NetworkFiles.write(file, ExportFormat.SAFETENSORS, source);
      Weights weights = NetworkFiles.weights(file);
      float[] before = numbers(target.parameters().getFirst());
      var e = assertThrows(UsageException.class, () -> weights.into(target, Weights.Unfit.REFUSED));
      assertEquals(
          file
              + " does not fit the network: s.weight is [2, 2] there, [7, 2] in the network, and 1"
              + " more",
          e.getMessage());
      assertArrayEquals(before, numbers(target.parameters().getFirst()));
      TakenWeights taken = weights.into(target, Weights.Unfit.KEPT);
      assertEquals(6, taken.taken().size());
      assertTrue(
          taken.summary().contains("left at their initial values: s.weight is [2, 2] there"),
          taken.summary());
      Weights none = new Weights("nothing", Map.of());
      assertThrows(UsageException.class, () -> none.into(target, Weights.Unfit.KEPT));
    }
  }

  @Test
  void damagedFilesAreOneLine() throws Exception {
    Seed seed = TestSeed.of(SafetensorsTest.class);
    SplittableRandom random = seed.random();
    Path file = folder.resolve("whole.safetensors");
    try (Network network = Network.create(ENGINE, SPEC, new Seed(1))) {
      NetworkFiles.write(file, ExportFormat.SAFETENSORS, network);
    }
    byte[] whole = Files.readAllBytes(file);
    Path damaged = folder.resolve("damaged.safetensors");
    int refused = 0;
    for (int round = 0; round < 500; round++) {
      byte[] bytes = whole.clone();
      if (random.nextInt(4) == 0) {
        bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
      } else {
        for (int i = 0; i <= random.nextInt(3); i++) {
          bytes[random.nextInt(random.nextBoolean() ? 16 : 600)] = (byte) random.nextInt(256);
        }
      }
      Files.write(damaged, bytes);
      try {
        NetworkFiles.weights(damaged);
      } catch (TandemException e) {
        refused++;
        assertEquals(1, e.getMessage().lines().count(), e.getMessage());
        assertTrue(e.getMessage().contains(damaged.toString()), e.getMessage());
      }
    }
    assertTrue(refused > 300, refused + " of 500 refused");
    Path missing = folder.resolve("missing.safetensors");
    assertThrows(WorkFailedException.class, () -> NetworkFiles.weights(missing));
    Files.createDirectory(missing);
    assertThrows(WorkFailedException.class, () -> NetworkFiles.weights(missing));
  }

  private static float[] numbers(TensorView view) {
    assertEquals(DType.FLOAT32, view.dtype());
    return view.data().toArray(ValueLayout.JAVA_FLOAT);
  }
}
