import Glibc
package import LatchkeyKeybag

/// The time that an attacker with the device's files needs to try all passcodes of a form on a machine like this.
package enum GuessingTime {
    /// Says how long a new passcode stands, before it is set.
    package static func text(_ form: PasscodeForm, secondsPerTry: Double) -> String {
        let count = form.characterCount
        let kind = ItemCount.text(count, form.isDigits ? "digit" : "character")
        let whole = duration(pow(10, form.log10Count) * secondsPerTry)
        let advice = form.isDigits ? "" : " A word, a name or a date falls much earlier."
        return "Trying every passcode of \(kind) takes \(whole) on one processor of this machine "
            + "(\(milliseconds(secondsPerTry)) each).\(advice)"
    }

    /// Says the same from the device's record of its passcode; nil for a passcode without one.
    package static func text(_ strength: PasscodeStrength?, secondsPerTry: Double?) -> String? {
        guard let strength, let secondsPerTry else { return nil }
        let each = "(\(milliseconds(secondsPerTry)) each here)"
        guard let limit = strength.countLimit else {
            return "trying every one of its form takes more than \(duration(1_000_000 * secondsPerTry)) \(each)"
        }
        return "trying every one of its form takes at most \(duration(limit * secondsPerTry)) \(each)"
    }

    package static func duration(_ seconds: Double) -> String {
        let units: [(name: String, seconds: Double)] = [
            ("year", 365.25 * 86_400), ("day", 86_400), ("hour", 3600), ("minute", 60), ("second", 1),
        ]
        guard let unit = units.first(where: { seconds >= $0.seconds }) else { return "less than a second" }
        let count = seconds / unit.seconds
        guard count < 1_000_000 else { return "millions of \(unit.name)s" }
        let whole = Int(count)
        return "\(grouped(whole)) \(unit.name)\(whole == 1 ? "" : "s")"
    }

    private static func milliseconds(_ seconds: Double) -> String {
        let value = seconds * 1000
        return value < 1 ? "less than 1 ms" : "\(Int(value.rounded())) ms"
    }

    /// 1234567 as 1,234,567.
    private static func grouped(_ number: Int) -> String {
        let digits = Array(String(number))
        return digits.enumerated().reduce(into: "") { text, digit in
            if digit.offset > 0, (digits.count - digit.offset).isMultiple(of: 3) { text += "," }
            text.append(digit.element)
        }
    }
}
