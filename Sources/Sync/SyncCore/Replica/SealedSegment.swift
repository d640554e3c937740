/// One batch of records of a stream, as it came from the store: the header is known, the records are sealed.
package struct SealedSegment: Hashable, Sendable {
    package let dot: Dot
    /// The statement of the epoch whose zone key seals the records. Two epochs can have one number.
    package let epoch: ObjectHash
    /// The hash of the segment before. Nil in the first.
    package let previous: ObjectHash?
    /// The segments that the author had applied when it sealed this one: versions that they contain were known to the author.
    package let knows: VersionVector
    package let seal: ObjectSeal

    package init(dot: Dot, epoch: ObjectHash, previous: ObjectHash?, knows: VersionVector, seal: ObjectSeal) {
        self.dot = dot
        self.epoch = epoch
        self.previous = previous
        self.knows = knows
        self.seal = seal
    }

    package var hash: ObjectHash { seal.hash }
}
