import Foundation
import LatchkeyTestSupport
import Testing

/// The lines that a script of Python's standard library prints.
func python(_ script: String) throws -> [String] {
    let outcome = try Program.run(["python3", "-c", script])
    try #require(outcome.status == 0, "is python3 installed (apt-get install python3)? \(outcome.complaints)")
    return String(decoding: outcome.output, as: UTF8.self).split(separator: "\n").map(String.init)
}

func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// The bytes of an even number of hexadecimal digits; blanks do not count.
func octets(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
