import Foundation

/// The width of a value in a message.
public struct OSLogStringAlignment {
    private let columns: (() -> Int)?
    private let isLeft: Bool

    public static var none: OSLogStringAlignment { OSLogStringAlignment(columns: nil, isLeft: true) }

    /// Fills up with spaces in front.
    public static func right(columns: @autoclosure @escaping () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns, isLeft: false)
    }

    /// Fills up with spaces behind.
    public static func left(columns: @autoclosure @escaping () -> Int) -> OSLogStringAlignment {
        OSLogStringAlignment(columns: columns, isLeft: true)
    }

    func aligned(_ text: String) -> String {
        let spaces = String(repeating: " ", count: max((columns?() ?? 0) - text.count, 0))
        return isLeft ? text + spaces : spaces + text
    }
}

/// The words for a truth value.
public enum OSLogBoolFormat: Sendable {
    /// true, false
    case truth
    /// yes, no
    case answer

    func text(_ value: Bool) -> String {
        switch self {
        case .truth: value ? "true" : "false"
        case .answer: value ? "yes" : "no"
        }
    }
}

/// The notation of an integer.
public struct OSLogIntegerFormatting {
    private let radix: Int
    private let prefix: String
    private let explicitPositiveSign: Bool
    private let uppercase: Bool
    private let minDigits: () -> Int

    private init(
        _ radix: Int, prefix: String = "", sign: Bool = false, uppercase: Bool = false,
        minDigits: @escaping () -> Int = { 1 }
    ) {
        (self.radix, self.prefix, explicitPositiveSign) = (radix, prefix, sign)
        (self.uppercase, self.minDigits) = (uppercase, minDigits)
    }

    public static var decimal: OSLogIntegerFormatting { OSLogIntegerFormatting(10) }
    public static var hex: OSLogIntegerFormatting { OSLogIntegerFormatting(16) }
    public static var octal: OSLogIntegerFormatting { OSLogIntegerFormatting(8) }

    public static func decimal(
        explicitPositiveSign: Bool = false, minDigits: @autoclosure @escaping () -> Int = 1
    ) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(10, sign: explicitPositiveSign, minDigits: minDigits)
    }

    public static func hex(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false,
        minDigits: @autoclosure @escaping () -> Int = 1
    ) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(
            16, prefix: includePrefix ? "0x" : "", sign: explicitPositiveSign, uppercase: uppercase,
            minDigits: minDigits)
    }

    public static func octal(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false,
        minDigits: @autoclosure @escaping () -> Int = 1
    ) -> OSLogIntegerFormatting {
        OSLogIntegerFormatting(
            8, prefix: includePrefix ? "0o" : "", sign: explicitPositiveSign, uppercase: uppercase,
            minDigits: minDigits)
    }

    func text(_ number: some FixedWidthInteger) -> String {
        let digits = String(number.magnitude, radix: radix, uppercase: uppercase)
        let zeros = String(repeating: "0", count: max(minDigits() - digits.count, 0))
        return (number < 0 ? "-" : explicitPositiveSign ? "+" : "") + prefix + zeros + digits
    }
}

/// The notation of a floating-point number: that of `%f`, `%a`, `%e` or `%g` in C.
public struct OSLogFloatFormatting {
    private let conversion: String
    private let explicitPositiveSign: Bool
    private let precision: (() -> Int)?

    private init(_ conversion: String, sign: Bool = false, uppercase: Bool = false, precision: (() -> Int)? = nil) {
        self.conversion = uppercase ? conversion.uppercased() : conversion
        (explicitPositiveSign, self.precision) = (sign, precision)
    }

    public static var fixed: OSLogFloatFormatting { OSLogFloatFormatting("f") }
    public static var hex: OSLogFloatFormatting { OSLogFloatFormatting("a") }
    public static var exponential: OSLogFloatFormatting { OSLogFloatFormatting("e") }
    public static var hybrid: OSLogFloatFormatting { OSLogFloatFormatting("g") }

    public static func fixed(explicitPositiveSign: Bool = false, uppercase: Bool = false) -> OSLogFloatFormatting {
        OSLogFloatFormatting("f", sign: explicitPositiveSign, uppercase: uppercase)
    }

    public static func fixed(
        precision: @autoclosure @escaping () -> Int, explicitPositiveSign: Bool = false, uppercase: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting("f", sign: explicitPositiveSign, uppercase: uppercase, precision: precision)
    }

    public static func hex(explicitPositiveSign: Bool = false, uppercase: Bool = false) -> OSLogFloatFormatting {
        OSLogFloatFormatting("a", sign: explicitPositiveSign, uppercase: uppercase)
    }

    public static func exponential(
        explicitPositiveSign: Bool = false, uppercase: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting("e", sign: explicitPositiveSign, uppercase: uppercase)
    }

    public static func exponential(
        precision: @autoclosure @escaping () -> Int, explicitPositiveSign: Bool = false, uppercase: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting("e", sign: explicitPositiveSign, uppercase: uppercase, precision: precision)
    }

    public static func hybrid(explicitPositiveSign: Bool = false, uppercase: Bool = false) -> OSLogFloatFormatting {
        OSLogFloatFormatting("g", sign: explicitPositiveSign, uppercase: uppercase)
    }

    public static func hybrid(
        precision: @autoclosure @escaping () -> Int, explicitPositiveSign: Bool = false, uppercase: Bool = false
    ) -> OSLogFloatFormatting {
        OSLogFloatFormatting("g", sign: explicitPositiveSign, uppercase: uppercase, precision: precision)
    }

    func text(_ number: Double) -> String {
        let digits = precision.map { ".\(max($0(), 0))" } ?? ""
        return String(format: "%\(explicitPositiveSign ? "+" : "")\(digits)\(conversion)", number)
    }
}
