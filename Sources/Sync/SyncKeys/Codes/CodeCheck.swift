/// The two check characters of a code: those of a Reed-Solomon code over the field of 32 elements, with minimum distance 3.
///
/// Every code with one or two wrong characters is detected, and so is every pair of characters that changed places. Of
/// other errors one in 1,024 is not.
///
/// A code is a polynomial, its first character with the highest power, that the generator (x + a)(x + a²) divides. The
/// field is that of x⁵ + x² + 1, and a is x. 31 characters are the most for which the distance holds.
enum CodeCheck {
    static let characterCount = 2
    static let longestCode = 31

    /// Computes the two characters that follow others.
    static func characters(after numbers: some Sequence<UInt8>) -> (UInt8, UInt8) {
        remainder(of: [numbers.map { $0 }, [0, 0]].joined())
    }

    /// Returns true for a whole code without a detectable error.
    static func accepts(_ numbers: some Sequence<UInt8>) -> Bool {
        remainder(of: numbers) == (0, 0)
    }

    /// Divides by the generator x² + (a + a²) x + a³, whose coefficients are 6 and 8.
    private static func remainder(of numbers: some Sequence<UInt8>) -> (UInt8, UInt8) {
        var (high, low): (UInt8, UInt8) = (0, 0)
        for number in numbers {
            let carry = high
            let (twice, fourTimes) = (doubled(carry), doubled(doubled(carry)))
            high = low ^ twice ^ fourTimes
            low = number ^ doubled(fourTimes)
        }
        return (high, low)
    }

    /// Multiplies by a.
    private static func doubled(_ number: UInt8) -> UInt8 {
        (number << 1 ^ (number >> 4) &* 0b100101) & 31
    }
}
