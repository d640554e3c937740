/// Forms of bytes as text. For ciphertexts and authentication codes only: the text is not wiped.
enum TextForm {
    static let lowercaseDigits = Array("0123456789abcdef".utf8)
    static let uppercaseDigits = Array("0123456789ABCDEF".utf8)
    static let base64 = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    static let base64URL = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func hexadecimal(_ bytes: some Sequence<UInt8>, _ digits: [UInt8]) -> [UInt8] {
        bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    static func base64(_ bytes: some Collection<UInt8>, _ alphabet: [UInt8], isPadded: Bool) -> [UInt8] {
        var text: [UInt8] = []
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let group = rest.prefix(3)
            rest = rest.dropFirst(3)
            let word = group.reduce(0) { $0 << 8 | UInt32($1) } << (8 * (3 - group.count))
            for place in 0...group.count { text.append(alphabet[Int(word >> (18 - 6 * place) & 63)]) }
            if isPadded { text += Array(repeating: UInt8(ascii: "="), count: 3 - group.count) }
        }
        return text
    }
}
