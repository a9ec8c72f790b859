package dev.tandem.nn.yaml;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The value of a key that is left out, as YAML. Without it a key is required, except an {@link
 * java.util.Optional}, which is empty, and a record, whose own keys have their defaults.
 */
@Target(ElementType.RECORD_COMPONENT)
@Retention(RetentionPolicy.RUNTIME)
public @interface Default {
  String value();
}
