import Foundation

extension NSString {
    /// The text; nil if it has half of a surrogate pair. Texts of Core Foundation (`CFStringCreate…`) and of a
    /// program's own classes can have one; Foundation repairs its own when it makes them.
    var wellFormedText: String? {
        if isOfFoundation { return self as String }
        return unsafe withUnits { unsafe String(validating: $0, as: UTF16.self) }
    }

    /// The text with every unpaired surrogate replaced, for uses other than finding items.
    var wellFormed: String {
        if isOfFoundation { return self as String }
        return unsafe withUnits { unsafe String(decoding: $0, as: UTF16.self) }
    }

    /// True if a String holds the text.
    private var isOfFoundation: Bool {
        type(of: self) == NSString.self || type(of: self) == NSMutableString.self
    }

    private func withUnits<R>(_ body: (Slice<UnsafeMutableBufferPointer<UInt16>>) -> R) -> R {
        let count = length
        // Room for one more, so that the buffer has an address.
        return unsafe withUnsafeTemporaryAllocation(of: UInt16.self, capacity: count + 1) { units in
            if let start = units.baseAddress {
                unsafe getCharacters(start, range: NSRange(location: 0, length: count))
            }
            return unsafe body(units.prefix(count))
        }
    }
}
