package dev.tandem.lmdb.index;

/** Where the records and leaves of a database are. Immutable. */
record LocationTables(LeafTable leaves, Locations locations) {}
