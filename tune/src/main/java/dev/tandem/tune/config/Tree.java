package dev.tandem.tune.config;

import com.fasterxml.jackson.databind.JsonNode;

/** A part of the configuration that is understood elsewhere. */
record Tree(JsonNode node) {}
