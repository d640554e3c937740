import Foundation
import LatchkeyBackupFormat
import LatchkeyCryptoSuite
import LatchkeyKeybag
import LatchkeySecretMemory
import Testing

/// Backups of other tools and releases differ in form. Each of these is the encrypted sample, altered as real ones are, and
/// all of its files are read.
@Suite("Backups in other forms") struct ToleranceTests {
    enum Form: String, CaseIterable, Sendable {
        case xmlManifest
        case noInfo
        case noStatus
        case noApplicationsAndLockdown
        case unknownKeysOfLists
        case unknownTagsOfKeybag
        case fourteenClassKeys
        case reversedClassKeys
        case reversedFieldsOfClassKeys
        /// Fields that no reader requires.
        case noHMCK
        case noDPWT
        case noKTYP
        /// Recovery and items: none of them is needed for files.
        case noClassesFiveToEleven
    }

    @Test("every file is read", arguments: Form.allCases)
    func readable(_ form: Form) throws {
        let sample = Sample("encrypted")
        let stage = Folder()
        let path = stage.path + "/backup"
        try FileManager.default.copyItem(atPath: sample.path, toPath: path)
        let password = SecretBox(copying: Array((sample.expected.password ?? "").utf8))
        let altered = try Self.alter(path, form, password)
        #expect(altered, "the sample has nothing to alter for \(form)")
        let backup = try OpenedBackup.opened(BackupFolder.find(path), password: password).backup
        for file in sample.expected.files {
            let id = try #require(FileID(file.fileID))
            let record = try #require(try backup.index.record(id))
            var digest = RunningDigest(.sha256)
            try backup.content(of: record).pieces(tag: nil) { piece in unsafe digest.update(piece) }
            #expect(digest.finish().hex == file.sha256)
        }
        #expect(try #require(try backup.keychain()).count == sample.expected.keychain.count)
    }

    /// Found by fuzzing: such a manifest was accepted, and ended the program that wrote it again.
    @Test("a class that does not exist in any keybag makes a manifest damaged")
    func classOfIndex() throws {
        let sample = Sample("encrypted")
        let list = try Data(contentsOf: URL(fileURLWithPath: sample.path + "/Manifest.plist"))
        var altered = try #require(
            try PropertyListSerialization.propertyList(from: list, format: nil) as? [String: Any])
        for (highest, isRead) in [(UInt8(0), true), (1, false), (255, false)] {
            var key = try #require(altered["ManifestKey"] as? Data)
            key[key.startIndex + 3] = highest
            altered["ManifestKey"] = key
            let bytes = try PropertyListSerialization.data(fromPropertyList: altered, format: .binary, options: 0)
            if isRead {
                #expect(try BackupManifest(Array(bytes)).encoded.isEmpty == false)
            } else {
                #expect(throws: BackupFailure.damaged("Manifest.plist")) { try BackupManifest(Array(bytes)) }
            }
        }
    }

    /// Returns false if nothing was changed.
    private static func alter(_ path: String, _ form: Form, _ password: SecretBox) throws -> Bool {
        let manifest = URL(fileURLWithPath: path + "/Manifest.plist")
        let before = try Data(contentsOf: manifest)
        let list = try #require(try PropertyListSerialization.propertyList(from: before, format: nil) as? [String: Any])
        var altered = list
        var format = PropertyListSerialization.PropertyListFormat.binary
        switch form {
        case .noInfo:
            try FileManager.default.removeItem(atPath: path + "/Info.plist")
            return true
        case .noStatus:
            try FileManager.default.removeItem(atPath: path + "/Status.plist")
            return true
        case .xmlManifest: format = .xml
        case .noApplicationsAndLockdown:
            altered["Applications"] = nil
            altered["Lockdown"] = nil
        case .unknownKeysOfLists:
            altered["NewIn30"] = ["a": [1, 2.5, Date(), Data([1]), true] as [Any]]
            for name in ["Info.plist", "Status.plist"] {
                let url = URL(fileURLWithPath: path + "/" + name)
                var other = try #require(
                    try PropertyListSerialization.propertyList(from: Data(contentsOf: url), format: nil)
                        as? [String: Any])
                other["NewIn30"] = "text"
                try PropertyListSerialization.data(fromPropertyList: other, format: .xml, options: 0).write(to: url)
            }
        case .unknownTagsOfKeybag, .fourteenClassKeys, .reversedClassKeys, .reversedFieldsOfClassKeys, .noHMCK, .noDPWT,
            .noKTYP, .noClassesFiveToEleven:
            var keybag = KeybagFields(try #require(list["BackupKeyBag"] as? Data))
            switch form {
            case .unknownTagsOfKeybag:
                keybag.header.append(("NEWT", [1, 2, 3]))
                for place in keybag.classes.indices { keybag.classes[place].append(("NEWC", [])) }
            case .fourteenClassKeys:
                let header = try Keybag(parsing: keybag.bytes).header
                let passcodeKey = try BackupKeybag.passcodeKey(for: password, header: header)
                let key = AESKeyWrap.wrap(SecretBox(copying: [UInt8](repeating: 7, count: 32)), with: passcodeKey)
                for number in UInt8(12)..<UInt8(26 - keybag.classes.count) {
                    keybag.classes.append([
                        ("UUID", [UInt8](repeating: number, count: 16)), ("CLAS", [0, 0, 0, number]),
                        ("WRAP", [0, 0, 0, 2]), ("KTYP", [0, 0, 0, 0]), ("WPKY", key),
                    ])
                }
            case .reversedClassKeys: keybag.classes.reverse()
            case .noHMCK: keybag.header.removeAll { $0.tag == "HMCK" }
            case .noDPWT: keybag.header.removeAll { $0.tag == "DPWT" }
            case .noKTYP:
                for place in keybag.classes.indices { keybag.classes[place].removeAll { $0.tag == "KTYP" } }
            case .noClassesFiveToEleven:
                keybag.classes.removeAll { fields in
                    fields.contains { $0.tag == "CLAS" && (5...11).contains($0.value[3]) }
                }
            default:
                for place in keybag.classes.indices {
                    // The identifier begins each key.
                    keybag.classes[place] = [keybag.classes[place][0]] + keybag.classes[place].dropFirst().reversed()
                }
            }
            altered["BackupKeyBag"] = Data(keybag.bytes)
        }
        let after = try PropertyListSerialization.data(fromPropertyList: altered, format: format, options: 0)
        try after.write(to: manifest)
        return after != before
    }
}

/// The fields of a keybag in their order: a tag, a length, a value.
private struct KeybagFields {
    typealias Field = (tag: String, value: [UInt8])

    var header: [Field] = []
    var classes: [[Field]] = []

    init(_ data: Data) {
        var rest = Array(data)[...]
        while rest.count >= 8 {
            let tag = String(decoding: rest.prefix(4), as: UTF8.self)
            let count = rest.dropFirst(4).prefix(4).reduce(0) { $0 << 8 | Int($1) }
            let field = Field(tag, Array(rest.dropFirst(8).prefix(count)))
            rest = rest.dropFirst(8 + count)
            // The second identifier is that of the first key.
            if tag == "UUID", header.contains(where: { $0.tag == "UUID" }) { classes.append([]) }
            if classes.isEmpty { header.append(field) } else { classes[classes.count - 1].append(field) }
        }
    }

    var bytes: [UInt8] {
        (header + classes.joined()).flatMap { field -> [UInt8] in
            let count = field.value.count
            return Array(field.tag.utf8) + [0, 0, UInt8(count >> 8), UInt8(count & 0xFF)] + field.value
        }
    }
}
