import Foundation
import Glibc

/// The formats of `os_log`: those of `printf`, with objects and with words in braces about each value.
enum LogFormat {
    static func text(_ format: String, _ arguments: [Any], errno code: Int32) -> String {
        var reader = LogFormatReader(format, arguments, errno: code)
        return reader.text()
    }
}

private struct LogFormatReader {
    private var rest: Substring
    private var arguments: ArraySlice<Any>
    private let code: Int32
    /// The arguments are no longer known to belong to their conversions: a private one could be shown as a public one.
    private var isLost = false

    init(_ format: String, _ arguments: [Any], errno code: Int32) {
        (rest, self.arguments, self.code) = (format[...], arguments[...], code)
    }

    mutating func text() -> String {
        var text = ""
        while let index = rest.firstIndex(of: "%") {
            text += rest[..<index]
            rest = rest[rest.index(after: index)...]
            text += conversion()
        }
        return text + rest
    }

    /// Reads one conversion, whose percent sign was read, and its value.
    private mutating func conversion() -> String {
        var words: [Substring] = []
        if rest.first == "{", let end = rest.firstIndex(where: { "}%".contains($0) }), rest[end] == "}" {
            words = rest[rest.index(after: rest.startIndex)..<end].split { $0 == "," || $0 == " " }
            rest = rest[rest.index(after: end)...]
        }
        var options = ""
        while let character = rest.first, "-+ #0123456789.*'".contains(character) {
            rest.removeFirst()
            switch character {
            case "*": options = Self.options(options, arguments.popFirst())
            // It groups digits, and Foundation does not know it.
            case "'": break
            default: options.append(character)
            }
        }
        var length = ""
        while let character = rest.first, "hlqLztj".contains(character) { length.append(rest.removeFirst()) }
        guard let kind = rest.popFirst() else { return "%" }
        if kind == "%" { return "%" }
        if kind == "m" { return unsafe String(cString: strerror(code)) }
        let value = arguments.popFirst()
        guard "@sdDioOuUxXcCaAeEfFgGp".contains(kind) else {
            isLost = true
            return "<decode: unknown conversion [%\(kind)]>"
        }
        guard !isLost else { return "<decode: after an unknown conversion>" }
        guard let value else { return "<decode: missing data>" }
        let isScalar = kind != "@" && kind != "s"
        return Self.privacy(words).text(isScalar: isScalar) {
            Self.shown(value, words) ?? Self.value(value, kind, options, length)
                ?? "<decode: mismatch for [%\(kind)]>"
        }
    }

    /// Options with a width or a precision that is an argument. A negative precision counts as none, as in C.
    private static func options(_ options: String, _ value: Any?) -> String {
        guard let number = value.flatMap(integer) else { return options }
        return options.hasSuffix(".") && Int64(clamping: number) < 0
            ? String(options.dropLast()) : "\(options)\(number)"
    }

    private static func privacy(_ words: [Substring]) -> OSLogPrivacy {
        let mask: OSLogPrivacy.Mask = words.contains("mask.hash") ? .hash : .none
        if words.contains("private") || words.contains("sensitive") { return .private(mask: mask) }
        return words.contains("public") ? .public : .auto(mask: mask)
    }

    /// The values that a word in braces changes.
    private static func shown(_ value: Any, _ words: [Substring]) -> String? {
        guard let number = integer(value) else { return nil }
        let code = Int64(truncatingIfNeeded: number)
        if words.contains("bool") { return code == 0 ? "false" : "true" }
        if words.contains("BOOL") { return code == 0 ? "NO" : "YES" }
        if words.contains(where: { $0.hasSuffix("errno") }) {
            return "[\(code): \(unsafe String(cString: strerror(Int32(truncatingIfNeeded: code))))]"
        }
        return nil
    }

    /// Nil if the value does not have the type that the conversion takes: C would read something else then.
    private static func value(_ value: Any, _ kind: Character, _ options: String, _ length: String) -> String? {
        switch kind {
        case "@": return String(describing: value)
        case "s":
            if let text = unsafe value as? UnsafePointer<CChar> { return unsafe self.text(text, options) }
            if let text = unsafe value as? UnsafeMutablePointer<CChar> { return unsafe self.text(text, options) }
            return address(value) == 0 ? "(null)" : nil
        case "D", "O", "U":
            return integer(value).map { String(format: "%\(options)l\(kind.lowercased())", $0) }
        case "d", "i", "o", "u", "x", "X", "c", "C":
            return integer(value).map { String(format: "%\(options)\(length)\(kind)", $0) }
        case "a", "A", "e", "E", "f", "F", "g", "G":
            // Without the length: all are a Double then, also a `long double`, which not every processor has.
            return (value as? any BinaryFloatingPoint).map { String(format: "%\(options)\(kind)", Double($0)) }
        case "p":
            return address(value).map { unsafe UnsafeRawPointer(bitPattern: $0).map { unsafe "\($0)" } ?? "0x0" }
        default: return nil
        }
    }

    /// An integer, or a truth value, which is one in C.
    private static func integer(_ value: Any) -> (any BinaryInteger & CVarArg)? {
        if let flag = value as? Bool { return flag ? 1 : 0 as Int32 }
        return value as? any BinaryInteger & CVarArg
    }

    /// The address in a pointer of any type, which is 0 in nil; nil for other values.
    private static func address(_ value: Any) -> UInt? {
        if let pointer = value as? any _Pointer { return UInt(bitPattern: pointer) }
        if let pointer = unsafe value as? OpaquePointer { return UInt(bitPattern: pointer) }
        guard case .some(.none) = unsafe value as? UnsafeRawPointer? else { return nil }
        return 0
    }

    /// A text of C. With a precision no more bytes are read, and it needs no end.
    private static func text(_ start: UnsafePointer<CChar>, _ options: String) -> String {
        guard let point = options.firstIndex(of: ".") else { return unsafe String(cString: start) }
        let limit = max(Int(options[options.index(after: point)...]) ?? 0, 0)
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: strnlen(start, limit))
        return unsafe String(decoding: bytes, as: UTF8.self)
    }
}
