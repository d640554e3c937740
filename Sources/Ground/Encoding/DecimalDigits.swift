/// Numbers in dates: only digits, no sign, no space.
package enum DecimalDigits {
    /// Nil unless there are 1 to 18 bytes, all of them digits.
    package static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard (1...18).contains(digits.count) else { return nil }
        var number = 0
        for digit in digits {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }

    /// Appends the number with leading zeros, so that it has at least `width` characters, including a sign.
    package static func append(_ number: Int, width: Int, to text: inout [UInt8]) {
        let size = number.magnitude
        var (divisor, places) = (UInt(1), number < 0 ? 2 : 1)
        while size / divisor >= 10 {
            divisor *= 10
            places += 1
        }
        if number < 0 { text.append(UInt8(ascii: "-")) }
        for _ in places..<max(places, width) { text.append(UInt8(ascii: "0")) }
        while divisor > 0 {
            text.append(UInt8(ascii: "0") + UInt8(size / divisor % 10))
            divisor /= 10
        }
    }
}
