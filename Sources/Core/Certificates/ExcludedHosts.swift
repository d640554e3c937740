import LatchkeyEncoding

/// The hosts that the name constraints of an issuer exclude (RFC 5280, 4.2.1.10).
///
/// libcrypto compares wildcard names with excluded subtrees as if the asterisk were a letter: `*.example.com` passes an
/// issuer that excludes `bar.example.com`, and then stands for that host. Here a label with an asterisk equals every
/// label.
struct ExcludedHosts {
    private struct Subtree {
        /// In lower case; no labels for the empty name, which is every host.
        let labels: [[UInt8]]
        /// True if the constraint begins with a dot: it then excludes only hosts below the name.
        let isBelowOnly: Bool
    }

    private let subtrees: [Subtree]

    /// Nil if the extension is not valid DER. libcrypto accepts more than that; such content is unknown here.
    init?(nameConstraints der: ArraySlice<UInt8>) {
        guard var parts = DERCursor.only(der, tag: DERTag.sequence)?.parts else { return nil }
        _ = parts.next(DERTag.explicit(0))
        var excluded = parts.next(DERTag.explicit(1))?.parts ?? DERCursor([])
        guard parts.isAtEnd else { return nil }
        var subtrees: [Subtree] = []
        while !excluded.isAtEnd {
            guard var subtree = excluded.next(DERTag.sequence)?.parts, let base = subtree.next() else { return nil }
            guard base.tag == DERTag.hostName else { continue }
            let isBelowOnly = base.content.first == UInt8(ascii: ".")
            subtrees.append(
                Subtree(
                    labels: Self.labels(isBelowOnly ? base.content.dropFirst() : base.content),
                    isBelowOnly: isBelowOnly))
        }
        self.subtrees = subtrees
    }

    /// Returns true if a name could stand for an excluded host.
    func contain(_ name: ArraySlice<UInt8>) -> Bool {
        let labels = Self.labels(name)
        return subtrees.contains { subtree in
            labels.count >= subtree.labels.count + (subtree.isBelowOnly ? 1 : 0)
                && zip(labels.reversed(), subtree.labels.reversed()).allSatisfy { label, excluded in
                    label == excluded || label.contains(UInt8(ascii: "*"))
                }
        }
    }

    /// A dot at the end stands for the root zone and is ignored.
    private static func labels(_ name: ArraySlice<UInt8>) -> [[UInt8]] {
        let name = name.last == UInt8(ascii: ".") ? name.dropLast() : name
        guard !name.isEmpty else { return [] }
        return name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { label in
            label.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        }
    }
}
