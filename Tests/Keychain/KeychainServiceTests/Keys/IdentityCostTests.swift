import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import Testing

/// Programs may store any number of keys and certificates that claim the same digest: each pair is an identity.
@Suite("Many identities of one digest are opened once")
struct IdentityCostTests {
    private static let digest = PropertyValue.data([UInt8](repeating: 7, count: 20))
    private static let all: [String: PropertyValue] = ["m_Limit": .string("m_LimitAll"), "r_Data": .boolean(true)]

    private let keychain: TestKeychain

    init() throws {
        keychain = try TestKeychain()
    }

    private func addKeys(_ count: Int, _ more: [String: PropertyValue] = [:]) {
        for index in 0..<count {
            let attributes: [String: PropertyValue] = [
                "kcls": .integer(1), "priv": .integer(1), "klbl": Self.digest, "atag": .string("\(index)"),
            ]
            #expect(keychain.call(.add, .key, attributes.merging(more) { $1 }, data: [1]).code == .success)
        }
    }

    private func addCertificates(_ count: Int, _ more: [String: PropertyValue] = [:]) {
        for index in 0..<count {
            let attributes: [String: PropertyValue] = [
                "pkhh": Self.digest, "slnr": .data([UInt8(index >> 8), UInt8(index & 0xFF)]),
                "labl": .string("certificate \(index)"),
            ]
            #expect(keychain.call(.add, .certificate, attributes.merging(more) { $1 }, data: [2]).code == .success)
        }
    }

    @Test("a find of all pairs opens each half once", arguments: [[:], ["slnr": PropertyValue.data([0, 3])]])
    func find(query: [String: PropertyValue]) throws {
        addKeys(30)
        addCertificates(40)
        let certificates = query.isEmpty ? 40 : 1
        var reply: ItemReply?
        let opened = keychain.mailbox.itemKeys(openedBy: {
            reply = keychain.call(.find, .identity, query.merging(Self.all) { $1 })
        })
        #expect(reply?.list.count == 30 * certificates)
        #expect(reply?.secrets.count == 30 + certificates)
        #expect(opened == 30 + certificates)
    }

    @Test("pairs are counted in the order of their rows, over any number of pages")
    func order() throws {
        addKeys(3)
        addCertificates(300)
        for limit in [1, 2, 299, 300, 301, 600, 899, 900, 901] {
            let reply = keychain.call(
                .find, .identity, ["m_Limit": .integer(Int64(limit)), "r_Attributes": .boolean(true)])
            let entries = reply.list.isEmpty ? [reply.result ?? .null] : reply.list
            #expect(entries.count == min(limit, 900))
            for (place, entry) in entries.enumerated() {
                guard case .dictionary(let attributes) = entry else { throw Unexpected() }
                #expect(attributes["atag"] == .string("\(place / 300)"))
                #expect(attributes["labl"] == .string("certificate \(place % 300)"))
            }
        }
    }

    @Test("a find of one, by label or any, opens the two halves alone")
    func one() throws {
        addKeys(20)
        addCertificates(20)
        for query in [[:], ["labl": .string("certificate 7")], ["atag": .string("7")]] as [[String: PropertyValue]] {
            let opened = keychain.mailbox.itemKeys(openedBy: {
                let reply = keychain.call(.find, .identity, query.merging(["r_Data": .boolean(true)]) { $1 })
                #expect(reply.data() == [1])
            })
            #expect(opened == 2)
        }
    }

    @Test("an answer that is too heavy ends the search before the rest is opened")
    func tooHeavy() throws {
        addKeys(1, ["alis": .data([UInt8](repeating: 0, count: 1 << 20))])
        addCertificates(600)
        let opened = keychain.mailbox.itemKeys(openedBy: {
            #expect(keychain.call(.find, .identity, Self.all).refusal?.rule == .answerTooLarge)
        })
        #expect(opened <= 257)
    }

    @Test("what fits no question about certificates is looked into once")
    func unfit() throws {
        addKeys(30)
        addCertificates(300)
        let opened = keychain.mailbox.itemKeys(openedBy: {
            let query = Self.all.merging(["m_ValidOnDate": .null]) { $1 }
            #expect(keychain.call(.find, .identity, query).code == .itemNotFound)
        })
        // Keys are opened beside the certificates, at most once in each of the two pages.
        #expect(opened <= 300 + 2 * 30)
    }

    @Test("updates and deletes touch each half once; keys stay for a certificate that stays")
    func changes() throws {
        addKeys(30)
        addCertificates(300)
        #expect(keychain.call(.update, .identity, changes: ["labl": .string("new")]).affectedRows == 330)
        #expect(keychain.count(.certificate, ["labl": .string("new")]) == 300)
        addCertificates(1, ["slnr": .data([9]), "labl": .string("last")])
        #expect(keychain.call(.delete, .identity, ["labl": .string("new")]).affectedRows == 300)
        #expect(keychain.count(.key) == 30)
        #expect(keychain.call(.delete, .identity).affectedRows == 31)
        #expect(keychain.status?.itemCounts["keys"] == 0)
    }
}
