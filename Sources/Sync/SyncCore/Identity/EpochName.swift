/// An epoch: its number, which orders versions, and the hash of its statement, which names its keys. Concurrent epochs can have one number.
package struct EpochName: Hashable, Sendable {
    package let number: EpochNumber
    package let hash: ObjectHash

    package init(number: EpochNumber, hash: ObjectHash) {
        self.number = number
        self.hash = hash
    }
}
