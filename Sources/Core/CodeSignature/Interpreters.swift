/// Programs that run any code that they are given: their entitlements would be every program's (`Docs/Threats`).
package enum Interpreters {
    private static let names: Set<String> = [
        "ash", "awk", "bash", "bun", "busybox", "csh", "dash", "deno", "elixir", "env", "erl", "escript", "expect",
        "fish", "gawk", "gdb", "iex", "irb", "java", "jshell", "julia", "ksh", "mawk", "mksh", "node", "nodejs",
        "ocaml",
        "original-awk", "pwsh", "raku", "rbash", "sbcl", "sh", "swipl", "tcsh", "toybox", "zsh", "R", "Rscript",
    ]
    /// Also match with a version or a variant behind them.
    private static let prefixes = [
        "python", "pypy", "perl", "ruby", "jruby", "lua", "php", "tclsh", "wish", "guile", "qemu-", "ld-", "ld.so",
        "ld64.so", "mono-", "rbash", "ksh93", "zsh-", "dotnet",
    ]

    /// Returns true if the file is an interpreter, by its name or path after links were followed.
    package static func contains(name: String) -> Bool {
        // Bytes: a combining mark hides the character before it from a comparison of texts.
        var name = Array(name.utf8.split(separator: UInt8(ascii: "/")).last ?? "".utf8[...])
        let deleted = Array(" (deleted)".utf8)
        if name.suffix(deleted.count).elementsEqual(deleted) { name.removeLast(deleted.count) }
        return names.contains(String(decoding: name, as: UTF8.self))
            || prefixes.contains { name.starts(with: $0.utf8) }
    }
}
