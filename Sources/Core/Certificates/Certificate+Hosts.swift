import LatchkeyEncoding

extension Certificate {
    /// The host names among the alternative names, as bytes; nil if the extension is not valid DER.
    var alternativeHosts: [ArraySlice<UInt8>]? {
        guard let found = parts.extension(ObjectIdentifiers.subjectAlternativeName) else { return [] }
        guard var names = DERCursor.only(found.value, tag: DERTag.sequence)?.parts else { return nil }
        var hosts: [ArraySlice<UInt8>] = []
        while !names.isAtEnd {
            guard let name = names.next() else { return nil }
            if name.tag == DERTag.hostName { hosts.append(name.content) }
        }
        return hosts
    }

    /// The common names that have the form of a wildcard host.
    var commonWildcards: [ArraySlice<UInt8>] {
        parts.subjectName.texts(ObjectIdentifiers.commonName).map { Array($0.utf8)[...] }.filter { name in
            name.contains(UInt8(ascii: "*")) && name.contains(UInt8(ascii: "."))
                && name.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        }
    }

    /// The content of the extension; nil in a certificate without it.
    var nameConstraints: ArraySlice<UInt8>? { parts.extension(ObjectIdentifiers.nameConstraints)?.value }

    var hasBasicConstraints: Bool { parts.extension(ObjectIdentifiers.basicConstraints) != nil }
}
