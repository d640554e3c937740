import Foundation
import LatchkeyPlainText
package import LatchkeyPropertyListDER

extension PropertyListFile {
    /// The list in Apple's XML, keys in order.
    package static func xml(_ dictionary: [String: PropertyValue]) -> String {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """
        append(.dictionary(dictionary), to: &text, indentation: "")
        return text + "</plist>\n"
    }

    private static func append(_ value: PropertyValue, to text: inout String, indentation: String) {
        let inner = indentation + "\t"
        switch value {
        case .boolean(let truth): text += "\(indentation)<\(truth ? "true" : "false")/>\n"
        case .integer(let number): text += "\(indentation)<integer>\(number)</integer>\n"
        case .string(let content): text += "\(indentation)<string>\(escaped(content))</string>\n"
        case .data(let bytes): text += "\(indentation)<data>\(Data(bytes).base64EncodedString())</data>\n"
        case .date(let seconds): text += "\(indentation)<date>\(CalendarDate.text(secondsSince2001: seconds))</date>\n"
        case .array(let values):
            text += values.isEmpty ? "\(indentation)<array/>\n" : "\(indentation)<array>\n"
            for value in values { append(value, to: &text, indentation: inner) }
            if !values.isEmpty { text += "\(indentation)</array>\n" }
        case .dictionary(let values):
            text += values.isEmpty ? "\(indentation)<dict/>\n" : "\(indentation)<dict>\n"
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                text += "\(inner)<key>\(escaped(key))</key>\n"
                append(value, to: &text, indentation: inner)
            }
            if !values.isEmpty { text += "\(indentation)</dict>\n" }
        // Neither is in a signed statement: property lists of files do not have them.
        case .null, .secret, .reference: text += "\(indentation)<string></string>\n"
        }
    }

    /// XML has no way to write most control characters; they are shown as U+FFFD. Other hidden ones are written by number.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\t", "\n": escaped.unicodeScalars.append(scalar)
            case "\r": escaped += "&#xD;"
            case _ where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value): escaped += "\u{FFFD}"
            case _ where PlainText.isHidden(scalar):
                escaped += "&#x\(String(scalar.value, radix: 16, uppercase: true));"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
