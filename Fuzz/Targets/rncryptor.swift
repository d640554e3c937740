import LatchkeyCryptoSuite
import LatchkeyRNCryptorFormat
import LatchkeySecretMemory

private let keys = try? MessageKeys(
    encryption: SecretBox(copying: [UInt8](repeating: 1, count: 32)),
    authentication: SecretBox(copying: [UInt8](repeating: 2, count: 32)))

/// A message in the RNCryptor format, under fixed keys whatever its header says, in pieces whose size the first byte
/// gives. Checking and decrypting agree; whatever is authentic has the size that was told, and a header that is written
/// again is the one that was read. The rest of the input is also a plaintext, which comes back.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    guard let keys, let step = input.first.map({ Int($0) + 1 }) else { return 0 }
    let rest = Array(input.dropFirst())
    roundTrip(rest, step, keys)
    guard let header = try? rest.withUnsafeBytes({ try MessageHeader(reading: $0) }) else { return 0 }
    precondition(rest.starts(with: header.bytes), "a header was read as another than it is")
    let body = Array(rest.dropFirst(header.byteCount))
    if let plaintext = open(body, step, keys, header) {
        precondition(
            MessageSize.plaintext(messageByteCount: rest.count, header)?.contains(plaintext.count) == true,
            "an authentic message has another size than was told")
    }
    // The same bytes with the right code, so that the padding is reached.
    let covered = (header.version == .one ? [] : header.bytes) + body
    if let plaintext = open(body + HMACSHA256.code(over: covered, key: keys.authentication), step, keys, header) {
        precondition(plaintext.count < body.count)
    }
    return 0
}

/// Returns the plaintext of a body; nil if both passes refuse it.
private func open(_ body: [UInt8], _ step: Int, _ keys: MessageKeys, _ header: MessageHeader) -> [UInt8]? {
    var verifier = MessageVerifier(keys: keys, header: header)
    var decryptor = MessageDecryptor(keys: keys, header: header)
    var plaintext: [UInt8] = []
    for piece in pieces(of: body, step) {
        var output = [UInt8](repeating: 0, count: decryptor.outputByteCount(for: piece.count))
        let written = piece.withUnsafeBytes { bytes in
            verifier.update(bytes)
            return output.withUnsafeMutableBytes { decryptor.update(bytes, into: $0) }
        }
        precondition(written == output.count, "decrypting gives another number of bytes than was told")
        plaintext += output
    }
    let failure: MessageFailure?
    do throws(MessageFailure) {
        try verifier.finish()
        failure = nil
    } catch {
        failure = error
    }
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: MessageDecryptor.largestFinalByteCount, alignment: 8)
    defer { room.deallocate() }
    do throws(MessageFailure) {
        let last = try decryptor.finish(into: room)
        precondition(failure == nil, "opened, but not verified")
        return plaintext + room[..<last]
    } catch {
        precondition(failure == error, "verifying says something else than decrypting")
        return nil
    }
}

private func roundTrip(_ plaintext: [UInt8], _ step: Int, _ keys: MessageKeys) {
    let header = MessageHeader(salts: nil, initialisationVector: [UInt8](repeating: 3, count: 16))
    var encryptor = MessageEncryptor(keys: keys, header: header)
    var message: [UInt8] = []
    for piece in pieces(of: plaintext, step) {
        var output = [UInt8](repeating: 0, count: encryptor.outputByteCount(for: piece.count))
        let written = piece.withUnsafeBytes { bytes in
            output.withUnsafeMutableBytes { encryptor.update(bytes, into: $0) }
        }
        precondition(written == output.count, "encrypting gives another number of bytes than was told")
        message += output
    }
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: encryptor.finalByteCount, alignment: 8)
    defer { room.deallocate() }
    message += room[..<encryptor.finish(into: room)]
    precondition(message.count == MessageSize.message(plaintextByteCount: plaintext.count, .keys))
    precondition(open(Array(message.dropFirst(header.byteCount)), 257 - step, keys, header) == plaintext)
}

private func pieces(of bytes: [UInt8], _ step: Int) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: step).map { Array(bytes[$0..<min(bytes.count, $0 + step)]) }
}
