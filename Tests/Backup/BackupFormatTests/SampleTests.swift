import LatchkeyBackupFormat
import LatchkeyBackupItems
import LatchkeyCryptoSuite
import LatchkeyItemModel
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@testable import LatchkeyKeybag

@Suite("Backups that others made")
struct SampleTests {
    @Test("every file has its content, its class and its size", arguments: Sample.all)
    func files(_ sample: Sample) throws {
        let backup = try sample.opened()
        #expect(backup.manifest.isEncrypted == (sample.kind == "encrypted"))
        #expect(backup.manifest.indexKey?.classNumber == sample.expected.manifestKeyClass)
        let indexKey = try backup.manifest.indexKey.map { try backup.keys.open($0) }
        #expect(indexKey.map { unsafe $0.withBytes { unsafe Array($0).hex } } == sample.expected.manifestKey)
        for file in sample.expected.files {
            let id = try #require(FileID(file.fileID))
            let record = try #require(try backup.index.record(id))
            #expect(record.fileID == id)
            #expect(record.domain.name == file.domain && record.path == file.path && record.kind == .file)
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
            let name = record.domain.name + "-" + record.path
            switch record.kind {
            case .file: files.insert(name)
            case .directory: directories.insert(name)
            case .link: links[name] = record.target
            }
            return true
        }
        #expect(files == Set(sample.expected.files.map { $0.domain + "-" + $0.path }))
        #expect(directories == Set(sample.expected.directories.map { $0.domain + "-" + $0.path }))
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
        let onDevice = try Self.classKeysOnDevice(sample, backup)
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
            try Self.compare(expected, plaintext)
            // Of classes that are bound to their device, the key does not open here.
            let wrapped = WrappedBackupKey(classNumber: blob.classNumber, bytes: blob.wrappedKey)
            let opened = try? backup.keys.open(wrapped)
            let isPortable = backup.manifest.isEncrypted && blob.classNumber <= 8
            #expect(opened.map { $0.equals(bulkKey) } == (isPortable ? true : nil))
            // With the key of the device it does.
            let device = try #require(onDevice[blob.classNumber])
            #expect(try AESKeyWrap.unwrap(blob.wrappedKey, with: device).equals(bulkKey))
        }
    }

    /// The class keys as the device that made the backup has them: with its key 0x835.
    private static func classKeysOnDevice(_ sample: Sample, _ backup: OpenedBackup) throws -> [Int: SecretBox] {
        let keybag = try OpenedBackup.keybag(of: backup.manifest)
        let layer = BackupDeviceLayer(
            key: SecretBox(copying: try #require([UInt8](hexDigits: sample.expected.key835))))
        let password = SecretBox(copying: Array((sample.expected.password ?? "").utf8))
        var keys: [Int: SecretBox] = [:]
        for (number, key) in try BackupKeybag.open(keybag, password: password) {
            switch key {
            case .open(let key): keys[Int(number)] = key
            case .stillBoundToDevice(let inner): keys[Int(number)] = layer.removed(from: inner)
            }
        }
        let found = Dictionary(
            uniqueKeysWithValues: keys.map { ("\($0.key)", unsafe $0.value.withBytes { unsafe Array($0).hex }) })
        #expect(found == sample.expected.classKeys)
        return keys
    }

    /// Reads the attributes of an item, and writes it again to the byte.
    private static func compare(_ expected: Sample.Expected.Item, _ plaintext: SecretBox) throws {
        let itemClass = try #require(ItemClass(rawValue: expected.table))
        let (item, secret) = try ItemDictionary.decode(plaintext, of: itemClass)
        var read = item.digestedAttributes
        read["sha1"] = item.attributes[.digest]
        read["tomb"] = .integer(ItemDictionary.isTombstone(plaintext) ? 1 : 0)
        // There is a single user.
        read["musr"] = .data([])
        read["v_Data"] = secret.map { unsafe .data($0.withBytes { unsafe Array($0) }) }
        // Parts of the primary key that the others left out are there with their defaults.
        let wanted = try expected.values()
        var defaults: [String: PropertyValue] = [:]
        for part in ItemSchema.of(itemClass)?.primaryKey ?? [] where wanted[part.name.rawValue] == nil {
            defaults[part.name.rawValue] = part.defaultValue
        }
        #expect(read == wanted.merging(defaults) { one, _ in one })
        #expect(defaults.isEmpty || expected.table != "genp")

        let again = ItemDictionary.encode(item, secret: secret)
        let bytes = DERWriter.encode(.dictionary(wanted.merging(defaults) { one, _ in one }))
        #expect(unsafe again.withBytes { unsafe Array($0) } == bytes)
        // Without the defaults these are the bytes of the others.
        #expect(DERWriter.encode(.dictionary(wanted)).hex == expected.plaintextDER)
        #expect(try ItemDictionary.decode(again, of: itemClass).item.primaryKeyBytes == item.primaryKeyBytes)
    }

    @Test("a wrong password is said to be wrong")
    func wrongPassword() throws {
        let sample = Sample("encrypted")
        #expect(throws: BackupFailure.wrongPassword) {
            _ = try OpenedBackup.opened(
                BackupFolder.find(sample.path), password: SecretBox(copying: Array("wrong".utf8)))
        }
    }
}
