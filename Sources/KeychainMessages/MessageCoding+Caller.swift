import PropertyListDER

extension MessageCoding {
    package static let groupsPerCaller = 256

    /// What a client says of itself in the handshake, where declared callers are accepted: a dictionary of its `name`,
    /// its `groups` in their order, and `denied`.
    package static func encode(_ caller: Caller) -> [UInt8] {
        DERWriter.encode(
            .dictionary([
                "name": .string(caller.name), "groups": .array(caller.accessGroups.map { .string($0) }),
                "denied": .boolean(caller.isDenied),
            ]))
    }

    package static func decodeCaller(_ bytes: [UInt8]) throws(MessageCodingFailure) -> Caller {
        let value: PropertyValue
        do throws(DERFailure) {
            value = try DERReader.decode(bytes)
        } catch {
            throw .notDER(error)
        }
        guard case .dictionary(var claims) = value else { throw .badField("caller") }
        guard case .string(let name)? = claims.removeValue(forKey: "name") else { throw .badField("name") }
        guard case .array(let list)? = claims.removeValue(forKey: "groups") else { throw .badField("groups") }
        guard list.count <= groupsPerCaller else {
            throw .tooMany(field: "groups", found: list.count, limit: groupsPerCaller)
        }
        var groups: [String] = []
        for value in list {
            guard case .string(let group) = value else { throw .badField("groups") }
            groups.append(group)
        }
        var isDenied = false
        if let value = claims.removeValue(forKey: "denied") {
            guard case .boolean(let truth) = value else { throw .badField("denied") }
            isDenied = truth
        }
        guard claims.isEmpty else { throw .fieldsLeft(claims.count) }
        return Caller(name: name, accessGroups: groups, isDenied: isDenied)
    }
}
