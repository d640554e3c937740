/// The characters of codes: digits and capital letters without I, L, O and U, each worth 5 bits (Crockford's base 32).
enum CodeAlphabet {
    static let characters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    static let groupLength = 4
    static let separator = UInt8(ascii: "-")

    /// Returns the number of a character as a person may write it: small letters are capital ones, I and L are 1, and O is 0.
    /// Nil for others.
    static func number(of character: UInt8) -> UInt8? {
        character < numbers.count ? numbers[Int(character)] : nil
    }

    /// Returns true for characters between the groups, which mean nothing.
    static func isSeparator(_ character: UInt8) -> Bool {
        [separator, UInt8(ascii: " ")].contains(character)
    }

    private static let numbers: [UInt8?] = {
        var numbers = [UInt8?](repeating: nil, count: 128)
        for (number, character) in characters.enumerated() { numbers[Int(character)] = UInt8(number) }
        for (character, number) in [("I", 1), ("L", 1), ("O", 0)] as [(Character, UInt8)] {
            if let ascii = character.asciiValue { numbers[Int(ascii)] = number }
        }
        let (capital, small) = (UInt8(ascii: "A"), UInt8(ascii: "a"))
        for offset in 0..<26 { numbers[Int(small) + offset] = numbers[Int(capital) + offset] }
        return numbers
    }()
}
