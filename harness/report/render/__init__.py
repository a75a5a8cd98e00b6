"""How sections of tables are written: a module a format, each escapes what it must."""
