package dev.tandem.cli.documents;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The {@code ./tandem} lines in fenced blocks of a document. A comment before a block says more:
 * {@code <!-- long -->}: it is run shortened; {@code <!-- elsewhere: REASON -->}: it cannot run on
 * one machine, and is skipped with that reason; {@code <!-- fails -->}: it shows an error.
 */
record DocumentedCommands(Path document, List<Command> commands) {

  private static final Pattern COMMENT = Pattern.compile("<!-- (long|fails|elsewhere: (.*)) -->");

  /** Whether a line must end well, must fail, or cannot run here. */
  enum Kind {
    SHORT,
    LONG,
    FAILS,
    ELSEWHERE
  }

  /** A line to run in a shell. */
  record Command(int line, String text, Kind kind, String reason) {

    /** The line as it is run: those marked long with little to do. */
    String shortened() {
      String text = this.text.replaceFirst("\\s+#.*", "");
      if (kind != Kind.LONG) {
        return text;
      }
      if (text.startsWith("./tandem train ")) {
        return text + " --set steps=2";
      }
      if (text.startsWith("./tandem bench ")) {
        return text + " --quick";
      }
      if (text.startsWith("./tandem demo")) {
        return text + " --images 2000 --epochs 1";
      }
      return text;
    }
  }

  static DocumentedCommands of(Path document) throws IOException {
    List<Command> commands = new ArrayList<>();
    List<String> lines = Files.readAllLines(document);
    Kind kind = Kind.SHORT;
    String reason = "";
    boolean fenced = false;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      Matcher comment = COMMENT.matcher(line);
      if (line.startsWith("```")) {
        fenced = !fenced;
        if (!fenced) {
          kind = Kind.SHORT;
          reason = "";
        }
      } else if (!fenced && comment.matches()) {
        reason = comment.group(2) == null ? "" : comment.group(2);
        kind =
            reason.isEmpty()
                ? Kind.valueOf(comment.group(1).toUpperCase(Locale.ROOT))
                : Kind.ELSEWHERE;
      } else if (fenced && line.replaceFirst("^\\$ ", "").startsWith("./tandem ")) {
        commands.add(new Command(i + 1, line.replaceFirst("^\\$ ", ""), kind, reason));
      }
    }
    return new DocumentedCommands(document, commands);
  }
}
