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

    /// True if the place of a function may be asked for: it is neither of the system nor ours, or it was specialised,
    /// so that code of the app may be inlined into it.
    static func mayHaveSite(_ frame: SymbolicatedBacktrace.Frame) -> Bool {
        guard let symbol = frame.symbol?.rawName else { return false }
        if isSpecialised(symbol) { return true }
        return NamedFrame(frame).symbol.map { !isComparison($0) && !SymbolOwner.isOurs($0) } ?? false
    }

    /// True for Swift's manglings of specialised functions, and for few others.
    private static func isSpecialised(_ symbol: String) -> Bool {
        let bytes = Array(symbol.utf8)
        return bytes.indices.dropLast(2).contains { index in
            bytes[index] == UInt8(ascii: "T") && "gGfs".utf8.contains(bytes[index + 1])
                && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index + 2])
        }
    }

    /// The functions that compare bytes: those of the C library, too, count as reached.
    static func isComparison(_ symbol: String) -> Bool {
        symbol == "memcmp" || symbol == "bcmp"
    }
}
