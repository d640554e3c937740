import LatchkeyItemDatabase
import LatchkeyKeybag
import LatchkeySecretMemory

/// The removal of digests that formats before 9 sealed beside the attributes of items with conditions: the class key alone
/// opened them, and let guesses of the secret be tested without what the conditions ask for.
///
/// This needs the metadata key of a row's class, so rows of a locked class wait until it is available. Each page is one
/// transaction, which also remembers how far the removal got.
struct DigestRemoval: Sendable {
    private static let pageSize = 64

    let store: ItemStore
    let sealing: RowSealing

    /// Looks through the rows of available classes.
    /// - Parameter isOver: asked before each page; true ends the run, and the next one goes on.
    func run(isOver: () -> Bool) {
        guard let all = try? store.read({ try $0.formerDigests() }) else { return }
        for former in all {
            guard let keyClass = KeyClass(rawValue: former.keyClass) else { continue }
            var former: FormerDigests? = former
            while let place = former, !isOver() {
                // A page that cannot be written now waits, as one of a locked class does.
                guard let next = try? store.write({ try removeDigests(place, keyClass, $0) }) else { break }
                former = next.place
            }
            if former == nil { store.overwriteFormerPages() }
        }
    }

    private struct Next: Sendable {
        let place: FormerDigests?
    }

    private func removeDigests(
        _ former: FormerDigests, _ keyClass: KeyClass, _ writer: ItemWriter
    ) throws(Setback) -> Next {
        // Requested for every page, so that a lock takes effect at the next one.
        let key = try sealing.keys.metadataKey(toRead: keyClass)
        let page = try onDisk(writer.reader.page(of: former, limit: Self.pageSize))
        for (number, row) in page.rows {
            guard let clean = sealing.withoutFormerDigest(row, metadataKey: key) else { continue }
            try onDisk(writer.setAttributes(clean.sealedAttributes, ofRow: number, in: former.shelf))
        }
        try onDisk(writer.finish(former, next: page.next))
        return Next(place: page.next)
    }
}
