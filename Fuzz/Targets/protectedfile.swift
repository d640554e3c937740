public import LatchkeyCryptoSuite
public import LatchkeyFileFormat
import LatchkeySecretMemory

/// A protected file that was altered: bytes are set, or the file is cut, and perhaps the header copies are made authentic
/// again, as an attacker with the key of one file could. Without the key no altered content may be read; with it,
/// everything has to end, soon and without a trap.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var script = Array(UnsafeRawBufferPointer(start: start, count: count))[...]
    let flags = script.popFirst() ?? 0
    let memory = Memory(sample)
    while let offset = number(&script), let value = script.popFirst() {
        if offset < memory.bytes.count { memory.bytes[offset] = value }
    }
    if flags & 2 != 0 { memory.bytes.removeLast(memory.bytes.count * Int(flags >> 2) / 64) }
    if flags & 1 != 0 { for copy in 0..<2 { authenticate(copy, in: memory) } }
    _ = try? FileEnvelope.read(from: memory)
    guard let file = try? ProtectedFile.open(memory, fileKey: key, entropy: Zeros()) else { return 0 }
    _ = try? file.check()
    var content = [UInt8](repeating: 0, count: 64 * 4096)
    let read = content.withUnsafeMutableBytes { try? file.read(at: 0, into: $0) }
    if flags & 1 == 0, let read {
        let isKnown = states.contains { $0.prefix(content.count).elementsEqual(content.prefix(read)) }
        precondition(isKnown, "altered content was read")
    }
    content.withUnsafeBytes { bytes in
        try? file.write(at: 5000, from: UnsafeRawBufferPointer(rebasing: bytes[..<9000]))
    }
    _ = try? file.truncate(to: 1 << 40)
    _ = try? file.synchronize(.data)
    _ = try? file.truncate(to: 100)
    let tie = try? file.tie
    _ = try? file.changeProtection(to: 1, wrappedKey: [1])
    if flags & 1 == 0 { precondition(tie == nil || tie == ownTie, "an altered tie was read") }
    _ = try? file.setTie(FileTie(.journal, of: Array(content.prefix(16))))
    file.close()
    return 0
}

private let key = SecretBox(copying: [UInt8](repeating: 7, count: 32))
private let ownTie = FileTie(.log, of: [UInt8](repeating: 5, count: 16))
private let headerKey = HMACSHA256.secret(over: Array("latchkey protected file 1: header".utf8), key: key)

/// Both states that the sample was synchronized with.
private let states: [[UInt8]] = [
    [UInt8](repeating: 0x11, count: 4 * 4096),
    [UInt8](repeating: 0x11, count: 4 * 4096) + [UInt8](repeating: 0x22, count: 99),
]

private let sample: [UInt8] = {
    let memory = Memory([])
    guard
        let file = try? ProtectedFile.create(
            in: memory, fileKey: key, protectionClass: 4, wrappedKey: [1, 2, 3], entropy: Zeros())
    else { preconditionFailure("no sample") }
    try? file.setTie(ownTie)
    var written = 0
    for state in states {
        state.withUnsafeBytes { bytes in
            try? file.write(at: UInt64(written), from: UnsafeRawBufferPointer(rebasing: bytes[written...]))
        }
        written = state.count
        try? file.synchronize(.data)
    }
    return memory.bytes
}()

/// Two bytes, of which the larger values reach the header copies and the smaller ones everything.
private func number(_ script: inout ArraySlice<UInt8>) -> Int? {
    guard let high = script.popFirst(), let low = script.popFirst() else { return nil }
    let number = Int(high) << 8 | Int(low)
    return number < 0xE000 ? number : (number & 0x1000) | (number & 0x7F)
}

private func authenticate(_ copy: Int, in memory: Memory) {
    let start = copy * 4096
    guard memory.bytes.count >= start + 2048 else { return }
    var record = Array(memory.bytes[start..<start + 2000])
    guard record.contains(where: { $0 != 0 }) else { return }
    record += sha256(record).prefix(16)
    record += HMACSHA256.code(over: record, key: headerKey)
    memory.bytes.replaceSubrange(start..<start + 2048, with: record)
}

private struct Zeros: Entropy {
    func fill(_ bytes: UnsafeMutableRawBufferPointer) { bytes.initializeMemory(as: UInt8.self, repeating: 0) }
}

private final class Memory: Backing {
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    func read(at offset: UInt64, into output: UnsafeMutableRawBufferPointer) throws(BackingFailure) -> Int {
        guard let start = Int(exactly: offset), start < bytes.count else { return 0 }
        let count = min(output.count, bytes.count - start)
        bytes.withUnsafeBytes { output.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count])) }
        return count
    }

    func write(at offset: UInt64, from input: UnsafeRawBufferPointer) throws(BackingFailure) {
        // A hostile extent moves new blocks far away.
        guard let start = Int(exactly: offset), start < 1 << 24 else { throw .noSpace }
        if bytes.count < start + input.count {
            bytes += [UInt8](repeating: 0, count: start + input.count - bytes.count)
        }
        bytes.withUnsafeMutableBytes { buffer in
            UnsafeMutableRawBufferPointer(rebasing: buffer[start..<start + input.count]).copyMemory(from: input)
        }
    }

    func truncate(to size: UInt64) throws(BackingFailure) {
        if size < bytes.count { bytes.removeLast(bytes.count - Int(size)) }
    }

    func synchronize(_ scope: SyncScope) throws(BackingFailure) {}
    func size() throws(BackingFailure) -> UInt64 { UInt64(bytes.count) }
}
