import LatchkeyItemModel
import LatchkeyKeyItems
package import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// Takes a part of an answer, and returns false if the program waits for no more.
package typealias PartDelivery = (consuming ItemReplyPart) -> Bool

/// A row with those parts opened that the search needs.
struct OpenedItem {
    let name: DecryptedRow.Name
    let item: StoredItem
    var secret: SecretBox?
    var tokenBlob: [UInt8]?
}

/// The entries of an answer, with the secrets that they name, since the last part that was delivered.
struct FoundItems {
    /// A part ends with the item that reaches one of these. With the largest item behind it a part still fits into a
    /// message, and so do 32,768 entries with the longest names of attributes.
    private static let partWeight = 16 << 20
    private static let partCount = 32_768
    /// The names, dates and other attributes of an entry that are not in its sealed ones, but for the access group.
    private static let entryWeight = 512

    let shape: ResultShape
    private let deliver: PartDelivery?
    private var entries: [PropertyValue?] = []
    private var secrets: [SecretBox] = []
    /// The indexes of secrets in the answer. A certificate may belong to several identities of one answer.
    private var places: [DecryptedRow.Name: Int] = [:]
    /// The halves of identities in the answer. Each is opened once, even if it belongs to several identities.
    private(set) var halves: [DecryptedRow.Name: OpenedItem] = [:]
    private var partsBefore = 0
    private var secretsBefore = 0
    /// The bytes of attributes and secrets.
    private(set) var weight = 0
    /// The bytes of everything else, about.
    private var otherWeight = 0

    init(_ shape: ResultShape, deliver: PartDelivery?) {
        self.shape = shape
        self.deliver = deliver
    }

    /// - Parameters:
    ///   - item: an item, or the key of an identity.
    ///   - certificate: the certificate of an identity.
    ///   - weight: the bytes of the attributes.
    mutating func add(_ item: OpenedItem, _ certificate: OpenedItem?, weight: Int) {
        self.weight += weight
        otherWeight += Self.entryWeight + item.item.accessGroup.utf8.count
        if let certificate {
            otherWeight += Self.entryWeight + certificate.item.accessGroup.utf8.count
            halves[item.name] = item
            halves[certificate.name] = certificate
        }
        entries.append(entry(item, certificate))
    }

    func part(leftOut: Int, isLast: Bool) -> ItemReplyPart {
        let reply = ItemReply(
            code: .success, result: shape.result(of: entries), secrets: secrets, affectedRows: leftOut)
        return ItemReplyPart(reply, number: partsBefore, secretsBefore: secretsBefore, isLast: isLast)
    }

    /// Returns true if a part was delivered. Nothing that was opened is kept here while the program takes it.
    mutating func deliverIfFull(leftOut: Int) throws(Setback) -> Bool {
        guard let deliver, weight + otherWeight >= Self.partWeight || entries.count >= Self.partCount else {
            return false
        }
        guard deliver(takePart(leftOut: leftOut)) else { throw .call(.abandoned) }
        return true
    }

    private mutating func takePart(leftOut: Int) -> ItemReplyPart {
        let part = part(leftOut: leftOut, isLast: false)
        partsBefore += 1
        secretsBefore += secrets.count
        (entries, secrets, weight, otherWeight) = ([], [], 0, 0)
        for name in halves.keys { halves[name]?.secret = nil }
        return part
    }

    private mutating func entry(_ item: OpenedItem, _ certificate: OpenedItem?) -> PropertyValue? {
        let data = shape.needsData ? place(of: item) : nil
        guard let certificate else {
            return shape.entry(
                for: item.item, data: data.map { .secret($0) }, reference: object(of: item, data)?.value, toFind: true)
        }
        let certificateData = shape.needsData ? place(of: certificate) : nil
        let identity = object(of: item, data).flatMap { key in
            certificateData.map { ItemObject.identity(key: key, certificateSecret: $0) }
        }
        return shape.entry(
            for: .identity(key: item.item, certificate: certificate.item), data: data.map { .secret($0) },
            certificateData: certificateData.map { .secret($0) }, reference: identity?.value, toFind: true)
    }

    /// Returns the index of the item's secret in the answer.
    private mutating func place(of item: OpenedItem) -> Int? {
        if let known = places[item.name] { return known }
        guard let secret = item.secret else { return nil }
        let place = secretsBefore + secrets.count
        places[item.name] = place
        weight += secret.count
        secrets.append(secret)
        return place
    }

    private func object(of item: OpenedItem, _ data: Int?) -> ItemObject? {
        item.tokenBlob.map { .enclaveKey(blob: $0) } ?? ItemObject(item.item, dataSecret: data)
    }
}
