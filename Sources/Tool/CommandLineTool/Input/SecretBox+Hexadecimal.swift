import LatchkeyEncoding
package import LatchkeyPrompt
package import LatchkeySecretMemory

extension SecretBox {
    /// The bytes that this secret spells in hexadecimal digits; blanks and line ends around them do not count.
    package func decodedHexadecimal() throws(InputFailure) -> SecretBox {
        try unsafe withBytes { bytes throws(InputFailure) in
            let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
            let digits = unsafe bytes.drop { blanks.contains($0) }
            let end = unsafe digits.lastIndex { !blanks.contains($0) }.map { $0 + 1 } ?? digits.startIndex
            let trimmed = unsafe digits[digits.startIndex..<end]
            guard unsafe trimmed.count.isMultiple(of: 2) else { throw .notHexadecimal }
            return try unsafe SecretBox(count: trimmed.count / 2) { room throws(InputFailure) in
                for index in 0..<room.count {
                    let position = unsafe trimmed.startIndex + 2 * index
                    guard let high = unsafe Hexadecimal.value(ofDigit: trimmed[position]),
                        let low = unsafe Hexadecimal.value(ofDigit: trimmed[position + 1])
                    else { throw .notHexadecimal }
                    unsafe room[index] = high << 4 | low
                }
            }
        }
    }
}
