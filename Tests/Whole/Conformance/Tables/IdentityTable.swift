import Foundation
import Security
import SecurityTesting
import Testing

extension Table {
    /// Identities, which no row holds (5.6, 6.8, 6.9).
    static let identities = Table { table in
        table.addStoredIdentities()
        table.addIdentitySearches()
        table.addAnswersAboutIdentities()
        table.addIdentityChanges()
        table.addIdentityDeletions()
    }

    private mutating func addStoredIdentities() {
        row("5.6, 6.9", "an identity is stored as a certificate and a key", only: .identity) { s in
            let identity = try Papers.made.get().identity
            s.add([kSecValueRef: identity])
            s.find([kSecClass: kSecClassCertificate, kSecValueRef: try identity.certificate])
            s.find([kSecClass: kSecClassKey, kSecValueRef: try identity.key])
            s.expect(s.find([kSecReturnRef: true]), is: identity, "reference")
        }
        row("5.6", "a key and a certificate that were stored apart make an identity", only: .identity) { s in
            let identity = try Papers.made.get().identity
            s.add([kSecClass: kSecClassKey, kSecValueRef: try identity.key])
            s.find([:], gives: errSecItemNotFound)
            s.add([kSecClass: kSecClassCertificate, kSecValueRef: try identity.certificate])
            s.expect(s.find([kSecReturnRef: true]), is: identity, "reference")
        }
        row("5.6", "a certificate and another key make none", only: .identity) { s in
            let papers = try Papers.made.get()
            s.add([kSecClass: kSecClassKey, kSecValueRef: try papers.otherIdentity.key])
            s.add([kSecClass: kSecClassCertificate, kSecValueRef: try papers.identity.certificate])
            s.find([:], gives: errSecItemNotFound)
        }
        row("5.6, 15.20", "a half that is there already does not hinder the other", only: .identity) { s in
            let identity = try Papers.made.get().identity
            s.add([kSecClass: kSecClassCertificate, kSecValueRef: try identity.certificate])
            s.add([kSecValueRef: identity])
            s.add([kSecValueRef: identity], gives: errSecDuplicateItem)
            s.delete([kSecClass: kSecClassCertificate, kSecValueRef: try identity.certificate])
            s.add([kSecValueRef: identity])
            s.expect(s.count([:]) == 1, "one identity")
        }
        row("5.6", "an identity without a reference cannot be added", only: .identity) { s in
            s.add([kSecAttrLabel: "x"], gives: errSecParam)
        }
        row("5.6", "two certificates of one key are two identities", only: .identity) { s in
            let papers = try Papers.made.get()
            s.add([kSecValueRef: papers.identity])
            s.add([kSecValueRef: papers.secondIdentity])
            s.expect(s.count([:]) == 2, "two identities")
            s.expect(s.count([kSecClass: kSecClassKey]) == 1, "one key")
        }
    }

    private mutating func addIdentitySearches() {
        row("5.6, 15.19", "the label of an identity is its certificate's", only: .identity) { s in
            let papers = try Papers.made.get()
            s.add([kSecValueRef: papers.identity, kSecAttrLabel: "first"])
            s.add([kSecValueRef: papers.otherIdentity, kSecAttrLabel: "second"])
            s.expect(s.find([kSecAttrLabel: "first", kSecReturnRef: true]), is: papers.identity, "by its label")
            s.expect(s.find([kSecAttrLabel: "second", kSecReturnRef: true]), is: papers.otherIdentity, "by its label")
            s.find([kSecAttrLabel: "third"], gives: errSecItemNotFound)
        }
        for name in ["issr", "slnr", "skid"] {
            row("5.6", "\(name) looks at the certificate of an identity", only: .identity) { s in
                let papers = try Papers.made.get()
                s.add([kSecValueRef: papers.identity])
                s.add([kSecValueRef: papers.otherIdentity])
                let certificate = try papers.identity.certificate
                let value = try #require(
                    s.attributes(of: [kSecClass: kSecClassCertificate, kSecValueRef: certificate])[name])
                s.expect(s.find([name as CFString: value, kSecReturnRef: true]), is: papers.identity, "by \(name)")
            }
        }
        row("5.6", "everything else looks at the key of an identity", only: .identity) { s in
            let papers = try Papers.made.get()
            s.add([kSecValueRef: papers.identity, kSecAttrApplicationTag: "mine"])
            s.add([kSecValueRef: papers.otherIdentity])
            s.expect(s.find([kSecAttrApplicationTag: "mine", kSecReturnRef: true]), is: papers.identity, "by tag")
            s.expect(
                s.find([kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecReturnRef: true]), is: papers.otherIdentity, "by type")
            let label = try s.label(of: papers.identity.key)
            s.expect(s.find([kSecAttrApplicationLabel: label, kSecReturnRef: true]), is: papers.identity, "by label")
        }
        row("5.6", "the attributes of an identity are those of both, the certificate's over the key's", only: .identity)
        { s in
            let papers = try Papers.made.get()
            s.add([kSecValueRef: papers.identity, kSecAttrLabel: "both"])
            let found = s.attributes(of: [:])
            s.expect(found["labl"], is: "both", "label")
            s.expect(found["kcls"], is: 1, "class of the key")
            s.expect(found["ctyp"], is: 3, "kind of the certificate")
            s.expect(found["klbl"], is: found["pkhh"], "what joins them")
            let withData = s.find([kSecReturnAttributes: true, kSecReturnData: true]) as? [String: Any]
            let data = SecCertificateCopyData(try papers.identity.certificate) as Data
            s.expect(withData?["certdata"], is: data, "the certificate itself")
        }
        row("5.6", "the data of an identity is its private key's", only: .identity) { s in
            let identity = try Papers.made.get().identity
            s.add([kSecValueRef: identity])
            s.expect(s.data(of: [:]), is: try s.representation(of: identity.key), "data")
        }
        row("5.6, 6.8", "the persistent reference of an identity", only: .identity) { s in
            let identity = try Papers.made.get().identity
            s.add([kSecValueRef: identity])
            let reference = s.reference(of: [:])
            s.expect(reference.prefix(4) == Data("idnt".utf8), "class text")
            let certificate = s.reference(of: [kSecClass: kSecClassCertificate])
            s.expect(reference.dropFirst(4) == certificate.dropFirst(4), "the certificate's")
            s.expect(
                s.findExactly([kSecValuePersistentRef: reference, kSecReturnRef: true] as NSDictionary), is: identity,
                "found")
        }
        row("6.2", "an identity needs both halves in groups of the app", only: .identity) { s in
            let identity = try Papers.made.get().identity
            let both = s.seen(by: s.device.install(s.name, keychainAccessGroups: ["\(s.name).a", "\(s.name).b"]))
            both.add([
                kSecClass: kSecClassKey, kSecValueRef: try identity.key, kSecAttrAccessGroup: "\(s.name).a",
            ])
            both.add([
                kSecClass: kSecClassCertificate, kSecValueRef: try identity.certificate,
                kSecAttrAccessGroup: "\(s.name).b",
            ])
            both.find([:])
            s.seen(by: s.device.install(s.name + ".1", keychainAccessGroups: ["\(s.name).a"])).find(
                [:], gives: errSecItemNotFound)
            s.seen(by: s.device.install(s.name + ".2", keychainAccessGroups: ["\(s.name).b"])).find(
                [:], gives: errSecItemNotFound)
        }
        row("6.4", "a match looks at the certificate of an identity", only: .identity) { s in
            let papers = try Papers.made.get()
            s.add([kSecValueRef: papers.otherIdentity])
            s.add([kSecValueRef: papers.identity])
            let query: [CFString: Any] = [kSecMatchEmailAddressIfPresent: "anna@example.com", kSecReturnRef: true]
            s.expect(s.find(query), is: papers.identity, "by address")
            let issuer = try #require(SecCertificateCopyNormalizedSubjectSequence(papers.intermediate) as Data?)
            s.expect(s.find([kSecMatchIssuers: [issuer], kSecReturnRef: true]), is: papers.identity, "by issuer")
        }
    }

    /// A query that names an identity by reference gets its persistent reference and nothing else.
    private mutating func addAnswersAboutIdentities() {
        row("0.13, 5.6, 6.9", "an identity by reference has a persistent reference for an answer", only: .identity) {
            s in
            let identity = try Papers.made.get().identity
            let added = s.add([kSecValueRef: identity, kSecReturnPersistentRef: true]) as? Data
            s.expect(added?.prefix(4) == Data("idnt".utf8) && added?.count == 20, "of an identity")
            s.expect(s.find([kSecValueRef: identity, kSecReturnPersistentRef: true]), is: added, "the same when found")
            let one: [CFString: Any] = [
                kSecValueRef: identity, kSecReturnPersistentRef: true, kSecMatchLimit: kSecMatchLimitOne,
            ]
            s.expect(s.find(one), is: added, "with limit one")
            let found = try #require(added)
            s.expect(
                s.findExactly([kSecValuePersistentRef: found, kSecReturnRef: true] as NSDictionary), is: identity,
                "the identity by it")
        }
        for keys in ReturnKeys.all where !(keys.count == 1 && keys.persistentReference) {
            row("5.6, 6.9", "an identity by reference answers nothing to \(keys)", only: .identity) { s in
                let papers = try Papers.made.get()
                let pairs = keys.pairs.with(kSecValueRef, papers.identity)
                s.expect(s.add(pairs) == nil, "nothing in the answer to the add")
                s.add(pairs, gives: errSecDuplicateItem)
                s.expect(s.find(pairs) == nil, "nothing is found")
                s.expect(s.find(pairs.with(kSecMatchLimit, kSecMatchLimitAll)) == nil, "nothing of all")
                s.find(keys.pairs.with(kSecValueRef, papers.otherIdentity), gives: errSecItemNotFound)
            }
        }
        row("5.6", "an identity by reference, in a list, answers nothing", only: .identity) { s in
            let identity = try Papers.made.get().identity
            s.add([kSecValueRef: identity])
            for limit in [kSecMatchLimitAll as Any, 2 as Any] {
                let query: [CFString: Any] = [
                    kSecValueRef: identity, kSecReturnPersistentRef: true, kSecMatchLimit: limit,
                ]
                s.expect(s.find(query) == nil, "nothing")
            }
        }
        row("6.1", "what is wrong about such a query is told all the same", only: .identity) { s in
            let identity = try Papers.made.get().identity
            s.add([kSecValueRef: identity])
            s.find([kSecValueRef: identity, kSecReturnAttributes: "yes"], gives: errSecParam)
            s.find([kSecValueRef: identity, "r_Unknown": true], gives: errSecParam)
            s.find([kSecValueRef: identity, kSecMatchLimit: "m_LimitTwo"], gives: errSecParam)
        }
        row("5.6", "a label of an added identity is on both halves", only: .identity) { s in
            let identity = try Papers.made.get().identity
            s.add([kSecValueRef: identity, kSecAttrLabel: "both"])
            for half in [kSecClassKey, kSecClassCertificate] {
                s.expect(s.attributes(of: [kSecClass: half])["labl"], is: "both", "label of \(half)")
            }
        }
    }

    private mutating func addIdentityChanges() {
        row("5.6", "an update changes both halves", only: .identity) { s in
            let identity = try Papers.made.get().identity
            s.add([kSecValueRef: identity])
            s.update([kSecValueRef: identity], [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock])
            for half in [kSecClassKey, kSecClassCertificate] {
                s.expect(s.attributes(of: [kSecClass: half])["pdmn"], is: "ck", "protection of \(half)")
            }
        }
        row("5.6", "what one half does not have changes neither", only: .identity) { s in
            let identity = try Papers.made.get().identity
            s.add([kSecValueRef: identity, kSecAttrLabel: "before"])
            s.update([kSecValueRef: identity], [kSecAttrApplicationTag: "t"], gives: errSecNoSuchAttr)
            s.expect(s.attributes(of: [:])["labl"], is: "before", "label")
        }
        row("5.6", "an update of no identity", only: .identity) { s in
            s.update([kSecAttrLabel: "x"], [kSecAttrLabel: "y"], gives: errSecItemNotFound)
        }
    }

    private mutating func addIdentityDeletions() {
        row("5.6", "deleting an identity deletes both halves", only: .identity) { s in
            let identity = try Papers.made.get().identity
            s.add([kSecValueRef: identity])
            s.delete([kSecValueRef: identity])
            s.find([kSecClass: kSecClassKey], gives: errSecItemNotFound)
            s.find([kSecClass: kSecClassCertificate], gives: errSecItemNotFound)
            s.delete([kSecValueRef: identity], gives: errSecItemNotFound)
        }
        row("5.6, 15.19", "a key that another certificate has stays", only: .identity) { s in
            let papers = try Papers.made.get()
            s.add([kSecValueRef: papers.identity])
            s.add([kSecValueRef: papers.secondIdentity])
            s.delete([kSecValueRef: papers.identity])
            s.expect(s.find([kSecReturnRef: true]), is: papers.secondIdentity, "the other identity")
            s.delete([kSecValueRef: papers.secondIdentity])
            s.find([kSecClass: kSecClassKey], gives: errSecItemNotFound)
        }
    }
}
