package dev.tandem.nn.onnx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import dev.tandem.core.Shape;
import dev.tandem.core.TandemException;
import dev.tandem.core.UsageException;
import dev.tandem.core.WorkFailedException;
import dev.tandem.nn.Network;
import dev.tandem.nn.models.PublishedModels;
import dev.tandem.nn.models.ResNet;
import dev.tandem.nn.spec.BatchNorm;
import dev.tandem.nn.spec.Convolution;
import dev.tandem.nn.spec.NetworkSpec;
import dev.tandem.nn.weights.Answers;
import dev.tandem.nn.weights.ImportedNetwork;
import dev.tandem.nn.weights.Weights;
import dev.tandem.posix.WholeFiles;
import dev.tandem.testkit.Python;
import dev.tandem.testkit.TestSeed;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Graphs of others, and our own without the word about where they come from. */
class OnnxImportTest {

  @TempDir Path folder;

  /** The operators alone tell the network; bits stay. */
  @Test
  void ourGraphsAreReadOperatorByOperatorToo() {
    for (Map.Entry<String, NetworkSpec> model : PublishedModels.small().entrySet()) {
      if (!model.getKey().equals("Transformer")) { // attention is not recognised
        readAnonymous(model.getKey(), model.getValue());
      }
    }
    readAnonymous("volumes", EveryLayer.volumes());
  }

  @Test
  @Tag("slow")
  void ourLargeGraphsAreReadOperatorByOperatorToo() {
    PublishedModels.large().forEach(this::readAnonymous);
  }

  private void readAnonymous(String name, NetworkSpec spec) {
    Seed seed = TestSeed.of(OnnxImportTest.class);
    Path file = folder.resolve("anonymous.onnx");
    try (Network network = Answers.network(spec, seed)) {
      OnnxModel model = GraphExport.export(spec.withoutHelpers(), Weights.of(network).tensors());
      WholeFiles.replace(
          file, OnnxWriter.write(new OnnxModel(model.opset(), Map.of(), model.graph())));
      ImportedNetwork imported = OnnxFile.read(file);
      float[] samples = Answers.samples(spec, seed, 2);
      try (Network again = Answers.imported(imported)) {
        assertArrayEquals(Answers.of(network, samples), Answers.of(again, samples), name);
      }
    }
  }

  /** A graph that somebody changed is what it now is, whatever its metadata say. */
  @Test
  void changedGraphsOfOursAreReadAsTheyAre() {
    NetworkSpec spec = PublishedModels.small().get("LeNet");
    Path file = folder.resolve("changed.onnx");
    try (Network network = Answers.network(spec, new Seed(1))) {
      OnnxModel model = GraphExport.export(spec, Weights.of(network).tensors());
      List<OnnxModel.Node> nodes =
          model.graph().nodes().stream()
              .map(
                  node ->
                      node.operator().equals("Relu")
                          ? new OnnxModel.Node(
                              node.name(), "Tanh", "", node.inputs(), node.outputs(), Map.of())
                          : node)
              .toList();
      OnnxModel.Graph graph =
          new OnnxModel.Graph(
              nodes, model.graph().initializers(), model.graph().inputs(), model.graph().outputs());
      WholeFiles.replace(
          file, OnnxWriter.write(new OnnxModel(model.opset(), model.metadata(), graph)));
    }
    assertTrue(
        OnnxFile.read(file).spec().nodes().stream()
            .anyMatch(node -> node.layer().kind().equals("tanh")));
  }

  /** Models of PyTorch's own layers, exported by PyTorch, give PyTorch's answers. */
  @Test
  void modelsOfPyTorchGiveItsAnswers() throws Exception {
    String printed = Python.run(List.of("torch", "torch.nn"), TorchModels.SCRIPT, folder);
    List<String> names = List.of(printed.lines().toList().getLast().split(" "));
    assertEquals(6, names.size(), printed);
    for (String name : names) {
      ImportedNetwork imported = OnnxFile.read(folder.resolve(name + ".onnx"));
      ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(folder.resolve(name + ".bin")));
      bytes.order(ByteOrder.LITTLE_ENDIAN);
      float[] samples = floats(bytes, 3 * (int) imported.spec().input().elements());
      float[] expected = floats(bytes, 3 * imported.spec().classes());
      try (Network network = Answers.imported(imported)) {
        Answers.assertClose(name, expected, Answers.of(network, samples));
      }
      if (name.equals("residual")) {
        assertTrue(imported.weights().tensors().containsKey("stem.weight"), "PyTorch's names");
        assertEquals(List.of("the Softmax at the end is left out"), imported.notes());
      }
    }
  }

  private static float[] floats(ByteBuffer bytes, int count) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = bytes.getFloat();
    }
    return values;
  }

  @Test
  void whatWeHaveNotIsOneLineThatNamesNodeAndOperator() {
    refuses("node odd: operator Einsum: Tandem has no layer for it", "Einsum", Map.of());
    refuses("node odd: operator LSTM: ", "LSTM", Map.of());
    refuses(
        "node odd: operator Softmax: Tandem has no layer for it (it is not at the end)",
        "Softmax",
        Map.of());
    refuses(
        "node odd: operator AveragePool: Tandem has no layer for it (count_include_pad = 0)",
        "AveragePool",
        Map.of(
            "kernel_shape", new OnnxModel.Attribute.Integers(List.of(2L, 2L)),
            "pads", new OnnxModel.Attribute.Integers(List.of(1L, 1L, 1L, 1L))));
    refuses(
        "node odd: operator MaxPool: Tandem has no layer for it (padding [0, 0, 1, 1] differs",
        "MaxPool",
        Map.of(
            "kernel_shape", new OnnxModel.Attribute.Integers(List.of(2L, 2L)),
            "pads", new OnnxModel.Attribute.Integers(List.of(0L, 0L, 1L, 1L))));
  }

  private void refuses(
      String message, String operator, Map<String, OnnxModel.Attribute> attributes) {
    OnnxModel.Node odd =
        new OnnxModel.Node("odd", operator, "", List.of("x"), List.of("y"), attributes);
    OnnxModel.Node flatten =
        new OnnxModel.Node("flat", "Flatten", "", List.of("y"), List.of("z"), Map.of());
    OnnxModel.Graph graph =
        new OnnxModel.Graph(
            List.of(odd, flatten),
            List.of(),
            List.of(new OnnxModel.Value("x", List.of(-1L, 1L, 4L, 4L), 1)),
            List.of(new OnnxModel.Value("z", List.of(-1L, 16L), 1)));
    Path file = folder.resolve("odd.onnx");
    WholeFiles.replace(file, OnnxWriter.write(new OnnxModel(17, Map.of(), graph)));
    var e = assertThrows(UsageException.class, () -> OnnxFile.read(file));
    assertTrue(e.getMessage().startsWith(file + ": " + message), e.getMessage());
    assertEquals(1, e.getMessage().lines().count(), e.getMessage());
  }

  /** As PyTorch's newer exporter writes it, whose 0 would be no extent of the input. */
  @Test
  void reshapeWithoutZeros() {
    OnnxModel.Node reshape =
        new OnnxModel.Node(
            "flat",
            "Reshape",
            "",
            List.of("x", "to"),
            List.of("y"),
            Map.of("allowzero", new OnnxModel.Attribute.Whole(1)));
    for (long first : new long[] {-1, 0}) {
      OnnxModel.Graph graph =
          new OnnxModel.Graph(
              List.of(reshape),
              List.of(Tensors.integers("to", List.of(first, 16L))),
              List.of(new OnnxModel.Value("x", List.of(-1L, 1L, 4L, 4L), 1)),
              List.of(new OnnxModel.Value("y", List.of(-1L, 16L), 1)));
      Path file = folder.resolve("reshape.onnx");
      WholeFiles.replace(file, OnnxWriter.write(new OnnxModel(20, Map.of(), graph)));
      if (first == 0) {
        assertThrows(UsageException.class, () -> OnnxFile.read(file));
      } else {
        assertEquals("flatten", OnnxFile.read(file).spec().nodes().getFirst().layer().kind());
      }
    }
  }

  /** Without biases, they can only have been folded; with biases, who knows. */
  @Test
  void aDeepNetworkWithoutNormalisations() {
    NetworkSpec normalised = ResNet.small(18, 10);
    ImportedNetwork unbiased = anonymous(bare(normalised, false));
    assertEquals(20, unbiased.folded().size());
    assertEquals(List.of(), unbiased.notes());
    ImportedNetwork biased = anonymous(bare(normalised, true));
    assertEquals(Set.of(), biased.folded());
    assertEquals(1, biased.notes().size());
    assertTrue(
        biased.notes().getFirst().startsWith("no normalisation beside 20 convolutions"),
        biased.notes().getFirst());
    assertEquals(Set.of(), anonymous(normalised).folded());
  }

  /** PyTorch's newer exporter names a bias that comes of folding after the weight. */
  @Test
  void foldedByName() {
    for (String bias : List.of("w_bias", "x_bias", "b")) {
      OnnxModel.Node convolution =
          new OnnxModel.Node("conv", "Conv", "", List.of("x", "w", bias), List.of("y"), Map.of());
      OnnxModel.Node flatten =
          new OnnxModel.Node("flat", "Flatten", "", List.of("y"), List.of("z"), Map.of());
      OnnxModel.Graph graph =
          new OnnxModel.Graph(
              List.of(convolution, flatten),
              List.of(
                  Tensors.filled("w", Shape.of(2, 1, 3, 3), 1),
                  Tensors.filled(bias, Shape.of(2), 1)),
              List.of(new OnnxModel.Value("x", List.of(-1L, 1L, 4L, 4L), 1)),
              List.of(new OnnxModel.Value("z", List.of(-1L, 8L), 1)));
      Path file = folder.resolve("folded.onnx");
      WholeFiles.replace(file, OnnxWriter.write(new OnnxModel(20, Map.of(), graph)));
      assertEquals(bias.equals("b") ? Set.of() : Set.of("conv"), OnnxFile.read(file).folded());
    }
  }

  /** The same network, whose exporter computes the main branch of a block before its shortcut. */
  @Test
  void theOrderOfBranchesIsThatOfOurNetworks() {
    NetworkSpec spec = ResNet.small(50, 10);
    List<NetworkSpec.Node> nodes = new ArrayList<>(spec.nodes());
    for (NetworkSpec.Node node : spec.nodes()) {
      if (node.name().contains(".shortcut.")) {
        String block = node.name().replaceFirst("\\.shortcut\\..*", ".add");
        nodes.remove(node);
        nodes.add(
            IntStream.range(0, nodes.size())
                .filter(i -> nodes.get(i).name().equals(block))
                .findFirst()
                .orElseThrow(),
            node);
      }
    }
    NetworkSpec other = new NetworkSpec(spec.input(), nodes, spec.outputs(), spec.loss());
    assertNotEquals(spec.nodes(), other.nodes());
    assertEquals(
        spec.nodes().stream().map(node -> node.layer().kind()).toList(),
        anonymous(other).spec().nodes().stream().map(node -> node.layer().kind()).toList());
  }

  private ImportedNetwork anonymous(NetworkSpec spec) {
    Path file = folder.resolve("anonymous.onnx");
    try (Network network = Answers.network(spec, new Seed(1))) {
      OnnxModel model = GraphExport.export(spec, Weights.of(network).tensors());
      WholeFiles.replace(
          file, OnnxWriter.write(new OnnxModel(model.opset(), Map.of(), model.graph())));
      return OnnxFile.read(file);
    }
  }

  private static NetworkSpec bare(NetworkSpec network, boolean bias) {
    Map<String, String> inputs = new HashMap<>();
    List<NetworkSpec.Node> nodes = new ArrayList<>();
    for (NetworkSpec.Node node : network.nodes()) {
      List<String> from = node.inputs().stream().map(n -> inputs.getOrDefault(n, n)).toList();
      switch (node.layer()) {
        case BatchNorm norm -> inputs.put(norm.name(), from.getFirst());
        case Convolution c ->
            nodes.add(
                new NetworkSpec.Node(
                    new Convolution(c.name(), c.filters(), c.window(), c.groups(), bias), from));
        default -> nodes.add(new NetworkSpec.Node(node.layer(), from));
      }
    }
    return new NetworkSpec(network.input(), nodes, network.outputs(), network.loss());
  }

  /** PyTorch's newer exporter puts weights into a file beside the graph; so do large models. */
  @Test
  void weightsInAFileBeside() throws Exception {
    NetworkSpec spec = PublishedModels.small().get("LeNet");
    Path file = folder.resolve("inside.onnx");
    Path model = folder.resolve("model.onnx");
    Path data = folder.resolve("model.data");
    try (Network network = Answers.network(spec, new Seed(1))) {
      OnnxFile.write(file, spec, Weights.of(network));
      Python.run(
          List.of("onnx"),
          """
          onnx.save(onnx.load(sys.argv[1]), sys.argv[2], save_as_external_data=True,
                    location='model.data', size_threshold=0)
          """,
          file,
          model);
      ImportedNetwork imported = OnnxFile.read(model);
      assertEquals(spec, imported.spec());
      float[] samples = Answers.samples(spec, new Seed(2), 2);
      try (Network again = Answers.imported(imported)) {
        assertArrayEquals(Answers.of(network, samples), Answers.of(again, samples));
      }
    }
    byte[] whole = Files.readAllBytes(data);
    Files.write(data, Arrays.copyOf(whole, whole.length / 2));
    String cut = assertThrows(WorkFailedException.class, () -> OnnxFile.read(model)).getMessage();
    assertTrue(cut.endsWith("is not in model.data at the place that the model names"), cut);
    Files.delete(data);
    String missing = assertThrows(UsageException.class, () -> OnnxFile.read(model)).getMessage();
    assertTrue(missing.endsWith("which is missing: put it beside the model"), missing);
    String graph = Files.readString(model, StandardCharsets.ISO_8859_1);
    Files.writeString(
        model, graph.replace("model.data", "../../data"), StandardCharsets.ISO_8859_1);
    String outside = assertThrows(UsageException.class, () -> OnnxFile.read(model)).getMessage();
    assertTrue(outside.endsWith("is in '../../data': expected a file beside the model"), outside);
  }

  /** Whatever bytes a file has: a network or one line, and no more memory than the file's size. */
  @Test
  void damagedFilesAreOneLine() throws Exception {
    Seed seed = TestSeed.of(OnnxImportTest.class);
    SplittableRandom random = seed.random();
    Path file = folder.resolve("whole.onnx");
    Path damaged = folder.resolve("damaged.onnx");
    int refused = 0;
    for (NetworkSpec spec : List.of(EveryLayer.spec(), EveryLayer.volumes())) {
      try (Network network = Answers.network(spec, new Seed(1))) {
        OnnxModel model = GraphExport.export(spec.withoutHelpers(), Weights.of(network).tensors());
        Map<String, String> metadata = random.nextBoolean() ? Map.of() : model.metadata();
        WholeFiles.replace(
            file, OnnxWriter.write(new OnnxModel(model.opset(), metadata, model.graph())));
      }
      byte[] whole = Files.readAllBytes(file);
      for (int round = 0; round < 500; round++) {
        Files.write(damaged, damage(whole, random));
        try {
          OnnxFile.read(damaged);
        } catch (TandemException e) {
          refused++;
          assertEquals(1, e.getMessage().lines().count(), e.getMessage());
          assertTrue(e.getMessage().contains(damaged.toString()), e.getMessage());
        }
      }
    }
    assertTrue(refused > 300, refused + " of 1000 refused");
    assertThrows(WorkFailedException.class, () -> OnnxFile.read(folder.resolve("nothing.onnx")));
    Files.write(damaged, new byte[0]);
    assertThrows(WorkFailedException.class, () -> OnnxFile.read(damaged));
  }

  private static byte[] damage(byte[] whole, SplittableRandom random) {
    if (random.nextInt(4) == 0) {
      return Arrays.copyOf(whole, random.nextInt(whole.length));
    }
    byte[] bytes = whole.clone();
    int changes = 1 + random.nextInt(4);
    for (int i = 0; i < changes; i++) {
      // Most bytes are weights, which may be anything: hit the rest more often.
      int place =
          random.nextInt(random.nextBoolean() ? Math.min(4000, bytes.length) : bytes.length);
      bytes[place] = (byte) (random.nextBoolean() ? 0xFF : random.nextInt(256));
    }
    return bytes;
  }

  @Test
  void fineTuningTakesTheBodyAndLeavesTheClassifier() {
    Path file = folder.resolve("resnet.onnx");
    NetworkSpec spec = ResNet.small(18, 10);
    try (Network network = Answers.network(spec, new Seed(1));
        Network other = Answers.network(ResNet.small(18, 3), new Seed(2))) {
      OnnxFile.write(file, spec, Weights.of(network));
      var taken = OnnxFile.read(file).weights().into(other, Weights.Unfit.KEPT);
      assertEquals(2, taken.kept().size(), taken.summary());
      assertTrue(taken.kept().getFirst().startsWith("fc.weight is [10, 512] there"));
    }
  }
}
