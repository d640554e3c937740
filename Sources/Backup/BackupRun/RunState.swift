import LatchkeyBackupFormat
import LatchkeyCryptoSuite
import LatchkeySecretMemory

/// The memory of a backup about the files that it was made from, so that the next run into the same folder reads only what has
/// changed (`Docs/Formats/backup.md`, `Latchkey.state`).
///
/// Readers of others ignore it, and a backup without it is a whole one: the next run then reads everything.
struct RunState: Sendable {
    struct File: Hashable, Sendable {
        let stamp: FileStamp
        /// True if the file may have changed after it was read without any other stamp.
        let isDoubtful: Bool
    }

    /// The keybag of the backup: another one makes every file key useless.
    let keybag: [UInt8]
    var files: [FileID: File]

    private static let magic = Array("LKBS".utf8)
    private static let version: UInt32 = 1
    private static let entryByteCount = FileID.byteCount + 1 + FileStamp.byteCount

    /// - Parameters:
    ///   - key: seals the state; nil for a backup that is not encrypted.
    ///   - wrappedKey: the same key under a class key of the backup; empty without a key.
    func encoded(key: SecretBox?, wrappedKey: [UInt8], entropy: any Entropy) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(files.count * Self.entryByteCount)
        for (number, file) in files {
            body += number.bytes
            body.append(file.isDoubtful ? 1 : 0)
            file.stamp.write(to: &body)
        }
        var bytes = Self.header(keybag, wrappedKey)
        guard let key else { return bytes + body }
        bytes += unsafe body.withUnsafeBytes { [bytes] body in
            unsafe AESGCM.seal(body, key: key, associatedData: bytes, entropy: entropy)
        }
        return bytes
    }

    /// The beginning of a stored state.
    struct Stored {
        let keybag: [UInt8]
        /// Empty for a backup that is not encrypted.
        let wrappedKey: [UInt8]
        fileprivate let header: [UInt8]
        fileprivate let body: ArraySlice<UInt8>

        /// Returns nil for bytes that no release wrote: the next run reads everything.
        init?(_ bytes: [UInt8]) {
            guard bytes.count >= 24, bytes.starts(with: RunState.magic) else { return nil }
            var reader = StampReader(bytes[4..<8])
            guard reader.next() as UInt32 == RunState.version else { return nil }
            keybag = Array(bytes[8..<24])
            guard bytes.count > 24, bytes.count >= 25 + Int(bytes[24]) else { return nil }
            let end = 25 + Int(bytes[24])
            wrappedKey = Array(bytes[25..<end])
            header = Array(bytes[..<end])
            body = bytes[end...]
        }

        /// Returns nil if the state was altered, or is not one of this key.
        func opened(key: SecretBox?) -> RunState? {
            guard let key else { return wrappedKey.isEmpty ? RunState(keybag, body) : nil }
            guard let opened = try? AESGCM.open(Array(body), key: key, associatedData: header) else { return nil }
            return unsafe opened.withBytes { unsafe RunState(keybag, Array($0)[...]) }
        }
    }

    private static func header(_ keybag: [UInt8], _ wrappedKey: [UInt8]) -> [UInt8] {
        precondition(keybag.count == 16 && wrappedKey.count < 256, "a keybag has an identifier of 16 bytes")
        var bytes = magic
        bytes.appendLittleEndian(version)
        return bytes + keybag + [UInt8(wrappedKey.count)] + wrappedKey
    }

    init(keybag: [UInt8], files: [FileID: File] = [:]) {
        self.keybag = keybag
        self.files = files
    }

    private init?(_ keybag: [UInt8], _ body: ArraySlice<UInt8>) {
        guard body.count % Self.entryByteCount == 0 else { return nil }
        self.keybag = keybag
        files = Dictionary(minimumCapacity: body.count / Self.entryByteCount)
        var rest = body
        while !rest.isEmpty {
            let number = FileID(bytes: rest.prefix(FileID.byteCount))
            rest = rest.dropFirst(FileID.byteCount)
            let isDoubtful = rest.first != 0
            files[number] = File(stamp: FileStamp(rest.dropFirst()), isDoubtful: isDoubtful)
            rest = rest.dropFirst(1 + FileStamp.byteCount)
        }
    }
}
