package import Foundation

@_silgen_name("CFStringCreateWithCharacters")
private func textOfCoreFoundation(
    _ allocator: UnsafeRawPointer?, _ units: UnsafePointer<UInt16>, _ count: Int
) -> UnsafeRawPointer?

/// Text with half of a surrogate pair, which no String can hold. Foundation's own constructors repair it; Core
/// Foundation's do not.
package enum LoneSurrogate {
    /// A text of Core Foundation.
    package static func text(_ before: String = "a", _ half: UInt16 = 0xD800, _ after: String = "b") -> NSString {
        let units = Array(before.utf16) + [half] + Array(after.utf16)
        guard let text = textOfCoreFoundation(nil, units, units.count) else { return "" }
        return Unmanaged<NSString>.fromOpaque(text).takeRetainedValue()
    }

    /// The same in a class of a program's own.
    package static func ownText() -> NSString { OwnText() }

    private final class OwnText: NSString {
        init() { super.init(characters: [0], length: 0) }

        required convenience init(string: String) { self.init() }

        required convenience init(coder: NSCoder) { self.init() }

        required convenience init(stringLiteral value: StaticString) { self.init() }

        required convenience init(extendedGraphemeClusterLiteral value: StaticString) { self.init() }

        required convenience init(unicodeScalarLiteral value: StaticString) { self.init() }

        override var length: Int { 2 }

        override func character(at index: Int) -> unichar { index == 0 ? 0x61 : 0xDC00 }
    }
}
