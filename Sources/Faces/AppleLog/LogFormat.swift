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
        if rest.first == "{", let end = rest.firstIndex(of: "}") {
            words = rest[rest.index(after: rest.startIndex)..<end].split { $0 == "," || $0 == " " }
            rest = rest[rest.index(after: end)...]
        }
        var options = ""
        while let character = rest.first, "-+ #0123456789.*'".contains(character) {
            rest.removeFirst()
            if character == "*" {
                options += (arguments.popFirst() as? any BinaryInteger).map { "\($0)" } ?? ""
            } else {
                options.append(character)
            }
        }
        var length = ""
        while let character = rest.first, "hlqLztj".contains(character) { length.append(rest.removeFirst()) }
        guard let kind = rest.popFirst() else { return "%" }
        if kind == "%" { return "%" }
        if kind == "m" { return unsafe String(cString: strerror(code)) }
        guard "@sdDioOuUxXcCaAeEfFgGp".contains(kind) else { return "%\(kind)" }
        guard let value = arguments.popFirst() else { return "<decode: missing data>" }
        let isScalar = kind != "@" && kind != "s"
        return Self.privacy(words).text(isScalar: isScalar) {
            Self.shown(value, words) ?? Self.value(value, kind, options, length)
                ?? "<decode: mismatch for [%\(kind)]>"
        }
    }

    private static func privacy(_ words: [Substring]) -> OSLogPrivacy {
        let mask: OSLogPrivacy.Mask = words.contains("mask.hash") ? .hash : .none
        if words.contains("private") || words.contains("sensitive") { return .private(mask: mask) }
        return words.contains("public") ? .public : .auto(mask: mask)
    }

    /// The values that a word in braces changes.
    private static func shown(_ value: Any, _ words: [Substring]) -> String? {
        guard let number = value as? any BinaryInteger else { return nil }
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
        // A Double is no `long double`.
        let conversion = "%\(options)\(length.filter { $0 != "L" })\(kind)"
        switch kind {
        case "@": return String(describing: value)
        case "s":
            if let text = unsafe value as? UnsafePointer<CChar> { return unsafe self.text(text, options) }
            return unsafe (value as? UnsafeMutablePointer<CChar>).map { unsafe text($0, options) }
        case "d", "D", "i", "o", "O", "u", "U", "x", "X", "c", "C":
            return (value as? any BinaryInteger & CVarArg).map { String(format: conversion, $0) }
        case "a", "A", "e", "E", "f", "F", "g", "G":
            return (value as? any BinaryFloatingPoint & CVarArg).map { String(format: conversion, $0) }
        case "p":
            if let pointer = unsafe value as? UnsafeMutableRawPointer { return unsafe "\(pointer)" }
            return unsafe (value as? UnsafeRawPointer).map { unsafe "\($0)" }
        default: return nil
        }
    }

    /// A text of C. With a precision no more bytes are read, and it needs no end.
    private static func text(_ start: UnsafePointer<CChar>, _ options: String) -> String {
        guard let point = options.firstIndex(of: ".") else { return unsafe String(cString: start) }
        let limit = max(Int(options[options.index(after: point)...]) ?? 0, 0)
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: strnlen(start, limit))
        return unsafe String(decoding: bytes, as: UTF8.self)
    }
}
