package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a wrong input gets, over all commands: the exit code and one line that names the value and
 * what is expected. The table is wrong-inputs.txt; {@code @name} in it is a file of the folder that
 * is made here.
 */
class WrongInputsTest {

  /** A class name as Java prints it, or the message of one of its exceptions. */
  private static final Pattern CLASS_NAME =
      Pattern.compile("\\b(java|javax|jdk|sun|dev|com|org)\\.[a-z]+\\.[\\w.]*|\\w+Exception\\b");

  @TempDir private static Path folder;

  private record Case(int line, int code, List<String> arguments, String expected) {}

  @BeforeAll
  static void files() throws IOException {
    for (String name :
        List.of("empty", "images/a", "images/b", "not-a-database", "short-database")) {
      Files.createDirectories(folder.resolve(name));
    }
    byte[] bytes = new byte[8192];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i * 131 + 200);
    }
    write("not-a-database/data.mdb", bytes);
    write("short-database/data.mdb", new byte[100]);
    write("binary.yaml", Arrays.copyOf(bytes, 300));
    write("garbage.npz", Arrays.copyOf(bytes, 100));
    write("images/a/x.png", "no image");
    write("images/b/y.jpg", "no image");
    write("text.txt", "hello\n");
    write("empty.yaml", "");
    write("list.yaml", "- a\n- b\n");
    write("tab.yaml", "network: {model: lenet}\n\tdata: {path: x}\n");
    write("unclosed.yaml", "network: {model: lenet\ndata: x\n");
    write("no-rate.yaml", "network: {model: lenet}\ndata: {path: x}\n");
    write("twice.yaml", "network: {model: lenet}\nepochs: 3\nseed: 1\nepochs: 4\n");
    write("key.yaml", "network: {model: lenet}\nbatch_size: 3\n");
    write(
        "tune.yaml",
        """
        space: {x: {float: [0, 1]}}
        objective: {command: [sh, -c, "echo {x}"]}
        """);
    write("broken.safetensors", "{\"header\": 1");
    plans();
    Path records = folder.resolve("records");
    CommandRun.done("data", "make", "--kind", "cifar", "--records", 60, records);
    CommandRun.done("data", "index", records);
    write(
        "good.yaml",
        """
        network: {model: caffe-cifar}
        data: {train: %1$s, test: %1$s}
        schedule: {rate: 0.1}
        """
            .formatted(records));
    write(
        "pair.yaml",
        "train: {network: {model: caffe-cifar}, data: {train: %1$s, test: %1$s}, schedule: {rate: 0.1}}%nmembers: [{name: a}, {name: b}]%n"
            .formatted(records));
    ensembles(records);
    String scores = "{name: flat, type: flatten}, {name: out, type: fully-connected, outputs: 10}";
    network(
        "groups.yaml",
        "{name: conv0, type: convolution, filters: 4, kernel: 3},"
            + "{name: conv1, type: convolution, filters: 4, kernel: 3, groups: 2},"
            + scores);
    network(
        "heads.yaml",
        "{name: conv0, type: convolution, filters: 4, kernel: 8, stride: 8},"
            + "{name: tok, type: tokens}, {name: attn, type: self-attention, heads: 2},"
            + "{name: mean, type: token-mean},"
            + "{name: out, type: fully-connected, outputs: 10}");
  }

  /** Of {@code tandem ensemble}: what is wrong with the members. */
  private static void ensembles(Path records) throws IOException {
    String train =
        "train: {network: {model: caffe-cifar}, data: {train: %1$s, test: %1$s}, schedule: {rate: 0.1}}\n"
            .formatted(records);
    write("no-members.yaml", train);
    write("no-train.yaml", "members: [{name: a}]\n");
    Map<String, String> members =
        Map.of(
            "zero-members", "",
            "member-key", "{name: a}, {name: b, rank: 2}",
            "member-network", "{name: a}, {name: b, train: {network: {model: lennet}}}",
            "member-train-key", "{name: a}, {name: b, train: {batch_size: 3}}",
            "member-no-keys", "{name: a, train: x.yaml}",
            "member-data", "{name: a}, {name: b, train: {data: {augment: flip}}}",
            "member-ranks", "{name: a, ranks: 0}",
            "many-ranks", "{name: a, ranks: 100000}");
    for (Map.Entry<String, String> entry : members.entrySet()) {
      write(entry.getKey() + ".yaml", "%smembers: [%s]%n".formatted(train, entry.getValue()));
    }
  }

  /** Of {@code tandem plan}. */
  private static void plans() throws IOException {
    String cluster =
        """
        name: tiny
        nodes: %d
        devices-per-node: 2
        device: {name: small, memory: 1 MB, flops: 1 TFLOP/s, memory-bandwidth: 10 GB/s}
        links: [{name: bus, devices: 2, latency: 1 us, bandwidth: 1 GB/s}]
        """;
    write("tiny.yaml", cluster.formatted(1));
    write("no-link.yaml", cluster.formatted(4));
    write(
        "unknown-layer.yaml",
        "input: [3, 32, 32]\nlayers:\n- {name: conv, type: convolutoin, filters: 4, kernel: 3}\n");
    write("old-profile.json", "{\"version\": 7}");
    write(
        "campaign.csv",
        """
        model,dataset,strategy,gpus,batch_per_gpu,quantity,value
        ResNet-50,ImageNet(226),data,many,64,iter_time_total,0.2
        """);
  }

  /** A network on the records of good.yaml. */
  private static void network(String name, String layers) throws IOException {
    write(
        name,
        """
        network: {input: [3, 32, 32], layers: [%s]}
        data: {train: %2$s, test: %2$s}
        schedule: {rate: 0.1}
        """
            .formatted(layers, folder.resolve("records")));
  }

  private static void write(String name, String text) throws IOException {
    write(name, text.getBytes(StandardCharsets.UTF_8));
  }

  private static void write(String name, byte[] bytes) throws IOException {
    Files.write(folder.resolve(name), bytes);
  }

  @TestFactory
  Stream<DynamicTest> everyWrongInputGetsOneLine() throws IOException {
    List<Case> cases = cases();
    assertTrue(cases.size() >= 100, "only " + cases.size());
    return cases.stream()
        .map(
            c ->
                DynamicTest.dynamicTest("tandem " + String.join(" ", c.arguments), () -> check(c)));
  }

  private static void check(Case c) throws IOException {
    List<String> before = files(folder);
    CommandRun run =
        CommandRun.of(c.arguments.stream().map(word -> word.replace("@", folder + "/")).toArray());
    String line = run.err().strip().replace(folder + "/", "@");
    String place = "wrong-inputs.txt:" + c.line;
    assertEquals(c.code, run.exitCode(), place + ": " + line);
    assertEquals(1, line.lines().count(), place + ": " + line);
    assertFalse(CLASS_NAME.matcher(line).find(), place + " shows a Java name: " + line);
    assertTrue(line.contains(c.expected), place + ": " + line);
    assertEquals(before, files(folder), place + " left or removed files");
  }

  private static List<String> files(Path root) throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      return all.map(Path::toString).sorted().toList();
    }
  }

  private static List<Case> cases() throws IOException {
    List<Case> cases = new ArrayList<>();
    try (InputStream in = WrongInputsTest.class.getResourceAsStream("wrong-inputs.txt")) {
      List<String> lines = new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      for (int i = 0; i < lines.size(); i++) {
        String[] columns = lines.get(i).split(" \\| ", 3);
        if (columns.length == 3 && !lines.get(i).startsWith("#")) {
          List<String> arguments = List.of(columns[1].strip().split(" +"));
          cases.add(
              new Case(i + 1, Integer.parseInt(columns[0].strip()), arguments, columns[2].strip()));
        }
      }
    }
    return cases;
  }
}
