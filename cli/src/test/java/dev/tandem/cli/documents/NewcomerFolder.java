package dev.tandem.cli.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.core.Seed;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import javax.imageio.ImageIO;

/**
 * A folder in which somebody follows the documents: {@code ./tandem} is the launcher of this
 * checkout, and the data that the documents speak of lies beside it.
 */
record NewcomerFolder(Path path) {

  private static final int LIMIT_SECONDS = 240;

  /** What a line printed, on both outputs. */
  record Outcome(int exitCode, String output) {}

  static Path checkout() {
    Path home = Path.of("").toAbsolutePath();
    while (!Files.isExecutable(home.resolve("tandem"))) {
      home = home.getParent();
    }
    return home;
  }

  static NewcomerFolder in(Path path) throws IOException {
    Files.createDirectories(path);
    Files.createSymbolicLink(path.resolve("tandem"), checkout().resolve("tandem"));
    Files.createSymbolicLink(path.resolve("examples"), checkout().resolve("examples"));
    return new NewcomerFolder(path);
  }

  /** Runs a line of a shell. */
  Outcome run(String line) throws IOException, InterruptedException {
    File output = Files.createTempFile("output", ".txt").toFile();
    long began = System.nanoTime();
    Process process =
        new ProcessBuilder("sh", "-c", line)
            .directory(path.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output)
            .redirectInput(new File("/dev/null"))
            .start();
    boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
    if (!ended) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
    String text = Files.readString(output.toPath());
    Files.delete(output.toPath());
    assertTrue(ended, line + " did not end within " + LIMIT_SECONDS + " s: " + text);
    double seconds = (System.nanoTime() - began) / 1e9;
    System.out.printf(Locale.ROOT, "%6.1f s  exit %d  %s%n", seconds, process.exitValue(), line);
    return new Outcome(process.exitValue(), text);
  }

  /** Runs a line that must end well; gives what it printed. */
  String done(String line) throws IOException, InterruptedException {
    Outcome outcome = run(line);
    assertEquals(0, outcome.exitCode, line + ": " + outcome.output);
    return outcome.output;
  }

  /** Compiles a class that a document prints, and puts it into a jar. */
  void compile(String document, String name, String jar) throws IOException, InterruptedException {
    Path checkout = checkout();
    String text = Files.readString(checkout.resolve("docs").resolve(document));
    int begin = text.lastIndexOf("```java\n", text.indexOf("class " + name)) + 8;
    Files.writeString(
        path.resolve(name + ".java"), text.substring(begin, text.indexOf("```", begin)));
    String bin = System.getProperty("java.home") + "/bin/";
    done("'%sjavac' -cp '%s/target/app/lib/*' -d classes %s.java".formatted(bin, checkout, name));
    done("'%sjar' --create --file %s -C classes .".formatted(bin, jar));
  }

  /** Images of two kinds, of many sizes, PNG and JPEG, grey and colour, in train/ and val/. */
  void drawPhotos(Seed seed) throws IOException {
    RandomGenerator random = seed.random();
    for (String half : new String[] {"train", "val"}) {
      for (String name : new String[] {"circle", "square"}) {
        Path folder = Files.createDirectories(path.resolve("photos").resolve(half).resolve(name));
        for (int i = 0; i < (half.equals("train") ? 80 : 20); i++) {
          boolean jpeg = random.nextBoolean();
          Path file = folder.resolve(i + (jpeg ? ".jpg" : ".png"));
          ImageIO.write(shape(name, random), jpeg ? "jpg" : "png", file.toFile());
        }
      }
    }
  }

  private static BufferedImage shape(String name, RandomGenerator random) {
    int width = random.nextInt(36, 120);
    int height = random.nextInt(36, 120);
    boolean grey = random.nextInt(4) == 0;
    BufferedImage image =
        new BufferedImage(
            width, height, grey ? BufferedImage.TYPE_BYTE_GRAY : BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    graphics.setColor(new Color(random.nextInt(60), random.nextInt(60), random.nextInt(60)));
    graphics.fillRect(0, 0, width, height);
    int side = Math.min(width, height) * 2 / 3;
    int x = (width - side) / 2;
    int y = (height - side) / 2;
    // Told apart by shape, and more easily by brightness: a test is no place to train for long.
    boolean circle = name.equals("circle");
    int light = circle ? random.nextInt(200, 256) : random.nextInt(110, 150);
    graphics.setColor(new Color(light, light, grey ? light : random.nextInt(100, light)));
    if (circle) {
      graphics.fillOval(x, y, side, side);
    } else {
      graphics.drawRect(x, y, side, side);
    }
    graphics.dispose();
    return image;
  }

  /** Rows of three classes, and rows of a number that depends on four others. */
  void writeTables(Seed seed) throws IOException {
    RandomGenerator random = seed.random();
    StringBuilder flowers = new StringBuilder("length,width,colour,species\n");
    StringBuilder prices = new StringBuilder("area,rooms,age,garden,price\n");
    String[] species = {"iris", "rose", "tulip"};
    for (int i = 0; i < 600; i++) {
      int kind = random.nextInt(species.length);
      flowers.append(
          "%.2f,%.2f,%s,%s%n"
              .formatted(
                  2.0 * kind + random.nextGaussian() * 0.4,
                  3.0 - kind + random.nextGaussian() * 0.4,
                  random.nextBoolean() ? "red" : "\"pale, white\"",
                  species[kind]));
      double area = random.nextDouble(30, 200);
      int rooms = random.nextInt(1, 7);
      double age = random.nextDouble(0, 80);
      boolean garden = random.nextBoolean();
      double price =
          20 + 2.5 * area + 8 * rooms - 0.7 * age + (garden ? 40 : 0) + random.nextGaussian() * 5;
      prices.append(
          "%.1f,%d,%.1f,%s,%.2f%n".formatted(area, rooms, age, garden ? "yes" : "no", price));
    }
    Files.writeString(path.resolve("flowers.csv"), flowers);
    Files.writeString(path.resolve("prices.csv"), prices);
  }
}
