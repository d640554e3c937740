import Foundation
import LatchkeyAccessControl
import LatchkeyAsymmetricKeys
import LatchkeyBackupFormat
import LatchkeyBackupItems
import LatchkeyBinaryPropertyList
import LatchkeyCodeSignature
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncTransport

@testable import LatchkeyBackupRun
@testable import LatchkeyCertificates
@testable import LatchkeyLocalTransport
@testable import LatchkeySyncKeys
@testable import LatchkeyVolume

/// Writes the small corpus from which the fuzzer starts: one well-formed input per message, so that it need not invent
/// the framing. `Scripts/fuzz --seeds` runs it after a format changed.
enum Seeds {
    static let folder = URL(fileURLWithPath: CommandLine.arguments[1])

    static func write(_ target: String, _ name: String, _ bytes: [UInt8]) throws {
        let directory = folder.appending(path: target)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try Data(bytes).write(to: directory.appending(path: name))
    }

    static func writeAll() throws {
        try frames()
        try propertyLists()
        try keybags()
        try mailbox()
        try messages()
        try programs()
        try accessControls()
        try certificates()
        try enclaveKeys()
        try keys()
        try commonCrypto()
        try protectedFiles()
        try volumes()
        try backups()
        try backupFiles()
        try syncObjects()
        try transport()
        try etcd()
    }

    /// Answers that Debian's etcd 3.4.23 gave.
    static func etcd() throws {
        let header = #""header":{"cluster_id":"324952591200643719","member_id":"1","revision":"9","raft_term":"2"}"#
        let entry = #"{"key":"aC8x","create_revision":"4","mod_revision":"8","version":"2","value":"AP8="}"#
        let answers = [
            "base64": "aC8xAP8=",
            "done": #"{\#(header),"succeeded":true,"responses":[{"response_put":{"header":{"revision":"9"}}},"#
                + #"{"response_range":{"header":{"revision":"9"},"kvs":[\#(entry)],"more":true,"count":"4"}}]}"#,
            "not-done": "{\(header)}",
            "created": #"{"result":{\#(header),"watch_id":"1","created":true}}"#,
            "news": #"{"result":{\#(header),"events":[{"kv":\#(entry)},{"type":"DELETE","kv":{"key":"aC8x"}}]}}"#,
            "compacted": #"{"result":{\#(header),"canceled":true,"compact_revision":"4","cancel_reason":"no"}}"#,
            "no-leader": #"{"error":{"grpc_code":14,"http_code":503,"message":"etcdserver: no leader"}}"#,
            "refusal": #"{"error":"etcdserver: \u0061","message":"a","code":9}"#,
            "token": #"{\#(header),"token":"cGDBYxmWsKZMYfKq.9"}"#,
        ]
        for (name, text) in answers { try write("etcd", name, Array(text.utf8)) }
    }

    /// Each question to the transport, an answer to each, and a failure.
    static func transport() throws {
        guard let circle = CircleIdentifier([UInt8](repeating: 1, count: 16)),
            let device = DeviceIdentifier([UInt8](repeating: 2, count: 16))
        else { fatalError("an identifier has 16 bytes") }
        let seat = CircleSeat(circle: circle, device: device)
        let (name, mark) = (StoreObjectName.head(device), HeadMark(of: [1]))
        func write<Question: TransportQuestion>(_ question: Question, _ answer: Question.Answer) throws {
            let number = Question.number
            try Self.write("transport", "question-\(number)", TransportCoding.encode(question))
            try Self.write("transport", "answer-\(number)", TransportCoding.encode(answer, to: question))
        }
        try write(ListCircles(), CircleList([circle]))
        try write(ListObjects(seat, .heads), StoreListing(names: [name]))
        try write(ReadObjects(seat, [name]), StoreReading(objects: [name: [1, 2]], damaged: [name], rest: [name]))
        try write(CreateObjects(seat, [name: [1, 2]]), TransportDone())
        try write(PublishHead(seat, [name: [1]], head: [1, 2], replacing: mark), mark)
        try write(RemoveObjects(seat, [name]), TransportDone())
        try write(AwaitHint(seat, seconds: 60), .changed)
        try write(DescribeStore(), StoreText("folder:/srv/sync"))
        try Self.write("transport", "failure", TransportCoding.encode(.taken(name)))
    }

    /// One object of each kind.
    static func syncObjects() throws {
        let targets = [
            "statement": "syncstatement", "head": "synchead", "segment": "syncsegment", "snapshot-part": "syncsnapshot",
            "invitation": "syncinvitation", "join-request": "syncrequest", "evidence": "syncevidence",
            "records": "syncrecords",
        ]
        for (name, target) in targets {
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "Fixtures/Sync/1/\(name)")))
            try write(target, name, bytes)
            if name == "statement" { try write("syncframe", name, bytes) }
        }
        try codes("recovery", RecoveryCode(generating: Steps()).text)
        try codes("invitation", InvitationCode(generating: Steps()).text)
        let padded = ContentPadding.padded(SecretBox(copying: Array("content".utf8)))
        try write("syncsealed", "padded", padded.withBytes { Array($0) })
        let description = [UInt8(6)] + Array("laptop".utf8) + [8] + Array("Latchkey".utf8)
        try write("syncsealed", "description", description + [UInt8](repeating: 0, count: 64 - description.count))
    }

    /// A code as it is shown, and as a person may type it.
    private static func codes(_ name: String, _ text: SecretBox) throws {
        let shown = text.withBytes { Array($0) }
        try write("synccode", name, shown)
        let typed = String(decoding: shown, as: UTF8.self).lowercased()
            .replacing("-", with: " ").replacing("1", with: "l").replacing("0", with: "o")
        try write("synccode", name + "-typed", Array(typed.utf8))
    }

    /// Numbers that are the same each time.
    private struct Steps: Entropy {
        func fill(_ output: UnsafeMutableRawBufferPointer) {
            for index in output.indices { output[index] = UInt8(truncatingIfNeeded: index * 7 + 3) }
        }
    }

    /// A manifest in both forms, a list of items, records of each kind, and items of each class.
    static func backups() throws {
        let description = LatchkeyBackupFormat.DeviceDescription(
            identifier: String(repeating: "ab", count: 20), name: "seed", serialNumber: "LK0001",
            productType: "Latchkey1,1", productVersion: "14.3", buildVersion: "18C66")
        let manifest = BackupManifest(
            keybag: [UInt8](repeating: 1, count: 64), isEncrypted: true,
            indexKey: WrappedBackupKey(classNumber: 4, bytes: [UInt8](repeating: 2, count: 40)), wasPasscodeSet: true,
            date: 700_000_000, device: description,
            applications: [BackupManifest.Application(identifier: "com.example.app", path: "/app")])
        try write("backuplist", "manifest", manifest.encoded)
        let list = try PropertyListSerialization.propertyList(from: Data(manifest.encoded), format: nil)
        try write(
            "backuplist", "manifest-xml",
            Array(try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)))
        try write(
            "backuplist", "info",
            BackupInfo(device: description, applications: ["com.example.app"], date: 700_000_000, maker: "12").encoded)
        try write(
            "backuplist", "status",
            BackupStatus(isFull: true, isFinished: true, date: 700_000_000, uuid: "UUID").encoded)
        var items: [UInt8] = []
        var writer = KeychainBackupWriter(keybag: [UInt8](repeating: 3, count: 16))
        for table in BackedUpItem.tables {
            let item = BackedUpItem(table: table, blob: [UInt8](repeating: 4, count: 80), reference: [5])
            try writer.add(item) { items += $0 }
        }
        try writer.finish { items += $0 }
        try write("backuplist", "items", items)

        for kind in [FileRecord.Kind.file, .directory, .link] {
            var record = FileRecord(domain: "HomeDomain", path: "Library/file", kind: kind, mode: 0o644)
            if kind == .file {
                record.wrappedKey = [UInt8](repeating: 6, count: 40)
                record.tag = [UInt8](repeating: 7, count: 28)
            }
            if kind == .link { record.target = "elsewhere" }
            record.attributes = ["user.note": [8]]
            try write("backuprecord", "\(kind)", [UInt8(kind.rawValue)] + record.archive)
        }

        for itemClass in ItemClass.allCases where itemClass != .identity {
            let item = StoredItem(
                itemClass: itemClass, attributes: [:], accessGroup: "group", accessible: .whenUnlocked,
                accessControl: AccessControl(protection: .whenUnlocked), isSynchronizable: false,
                creationDate: 1, modificationDate: 2, identifier: [])
            let plaintext = ItemDictionary.encode(item, secret: secret)
            try write("backupitem", itemClass.rawValue, plaintext.withBytes { Array($0) })
            let blob = ItemBlob(
                classNumber: 6, key: key, wrappedKey: [UInt8](repeating: 9, count: 40), plaintext: plaintext)
            try write("backupitem", itemClass.rawValue + "-sealed", blob.bytes)
        }
    }

    /// Indexes, states of the last run, marks of a whole run, payloads, and keybags of backups and hosts.
    static func backupFiles() throws {
        let index = try BackupIndex()
        try write("backupindex", "empty", index.encoded())
        try index.change { changes in
            for (number, kind) in [FileRecord.Kind.directory, .file, .link, .file].enumerated() {
                var record = FileRecord(domain: "HomeDomain", path: "\(number)", kind: kind, mode: 0o644)
                if kind == .link { record.target = "elsewhere" }
                try changes.put(record)
            }
        }
        try write("backupindex", "rows", index.encoded())

        let stamp = FileStamp([UInt8](repeating: 3, count: FileStamp.byteCount)[...])
        var state = RunState(keybag: [UInt8](repeating: 4, count: 16))
        for (name, isEncrypted) in [("empty", false), ("clear", false), ("sealed", true)] {
            if name != "empty" {
                for (number, isDoubtful) in [true, false].enumerated() {
                    state.files[FileID(domain: "HomeDomain", path: "\(number)")] = RunState.File(
                        stamp: stamp, isDoubtful: isDoubtful)
                }
            }
            let bytes = state.encoded(
                key: isEncrypted ? key : nil, wrappedKey: isEncrypted ? [UInt8](repeating: 2, count: 40) : [],
                entropy: SystemEntropy())
            try write("backupstate", name, bytes)
        }

        let magic = "latchkey-backup-commit-1\n"
        let numbers = ["kept", "other"].map { FileID(domain: "HomeDomain", path: $0).description }
        for (name, text) in [
            ("empty", ""), ("none", magic), ("one", magic + numbers[0] + "\n"),
            ("two", magic + numbers.joined(separator: "\n")), ("outside", magic + "../outside\n"),
        ] {
            try write("backupcommit", name, Array(text.utf8))
        }

        for kind in UInt8(0)..<4 {
            for count in [0, 1, 16, 48] {
                try write("backuppayload", "\(kind)-\(count)", [kind] + (0..<count).map { UInt8($0) })
            }
        }

        let hardwareKey = HardwareKey(uid: SecretBox(copying: [UInt8](repeating: 7, count: HardwareKey.byteCount)))
        for isEncrypted in [true, false] {
            let round = BackupPasswordParameters.Round(salt: [UInt8](repeating: 5, count: 20), iterations: 1)
            guard let parameters = BackupPasswordParameters(first: isEncrypted ? round : nil, second: round) else {
                continue
            }
            let made = BackupClassKeys.made(
                parameters, passcodeKey: key, isEncrypted: isEncrypted, on: hardwareKey, entropy: SystemEntropy())
            try write("backupkeybag", isEncrypted ? "encrypted" : "clear", made.keybag.bytes)
        }
        let fresh = SystemKeybag.fresh(on: hardwareKey, settings: DeviceSettings(), entropy: SystemEntropy())
        let locked = try fresh.rewrapped(
            fresh.openWithoutPasscode(), passcode: secret, log2Cost: 2, entropy: SystemEntropy())
        let host = EscrowKeybag.made(of: locked.keys, for: locked.keybag, on: hardwareKey, entropy: SystemEntropy())
        try write("backupkeybag", "host", host.keybag.keybag.bytes)
    }

    /// Descriptions, with and without a checksum made right, and names of entries of each kind.
    static func volumes() throws {
        guard let identifier = FileIdentifier([UInt8](repeating: 5, count: FileIdentifier.byteCount)) else { return }
        for protection in [FileProtection.complete, .none] {
            let bytes = VolumeDescription(
                identifier: identifier, defaultProtection: protection, wrappedKey: [UInt8](repeating: 3, count: 40)
            ).encoded()
            try write("volume", "description-\(protection.keyClass.rawValue)", bytes + [0])
            try write("volume", "repaired-\(protection.keyClass.rawValue)", Array(bytes[4..<72]) + [1])
        }
        let names = ["letter.txt", String(repeating: "n", count: 200), ".new-abc", "+abc", "=abc", "AAAA", "a b"]
        for (number, name) in names.enumerated() { try write("volume", "name-\(number)", Array(name.utf8) + [0]) }
    }

    /// Alterations: nothing, one byte of each part of a header copy (with and without its key), and a cut.
    static func protectedFiles() throws {
        for (number, offset) in [8, 16, 32, 40, 48, 72, 96, 98, 100, 0x2100, 0x3100].enumerated() {
            for flags in UInt8(0)..<2 {
                let bytes = [flags, UInt8(offset >> 8), UInt8(offset & 0xFF), 0xFF]
                try write("protectedfile", "byte-\(flags)-\(number)", bytes)
            }
        }
        try write("protectedfile", "whole", [0])
        try write("protectedfile", "cut", [0x42])
    }

    /// Scripts of calls: each kind of them with a few choices of cipher and lengths.
    static func commonCrypto() throws {
        for kind in UInt8(0)..<6 {
            for choice in UInt8(0)..<4 {
                let calls = (UInt8(0)..<96).map { $0 &* (37 &+ 2 &* choice) &+ choice }
                try write("commoncrypto", "\(kind)-\(choice)", [kind, choice << 1, choice, choice, 0] + calls)
            }
        }
    }

    static func keys() throws {
        let kinds: [(String, KeyKind)] =
            Curve.allCases.map { ("p\($0.rawValue)", .ellipticCurve($0)) } + [
                ("rsa512", .rsa(bits: 512)), ("rsa1024", .rsa(bits: 1024)),
            ]
        for (name, kind) in kinds {
            let key = try PrivateKey(generating: kind)
            let word = SecretBox(copying: Array("word".utf8))
            let scheme: SignatureAlgorithm.Scheme = kind.type == .rsa ? .rsaPKCS1 : .ecdsaX962
            let forms: [(String, [UInt8])] = [
                ("public", key.publicKey.externalRepresentation), ("info", key.publicKey.subjectPublicKeyInfo),
                ("text", Array(key.publicKey.pem.utf8)),
                ("private", key.externalRepresentation.withBytes { Array($0) }),
                ("pkcs8", key.pkcs8(passphrase: nil).withBytes { Array($0) }),
                ("pem", key.pem(passphrase: nil).withBytes { Array($0) }),
                ("sealed", key.pkcs8(passphrase: word).withBytes { Array($0) }),
                ("signature", try key.sign([1], SignatureAlgorithm(scheme, .sha256, takesMessage: true))),
            ]
            for (form, bytes) in forms { try write("keys", "\(name)-\(form)", bytes) }
        }
    }

    static func enclaveKeys() throws {
        let rules: [(ProtectionClass, AccessControlFlags)] = [
            (.whenUnlocked, []), (.always, .userPresence), (.whenPasscodeSetThisDeviceOnly, .biometryCurrentSet),
            (.afterFirstUnlock, .applicationPassword),
        ]
        for (index, (protection, flags)) in rules.enumerated() {
            let control = try AccessControl(protection: protection, flags: flags.union(.privateKeyUsage))
            guard let bound = control.bound(to: EnrolmentSet(context.bytes)),
                let identifier = EnclaveKeyIdentifier(context.bytes)
            else { continue }
            let blob = try EnclaveKeyBlob(
                identifier: identifier, publicKey: [4] + [UInt8](repeating: 9, count: 64), secret: key,
                accessControl: bound, classKey: key,
                deviceKey: key, sealKey: key, passwordKey: flags.contains(.applicationPassword) ? key : nil,
                entropy: SystemEntropy())
            if let blob { try write("enclavekey", "rule-\(index)", blob.bytes) }
        }
        for kind in EnclaveKeyKind.allCases where kind != .p256 {
            let control = try AccessControl(protection: .whenUnlocked, flags: .privateKeyUsage)
            guard let bound = control.bound(to: nil), let identifier = EnclaveKeyIdentifier(context.bytes) else {
                continue
            }
            let blob = try EnclaveKeyBlob(
                kind: kind, identifier: identifier, publicKey: [UInt8](repeating: 9, count: kind.publicKeyByteCount),
                secret: SecretBox(copying: [UInt8](repeating: 3, count: kind.secretByteCount)), accessControl: bound,
                classKey: key, deviceKey: key, sealKey: key, passwordKey: nil, entropy: SystemEntropy())
            if let blob { try write("enclavekey", "kind-\(kind)", blob.bytes) }
        }
    }

    /// Writes certificates of a fresh key, which no issuer signed: only trust looks at that.
    static func certificates() throws {
        let key = try PrivateKey(generating: .ellipticCurve(.p256))
        let name = der(0x30, der(0x31, der(0x30, [6, 3, 0x55, 4, 3], der(0x13, Array("Name  x".utf8)))))
        let names: [[UInt8]] = [
            der(0x81, Array("a@example.com".utf8)), der(0x82, Array("example.com".utf8)), [0x87, 4, 127, 0, 0, 1],
            der(0xA4, name),
        ]
        let extensions: [[UInt8]] = [
            der(0x30, [6, 3, 0x55, 0x1D, 17], der(4, der(0x30, names.flatMap { $0 }))),
            der(0x30, [6, 3, 0x55, 0x1D, 19, 1, 1, 0xFF], der(4, [0x30, 6, 1, 1, 0xFF, 2, 1, 0])),
            der(0x30, [6, 3, 0x55, 0x1D, 15], der(4, [3, 2, 1, 6])),
            der(0x30, [6, 3, 0x55, 0x1D, 14], der(4, [4, 2, 1, 2])),
            der(0x30, [6, 3, 0x55, 0x1D, 37], der(4, [0x30, 10, 6, 8, 0x2B, 6, 1, 5, 5, 7, 3, 1])),
            der(0x30, [6, 3, 0x55, 0x1D, 35], der(4, [0x30, 4, 0x80, 2, 1, 2])),
        ]
        let plain = certificate(key, name, [])
        try write("certificate", "plain", plain)
        for (index, one) in extensions.enumerated() {
            try write("certificate", "extension-\(index)", certificate(key, name, der(0xA3, der(0x30, one))))
        }
        try write("certificate", "all", certificate(key, name, der(0xA3, der(0x30, extensions.flatMap { $0 }))))
        try write("certificate", "name", name)
        let read = try Certificate(der: plain)
        try write("certificate", "text", Array(read.pem.utf8))
        try personalInformation(key, read)
    }

    static func personalInformation(_ key: PrivateKey, _ certificate: Certificate) throws {
        let identity = PKCS12File.Identity(
            key: key, certificate: certificate, label: "label", keyIdentifier: nil)
        let passphrase = SecretBox(copying: Array("x".utf8))
        let whole = try PKCS12File.pkcs12(
            of: identity, chain: [certificate], passphrase: passphrase, rounds: 1)
        try write("pkcs12", "checked", whole.withBytes { Array($0) })
        let plainKey = key.pkcs8(passphrase: nil).withBytes { Array($0) }
        let sealedKey = key.pkcs8(passphrase: passphrase).withBytes { Array($0) }
        let label = der(0x30, pkcs([9, 20]), der(0x31, der(0x1E, [0, 0x61])))
        let identifier = der(0x30, pkcs([9, 21]), der(0x31, der(4, [1, 2])))
        let attributes = der(0x31, label, identifier)
        func bag(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
            der(0x30, pkcs([12, 10, 1, number]), der(0xA0, content), attributes)
        }
        let old = der(
            0x30, der(0x30, pkcs([12, 1, 6]), der(0x30, der(4, [1, 2]), [2, 1, 1])),
            der(4, [UInt8](repeating: 7, count: 64)))
        let bags: [(String, [UInt8])] = [
            ("key", bag(1, plainKey)), ("sealed", bag(2, sealedKey)), ("old", bag(2, old)),
            ("certificate", bag(3, der(0x30, pkcs([9, 22, 1]), der(0xA0, der(4, certificate.der))))),
            ("secret", bag(5, der(0x30, [6, 2, 0x2A, 3], der(0xA0, [4, 0])))),
        ]
        for (name, bag) in bags { try write("pkcs12", name, file(bag)) }
        let all = bags.filter { $0.0 != "old" && $0.0 != "sealed" }.flatMap(\.1)
        try write("pkcs12", "all", file(all))
        try write("pkcs12", "nested", file(bag(6, der(0x30, bag(6, der(0x30, all))))))
    }

    /// A PKCS#12 file of bags without encryption and check value.
    static func file(_ bags: [UInt8]) -> [UInt8] {
        func safe(_ content: [UInt8]) -> [UInt8] { der(0x30, pkcs([7, 1]), der(0xA0, der(4, content))) }
        return der(0x30, [2, 1, 3], safe(der(0x30, safe(der(0x30, bags)))))
    }

    static func certificate(_ key: PrivateKey, _ name: [UInt8], _ rest: [UInt8]) -> [UInt8] {
        let algorithm = der(0x30, [6, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2])
        let dates = der(0x30, der(0x17, Array("250101000000Z".utf8)), der(0x18, Array("20990101000000Z".utf8)))
        let inside = der(
            0x30, [0xA0, 3, 2, 1, 2, 2, 1, 7], algorithm, name, dates, name, key.publicKey.subjectPublicKeyInfo, rest)
        return der(0x30, inside, algorithm, der(3, [0, 0x30, 6, 2, 1, 1, 2, 1, 1]))
    }

    /// An object identifier beneath 1.2.840.113549.1.
    static func pkcs(_ numbers: [UInt8]) -> [UInt8] { der(6, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1] + numbers) }

    static func der(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] { DERCursor.encode(tag, parts.flatMap { $0 }) }

    static func accessControls() throws {
        for (index, protection) in ProtectionClass.allCases.enumerated() {
            try write("accesscontrol", "plain-\(index)", AccessControl(protection: protection).serialised)
        }
        let rules: [AccessControlFlags] = [
            .userPresence, .biometryAny, .biometryCurrentSet, [.devicePasscode, .biometryCurrentSet, .or],
            [.applicationPassword, .privateKeyUsage],
        ]
        for (index, flags) in rules.enumerated() {
            let control = try AccessControl(protection: .whenUnlocked, flags: flags)
            try write("accesscontrol", "rule-\(index)", control.serialised)
            guard let bound = control.bound(to: EnrolmentSet(context.bytes)) else { continue }
            try write("accesscontrol", "bound-\(index)", bound.serialised)
        }
    }

    static let context = ContextIdentifier([UInt8](repeating: 6, count: ContextIdentifier.byteCount))!

    static let secret = SecretBox(copying: Array("secret".utf8))
    static let key = SecretBox(copying: [UInt8](repeating: 1, count: 32))

    static func frames() throws {
        let messages = [
            WireMessage(body: Array("body".utf8)), WireMessage(body: [], secrets: [secret]),
            WireMessage(body: Array("body".utf8), secrets: [secret, SecretBox(copying: []), secret]),
        ]
        for (index, message) in messages.enumerated() {
            let header = FrameHeader(kind: .message, message: message, nonce: Nonce(1, 2))
            var bytes = [UInt8](repeating: 0, count: FrameHeader.byteCount + header.contentCount)
            bytes.withUnsafeMutableBytes {
                header.write(to: $0)
                FrameContent.write(message, to: UnsafeMutableRawBufferPointer(rebasing: $0[FrameHeader.byteCount...]))
            }
            try write("frame", "message-\(index)", bytes)
        }
    }

    static let query: [String: PropertyValue] = [
        "class": .string("genp"), "acct": .string("account"), "svce": .data([1, 2]), "type": .integer(-7),
        "cdat": .date(1.5), "sync": .boolean(true), "pdmn": .string("ak"), "v_Data": .secret(0),
        "r_Data": .boolean(true),
        "m_Limit": .string("m_LimitAll"), "accc": .reference(kind: "SecAccessControl", bytes: [1]),
        "agrp": .string("g"),
    ]

    static func propertyLists() throws {
        for target in ["propertylist", "query"] {
            try write(target, "query", DERWriter.encode(.dictionary(query)))
            try write(target, "nested", DERWriter.encode(.array([.null, .array([.dictionary(["k": .array([])])])])))
        }
        for (name, value) in query {
            let pairs = ["class": PropertyValue.string("inet")].merging([name: value]) { $1 }
            try write("query", "one-\(name)", DERWriter.encode(.dictionary(pairs)))
        }
        try write(
            "query", "pairs",
            DERWriter.encode(
                .array([.string("class"), .string("genp"), .integer(4), .null, .string("acct"), .string("a")])))
        try write(
            "query", "reference",
            DERWriter.encode(
                .dictionary(["v_PersistentRef": .data(Array("inet".utf8) + [UInt8](repeating: 1, count: 16))])))
        for (name, pairs) in objects { try write("query", name, DERWriter.encode(.dictionary(pairs))) }
    }

    /// Queries for keys, certificates and identities.
    private static let objects: [String: [String: PropertyValue]] = [
        "key": [
            "class": .string("keys"), "kcls": .string("1"), "type": .string("73"), "bsiz": .integer(256),
            "klbl": .data([1]), "atag": .data([2]), "sdat": .date(0), "sign": .boolean(true), "r_Ref": .boolean(true),
        ],
        "token-key": [
            "class": .string("keys"), "tkid": .string("com.apple.setoken"), "toid": .data([1, 2]),
            "klbl": .string("label"),
        ],
        "certificate": [
            "class": .string("cert"), "ctyp": .integer(3), "issr": .data([0x30, 0]), "slnr": .data([1]),
            "m_Issuers": .array([.data([0x30, 0])]), "m_Policy": .reference(kind: "SecPolicy", bytes: [1]),
            "m_ValidOnDate": .null, "m_TrustedOnly": .boolean(true), "m_EmailAddressIfPresent": .string("a@b"),
        ],
        "identity": [
            "class": .string("idnt"), "labl": .string("label"), "skid": .data([1]), "klbl": .data([2]),
            "subj": .data([0x30, 0]), "priv": .integer(1),
        ],
        "added-identity": [
            "class": .string("idnt"), "labl": .string("label"),
            "v_Ref": .dictionary(["cert": .dictionary(["ctyp": .integer(3)]), "keys": .dictionary([:])]),
        ],
        "token-reference": [
            "v_PersistentRef": .data(
                Array("tkpr".utf8)
                    + DERWriter.encode(.array([.string("keys"), .string("com.apple.setoken"), .data([1])])))
        ],
    ]

    static func keybags() throws {
        let hardwareKey = HardwareKey(uid: SecretBox(copying: [UInt8](repeating: 7, count: HardwareKey.byteCount)))
        let fresh = SystemKeybag.fresh(on: hardwareKey, settings: DeviceSettings(), entropy: SystemEntropy())
        try write("keybag", "fresh", fresh.keybag.bytes)
        let keys = try fresh.openWithoutPasscode()
        let locked = try fresh.rewrapped(keys, passcode: secret, log2Cost: 2, entropy: SystemEntropy())
        try write("keybag", "passcode", locked.keybag.keybag.bytes)
    }

    /// The messages that the tests hold to their bytes.
    static func mailbox() throws {
        let text = try String(contentsOfFile: "Fixtures/Mailbox/1.txt", encoding: .utf8)
        for (index, line) in text.split(separator: "\n").filter({ !$0.hasPrefix("#") }).enumerated() {
            let fields = line.split(separator: " ")
            guard fields.count == 3, let body = Hexadecimal.bytes(from: Array(fields[1].utf8)),
                let count = Int(fields[2])
            else { fatalError("not a message: \(line)") }
            let secrets = [SecretBox](repeating: key, count: count)
            try write("mailbox", "\(fields[0])-\(index)", input(body: body, secrets: secrets))
        }
    }

    static func messages() throws {
        let pairs = query.map { QueryPair($0.key, $0.value) }
        for operation in ItemOperation.allCases {
            let request = ItemRequest(
                operation: operation, query: pairs, changes: [QueryPair("acct", .string("b"))], wantsResult: true,
                secrets: [secret], owner: operation == .find ? OwnerAuthority(accessGroup: "*", passcode: secret) : nil)
            try write("messages", "\(operation)", encoded(MessageCoding.encode(request)))
        }
        let reply = ItemReply(
            code: .param, result: .array([.secret(0)]), secrets: [secret],
            refusal: Refusal(ruleName: "r", reason: "s", advice: "t"), affectedRows: 3)
        try write("messages", "reply", encoded(MessageCoding.encode(reply)))
        let requests: [any DeviceQuestion] = [
            DescribeDevice(), Forwarded(UnlockDevice(secret)), Forwarded(LockDevice(immediately: false)),
            ListRefusals(limit: 9),
        ]
        for (index, request) in requests.enumerated() {
            try write("messages", "device-\(index)", encoded(MessageCoding.encode(request)))
        }
        for (index, question) in registryQuestions.enumerated() {
            try write("messages", "registry-\(index)", encoded(MessageCoding.encode(question)))
        }
        for (index, answer) in registryAnswers.enumerated() {
            try write("messages", "registry-reply-\(index)", encoded(answer))
        }
        for question in circleQuestions {
            try write("messages", "circle-\(type(of: question).number)", encoded(MessageCoding.encode(question)))
        }
        for (number, answer) in circleAnswers {
            try write("messages", "circle-reply-\(number)", encoded(answer))
        }
        let count = ItemChangeCount(300)
        try write("messages", "item-change", encoded(MessageCoding.encode(AwaitItemChange(after: count))))
        try write("messages", "item-change-reply", encoded(AwaitItemChange.message(of: count)))
        try write("messages", "item-change-end", encoded(MessageCoding.encode(ItemWatchEnded.tooMany)))
        let record = RefusalRecord(
            time: 1, caller: "c", application: nil, level: .c, operation: "add", itemClass: "genp", accessGroup: "g",
            lockState: "locked",
            code: .param,
            refusal: Refusal(ruleName: "r", reason: "s", advice: "t"))
        let replies = [
            MessageCoding.encode(Done(), to: TrustTeam.self),
            MessageCoding.encode([record], to: ListRefusals.self),
            MessageCoding.encode(DeviceRefusal.refused(.disabled)),
        ]
        for (index, reply) in replies.enumerated() {
            try write("messages", "device-reply-\(index)", encoded(reply))
        }
        try authenticationMessages()
        try keyMessages()
        try fileKeyMessages()
        let caller = Caller(name: "n", accessGroups: ["g", "h"])
        try write("messages", "caller", input(body: MessageCoding.encode(caller), secrets: []))
    }

    static let interaction = Interaction(reason: "r", cancelTitle: "c", fallbackTitle: "", reuseSeconds: 9)

    static let authenticationQuestions: [any AuthenticationQuestion] = [
        CheckPolicy(.biometry), EvaluatePolicy(.deviceOwner, interaction),
        EvaluateAccessControl(AccessControl(protection: .always), for: .decrypt, interaction),
        SetContextPassword(secret), SetContextPassword(nil), SetContextPasscode(secret), DescribeBiometry(),
    ]

    static let agentQuestions: [any AgentQuestion] = [
        RegisterAgent(), AwaitPrompt(), AwaitEndOfPrompt(PromptIdentifier(7)),
        AnswerPrompt(PromptIdentifier(7), .secret(secret)), AnswerPrompt(PromptIdentifier(7), .cancelled),
        AnswerPrompt(PromptIdentifier(.max), .failed(reason: "r")),
    ]

    static func authenticationMessages() throws {
        let item = ItemRequest(
            operation: .find, query: query.map { QueryPair($0.key, $0.value) }, wantsResult: true, secrets: [secret],
            interaction: interaction)
        try write("messages", "find-asking", encoded(MessageCoding.encode(item)))
        for (index, question) in authenticationQuestions.enumerated() {
            try write("messages", "authentication-\(index)", encoded(MessageCoding.encode(question)))
        }
        for (index, question) in agentQuestions.enumerated() {
            try write("messages", "agent-\(index)", encoded(MessageCoding.encode(question)))
        }
        let refusal = Refusal(ruleName: "r", reason: "s", advice: "t")
        let status = BiometryStatus(
            survey: SensorSurvey(name: "n", fingers: [.leftThumb], digest: [1]), obstacle: nil,
            enrolmentSet: EnrolmentSet(context.bytes), missesLeft: 5)
        let answers = [
            EvaluatePolicy.message(of: PolicyFulfilment(domainState: nil)),
            EvaluatePolicy.message(of: PolicyFulfilment(domainState: [1, 2])),
            DescribeBiometry.message(of: DeviceBiometry(status, domainState: [1])),
            MessageCoding.encode(AuthenticationRefusal(.userCancel, refusal)),
        ]
        for (index, answer) in answers.enumerated() {
            try write("messages", "authentication-reply-\(index)", encoded(answer))
        }
        let prompt = Prompt(
            kind: .passcode, program: "p", team: "t", level: .a, reason: "r", cancelTitle: "c", fallbackTitle: "f",
            notice: "n")
        let agentAnswers = [
            AwaitPrompt.message(of: .nothing), RegisterAgent.message(of: AgentDone()),
            AwaitEndOfPrompt.message(of: PromptEnd(isOver: true)),
            AwaitPrompt.message(of: .prompt(PromptIdentifier(7), prompt, seconds: 60)),
            AwaitPrompt.message(
                of: .prompt(PromptIdentifier(8), Prompt(kind: .finger, program: "p", reason: ""), seconds: nil)),
        ]
        for (index, answer) in agentAnswers.enumerated() {
            try write("messages", "agent-reply-\(index)", encoded(answer))
        }
    }

    static let point = [4] + [UInt8](repeating: 7, count: 64)

    static let keyQuestions: [any KeyQuestion] = [
        CreateEnclaveKey(under: AccessControl(protection: .always), interaction), SignWithKey([1, 2], digest: [3]),
        SignWithKey([1, 2], digest: [3], interaction), AgreeWithKey([1, 2], peer: point), DescribeEnclaveKey([1, 2]),
        CreateEnclaveKey(.mldsa87, under: AccessControl(protection: .always), interaction),
        CreateEnclaveKey(.compactP256, under: AccessControl(protection: .always)),
        SignMessageWithKey([1, 2], message: [3], contextString: [4, 5], interaction),
        DecapsulateWithKey([1, 2], ciphertext: [3]),
    ]

    static let keyAnswers: [WireMessage] = [
        CreateEnclaveKey.message(
            of: CreatedEnclaveKey(blob: [1, 2], publicKey: [UInt8](repeating: 1, count: 1184))),
        CreateEnclaveKey.message(of: CreatedEnclaveKey(blob: [1, 2], publicKey: point)),
        SignWithKey.message(of: EnclaveKeySignature([0x30, 0])), AgreeWithKey.message(of: EnclaveKeySecret(key)),
        DescribeEnclaveKey.message(
            of: EnclaveKeyDescription(publicKey: point, accessControl: AccessControl(protection: .always))),
        MessageCoding.encode(
            EnclaveKeyRefusal(.itemNotFound, Refusal(ruleName: "r", reason: "s", advice: "t"))),
        MessageCoding.encode(EnclaveKeyRefusal(.itemNotFound)),
    ]

    static let file = FileIdentifier(context.bytes)!

    static func wrapped(_ protection: FileProtection) -> WrappedFileKey {
        let bytes = [UInt8](repeating: 3, count: WrappedFileKey.byteCount(protection))
        return WrappedFileKey(bytes, of: file, protection)!
    }

    static let fileKeyQuestions: [any FileKeyQuestion] = [
        CreateFileKeys(.completeUnlessOpen, for: [file, file]),
        OpenFileKeys([wrapped(.complete), wrapped(.completeUnlessOpen)]), RewrapFileKey(wrapped(.complete), to: .none),
    ]

    static let fileKeyAnswers: [WireMessage] = [
        CreateFileKeys.message(of: CreatedFileKeys([CreatedFileKeys.Key(key, wrapped: wrapped(.complete))])),
        OpenFileKeys.message(of: OpenedFileKeys([.success(key), .failure(.keyNotHere), .success(key)])),
        RewrapFileKey.message(of: RewrappedFileKey(wrapped(.completeUnlessOpen))),
        MessageCoding.encode(FileKeyRefusal(.interactionNotAllowed)),
    ]

    static func fileKeyMessages() throws {
        for (index, question) in fileKeyQuestions.enumerated() {
            try write("messages", "file-key-\(index)", encoded(question.message))
        }
        for (index, answer) in fileKeyAnswers.enumerated() {
            try write("messages", "file-key-reply-\(index)", encoded(answer))
        }
    }

    static func keyMessages() throws {
        for (index, question) in keyQuestions.enumerated() {
            try write("messages", "key-\(index)", encoded(question.message))
        }
        for (index, answer) in keyAnswers.enumerated() {
            try write("messages", "key-reply-\(index)", encoded(answer))
        }
    }

    static func programs() throws {
        let key = TeamKey.generate()
        let team = key.publicKey.identifier
        let statement = try SignatureStatement(
            application: team.text + ".com.example",
            entitlements: try ProgramEntitlements(["keychain-access-groups": .array([.string(team.text + ".shared")])]),
            digest: [UInt8](repeating: 0xAB, count: 32), date: 1, team: team)
        let blob = try key.sign(statement).encoded()
        try write("codesignature", "signature", blob)
        for is64Bit in [true, false] {
            let name = is64Bit ? "elf64" : "elf32"
            try write("codesignature", name, program(is64Bit: is64Bit, blob: nil))
            try write("codesignature", name + "-note", program(is64Bit: is64Bit, blob: []))
            try write("codesignature", name + "-signed", program(is64Bit: is64Bit, blob: blob))
        }
    }

    /// A program with a loader, library paths and, if there is a blob, a signature note that segment and section name.
    static func program(is64Bit: Bool, blob: [UInt8]?) -> [UInt8] {
        let word = is64Bit ? 8 : 4
        func number(_ number: Int, _ byteCount: Int) -> [UInt8] {
            (0..<byteCount).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        let headerEnd = is64Bit ? 64 + 4 * 56 : 52 + 4 * 32
        let strings = Array("\0/usr/lib/a:b\0./c.so\0/lib/ld.so\0".utf8)
        let dynamicOffset = headerEnd + 48
        let entries = [(5, headerEnd), (10, strings.count), (29, 1), (1, 14), (0, 0)]
        let dynamic = entries.flatMap { number($0.0, word) + number($0.1, word) }
        let noteOffset = dynamicOffset + 96
        var note: [UInt8] = []
        if let blob {
            note = number(9, 4) + number(SignatureNote.descriptorByteCount, 4) + number(Int(SignatureNote.type), 4)
            note += SignatureNote.name + [0, 0, 0] + number(blob.count, 4) + blob
            note += [UInt8](repeating: 0, count: 24 + SignatureNote.descriptorByteCount - note.count)
        }
        let end = noteOffset + note.count
        var file: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, is64Bit ? 2 : 1, 1, 1] + [UInt8](repeating: 0, count: 9)
        file += number(3, 2) + number(62, 2) + number(1, 4) + number(0, word) + number(is64Bit ? 64 : 52, word)
        file += number(end, word) + number(0, 4) + number(is64Bit ? 64 : 52, 2) + number(is64Bit ? 56 : 32, 2)
        file += number(4, 2) + number(is64Bit ? 64 : 40, 2) + number(1, 2) + number(0, 2)
        let segments = [
            (1, 0, end), (2, dynamicOffset, dynamic.count), (3, headerEnd + 21, 11), (4, noteOffset, note.count),
        ]
        for (type, offset, count) in segments {
            let places = number(offset, word) + number(offset, word) + number(0, word)
            let sizes = number(count, word) + number(count, word)
            let flags = number(4, 4)
            file += number(type, 4) + (is64Bit ? flags : []) + places + sizes + (is64Bit ? [] : flags) + number(4, word)
        }
        file += strings + [UInt8](repeating: 0, count: 48 - strings.count)
        file += dynamic + [UInt8](repeating: 0, count: 96 - dynamic.count) + note
        file += number(0, 4) + number(7, 4) + number(2, word) + number(0, word) + number(noteOffset, word)
        return file + number(note.count, word) + number(0, 8) + number(4, word) + number(0, word)
    }

    static let teamKey = TeamPublicKey([4] + [UInt8](repeating: 7, count: 64))

    static var registryQuestions: [any DeviceQuestion] {
        guard let teamKey else { return [] }
        return [
            TrustTeam(key: teamKey, name: "n", expires: 1.5, passcode: secret),
            RevokeTeam(teamKey.identifier, passcode: nil), ListTeams(), ListApplications(), ListTeamAliases(),
            ForgetApplication("a", removesItems: true, passcode: secret),
            ConfigureApplications(removesItems: false, passcode: nil),
        ]
    }

    static var registryAnswers: [WireMessage] {
        guard let teamKey else { return [] }
        let seen = SeenApplication(
            application: "a", team: teamKey.identifier, level: .b, accessGroups: ["g"], digest: [1], path: "/a")
        let team = TrustedTeam(key: teamKey, name: "n", trusted: 1, expires: 2, revoked: 3, isExpired: true)
        let app = RegisteredApplication(seen: seen, firstSeen: 1, lastSeen: 2, itemCount: 3)
        let refusal = Refusal(ruleName: "r", reason: "s", advice: "t")
        return [
            MessageCoding.encode([team], to: ListTeams.self), MessageCoding.encode([app], to: ListApplications.self),
            MessageCoding.encode(RemovedCount(1), to: ForgetApplication.self),
            MessageCoding.encode(DeviceRefusal.declined(.param, refusal)),
        ]
    }

    private static let circleDevice = [UInt8](repeating: 3, count: CircleDevice.identifierByteCount)

    static var circleQuestions: [any ListedDeviceQuestion] {
        guard let store = StoreAddress(folder: "/s"), let fingerprint = FingerprintText("0123456789ABCDEFGHJKMNPQRS")
        else { return [] }
        return [
            CreateCircle(store: store, deviceName: "n", passcode: secret), InviteDevice(passcode: nil),
            CancelInvitation(passcode: nil),
            JoinCircle(store: store, deviceName: "n", code: secret, passcode: nil), ListJoinRequests(),
            AskToJoin(store: store, deviceName: "n", member: fingerprint, passcode: nil), ListJoinRequests(fingerprint),
            ApproveDevice(circleDevice, fingerprint: fingerprint, passcode: nil), DescribeCircle(),
            RemoveDevice(circleDevice, deletesItems: true, passcode: secret),
            LeaveCircle(deletesItems: false, isForced: true, passcode: nil),
            RecoverCircle(store: store, deviceName: "n", code: secret, passcode: nil),
            ReplaceRecoveryCode(passcode: secret), ChangeCircleKeys(passcode: nil),
            RepairDevice(code: secret, passcode: secret), RepairDevice(code: nil, passcode: secret),
            MoveCircle(to: store, passcode: secret), DeleteCircle(passcode: nil),
            ListConflicts(passcode: secret),
            RestoreConflict(1, passcode: nil), AwaitSync(after: 2), ExchangeNow(), PauseSync(true, passcode: nil),
            ShareGroup("g", isShared: true, passcode: nil),
        ]
    }

    static var circleAnswers: [(Int64, WireMessage)] {
        var report = CircleReport()
        report.store = StoreAddress(folder: "/s")
        report.localItems = ["group": 1]
        report.fingerprint = FingerprintText("0123456789ABCDEFGHJKMNPQRS")
        report.asking = circleDevice
        report.alarms = [CircleAlarm(.diverged, circleDevice)]
        report.allowedGroups = ["unsigned.g"]
        report.devices = [
            CircleDevice(
                identifier: circleDevice, isSelf: true, isMember: true, deviceName: "n", system: "s", admitted: nil,
                admittedBy: nil, isRecovered: false, departed: nil, departedBy: circleDevice, lastHead: nil, lacks: 1,
                missing: 2)
        ]
        let date = WallTime(microsecondsSince2001: 1)
        let conflict = ConflictReport(
            number: 1, itemClass: "genp", group: "g", reason: .deleted, kept: date, attributes: ["acct": "a"],
            modified: date, device: circleDevice)
        return [
            (50, MessageCoding.encode(NewRecoveryCode(secret), to: CreateCircle.self)),
            (51, MessageCoding.encode(NewInvitation(secret, expires: date), to: InviteDevice.self)),
            (
                54,
                MessageCoding.encode(
                    FingerprintText("0123456789ABCDEFGHJKMNPQRS").map {
                        [
                            WaitingDevice(
                                identifier: circleDevice, fingerprint: $0, description: .init(name: "n", system: "s"))
                        ]
                    } ?? [], to: ListJoinRequests.self)
            ),
            (56, MessageCoding.encode(report, to: DescribeCircle.self)),
            (
                57,
                MessageCoding.encode(
                    RemovedDevice(recoveryCode: secret, readableItems: ["g": 1]), to: RemoveDevice.self)
            ),
            (62, MessageCoding.encode([conflict], to: ListConflicts.self)),
            (
                64,
                MessageCoding.encode(SyncProgress(number: 1, remoteChanges: 2, isSettled: true), to: AwaitSync.self)
            ),
            (66, MessageCoding.encode(GroupSharing(true), to: ShareGroup.self)),
        ]
    }

    static func encoded(_ message: WireMessage) -> [UInt8] {
        input(body: message.body, secrets: message.secrets)
    }
}

// The modules are compiled for the fuzzer and so need its library, which brings the program's `main` along.

@_cdecl("LLVMFuzzerInitialize")
public func writeSeeds(_ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutableRawPointer?) -> CInt {
    do {
        try Seeds.writeAll()
        exit(EXIT_SUCCESS)
    } catch {
        print("seeds: \(error)")
        exit(EXIT_FAILURE)
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt { 0 }
