import Glibc
import LatchkeyBackupFormat
import LatchkeyFileAccess
import LatchkeySecretMemory

private let key = SecretBox(copying: [UInt8](repeating: 1, count: 32))

/// A payload, in clear and encrypted: what opens has the same bytes read as a whole and in parts, and its padding is that of
/// its last block alone.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(Input(start: start, count: count))
    guard let kind = input.first else { return 0 }
    let stored = Array(input.dropFirst())
    let isEncrypted = kind & 1 == 1
    // Bytes that are encrypted here have an arbitrary padding; the writer makes a valid one.
    if kind & 2 == 2 {
        let written = newFile()
        let writer = PayloadWriter(written, path: "", key: isEncrypted ? key : nil)
        guard (try? writer.write(stored)) != nil, let tag = try? writer.finish() else {
            preconditionFailure("not written")
        }
        guard let reader = try? PayloadReader(written, of: .keychain, key: isEncrypted ? key : nil) else {
            preconditionFailure("the own payload is refused")
        }
        precondition(whole(reader, tag: tag) == stored, "the own payload is another")
        return 0
    }
    let file = newFile()
    guard write(file.number, stored, stored.count) == stored.count else { return 0 }
    guard let reader = try? PayloadReader(file, of: .keychain, key: isEncrypted ? key : nil) else { return 0 }
    precondition(reader.size <= stored.count && stored.count - Int(reader.size) <= (isEncrypted ? 16 : 0), "padding")
    guard let content = whole(reader, tag: nil) else { preconditionFailure("a payload that opened is damaged") }
    precondition(content.count == reader.size, "the content has another size")
    let cut = content.count == 0 ? 0 : Int(kind >> 2) % content.count
    for range in [0..<cut, cut..<content.count] {
        let part = try? reader.content(UInt64(range.lowerBound)..<UInt64(range.upperBound))
        precondition(part == Array(content[range]), "a part is not that of the whole")
    }
    precondition((try? reader.content(0..<UInt64(content.count + 1))) == nil, "content behind the end")
    precondition(whole(reader, tag: [UInt8](repeating: kind, count: 16)) == nil, "an invented tag fits")
    return 0
}

private func newFile() -> OwnedDescriptor {
    var template = Array("/dev/shm/latchkey-fuzz.XXXXXX".utf8CString)
    let number = mkstemp(&template)
    guard number >= 0 else { preconditionFailure("no file for a payload") }
    unlink(template)
    return OwnedDescriptor(owning: number)
}

private func whole(_ reader: PayloadReader, tag: [UInt8]?) -> [UInt8]? {
    var content: [UInt8] = []
    guard (try? reader.pieces(tag: tag) { content += Array($0) }) != nil else { return nil }
    return content
}
