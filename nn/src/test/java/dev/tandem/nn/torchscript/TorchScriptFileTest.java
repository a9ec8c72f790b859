package dev.tandem.nn.torchscript;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.DType;
import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TensorView;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.nn.Network;
import dev.tandem.nn.internal.LayerCases;
import dev.tandem.nn.models.PublishedModels;
import dev.tandem.nn.onnx.EveryLayer;
import dev.tandem.nn.spec.Flatten;
import dev.tandem.nn.spec.FullyConnected;
import dev.tandem.nn.spec.LayerSpec;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.spec.ParameterSpec;
import dev.tandem.nn.weights.Answers;
import dev.tandem.nn.weights.Elements;
import dev.tandem.nn.weights.Weights;
import dev.tandem.testkit.Python;
import dev.tandem.testkit.TestSeed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What we write, opened by Debian's PyTorch. */
class TorchScriptFileTest {

  @TempDir Path folder;

  @Test
  void pythonGivesTheSameAnswersOfSmallModels() throws Exception {
    Map<String, NetworkSpec> models = PublishedModels.small();
    models.put("all layers", EveryLayer.spec());
    models.put("volumes", EveryLayer.volumes());
    check(models);
  }

  /** Each kind of layer alone, with shapes and windows at random. */
  @Test
  void pythonGivesTheSameAnswersOfEveryLayer() throws Exception {
    Map<String, NetworkSpec> models = new LinkedHashMap<>();
    for (LayerCases layer : LayerCases.draw(TestSeed.of(TorchScriptFileTest.class).random())) {
      if (layer.inputs().size() == 1) {
        models.put(
            models.size() + " " + layer,
            layer.layer().output(layer.inputs()).extents().size() == 1
                ? NetworkSpec.of(layer.inputs().getFirst(), layer.layer())
                : NetworkSpec.of(layer.inputs().getFirst(), layer.layer(), new Flatten("flat")));
      }
    }
    check(models);
  }

  @Test
  @Tag("slow")
  void pythonGivesTheSameAnswersOfLargeModels() throws Exception {
    for (Map.Entry<String, NetworkSpec> model : PublishedModels.large().entrySet()) {
      System.out.println(model.getKey());
      check(Map.of(model.getKey(), model.getValue()));
    }
  }

  @Test
  void weightsHaveTheirNamesInPython() throws Exception {
    Path file = folder.resolve("names.pt");
    NetworkSpec spec = PublishedModels.small().get("ResNet-18 small");
    List<String> names = new ArrayList<>();
    try (Network network = Answers.network(spec, new Seed(1))) {
      TorchScriptFile.write(file, spec, Weights.of(network));
      Weights.of(network).tensors().values().stream()
          .map(view -> view.name() + " " + view.shape())
          .forEach(names::add);
    }
    String printed =
        Python.run(
            List.of("torch"),
            """
            module = torch.jit.load(sys.argv[1])
            for name, tensor in sorted(module.state_dict().items()):
                print(name, list(tensor.shape))
            """,
            file);
    assertEquals(String.join("\n", names.stream().sorted().toList()), printed);
  }

  @Test
  void aFolderThatIsNotThereIsOneLine() {
    Path file = folder.resolve("nowhere").resolve("model.pt");
    NetworkSpec spec = EveryLayer.volumes();
    try (Network network = Answers.network(spec, new Seed(1))) {
      Weights weights = Weights.of(network);
      var e =
          assertThrows(WorkFailedException.class, () -> TorchScriptFile.write(file, spec, weights));
      assertTrue(e.getMessage().contains(file.toString()), e.getMessage());
      assertEquals(1, e.getMessage().lines().count(), e.getMessage());
    }
  }

  /** Names that are no identifiers, or words of the language, or need escapes. */
  @Test
  void anyLayerNameWorks() throws Exception {
    List<String> names =
        List.of(
            "a b", "in", "self", "0.1", "quo\"te", "back\\slash", "line\nend", "über", "..", "");
    NetworkSpec spec =
        NetworkSpec.of(
            Shape.of(3),
            names.stream().map(name -> new FullyConnected(name, 3)).toArray(LayerSpec[]::new));
    check(Map.of("odd names", spec));
    String printed =
        Python.run(
            List.of("torch"),
            """
            for name in torch.jit.load(sys.argv[1]).state_dict():
                print(name.encode().hex())
            """,
            folder.resolve("0.pt"));
    Set<String> expected = new HashSet<>();
    for (String name : names) {
      expected.add(hex(name + ".weight"));
      expected.add(hex(name + ".bias"));
    }
    assertEquals(expected, printed.lines().collect(Collectors.toSet()));
  }

  @Test
  void namesThatCannotBeBesideEachOtherAreOneLine() {
    for (List<String> names :
        List.of(List.of("training"), List.of("forward"), List.of("a", "a.weight"))) {
      NetworkSpec spec =
          NetworkSpec.of(
              Shape.of(3),
              names.stream().map(name -> new FullyConnected(name, 3)).toArray(LayerSpec[]::new));
      Path file = folder.resolve("names.pt");
      Weights weights = numbers(spec, DType.FLOAT32);
      var e = assertThrows(UsageException.class, () -> TorchScriptFile.write(file, spec, weights));
      assertTrue(e.getMessage().contains(names.getLast() + "."), e.getMessage());
      assertEquals(1, e.getMessage().lines().count(), e.getMessage());
    }
  }

  @Test
  void elementsOfEveryTypeArriveInPython() throws Exception {
    NetworkSpec spec = NetworkSpec.of(Shape.of(3), new FullyConnected("fc", 2));
    List<Object> files = new ArrayList<>();
    for (DType type : DType.values()) {
      Path file = folder.resolve(type + ".pt");
      TorchScriptFile.write(file, spec, numbers(spec, type));
      files.add(file);
    }
    String printed =
        Python.run(
            List.of("torch"),
            """
            for file in sys.argv[1:]:
                weight = torch.jit.load(file).fc.weight
                print(weight.dtype, [int(element) for element in weight.flatten()])
            """,
            files.toArray());
    assertEquals(
        """
        torch.float32 [1, 2, 3, 4, 5, 6]
        torch.float64 [1, 2, 3, 4, 5, 6]
        torch.bfloat16 [1, 2, 3, 4, 5, 6]
        torch.float16 [1, 2, 3, 4, 5, 6]
        torch.int32 [1, 2, 3, 4, 5, 6]
        torch.int64 [1, 2, 3, 4, 5, 6]
        torch.uint8 [1, 2, 3, 4, 5, 6]""",
        printed);
  }

  @Test
  void aNetworkOfDoublesAnswersInDoubles() throws Exception {
    Path file = folder.resolve("doubles.pt");
    NetworkSpec spec = NetworkSpec.of(Shape.of(3), new FullyConnected("fc", 2));
    Weights weights = numbers(spec, DType.FLOAT64);
    Elements.set(weights.tensors().get("fc.bias"), 1, 0.1);
    TorchScriptFile.write(file, spec, weights);
    String printed =
        Python.run(
            List.of("torch"),
            """
            with torch.no_grad():
                print(torch.jit.load(sys.argv[1])(torch.tensor([[0., 1, 0]]).double()).tolist())
            """,
            file);
    assertEquals("[[3.0, 5.1]]", printed);
  }

  @Test
  void theSameNetworkGivesTheSameBytes() throws Exception {
    Path first = folder.resolve("first.pt");
    Path second = folder.resolve("second.pt");
    NetworkSpec spec = EveryLayer.spec();
    Weights weights = numbers(spec, DType.FLOAT32);
    TorchScriptFile.write(first, spec, weights);
    TorchScriptFile.write(second, spec, weights);
    assertEquals(-1, Files.mismatch(first, second));
  }

  /** As PyTorch has it; then a reader can map the file and use the tensors where they are. */
  @Test
  void everyEntryBeginsAtAMultipleOf64Bytes() throws Exception {
    Path file = folder.resolve("aligned.pt");
    NetworkSpec spec = EveryLayer.spec();
    Weights weights = numbers(spec, DType.FLOAT32);
    TorchScriptFile.write(file, spec, weights);
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    int entries = 0;
    int header = 0;
    while (bytes.getInt(header) == 0x04034B50) { // A local header of the zip format.
      int data = header + 30 + bytes.getShort(header + 26) + bytes.getShort(header + 28);
      assertEquals(0, data % 64, "entry " + entries);
      header = data + bytes.getInt(header + 18);
      entries++;
    }
    try (ZipFile zip = new ZipFile(file.toFile())) {
      assertEquals(zip.size(), entries);
      List<ParameterSpec> parameters = spec.withoutHelpers().parameters();
      for (int i = 0; i < parameters.size(); i++) {
        byte[] stored = zip.getInputStream(zip.getEntry("network/data/" + i)).readAllBytes();
        TensorView tensor = weights.tensors().get(parameters.get(i).name());
        assertArrayEquals(tensor.data().toArray(ValueLayout.JAVA_BYTE), stored);
      }
    }
  }

  @Test
  void aFileThatCannotBeReplacedIsOneLineAndLeavesNothingPending() throws Exception {
    Path taken = Files.createDirectories(folder.resolve("model.pt").resolve("inside")).getParent();
    NetworkSpec spec = EveryLayer.volumes();
    Weights weights = numbers(spec, DType.FLOAT32);
    var e =
        assertThrows(WorkFailedException.class, () -> TorchScriptFile.write(taken, spec, weights));
    assertTrue(e.getMessage().contains(taken.toString()), e.getMessage());
    assertEquals(1, e.getMessage().lines().count(), e.getMessage());
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(List.of(taken), files.toList());
    }
  }

  private static String hex(String text) {
    return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
  }

  /** All tensors of a network, their elements 1, 2, 3 and so on as far as a byte goes. */
  private static Weights numbers(NetworkSpec spec, DType type) {
    List<TensorView> tensors = new ArrayList<>();
    Stream.concat(spec.parameters().stream(), spec.buffers().stream())
        .forEach(tensor -> tensors.add(numbers(tensor, type)));
    return Weights.of("the test", tensors);
  }

  private static TensorView numbers(ParameterSpec spec, DType type) {
    MemorySegment data = Arena.ofAuto().allocate(spec.shape().elements() * type.bytes());
    for (long i = 0; i < spec.shape().elements(); i++) {
      int value = (int) (i % 127) + 1;
      switch (type) {
        case FLOAT32 -> data.setAtIndex(ValueLayout.JAVA_FLOAT, i, value);
        case FLOAT64 -> data.setAtIndex(ValueLayout.JAVA_DOUBLE, i, value);
        case BFLOAT16 ->
            data.setAtIndex(
                ValueLayout.JAVA_SHORT, i, (short) (Float.floatToRawIntBits(value) >>> 16));
        case FLOAT16 -> data.setAtIndex(ValueLayout.JAVA_SHORT, i, Float.floatToFloat16(value));
        case INT32 -> data.setAtIndex(ValueLayout.JAVA_INT, i, value);
        case INT64 -> data.setAtIndex(ValueLayout.JAVA_LONG, i, value);
        case UINT8 -> data.set(ValueLayout.JAVA_BYTE, i, (byte) value);
      }
    }
    return new TensorView(spec.name(), type, spec.shape(), data);
  }

  /** One Python for all models: it starts slowly. */
  private void check(Map<String, NetworkSpec> models) throws Exception {
    Seed seed = TestSeed.of(TorchScriptFileTest.class);
    List<Object> arguments = new ArrayList<>();
    Map<String, float[]> expected = new LinkedHashMap<>();
    for (Map.Entry<String, NetworkSpec> model : models.entrySet()) {
      NetworkSpec spec = model.getValue();
      Path file = folder.resolve(expected.size() + ".pt");
      try (Network network = Answers.network(spec, seed)) {
        TorchScriptFile.write(file, spec, Weights.of(network));
        float[] samples = Answers.samples(spec, seed, 2);
        expected.put(model.getKey(), Answers.of(network, samples));
        ByteBuffer bytes = ByteBuffer.allocate(4 * samples.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(samples);
        Files.write(folder.resolve(file + ".in"), bytes.array());
      }
      arguments.add(file + ":" + spec.input().toString().replaceAll("[\\[\\] ]", ""));
    }
    Python.run(
        List.of("torch", "numpy"),
        """
        for argument in sys.argv[1:]:
            file, shape = argument.split(':')
            module = torch.jit.load(file)
            samples = numpy.fromfile(file + '.in', numpy.float32)
            with torch.no_grad():
                answers = module(torch.from_numpy(samples).reshape(
                    2, *[int(extent) for extent in shape.split(',')]))
            answers.numpy().tofile(file + '.out')
        """,
        arguments.toArray());
    int number = 0;
    for (Map.Entry<String, float[]> answer : expected.entrySet()) {
      byte[] bytes = Files.readAllBytes(folder.resolve(number++ + ".pt.out"));
      float[] actual = new float[bytes.length / 4];
      ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(actual);
      Answers.assertClose(answer.getKey(), answer.getValue(), actual);
    }
  }
}
