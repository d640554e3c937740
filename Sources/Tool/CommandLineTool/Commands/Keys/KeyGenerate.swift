package import ArgumentParser
package import LatchkeyAccessControl
package import LatchkeyAsymmetricKeys
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER

/// The value of `--type`.
package enum KeyTypeName: String, ExpressibleByArgument, CaseIterable, Sendable {
    case rsa
    case ec
}

/// `latchkey key generate`.
package struct KeyGenerate: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "generate", abstract: "Make a key pair, and print its public half.")

    @Option(help: "rsa or ec.")
    package var type = KeyTypeName.ec

    @Option(
        help: ArgumentHelp(
            "256 (the default), 384 or 521 for ec; 2048 (the default) and more for rsa.", valueName: "bits"))
    package var size: Int?

    @Flag(help: "Make it in the enclave: P-256, used there, and never to be seen outside.")
    package var enclave = false

    @Option(name: [.customShort("l"), .long], help: "A label, for people.")
    package var label: String?

    @Option(help: "An application tag, for programs.")
    package var tag: String?

    @Option(help: ArgumentHelp("When the key can be used: \(AccessibleName.choices).", valueName: "name"))
    package var accessible: String?

    @OptionGroup package var conditions: ConditionOptions
    @OptionGroup package var group: GroupOption
    @OptionGroup package var common: CommonOptions

    package init() {}

    /// The kind of key that the options name.
    package func kind() throws(CommandFailure) -> KeyKind {
        switch type {
        case .rsa:
            let bits = size ?? 2048
            guard !enclave else {
                throw CommandFailure(.usage, "The enclave makes keys of P-256 only.", advice: "Leave --type rsa out.")
            }
            guard (1024...KeyKind.rsaBits.upperBound).contains(bits), bits.isMultiple(of: 8) else {
                throw CommandFailure(
                    .usage, "No RSA key of \(bits) bits is made.",
                    why: "Sizes are multiples of 8 from 1024 to \(KeyKind.rsaBits.upperBound).",
                    advice: "Take 3072 if nothing speaks for another.")
            }
            return .rsa(bits: bits)
        case .ec:
            guard let curve = Curve(rawValue: size ?? 256), curve.rawValue >= 256 else {
                throw CommandFailure(
                    .usage, "There is no curve of \(size ?? 0) bits.", why: "The sizes are 256, 384 and 521.")
            }
            guard !enclave || curve == .p256 else {
                throw CommandFailure(.usage, "The enclave makes keys of P-256 only.", advice: "Leave --size out.")
            }
            return .ellipticCurve(curve)
        }
    }

    package func perform() throws(CommandFailure) -> Report {
        let kind = try kind()
        let protection = try ProtectionPair.code(accessible)
        let software = try conditions.pair(accessible: protection)
        let rules = try conditions.privateKeyUsage(accessible: protection)
        let device = try DeviceAccess(common, makesDevice: true)
        let owner = try device.authority(for: group.accessGroup, secrets: common.secrets)
        if enclave { return report(try addEnclaveKey(rules, to: device, owner: owner)) }
        let key: PrivateKey
        do throws(KeyFailure) {
            key = try PrivateKey(generating: kind)
        } catch {
            throw CommandFailure(.failure, "No key could be made.", why: "\(error)")
        }
        let adding = ObjectAdding(
            device: device, owner: owner, label: label, tag: tag, shared: group.pairs,
            protection: try ProtectionPair.pairs(accessible), rules: software)
        _ = try adding.add(key)
        return report(key.publicKey)
    }

    private func addEnclaveKey(
        _ rules: AccessControl, to device: DeviceAccess, owner: OwnerAuthority?
    ) throws(CommandFailure) -> PublicKey {
        let created = try device.ask(CreateEnclaveKey(under: rules))
        let key = try EnclaveKey.publicKey(created.publicKey)
        var query = [
            QueryPair("class", .string("keys")), QueryPair(.tokenID, .string(EnclaveItem.token)),
            QueryPair(.tokenOID, .data(created.blob)),
        ]
        query += group.pairs
        if let label { query.append(QueryPair(.label, .string(label))) }
        if let tag { query.append(QueryPair(.applicationTag, .data(Array(tag.utf8)))) }
        _ = try device.perform(ItemRequest(operation: .add, query: query, wantsResult: false, owner: owner))
        return key
    }

    private func report(_ key: PublicKey) -> Report {
        let pem = key.pem
        return Report(
            pieces: [.text(pem)],
            json: .object([
                ("label", label.map(JSONValue.string) ?? .null), ("tag", tag.map(JSONValue.string) ?? .null),
                ("id", .string(Hexadecimal.text(key.digest))), ("type", .string(type.rawValue)),
                ("bits", .integer(Int64(key.kind.sizeInBits))),
                ("where", .string(enclave ? "enclave" : "keychain")), ("publicKey", .string(pem)),
            ]))
    }
}

/// The mark of an item whose key is in the enclave.
enum EnclaveItem {
    static let token = "com.apple.setoken"
}

extension QueryPair {
    /// The attributes of a new item as pairs, `more` going before what is in both.
    static func pairs(_ attributes: [AttributeName: PropertyValue], under more: [QueryPair]) -> [QueryPair] {
        let given = Set(more.map(\.key))
        let rest = attributes.sorted { $0.key < $1.key }.map { QueryPair($0.key, $0.value) }
        return rest.filter { !given.contains($0.key) } + more
    }
}

extension ConditionOptions {
    /// The rules of a key in the enclave: for signing and agreeing, under the conditions.
    package func privateKeyUsage(accessible: String?) throws(CommandFailure) -> AccessControl {
        let flags = try flags() ?? []
        return try rules(accessible: accessible, flags: flags.union(.privateKeyUsage))
    }
}
