import Foundation
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Testing

@Suite("Keys of files, with a real daemon and a real enclave")
struct FileKeyTests {
    private static let files = (0..<256).map { index in
        FileIdentifier([UInt8](repeating: UInt8(index), count: FileIdentifier.byteCount))!
    }

    private static func code(_ result: Result<SecretBox, FileKeyRefusal>?) -> LatchkeyItemModel.ResultCode? {
        if case .failure(let refusal)? = result { refusal.code } else { nil }
    }

    @Test("files open and close with the device, and their keys outlive daemon, enclave and passcode")
    func lifecycle() throws {
        let device = try ThrowawayDevice.unlocked()
        func keychain() -> RemoteKeychain { RemoteKeychain(socketPath: device.directory + "/run/keychain.sock") }
        func results(_ keys: [WrappedFileKey]) throws -> [Result<SecretBox, FileKeyRefusal>] {
            try keychain().ask(OpenFileKeys(keys)).results
        }
        let keys = try FileProtection.allCases.map { protection in
            try keychain().ask(CreateFileKeys(protection, for: Self.files)).keys
        }
        for keys in keys {
            let opened = try results(keys.map(\.wrapped))
            #expect(opened.count == 256)
            for (key, result) in zip(keys, opened) { #expect(try result.get().equals(key.key)) }
        }
        let first = keys.map { $0[0].wrapped }

        try device("lock --now")
        #expect(
            try results(first).map { Self.code($0) } == [.interactionNotAllowed, .interactionNotAllowed, nil, nil])
        let recording = try #require(
            try keychain().ask(CreateFileKeys(.completeUnlessOpen, for: [Self.files[1]])).keys.first)
        #expect(try device("explain").output.contains("class-key-locked"))

        try device.kill("latchkey-enclave")
        try device.kill("latchkeyd")
        #expect(try device("start").status == 0)
        #expect(
            try results(first).map { Self.code($0) }
                == [.interactionNotAllowed, .interactionNotAllowed, .interactionNotAllowed, nil])
        #expect(try device("unlock", input: "246810\n").status == 0)
        #expect(try device("passcode change", input: "246810\n135791\n").status == 0)
        for (keys, result) in zip(keys, try results(first)) { #expect(try result.get().equals(keys[0].key)) }
        #expect(try results([recording.wrapped])[0].get().equals(recording.key))
        let rewrapped = try keychain().ask(RewrapFileKey(first[0], to: FileProtection.none)).wrapped
        try device("lock --now")
        #expect(try results([rewrapped])[0].get().equals(keys[0][0].key))
    }
}
