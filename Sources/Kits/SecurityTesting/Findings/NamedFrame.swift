import Runtime

/// The name and the place of one frame of a call, from the program's symbols and its debugging information.
struct NamedFrame: Sendable {
    /// The function's name as the linker has it; nil for code of the system, and for code without a symbol.
    let symbol: String?
    /// Nil if no file is known: without debugging information, and for code from a macro.
    let site: CallSite?

    init(_ frame: SymbolicatedBacktrace.Frame) {
        let found = frame.symbol.flatMap { symbol in
            Self.isComparison(symbol.rawName) || !(frame.isSystem || frame.isSwiftThunk) ? symbol : nil
        }
        symbol = found?.rawName
        site = found.flatMap { symbol in
            guard let location = symbol.sourceLocation, location.line > 0, !location.path.contains("@__swiftmacro_")
            else { return nil }
            return CallSite(function: symbol.name, file: location.path, line: location.line)
        }
    }

    /// The functions that compare bytes: those of the C library, too, count as reached.
    static func isComparison(_ symbol: String) -> Bool {
        symbol == "memcmp" || symbol == "bcmp"
    }
}
