package dev.tandem.board;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Opens pages in a browser. */
final class Browser {

  private Browser() {}

  /** What a page becomes in a browser, without its scripts; what the console says is before it. */
  static String dom(Path browser, Path page, Path folder, String option) throws Exception {
    Process process =
        new ProcessBuilder(
                browser.toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--enable-logging=stderr",
                "--user-data-dir=" + folder.resolve("profile"),
                option,
                "--dump-dom",
                page.toUri().toString())
            .redirectErrorStream(true)
            .start();
    try {
      String dom = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(process.waitFor(1, TimeUnit.MINUTES), "the browser ends");
      // The data and scripts of the page are not what is shown.
      return dom.replaceAll("(?s)<script.*?</script>", "");
    } finally {
      process.destroyForcibly();
    }
  }

  /** The browser of this machine, if there is one. */
  static Optional<Path> find() {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
        .flatMap(
            place ->
                Stream.of("chromium", "chromium-browser", "google-chrome")
                    .map(Path.of(place)::resolve))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
