import LatchkeyBackupFormat
import LatchkeyBackupItems
import LatchkeyCryptoSuite
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@Suite("Backups that others made")
struct SampleTests {
    @Test("every file has its content, its class and its size", arguments: Sample.all)
    func files(_ sample: Sample) throws {
        let backup = try sample.opened()
        #expect(backup.manifest.isEncrypted == (sample.kind == "encrypted"))
        for file in sample.expected.files {
            let id = try #require(FileID(file.fileID))
            let record = try #require(try backup.index.record(id))
            #expect(record.fileID == id)
            #expect(record.domain == file.domain && record.path == file.path && record.kind == .file)
            #expect(record.protectionClass == file.class && record.size == file.size)
            var digest = RunningDigest(.sha256)
            var count = 0
            try backup.content(of: record).pieces(tag: nil) { piece in
                unsafe digest.update(piece)
                count += piece.count
            }
            #expect(digest.finish().hex == file.sha256)
            #expect(Int64(count) == file.size)
            if let key = file.fileKey {
                #expect(try backup.key(of: record).map { unsafe $0.withBytes { unsafe Array($0).hex } } == key)
            }
        }
    }

    @Test("the index holds these rows and no others", arguments: Sample.all)
    func rows(_ sample: Sample) throws {
        let backup = try sample.opened()
        var files: Set<String> = []
        var directories: Set<String> = []
        var links: [String: String] = [:]
        try backup.index.visit { row in
            let record = try row.get()
            let name = record.domain + "-" + record.path
            switch record.kind {
            case .file: files.insert(name)
            case .directory: directories.insert(name)
            case .link: links[name] = record.target
            }
            return true
        }
        let keychain = "KeychainDomain-keychain-backup.plist"
        #expect(
            files.subtracting([keychain])
                == Set(sample.expected.files.map { $0.domain + "-" + $0.path }).subtracting([keychain]))
        #expect(directories.isSuperset(of: sample.expected.directories.map { $0.domain + "-" + $0.path }))
        #expect(
            links
                == Dictionary(
                    uniqueKeysWithValues: sample.expected.symlinks.map { ($0.domain + "-" + $0.path, $0.target) }))
    }

    @Test("every item is there; those of the encrypted one open", arguments: Sample.all)
    func items(_ sample: Sample) throws {
        let backup = try sample.opened()
        let keychain = try #require(try backup.keychain())
        #expect(keychain.keybag == (try OpenedBackup.keybag(of: backup.manifest)).header.uuid)
        var items: [BackedUpItem] = []
        try keychain.visit { item in
            items.append(try #require(item))
            return true
        }
        #expect(items.count == sample.expected.keychain.count && keychain.count == items.count)
        for expected in sample.expected.keychain {
            let item = try #require(items.first { $0.blob.hex == expected.v_Data })
            #expect(item.table == expected.table && item.reference.hex == expected.v_PersistentRef)
            let blob = try ItemBlob(item.blob)
            #expect(blob.classNumber == expected.class && blob.bytes == item.blob)
            let bulkKey = SecretBox(copying: try #require([UInt8](hexDigits: expected.bulkKey)))
            let plaintext = try blob.opened(with: bulkKey)
            #expect(unsafe plaintext.withBytes { unsafe Array($0).hex } == expected.plaintextDER)
            // The same again with our own hands.
            let sealed = ItemBlob(
                classNumber: blob.classNumber, key: bulkKey, wrappedKey: blob.wrappedKey, plaintext: plaintext)
            #expect(sealed == blob)
            let itemClass = try #require(ItemClass(rawValue: item.table))
            let (stored, secret) = try ItemDictionary.decode(plaintext, of: itemClass)
            let again = ItemDictionary.encode(stored, secret: secret)
            // Parts of the primary key that the others left out are there with their defaults now.
            #expect(again.equals(plaintext) || item.table != "genp")
            #expect(try ItemDictionary.decode(again, of: itemClass).item.primaryKeyBytes == stored.primaryKeyBytes)
            // Of classes that are bound to their device, the key does not open here.
            let opened = try? backup.keys.open(
                WrappedBackupKey(classNumber: blob.classNumber, bytes: blob.wrappedKey))
            let isPortable = backup.manifest.isEncrypted && blob.classNumber <= 8
            #expect(opened.map { $0.equals(bulkKey) } == (isPortable ? true : nil))
        }
    }

    @Test("a wrong password is said to be wrong")
    func wrongPassword() throws {
        let sample = Sample("encrypted")
        #expect(throws: BackupFailure.wrongPassword) {
            try OpenedBackup(BackupFolder.find(sample.path), password: SecretBox(copying: Array("wrong".utf8)))
        }
    }
}
