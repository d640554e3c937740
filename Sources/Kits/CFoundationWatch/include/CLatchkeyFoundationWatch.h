/* Stands between a test's program and `Data.write(to:options:)` of Foundation, which ignores classes of files.

   There is nothing to call: the module SecurityTesting defines `lk_heard_data_write`, which gets each call of the
   program, and calls `lk_data_write`, which is Foundation's own. */
