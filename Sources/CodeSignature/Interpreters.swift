/// Programs that run whatever they are given: entitled, they would entitle everybody (`Docs/Threats`).
package enum Interpreters {
    private static let names: Set<String> = [
        "ash", "awk", "bash", "bun", "busybox", "csh", "dash", "deno", "elixir", "env", "erl", "escript", "expect",
        "fish", "gawk", "gdb", "iex", "irb", "java", "jshell", "julia", "ksh", "mawk", "mksh", "node", "nodejs",
        "ocaml",
        "original-awk", "pwsh", "raku", "rbash", "sbcl", "sh", "swipl", "tcsh", "toybox", "zsh", "R", "Rscript",
    ]
    /// With a version or a variant behind them.
    private static let prefixes = [
        "python", "pypy", "perl", "ruby", "jruby", "lua", "php", "tclsh", "wish", "guile", "qemu-", "ld-", "ld.so",
        "ld64.so", "mono-", "rbash", "ksh93", "zsh-", "dotnet",
    ]

    /// Whether the file is one, by its name or path after links were followed.
    package static func contains(name: String) -> Bool {
        var name = name.split(separator: "/").last ?? ""
        let deleted = " (deleted)"
        if name.hasSuffix(deleted) { name = name.dropLast(deleted.count) }
        return names.contains(String(name)) || prefixes.contains { name.hasPrefix($0) }
    }
}
