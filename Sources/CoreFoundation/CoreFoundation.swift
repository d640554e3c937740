// The names of Core Foundation, for programs that import it by name, are those of `Security`.
@_exported public import Security
