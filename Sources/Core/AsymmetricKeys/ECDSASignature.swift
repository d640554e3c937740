import LatchkeyEncoding

/// Conversions between the two forms of an ECDSA signature.
package enum ECDSASignature {
    /// Converts ASN.1 DER to r and s; nil if it is not DER of two numbers of this curve.
    package static func raw(der: [UInt8], curve: Curve) -> [UInt8]? {
        unsafe der.lend { bytes in
            var outer = unsafe KeyDERReader(bytes)
            guard var numbers = try? outer.nested(), outer.isAtEnd,
                let r = unsafe try? numbers.number(), let s = unsafe try? numbers.number(), numbers.isAtEnd,
                max(r.count, s.count) <= curve.coordinateByteCount
            else { return nil }
            return unsafe [r, s].flatMap { number in
                unsafe [UInt8](repeating: 0, count: curve.coordinateByteCount - number.count) + number
            }
        }
    }

    /// Converts r and s to ASN.1 DER; nil for another length.
    package static func der(raw: [UInt8], curve: Curve) -> [UInt8]? {
        guard raw.count == 2 * curve.coordinateByteCount else { return nil }
        let half = curve.coordinateByteCount
        return KeyDERWriter.sequence([KeyDERWriter.number(raw[..<half]), KeyDERWriter.number(raw[half...])])
    }
}
