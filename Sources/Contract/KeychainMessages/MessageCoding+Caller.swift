import LatchkeyPropertyListDER

extension MessageCoding {
    package static let groupsPerCaller = 256

    /// Encodes the claims of a client in the handshake, for services that accept declared callers: a dictionary of its
    /// `name`, its `groups` in order, and the flags `denied`, `clip`, `extensions` and `passcode`.
    package static func encode(_ caller: Caller) -> [UInt8] {
        DERWriter.encode(
            .dictionary([
                "name": .string(caller.name), "groups": .array(caller.accessGroups.map { .string($0) }),
                "denied": .boolean(caller.isDenied), "clip": .boolean(caller.isAppClip),
                "extensions": .boolean(caller.sharesNetworkExtensions), "passcode": .boolean(caller.mayGivePasscode),
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
        let isDenied = try truth("denied", &claims)
        let isAppClip = try truth("clip", &claims)
        let sharesNetworkExtensions = try truth("extensions", &claims)
        let mayGivePasscode = try truth("passcode", &claims)
        guard claims.isEmpty else { throw .fieldsLeft(claims.count) }
        return Caller(
            name: name, accessGroups: groups, isDenied: isDenied, isAppClip: isAppClip,
            sharesNetworkExtensions: sharesNetworkExtensions, mayGivePasscode: mayGivePasscode)
    }

    private static func truth(
        _ name: String, _ claims: inout [String: PropertyValue]
    ) throws(MessageCodingFailure) -> Bool {
        guard let value = claims.removeValue(forKey: name) else { return false }
        guard case .boolean(let truth) = value else { throw .badField(name) }
        return truth
    }
}
