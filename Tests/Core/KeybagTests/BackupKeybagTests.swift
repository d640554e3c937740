import LatchkeyCryptoSuite
import LatchkeySecretMemory
import Testing

@testable import LatchkeyKeybag

@Suite struct BackupKeybagTests {
    struct UnlockVectors: Decodable {
        struct Case: Decodable, Sendable {
            let name, password: String
            let WPKY, SALT, passcodeKey, unwrappedKey: Hex
            let ITER: UInt32
            let DPIC: UInt32?
            let DPSL, round1: Hex?
        }

        let vectors: [Case]
    }

    struct Expected: Decodable {
        let password: String?
        let dpic: UInt32?
        let iter: UInt32
        let derivedKeyRound1: Hex?
        let derivedKey, key835: Hex
        let classKeys: [String: Hex]
    }

    /// `Fixtures/Vectors/backup/README.md` names the published cases that are not among them, and why.
    @Test("a backup password gives the passcode key and opens the class key", arguments: 0..<8)
    func unlock(index: Int) throws {
        let vectors = try BackupVectors.json("keybag-unlock.json", as: UnlockVectors.self).vectors
        #expect(vectors.count == 8)
        let vector = vectors[index]
        var header = [
            KeybagRecord(.version, 5), KeybagRecord(.type, 1), KeybagRecord(.uuid, [UInt8](repeating: 1, count: 16)),
            KeybagRecord(.salt, vector.SALT.bytes), KeybagRecord(.iterations, vector.ITER),
        ]
        if let rounds = vector.DPIC, let salt = vector.DPSL {
            header += [KeybagRecord(.firstRoundIterations, rounds), KeybagRecord(.firstRoundSalt, salt.bytes)]
        }
        let key = [
            KeybagRecord(.uuid, [UInt8](repeating: 2, count: 16)), KeybagRecord(.keyClass, 4),
            KeybagRecord(.wrapping, 2), KeybagRecord(.wrappedKey, vector.WPKY.bytes),
        ]
        let keybag = try Keybag(parsing: (header + key).flatMap(\.bytes))
        let passcodeKey = try BackupKeybag.passcodeKey(for: SecretBox(vector.password), header: keybag.header)
        #expect(passcodeKey.contents == vector.passcodeKey.bytes, "\(vector.name)")
        guard case .open(let opened) = try BackupKeybag.open(keybag, password: SecretBox(vector.password))[4] else {
            Issue.record("\(vector.name): class 4 does not open")
            return
        }
        #expect(opened.contents == vector.unwrappedKey.bytes, "\(vector.name)")
        #expect((vector.round1 != nil) == (vector.DPIC != nil))
        if let round1 = vector.round1 {
            // The second round alone, from what the vector says of the first: that one takes seconds.
            let second = try KeybagHeader(records: Array(header.prefix(5)))
            let key = try BackupKeybag.passcodeKey(for: round1.secret, header: second)
            #expect(key.contents == vector.passcodeKey.bytes, "\(vector.name)")
        }
    }

    @Test("the keybags of whole backups open with their passwords", arguments: ["encrypted", "unencrypted"])
    func samples(_ kind: String) throws {
        let bytes = try BackupVectors.keybagOfManifest("sample-\(kind)/Manifest.plist")
        let expected = try BackupVectors.json("sample-\(kind)/expected.json", as: Expected.self)
        let keybag = try Keybag(parsing: bytes)
        #expect(keybag.bytes == bytes)
        let header = keybag.header
        #expect(header.iterations == expected.iter && header.firstRoundIterations == expected.dpic)
        let password = SecretBox(expected.password ?? "")
        if let salt = header.firstRoundSalt, let rounds = header.firstRoundIterations {
            let first = try PasswordKey.pbkdf2(
                password, salt: salt, rounds: Int(rounds), function: .hmacSHA256, count: 32)
            #expect(first.contents == expected.derivedKeyRound1?.bytes)
        } else {
            #expect(expected.derivedKeyRound1 == nil)
        }
        #expect(try BackupKeybag.passcodeKey(for: password, header: header).contents == expected.derivedKey.bytes)
        // Those of the device open with its key 0x835, which no other device has.
        let layer = BackupDeviceLayer(key: expected.key835.secret)
        var layered = 0
        let opened = try BackupKeybag.open(keybag, password: password)
        for (number, key) in opened {
            let classKey: SecretBox
            switch key {
            case .open(let key): classKey = key
            case .stillBoundToDevice(let inner):
                layered += 1
                classKey = layer.removed(from: inner)
                #expect(layer.adding(to: classKey).equals(inner), "class \(number)")
            }
            #expect(classKey.contents == expected.classKeys["\(number)"]?.bytes, "class \(number)")
        }
        #expect(opened.count == 11 && opened.count == expected.classKeys.count)
        #expect(layered == (kind == "encrypted" ? 4 : 7))
        #expect(throws: KeybagUnlockFailure.wrongPasscode) {
            _ = try BackupKeybag.open(keybag, password: SecretBox("not it"))
        }
    }

    @Test(
        "without salt or iterations there is nothing to derive",
        arguments: [
            (KeybagTag.salt, [KeybagRecord(.iterations, 1)]),
            (.iterations, [KeybagRecord(.salt, [UInt8](repeating: 1, count: 20))]),
        ])
    func incomplete(_ missing: KeybagTag, _ records: [KeybagRecord]) throws {
        let header = try KeybagHeader(
            records: [
                KeybagRecord(.version, 5), KeybagRecord(.type, 1),
                KeybagRecord(.uuid, [UInt8](repeating: 1, count: 16)),
            ] + records)
        #expect(throws: KeybagUnlockFailure.missingRecord(missing)) {
            _ = try BackupKeybag.passcodeKey(for: SecretBox("x"), header: header)
        }
    }
}
