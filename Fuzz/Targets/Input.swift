import LatchkeySecretMemory

/// The bytes that libFuzzer offers.
typealias Input = UnsafeRawBufferPointer

/// A message out of a fuzzer's input: the number of secrets, the length of each, the secrets, and the rest as body.
func message(_ input: Input) -> (body: [UInt8], secrets: [SecretBox]) {
    var bytes = input[...]
    let lengths = (0..<Int(bytes.popFirst() ?? 0) % 8).map { _ in Int(bytes.popFirst() ?? 0) }
    let secrets = lengths.map { length in
        let secret = SecretBox(copying: Array(bytes.prefix(length)))
        bytes = bytes.dropFirst(length)
        return secret
    }
    return (Array(bytes), secrets)
}

/// The input that ``message(_:)`` reads as this message.
func input(body: [UInt8], secrets: [SecretBox]) -> [UInt8] {
    let contents = secrets.map { $0.withBytes { Array($0) } }
    return [UInt8(contents.count)] + contents.map { UInt8($0.count) } + contents.joined() + body
}
