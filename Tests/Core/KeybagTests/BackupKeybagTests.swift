import LatchkeyCryptoSuite
import LatchkeyKeybag
import LatchkeySecretMemory
import Testing

@Suite struct BackupKeybagTests {
    struct UnlockVectors: Decodable {
        struct Case: Decodable, Sendable {
            let name, password: String
            let WPKY, SALT, passcodeKey, unwrappedKey: Hex
            let ITER: UInt32
            let DPIC: UInt32?
            let DPSL: Hex?
        }

        let vectors: [Case]
    }

    struct SampleKeys: Decodable {
        let password: String
        let derivedKey: Hex
        let classKeys: [String: Hex]
    }

    @Test("a backup password gives the passcode key and opens the class key", arguments: 0..<6)
    func unlock(index: Int) throws {
        let vectors = try BackupVectors.json("keybag-unlock.json", as: UnlockVectors.self).vectors
        #expect(vectors.count == 6)
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
    }

    @Test("the keybags of whole backups open with their passwords", arguments: ["encrypted", "unencrypted"])
    func samples(_ kind: String) throws {
        let bytes = try BackupVectors.keybagOfManifest("sample-\(kind)/Manifest.plist")
        let expected = try BackupVectors.json("sample-\(kind)/class-keys.json", as: SampleKeys.self)
        let keybag = try Keybag(parsing: bytes)
        #expect(keybag.bytes == bytes)
        let password = SecretBox(expected.password)
        #expect(
            try BackupKeybag.passcodeKey(for: password, header: keybag.header).contents == expected.derivedKey.bytes)
        var compared = 0
        for (number, key) in try BackupKeybag.open(keybag, password: password) {
            guard case .open(let key) = key else { continue }
            #expect(key.contents == expected.classKeys["\(number)"]?.bytes, "class \(number)")
            compared += 1
        }
        #expect(compared == (kind == "encrypted" ? 7 : 4))
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
