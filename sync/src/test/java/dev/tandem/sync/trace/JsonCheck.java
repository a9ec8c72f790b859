package dev.tandem.sync.trace;

/** Reads JSON as strictly as its grammar; this module needs no library for it. */
final class JsonCheck {

  private final String text;
  private int at;

  private JsonCheck(String text) {
    this.text = text;
  }

  /** What is wrong, or nothing. */
  static String problem(String text) {
    JsonCheck check = new JsonCheck(text);
    try {
      check.value();
      check.blanks();
      return check.at == text.length() ? "" : "text behind the end at " + check.at;
    } catch (IllegalStateException | StringIndexOutOfBoundsException e) {
      return "at %d of %d: %s".formatted(check.at, text.length(), e.getMessage());
    }
  }

  private void blanks() {
    while (at < text.length() && " \n\r\t".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char next() {
    blanks();
    return text.charAt(at);
  }

  private void expect(char c) {
    if (next() != c) {
      throw new IllegalStateException("expected " + c + ", not " + text.charAt(at));
    }
    at++;
  }

  private void value() {
    char c = next();
    if (c == '{') {
      members('}', true);
    } else if (c == '[') {
      members(']', false);
    } else if (c == '"') {
      string();
    } else {
      int begin = at;
      while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
        at++;
      }
      Double.parseDouble(text.substring(begin, at));
    }
  }

  private void members(char end, boolean named) {
    at++;
    if (next() == end) {
      at++;
      return;
    }
    while (true) {
      if (named) {
        blanks();
        string();
        expect(':');
      }
      value();
      if (next() == end) {
        at++;
        return;
      }
      expect(',');
    }
  }

  private void string() {
    expect('"');
    while (text.charAt(at) != '"') {
      at += text.charAt(at) == '\\' ? 2 : 1;
    }
    at++;
  }
}
