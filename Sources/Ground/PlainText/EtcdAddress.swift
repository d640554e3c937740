/// The members of an etcd cluster, and how this machine proves itself to them:
/// `etcd:https://a:2379,https://b:2379;ca=FILE;certificate=FILE;key=FILE;user=NAME;password-file=FILE`.
///
/// Secrets are in files. The text has their paths alone, and may be shown.
package struct EtcdAddress: Hashable, Sendable, CustomStringConvertible {
    package static let prefix = "etcd:"
    package static let standardPort: UInt16 = 2379
    package static let serverLimit = 9
    package static let userByteLimit = 256

    /// A part of the address after the servers, by its name there.
    package enum Part: String, Hashable, Sendable, CaseIterable {
        /// The authorities that may certify the servers; without it those of the system.
        case authority = "ca"
        case certificate
        case key
        case user
        case passwordFile = "password-file"

        package var isFile: Bool { self != .user }
    }

    /// A reason for which a text is not an address.
    package enum Failure: Error, Hashable, Sendable {
        case notEtcd
        case badServer(String)
        case tooManyServers
        case badPart(String)
        /// A file without its whole path, or a value with a character that has a meaning here.
        case badValue(Part)
        /// One of two that belong together is missing.
        case missing(Part)
    }

    package let servers: [ServerAddress]
    package let parts: [Part: String]

    package init(servers: [String], parts: [Part: String] = [:]) throws(Failure) {
        guard !servers.isEmpty, servers.count <= Self.serverLimit else { throw .tooManyServers }
        var addresses: [ServerAddress] = []
        for text in servers {
            guard let address = ServerAddress(text, port: Self.standardPort), !addresses.contains(address) else {
                throw .badServer(text)
            }
            addresses.append(address)
        }
        for (part, value) in parts {
            guard !value.isEmpty, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") }),
                part.isFile ? PathText.isAbsolute(value) : value.utf8.count <= Self.userByteLimit
            else { throw .badValue(part) }
        }
        for (one, other) in [(Part.certificate, Part.key), (.user, .passwordFile)] {
            if parts[one] == nil, parts[other] != nil { throw .missing(one) }
            if parts[one] != nil, parts[other] == nil { throw .missing(other) }
        }
        self.servers = addresses
        self.parts = parts
    }

    package init(_ text: String) throws(Failure) {
        guard text.utf8.starts(with: Self.prefix.utf8) else { throw .notEtcd }
        let pieces = text.dropFirst(Self.prefix.count).split(separator: ";", omittingEmptySubsequences: false)
        var parts: [Part: String] = [:]
        for piece in pieces.dropFirst() {
            let halves = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard halves.count == 2, let part = Part(rawValue: halves[0]),
                parts.updateValue(halves[1], forKey: part) == nil
            else { throw .badPart(String(piece)) }
        }
        try self.init(
            servers: pieces[0].split(separator: ",", omittingEmptySubsequences: false).map(String.init), parts: parts)
    }

    /// The servers alone, which is what the devices of a circle have in common.
    package var serverText: String { Self.prefix + servers.map(\.description).joined(separator: ",") }

    package var description: String {
        Part.allCases.reduce(into: serverText) { text, part in
            if let value = parts[part] { text += ";\(part.rawValue)=\(value)" }
        }
    }

    /// The paths of all files.
    package var files: [String] { Part.allCases.compactMap { $0.isFile ? parts[$0] : nil } }
}

extension EtcdAddress.Failure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notEtcd: "an etcd store is named etcd:https://HOST:2379,https://HOST2:2379"
        case .badServer(let text):
            "\"\(PlainText.escaped(text))\" is not a server: https://HOST:PORT, each once; http:// is for 127.0.0.1 alone"
        case .tooManyServers: "an etcd store has 1 to \(EtcdAddress.serverLimit) servers"
        case .badPart(let text): "\"\(PlainText.escaped(text))\" is not a part of an etcd store"
        case .badValue(let part):
            part.isFile
                ? "\(part.rawValue) needs the whole path of a file, without semicolons"
                : "the name of the user is not one"
        case .missing(let part): "\(part.rawValue) is missing"
        }
    }
}
