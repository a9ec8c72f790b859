package dev.tandem.board;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Pages from templates with named places, and the resources that go into them. */
final class Pages {

  /** Where templates, styles and scripts are. */
  static final String WEB = "/dev/tandem/board/web/";

  private Pages() {}

  /** A template, its places filled. What a part contains is never taken for a place. */
  static String fill(String template, Map<String, String> parts) {
    StringBuilder page = new StringBuilder();
    int from = 0;
    for (int at = template.indexOf("{{"); at >= 0; at = template.indexOf("{{", from)) {
      int end = template.indexOf("}}", at);
      page.append(template, from, at).append(parts.get(template.substring(at + 2, end)));
      from = end + 2;
    }
    return page.append(template, from, template.length()).toString();
  }

  /** Text that becomes no markup. */
  static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;");
  }

  /** JSON for a script element, which no text inside can end. */
  static String inScript(String json) {
    return json.replace("<", "\\u003c");
  }

  /** A text file of the class path. */
  static String resource(String name) {
    try (InputStream stream = Pages.class.getResourceAsStream(name)) {
      if (stream == null) {
        throw new IllegalStateException("missing resource " + name);
      }
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
