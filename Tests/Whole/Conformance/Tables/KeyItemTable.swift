import Foundation
import Security
import SecurityTesting
import Testing

extension Table {
    /// Keys as items (5.5, 6.7, 6.9, 9.2, 9.6).
    static let keyItems = Table { table in
        table.addStoring()
        table.addMaking()
        table.addSearching()
        table.addResults()
        table.addImportedData()
    }

    /// Name, `kSecAttrKeyType` and bits.
    private static let kinds: [(String, String, Int)] = [
        ("RSA", "42", 1024), ("P-256", "73", 256), ("P-521", "73", 521),
    ]

    private mutating func addStoring() {
        for (name, type, bits) in Self.kinds {
            row("9.6", "both halves of a \(name) key have the digest of the public half as label", only: .key) { s in
                let key = try s.newKey(type as CFString, bits)
                let publicKey = try #require(SecKeyCopyPublicKey(key))
                s.add([kSecValueRef: key, kSecAttrApplicationTag: "t"])
                s.add([kSecValueRef: publicKey, kSecAttrApplicationTag: "t"])
                let wanted = try s.label(of: publicKey)
                for half in [kSecAttrKeyClassPrivate, kSecAttrKeyClassPublic] {
                    let found = s.attributes(of: [kSecAttrKeyClass: half])
                    s.expect(found["klbl"], is: wanted, "label of class \(half)")
                    s.expect(found["atag"], is: "t", "tag")
                    s.expect(found["bsiz"], is: bits, "size")
                    s.expect(found["esiz"], is: bits, "effective size")
                    s.expect(found["type"], is: Int(type), "type as a number")
                    s.expect(found["kcls"], is: Int("\(half)"), "class as a number")
                }
            }
            row("9.6", "usage bits of a \(name) key", only: .key) { s in
                let key = try s.newKey(type as CFString, bits)
                s.add([kSecValueRef: key])
                s.add([kSecValueRef: try #require(SecKeyCopyPublicKey(key))])
                let isRSA = name == "RSA"
                let privateBits: [String: Bool] = [
                    "perm": true, "priv": true, "modi": true, "sens": false, "asen": false, "extr": true, "next": false,
                    "encr": false, "decr": true, "drve": !isRSA, "sign": true, "vrfy": false, "snrc": false,
                    "vyrc": false, "wrap": false, "unwp": true,
                ]
                let publicBits: [String: Bool] = [
                    "perm": true, "priv": true, "modi": true, "sens": false, "asen": false, "extr": true, "next": false,
                    "encr": true, "decr": isRSA, "drve": false, "sign": false, "vrfy": true, "snrc": false,
                    "vyrc": false, "wrap": true, "unwp": false,
                ]
                for (half, wanted) in [(kSecAttrKeyClassPrivate, privateBits), (kSecAttrKeyClassPublic, publicBits)] {
                    let found = s.attributes(of: [kSecAttrKeyClass: half])
                    for (bit, isSet) in wanted { s.expect(found[bit], is: isSet ? 1 : 0, "\(bit) of class \(half)") }
                }
            }
            row("9.3, 6.4", "the data of a \(name) key is its external representation", only: .key) { s in
                let key = try s.newKey(type as CFString, bits)
                s.add([kSecValueRef: key])
                s.expect(s.data(of: [:]), is: try s.representation(of: key), "data")
            }
            row("6.7, 6.9", "a \(name) key comes back as the same key", only: .key) { s in
                let key = try s.newKey(type as CFString, bits)
                s.add([kSecValueRef: key])
                s.expect(s.find([kSecReturnRef: true]), is: key, "reference")
            }
        }
        row("9.6", "the same key under the same tag is a duplicate", only: .key) { s in
            let key = try s.newKey()
            s.add([kSecValueRef: key, kSecAttrApplicationTag: "t"])
            s.add([kSecValueRef: key, kSecAttrApplicationTag: "t"], gives: errSecDuplicateItem)
        }
        row("9.6", "the same key under two tags is two items", only: .key) { s in
            let key = try s.newKey()
            s.add([kSecValueRef: key, kSecAttrApplicationTag: "a"])
            s.add([kSecValueRef: key, kSecAttrApplicationTag: "b"])
            s.expect(s.count([:]) == 2, "two items")
        }
        row("9.6", "two keys under one tag are two items", only: .key) { s in
            s.add([kSecValueRef: try s.newKey(), kSecAttrApplicationTag: "t"])
            s.add([kSecValueRef: try s.newKey(), kSecAttrApplicationTag: "t"])
            s.expect(s.count([kSecAttrApplicationTag: "t"]) == 2, "two items")
        }
        row("6.9", "the caller's attributes win over those of the reference", only: .key) { s in
            s.add([kSecValueRef: try s.newKey(), kSecAttrIsExtractable: false, kSecAttrCanSign: false])
            let found = s.attributes(of: [:])
            s.expect(found["extr"], is: 0, "extr")
            s.expect(found["sign"], is: 0, "sign")
        }
        row("0.4", "privateKeyUsage on a key outside of the enclave is refused", only: .key) { s in
            let control = try #require(
                SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .privateKeyUsage, nil))
            s.add([kSecValueRef: try s.newKey(), kSecAttrAccessControl: control], gives: errSecParam)
        }
        for sample in [
            Sample("String") { "key" }, Sample("Data") { Data([1]) }, Sample("Number") { 1 },
            Sample("null") { NSNull() },
        ] {
            row("6.9", "a reference that is \(sample.name) is refused", only: .key) { s in
                s.add([kSecValueRef: sample.make()], gives: errSecParam)
                s.find([kSecValueRef: sample.make()], gives: errSecParam)
                s.delete([kSecValueRef: sample.make()], gives: errSecParam)
            }
        }
    }

    private mutating func addMaking() {
        row("9.2", "a permanent key is stored, and found by its tag", only: .key) { s in
            let key = try s.makeKey([
                kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 1024,
                kSecPrivateKeyAttrs: [kSecAttrIsPermanent: true, kSecAttrApplicationTag: "t"] as [CFString: Any],
            ])
            s.expect(s.find([kSecAttrApplicationTag: "t", kSecReturnRef: true]), is: key, "reference")
            s.expect(s.count([:]) == 1, "the public half is not stored")
        }
        row("9.2", "both halves are stored where both are asked for", only: .key) { s in
            _ = try s.makeKey([
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                kSecAttrIsPermanent: true, kSecAttrLabel: "both",
                kSecPublicKeyAttrs: [kSecAttrLabel: "public"] as [CFString: Any],
            ])
            s.expect(s.attributes(of: [kSecAttrLabel: "both"])["kcls"], is: 1, "private half")
            s.expect(s.attributes(of: [kSecAttrLabel: "public"])["kcls"], is: 0, "public half")
        }
        row("9.2", "a key is not stored unless asked for", only: .key) { s in
            _ = try s.newKey()
            s.expect(s.count([:]) == 0, "nothing stored")
        }
        row("9.2", "a permanent key in a foreign group is not made", only: .key) { s in
            let parameters: [CFString: Any] = [
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                kSecAttrIsPermanent: true, kSecAttrAccessGroup: "somebody.else",
            ]
            s.refusesKey(parameters, with: errSecMissingEntitlement)
            s.expect(s.count([:]) == 0, "nothing stored")
        }
        for (name, make) in Self.refused {
            row("9.2", "\(name) makes no key", only: .key) { s in s.refusesKey(make(), with: errSecParam) }
        }
    }

    /// Made anew for each row, because the values need not be sendable.
    private static let refused: [(String, @Sendable () -> [CFString: Any])] = [
        ("no type", { [kSecAttrKeySizeInBits: 256] }),
        ("an unknown type", { [kSecAttrKeyType: "4711", kSecAttrKeySizeInBits: 256] }),
        ("no size", { [kSecAttrKeyType: kSecAttrKeyTypeRSA] }),
        ("a curve of 255 bits", { [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 255] }),
        ("a curve of 512 bits", { [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 512] }),
        ("RSA of 511 bits", { [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 511] }),
        ("RSA of 8193 bits", { [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 8193] }),
        ("RSA of a million bits", { [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 1_000_000] }),
        ("RSA of -1 bits", { [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: -1] }),
    ]

    private mutating func addSearching() {
        row("6.9", "a reference finds the item of its key, whatever its usage bits are", only: .key) { s in
            let key = try s.newKey()
            s.add([kSecValueRef: key, kSecAttrCanSign: false, kSecAttrLabel: "it"])
            s.add([kSecValueRef: try s.newKey(), kSecAttrLabel: "another"])
            s.expect(s.attributes(of: [kSecValueRef: key])["labl"], is: "it", "label")
            s.update([kSecValueRef: key], [kSecAttrLabel: "changed"])
            s.expect(s.count([kSecAttrLabel: "changed"]) == 1, "changed")
            s.delete([kSecValueRef: key])
            s.expect(s.count([:]) == 1, "the other one is left")
        }
        row("6.9", "a reference needs no class, and refuses another one", only: .key) { s in
            let key = try s.newKey()
            let added = s.addExactly([kSecValueRef: key, kSecReturnPersistentRef: true] as CFDictionary)
            s.expect((added as? Data)?.prefix(4) == Data("keys".utf8), "stored as a key")
            s.findExactly([kSecValueRef: key] as CFDictionary)
        }
        row("2.6, 15.9", "class and type are found as text and as numbers", only: .key) { s in
            s.add([kSecValueRef: try s.newKey()])
            for value: Any in ["1", 1] { s.find(["kcls": value]) }
            for value: Any in ["73", 73] { s.find(["type": value]) }
            s.find(["kcls": "0"], gives: errSecItemNotFound)
            s.find(["type": 42], gives: errSecItemNotFound)
        }
        row("6.2", "another app's key is not there", only: .key) { s in
            let key = try s.newKey()
            s.add([kSecValueRef: key])
            let other = s.seen(by: s.device.install(s.name + ".other"))
            other.find([kSecValueRef: key], gives: errSecItemNotFound)
            other.delete([kSecValueRef: key], gives: errSecItemNotFound)
        }
        row("5.5", "a tag given as Data and as text is the same tag", only: .key) { s in
            s.add([kSecValueRef: try s.newKey(), kSecAttrApplicationTag: "tag"])
            s.find([kSecAttrApplicationTag: Data("tag".utf8)])
        }
    }

    private mutating func addResults() {
        row("6.7", "every combination of results has its shape", only: .key) { s in
            let key = try s.newKey()
            s.add([kSecValueRef: key, kSecAttrLabel: "l"])
            for combination in 0..<16 {
                var query: [CFString: Any] = [:]
                if combination & 1 != 0 { query[kSecReturnData] = true }
                if combination & 2 != 0 { query[kSecReturnAttributes] = true }
                if combination & 4 != 0 { query[kSecReturnRef] = true }
                if combination & 8 != 0 { query[kSecReturnPersistentRef] = true }
                try s.checkShape(of: query, key)
            }
        }
        row("6.7", "an add returns the reference, too", only: .key) { s in
            let key = try s.newKey()
            s.expect(s.add([kSecValueRef: key, kSecReturnRef: true]), is: key, "reference")
        }
        row("6.7", "all references of a search", only: .key) { s in
            for _ in 0..<3 { s.add([kSecValueRef: try s.newKey()]) }
            let found = s.find([kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll]) as? [Any]
            s.expect(found?.count == 3 && found?.allSatisfy { $0 is SecKey } == true, "three keys")
        }
        row("6.8", "a persistent reference finds the key again", only: .key) { s in
            let key = try s.newKey()
            s.add([kSecValueRef: key])
            let query: NSDictionary = [kSecValuePersistentRef: s.reference(of: [:]), kSecReturnRef: true]
            s.expect(s.findExactly(query), is: key, "reference")
        }
    }

    private mutating func addImportedData() {
        row("6.9", "a key added by its bytes is a key where it says what it is", only: .key) { s in
            let key = try s.newKey()
            let described: [CFString: Any] = [
                kSecValueData: try s.representation(of: key), kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom,
                kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrKeySizeInBits: 256,
            ]
            s.add(described)
            s.expect(s.find([kSecReturnRef: true]), is: key, "reference")
        }
        row("6.9", "bytes that are not a key make an item without a reference", only: .key) { s in
            s.add([
                kSecValueData: Data("no key".utf8), kSecAttrKeyType: kSecAttrKeyTypeRSA,
                kSecAttrKeyClass: kSecAttrKeyClassPrivate,
            ])
            s.expect(s.find([kSecReturnRef: true]) == nil, "no reference")
            s.expect(s.data(of: [:]), is: Data("no key".utf8), "data")
        }
    }
}
