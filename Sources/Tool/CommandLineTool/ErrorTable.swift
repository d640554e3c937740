package import LatchkeyItemModel
import Security

/// Names and messages of result codes, for people.
package enum ErrorTable {
    /// The text of `SecCopyErrorMessageString` for a code.
    package static func message(for code: ResultCode) -> String {
        guard let message = SecCopyErrorMessageString(code.rawValue, nil) else {
            return "Result code \(code.rawValue)."
        }
        return "\(message)"
    }

    /// The name of a code in the SDK, for instance `errSecItemNotFound`.
    package static func name(of code: ResultCode) -> String? { names(of: code).first }

    /// The names that say something else than another name of the code.
    package static func names(of code: ResultCode) -> [String] {
        ResultMessage.all.filter { $0.code == code.rawValue && $0.text != nil }.map(\.name)
    }

    /// A code given as a number or by its name, with or without `errSec`.
    package static func code(from text: String) -> ResultCode? {
        if let number = Int32(text) { return ResultCode(rawValue: number) }
        let wanted = text.lowercased()
        let match = ResultMessage.all.first {
            $0.name.lowercased() == wanted || $0.name.lowercased() == "errsec" + wanted
        }
        return match.map { ResultCode(rawValue: $0.code) }
    }
}
